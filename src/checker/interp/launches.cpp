// Launches that overlap (PTX ISA, griddepcontrol): the next may begin once every CTA of one has executed PREEXIT or has
// exited; what waits for the grid before (ACQBULK) goes on when all that it has done is in memory.
#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

bool Interpreter::launch_overlapping(LaunchPlan plan, int launches,
                                     llvm::function_ref<void(int, bool, std::int64_t)> over) {
  all_chosen_ = plan.all;
  chosen_ = std::move(plan.chosen);
  shares_ = code_.polls ? nullptr : &plan.shares;
  launch_over_ = over;
  overlapping_ = true;
  launches_left_ = launches - 1;
  fill(*launches_.back());
  bool ended = run_clusters(static_cast<std::size_t>(room_for(program_.cluster)));
  if (!ended) {
    auto present = std::find_if(launches_.begin(), launches_.end(), [](const auto& each) { return !each->ended; });
    over((*present)->number, false, 0);
  }
  overlapping_ = false;
  launches_left_ = 0;
  shares_ = nullptr;
  return ended;
}

void Interpreter::begin_launch() {
  int number = launches_.back()->number + 1;
  launches_.back()->ended = launches_.back()->ended || !overlapping_;
  for (machine::GlobalBuffer& buffer : globals_) buffer.begin_launch(number);
  launches_.push_back(std::make_unique<Launch>(number, ordering_));
  // The one before is still to be waited for, and the one before that may be known to no warp of it.
  while (launches_.front()->number < number - 2) launches_.pop_front();
}

Launch* Interpreter::launch_number(int number) const {
  int at = number - launches_.front()->number;
  return at >= 0 && at < static_cast<int>(launches_.size()) ? launches_[static_cast<std::size_t>(at)].get() : nullptr;
}

bool Interpreter::is_resident(const Launch& launch) const {
  return std::any_of(resident_.begin(), resident_.end(), [&](const auto& each) { return each->launch == &launch; });
}

// Whether all of its CTAs have started, and each has executed PREEXIT or has exited.
bool Interpreter::lets_next_start(const Launch& launch) const {
  if (!launch.to_start.empty()) return false;
  return std::all_of(resident_.begin(), resident_.end(), [&](const auto& each) {
    if (each->launch != &launch || each->exited()) return true;
    // What it could still take has not started.
    bool has_free = shares_ ? each->share.next < shares_->free.count() : launch.next_free < launch.last_free;
    if (code_.asks_for_work && !each->refused && has_free) return false;
    return std::all_of(each->ctas.begin(), each->ctas.end(),
                       [](const auto& cta) { return cta->lets_next_start || cta->exited(); });
  });
}

// Two launches overlap, no more: who comes after the next waits for the first to have ended.
bool Interpreter::begin_overlapping() {
  constexpr std::uint64_t kSometimes = 8;
  if (launches_left_ == 0) return false;
  const Launch& newest = *launches_.back();
  const Launch* before = launch_number(newest.number - 1);
  if (!newest.ended) {
    if ((before && !before->ended) || !lets_next_start(newest)) return false;
    if (schedule_.next_grid == machine::Schedule::NextGrid::after) return false;
    if (schedule_.next_grid == machine::Schedule::NextGrid::any && random(kSometimes) != 0) return false;
  }
  --launches_left_;
  begin_launch();
  fill(*launches_.back());
  return true;
}

// Whatever waits for a launch that has ended goes on.
bool Interpreter::end_launches() {
  bool any = false;
  for (std::size_t i = 0; overlapping_ && i < launches_.size(); ++i) {
    Launch& launch = *launches_[i];
    if (launch.ended) continue;
    if (!launch.to_start.empty() || is_resident(launch)) break;  // those behind it end behind it
    launch.ended = any = true;
    launch_over_(launch.number, true, launch.started + launch.handed_out);
    for (auto& cluster : resident_) {
      if (cluster->launch->number != launch.number + 1) continue;
      for (Warp& warp : cluster->warps) {
        if (warp.blocked != Blocked::grid) continue;
        warp.blocked = Blocked::no;
        cluster->turns.wake(static_cast<std::size_t>(warp.number_in_cluster));
      }
    }
  }
  return any;
}

}  // namespace warpcc::checker
