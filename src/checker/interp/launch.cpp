// A launch: which clusters are on the machine, who of them goes on, and when they are given up. Clusters that have
// nothing to do with each other run one after the other; others together, as many as the machine holds.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {
namespace {

// The GPU that the checker stands for: a CTA on each SM.
constexpr std::int64_t kMachineCtas = 148;

// Turns without progress, beyond which a program that keeps running is taken to wait: first asynchronous work is let
// go, then it is a program that never ends.
constexpr std::uint64_t kIdleTurns = 64;
constexpr std::uint64_t kEndlessTurns = 1 << 18;
// A cluster with this many problems has nothing left to tell.
constexpr std::uint64_t kMostProblems = 1 << 18;
// How often all that sleep are woken, with nothing changed, before they are taken to sleep for ever: a poll may count.
constexpr int kMostWakes = 256;

// Turns that a cluster takes before the next one, where they run together: so many a warp.
constexpr std::uint64_t kSliceTurns = 4;

}  // namespace

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
std::uint64_t Interpreter::random(std::uint64_t below) {
  std::uint64_t x = random_ += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 31)) % below;
}

void Interpreter::shuffle(std::vector<std::int64_t>& clusters) {
  for (std::size_t i = clusters.size(); i > 1; --i) std::swap(clusters[i - 1], clusters[random(i)]);
}

// Which of the grid's clusters it is.
void Interpreter::place(Cluster& cluster, std::int64_t number) const {
  cluster.number = number;
  std::int64_t across = program_.grid[0] / program_.cluster;
  for (auto& cta : cluster.ctas) {
    cta->index = {number % across * program_.cluster + cta->rank, number / across % program_.grid[1],
                  number / across / program_.grid[1]};
    cta->number = cta->index[0] + program_.grid[0] * (cta->index[1] + program_.grid[1] * cta->index[2]);
  }
}

void Interpreter::start(std::int64_t number) {
  auto size = static_cast<std::size_t>(program_.cluster);
  std::size_t warps = size * static_cast<std::size_t>(warps_per_cta_);
  running_ = resident_.emplace_back(std::make_unique<Cluster>(warps)).get();
  Cluster& cluster = *running_;
  cluster.serial = static_cast<std::uint32_t>(ordering_.begun.size());
  ordering_.begun.push_back(number);
  cluster.agents.global = code_.runs_together() ? &ordering_.global_agents : &cluster.global_agents;
  if (!code_.runs_together()) cluster.global_order = ordering_.fresh_global();
  if (code_.waits_for_grid) cluster.grid_before = {cluster.agents.make(order::AgentKind::collective, false), 1};
  std::uint32_t begin = sass::Program::kSharedStart, end = begin + program_.dynamic_shared;
  for (int rank = 0; rank < program_.cluster; ++rank) {
    auto cta = std::make_unique<Cta>(begin, end, options_.values);
    cta->rank = rank;
    cta->axes = axes_of(program_, rank);
    cta->warps_left = warps_per_cta_;
    for (std::size_t b = 0; b < program_.mbarriers.size(); ++b) {
      const sass::MBarrier& declared = program_.mbarriers[b];
      for (int copy = 0; copy < declared.count; ++copy) {
        std::uint32_t offset = declared.offset + 8 * static_cast<std::uint32_t>(copy);
        if (offset % 8 != 0 || !cta->shared.inside(offset, 8)) continue;
        cta->barrier_at[offset / 8] = static_cast<std::int32_t>(cta->barriers.size());
        BarrierState state;
        state.offset = offset;
        state.declared = static_cast<int>(b);
        state.copy = copy;
        cta->barriers.push_back(std::move(state));
      }
    }
    for (int index = 0; index < warps_per_cta_; ++index) {
      cluster.warps.emplace_back(code_, rank, index, static_cast<int>(cluster.warps.size()),
                                 order::Thread(cluster.agents, order::warp_id(cluster.serial, rank, index)));
      cluster.warps.back().registers = program_.registers;
    }
    cluster.ctas.push_back(std::move(cta));
  }
  place(cluster, number);
  cluster.pending.queues.resize(warps);
  cluster.computing.resize(warps);
  cluster.executed.assign(program_.lines.size(), 0);
  for (std::size_t i = 0; i < warps; ++i) cluster.turns.wake(i);
  ++started_;
}

// A share by itself: its first cluster, then those of its free ones that nobody has asked for.
bool Interpreter::launch(const Shares& shares, std::size_t which) {
  shares_ = &shares;
  share_ = shares.list[which];
  random_ = options_.seed ^ static_cast<std::uint64_t>(share_.first + 1) << 20;
  bool ended = launch_together({share_.first}, 1);
  while (shares.starts_free && share_.next < shares.free.count()) {
    std::int64_t next = shares.free[share_.next];
    share_.next += share_.stride;
    ended = launch_together({next}, 1) && ended;
  }
  shares_ = nullptr;
  return ended;
}

// All of them, who wait for each other.
bool Interpreter::launch(std::vector<std::int64_t> chosen, bool all) {
  all_chosen_ = all;
  chosen_ = chosen;
  next_free_ = started_ = handed_out_ = 0;
  last_free_ = clusters_;
  if (options_.seed != 0) shuffle(chosen);
  return launch_together(chosen, static_cast<std::size_t>(std::max<std::int64_t>(1, kMachineCtas / program_.cluster)));
}

bool Interpreter::launch_together(const std::vector<std::int64_t>& clusters, std::size_t room) {
  to_start_.assign(clusters.begin(), clusters.end());
  resident_.clear();
  polls_.clear();
  std::fill(executed_.begin(), executed_.end(), 0);

  bool ended = true;
  std::uint64_t slept_at = ~std::uint64_t{0};
  int wakes = 0;
  while (true) {
    bool ran = false;
    if (!to_start_.empty() && resident_.size() < room) {  // one a round: starting takes time
      std::int64_t next = to_start_.front();
      to_start_.pop_front();
      start(next);
      ran = true;
    }
    for (std::size_t i = 0; i < resident_.size();) {
      running_ = resident_[i].get();
      stopped_ = false;
      std::uint64_t turns = kEndlessTurns;
      if (code_.polls) {
        turns = kSliceTurns * running_->warps.size();
        if (options_.seed != 0) turns = 1 + random(2 * turns);
      }
      ran = run_slice(turns) || ran;
      if (!stopped_ && !running_->given_up && !running_->exited()) {
        ++i;
        continue;
      }
      // Whoever waits for a cluster that was given up has nothing to tell.
      bool broken = stopped_ || running_->given_up;
      end(i);
      if (broken) ended = false;
      if (broken && code_.polls) return false;
    }
    if (resident_.empty() && to_start_.empty()) return ended;
    if (ran) continue;
    if (run_unwaited()) continue;
    // A wait that gives up after a while, and finds nothing changed when all others have waited too, waits for ever.
    if (slept_at != progress_) {
      slept_at = progress_;
      wakes = 0;
    }
    if (wakes++ < (polls_.empty() ? 1 : kMostWakes) && wake_all()) continue;
    ended = false;
    while (!resident_.empty()) {
      running_ = resident_.front().get();
      stopped_ = false;
      end(0);
    }
    if (code_.polls) return false;
  }
}

// A cluster is over, or hangs.
void Interpreter::end(std::size_t resident) {
  finish_cluster();
  leave_global();
  for (std::size_t line = 0; line < executed_.size(); ++line) executed_[line] += running_->executed[line];
  std::erase_if(polls_, [&](const Poll& poll) { return poll.cluster == running_; });
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(resident));
  running_ = nullptr;
  ++outcome_.clusters_run;
}

// Lets the running cluster go on. Answers whether it did anything.
bool Interpreter::run_slice(std::uint64_t turns) {
  Cluster& cluster = *running_;
  bool ran = false;
  for (; turns > 0 && !stopped_ && !cluster.given_up; --turns) {
    // Who spins, and waits for one that is held back, lets it go.
    bool holds = cluster.idle < kIdleTurns / 2;
    auto held = [&](std::size_t warp) {
      return holds && schedule_.holds(cluster.warps[warp].cta, cluster.warps[warp].index);
    };
    if (std::optional<std::size_t> next = cluster.turns.next(held)) {
      run_on(cluster.warps[*next]);
      if (schedule_.work == machine::Schedule::Work::early) {
        while (!stopped_ && run_asynchronous()) {
        }
      } else if (schedule_.work == machine::Schedule::Work::any && random(2) == 0) {
        run_asynchronous();
      }
    } else if (!run_asynchronous(!code_.polls)) {
      break;
    }
    ran = true;
  }
  return ran;
}

void Interpreter::run_on(Warp& warp) {
  Cluster& cluster = *running_;
  std::uint64_t progress = progress_, problems = outcome_.protocol_problems + outcome_.memory_problems;
  int quantum = machine::Turns::kQuantum;
  if (schedule_.varied) quantum = 1 + static_cast<int>(random(2 * machine::Turns::kQuantum));
  run_turn(warp, quantum);
  cluster.idle = progress_ == progress ? cluster.idle + 1 : 0;
  cluster.all_idle = progress_ == cluster.seen ? cluster.all_idle + 1 : 0;
  cluster.seen = progress_;
  if (cluster.idle % kIdleTurns == kIdleTurns - 1) run_asynchronous();
  cluster.problems += outcome_.protocol_problems + outcome_.memory_problems - problems;
  if (options_.stop && options_.stop->load(std::memory_order_relaxed)) stopped_ = true;
  if (cluster.problems > kMostProblems) {
    outcome_.notes.push_back(fmt::format("cluster {} is given up after {} problems", cluster.number, kMostProblems));
    stopped_ = true;
  } else if (cluster.instructions > static_cast<std::uint64_t>(options_.most_instructions)) {
    // Nobody waits so long. Whether it would end is not known, and what is not known has not been checked.
    report(Finding::Kind::hang,
           fmt::format("cluster {} is given up after {} instructions, and may not end; a smaller problem runs whole",
                       cluster.number, options_.most_instructions));
    cluster.given_up = true;
  } else if (cluster.all_idle > kEndlessTurns) {
    report(Finding::Kind::hang,
           fmt::format("runs for ever: {} turns without a step of any barrier, copy or MMA, here at last {}",
                       cluster.all_idle, where(*warp_)));
    cluster.given_up = true;
  }
}

// No cluster can go on: a store that nobody waits for, the newest of all clusters', since their order is not promised.
bool Interpreter::run_unwaited() {
  Cluster* newest = nullptr;
  std::uint64_t begun_at = 0;
  for (auto& cluster : resident_) {
    std::uint64_t its = cluster->newest_store();
    if (newest && its <= begun_at) continue;
    newest = cluster.get();
    begun_at = its;
  }
  if (newest && begun_at > 0) {
    running_ = newest;
    return run_asynchronous();
  }
  bool ran = false;
  for (auto& cluster : resident_) {
    running_ = cluster.get();
    ran = run_asynchronous() || ran;
  }
  return ran;
}

bool Interpreter::wake_all() {
  bool any = false;
  for (auto& cluster : resident_) {
    for (Warp& warp : cluster->warps) {
      if (warp.blocked != Blocked::mbarrier && warp.blocked != Blocked::poll) continue;
      if (warp.blocked == Blocked::mbarrier) {
        Cta& cta = *cluster->ctas[static_cast<std::size_t>(warp.cta)];
        std::erase(cta.barriers[static_cast<std::size_t>(warp.blocked_barrier)].waiting, warp.number_in_cluster);
      }
      warp.blocked = Blocked::no;
      warp.timed_out = true;
      cluster->turns.wake(static_cast<std::size_t>(warp.number_in_cluster));
      any = true;
    }
  }
  polls_.clear();
  return any;
}

// A cluster that will not run, for one that asks for its work: of the grid those that are not chosen, in order; with
// --clusters all, those that have not started. With a seed from either end: which one is not promised.
std::optional<std::int64_t> Interpreter::hand_out() {
  if (shares_) {
    if (share_.next >= shares_->free.count()) return {};
    std::int64_t next = shares_->free[share_.next];
    share_.next += share_.stride;
    ++handed_out_;
    return next;
  }
  bool from_the_end = options_.seed != 0 && random(2) != 0;
  std::optional<std::int64_t> taken;
  if (all_chosen_) {
    if (to_start_.empty()) return {};
    taken = from_the_end ? to_start_.back() : to_start_.front();
    from_the_end ? to_start_.pop_back() : to_start_.pop_front();
  } else {
    auto chosen = [&](std::int64_t cluster) { return std::binary_search(chosen_.begin(), chosen_.end(), cluster); };
    while (next_free_ < last_free_ && chosen(next_free_)) ++next_free_;
    while (next_free_ < last_free_ && chosen(last_free_ - 1)) --last_free_;
    if (next_free_ >= last_free_) return {};
    taken = from_the_end ? --last_free_ : next_free_++;
  }
  ++handed_out_;
  return taken;
}

}  // namespace warpcc::checker
