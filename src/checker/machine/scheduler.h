// Who runs next. Warps take turns of a few instructions; asynchronous work waits, under the usual schedule, until no
// warp can go on: as late as its ordering allows (schedule.h has the others).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpcc::machine {

// The warps that can run, in turns.
class Turns {
 public:
  static constexpr int kQuantum = 32;  // instructions

  explicit Turns(std::size_t warps) : queued_(warps, false) {}

  void wake(std::size_t warp) {
    if (queued_[warp]) return;
    queued_[warp] = true;
    queue_.push_back(warp);
  }
  // The next, of those that are not held back where there are such.
  template <typename Held>
  std::optional<std::size_t> next(Held held) {
    if (queue_.empty()) return {};
    auto found = std::find_if(queue_.begin(), queue_.end(), [&](std::size_t warp) { return !held(warp); });
    if (found == queue_.end()) found = queue_.begin();
    std::size_t warp = *found;
    queue_.erase(found);
    queued_[warp] = false;
    return warp;
  }

 private:
  std::deque<std::size_t> queue_;
  std::vector<bool> queued_;
};

// Asynchronous work under way, by kind: loads finish first (they overwrite what an MMA may still have to read), then
// the tensor core's queues up to their next commit, then stores, the newest first (their order is not promised).
// `Load`, `Queued`, `Store` are the owner's records.
template <typename Load, typename Queued, typename Store>
struct Pending {
  std::deque<Load> loads;
  std::vector<std::deque<Queued>> queues;  // one an issuer
  std::vector<Store> stores;

  bool empty() const {
    for (const auto& queue : queues) {
      if (!queue.empty()) return false;
    }
    return loads.empty() && stores.empty();
  }
};

}  // namespace warpcc::machine
