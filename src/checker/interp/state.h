// What a cluster that runs consists of: warps with their registers, CTAs with their memories and barriers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/interp/code.h"
#include "checker/interp/effects.h"
#include "checker/machine/mbarrier.h"
#include "checker/machine/shared_memory.h"
#include "checker/machine/tensor_memory.h"
#include "checker/order/memory.h"
#include "checker/order/thread.h"

namespace warpcc::checker {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffff;

// One bank of a warp's registers: general ones as [register][lane], uniform ones a value each, predicates as masks of
// lanes (a uniform predicate is 0 or all lanes).
struct Bank {
  std::vector<std::uint32_t> r, ur, p, up;

  Bank(int r_count, int ur_count, int p_count, int up_count)
      : r(static_cast<std::size_t>(r_count) * kLanes, 0),
        ur(static_cast<std::size_t>(ur_count), 0),
        p(static_cast<std::size_t>(p_count), 0),
        up(static_cast<std::size_t>(up_count), 0) {}

  std::uint32_t* lanes(int slot) { return &r[static_cast<std::size_t>(slot) * kLanes]; }
  const std::uint32_t* lanes(int slot) const { return &r[static_cast<std::size_t>(slot) * kLanes]; }
};

enum class Blocked : std::uint8_t {
  no,
  mbarrier,
  named_barrier,
  cluster_barrier,
  groups,
  mma_groups,
  registers,
  allocation,
  grid,
  poll,
  exited
};

// What a warp knows of its warpgroup's MMAs.
struct Computing {
  std::vector<std::uint16_t> writers;   // by named general slot: MMAs under way that compute it
  std::vector<std::uint16_t> readers;   // … and those that have it as A
  std::vector<std::uint32_t> computed;  // … fences, and one, before one was last begun that computes it
  // By named general slot, of the MMA that computed it last: which accumulator it is a part of, and the MMA's group.
  struct Part {
    std::uint32_t accumulator = 0;
    std::size_t group = 0;
  };
  std::vector<Part> parts;
  std::size_t waited = 0;                 // groups that the warp has waited for
  std::vector<std::uint32_t> multiplied;  // … or has it as A
  std::vector<std::uint32_t> touched;     // … fences, and one, before its last access by anything else
  std::uint32_t fences = 0;
  std::size_t closed = 0, done = 0,
              needed = 0;  // groups: begun in full, complete, and how many a blocked warp waits for
  std::size_t steps = 0;   // taken with the other warps
  bool told = false;       // of a register that was touched too early
};

// A step that the warps of a warpgroup take together.
struct WarpgroupStep {
  std::uint32_t line = 0;
  std::uint64_t a = 0, b = 0;
  bool accumulate = false;
  friend bool operator==(const WarpgroupStep&, const WarpgroupStep&) = default;
};

struct Warp {
  static constexpr int kHardware = 256 + 128;  // of a file, with room for a group at the end

  Warp(const Code& code, int cta_in_cluster, int index_in_cta, int number, order::Thread ordered)
      : cta(cta_in_cluster),
        index(index_in_cta),
        number_in_cluster(number),
        named(code.named_r, code.named_ur, code.named_p, code.named_up),
        hardware(code.coloured ? kHardware : 0, code.coloured ? kHardware : 0, code.coloured ? kHardware : 0,
                 code.coloured ? kHardware : 0),
        order(std::move(ordered)),
        groups(1) {
    for (int file = 0; file < 4; ++file) written[file].assign(code.range_of[file].size(), 0);
    contents.assign(static_cast<std::size_t>(code.named_r), 0);
    if (code.coloured) holds.assign(kHardware, -1);
    if (code.computes_in_registers) {
      computing.writers.assign(static_cast<std::size_t>(code.named_r), 0);
      computing.readers.assign(static_cast<std::size_t>(code.named_r), 0);
      computing.computed.assign(static_cast<std::size_t>(code.named_r), 0);
      computing.parts.assign(static_cast<std::size_t>(code.named_r), {});
      computing.multiplied.assign(static_cast<std::size_t>(code.named_r), 0);
      computing.touched.assign(static_cast<std::size_t>(code.named_r), 0);
    }
  }

  int cta, index, number_in_cluster;
  // A general register has been written in lanes of `mask`, by name and as hardware register.
  void wrote(Slot slot, std::uint32_t mask) {
    contents[static_cast<std::size_t>(slot.name)] = 0;
    if (slot.hardware < 0) return;
    std::int32_t& held = holds[static_cast<std::size_t>(slot.hardware)];
    if (held != slot.name) held = mask == kAllLanes ? slot.name : -1;
  }

  std::uint32_t pc = 0;
  std::uint32_t section = ~0u;            // whose lines reached something last
  Bank named;                             // the program by name
  Bank hardware;                          // the program as coloured
  std::vector<std::uint32_t> written[4];  // by file and named slot: the lanes that have been written
  std::vector<std::uint32_t> contents;    // by general slot: a number for what its lanes hold; 0: not known
  // By hardware general register: the slot that it holds in all lanes, as both were written together; -1: not known.
  std::vector<std::int32_t> holds;
  order::Thread order;

  Blocked blocked = Blocked::no;
  int blocked_barrier = -1;  // mbarrier: in its CTA's list; named barrier: its id
  int blocked_parity = 0;
  std::uint32_t blocked_line = 0;
  bool cluster_arrived = false;

  std::uint32_t failed_at = ~0u;  // the test of a barrier that said false last: where it says so again, the warp sleeps
  bool timed_out = false;         // woken from such a sleep without cause

  // A load of global memory that is done again and again: what it read last. The second time that nothing has changed,
  // the warp sleeps until something is written there.
  std::uint32_t poll_line = ~0u;
  std::uint64_t poll_seen = 0;
  std::size_t poll_buffer = 0;
  std::int64_t poll_element = 0;
  std::uint32_t poll_value = 0;

  // Of the copy engine's stores, oldest first: how many are yet to be read, and to be written; the last is open.
  struct Group {
    int to_read = 0, to_write = 0;
  };
  std::vector<Group> groups;
  std::size_t groups_read = 0, groups_written = 0;  // the first so many are
  std::size_t groups_needed = 0;                    // blocked: until that many are
  bool needs_writes = false;                        // … written, not only read

  bool groups_suffice() {
    while (groups_read + 1 < groups.size() && groups[groups_read].to_read == 0) ++groups_read;
    while (groups_written < groups_read && groups[groups_written].to_write == 0) ++groups_written;
    return (needs_writes ? groups_written : groups_read) >= groups_needed;
  }

  // The last wait that passed for a phase that this warp had waited for before.
  struct Repeat {
    std::uint32_t line = ~0u;
    int barrier = -1;
    std::int64_t phase = 0;
  };
  Repeat repeated;
  std::uint64_t waits_since = 0;  // instructions executed by then; 0: it does not wait

  Effects effects;
  std::uint32_t last_store = ~0u;  // the line that has the copy engine store last
  bool tensor_load_pending = false;
  std::vector<std::int32_t> loading;  // named slots that tensor loads fill, until they have been waited for

  Computing computing;
  std::optional<int> registers;  // a thread has, where the program says so; in steps of 8
  int registers_wanted = 0;      // blocked: until the CTA has them
  bool told_too_few = false;

  std::vector<std::int64_t>
      awaited;  // by mbarrier of the CTA: the last phase that this warp has seen complete; -2: none
};

struct BarrierState {
  machine::MBarrier barrier;
  std::uint32_t offset = 0;
  int declared = -1;  // in Program::mbarriers
  int copy = 0;
  std::vector<int> waiting;       // warps, by number in the cluster
  std::uint32_t last_line = ~0u;  // of its last arrival or bytes, and whose it was
  int last_warp = 0;
  // Of its last phase: when it was completed, by which track of which CTA.
  std::uint64_t completed_at = 0;
  std::int64_t completed_cta = 0;
  std::int32_t completed_track = 0;
  // Of its last phase: whether bytes completed it, by which line last, and whether anybody has waited for it.
  std::uint32_t filled_by = ~0u;
  bool heard = false;
  bool filling = false;  // bytes have come in the present phase, by this line last
  std::uint32_t last_bytes = ~0u;
  order::Barrier order;
  std::uint32_t last_signal = ~0u;  // the line that signalled it last from elsewhere
};

struct Cta {
  Cta(std::uint32_t begin, std::uint32_t end, bool values)
      : shared(begin, end), tensor(values), barrier_at(end / 8 + 1, -1) {}

  int rank = 0;
  std::int64_t number = 0;              // in the grid
  std::int64_t traced = 0;              // among all of the timeline
  std::array<std::int64_t, 3> index{};  // ctaid
  std::vector<std::int64_t> axes;       // its place along each axis of the cluster
  machine::SharedMemory shared;
  machine::TensorMemory tensor;
  std::vector<BarrierState> barriers;
  std::vector<std::int32_t> barrier_at;  // by offset / 8
  std::array<machine::NamedBarrier, 16> named;
  std::array<order::Barrier, 16> named_order;
  struct Arrival {
    std::uint32_t line = 0;
    int warp = 0;
  };
  std::array<Arrival, 16> named_by{};  // the last arrival at each
  std::array<bool, 16> of_all{};       // the phase that is open waits for all warps that have not exited
  order::Memory shared_order, tensor_order;
  order::Epoch allocated;  // its last allocation of tensor memory
  bool allocated_as_pair = false;
  order::Epoch begun;             // known to its warps from the beginning
  order::Clock life;              // what its warps knew when they left
  std::int64_t tensor_base = -1;  // what the last allocation gave
  int warps_left = 0;
  bool lets_next_start = false;                // PREEXIT
  std::map<std::uint64_t, bool> from_nothing;  // accumulators: whether their products were of nothing valid
  std::array<std::vector<WarpgroupStep>, 8> warpgroups;
  std::int64_t free_registers = 0;  // that its warps have given back, a lane

  // The pair's allocation: what this CTA has asked for, and who waits.
  std::optional<std::int64_t> asked_columns;
  int asking_warp = -1;
  std::uint32_t asked_word = 0;

  bool exited() const { return warps_left == 0; }
};

}  // namespace warpcc::checker
