// What a launch of a PTX kernel remembers of the order of accesses (checker/order): what each warp, mbarrier, CTA and
// cluster knows and has done.
//
// A warp's lanes are one agent here, but that a fence by some of them covers those alone: what PTX asks of lanes of one
// warp that have not met (`bar.warp.sync`) is looked at with --strict only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/interp/ptx/code.h"
#include "checker/order/access.h"
#include "checker/order/flat.h"
#include "checker/order/thread.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::checker::ptx {

inline constexpr std::uint32_t kNoLine = order::Edge::kNone;  // a PTX line is no line of a SASS program's `why`
// The footprint of what one queue of the tensor core does in order whatever it reaches: copies into tensor memory.
inline constexpr std::uint32_t kPipelined = ~0u;
// Of an asynchronous write that is of the generic proxy all the same (PTX ISA, st.async, red.async).
inline constexpr std::uint32_t kGeneric = ~1u;

// What one lane does asynchronously: MMAs, in order; stores of the copy engine, by groups.
struct LaneOrder {
  int lane = 0;
  std::uint32_t last_store = kNoLine;  // its line
  order::Agent queue, reads, writes;
  std::uint32_t queue_now = 1;
  std::uint32_t stored = 0;  // groups
  // The tickets of its commits: who has heard of one knows that those before it have been done.
  order::Clock committed;
  order::Clock follows;  // what others have given the tensor core that comes before its work
};

// A load of tensor memory whose registers nobody has touched yet.
struct TensorLoading {
  std::uint32_t time = 0, line = 0;
};

// What a warp has heard of an mbarrier.
struct Waited {
  std::uint64_t times = 0;     // that a wait has passed
  std::int64_t last = -1;      // the phase that it has heard of last; -1: the one before the first
  std::uint32_t in_a_row = 0;  // phases up to that one, none left out
  std::uint32_t made = 0;      // how often the mbarrier had been initialised by then
};

// A register that an MMA computes, or has as A.
struct Computed {
  std::uint32_t group = 0;    // of its warp
  std::uint32_t fences = 0;   // of the warp, before the MMA
  std::uint32_t part = 0;     // which register of an accumulator of which shape; 0: of A
  std::uint32_t touched = 0;  // with --strict: the warp's fences before something else has touched it since; 0: nothing
};

struct WarpOrder {
  WarpOrder(order::Agents& agents, std::uint32_t who) : thread(agents, who) {}

  order::Thread thread;
  int elected = -1;  // the first lane that has done something alone
  llvm::SmallVector<LaneOrder, 1> lanes;
  order::Agent copies, loads, stores;    // cp.async; tcgen05.ld, tcgen05.st
  order::Clock loads_by_map, maps_read;  // the copy engine's, begun; of them, what has been read (order_stores_done)
  std::uint32_t copies_now = 1, loads_now = 1, loads_done = 0, stores_now = 1;
  std::uint32_t copied = 0, waited_for_copies = 0;  // lanes: that have begun such; of these, that have waited since
  std::uint32_t computing_now = 1;                  // groups of wgmma
  llvm::SmallVector<TensorLoading, 4> loading;
  // Loads and stores go through one pipe: by the load's time, which stores are over when it is. Not with --strict.
  llvm::SmallVector<std::pair<std::uint32_t, std::uint32_t>, 2> stores_before;
  // What arrivals have told that it has seen by a relaxed wait, or by one of too narrow a scope: counts from the next
  // fence on.
  std::unique_ptr<order::Knowledge> relaxed;
  // What comes before its work in tensor memory, heard of before a tcgen05.fence: before what it gives the tensor core;
  // and before all.
  order::Clock queued, tensor;
  // What flags have told of other clusters: counts from the next fence of the whole GPU on.
  std::unique_ptr<order::Knowledge> from_others;
  // What a fence of its CTA alone has made known, for flags; and whether there was one for more than its CTA.
  std::unique_ptr<order::Knowledge> fenced;
  bool published = false;
  std::unordered_map<std::uint64_t, std::uint64_t> flags_seen;  // version, by address
  // Of wgmma, by the register: what computes it, and how many groups are known to be done; how often there was a
  // wgmma.fence; and what reads of operands are known by with --strict, where each warp has to wait for itself.
  std::vector<Computed> computed_in;
  std::uint32_t computed = 0;
  std::uint32_t register_fences = 0;
  order::Agent computing;
  std::map<std::pair<int, std::uint32_t>, Waited> waited;  // by the address of an mbarrier
  // Its last wait that passed for a phase which it had heard of before: by line.
  std::uint32_t passed_again = kNoLine;
  std::int64_t passed_for = 0;

  LaneOrder& lane(int number) {
    for (LaneOrder& each : lanes) {
      if (each.lane == number) return each;
    }
    lanes.push_back({});
    lanes.back().lane = number;
    return lanes.back();
  }
};

struct BarrierOrder {
  order::Barrier order;
  std::uint32_t last_signal = ~0u;          // the line that signalled it last from elsewhere
  llvm::SmallVector<order::Epoch, 4> uses;  // the last of each warp
  std::uint32_t made = 0;                   // how often it was initialised
  std::int64_t heard = -1;                  // the last phase since that any warp has waited for
};

struct CtaOrder {
  order::Flat shared, tensor;
  std::map<std::uint32_t, BarrierOrder> barriers;  // by offset
  std::array<order::Barrier, 16> named;
  std::array<order::Agent, 8> warpgroups;  // their MMAs, by groups
  std::array<order::Barrier, 8> met;       // what their warps tell each other at wgmma.fence
  order::Epoch begun;
  order::Clock life;       // what its warps knew when they left
  int left = 0;            // warps that have
  bool gone = false;       // all of them
  order::Epoch allocated;  // its last allocation of tensor memory
  bool allocated_as_pair = false;
};

struct ClusterOrder {
  order::Agents agents;
  // Fences of the whole GPU, where some are of the cluster's scope, and what each has made known: that counts for who
  // knows of the fence. Of the oldest it is not asked who does.
  struct WideFence {
    order::Epoch at;
    order::Clock known;
  };
  std::deque<WideFence> wide;
  order::Clock wide_long_ago;
  std::uint32_t global_agents = 0;
  order::History history;
  order::Barrier barrier, life;  // of the cluster's barrier: what is seen, and what is executed before
  std::uint64_t generation = 0;
  std::uint32_t serial = 0;  // of those begun
  order::Epoch grid_before;
  order::Epoch refused;  // the answer that no work is left
};

// How a flag is written: a store begins anew; what reads and writes at once hands on what was there as well.
enum class FlagWrite : std::uint8_t { none, anew, on_top };

// A word of memory that hands on what has been published before it was written (PTX ISA, release and acquire patterns).
struct Flag {
  struct Of {
    std::uint32_t cluster = 0;
    order::Knowledge published;  // by fences of the cluster, or of the whole GPU
    order::Knowledge wide;       // by those of the whole GPU alone: for other clusters
    order::Knowledge fenced;     // by a fence of the CTA `cta`
    std::uint32_t cta = ~0u;
    std::uint64_t version = 0;  // of the flag, when this was told last
  };
  llvm::SmallVector<Of, 1> from;
  std::uint64_t version = 0;
  // Its last write, and of which scope that was.
  order::Entry last;
  Scope scope = Scope::none;
};

struct LaunchOrder {
  order::History history;
  std::map<std::uint64_t, order::Flat> global;  // by where an allocation begins
  std::uint64_t last_begin = 0;
  order::Flat* last = nullptr;
  std::unordered_map<std::uint64_t, Flag> flags;
  // Tensor maps in global memory that the kernel has changed, by address; and who has fenced the proxy of maps since.
  struct Changed {
    std::uint32_t line = 0;
    std::uint32_t by = 0;          // the warp that has changed it, or has released it
    order::Epoch epoch;            // of the change
    Scope released = Scope::none;  // by which scope's fence it has been told to the proxy
    struct Fence {
      std::uint32_t cta = 0;
      order::Epoch epoch;
    };
    std::vector<Fence> fences;
  };
  std::map<std::uint64_t, Changed> maps;
  std::vector<std::array<std::uint32_t, 3>> begun;  // first CTA of each cluster begun
  order::Conflicts conflicts;                       // of the present access
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, std::uint64_t> told;
};

}  // namespace warpcc::checker::ptx
