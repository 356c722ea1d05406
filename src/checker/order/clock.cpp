#include "checker/order/clock.h"

namespace warpcc::order {

void Clock::join(const Clock& other, std::uint32_t line, bool acquires) {
  for (int part = 0; part < 2; ++part) {
    auto& mine = times_[part];
    const auto& theirs = other.times_[part];
    if (mine.size() < theirs.size()) mine.resize(theirs.size(), 0);
    if (by_[part].size() < mine.size()) by_[part].resize(mine.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i] <= mine[i]) continue;
      mine[i] = theirs[i];
      Edge edge = i < other.by_[part].size() ? other.by_[part][i] : Edge{};
      by_[part][i] = acquires ? Edge{edge.release, line} : Edge{line, Edge::kNone};
    }
  }
}

void Clock::join_remembering(const Clock& other) {
  for (int part = 0; part < 2; ++part) {
    auto& mine = times_[part];
    const auto& theirs = other.times_[part];
    if (mine.size() < theirs.size()) mine.resize(theirs.size(), 0);
    if (by_[part].size() < mine.size()) by_[part].resize(mine.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i] <= mine[i]) continue;
      mine[i] = theirs[i];
      by_[part][i] = i < other.by_[part].size() ? other.by_[part][i] : Edge{};
    }
  }
}

void Clock::raise(Agent agent, std::uint32_t time, std::uint32_t release) {
  if (at(agent) >= time) return;
  raise(agent, time);
  if (release == Edge::kNone) return;
  auto& by = by_[agent.global()];
  if (by.size() <= agent.number()) by.resize(agent.number() + 1);
  by[agent.number()] = {release, Edge::kNone};
}

namespace {

// `seen`: what of the other's knowledge counts as having happened.
void join_seeing(Knowledge& to, const Knowledge& other, const Clock& seen, std::uint32_t line, bool acquires) {
  if (line == Edge::kNone) {
    to.seen.join(seen);
    to.async_shared.join(other.async_shared);
    to.async_global.join(other.async_global);
  } else {
    to.seen.join(seen, line, acquires);
    to.async_shared.join_remembering(other.async_shared);
    to.async_global.join_remembering(other.async_global);
  }
  to.published.join(other.published);
  to.acquired.join(other.acquired);
  to.queued.join(other.queued);
  to.tensor.join(other.tensor);
  if (other.others) to.join_others(other.others);
}

}  // namespace

void Knowledge::join(const Knowledge& other, std::uint32_t line, bool acquires) {
  join_seeing(*this, other, other.seen, line, acquires);
}

void Knowledge::join_published(const Knowledge& other, std::uint32_t line, bool acquires) {
  join_seeing(*this, other, other.published, line, acquires);
}

void Knowledge::join_others(const std::shared_ptr<const Others>& more) {
  if (!more || more == others) return;
  if (!others) {
    others = more;
    return;
  }
  auto all = std::make_shared<Others>(*others);
  for (const auto& [number, cluster] : more->clusters) {
    Others::Cluster& mine = all->clusters[number];
    mine.seen.join(cluster.seen);
    mine.async.join(cluster.async);
  }
  others = std::move(all);
}

void Knowledge::clear() {
  seen.clear();
  async_shared.clear();
  async_global.clear();
  published.clear();
  acquired.clear();
  queued.clear();
  tensor.clear();
  others.reset();
}

}  // namespace warpcc::order
