#include "checker/order/thread.h"

#include <algorithm>

namespace warpcc::order {

Epoch Thread::access(std::uint32_t mask, bool global) {
  bool elected = mask == 1;
  since_ |= mask;
  Own& mine = own(elected, global);
  mine.used = true;
  return {agent(mine.agent, elected ? AgentKind::elected : AgentKind::lanes, global), mine.now};
}

Epoch Thread::signal(std::uint32_t mask, bool global) {
  const Epoch before = access(mask, global);
  Own& mine = own(mask == 1, global);
  const Epoch epoch{before.agent, ++mine.now};
  ++mine.now;
  mine.used = false;
  return epoch;
}

Epoch Thread::collective() {
  Epoch epoch{agent(collective_.agent, AgentKind::collective), collective_.now++};
  knows_.seen.raise(epoch.agent, epoch.time);
  return epoch;
}

Epoch Thread::initialise() {
  since_ |= 1;
  return {agent(initialiser_.agent, AgentKind::initialiser), initialiser_.now};
}

Epoch Thread::tensor_access(bool load) {
  Simple& which = load ? tensor_load_ : tensor_store_;
  return {agent(which.agent, load ? AgentKind::tensor_load : AgentKind::tensor_store), which.now};
}

void Thread::wait_tensor(bool load, std::uint32_t line) {
  Simple& which = load ? tensor_load_ : tensor_store_;
  if (which.agent.exists()) knows_.seen.raise(which.agent, which.now++, line);
}

Epoch Thread::mma() {
  return {agent(queue_.agent, AgentKind::queue), queue_.now};
}

Epoch Thread::commit() {
  return {agent(queue_.agent, AgentKind::queue), queue_.now++};
}

void Thread::mmas_done(std::uint32_t groups, std::uint32_t line) {
  if (groups > 0 && queue_.agent.exists()) knows_.seen.raise(queue_.agent, groups, line);
}

Epoch Thread::store(bool write, std::uint32_t group) {
  stored_ = group + 1;
  return {write ? agent(store_write_, AgentKind::store_write, true) : agent(store_read_, AgentKind::store_read),
          group + 1};
}

void Thread::stores_done(bool write, std::uint32_t groups, std::uint32_t line) {
  alone_by_ = line;
  if (groups == 0) return;
  for (Agent which : {store_read_, write ? store_write_ : Agent{}}) {
    if (!which.exists() || knows_.seen.at(which) >= groups) continue;
    auto found = std::find_if(alone_.begin(), alone_.end(), [&](const Epoch& epoch) { return epoch.agent == which; });
    if (found == alone_.end()) {
      alone_.push_back({which, groups});
    } else {
      found->time = std::max(found->time, groups);
    }
  }
}

bool Thread::leaves_stores() const {
  if (!store_read_.exists() || knows_.seen.at(store_read_) >= stored_) return false;
  return std::none_of(alone_.begin(), alone_.end(),
                      [&](const Epoch& epoch) { return epoch.agent == store_read_ && epoch.time >= stored_; });
}

void Thread::meet(std::uint32_t line) {
  for (Own& mine : own_) {
    if (!mine.agent.exists()) continue;
    knows_.seen.raise(mine.agent, mine.used ? mine.now++ : mine.now - 1, line);
    mine.used = false;
    if (mine.fenced[0] != 0) knows_.async_shared.raise(mine.agent, mine.fenced[0], mine.by[0]);
    if (mine.fenced[1] != 0) knows_.async_global.raise(mine.agent, mine.fenced[1], mine.by[1]);
    if (mine.published != 0) knows_.published.raise(mine.agent, mine.published);
  }
  if (initialiser_.agent.exists()) knows_.seen.raise(initialiser_.agent, initialiser_.now++);
  for (const Epoch& epoch : alone_) knows_.seen.raise(epoch.agent, epoch.time, alone_by_);
  alone_.clear();
  since_ = 0;
}

void Thread::fence_async(std::uint32_t mask, Space space, std::uint32_t line, bool peers) {
  Clock& sees = space == Space::shared ? knows_.async_shared : knows_.async_global;
  std::array<Epoch, 2> left;  // of its own to other CTAs
  for (bool elected : {false, true}) {
    if (const Agent agent = own(elected, true).agent; agent.exists() && !peers) left[elected] = {agent, sees.at(agent)};
  }
  if (line == Edge::kNone) {
    sees.join(knows_.seen);
  } else {
    sees.join(knows_.seen, line, false);
  }
  for (const Epoch& each : left) {
    if (!each.agent.exists()) continue;
    sees.forget(each.agent);
    sees.raise(each.agent, each.time);
  }
  for (bool elected : {false, true}) {
    for (bool global : {false, true}) {
      Own& mine = own(elected, global);
      if (!mine.agent.exists() || !covers(elected, mask) || (global && !peers)) continue;
      mine.fenced[static_cast<int>(space)] = mine.done();
      mine.by[static_cast<int>(space)] = line;
      if (elected) sees.raise(mine.agent, mine.done(), line);  // for what it begins itself
      if (mine.used) ++mine.now;
    }
  }
  // Barriers are words that threads have written, to the engine that signals them.
  if (space == Space::shared && initialiser_.agent.exists() && (mask & 1))
    sees.raise(initialiser_.agent, initialiser_.now++);
}

void Thread::acquire_observed() {
  if (!has_observed_) return;
  acquire_published(observed_, Edge::kNone);
  observed_.clear();
  has_observed_ = false;
}

void Thread::publish(std::uint32_t mask) {
  knows_.published.join(knows_.seen);
  for (bool elected : {false, true}) {
    for (bool global : {false, true}) {
      Own& mine = own(elected, global);
      if (!mine.agent.exists() || !covers(elected, mask)) continue;
      mine.published = mine.done();
      if (mine.used) ++mine.now;
    }
  }
  if (initialiser_.agent.exists() && (mask & 1)) knows_.published.raise(initialiser_.agent, initialiser_.now++);
  if (mask & 1) {
    for (const Epoch& epoch : alone_) knows_.published.raise(epoch.agent, epoch.time);
  }
}

void Thread::fence_init() {
  if (!initialiser_.agent.exists()) return;
  knows_.async_shared.raise(initialiser_.agent, initialiser_.now);
  knows_.published.raise(initialiser_.agent, initialiser_.now);
  ++initialiser_.now;
}

void Thread::observe(const Knowledge& knowledge, std::uint32_t line) {
  has_observed_ = true;
  observed_.join(knowledge, line, true);
}

void Thread::leave_out(Own& mine, bool global, Clock& to) {
  const std::uint32_t met = knows_.seen.at(mine.agent);
  if (mine.done() <= met) return;
  const Epoch arrival{agent(arrivals_[global], AgentKind::collective, global), ++arrived_[global]};
  to.raise(arrival.agent, arrival.time);
  if (left_out_.size() == kMostLeftOut) left_out_.erase(left_out_.begin());
  left_out_.push_back({mine.agent, met, mine.done(), arrival});
  if (!mine.used) return;
  ++mine.now;  // what follows is another time's
  mine.used = false;
}

bool Thread::left_out(const Epoch& access, const Clock& clock) const {
  return std::any_of(left_out_.begin(), left_out_.end(), [&](const LeftOut& each) {
    return each.lanes == access.agent && each.met < access.time && access.time <= each.until &&
           clock.covers(each.arrival);
  });
}

void Thread::release(Knowledge& to, std::uint32_t mask, std::uint32_t line) {
  to.join(knows_, line, false);
  for (bool elected : {false, true}) {
    for (bool global : {false, true}) {
      Own& mine = own(elected, global);
      if (!mine.agent.exists()) continue;
      if (!covers(elected, mask)) {
        if (!elected) leave_out(mine, global, to.seen);
        continue;
      }
      to.seen.raise(mine.agent, mine.done(), line);
      if (mine.fenced[0] != 0) to.async_shared.raise(mine.agent, mine.fenced[0], mine.by[0]);
      if (mine.fenced[1] != 0) to.async_global.raise(mine.agent, mine.fenced[1], mine.by[1]);
      if (mine.published != 0) to.published.raise(mine.agent, mine.published);
      if (mine.used) ++mine.now;
      mine.used = false;
    }
  }
  if (!(mask & 1)) return;
  if (initialiser_.agent.exists()) to.seen.raise(initialiser_.agent, initialiser_.now++, line);
  for (const Epoch& epoch : alone_) to.seen.raise(epoch.agent, epoch.time, line);
}

void Thread::release_published(Knowledge& to, std::uint32_t mask, std::uint32_t line) {
  if (line == Edge::kNone) {
    to.published.join(knows_.published);
  } else {
    to.published.join(knows_.published, line, false);
  }
  to.async_shared.join(knows_.async_shared);
  to.async_global.join(knows_.async_global);
  to.acquired.join(knows_.acquired);
  to.queued.join(knows_.queued);
  to.tensor.join(knows_.tensor);
  if (knows_.others) to.join_others(knows_.others);
  for (bool elected : {false, true}) {
    for (bool global : {false, true}) {
      Own& mine = own(elected, global);
      if (!mine.agent.exists()) continue;
      if (!covers(elected, mask)) {
        if (!elected) leave_out(mine, global, to.published);
        continue;
      }
      if (mine.fenced[0] != 0)
        to.async_shared.raise(mine.agent, mine.fenced[0], mine.by[0]);  // for a load of another CTA
      if (mine.fenced[1] != 0) to.async_global.raise(mine.agent, mine.fenced[1], mine.by[1]);
      if (mine.published != 0) to.published.raise(mine.agent, mine.published, line);
    }
  }
}

void Thread::release_life(Clock& to) {
  to.join(knows_.seen);
  to.join(lifetime_);
  to.join(executed_);
  for (Own& mine : own_) {
    if (!mine.agent.exists()) continue;
    to.raise(mine.agent, mine.done());
    if (mine.used) ++mine.now;
  }
}

void Thread::release_acquired(Knowledge& to, std::uint32_t line) const {
  to.join(knows_, line, false);
  for (const Own& mine : own_) {
    if (mine.agent.exists()) to.seen.forget(mine.agent);
  }
}

Epoch Barrier::begin(Agents& agents) {
  if (!agent_.exists()) agent_ = agents.make(AgentKind::arriving, false);
  return {agent_, ++begun_};
}

void Barrier::end(std::uint32_t ticket, std::uint32_t line) {
  if (ticket != ended_ + 1) {
    ahead_.push_back(ticket);
    return;
  }
  ++ended_;
  for (bool more = true; more;) {
    auto found = std::find(ahead_.begin(), ahead_.end(), ended_ + 1);
    more = found != ahead_.end();
    if (!more) break;
    ++ended_;
    ahead_.erase(found);
  }
  gathered_.seen.raise(agent_, ended_, line);
}

}  // namespace warpcc::order
