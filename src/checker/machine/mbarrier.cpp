#include "checker/machine/mbarrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpcc::machine {

void MBarrier::init(std::int64_t arrivals, const std::string& what, Faults& faults) {
  if (live_) faults.protocol(fmt::format("{} is initialised a second time", what));
  if (arrivals < 1 || arrivals > kMostArrivals) {
    faults.protocol(
        fmt::format("{} is initialised to {} arrivals; a barrier counts 1 to {}", what, arrivals, kMostArrivals));
    arrivals = std::clamp<std::int64_t>(arrivals, 1, kMostArrivals);
  }
  live_ = true;
  phase_ = 0;
  expected_ = pending_ = arrivals;
  bytes_ = landed_ = 0;
}

void MBarrier::invalidate(const std::string& what, Faults& faults) {
  if (!live_) faults.protocol(fmt::format("{} is invalidated and was never initialised", what));
  live_ = false;
}

bool MBarrier::usable(const std::string& what, const char* how, Faults& faults) {
  if (!live_) faults.protocol(fmt::format("{} {}, which nothing has initialised", how, what));
  return live_;
}

bool MBarrier::turn() {
  if (pending_ != 0 || bytes_ != 0) return false;
  ++phase_;
  pending_ = expected_;
  landed_ = 0;
  return true;
}

bool MBarrier::arrive(std::int64_t count, const std::string& what, Faults& faults) {
  if (!usable(what, "arrives at", faults)) return false;
  if (count > pending_) {
    faults.protocol(
        fmt::format("{} gets more arrivals than the {} it counts on in a phase: phase {}, {} to come, {} more bytes",
                    what, expected_, phase_, pending_, bytes_));
    count = pending_;
  }
  pending_ -= count;
  return turn();
}

bool MBarrier::expect(std::int64_t bytes, const std::string& what, Faults& faults) {
  if (!usable(what, "expects bytes at", faults)) return false;
  if (bytes < 0 || bytes > kMostBytes || bytes_ + bytes > kMostBytes) {
    faults.protocol(fmt::format("{} is told to expect {} bytes, {} in all; a phase counts {} at most", what, bytes,
                                bytes_ + bytes, kMostBytes));
    return false;
  }
  if (pending_ == 0) {
    faults.protocol(fmt::format("{} is told to expect {} bytes in a phase that all arrivals have closed", what, bytes));
  }
  bytes_ += bytes;
  return turn();
}

bool MBarrier::land(std::int64_t bytes, const std::string& what, Faults& faults) {
  if (!usable(what, "bytes land on", faults)) return false;
  if (bytes_ - bytes < -kMostBytes) {
    faults.protocol(
        fmt::format("{} gets {} bytes that nobody expects: more than a phase counts", what, bytes - bytes_));
    return false;
  }
  bytes_ -= bytes;
  landed_ += bytes;
  return turn();
}

bool MBarrier::drop(std::int64_t count, const std::string& what, Faults& faults) {
  if (!usable(what, "drops out of", faults)) return false;
  expected_ -= std::min(count, expected_);
  return arrive(count, what, faults);
}

bool NamedBarrier::arrive(int warp, int threads, bool sync, const std::string& what, Faults& faults,
                          std::vector<int>& waiting) {
  if (threads <= 0 || threads % 32 != 0) {
    faults.named_barrier(fmt::format("{} is given {} threads, which is no number of whole warps", what, threads));
    threads = 32;
  }
  if (arrived_.empty()) {
    threads_ = threads;
  } else if (threads_ != threads) {
    faults.named_barrier(fmt::format("{} is waited for with {} threads, and with {} by those that came before", what,
                                     threads, threads_));
  }
  if (std::find(arrived_.begin(), arrived_.end(), warp) != arrived_.end()) {
    faults.named_barrier(fmt::format("{}: warp {} arrives a second time before the others have come", what, warp));
  }
  arrived_.push_back(warp);
  if (sync) waiting_.push_back(warp);
  return complete(waiting);
}

bool NamedBarrier::shrink(int threads, std::vector<int>& waiting) {
  if (!open()) return false;
  threads_ = threads;
  return complete(waiting);
}

bool NamedBarrier::complete(std::vector<int>& waiting) {
  if (arrived() < threads_) return false;
  waiting = std::exchange(waiting_, {});
  arrived_.clear();
  return true;
}

void ClusterBarrier::arrive(int warp, Faults& faults) {
  auto at = static_cast<std::size_t>(warp);
  if (arrived_[at]) faults.protocol("arrives at the cluster's barrier a second time before it has waited for it");
  arrived_[at] = true;
  complete_if_all();
}

void ClusterBarrier::exit(int warp) {
  exited_[static_cast<std::size_t>(warp)] = true;
  complete_if_all();
}

int ClusterBarrier::missing() const {
  int count = 0;
  for (std::size_t i = 0; i < arrived_.size(); ++i) count += !arrived_[i] && !exited_[i];
  return count;
}

void ClusterBarrier::complete_if_all() {
  if (missing() > 0) return;
  arrived_.assign(arrived_.size(), false);
  ++generation_;
}

}  // namespace warpcc::machine
