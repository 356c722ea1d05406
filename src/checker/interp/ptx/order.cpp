// What the order of accesses is told of a PTX kernel: who accesses what through which proxy, and what hands knowledge
// on (PTX ISA, memory consistency model; docs/programs.md says what is looked at).
#include "checker/interp/ptx/order.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

using order::Space;
using order::Use;
using order::Why;

namespace {

bool writes(Use use) {
  return use != Use::read && use != Use::strong_read;
}

std::vector<std::string> ended_details() {
  return {"to mend: the CTA that is reached waits for this before it ends: on the barrier, or on the cluster's",
          "PTX ISA, cluster of CTAs: shared memory of another CTA exists while that CTA does"};
}

// Of each agent the last.
void remember(llvm::SmallVectorImpl<order::Epoch>& last, order::Epoch epoch) {
  for (order::Epoch& each : last) {
    if (each.agent == epoch.agent) {
      each = epoch;
      return;
    }
  }
  last.push_back(epoch);
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

void Executor::note_elected() {
  WarpOrder& of = *warp_->order;
  if (of.elected < 0 && std::has_single_bit(mask_)) of.elected = std::countr_zero(mask_);
}

order::Epoch Executor::lanes_epoch() {
  note_elected();
  return warp_->order->thread.access(order_mask(), false);
}

order::Epoch Executor::signal_epoch() {
  note_elected();
  return warp_->order->thread.signal(order_mask(), false);
}

// Whether what `first` did happened before `now`.
Why Executor::order_between(const order::Entry& first, const order::Actor& now, int rank) const {
  const order::Agent agent = first.epoch.agent;
  if (now.constant && writes(first.use)) return Why::unordered;
  if (first.who >> 9 != now.entry.who >> 9) {
    const order::Others* others = now.thread->knows().others.get();
    if (others == nullptr) return Why::unordered;
    auto found = others->clusters.find(first.who >> 9);
    if (found == others->clusters.end() || !found->second.seen.covers(first.epoch)) return Why::unordered;
    if (found->second.async.covers(first.epoch) || !now.asynchronous || !writes(first.use)) return Why::ordered;
    if (agent.generic()) return Why::proxy;
    // Of what another CTA's copy engine has stored, the documents alone ask for it.
    const bool stored = agent.kind() == order::AgentKind::store_write && now.space == Space::global;
    return options_.strict && stored ? Why::proxy_read : Why::ordered;
  }
  if (agent.kind() == order::AgentKind::queue && agent == now.entry.epoch.agent &&
      (first.footprint == kPipelined || now.entry.footprint == kPipelined)) {
    // What an MMA reads of tensor memory and a copy writes is no pair that the ISA lists.
    const bool listed = !options_.strict || writes(first.use) || !writes(now.entry.use);
    return listed || now.thread->knows().seen.covers(first.epoch) ? Why::ordered : Why::unordered;
  }
  Why why = order::between(first, now, [](const order::Entry&, const order::Entry&) { return true; });
  if (why == Why::lanes && !options_.strict) return Why::ordered;
  // A queue reads what an MMA multiplies before it writes what the next one leaves, though the ISA promises it of one
  // accumulator alone (kernels of attention put scores where the weights of the step before lie).
  if (why == Why::overlap && !options_.strict && !writes(first.use)) return Why::ordered;
  // A warp's loads and stores of tensor memory go through one pipe, whatever the ISA says of them (CUTLASS's stream-K
  // stores what it has summed up and loads it again).
  auto of_tensor = [](order::Agent each) {
    return each.kind() == order::AgentKind::tensor_load || each.kind() == order::AgentKind::tensor_store;
  };
  if (!options_.strict && first.who == now.entry.who && of_tensor(agent) && of_tensor(now.entry.epoch.agent))
    return Why::ordered;
  if (first.who == now.entry.who && !writes(first.use) && !now.asynchronous &&
      warp_->order->maps_read.covers(first.epoch))
    return Why::ordered;
  // What a CTA's threads have written into its own memory, with a fence of the proxies behind it, the pair's MMA reads
  // there, whichever of the two CTAs issues it (CUTLASS tells of converted operands by arrivals of the CTA's scope).
  const int written_by = static_cast<int>(first.who >> 5 & 15);
  if (why == Why::scope && !options_.strict && now.asynchronous && rank == written_by) return Why::ordered;
  // Executed before, by a relaxed barrier of the cluster: within an SM that is order enough, whatever the ISA says of
  // it.
  const bool of_own_sm = now.space == Space::shared && (!agent.generic() || order::same_cta(first.who, now.entry.who));
  const bool crosses = agent.generic() && now.asynchronous && writes(first.use);
  if (why == Why::unordered && !options_.strict && of_own_sm && !crosses && now.thread->lifetime().covers(first.epoch))
    return Why::ordered;
  // Copies by lanes are of the generic proxy: another CTA sees what has been published (PTX ISA, cp.async).
  const order::Knowledge& knows = now.thread->knows();
  const bool by_lanes = agent.kind() == order::AgentKind::copying;
  if (why == Why::ordered && by_lanes && writes(first.use) && !order::same_cta(first.who, now.entry.who) &&
      !knows.published.covers(first.epoch))
    return Why::scope;
  const order::Clock& sees = now.space == Space::shared ? knows.async_shared : knows.async_global;
  if (why == Why::ordered && first.footprint == kGeneric && agent.kind() == order::AgentKind::arriving &&
      now.asynchronous && !sees.covers(first.epoch))
    return Why::proxy;
  if (why != Why::ordered || !options_.strict) return why;
  // Libraries leave the fence out (CUTLASS, tutorials of Hopper).
  if (by_lanes && now.asynchronous && !sees.covers(first.epoch)) return Why::proxy;
  return why;
}

// ---- accesses

// Shared memory of another CTA is there once that CTA has begun, until it has ended.
void Executor::reach_peer(int rank, std::uint32_t offset, std::uint32_t bytes) {
  const CtaOrder& peer = cluster_->ctas[static_cast<std::size_t>(rank)]->order;
  const order::Thread& thread = warp_->order->thread;
  if (peer.gone) {
    tell_race(fmt::format("reaches {}, in a CTA that may have ended by then", shared_name(rank, offset, bytes)),
              ended_details(), 5);
  } else if (!thread.knows().seen.covers(peer.begun) && !thread.lifetime().covers(peer.begun)) {
    tell_race(fmt::format("reaches {}, in a CTA that may not have begun by then", shared_name(rank, offset, bytes)),
              {"to mend: a barrier of the cluster before the first access to another CTA's shared memory",
               "CUDA programming guide, distributed shared memory: all CTAs of the cluster have started executing"},
              6);
  }
}

void Executor::access_shared(int rank, std::uint32_t offset, std::uint32_t bytes, order::Actor actor) {
  if (rank != warp_->cta) reach_peer(rank, offset, bytes);
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor, rank); };
  order::Step step(cluster_->order->history, actor.entry, between, conflicts);
  cluster_->ctas[static_cast<std::size_t>(rank)]->order.shared.access(offset, bytes, step);
  if (!conflicts.empty()) tell_conflicts(actor, shared_name(rank, offset, bytes));
}

// A launch that does not wait for the grids before it does so by griddepcontrol.wait, before it disturbs what they do.
// That tells that the grid before has ended, and of those before that one only what it has waited for itself.
void Executor::order_after_grids(const DeviceMemory::Allocation& of, bool reads) {
  const std::uint64_t before = memory_.launches - 1;
  const bool waited = warp_->order->thread.knows().seen.covers(cluster_->order->grid_before);
  auto runs = [&](std::uint64_t launch) { return launch >= memory_.first_open && launch < before + (waited ? 0 : 1); };
  // Of a launch by itself nobody knows what came before it.
  if (before == 0 ? waited : !runs(of.written_in) && (reads || !runs(of.read_in))) return;
  if (!waited)
    return report(
        Finding::Kind::protocol,
        "reaches global memory before this warp, or one that it has heard from, has waited for the grid "
        "before (griddepcontrol.wait), which the launch does not wait for",
        {"to mend: griddepcontrol.wait before this, in this warp or in one that it hears from on every path"});
  report(
      Finding::Kind::protocol,
      fmt::format("reaches global memory that launch {} has {}: launch {}, which this one has waited for, may end "
                  "before it, since no warp of it has waited (griddepcontrol.wait)",
                  runs(of.written_in) ? of.written_in : of.read_in, runs(of.written_in) ? "written" : "read", before),
      {"to mend: griddepcontrol.wait in the launch between as well, or that one is launched without the attribute",
       "PTX ISA, griddepcontrol.wait: it waits for the prerequisite grids, and these are those just before"});
}

// What a launch that began early reads by .nc, no grid before it writes once it has begun: waiting does not change
// that.
void Executor::order_constant(const std::uint64_t* addresses) {
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const DeviceMemory::Allocation* of = memory_.find(addresses[std::countr_zero(rest)], 1);
    if (of == nullptr || of->written_in < memory_.first_open || of->written_in >= memory_.launches) continue;
    return report(
        Finding::Kind::protocol,
        fmt::format("reads by .nc what launch {} has written, when this one may have begun: that is for what is "
                    "read only while the kernel runs, and may be moved before griddepcontrol.wait",
                    of->written_in),
        {"to mend: ld.global without .nc (in CUDA C++: no __ldg, and no const with __restrict__)",
         "PTX ISA, ld.global.nc", "asked for by the ISA, breaks rarely in practice (--strict)"});
  }
}

void Executor::access_global(std::uint64_t address, std::int64_t bytes, order::Step& step) {
  LaunchOrder& all = *ordering_;
  DeviceMemory::Allocation* of = memory_.find(address, bytes);
  if (of == nullptr) return;
  if (launch_.dependent) order_after_grids(*of, step.reads());
  (step.reads() ? of->read_in : of->written_in) = memory_.launches;
  if (all.last == nullptr || all.last_begin != of->begin) {
    all.last = &all.global[of->begin];
    all.last_begin = of->begin;
  }
  all.last->access(address - of->begin, static_cast<std::uint64_t>(bytes), step);
}

void Executor::order_lanes(Where where, const std::uint64_t* addresses, std::int64_t bytes, Use use, bool constant) {
  if (!ordering_) return;
  order_lanes_as(where, addresses, bytes, use, lanes_epoch(), constant);
}

void Executor::order_lanes_as(Where where, const std::uint64_t* addresses, std::int64_t bytes, Use use,
                              order::Epoch epoch, bool constant) {
  auto space_of = [&](std::uint64_t address) {
    if (where != Where::generic) return where;
    if (address >= kSharedWindow && address < kSharedWindow + kWindow) return Where::shared;
    if (address >= kParamWindow && address < kSharedWindow) return Where::local;
    return Where::global;
  };
  order::Actor in_shared = actor(epoch, use, false, Space::shared), in_global = actor(epoch, use, false, Space::global);
  // What it writes to other CTAs is by an agent of its own: a fence of the proxies of its own CTA leaves it out.
  order::Actor in_peer = in_shared;
  if (use == Use::write && epoch.agent.kind() != order::AgentKind::copying && cluster_->ctas.size() > 1) {
    const bool peer = std::any_of(addresses, addresses + kLanes, [&](const std::uint64_t& address) {
      const bool runs = mask_ >> (&address - addresses) & 1;
      return runs && space_of(address) == Where::shared && shared_place(address).first != warp_->cta;
    });
    if (peer) in_peer.entry.epoch = warp_->order->thread.access(order_mask(), true);
  }
  in_global.constant = constant;
  if (constant && options_.strict && launch_.dependent) order_constant(addresses);
  order::Conflicts& conflicts = ordering_->conflicts;
  std::uint64_t here = 0;
  auto between = [&](const order::Entry& first) {
    Why why = order_between(first, in_global);
    const bool followed = why == Why::unordered && first.use == Use::strong_write && !options_.strict && saw_last(here);
    return followed ? Why::ordered : why;
  };
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
        access_shared(rank, offset, static_cast<std::uint32_t>(end - begin), rank == warp_->cta ? in_shared : in_peer);
    } else {
      here = begin;
      access_global(begin, static_cast<std::int64_t>(end - begin), step);
      if (!conflicts.empty()) tell_conflicts(in_global, global_name(begin));
    }
  }
}

// ---- mbarriers

BarrierOrder& Executor::order_of(int rank, std::uint32_t offset) {
  return cluster_->ctas[static_cast<std::size_t>(rank)]->order.barriers[offset];
}

void Executor::order_init(int rank, std::uint32_t offset) {
  if (!ordering_ || rank < 0) return;
  note_elected();
  BarrierOrder& barrier = order_of(rank, offset);
  barrier.uses.clear();
  ++barrier.made;
  barrier.heard = -1;
  barrier.order.initialised = warp_->order->thread.initialise();
  access_shared(rank, offset, 8, actor(barrier.order.initialised, Use::write, false, Space::shared));
}

void Executor::order_invalidated(int rank, std::uint32_t offset) {
  if (!ordering_ || rank < 0) return;
  BarrierOrder& of = order_of(rank, offset);
  const order::Clock& seen = warp_->order->thread.knows().seen;
  bool all = of.order.all_ended_in(seen);
  for (const order::Epoch& use : of.uses) all = all && seen.covers(use);
  if (!all)
    tell_race(
        fmt::format("invalidates {}: nothing orders all that uses it before this", barrier_name(rank, offset)),
        {"to mend: wait for the last phase that anything signals, and a barrier of all who wait for it or arrive at "
         "it, before mbarrier.inval",
         "PTX ISA, mbarrier.inval"},
        7);
}

// Arrives at it, or has waited for it.
void Executor::note_use(int rank, std::uint32_t offset) {
  remember(order_of(rank, offset).uses, warp_->order->thread.collective());
}

// Whether it has been initialised for who uses it now.
void Executor::use_barrier(int rank, std::uint32_t offset, bool asynchronous) {
  BarrierOrder& of = order_of(rank, offset);
  const order::Epoch& made = of.order.initialised;
  if (!made.agent.exists()) return;
  order::Thread& thread = warp_->order->thread;
  const order::Knowledge& knows = thread.knows();
  const bool own = made.agent == thread.initialiser(), peer = rank != warp_->cta;
  if (peer && cluster_->ctas[static_cast<std::size_t>(rank)]->order.gone)
    return tell_race(fmt::format("reaches {}, in a CTA that may have ended by then", barrier_name(rank, offset)),
                     ended_details(), 5);
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
  of.last_signal = line_;
  remember(of.order.from_peers, warp_->order->thread.collective());
}

// Before the arrival itself, which may complete the phase. `tells`: not where bytes alone are announced.
void Executor::order_arrive(const Code& code, int rank, std::uint32_t offset, bool tells) {
  if (!ordering_) return;
  meet_lanes();
  use_barrier(rank, offset, false);
  note_use(rank, offset);
  if (!tells) return;
  order::Thread& thread = warp_->order->thread;
  order::Knowledge& gathered = order_of(rank, offset).order.gathered();
  if (code.relaxed) {
    // Who waits is of the barrier's CTA: a fence of that scope before it is enough there.
    if (rank == warp_->cta && warp_->order->fenced) gathered.join(*warp_->order->fenced);
    return thread.release_published(gathered, order_mask(), kNoLine);
  }
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
  note_use(rank, offset);
  tell_missed(rank, offset);
  const order::Knowledge& completed = order_of(rank, offset).order.completed();
  if (code.relaxed) {
    relaxed().join(completed);
    warp_->order->thread.know_executed(completed.seen);
  } else if (code.scope != Scope::cluster && cluster_->ctas.size() > 1) {
    warp_->order->thread.acquire_in_cta(completed, kNoLine);
    relaxed().published.join(completed.published);  // of other CTAs: from a fence of theirs on
  } else {
    warp_->order->thread.acquire(completed, kNoLine);
    if (relaxes_) warp_->order->thread.acquire_published(completed, kNoLine);
  }
}

// ---- barriers of threads

void Executor::order_named_arrive(std::uint32_t number, bool sync) {
  if (!ordering_) return;
  order::Thread& thread = warp_->order->thread;
  order::Barrier& of = cta().order.named[number];
  if (!of.is_over_in(thread.knows().seen))
    report(Finding::Kind::named_barrier,
           fmt::format(
               "named barrier {}: nothing tells this warp that the phase before is complete: it may arrive in that "
               "one, a second time or in another's place",
               number),
           {"to mend: it hears from who has waited for that phase before it arrives, or uses a barrier of its own",
            "PTX ISA, bar: a barrier is reused once it has completed"});
  if (sync) {
    thread.meet(kNoLine);
  } else {
    meet_lanes();
  }
  thread.release(of.gathered(), ~0u, kNoLine);
}

void Executor::order_named_completed(std::uint32_t number) {
  if (ordering_) cta().order.named[number].turn();
}

void Executor::order_named_waited(Warp& warp, std::uint32_t number) {
  if (!ordering_) return;
  order::Barrier& of = cta().order.named[number];
  warp.order->thread.acquire(of.completed(), kNoLine);
  // Where all wait nobody is left who could come again without having heard.
  if (!cta().of_all[number]) of.heard(warp.order->thread.collective());
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
  memory_.waited = true;
  if (ordering_ && cluster_->order->grid_before.agent.exists())
    warp_->order->thread.learn(cluster_->order->grid_before, kNoLine);
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
  for (const auto& cta : cluster.ctas) cta->order.begun = {of.agents.make(order::AgentKind::collective, false), 1};
  for (const auto& warp : cluster.warps) {
    warp->order = std::make_unique<WarpOrder>(of.agents, order::warp_id(of.serial, warp->cta, warp->number));
    warp->order->thread.learn_published(cluster.ctas[static_cast<std::size_t>(warp->cta)]->order.begun);
  }
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
      std::string place = place_text(lane.last_store);
      tell_race(fmt::format("ends with stores of the copy engine that may still read its CTA's shared memory: {}{}",
                            place.empty() ? place : place + ": ", line_text(lane.last_store)),
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
  gone.gone = true;
  auto reaches = [&](const std::string& what, std::uint32_t line) {
    std::uint32_t present = line_;
    if (line != ~0u) line_ = line;
    tell_race(fmt::format("reaches {}, in a CTA that may have ended by then", what), ended_details(), 5);
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
