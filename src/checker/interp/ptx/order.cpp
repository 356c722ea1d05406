// What the order of accesses is told of a PTX kernel: who accesses what through which proxy, and what hands knowledge
// on (PTX ISA, memory consistency model; docs/programs.md says what is looked at).
#include "checker/interp/ptx/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

using order::Space;
using order::Use;
using order::Why;

namespace {

constexpr std::uint32_t kNoLine = order::Edge::kNone;
// Of what one queue of the tensor core does in order whatever it reaches: copies into tensor memory.
constexpr std::uint32_t kPipelined = ~0u;

// An operand A in tensor memory: 32 bytes of each row, whatever its elements; scales of 128 rows: 4 columns (PTX ISA,
// tcgen05, data movement and scale factors).
constexpr std::uint32_t kOperandColumns = 8;
std::uint32_t scale_columns(int rows) {
  return static_cast<std::uint32_t>((rows + 127) / 128 * 4);
}

bool writes(Use use) {
  return use != Use::read && use != Use::strong_read;
}

}  // namespace

std::uint32_t Executor::order_mask() const {
  int elected = warp_->order->elected;
  if (elected <= 0) return mask_;
  // The elected lane stands for the lowest: the two change places.
  std::uint32_t low = mask_ & 1, high = mask_ >> elected & 1;
  return (mask_ & ~(1u | 1u << elected)) | high | low << elected;
}

// Without --strict, a warp's lanes have met wherever one of them tells somebody else.
void Executor::meet_lanes() {
  if (!options_.strict) warp_->order->thread.meet(kNoLine);
}

order::Actor Executor::actor(order::Epoch epoch, Use use, bool asynchronous, Space space) const {
  order::Actor actor;
  actor.entry = {epoch, use, line_, warp_->order->thread.who(), 0, 0};
  actor.thread = &warp_->order->thread;
  actor.elected = true;
  if (options_.strict) actor.elected = asynchronous ? (order_mask() & 1) != 0 : order_mask() == 1;
  actor.asynchronous = asynchronous;
  actor.space = space;
  actor.strict = options_.strict;
  return actor;
}

order::Epoch Executor::lanes_epoch() {
  WarpOrder& of = *warp_->order;
  if (of.elected < 0 && std::has_single_bit(mask_)) of.elected = std::countr_zero(mask_);
  return of.thread.access(order_mask(), false);
}

// Whether what `first` did happened before `now`.
Why Executor::order_between(const order::Entry& first, const order::Actor& now) const {
  const order::Agent agent = first.epoch.agent;
  if (first.who >> 9 != now.entry.who >> 9) {
    const order::Others* others = now.thread->knows().others.get();
    if (others == nullptr) return Why::unordered;
    auto found = others->clusters.find(first.who >> 9);
    if (found == others->clusters.end() || !found->second.seen.covers(first.epoch)) return Why::unordered;
    if (agent.generic() && now.asynchronous && writes(first.use) && !found->second.async.covers(first.epoch))
      return Why::proxy;
    return Why::ordered;
  }
  if (agent.kind() == order::AgentKind::queue && agent == now.entry.epoch.agent &&
      (first.footprint == kPipelined || now.entry.footprint == kPipelined))
    return Why::ordered;
  Why why = order::between(first, now, [](const order::Entry&, const order::Entry&) { return true; });
  if (why == Why::lanes && !options_.strict) return Why::ordered;
  // Executed before, by a relaxed barrier of the cluster: within an SM that is order enough, whatever the ISA says of
  // it.
  const bool of_own_sm = now.space == Space::shared && (!agent.generic() || order::same_cta(first.who, now.entry.who));
  const bool crosses = agent.generic() && now.asynchronous && writes(first.use);
  if (why == Why::unordered && !options_.strict && of_own_sm && !crosses && now.thread->lifetime().covers(first.epoch))
    return Why::ordered;
  if (why != Why::ordered || !options_.strict) return why;
  // Copies by lanes are of the generic proxy; libraries leave the fence out (CUTLASS, tutorials of Hopper).
  const order::Knowledge& knows = now.thread->knows();
  const order::Clock& sees = now.space == Space::shared ? knows.async_shared : knows.async_global;
  if (agent.kind() == order::AgentKind::copying && now.asynchronous && !sees.covers(first.epoch)) return Why::proxy;
  return why;
}

// ---- accesses

void Executor::access_shared(int rank, std::uint32_t offset, std::uint32_t bytes, order::Actor actor) {
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor); };
  order::Step step(cluster_->order->history, actor.entry, between, conflicts);
  cluster_->ctas[static_cast<std::size_t>(rank)]->order.shared.access(offset, bytes, step);
  if (!conflicts.empty()) tell_conflicts(actor, shared_name(rank, offset, bytes));
}

void Executor::access_global(std::uint64_t address, std::int64_t bytes, order::Step& step) {
  LaunchOrder& all = *ordering_;
  if (launch_.dependent && !warp_->order->thread.knows().seen.covers(cluster_->order->grid_before))
    report(Finding::Kind::protocol,
           "reaches global memory before this warp, or one that it has heard from, has waited for the grid before "
           "(griddepcontrol.wait), which the launch does not wait for");
  DeviceMemory::Allocation* of = memory_.find(address, bytes);
  if (of == nullptr) return;
  if (all.last == nullptr || all.last_begin != of->begin) {
    all.last = &all.global[of->begin];
    all.last_begin = of->begin;
  }
  all.last->access(address - of->begin, static_cast<std::uint64_t>(bytes), step);
}

void Executor::order_lanes(Where where, const std::uint64_t* addresses, std::int64_t bytes, Use use) {
  if (!ordering_) return;
  order_lanes_as(where, addresses, bytes, use, lanes_epoch());
}

void Executor::order_lanes_as(Where where, const std::uint64_t* addresses, std::int64_t bytes, Use use,
                              order::Epoch epoch) {
  auto space_of = [&](std::uint64_t address) {
    if (where != Where::generic) return where;
    if (address >= kSharedWindow && address < kSharedWindow + kWindow) return Where::shared;
    if (address >= kParamWindow && address < kSharedWindow) return Where::local;
    return Where::global;
  };
  order::Actor in_shared = actor(epoch, use, false, Space::shared), in_global = actor(epoch, use, false, Space::global);
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, in_global); };
  order::Step step(ordering_->history, in_global.entry, between, conflicts);
  std::uint32_t rest = mask_;
  while (rest != 0) {
    int lane = std::countr_zero(rest);
    rest &= rest - 1;
    Where space = space_of(addresses[lane]);
    if (space != Where::shared && space != Where::global) continue;
    // Lanes one after the other, as far as they are neighbours.
    std::uint64_t begin = addresses[lane], end = begin + static_cast<std::uint64_t>(bytes);
    while (rest != 0) {
      std::uint64_t next = addresses[std::countr_zero(rest)];
      if (next != end && next + static_cast<std::uint64_t>(bytes) != end) break;
      end = next + static_cast<std::uint64_t>(bytes);
      rest &= rest - 1;
    }
    if (space == Where::shared) {
      auto [rank, offset] = shared_place(begin);
      if (rank >= 0 &&
          cluster_->ctas[static_cast<std::size_t>(rank)]->shared.inside(offset, static_cast<std::int64_t>(end - begin)))
        access_shared(rank, offset, static_cast<std::uint32_t>(end - begin), in_shared);
    } else {
      access_global(begin, static_cast<std::int64_t>(end - begin), step);
      if (!conflicts.empty()) tell_conflicts(in_global, global_name(begin));
    }
  }
}

// ---- flags: what a word of memory hands on

void Executor::order_flags(const Code& code, const std::uint64_t* addresses, bool reads, FlagWrite writes) {
  if (!ordering_) return;
  const bool stores = writes != FlagWrite::none;
  WarpOrder& of = *warp_->order;
  const std::uint32_t serial = cluster_->order->serial, cta = of.thread.who() >> 5;
  const bool wide = code.scope != Scope::cta;
  if (stores && code.release) {
    meet_lanes();
    if (wide) of.thread.publish(order_mask());
    fence_of_cta();
  }
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    std::uint64_t address = addresses[std::countr_zero(rest)];
    if (code.where == Where::shared || (address >= kSharedWindow && address < kSharedWindow + kWindow))
      address = (address & 0xffff'ffff) | std::uint64_t{1} << 63 | static_cast<std::uint64_t>(serial) << 32;
    Flag& flag = ordering_->flags[address];
    if (reads && of.flags_seen[address] != flag.version) {
      of.flags_seen[address] = flag.version;
      for (const Flag::Of& from : flag.from) {
        if (from.cluster == serial) {
          of.thread.observe(from.published, kNoLine);
          if (from.cta == cta) relaxed().join(from.fenced);
          continue;
        }
        auto others = std::make_shared<order::Others>();
        others->clusters[from.cluster] = {from.published.published, from.published.async_global};
        order::Knowledge told;
        told.join_others(others);
        told.join_others(from.published.others);
        of.thread.observe(told, kNoLine);
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
    of.thread.release_published(mine->published, order_mask(), kNoLine);
    if (of.fenced) {
      if (mine->cta != cta) mine->fenced.clear();
      mine->cta = cta;
      mine->fenced.join(*of.fenced);
    }
    // Who raises a flag has not read what others raised before it.
    std::uint64_t& seen = of.flags_seen[address];
    if (seen == flag.version++) seen = flag.version;
  }
  if (reads && code.acquire) acquire_told();
}

order::Knowledge& Executor::relaxed() {
  if (!warp_->order->relaxed) warp_->order->relaxed = std::make_unique<order::Knowledge>();
  return *warp_->order->relaxed;
}

void Executor::fence_of_cta() {
  WarpOrder& of = *warp_->order;
  if (!of.fenced) of.fenced = std::make_unique<order::Knowledge>();
  of.thread.release(*of.fenced, order_mask(), kNoLine);
}

// What flags and relaxed waits have told counts from now on.
void Executor::acquire_told() {
  WarpOrder& of = *warp_->order;
  of.thread.acquire_observed();
  if (of.relaxed) {
    of.thread.acquire(*of.relaxed, kNoLine);
    of.relaxed.reset();
  }
}

void Executor::order_fence(const Code& code) {
  if (!ordering_) return;
  WarpOrder& of = *warp_->order;
  if (code.extra == 2) return of.thread.fence_init();
  if (code.extra == 1) {
    bool shared = code.where == Where::generic || code.where == Where::shared;
    bool global = code.where == Where::generic || code.where == Where::global;
    if (shared) of.thread.fence_async(order_mask(), Space::shared, kNoLine);
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
  acquire_told();
  if (code.acquire && !code.release) return;
  fence_of_cta();
  if (code.scope != Scope::cta) of.thread.publish(order_mask());
}

// ---- mbarriers

BarrierOrder& Executor::order_of(int rank, std::uint32_t offset) {
  return cluster_->ctas[static_cast<std::size_t>(rank)]->order.barriers[offset];
}

void Executor::order_init(int rank, std::uint32_t offset) {
  if (!ordering_ || rank < 0) return;
  WarpOrder& of = *warp_->order;
  if (of.elected < 0 && std::has_single_bit(mask_)) of.elected = std::countr_zero(mask_);
  BarrierOrder& barrier = order_of(rank, offset);
  barrier.order.initialised = of.thread.initialise();
  access_shared(rank, offset, 8, actor(barrier.order.initialised, Use::write, false, Space::shared));
}

// Whether it has been initialised for who uses it now.
void Executor::use_barrier(int rank, std::uint32_t offset, bool asynchronous) {
  BarrierOrder& of = order_of(rank, offset);
  const order::Epoch& made = of.order.initialised;
  if (!made.agent.exists()) return;
  order::Thread& thread = warp_->order->thread;
  const order::Knowledge& knows = thread.knows();
  const bool own = made.agent == thread.initialiser(), peer = rank != warp_->cta;
  // Executed before, by a barrier of the cluster that tells nothing: the word lies in the memory of its own SM by then.
  if (!options_.strict && thread.lifetime().covers(made)) return note_peer(of, peer && !asynchronous);
  if (!own && !knows.seen.covers(made)) {
    tell_race(fmt::format("uses {}: nothing orders its initialisation before this", barrier_name(rank, offset)),
              {"between them belongs a barrier of the CTA, or of the cluster where another CTA's is used",
               "PTX ISA, mbarrier.init; memory consistency model, causality order"},
              0);
  } else if (peer && !knows.published.covers(made)) {
    tell_race(
        fmt::format("uses {}, whose initialisation has been told of within its CTA alone", barrier_name(rank, offset)),
        {"to mend: fence.mbarrier_init.release.cluster by who has initialised it, then a barrier of the cluster",
         "PTX ISA, fence.mbarrier_init"},
        1);
  } else if (options_.strict && asynchronous && !knows.async_shared.covers(made)) {
    tell_race(fmt::format("uses {}, which the copy engine or the tensor core signals, without a fence after its "
                          "initialisation",
                          barrier_name(rank, offset)),
              {"asked for by the ISA, breaks rarely: fence.mbarrier_init.release.cluster by who has initialised it",
               "PTX ISA, fence.mbarrier_init; async proxy"},
              2);
  }
  note_peer(of, peer && !asynchronous);
}

// A barrier of another CTA: what the warp tells from now on says that it was here.
void Executor::note_peer(BarrierOrder& of, bool reaches) {
  if (!reaches) return;
  order::Epoch epoch = warp_->order->thread.collective();
  of.last_signal = line_;
  for (order::Epoch& last : of.order.from_peers) {
    if (last.agent != epoch.agent) continue;
    last = epoch;
    return;
  }
  of.order.from_peers.push_back(epoch);
}

// Before the arrival itself, which may complete the phase. `tells`: not where bytes alone are announced.
void Executor::order_arrive(const Code& code, int rank, std::uint32_t offset, bool tells) {
  if (!ordering_) return;
  meet_lanes();
  use_barrier(rank, offset, false);
  if (!tells) return;
  order::Thread& thread = warp_->order->thread;
  order::Knowledge& gathered = order_of(rank, offset).order.gathered();
  if (code.relaxed) return thread.release_published(gathered, order_mask(), kNoLine);
  if (code.scope == Scope::none || code.scope == Scope::cta) return thread.release(gathered, order_mask(), kNoLine);
  order::Knowledge all;
  thread.release(all, order_mask(), kNoLine);
  all.published.join(all.seen);
  gathered.join(all);
}

void Executor::order_completed(int rank, std::uint32_t offset, bool completed) {
  if (ordering_ && completed) order_of(rank, offset).order.turn();
}

void Executor::order_waited(const Code& code, int rank, std::uint32_t offset) {
  if (!ordering_) return;
  use_barrier(rank, offset, false);
  ++warp_->order->waited[{rank, offset}];
  const order::Knowledge& completed = order_of(rank, offset).order.completed();
  if (code.relaxed) {
    relaxed().join(completed);
  } else {
    warp_->order->thread.acquire(completed, kNoLine);
  }
}

// ---- barriers of threads

void Executor::order_named_arrive(std::uint32_t number, bool sync) {
  if (!ordering_) return;
  order::Thread& thread = warp_->order->thread;
  if (sync) {
    thread.meet(kNoLine);
  } else {
    meet_lanes();
  }
  thread.release(cta().order.named[number].gathered(), ~0u, kNoLine);
}

void Executor::order_named_completed(std::uint32_t number) {
  if (ordering_) cta().order.named[number].turn();
}

void Executor::order_named_waited(Warp& warp, std::uint32_t number) {
  if (ordering_) warp.order->thread.acquire(cta().order.named[number].completed(), kNoLine);
}

void Executor::order_cluster_arrive(const Code& code) {
  if (!ordering_) return;
  order::Thread& thread = warp_->order->thread;
  ClusterOrder& of = *cluster_->order;
  thread.meet(kNoLine);
  if (code.relaxed) {
    thread.release_published(of.barrier.gathered(), ~0u, kNoLine);
  } else {
    order::Knowledge all;
    thread.release(all, ~0u, kNoLine);
    all.published.join(all.seen);
    of.barrier.gathered().join(all);
  }
  thread.release_life(of.life.gathered().seen);
}

// After an arrival, or the end of a warp.
void Executor::follow_cluster_barrier() {
  if (!ordering_) return;
  ClusterOrder& of = *cluster_->order;
  if (cluster_->barrier.generation() == of.generation) return;
  of.generation = cluster_->barrier.generation();
  of.barrier.turn();
  of.life.turn();
}

void Executor::order_cluster_waited() {
  if (!ordering_) return;
  ClusterOrder& of = *cluster_->order;
  warp_->order->thread.acquire_published(of.barrier.completed(), kNoLine);
  warp_->order->thread.lifetime().join(of.life.completed().seen);
}

void Executor::order_warp_sync() {
  if (ordering_) warp_->order->thread.meet(kNoLine);
}

void Executor::order_grid_wait() {
  if (ordering_ && cluster_->order->grid_before.agent.exists())
    warp_->order->thread.learn(cluster_->order->grid_before, kNoLine);
}

// ---- the copy engine

void Executor::order_load(Load& load) {
  if (!ordering_) return;
  meet_lanes();
  order::Epoch read{};
  for (Load::Target& target : load.targets) {
    use_barrier(target.barrier_cta, target.barrier, true);
    BarrierOrder& barrier = order_of(target.barrier_cta, target.barrier);
    order::Epoch epoch = barrier.order.begin(cluster_->order->agents);
    target.ticket = epoch.time;
    barrier.last_signal = line_;
    read = epoch;
    order::Actor fills = actor(epoch, Use::write, true, Space::shared);
    access_box(load.map, target.cta, target.shared, load.bytes, fills);
  }
  if (!read.agent.exists()) return;
  order::Actor reads = actor(read, Use::read, true, Space::global);
  if (load.map == 0 && (load.address >= kSharedWindow || load.address < 0x1000'0000)) {
    auto [rank, offset] = shared_place(load.address);
    if (rank < 0) return;
    reads.space = Space::shared;
    return access_shared(rank, offset, static_cast<std::uint32_t>(load.bytes), reads);
  }
  access_tensor_map(load.map, load.start, load.address, load.bytes, reads);
}

// What a box has of shared memory. A swizzle moves 16 bytes within what rows hold alone, but where rows are narrower
// than its span.
void Executor::access_box(std::uint64_t map, int rank, std::uint32_t shared, std::int64_t bytes,
                          const order::Actor& actor) {
  const TensorMapFields* of = map == 0 ? nullptr : tensor_map(map);
  if (of == nullptr || of->box[0] * of->element_bytes >= of->swizzle_span)
    return access_shared(rank, shared, static_cast<std::uint32_t>(bytes), actor);
  layout::Swizzle swizzle = layout::swizzle_of_span(of->swizzle_span, of->swizzle_atom);
  const std::int64_t row = of->box[0] * of->element_bytes;
  for (std::int64_t at = 0; at < bytes; at += 16) {
    std::int64_t place = swizzle(static_cast<std::int64_t>(shared) + at / row * of->swizzle_span + at % row);
    access_shared(rank, static_cast<std::uint32_t>(place), 16, actor);
  }
}

void Executor::access_tensor_map(std::uint64_t map, const std::array<std::int64_t, 5>& start, std::uint64_t address,
                                 std::int64_t bytes, const order::Actor& actor) {
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor); };
  order::Step step(ordering_->history, actor.entry, between, conflicts);
  auto told = [&](std::uint64_t at) {
    if (!conflicts.empty()) tell_conflicts(actor, global_name(at));
  };
  if (map == 0) {
    access_global(address, bytes, step);
    return told(address);
  }
  const TensorMapFields* of = tensor_map(map);
  if (of == nullptr) return;
  std::int64_t rows = 1;
  for (std::size_t i = 1; i < of->box.size(); ++i) rows *= of->box[i];
  const std::int64_t low = std::max<std::int64_t>(0, start[0]), high = std::min(of->extents[0], start[0] + of->box[0]);
  if (low >= high) return;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t rest = row, offset = low * of->element_bytes;
    bool inside = true;
    for (std::size_t i = 1; i < of->box.size(); ++i) {
      std::int64_t at = start[i] + rest % of->box[i];
      rest /= of->box[i];
      inside = inside && at >= 0 && at < of->extents[i];
      offset += at * of->strides[i - 1];
    }
    if (!inside) continue;
    std::uint64_t at = of->address + static_cast<std::uint64_t>(offset);
    access_global(at, (high - low) * of->element_bytes, step);
    told(at);
  }
}

void Executor::order_landed(const Load::Target& target) {
  if (ordering_ && target.ticket != 0) order_of(target.barrier_cta, target.barrier).order.end(target.ticket, kNoLine);
}

void Executor::order_store(const Store& store, int lane) {
  if (!ordering_) return;
  meet_lanes();
  WarpOrder& warp = *warp_->order;
  if (warp.elected < 0 && std::has_single_bit(mask_)) warp.elected = lane;
  LaneOrder& of = warp.lane(lane);
  if (!of.reads.exists()) {
    of.reads = cluster_->order->agents.make(order::AgentKind::store_read, false);
    of.writes = cluster_->order->agents.make(order::AgentKind::store_write, false);
  }
  of.stored = static_cast<std::uint32_t>(store.group) + 1;
  access_box(store.map, store.cta, store.shared, store.bytes,
             actor({of.reads, of.stored}, Use::read, true, Space::shared));
  order::Actor to = actor({of.writes, of.stored}, store.add ? Use::add : Use::write, true, Space::global);
  access_tensor_map(store.map, store.start, store.address, store.bytes, to);
}

// All groups of stores but the newest `newest` of each lane have been read, or written as well.
void Executor::order_stores_done(bool written, std::uint64_t newest) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  for (LaneOrder& of : warp.lanes) {
    if ((mask_ >> of.lane & 1) == 0 || !of.reads.exists()) continue;
    std::uint64_t open = warp_->bulk[static_cast<std::size_t>(of.lane)].open;
    if (open <= newest) continue;
    auto groups = static_cast<std::uint32_t>(open - newest);
    warp.thread.learn({of.reads, groups}, kNoLine);
    if (written) warp.thread.learn({of.writes, groups}, kNoLine);
  }
}

void Executor::order_copy_async(const std::uint64_t* to, const std::uint64_t* from, std::int64_t bytes,
                                std::uint32_t reading) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (!warp.copies.exists()) warp.copies = cluster_->order->agents.make(order::AgentKind::copying, false);
  order::Epoch epoch{warp.copies, warp.copies_now};
  const std::uint32_t all = mask_;
  mask_ = reading;
  if (reading != 0) order_lanes_as(Where::global, from, bytes, Use::read, epoch);
  mask_ = all;
  order_lanes_as(Where::shared, to, bytes, Use::write, epoch);
}

void Executor::order_copies_closed() {
  if (ordering_) ++warp_->order->copies_now;
}

// All groups but the newest; `all`: those that are not closed, too.
void Executor::order_copies_done(std::uint32_t newest, bool all) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (!warp.copies.exists()) return;
  std::uint32_t done = all ? warp.copies_now++ : warp.copies_now - 1 - std::min(newest, warp.copies_now - 1);
  if (done > 0) warp.thread.learn({warp.copies, done}, kNoLine);
}

// cp.async.mbarrier.arrive: once the copies that the lanes have begun are done.
void Executor::order_copies_arrive(int rank, std::uint32_t offset) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  use_barrier(rank, offset, false);
  if (warp.copies.exists()) order_of(rank, offset).order.gathered().seen.raise(warp.copies, warp.copies_now++);
}

void Executor::order_request(std::uint32_t answer, std::uint32_t barrier, int rank) {
  if (!ordering_) return;
  meet_lanes();
  use_barrier(rank, barrier, true);
  BarrierOrder& of = order_of(rank, barrier);
  of.last_signal = line_;
  order::Epoch epoch = of.order.begin(cluster_->order->agents);
  access_shared(rank, answer, 16, actor(epoch, Use::write, true, Space::shared));
  // Who gets the answer knows what the one that asked knew (memory consistency model, causality order).
  warp_->order->thread.release(of.order.gathered(), order_mask(), kNoLine);
  of.order.end(epoch.time, kNoLine);
}

// ---- tensor memory and the tensor core

namespace {

// Where 16 lanes of a column lie for order::Flat.
std::uint64_t tensor_place(std::uint32_t lanes, std::uint32_t column) {
  return (std::uint64_t{lanes} * machine::TensorMemory::kColumns + column) * order::Flat::kUnit;
}

}  // namespace

void Executor::access_tensor(int rank, std::uint32_t lanes, std::uint32_t column, std::uint32_t columns,
                             const order::Actor& actor) {
  constexpr std::uint32_t kColumns = machine::TensorMemory::kColumns;
  if (column >= kColumns) return;
  columns = std::min(columns, kColumns - column);
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor); };
  order::Step step(cluster_->order->history, actor.entry, between, conflicts);
  order::Flat& memory = cluster_->ctas[static_cast<std::size_t>(rank)]->order.tensor;
  memory.access(tensor_place(lanes, column), std::uint64_t{columns} * order::Flat::kUnit, step);
  if (!conflicts.empty()) tell_conflicts(actor, tensor_name(rank, column, columns));
}

// All lanes of some columns.
void Executor::access_columns(int rank, std::uint32_t address, std::uint32_t columns, const order::Actor& actor) {
  for (std::uint32_t lanes = 0; lanes < machine::TensorMemory::kLanes / 16; ++lanes)
    access_tensor(rank, lanes, address & 0xffff, columns, actor);
}

void Executor::order_tensor_registers(bool load, std::uint32_t first_lanes, std::uint32_t lanes, std::uint32_t column,
                                      std::uint32_t columns) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  order::Agent& agent = load ? warp.loads : warp.stores;
  if (!agent.exists())
    agent = cluster_->order->agents.make(load ? order::AgentKind::tensor_load : order::AgentKind::tensor_store, false);
  order::Epoch epoch{agent, load ? warp.loads_now++ : warp.stores_now};
  order::Actor who = actor(epoch, load ? Use::read : Use::write, false, Space::shared);
  for (std::uint32_t i = 0; i < lanes; ++i) access_tensor(warp_->cta, first_lanes + i, column, columns, who);
  if (load) warp.loading.push_back({epoch.time, line_});
}

// Somebody touches a register: a load of tensor memory that fills it is over by then. What the ISA asks for is
// tcgen05.wait::ld; libraries rest on this.
void Executor::touch_loading(const Code& code) {
  WarpOrder& warp = *warp_->order;
  auto fills = [&](const TensorLoading& loading) {
    const Code& load = code_.code[loading.line];
    for (std::size_t i = 3; i < load.count; ++i) {
      const Arg& filled = arg(load, i);
      for (std::size_t j = 0; j < code.count; ++j) {
        const Arg& touched = arg(code, j);
        if (touched.kind == Arg::Kind::reg && touched.bytes == filled.bytes && touched.offset == filled.offset)
          return true;
      }
    }
    return false;
  };
  auto gone = std::remove_if(warp.loading.begin(), warp.loading.end(), fills);
  if (gone == warp.loading.end()) return;
  warp.loading.erase(gone, warp.loading.end());
  // All before the oldest that is left.
  tensor_loads_done(warp.loading.empty() ? warp.loads_now - 1 : warp.loading.front().time - 1);
}

void Executor::tensor_loads_done(std::uint32_t time) {
  WarpOrder& warp = *warp_->order;
  if (time <= warp.loads_done || !warp.loads.exists()) return;
  warp.loads_done = time;
  warp.thread.learn({warp.loads, time}, kNoLine);
}

void Executor::order_tensor_wait(bool load) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (load) {
    warp.loading.clear();
    tensor_loads_done(warp.loads_now - 1);
  } else if (warp.stores.exists()) {
    warp.thread.learn({warp.stores, warp.stores_now++}, kNoLine);
  }
}

order::Epoch Executor::queue_epoch(int lane) {
  WarpOrder& warp = *warp_->order;
  if (warp.elected < 0 && std::has_single_bit(mask_)) warp.elected = lane;
  LaneOrder& of = warp.lane(lane);
  if (!of.queue.exists()) of.queue = cluster_->order->agents.make(order::AgentKind::queue, false);
  return {of.queue, of.queue_now};
}

void Executor::access_operand(int rank, const machine::OperandImage& image, const order::Actor& actor) {
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor); };
  order::Step step(cluster_->order->history, actor.entry, between, conflicts);
  order::Flat& memory = cluster_->ctas[static_cast<std::size_t>(rank)]->order.shared;
  for (const machine::OperandImage::Units& units : image.units) {
    memory.access_units(units.offset, units.mask, step);
    if (conflicts.empty()) continue;
    std::uint32_t at = units.offset + order::Flat::kUnit * static_cast<std::uint32_t>(std::countr_zero(units.mask));
    tell_conflicts(actor, shared_name(rank, at, order::Flat::kUnit));
  }
}

void Executor::order_mma(const machine::TensorCore::Ready& ready, const llvm::SmallVector<int, 2>& ctas, int lane) {
  if (!ordering_) return;
  meet_lanes();
  order::Epoch epoch = queue_epoch(lane);
  order::Actor reads = actor(epoch, Use::read, true, Space::shared),
               adds = actor(epoch, Use::write, true, Space::shared);
  // MMAs of one accumulator and shape are in order (PTX ISA, tcgen05, pipelined instructions).
  adds.entry.footprint = ready.mma.d * 31 + static_cast<std::uint32_t>(ready.instruction.m) * 1009 +
                         static_cast<std::uint32_t>(ready.instruction.n) * 2 + ready.mma.pair;
  for (int rank : ctas) {
    if (ready.a != nullptr) access_operand(rank, *ready.a, reads);
    if (ready.b != nullptr) access_operand(rank, *ready.b, reads);
    if (ready.mma.a_in_tensor) access_columns(rank, static_cast<std::uint32_t>(ready.mma.a), kOperandColumns, reads);
    if (ready.mma.scales) {
      order::Actor scales = reads;
      scales.entry.footprint = kPipelined;  // by copies of the same thread: in order
      access_columns(rank, ready.mma.scales->a, scale_columns(ready.instruction.m), scales);
      access_columns(rank, ready.mma.scales->b, scale_columns(ready.instruction.n), scales);
    }
    for (const machine::AccumulatorRun& run : ready.d->runs) {
      std::uint32_t row = (ready.mma.d >> 16) + static_cast<std::uint32_t>(run.lane);
      if (row % 16 != 0) continue;
      access_tensor(rank, row / 16, (ready.mma.d & 0xffff) + static_cast<std::uint32_t>(run.column),
                    static_cast<std::uint32_t>(run.count), adds);
    }
  }
}

// tcgen05.cp: in order with what its thread begins after it.
void Executor::order_tensor_copy(const machine::TensorCore::ReadyCopy& ready, const llvm::SmallVector<int, 2>& ctas,
                                 int lane) {
  if (!ordering_) return;
  meet_lanes();
  order::Epoch epoch = queue_epoch(lane);
  order::Actor reads = actor(epoch, Use::read, true, Space::shared),
               fills = actor(epoch, Use::write, true, Space::shared);
  fills.entry.footprint = kPipelined;
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, reads); };
  for (int rank : ctas) {
    order::Step step(cluster_->order->history, reads.entry, between, conflicts);
    order::Flat& memory = cluster_->ctas[static_cast<std::size_t>(rank)]->order.shared;
    for (std::size_t i = 0; i < ready.addresses.size(); i += order::Flat::kUnit / 4) {
      memory.access(ready.addresses[i], order::Flat::kUnit, step);
      if (!conflicts.empty()) tell_conflicts(reads, shared_name(rank, ready.addresses[i], order::Flat::kUnit));
    }
    access_columns(rank, ready.copy.to, static_cast<std::uint32_t>(ready.copy.bytes) / 4, fills);
  }
}

void Executor::order_commit(TensorWork& commit, int lane) {
  if (!ordering_) return;
  order::Epoch done = queue_epoch(lane);
  LaneOrder& issuer = warp_->order->lane(lane);
  ++issuer.queue_now;
  commit.knows = std::make_shared<order::Knowledge>();
  warp_->order->thread.release_acquired(*commit.knows, kNoLine);
  commit.knows->seen.raise(done.agent, done.time);
  commit.knows->seen.join(issuer.committed);
  for (int rank : commit.ctas) {
    if (rank < 0) {
      commit.tickets.push_back(0);
      continue;
    }
    use_barrier(rank, commit.barrier, true);
    BarrierOrder& of = order_of(rank, commit.barrier);
    order::Epoch ticket = of.order.begin(cluster_->order->agents);
    commit.tickets.push_back(ticket.time);
    issuer.committed.raise(ticket.agent, ticket.time);
    of.last_signal = line_;
  }
}

void Executor::order_committed(const TensorWork& commit, std::size_t which) {
  if (!ordering_ || which >= commit.tickets.size() || commit.tickets[which] == 0) return;
  order::Barrier& of = order_of(commit.ctas[which], commit.barrier).order;
  of.gathered().join(*commit.knows);
  of.end(commit.tickets[which], kNoLine);
}

void Executor::order_allocated(std::uint32_t word) {
  if (!ordering_) return;
  CtaOrder& of = cta().order;
  of.allocated = warp_->order->thread.collective();
  access_shared(warp_->cta, word, 4, actor(of.allocated, Use::write, false, Space::shared));
}

void Executor::order_free(std::uint32_t column, std::uint32_t columns, bool pair) {
  if (!ordering_) return;
  meet_lanes();
  order::Thread& thread = warp_->order->thread;
  access_columns(warp_->cta, column, columns, actor(thread.collective(), Use::write, false, Space::shared));
  // PTX ISA, tcgen05.dealloc of a pair: both CTAs have allocated by then.
  int peer = warp_->cta ^ 1;
  if (!pair || peer >= static_cast<int>(cluster_->ctas.size())) return;
  const order::Epoch& other = cluster_->ctas[static_cast<std::size_t>(peer)]->order.allocated;
  if (!other.agent.exists() || thread.knows().seen.covers(other) || thread.lifetime().covers(other)) {
    if (other.agent.exists()) return;
  }
  tell_race("tensor memory of a pair is freed: nothing orders that after its allocation by the pair's other CTA",
            {"to mend: a barrier of the cluster between the two", "PTX ISA, tcgen05.dealloc"}, 3);
}

// ---- wgmma: what one warp does is the warpgroup's

void Executor::order_wgmma(const machine::WarpgroupCore::Ready& ready) {
  if (!ordering_) return;
  meet_lanes();
  order::Agent& agent = cta().order.warpgroups[static_cast<std::size_t>(warp_->number / 4) % 8];
  if (!agent.exists()) agent = cluster_->order->agents.make(order::AgentKind::queue, false);
  order::Actor reads = actor({agent, warp_->order->computing_now}, Use::read, true, Space::shared);
  if (ready.a != nullptr) access_operand(warp_->cta, *ready.a, reads);
  if (ready.b != nullptr) access_operand(warp_->cta, *ready.b, reads);
}

// A fence of wgmma: its warps have waited for each other. What they know of each other then, the ISA does not say.
void Executor::order_warpgroup_met(bool arrives) {
  if (!ordering_ || options_.strict) return;
  order::Thread& thread = warp_->order->thread;
  order::Barrier& met = cta().order.met[static_cast<std::size_t>(warp_->number / 4) % 8];
  if (arrives) {
    thread.meet(kNoLine);
    thread.release(met.gathered(), ~0u, kNoLine);
  } else {
    thread.acquire(met.completed(), kNoLine);
  }
}

void Executor::order_warpgroup_complete() {
  if (ordering_) cta().order.met[static_cast<std::size_t>(warp_->number / 4) % 8].turn();
}

void Executor::order_wgmma_closed() {
  if (ordering_) ++warp_->order->computing_now;
}

void Executor::order_wgmma_done(std::uint32_t newest) {
  if (!ordering_) return;
  const order::Agent& agent = cta().order.warpgroups[static_cast<std::size_t>(warp_->number / 4) % 8];
  std::uint32_t closed = warp_->order->computing_now - 1;
  if (agent.exists() && closed > newest) warp_->order->thread.learn({agent, closed - newest}, kNoLine);
}

// ---- beginning and end

void Executor::order_begin(Cluster& cluster) {
  if (!ordering_) return;
  cluster.order = std::make_unique<ClusterOrder>();
  ClusterOrder& of = *cluster.order;
  of.agents.global = &of.global_agents;
  of.serial = static_cast<std::uint32_t>(ordering_->begun.size());
  ordering_->begun.push_back(cluster.ctas[0]->id);
  of.grid_before = {of.agents.make(order::AgentKind::collective, false), 1};
  for (const auto& warp : cluster.warps)
    warp->order = std::make_unique<WarpOrder>(of.agents, order::warp_id(of.serial, warp->cta, warp->number));
}

// A warp has ended: who reaches into its CTA from now on, or may, finds it gone.
void Executor::order_end_of_warp() {
  if (!ordering_) return;
  CtaOrder& of = cta().order;
  order::Thread& thread = warp_->order->thread;
  thread.meet(kNoLine);
  thread.release_life(of.life);
  // Who ends has arrived at the cluster's barrier.
  thread.release_life(cluster_->order->life.gathered().seen);
  if (options_.strict) {
    for (const LaneOrder& lane : warp_->order->lanes) {
      if (!lane.reads.exists() || thread.knows().seen.at(lane.reads) >= lane.stored) continue;
      tell_race("ends with stores of the copy engine that may still read its CTA's shared memory",
                {"asked for by the ISA, breaks rarely: cp.async.bulk.wait_group.read 0 before the end",
                 "PTX ISA, cp.async.bulk.wait_group"},
                4);
    }
  }
  int warps = static_cast<int>(cluster_->warps.size() / cluster_->ctas.size());
  if (++of.left == warps) leave_cta(warp_->cta);
}

void Executor::leave_cta(int rank) {
  CtaOrder& gone = cluster_->ctas[static_cast<std::size_t>(rank)]->order;
  auto reaches = [&](const std::string& what, std::uint32_t line) {
    std::uint32_t present = line_;
    if (line != ~0u) line_ = line;
    tell_race(fmt::format("reaches {}, in a CTA that may have ended by then", what),
              {"to mend: the CTA that is reached waits for this before it ends: on the barrier, or on the cluster's",
               "PTX ISA, cluster of CTAs: shared memory of another CTA exists while that CTA does"},
              5);
    line_ = present;
  };
  for (const auto& [offset, barrier] : gone.barriers) {
    bool all = barrier.order.all_ended_in(gone.life);
    for (const order::Epoch& epoch : barrier.order.from_peers) all = all && gone.life.covers(epoch);
    if (!all) reaches(barrier_name(rank, offset), barrier.last_signal);
  }
  const order::History& history = cluster_->order->history;
  gone.shared.for_each([&](std::uint32_t list, std::uint64_t at) {
    for (std::uint32_t node = list; node != 0; node = history.node(node).next) {
      const order::Entry& entry = history.entry(node);
      if (gone.life.covers(entry.epoch)) continue;
      bool from_outside = !order::same_cta(entry.who, warp_->order->thread.who());
      order::AgentKind kind = entry.epoch.agent.kind();
      bool asynchronous = kind == order::AgentKind::queue || kind == order::AgentKind::arriving;
      if (from_outside || asynchronous)
        reaches(shared_name(rank, static_cast<std::uint32_t>(at), order::Flat::kUnit), entry.line);
    }
  });
}

}  // namespace warpcc::checker::ptx
