// What is done to a place by whom, and whether two such accesses are ordered.
#pragma once

#include <cstdint>

#include "checker/order/clock.h"
#include "checker/order/thread.h"
#include "llvm/ADT/ArrayRef.h"

namespace warpcc::order {

enum class Use : std::uint8_t { read, write, add, strong_read, strong_write };

// Reads do not disturb each other; neither do sums that are added, nor strong accesses (PTX ISA, morally strong).
inline bool in_conflict(Use a, Use b) {
  auto reads = [](Use use) { return use == Use::read || use == Use::strong_read; };
  auto strong = [](Use use) { return use == Use::strong_read || use == Use::strong_write; };
  if (reads(a) && reads(b)) return false;
  if (a == Use::add && b == Use::add) return false;
  return !(strong(a) && strong(b));
}

// An access that has been made, as it is remembered.
struct Entry {
  Epoch epoch;
  Use use = Use::read;
  std::uint32_t line = 0;
  std::uint32_t who = 0;        // warp_id
  std::uint32_t footprint = 0;  // of a partition, or none
  std::uint32_t count = 0;      // how often its line had run in its cluster
};

enum class Why : std::uint8_t {
  ordered,
  unordered,
  lanes,       // of one warp, which have not met
  proxy,       // ordered, but the async proxy has not been made to see it
  scope,       // ordered within a CTA, and reached from another
  acquire,     // told of to other CTAs, and waited for within one
  overlap,     // MMAs of one queue, whose accumulators overlap without being the same
  proxy_read,  // strict: a read that the async proxy has not been made to see, or another CTA's store
};

// Who accesses now.
struct Actor {
  Entry entry;
  const Thread* thread = nullptr;
  bool elected = false;         // knows what the elected lane knows
  bool asynchronous = false;    // through the async proxy
  Space space = Space::shared;  // whose proxy fence counts
  bool constant = false;        // a read that may see what was there before the kernel (PTX ISA, ld.global.nc)
  bool strict = false;
};

// Of two accesses that nothing orders: whether lanes have made the first before a barrier of the cluster that the
// second has come through, so that it is the barrier's relaxed arrival that has told nothing.
inline bool behind_relaxed(const Entry& first, const Actor& actor) {
  return first.epoch.agent.generic() && actor.thread->lifetime().covers(first.epoch);
}

struct Conflict {
  Entry first;
  Why why;
};

// Whether what `first` did happened before `actor`. `same_lanes`: of two accesses by lanes of one warp, whether each
// place was touched by one lane alone.
template <typename SameLanes>
Why between(const Entry& first, const Actor& actor, SameLanes same_lanes) {
  const Knowledge& knows = actor.thread->knows();
  Agent agent = first.epoch.agent;
  bool own_elected = actor.elected && agent == actor.thread->elected(agent.global());
  if (!own_elected && !knows.seen.covers(first.epoch)) {
    bool known = false;
    if (actor.elected) {
      for (const Epoch& epoch : actor.thread->alone())
        known = known || (epoch.agent == agent && epoch.time >= first.epoch.time);
    }
    if (!known && agent.kind() == AgentKind::queue && agent == actor.entry.epoch.agent) {
      // MMAs of one thread are done in the order of issue, those of one accumulator (PTX ISA, tcgen05 pipelined).
      if (first.footprint == actor.entry.footprint) return Why::ordered;
      return Why::overlap;
    }
    if (!known && agent.kind() == AgentKind::initialiser && agent == actor.thread->initialiser()) known = true;
    if (!known) {
      bool one_warp = first.who == actor.entry.who && agent.generic();
      if (!one_warp) return Why::unordered;
      if (actor.asynchronous || !same_lanes(first, actor.entry)) return Why::lanes;
      return Why::ordered;
    }
  }
  if (!agent.generic()) {
    // What another CTA's copy engine has written is in order once a flag has told of it; the documents ask for a fence
    // behind the flag as well (PTX ISA, async proxy).
    bool elsewhere = agent.kind() == AgentKind::store_write && !same_cta(first.who, actor.entry.who);
    bool fenced = !actor.asynchronous || actor.space != Space::global || knows.async_global.covers(first.epoch);
    return actor.strict && elsewhere && !fenced ? Why::proxy_read : Why::ordered;
  }
  bool wrote = first.use != Use::read && first.use != Use::strong_read;
  if (actor.asynchronous) {
    const Clock& sees = actor.space == Space::shared ? knows.async_shared : knows.async_global;
    if (!sees.covers(first.epoch)) {
      if (wrote) return Why::proxy;
      if (actor.strict) return Why::proxy_read;
    }
  }
  if (!wrote || same_cta(first.who, actor.entry.who)) return Why::ordered;
  if (!knows.published.covers(first.epoch)) return Why::scope;
  return knows.acquired.covers(first.epoch) ? Why::ordered : Why::acquire;
}

}  // namespace warpcc::order
