// In which order what may happen in any order happens: warps' turns, and asynchronous work.
#include "checker/machine/schedule.h"

#include <algorithm>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

namespace {
constexpr int kTurn = 128;  // instructions
}  // namespace

std::uint64_t Executor::random(std::uint64_t below) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ % below;
}

// A turn of each warp. Those that are held back go on only where nothing else does: no other warp, and no asynchronous
// work of the cluster.
bool Executor::run_cluster(Cluster& cluster) {
  cluster_ = &cluster;
  const std::size_t count = cluster.warps.size(), first = schedule_.varied ? random(count) : 0;
  const bool holds = schedule_.held_warp >= 0 || schedule_.held_cta >= 0;
  for (bool held : {false, true}) {
    if (held && !holds) break;
    bool moved = false;
    for (std::size_t i = 0; i < count; ++i) {
      Warp& warp = *cluster.warps[(first + i) % count];
      if (warp.done() || schedule_.holds(warp.cta, warp.number) != held) continue;
      turn_ = schedule_.varied ? 1 + static_cast<int>(random(kTurn)) : kTurn;
      const std::uint64_t before = progress_;
      run_warp(warp);
      if (stopped_) return true;
      if (progress_ == before) continue;
      moved = true;
      bool now = schedule_.work == machine::Schedule::Work::early;
      if (schedule_.work == machine::Schedule::Work::any) now = random(4) == 0;
      while (now && run_asynchronous(cluster)) now = schedule_.work == machine::Schedule::Work::early;
    }
    if (moved || (holds && !held && run_asynchronous(cluster))) return true;
  }
  return false;
}

bool Executor::run_load(Cluster& cluster) {
  if (cluster.loads.empty()) return false;
  std::size_t which = schedule_.work == machine::Schedule::Work::any ? random(cluster.loads.size()) : 0;
  auto at = cluster.loads.begin() + static_cast<std::ptrdiff_t>(which);
  Load load = std::move(*at);
  cluster.loads.erase(at);
  finish_load(load);
  ++progress_;
  return true;
}

bool Executor::run_store(Cluster& cluster) {
  if (cluster.stores.empty()) return false;
  std::size_t which = schedule_.work == machine::Schedule::Work::any ? random(cluster.stores.size()) : 0;
  auto at = cluster.stores.begin() + static_cast<std::ptrdiff_t>(which);
  Store store = *at;
  cluster.stores.erase(at);
  write_store(store);
  return true;
}

// One piece of work that the cluster has begun. Loads come first: they overwrite what an MMA may still have to read.
bool Executor::run_asynchronous(Cluster& cluster) {
  cluster_ = &cluster;
  const std::uint64_t first = schedule_.work == machine::Schedule::Work::any ? random(3) : 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    switch ((first + i) % 3) {
      case 0:
        if (run_load(cluster)) return true;
        break;
      case 1:
        if (run_tensor(cluster)) return true;
        break;
      default:
        if (run_store(cluster)) return true;
        break;
    }
  }
  return false;
}

void Executor::run() {
  const std::uint64_t peers = std::uint64_t{launch_.cluster[0]} * launch_.cluster[1] * launch_.cluster[2];
  const std::uint64_t most =
      launch_.cooperative ? clusters_ : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sms_) / peers);
  std::uint64_t idle = 0;
  while (!stopped_) {
    while (resident_.size() < most && next_cluster_ < clusters_) start(next_cluster_++);
    if (resident_.empty()) break;
    bool moved = false;
    for (const auto& cluster : resident_) {
      // A cluster runs by itself as far as it comes: few need others, and memory stays near.
      const std::uint64_t turns = schedule_.varied ? 1 + random(64) : 64;
      for (std::uint64_t i = 0; i < turns && !stopped_; ++i) {
        bool here = run_cluster(*cluster);
        if (!here) here = run_asynchronous(*cluster);
        moved = moved || here;
        if (!here) break;
      }
    }
    for (std::size_t i = 0; i < resident_.size();) {
      Cluster& cluster = *resident_[i];
      bool done =
          std::all_of(cluster.warps.begin(), cluster.warps.end(), [](const auto& warp) { return warp->done(); });
      if (done) {
        finish(cluster);
        ++outcome_.clusters_run;
        resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
      } else {
        ++i;
      }
    }
    if (moved) {
      idle = 0;
      patient_ = true;
      watching_ = false;
      continue;
    }
    // Nothing moves: tests that sleep answer `false` now, in case that somebody does something else then.
    patient_ = false;
    watching_ = ++idle > 64;
    if (watching_ && all_wait()) {
      report_hang();
      return;
    }
  }
}

}  // namespace warpcc::checker::ptx
