// A launch: which clusters are on the machine, who of them goes on, and when they are given up. Clusters that have
// nothing to do with each other run one after the other; others together, as many as the machine holds.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {
namespace {

// Turns without progress, beyond which a program that keeps running is taken to wait: first asynchronous work is let
// go, then it is a program that never ends.
constexpr std::uint64_t kIdleTurns = 64;
constexpr std::uint64_t kEndlessTurns = 1 << 18;
// A cluster with this many problems has nothing left to tell.
constexpr std::uint64_t kMostProblems = 1 << 18;
// How often the clusters of a launch that has begun early go on before those of the one before do.
constexpr int kMostAhead = 256;
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
    cta->traced = cta->number + cluster.launch->number * clusters_ * program_.cluster;
  }
}

void Interpreter::start(Launch& launch, Launch::Start which) {
  auto size = static_cast<std::size_t>(program_.cluster);
  std::size_t warps = size * static_cast<std::size_t>(warps_per_cta_);
  running_ = resident_.emplace_back(std::make_unique<Cluster>(warps)).get();
  Cluster& cluster = *running_;
  cluster.serial = static_cast<std::uint32_t>(ordering_.begun.size());
  cluster.launch = &launch;
  cluster.share = which.share;
  ordering_.begun.push_back({which.cluster, launch.number});
  cluster.agents.global = code_.runs_together() ? &ordering_.global_agents : &cluster.global_agents;
  if (!code_.runs_together()) cluster.global_order = ordering_.fresh_global();
  if (code_.waits_for_grid) cluster.grid_before = {cluster.agents.make(order::AgentKind::collective, false), 1};
  std::uint32_t begin = sass::Program::kSharedStart, end = begin + program_.dynamic_shared;
  for (int rank = 0; rank < program_.cluster; ++rank) {
    auto cta = std::make_unique<Cta>(begin, end, options_.values);
    cta->rank = rank;
    cta->axes = axes_of(program_, rank);
    cta->warps_left = warps_per_cta_;
    cta->begun = {cluster.agents.make(order::AgentKind::collective, false), 1};
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
      if (program_.registers) cluster.warps.back().registers = isa::registers_allocated(*program_.registers);
      cluster.warps.back().order.learn_published(cta->begun);
    }
    cluster.ctas.push_back(std::move(cta));
  }
  place(cluster, which.cluster);
  cluster.pending.queues.resize(warps);
  cluster.computing.resize(warps);
  cluster.executed.assign(program_.lines.size(), 0);
  for (std::size_t i = 0; i < warps; ++i) cluster.turns.wake(i);
  ++launch.started;
}

// A share by itself: its first cluster, then those of its free ones that nobody has asked for.
bool Interpreter::launch(const Shares& shares, std::size_t which) {
  shares_ = &shares;
  Share share = shares.list[which];
  random_ = options_.seed ^ static_cast<std::uint64_t>(share.first + 1) << 20;
  launches_.back()->to_start.push_back({share.first, share});
  bool ended = run_clusters(1);
  shares_ = nullptr;
  return ended;
}

// All of them, who wait for each other.
bool Interpreter::launch(std::vector<std::int64_t> chosen, bool all) {
  all_chosen_ = all;
  chosen_ = std::move(chosen);
  fill(*launches_.back());
  return run_clusters(static_cast<std::size_t>(room_for(program_.cluster)));
}

// What it is to run.
void Interpreter::fill(Launch& launch) {
  if (shares_) {
    for (const Share& share : shares_->list) launch.to_start.push_back({share.first, share});
    return;
  }
  std::vector<std::int64_t> order = chosen_;
  if (options_.seed != 0) shuffle(order);
  for (std::int64_t cluster : order) launch.to_start.push_back({cluster, {}});
  launch.last_free = clusters_;
}

bool Interpreter::run_clusters(std::size_t room) {
  resident_.clear();
  polls_.clear();
  std::fill(executed_.begin(), executed_.end(), 0);

  launches_.back()->broken = false;
  std::uint64_t slept_at = ~std::uint64_t{0};
  int wakes = 0, ahead = 0;
  auto broken = [&] {
    return std::any_of(launches_.begin(), launches_.end(), [](auto& each) { return each->broken; });
  };
  while (true) {
    bool ran = begin_overlapping();
    ran = start_next(room) || ran;
    // Against the program: the newest launch goes on as long as it can, then the one before.
    bool newest_first = overlapping_ && schedule_.next_grid == machine::Schedule::NextGrid::early;
    bool went_on = newest_first && ahead++ < kMostAhead && run_round(launches_.back().get());
    if (!went_on) {
      ahead = 0;
      went_on = run_round(nullptr);
    }
    ran = went_on || ran;
    if (broken() && (code_.polls || overlapping_)) return false;
    ran = end_launches() || ran;
    if (resident_.empty() && launches_.back()->to_start.empty() && launches_left_ == 0) return !broken();
    if (ran) continue;
    if (run_unwaited()) continue;
    // A wait that gives up after a while, and finds nothing changed when all others have waited too, waits for ever.
    if (slept_at != progress_) {
      slept_at = progress_;
      wakes = 0;
    }
    if (wakes++ < (polls_.empty() ? 1 : kMostWakes) && wake_all()) continue;
    give_up_oldest();
    if (code_.polls || overlapping_) return false;
  }
}

// One a round: starting takes time. A CTA that has exited leaves its place to others.
bool Interpreter::start_next(std::size_t room) {
  auto there = std::count_if(resident_.begin(), resident_.end(), [](const auto& each) { return !each->exited(); });
  if (static_cast<std::size_t>(there) >= room) return false;
  for (auto& launch : launches_) {
    if (launch->to_start.empty()) continue;
    Launch::Start next = launch->to_start.front();
    launch->to_start.pop_front();
    start(*launch, next);
    return true;
  }
  return false;
}

// Lets all clusters go on, or those of one launch. Answers whether any did anything.
bool Interpreter::run_round(const Launch* of) {
  bool ran = false;
  for (std::size_t i = 0; i < resident_.size();) {
    running_ = resident_[i].get();
    if (of && running_->launch != of) {
      ++i;
      continue;
    }
    stopped_ = false;
    std::uint64_t turns = kEndlessTurns;
    if (code_.polls || overlapping_) {
      turns = kSliceTurns * running_->warps.size();
      if (options_.seed != 0) turns = 1 + random(2 * turns);
    }
    ran = run_slice(turns) || ran;
    if (!stopped_ && !running_->given_up && (!running_->exited() || lingers(*running_))) {
      ++i;
      continue;
    }
    // Whoever waits for a cluster that was given up has nothing to tell.
    bool broken = stopped_ || running_->given_up;
    if (broken) running_->launch->broken = true;
    end(i);
    if (broken && (code_.polls || overlapping_)) break;
  }
  return ran;
}

// Its stores are written later than it has exited: before the launch has ended, and in which order is not promised.
bool Interpreter::lingers(const Cluster& cluster) const {
  return overlapping_ && cluster.newest_store() > 0;
}

// Nothing moves any more. A launch that has begun early waits for the one before: it has nothing to tell.
void Interpreter::give_up_oldest() {
  Launch* oldest = resident_.front()->launch;
  oldest->broken = true;
  for (std::size_t i = 0; i < resident_.size();) {
    running_ = resident_[i].get();
    stopped_ = false;
    if (running_->launch == oldest) {
      end(i);
    } else {
      ++i;
    }
  }
}

// A cluster is over, or hangs.
void Interpreter::end(std::size_t resident) {
  finish_cluster();
  leave_global();
  for (std::size_t line = 0; line < executed_.size(); ++line) executed_[line] += running_->executed[line];
  std::erase_if(polls_, [&](const Poll& poll) { return poll.cluster == running_; });
  // What of its share nobody has asked for starts.
  Share& share = running_->share;
  if (shares_ && shares_->starts_free && share.next < shares_->free.count()) {
    std::int64_t next = shares_->free[share.next];
    share.next += share.stride;
    running_->launch->to_start.push_back({next, share});
  }
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
    } else if (!run_asynchronous(!code_.polls && !overlapping_)) {
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
  Launch& launch = *running_->launch;
  if (shares_) {
    Share& share = running_->share;
    if (share.next >= shares_->free.count()) return {};
    std::int64_t next = shares_->free[share.next];
    share.next += share.stride;
    ++launch.handed_out;
    return next;
  }
  bool from_the_end = options_.seed != 0 && random(2) != 0;
  std::optional<std::int64_t> taken;
  if (all_chosen_) {
    if (launch.to_start.empty()) return {};
    taken = (from_the_end ? launch.to_start.back() : launch.to_start.front()).cluster;
    from_the_end ? launch.to_start.pop_back() : launch.to_start.pop_front();
  } else {
    auto chosen = [&](std::int64_t cluster) { return std::binary_search(chosen_.begin(), chosen_.end(), cluster); };
    while (launch.next_free < launch.last_free && chosen(launch.next_free)) ++launch.next_free;
    while (launch.next_free < launch.last_free && chosen(launch.last_free - 1)) --launch.last_free;
    if (launch.next_free >= launch.last_free) return {};
    taken = from_the_end ? --launch.last_free : launch.next_free++;
  }
  ++launch.handed_out;
  return taken;
}

}  // namespace warpcc::checker
