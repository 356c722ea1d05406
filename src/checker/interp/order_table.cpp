#include "checker/interp/order_table.h"

#include "checker/report/order.h"

namespace warpcc::checker {

void OrderTable::pair(const order::Entry& first, const order::Actor& then) {
  const order::Knowledge& knows = then.thread->knows();
  order::Agent agent = first.epoch.agent;
  order::Edge edge = knows.seen.by(agent);
  bool queued = agent.kind() == order::AgentKind::queue && agent == then.entry.epoch.agent;
  bool own = (then.elected && agent == then.thread->elected(agent.global())) || queued;
  if (!own && !knows.seen.covers(first.epoch)) edge = {then.thread->alone_by(), order::Edge::kNone};
  std::uint32_t fence = order::Edge::kNone;
  bool wrote = first.use != order::Use::read && first.use != order::Use::strong_read;
  if (agent.generic() && then.asynchronous && wrote)
    fence = (then.space == order::Space::shared ? knows.async_shared : knows.async_global).by(agent).release;
  if (own || (agent.generic() && !knows.seen.covers(first.epoch))) edge = {};
  // Of what ends by a signal, the first itself tells; the last of several that end one phase is remembered.
  if (agent.kind() == order::AgentKind::arriving && edge.release != order::Edge::kNone) edge.release = first.line;
  bool then_writes = then.entry.use != order::Use::read && then.entry.use != order::Use::strong_read;
  Key key(place ? buffer_of(*place) : "", first.line, then.entry.line, edge.release, edge.acquire, fence,
          wrote * 2 + then_writes);
  if (!last_count_ || key != last_) {
    last_ = key;
    last_count_ = &counts_[key];
  }
  ++*last_count_;
}

std::vector<OrderedPair> OrderTable::pairs() const {
  std::vector<OrderedPair> result;
  for (const auto& [key, count] : counts_) {
    const auto& [place, first, then, release, acquire, fence, writes] = key;
    result.push_back({place, first, then, release, acquire, fence, (writes & 2) != 0, (writes & 1) != 0, count});
  }
  return result;
}

}  // namespace warpcc::checker
