// What a grid on the machine is made of: clusters, CTAs, warps whose lanes may part.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "checker/device.h"
#include "checker/interp/ptx/code.h"
#include "checker/interp/ptx/order.h"
#include "checker/machine/mbarrier.h"
#include "checker/machine/shared_memory.h"
#include "checker/machine/tensor_core.h"
#include "checker/machine/tensor_memory.h"
#include "checker/machine/warpgroup_core.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::checker::ptx {

enum class Blocked : std::uint8_t {
  no,
  gather,    // for the warp's other lanes to come to the same instruction
  mbarrier,  // a test that may be repeated
  named_barrier,
  cluster_barrier,
  stores,     // of the copy engine
  wgmma,      // for the warpgroup's other warps
  registers,  // that others have to give back
  pair,       // for its other CTA to allocate
};

// Lanes of a warp that are together.
struct Group {
  std::uint32_t pc = 0, mask = 0;
  Blocked blocked = Blocked::no;
  bool arrived = false;                      // at the barrier that it is blocked on
  std::uint32_t offset = 0, parity = 0;      // of the mbarrier that it has tested last
  std::uint64_t tested = ~std::uint64_t{0};  // … and failed, with the count of what has moved
  int cta = 0;
  std::uint32_t refused = ~0u;  // the line of the try_wait that has answered no, though it may sleep
};

// A store of the copy engine: read from shared memory, then written.
struct Store {
  std::uint32_t line = 0;
  int cta = 0;
  const TensorMapFields* map = nullptr;  // null: `bytes` bytes to `address`
  std::uint64_t map_at = 0;              // where the map lies
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  BoxStart start;
  std::uint32_t shared = 0;
  bool read = false;
  int operation = -1;  // of a reduction, on elements of `type`; -1: a copy
  Num type = Num::b32;
  std::uint64_t group = 0;  // of its thread
  int warp = 0, lane = 0;
};

// Groups of stores of a thread.
struct BulkGroups {
  std::uint64_t open = 0;  // number of the group that is not closed yet
};

// An MMA of a warpgroup, as one of its warps gives it.
struct WarpgroupStep {
  std::uint32_t line = 0;
  std::uint64_t a = 0, b = 0;
  bool adds = false;
  int warp = 0;
};

// A warp's share of MMAs of its warpgroup; an end of a group has no MMA.
struct WarpgroupWork {
  std::optional<machine::WarpgroupCore::Ready> mma;
  std::uint32_t line = 0;
};

struct Warp {
  int number = 0;  // in the CTA
  int cta = 0;     // in the cluster
  std::uint32_t live = 0;
  llvm::SmallVector<Group, 2> groups;  // by pc
  std::vector<std::uint64_t> registers;
  std::vector<std::uint8_t> frame;  // [lane][byte]
  std::array<BulkGroups, kLanes> bulk;
  std::deque<WarpgroupWork> computing;
  int closed = 0;           // groups of wgmma not done
  std::size_t begun = 0;    // MMAs since the last of these
  int registers_held = 0;   // a thread: setmaxnreg
  std::size_t budgets = 0;  // how many of these it has executed
  std::uint64_t instructions = 0;
  std::uint32_t carry = 0;  // CC.CF of each lane
  // Groups of lanes, the lowest first, that have asked memory or a barrier for a turn and moved nothing.
  std::size_t passed_over = 0;
  bool asked = false;  // in this turn: a strong load, an atomic that has changed nothing, a test that has failed
  // Of each function: the lanes that are in it, and where they go on when they leave it.
  struct Call {
    std::uint32_t inside = 0;
    std::array<std::uint32_t, kLanes> back{};
  };
  std::vector<Call> calls;

  // What it looked like at a turn in which nothing moved.
  struct Watch {
    std::uint64_t since = 0, turns = 0;  // the count of what has moved
    bool circles = false;
    std::vector<std::uint32_t> places;
    std::vector<std::uint64_t> registers;
    std::vector<std::uint8_t> frame;
  };
  Watch watch;
  std::unique_ptr<WarpOrder> order;
  // What each collector buffer of the tensor core has been filled with by this warp's MMAs: A, four of B.
  struct Collected {
    std::uint64_t operand = 0;
    std::uint32_t line = 0;
  };
  std::array<std::optional<Collected>, 5> collected;

  bool done() const { return groups.empty(); }
};

struct Load {
  std::uint32_t line = 0;
  int operation = -1;  // of a bulk reduction into shared memory, as of stores
  Num type = Num::b32;
  const TensorMapFields* map = nullptr;  // null: `bytes` bytes from `address`
  std::uint64_t map_at = 0;              // where the map lies
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  BoxStart start;
  struct Target {
    int cta;
    std::uint32_t shared;
    int barrier_cta;
    std::uint32_t barrier;
    std::uint32_t ticket = 0;  // of the barrier, for the order of accesses
  };
  llvm::SmallVector<Target, 2> targets;
};

struct TensorWork {
  std::uint32_t line = 0;
  // None: a commit.
  std::optional<machine::TensorCore::Ready> mma;
  std::optional<machine::TensorCore::ReadyCopy> copy;
  std::optional<machine::TensorCore::Shift> shift;
  llvm::SmallVector<int, 2> ctas;  // of the MMA, or those that a commit signals
  std::uint32_t barrier = 0;
  // Of a commit: what it hands on, and its tickets, as many as CTAs.
  std::shared_ptr<order::Knowledge> knows;
  llvm::SmallVector<std::uint32_t, 2> tickets;
  bool fenced = false;  // it comes before what others begin from now on
};

struct Cta {
  std::uint32_t rank = 0;  // in the cluster
  std::array<std::uint32_t, 3> id{};
  machine::SharedMemory shared;
  machine::TensorMemory tensor{true};
  std::vector<std::int64_t> allocations;  // of tensor memory, in columns
  std::map<std::uint32_t, machine::MBarrier> barriers;
  // By barrier: the lines that have signalled it, and how often.
  std::map<std::uint32_t, llvm::SmallVector<std::pair<std::uint32_t, std::uint64_t>, 4>> signals;
  std::map<std::uint32_t, std::uint32_t> announced;  // by barrier: the line that told it last to expect bytes
  std::array<machine::NamedBarrier, 16> named;
  std::array<bool, 16> of_all{};  // the phase that is open waits for all threads that have not exited
  int spare_registers = 0;        // given back by setmaxnreg.dec
  // What the first warp of each warpgroup to come has asked for by one setmaxnreg after the other, and who that was.
  struct Budget {
    int registers = 0, warp = 0;
  };
  std::array<std::vector<Budget>, 16> budgets;
  // What named barriers count beside threads: of the phase that is open, and of the last that completed.
  struct Reduction {
    std::uint32_t count = 0;
    bool all = true;
  };
  std::array<Reduction, 16> reducing, reduced;
  std::array<std::optional<bool>, 16> reduces;  // whether who has come to the open phase has done so by barrier.red
  std::array<int, 8> met{}, committing{};       // warps of each warpgroup that have come to its fence, to its commit
  std::array<std::vector<WarpgroupStep>, 8> steps;  // its MMAs since the last commit, by the first warp to come
  CtaOrder order;

  Cta(std::uint32_t begin, std::uint32_t end) : shared(begin, end) {}
};

struct Cluster {
  std::uint64_t number = 0;
  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<std::unique_ptr<Warp>> warps;
  machine::ClusterBarrier barrier;
  std::deque<Load> loads;
  std::map<std::pair<int, int>, std::deque<TensorWork>> tensor;  // by CTA and warp that issues
  std::vector<Store> stores;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> requests;
  std::uint32_t peers = 1;
  std::unique_ptr<ClusterOrder> order;

  explicit Cluster(std::size_t warps) : barrier(static_cast<int>(warps)) {}
};

}  // namespace warpcc::checker::ptx
