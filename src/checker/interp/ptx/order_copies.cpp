// What the order is told of the copy engine (order.h).
#include <algorithm>

#include "checker/interp/ptx/combine.h"
#include "checker/interp/ptx/executor.h"
#include "checker/interp/ptx/order.h"

namespace warpcc::checker::ptx {

using order::Space;
using order::Use;

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
    const Use use = load.operation < 0 ? Use::write : use_of_reduction(load.operation, load.type);
    order::Actor fills = actor(epoch, use, true, Space::shared);
    access_box(load.map, target.cta, target.shared, load.bytes, fills);
  }
  if (!read.agent.exists()) return;
  if (load.map != nullptr) {
    order_map_read(load.map_at, read);
    warp_->order->loads_by_map.raise(read.agent, read.time);
  }
  order::Actor reads = actor(read, Use::read, true, Space::global);
  if (load.map == nullptr && (load.address >= kSharedWindow || load.address < 0x1000'0000)) {
    auto [rank, offset] = shared_place(load.address);
    if (rank < 0) return;
    reads.space = Space::shared;
    return access_shared(rank, offset, static_cast<std::uint32_t>(load.bytes), reads);
  }
  access_tensor_map(load.map, load.start, load.address, load.bytes, reads);
}

// What a box has of shared memory. A swizzle moves 16 bytes within what rows hold alone, but where rows are narrower
// than its span.
void Executor::access_box(const TensorMapFields* of, int rank, std::uint32_t shared, std::int64_t bytes,
                          const order::Actor& actor) {
  if (of == nullptr || of->box[0] * of->element_bytes >= of->swizzle_span)
    return access_shared(rank, shared, static_cast<std::uint32_t>(bytes), actor);
  layout::Swizzle swizzle = layout::swizzle_of_span(of->swizzle_span, of->swizzle_atom);
  const std::int64_t row = of->box[0] * of->element_bytes;
  for (std::int64_t at = 0; at < bytes; at += 16) {
    std::int64_t place = swizzle(static_cast<std::int64_t>(shared) + at / row * of->swizzle_span + at % row);
    access_shared(rank, static_cast<std::uint32_t>(place), 16, actor);
  }
}

void Executor::access_tensor_map(const TensorMapFields* of, const BoxStart& start, std::uint64_t address,
                                 std::int64_t bytes, const order::Actor& actor) {
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor); };
  order::Step step(ordering_->history, actor.entry, between, conflicts);
  auto told = [&](std::uint64_t at) {
    if (!conflicts.empty()) tell_conflicts(actor, global_name(at));
  };
  if (of == nullptr) {
    access_global(address, bytes, step);
    return told(address);
  }
  const std::int64_t low = std::max<std::int64_t>(0, start.at[0]),
                     high = std::min(of->extents[0], start.at[0] + of->box[0]);
  if (low >= high) return;
  for (std::int64_t row = 0, rows = of->rows(); row < rows; ++row) {
    const std::optional<std::int64_t> offset = of->row_offset(start, row);
    if (!offset) continue;
    std::uint64_t at = of->address + static_cast<std::uint64_t>(*offset + of->bytes_of(low));
    access_global(at, of->bytes_of(high - low), step);
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
  of.last_store = line_;
  if (store.map != nullptr) order_map_read(store.map_at, {of.reads, of.stored});
  access_box(store.map, store.cta, store.shared, store.bytes,
             actor({of.reads, of.stored}, Use::read, true, Space::shared));
  const Use use = store.operation < 0 ? Use::write : use_of_reduction(store.operation, store.type);
  order::Actor to = actor({of.writes, of.stored}, use, true, Space::global);
  access_tensor_map(store.map, store.start, store.address, store.bytes, to);
}

// All groups of stores but the newest `newest` of each lane have been read, or written as well. Libraries wait so for
// loads too before they change the map that these were made by (CUTLASS, tma_desc_wait_group), though an mbarrier, and
// no group, is told of them.
void Executor::order_stores_done(bool written, std::uint64_t newest) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (newest == 0 && !options_.strict) warp.maps_read.join(warp.loads_by_map);
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
  warp.copied |= mask_;
  const std::uint32_t all = mask_;
  mask_ = reading;
  if (reading != 0) order_lanes_as(Where::global, from, bytes, Use::read, epoch);
  mask_ = all;
  order_lanes_as(Where::shared, to, bytes, Use::write, epoch);
}

void Executor::order_copies_closed() {
  if (ordering_) ++warp_->order->copies_now;
}

// All groups but the newest; `all`: those that are not closed, too. Groups are a lane's own: over once all lanes that
// have begun some have waited.
void Executor::order_copies_done(std::uint32_t newest, bool all) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (!warp.copies.exists()) return;
  warp.waited_for_copies |= mask_;
  if ((warp.copied & ~warp.waited_for_copies) != 0) return;
  warp.waited_for_copies = 0;
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

// st.async, red.async: done at once here, and known to who waits for the phase that they bring bytes to.
void Executor::order_remote(const Place& to, std::int64_t bytes, int rank, std::uint32_t barrier, bool adds) {
  if (!ordering_ || rank < 0) return;
  meet_lanes();
  use_barrier(rank, barrier, true);
  BarrierOrder& of = order_of(rank, barrier);
  of.last_signal = line_;
  const order::Epoch epoch = of.order.begin(cluster_->order->agents);
  order::Actor writes = actor(epoch, adds ? Use::add : Use::write, false, Space::shared);
  writes.entry.footprint = kGeneric;
  access_shared(static_cast<int>(to.shared->rank), to.offset, static_cast<std::uint32_t>(bytes), writes);
  of.order.end(epoch.time, kNoLine);
}

// `refused`: the answer says that no work is left.
void Executor::order_request(std::uint32_t answer, std::uint32_t barrier, int rank, bool refused) {
  if (!ordering_) return;
  meet_lanes();
  use_barrier(rank, barrier, true);
  BarrierOrder& of = order_of(rank, barrier);
  of.last_signal = line_;
  order::Epoch epoch = of.order.begin(cluster_->order->agents);
  if (order::Epoch& before = cluster_->order->refused; rank == warp_->cta) {
    if (before.agent.exists() && warp_->order->thread.knows().seen.covers(before))
      report(Finding::Kind::protocol,
             "asks for work after an answer that none is left (PTX ISA, clusterlaunchcontrol.try_cancel)");
    if (refused && !before.agent.exists()) before = epoch;
  }
  access_shared(rank, answer, 16, actor(epoch, Use::write, true, Space::shared));
  // Who gets the answer knows what the one that asked knew (memory consistency model, causality order).
  warp_->order->thread.release(of.order.gathered(), order_mask(), kNoLine);
  of.order.end(epoch.time, kNoLine);
}

}  // namespace warpcc::checker::ptx
