// A cluster on the machine: its CTAs and warps, whose turn it is, and the asynchronous work that they have begun.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "checker/interp/ordering.h"
#include "checker/interp/shares.h"
#include "checker/interp/state.h"
#include "checker/machine/copy_engine.h"
#include "checker/machine/scheduler.h"
#include "checker/machine/tensor_core.h"
#include "checker/machine/warpgroup_core.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::checker {

// Asynchronous work, with the line and the warp that began it.
struct Begun {
  std::uint32_t line = 0;
  int warp = 0;          // by number in the cluster
  std::uint64_t at = 0;  // instructions executed by then
};
struct CopyIn : Begun {
  struct Target {
    int cta;
    std::uint32_t shared;
    int barrier_cta;
    std::uint32_t barrier;
    std::uint32_t ticket = 0;  // of the barrier
  };
  int map = 0;
  machine::Coordinates start{};
  llvm::SmallVector<Target, 2> targets;
  // Of a copy from shared memory, which has no map: how much, and from where.
  std::uint32_t bytes = 0, source = 0;
  int source_cta = 0;
};
struct TensorWork : Begun {
  std::optional<machine::TensorCore::Ready> mma;  // none: a commit
  llvm::SmallVector<int, 2> ctas;                 // of the MMA, or where the commit signals
  std::uint32_t barrier = 0;
  // Of a commit: what it hands on, and its tickets, as many as CTAs.
  std::shared_ptr<order::Knowledge> knows;
  llvm::SmallVector<std::uint32_t, 2> tickets;
};
// Of Hopper's tensor core, in a warp's order.
struct WarpgroupWork : Begun {
  std::optional<machine::WarpgroupCore::Ready> mma;  // none: the end of a group
  Slot d, a;                                         // a: where it is in registers
};
struct CopyOut : Begun {
  int map = 0;
  machine::Coordinates start{};
  std::uint32_t shared = 0;
  bool add = false;
  std::size_t group = 0;
  std::uint64_t begun_at = 0;           // the interpreter's progress
  std::vector<std::uint32_t> elements;  // once they have been read, if values are computed
};

// A request for the work of a cluster that has not started (PTX ISA, clusterlaunchcontrol.try_cancel).
struct Request : Begun {
  std::uint32_t answer = 0, barrier = 0;  // offsets in shared memory
  llvm::SmallVector<int, 8> ctas;         // that get the answer
  llvm::SmallVector<std::uint32_t, 8> tickets;
  order::Knowledge knows;
};

struct Launch;

struct Cluster {
  std::int64_t number = 0;  // in the grid
  Launch* launch = nullptr;
  Share share;  // of the work that is handed out, where clusters run apart
  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<Warp> warps;
  order::Agents agents;
  order::Barrier barrier_order, life_order;  // of the cluster's barrier: what is seen, and what is executed before
  order::Epoch grid_before;                  // the end of the grid before
  GlobalOrder global_order;                  // where clusters run apart
  std::uint32_t global_agents = 0;
  std::uint32_t serial = 0;      // of those begun
  std::uint64_t generation = 0;  // of its barrier, as followed
  machine::ClusterBarrier barrier;
  machine::Turns turns;
  machine::Pending<CopyIn, TensorWork, CopyOut> pending;
  std::vector<CopyOut> read;  // stores that have been read and not written yet
  std::deque<Request> requests;
  std::vector<std::deque<WarpgroupWork>> computing;  // by warp
  bool refused = false;                              // a request has found nothing left
  std::vector<std::uint64_t> executed;               // by line
  std::uint64_t instructions = 0;                    // since it began its present work
  std::uint64_t problems = 0;                        // found while it ran
  std::uint64_t idle = 0;                            // turns in which none of its warps came further
  std::uint64_t all_idle = 0;                        // turns in which no cluster's did …
  std::uint64_t seen = 0;                            // … since the interpreter's progress was this
  bool given_up = false;
  bool stored = false;  // something, to a buffer of global memory

  explicit Cluster(std::size_t warp_count) : barrier(static_cast<int>(warp_count)), turns(warp_count) {}

  // When its newest store was begun that has not been written; 0: there is none.
  std::uint64_t newest_store() const {
    std::uint64_t newest = 0;
    for (const auto* stores : {&pending.stores, &read}) {
      for (const CopyOut& store : *stores) newest = std::max(newest, store.begun_at);
    }
    return newest;
  }
  bool exited() const {
    for (const Warp& warp : warps) {
      if (warp.blocked != Blocked::exited) return false;
    }
    return true;
  }
};

}  // namespace warpcc::checker
