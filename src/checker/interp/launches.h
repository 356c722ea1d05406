// A launch of the kernel: which of its clusters have yet to start, who may have the others, and what it has done to
// global memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "checker/interp/ordering.h"
#include "checker/interp/shares.h"

namespace warpcc::checker {

struct Launch {
  explicit Launch(int its_number, const Ordering& ordering)
      : number(its_number),
        accesses(ordering.fresh_global()),
        early_reads(ordering.fresh_global()),
        early_writes(ordering.fresh_global()) {}

  int number = 0;
  struct Start {
    std::int64_t cluster = 0;
    Share share;
  };
  std::deque<Start> to_start;
  std::int64_t next_free = 0, last_free = 0;  // of the clusters that are not chosen: those not handed out yet
  std::int64_t started = 0, handed_out = 0;
  bool ended = false;   // all that it has done is in memory
  bool broken = false;  // a cluster of it hangs, or was given up

  GlobalOrder accesses;                   // of clusters that run together, or have ended
  GlobalOrder early_reads, early_writes;  // of those that had not waited for the launch before
  std::map<std::pair<std::size_t, std::int64_t>, order::Knowledge> flags;  // by buffer and element: what it releases
  // What a flag was before its first write in this launch, and by whom that was; and when which warp has loaded it.
  struct OldFlag {
    std::uint32_t value = 0, by = 0;
    order::Epoch written;
    std::map<std::uint32_t, std::uint64_t> loaded;
  };
  std::map<std::pair<std::size_t, std::int64_t>, OldFlag> old_flags;
};

// What each launch of several runs: clusters `chosen`, which are the whole grid if `all`; where none waits for another
// one, as they are shared out.
struct LaunchPlan {
  std::vector<std::int64_t> chosen;
  bool all = false;
  Shares shares;
};

}  // namespace warpcc::checker
