// A SASS program decoded for running: one record an instruction, registers as slots, what it is held to beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/machine/copy_engine.h"
#include "checker/machine/warpgroup_core.h"
#include "layout/layout.h"
#include "sass/program.h"

namespace warpcc::checker {

// What an instruction does.
enum class Action : std::uint8_t {
  // a value a lane or a warp, as the destination's file says
  add,
  add_wide,
  multiply_add,
  multiply_add_high,
  multiply_add_wide,
  compare,
  shift,
  logic,
  select,
  move,
  permute,
  shift_add,
  population,
  reverse_bits,
  highest_bit,
  absolute,
  extend,
  minimum,
  predicate_logic,
  special,
  constant,
  vote,
  elect,
  redux,
  shuffle,
  to_uniform,
  float_add,
  float_multiply,
  float_multiply_add,
  float_pack,
  float_from_integer,
  float_extreme,
  float_exp2,
  float_reciprocal,
  float_tanh,
  integer_from_float,
  // memory
  load_shared,
  store_shared,
  load_global,
  store_global,
  add_global,
  load_tensor,
  store_tensor,
  // the copy engine
  copy_in,
  copy_out,
  copy_add,
  copy_across,
  prefetch_map,
  request_work,
  close_group,
  wait_scoreboard,
  fence,
  // barriers
  barrier_init,
  barrier_invalidate,
  barrier_arrive,
  barrier_test,
  named_barrier,
  cluster_arrive,
  cluster_wait,
  grid_wait,
  grid_launch,
  // the tensor core
  mma,
  commit,
  allocate,
  free_,
  relinquish,
  warpgroup_mma,
  warpgroup_fence,
  warpgroup_wait,
  change_registers,
  // control
  branch,
  exit,
  nothing,
  trap,
  unknown,
};

// A register as two slots: of the named value, and of the hardware register that it is coloured to.
struct Slot {
  isa::File file = isa::File::r;
  bool constant = false;  // RZ, URZ, PT, UPT
  std::int32_t name = -1;
  std::int16_t hardware = -1;  // -1: not coloured
};
// Register `part` of the group that begins at `slot`.
inline Slot part_of(Slot slot, int part) {
  slot.name += part;
  if (slot.hardware >= 0) slot.hardware = static_cast<std::int16_t>(slot.hardware + part);
  return slot;
}

struct Argument {
  sass::Operand::Kind kind = sass::Operand::Kind::reg;
  bool negated = false, absolute = false;
  Slot slot;
  std::optional<Slot> second;
  std::int64_t number = 0;
};

// Modifiers that change what an action does.
enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };
enum class Combine : std::uint8_t { both, either, one };
// What a fence makes visible, and to whom (PTX ISA, membar, fence, fence.proxy).
enum class Fence : std::uint8_t { lanes, gpu, async_shared, async_global, tensor_store, initialised };
enum class Arrival : std::uint8_t { one, counted, expect, expect_only, complete_only, drop };

struct Instruction {
  Action action = Action::unknown;
  std::uint8_t width = 1;  // registers moved
  bool is_signed = false, wide = false, high = false, left = false, wrap = false;
  bool extended = false;  // .X, .EX: with a carry in
  bool pair = false, multicast = false, remote = false, sync = false, may_sleep = false, all = false;
  bool for_writes = false;  // a wait for stores: until they are written, not only read
  bool relaxed = false;     // an access that is strong at the scope of the GPU
  bool cluster = false;     // an arrival that releases to the cluster
  bool strong = false;      // a load that sees what other clusters write
  bool bf16 = false;
  Comparison comparison = Comparison::equal;
  Combine combine = Combine::both;
  Arrival arrival = Arrival::one;
  Fence fence = Fence::lanes;
  std::uint8_t shuffle = 0;                            // 0 index, 1 butterfly, 2 up
  std::uint8_t bytes = 4;                              // of a memory access, a lane
  std::optional<machine::WarpgroupMma> warpgroup_mma;  // its shape
  std::optional<Argument> guard;
  std::vector<Argument> arguments;
  std::uint32_t line = 0;                // in Program::lines
  std::uint32_t target = 0;              // of a branch
  std::uint32_t held = 0, held_end = 0;  // in Code::held
  bool counts_as_not_held = false;
  std::int16_t registers = 0;  // general registers that are live before it, where roles change how many they have
  // In Code::checks; -1: it is held to nothing of the kind.
  std::int32_t reach = -1, value = -1;
};

// An expression with its names resolved to slots.
struct Formula {
  struct Node {
    sass::Expr::Kind kind;
    sass::Fixed fixed{};
    Slot slot;
    bool is_unsigned = false;
    std::int64_t number = 0;
    std::int32_t left = -1, right = -1;
  };
  std::vector<Node> nodes;
  bool varies = false;  // from lane to lane
  bool empty() const { return nodes.empty(); }
};

struct Coordinate {
  Formula from;             // empty: from 0
  std::int64_t extent = 0;  // 0: a picked index
};

struct ViewCode {
  const sass::View* view = nullptr;
  std::vector<Formula> copies;
  std::vector<Coordinate> coordinates;
  std::vector<Formula> at;  // one a pin; empty: the pin's number
  bool varies = false;
};

struct HeldCode {
  const sass::Held* held = nullptr;
  std::vector<ViewCode> views;
  Formula formula;
  int pipe = -1;         // of mask and bytes
  bool of_full = false;  // mask: of the full barriers
};

// What the verdict on a held line depends on, beside the warp and the lanes that execute: registers that its
// expressions name, and those that the instruction reaches by, or has written.
inline constexpr std::size_t kMostInputs = 56;
struct CheckCode {
  struct Input {
    isa::File file;
    std::int32_t slot;
    friend bool operator==(const Input&, const Input&) = default;
  };
  std::vector<Input> inputs;
  bool of_cluster = false;     // the number of the cluster
  bool remembered = true;      // its verdict depends on nothing else
  std::uint32_t operands = 0;  // how many it counts for
};

struct Code {
  std::vector<Instruction> instructions;  // one a line
  std::vector<CheckCode> checks;
  std::vector<HeldCode> held;
  std::vector<std::uint16_t> section_of;  // of each line
  int named_r = 0, named_ur = 0, named_p = 0, named_up = 0;
  std::vector<std::int32_t> first_slot;                      // of each value, in its file's bank
  std::vector<std::optional<sass::IndexRange>> range_of[4];  // by file and slot
  std::vector<machine::TensorMap> maps;
  bool coloured = false;                            // hardware registers are given
  bool waits_for_grid = false;                      // ACQBULK or PREEXIT stand somewhere
  bool polls = false;                               // loads of global memory that see what other clusters write
  bool asks_for_work = false;                       // cluster launch control
  bool computes_in_registers = false;               // Hopper's MMAs
  bool loads_global = false, loads_shared = false;  // by lanes
  bool limits = false;                              // some buffer is valid in part alone
  bool adds = false;                                // the copy engine adds to memory
  bool shares_memory = false;  // a cluster may read what another one writes, or adds to what it has

  // Clusters wait for each other: they run together. The others run one after the other, or apart where memory allows.
  bool runs_together() const { return polls; }
  bool runs_apart() const { return !polls && !shares_memory; }
};

// What an opcode does, where its modifiers do not choose; unknown: the machine lacks it.
Action action_of(std::string_view opcode);

Code decode(const sass::Program& program);

}  // namespace warpcc::checker
