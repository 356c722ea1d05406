// What the order is told of flags, words that hand knowledge on, and of fences (order.h).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "checker/interp/ptx/executor.h"
#include "checker/interp/ptx/order.h"

namespace warpcc::checker::ptx {

using order::Space;
using order::Use;
using order::Why;

// Whether what has been done to a word last, by an atomic or a strong store, is what this warp's own last such access
// has read or left: what it does to the word then comes later (the last CTA sets its counter back so).
bool Executor::saw_last(std::uint64_t word) const {
  auto seen = warp_->order->flags_seen.find(word);
  auto flag = ordering_->flags.find(word);
  return seen != warp_->order->flags_seen.end() && flag != ordering_->flags.end() &&
         seen->second == flag->second.version;
}

order::Epoch Executor::order_flags(const Code& code, const std::uint64_t* addresses, bool reads, FlagWrite writes) {
  if (!ordering_) return {};
  const bool stores = writes != FlagWrite::none;
  WarpOrder& of = *warp_->order;
  const std::uint32_t serial = cluster_->order->serial, cta = of.thread.who() >> 5;
  if (stores && code.release) {
    meet_lanes();
    publish(code.scope);
    fence_of_cta();
  }
  // A release pattern ends with the write of the flag: who acquires what it tells knows of that, too, and may lower it.
  const order::Epoch written = stores ? signal_epoch() : order::Epoch{};
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    std::uint64_t address = addresses[std::countr_zero(rest)];
    if (code.where == Where::shared || (address >= kSharedWindow && address < kSharedWindow + kWindow))
      address = (address & 0xffff'ffff) | std::uint64_t{1} << 63 | static_cast<std::uint64_t>(serial) << 32;
    Flag& flag = ordering_->flags[address];
    tell_narrow(flag, code, address, written, writes);
    std::uint64_t& seen = of.flags_seen[address];
    if (reads && seen != flag.version) {
      const std::uint64_t before = std::exchange(seen, flag.version);
      for (const Flag::Of& from : flag.from) {
        if (from.version <= before) continue;
        // Who reads by a narrow scope hears of what is within that.
        if (from.cluster == serial) {
          if (code.scope != Scope::cta) of.thread.observe(from.published, kNoLine);
          if (from.cta == cta) relaxed().join(from.fenced);
          continue;
        }
        if (code.scope == Scope::cta || code.scope == Scope::cluster) continue;
        auto others = std::make_shared<order::Others>();
        others->clusters[from.cluster] = {from.wide.published, from.wide.async_global};
        order::Knowledge told;
        told.join_others(others);
        told.join_others(from.wide.others);
        if (!of.from_others) of.from_others = std::make_unique<order::Knowledge>();
        of.from_others->join_others(told.others);
      }
    }
    if (!stores) continue;
    if (writes == FlagWrite::anew) flag.from.clear();
    Flag::Of* mine = nullptr;
    for (Flag::Of& from : flag.from) {
      if (from.cluster == serial) mine = &from;
    }
    if (mine == nullptr) {
      flag.from.push_back({});
      mine = &flag.from.back();
      mine->cluster = serial;
    }
    if (code.scope != Scope::cta) {
      of.thread.release_published(mine->published, order_mask(), kNoLine);
      if (of.published) mine->published.published.raise(written.agent, written.time);
      if (code.scope != Scope::cluster) mine->wide.join(mine->published);
      if (narrow_) {
        mine->wide.published.meet(published_widely());
        if (of.published) mine->wide.published.raise(written.agent, written.time);
      }
    }
    if (of.fenced) {
      if (mine->cta != cta) mine->fenced.clear();
      mine->cta = cta;
      mine->fenced.join(*of.fenced);
      mine->fenced.seen.raise(written.agent, written.time);
    }
    flag.scope = code.scope;
    flag.last = {written, Use::strong_write, line_, of.thread.who(), 0, 0};
    // Who raises a flag has not read what others raised before it.
    if (seen == flag.version++) seen = flag.version;
    mine->version = flag.version;
  }
  if (reads && code.acquire) acquire_told(code.scope);
  return written;
}

void Executor::order_flag_write(const Code& code, const std::uint64_t* addresses, std::int64_t bytes, bool reads,
                                FlagWrite writes, Use use) {
  if (ordering_) order_lanes_as(code.where, addresses, bytes, use, order_flags(code, addresses, reads, writes));
}

order::Knowledge& Executor::relaxed() {
  if (!warp_->order->relaxed) warp_->order->relaxed = std::make_unique<order::Knowledge>();
  return *warp_->order->relaxed;
}

void Executor::publish(Scope scope) {
  if (scope == Scope::cta) return;
  warp_->order->published = true;
  warp_->order->thread.publish(order_mask());
  if (!narrow_ || scope == Scope::cluster) return;
  constexpr std::size_t kMost = 64;
  ClusterOrder& of = *cluster_->order;
  order::Knowledge known;
  warp_->order->thread.release_published(known, order_mask(), kNoLine);
  of.wide.push_back({warp_->order->thread.collective(), std::move(known.published)});
  if (of.wide.size() <= kMost) return;
  of.wide_long_ago.join(of.wide.front().known);
  of.wide.pop_front();
}

// Of what this warp knows, what has been published to the whole GPU by fences that it knows of.
order::Clock Executor::published_widely() const {
  const ClusterOrder& of = *cluster_->order;
  order::Clock all = of.wide_long_ago;
  for (const ClusterOrder::WideFence& fence : of.wide) {
    if (warp_->order->thread.knows().seen.covers(fence.at)) all.join(fence.known);
  }
  return all;
}

// Whether a fence or a release has the scope of the cluster: else what is published is so to the whole GPU.
bool Executor::any_narrow() const {
  return std::any_of(code_.code.begin(), code_.code.end(), [](const Code& code) {
    return code.scope == Scope::cluster &&
           ((code.op == Op::fence && code.extra == 0) ||
            (code.release && (code.op == Op::st || code.op == Op::atom || code.op == Op::red)));
  });
}

bool Executor::any_relaxed() const {
  return std::any_of(code_.code.begin(), code_.code.end(), [](const Code& code) {
    return code.relaxed && (code.op == Op::mbar_arrive || code.op == Op::mbar_test);
  });
}

// A strong access, and the last strong write there: each is of a scope that has the other's thread in it, or the two
// are no more than plain accesses to each other.
void Executor::tell_narrow(const Flag& flag, const Code& code, std::uint64_t word, order::Epoch written,
                           FlagWrite writes) {
  if (!flag.last.epoch.agent.exists()) return;
  const std::uint32_t first = flag.last.who, now = warp_->order->thread.who();
  auto leaves_out = [&](Scope scope) {
    return (scope == Scope::cta && first >> 5 != now >> 5) || (scope == Scope::cluster && first >> 9 != now >> 9);
  };
  const bool by_first = leaves_out(flag.scope);
  if (!by_first && !leaves_out(code.scope)) return;
  const order::Actor actor =
      this->actor(written, writes == FlagWrite::none ? Use::strong_read : Use::strong_write, false, Space::global);
  if (order_between(flag.last, actor) == Why::ordered) return;
  const Scope scope = by_first ? flag.scope : code.scope;
  tell_race(fmt::format("{}: {} and {}: the scope of {} leaves out the other's thread, so that neither sees the other "
                        "whole",
                        (word >> 63) != 0 ? "a word of shared memory" : global_name(word), line_text(flag.last.line),
                        line_text(line_), by_first ? "the first" : "the second"),
            {"first: " + who_text(flag.last), "then:  " + who_text(actor.entry),
             fmt::format("to mend: the scope .gpu, and not .{} (in CUDA C++: atomicAdd, and not atomicAdd_block; "
                         "thread_scope_device)",
                         scope == Scope::cta ? "cta" : "cluster"),
             "PTX ISA, memory consistency model: morally strong operations"},
            9);
}

void Executor::fence_of_cta() {
  WarpOrder& of = *warp_->order;
  if (!of.fenced) of.fenced = std::make_unique<order::Knowledge>();
  of.thread.release(*of.fenced, order_mask(), kNoLine);
}

// What flags and relaxed waits have told counts from now on.
void Executor::acquire_told(Scope scope) {
  WarpOrder& of = *warp_->order;
  if (scope != Scope::cta) of.thread.acquire_observed();
  if (of.from_others && (scope == Scope::gpu || scope == Scope::none)) {
    of.thread.acquire(*of.from_others, kNoLine);
    of.from_others.reset();
  }
  if (of.relaxed) {
    if (scope == Scope::cta) {
      of.thread.acquire_in_cta(*of.relaxed, kNoLine);
      return;
    }
    of.thread.acquire(*of.relaxed, kNoLine);
    of.thread.acquire_published(*of.relaxed, kNoLine);
    of.relaxed.reset();
  }
}

void Executor::order_fence(const Code& code) {
  if (!ordering_) return;
  WarpOrder& of = *warp_->order;
  if (code.extra == 2) return of.thread.fence_init();
  if (code.extra == 4) return;
  if (code.extra == 1) {
    bool shared = code.where == Where::generic || code.where == Where::shared;
    bool global = code.where == Where::generic || code.where == Where::global;
    const bool peers = code.where == Where::generic;
    if (shared) of.thread.fence_async(order_mask(), Space::shared, kNoLine, peers);
    if (!global) return;
    of.thread.fence_async(order_mask(), Space::global, kNoLine);
    if (const order::Others* others = of.thread.knows().others.get()) {
      auto seen = std::make_shared<order::Others>(*others);
      for (auto& [number, cluster] : seen->clusters) cluster.async.join(cluster.seen);
      order::Knowledge told;
      told.others = std::move(seen);
      of.thread.acquire(told, kNoLine);
    }
    return;
  }
  acquire_told(code.scope);
  if (code.acquire && !code.release) return;
  fence_of_cta();
  publish(code.scope);
}

}  // namespace warpcc::checker::ptx
