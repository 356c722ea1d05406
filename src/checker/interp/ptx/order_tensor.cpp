// What the order is told of tensor memory, the tensor core and warpgroups (order.h).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/ptx/executor.h"
#include "checker/interp/ptx/order.h"

namespace warpcc::checker::ptx {

using order::Space;
using order::Use;
using order::Why;

namespace {

// An operand A in tensor memory: 32 bytes of each row, whatever its elements; scales of 128 rows: 4 columns (PTX ISA,
// tcgen05, data movement and scale factors).
constexpr std::uint32_t kOperandColumns = 8;
std::uint32_t scale_columns(int rows) {
  return static_cast<std::uint32_t>((rows + 127) / 128 * 4);
}

}  // namespace

namespace {

// Which accumulator an MMA computes: MMAs of one, and of one shape, are in order (PTX ISA, tcgen05, pipelined
// instructions). D's 7 bits of lane and 9 of column, M by its power of two, N by eights.
std::uint32_t accumulator_of(const machine::TensorCore::Ready& ready) {
  const std::uint32_t d = ready.mma.d;
  const auto m = static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(ready.instruction.m))),
             n = static_cast<std::uint32_t>(ready.instruction.n) / 8;
  return 1u << 30 | (d >> 16 & 0x7f) << 23 | (d & 0x1ff) << 14 | (m & 15) << 10 | (n & 63) << 4 |
         static_cast<std::uint32_t>(ready.mma.stationary) << 1 | ready.mma.pair;
}

// Of each warp's lanes, which half an MMA's rows have: D's, and so A's and what lies where in a sparse A (PTX ISA,
// tcgen05, layouts F and C).
constexpr std::uint32_t kBothHalves = 2;
std::uint32_t half_of_lanes(const machine::TensorCore::Ready& ready) {
  const bool by_halves = ready.mma.pair ? ready.instruction.m == 128 && ready.mma.metadata
                                        : ready.instruction.m == 64 && !ready.mma.stationary;
  return by_halves ? ready.mma.d >> 20 & 1 : kBothHalves;
}

// Whether D stays as it is in the 16 lanes from `lane` on (PTX ISA, tcgen05.mma: disable-output-lane).
bool stays(const machine::Mma& mma, int rank, std::uint32_t lane) {
  const std::size_t word = lane / 32 + (mma.pair && rank % 2 == 1 ? 4 : 0);
  return word < mma.disabled.size() && (~(mma.disabled[word] >> lane % 32) & 0xffff) == 0;
}

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
  const WarpOrder& warp = *warp_->order;
  auto between = [&](const order::Entry& first) {
    const Why why = order_between(first, actor);
    if (why != Why::unordered) return why;
    const bool queued = first.epoch.agent.kind() == order::AgentKind::queue &&
                        actor.entry.epoch.agent.kind() == order::AgentKind::queue && warp.queued.covers(first.epoch);
    return queued || warp.tensor.covers(first.epoch) ? Why::ordered : why;
  };
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
  if (!load) return;
  warp.loading.push_back({epoch.time, line_});
  if (warp.stores.exists() && !options_.strict) warp.stores_before.push_back({epoch.time, warp.stores_now++});
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
  if (options_.strict)
    return report(Finding::Kind::protocol,
                  "touches a register of a tcgen05.ld that may be under way: tcgen05.wait::ld comes first",
                  {"asked for by the ISA, breaks rarely: ptxas waits for the registers by itself",
                   "to mend: tcgen05.wait::ld between the load and this", "PTX ISA, tcgen05.wait"});
  // All before the oldest that is left.
  tensor_loads_done(warp.loading.empty() ? warp.loads_now - 1 : warp.loading.front().time - 1);
}

void Executor::tensor_loads_done(std::uint32_t time) {
  WarpOrder& warp = *warp_->order;
  if (time <= warp.loads_done || !warp.loads.exists()) return;
  warp.loads_done = time;
  warp.thread.learn({warp.loads, time}, kNoLine);
  while (!warp.stores_before.empty() && warp.stores_before.front().first <= time) {
    warp.thread.learn({warp.stores, warp.stores_before.front().second}, kNoLine);
    warp.stores_before.erase(warp.stores_before.begin());
  }
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

// tcgen05.fence: what was begun before one that stands before an arrival comes before what is begun behind one that
// stands behind the wait (PTX ISA, tcgen05, canonical synchronization patterns: pipelined instructions of two threads).
void Executor::order_tensor_fence(bool after) {
  if (!ordering_) return;
  WarpOrder& warp = *warp_->order;
  if (after) {
    warp.queued.join(warp.thread.knows().queued);
    if (!relaxes_) return;
    warp.tensor.join(warp.thread.knows().tensor);
    if (!warp.relaxed) return;
    warp.queued.join(warp.relaxed->queued);
    warp.tensor.join(warp.relaxed->tensor);
    warp.tensor.join(warp.relaxed->seen);
    return;
  }
  if (relaxes_) warp.thread.fence_tensor();
  for (LaneOrder& each : warp.lanes) {
    if (each.queue.exists() && (mask_ >> each.lane & 1) != 0) warp.thread.queued({each.queue, each.queue_now++});
  }
}

order::Epoch Executor::queue_epoch(int lane) {
  WarpOrder& warp = *warp_->order;
  if (warp.elected < 0 && std::has_single_bit(mask_)) warp.elected = lane;
  LaneOrder& of = warp.lane(lane);
  if (!of.queue.exists()) of.queue = cluster_->order->agents.make(order::AgentKind::queue, false);
  return {of.queue, of.queue_now};
}

// Of MMAs, copies and shifts; a commit by itself follows nothing that others have begun.
order::Epoch Executor::work_epoch(int lane) {
  const order::Epoch epoch = queue_epoch(lane);
  WarpOrder& warp = *warp_->order;
  warp.lane(lane).follows.join(warp.queued);
  return epoch;
}

void Executor::access_operand(int rank, const machine::OperandImage& image, const order::Actor& actor) {
  order::Conflicts& conflicts = ordering_->conflicts;
  auto between = [&](const order::Entry& first) { return order_between(first, actor, rank); };
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
  order::Epoch epoch = work_epoch(lane);
  order::Actor reads = actor(epoch, Use::read, true, Space::shared),
               adds = actor(epoch, Use::write, true, Space::shared);
  adds.entry.footprint = accumulator_of(ready);
  const std::uint32_t half = half_of_lanes(ready);
  auto access_rows = [&](int rank, std::uint32_t address, std::uint32_t columns, const order::Actor& actor) {
    for (std::uint32_t lanes = 0; lanes < machine::TensorMemory::kLanes / 16; ++lanes) {
      if (half == kBothHalves || lanes % 2 == half) access_tensor(rank, lanes, address & 0xffff, columns, actor);
    }
  };
  for (int rank : ctas) {
    if (ready.a != nullptr) access_operand(rank, *ready.a, reads);
    if (ready.b != nullptr) access_operand(rank, *ready.b, reads);
    if (ready.mma.a_in_tensor) access_rows(rank, static_cast<std::uint32_t>(ready.mma.a), kOperandColumns, reads);
    if (ready.mma.metadata) {
      const machine::MetadataColumns columns = machine::metadata_columns(*ready.mma.metadata, ready.instruction);
      order::Actor chunks = reads;
      chunks.entry.footprint = kPipelined;
      access_rows(rank, columns.first, static_cast<std::uint32_t>(columns.count), chunks);
    }
    if (ready.mma.scales) {
      order::Actor scales = reads;
      scales.entry.footprint = kPipelined;  // by copies of the same thread: in order
      access_columns(rank, ready.mma.scales->a, scale_columns(ready.instruction.m), scales);
      access_columns(rank, ready.mma.scales->b, scale_columns(ready.instruction.n), scales);
    }
    for (const machine::AccumulatorRun& run : ready.d->runs) {
      std::uint32_t row = (ready.mma.d >> 16) + static_cast<std::uint32_t>(run.lane);
      if (row % 16 != 0 || stays(ready.mma, rank, row)) continue;
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
  order::Epoch epoch = work_epoch(lane);
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

// tcgen05.shift: reads and writes, in order with the queue's MMAs and copies.
void Executor::order_tensor_shift(const machine::TensorCore::Shift& shift, const llvm::SmallVector<int, 2>& ctas,
                                  int lane) {
  if (!ordering_) return;
  meet_lanes();
  order::Actor moves = actor(work_epoch(lane), Use::write, true, Space::shared);
  moves.entry.footprint = kPipelined;
  constexpr std::uint32_t kLanesTogether = 16;
  for (int rank : ctas) {
    for (std::uint32_t lanes = (shift.at >> 16) / kLanesTogether;
         lanes < machine::TensorMemory::kLanes / kLanesTogether; ++lanes)
      access_tensor(rank, lanes, shift.at & 0xffff, machine::TensorCore::kShiftColumns, moves);
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
  commit.knows->seen.join(issuer.follows);
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

void Executor::order_allocated(std::uint32_t word, bool pair) {
  if (!ordering_) return;
  // Libraries leave it out (CUTLASS's tutorials of pairs).
  const int peer = warp_->cta ^ 1;
  const order::Thread& thread = warp_->order->thread;
  if (options_.strict && pair && peer < static_cast<int>(cluster_->ctas.size())) {
    const order::Epoch& begun = cluster_->ctas[static_cast<std::size_t>(peer)]->order.begun;
    if (!thread.knows().seen.covers(begun) && !thread.lifetime().covers(begun))
      tell_race("allocates tensor memory of a pair before its other CTA is known to have begun",
                {"asked for by the ISA, breaks rarely: a barrier of the cluster before the allocation",
                 "PTX ISA, tcgen05.alloc: the warp that issues it makes sure that the peer CTA has been launched"},
                8);
  }
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

// ---- wgmma: what one warp does is the warpgroup's, but with --strict

order::Agent& Executor::warpgroup_agent() {
  return options_.strict ? warp_->order->computing
                         : cta().order.warpgroups[static_cast<std::size_t>(warp_->number / 4) % 8];
}

void Executor::order_wgmma(const Code& code, const machine::WarpgroupCore::Ready& ready) {
  if (!ordering_) return;
  meet_lanes();
  WarpOrder& of = *warp_->order;
  if (of.register_fences == 0)
    report(Finding::Kind::protocol,
           "multiplies, and this warp has executed no wgmma.fence before (PTX ISA, wgmma.fence)");
  of.register_fences = std::max(of.register_fences, 1u);
  compute_registers(code, ready);
  order::Agent& agent = warpgroup_agent();
  if (!agent.exists()) agent = cluster_->order->agents.make(order::AgentKind::queue, false);
  order::Actor reads = actor({agent, of.computing_now}, Use::read, true, Space::shared);
  if (ready.a != nullptr) access_operand(warp_->cta, *ready.a, reads);
  if (ready.b != nullptr) access_operand(warp_->cta, *ready.b, reads);
}

// The registers of D, and of A where it is in registers. MMAs follow each other on the same registers without a fence
// where they have one shape (PTX ISA, wgmma.fence).
void Executor::compute_registers(const Code& code, const machine::WarpgroupCore::Ready& ready) {
  WarpOrder& of = *warp_->order;
  const auto shape = static_cast<std::uint32_t>(ready.mma.n) << 8 | static_cast<std::uint32_t>(ready.b->k) << 1 |
                     static_cast<std::uint32_t>(ready.mma.d == layout::Element::f16);
  bool told = false;
  for (std::uint32_t i = 0; i < code.vector + (code.at_read ? 4u : 0u); ++i) {
    const Arg& computes = arg(code, i + 7);
    const std::size_t which = computes.offset / 4;
    if (computes.kind != Arg::Kind::reg) continue;
    if (of.computed_in.size() <= which) of.computed_in.resize(which + 1);
    Computed& before = of.computed_in[which];
    const Computed now{of.computing_now, of.register_fences, i < code.vector ? shape << 8 | i : 0};
    const bool under_way = before.group > of.computed && before.part != 0;
    if (!told && before.touched != 0 && before.touched == now.fences) {
      told = true;
      report(Finding::Kind::protocol,
             fmt::format("{} a register that something else has touched since the last wgmma.fence",
                         now.part == 0 ? "has as A" : "computes"),
             {"asked for by the ISA, breaks rarely: ptxas puts what is missing there",
              "to mend: wgmma.fence between the two", "PTX ISA, wgmma.fence"});
    }
    if (!told && under_way && before.fences == now.fences && before.part != now.part) {
      told = true;
      report(
          Finding::Kind::protocol,
          now.part == 0
              ? "has as A a register that a wgmma.mma_async under way computes: wgmma.wait_group comes first"
              : "computes registers of which a wgmma.mma_async of another shape, or with others beside them, computes "
                "some: wgmma.fence comes between",
          {"to mend: wgmma.fence between the two: MMAs of one shape on the same registers alone need none",
           "PTX ISA, wgmma.fence"});
    }
    before = now;
  }
}

// Somebody touches a register that an MMA under way computes or reads. Copies of one register to another are the
// compiler's, who may leave them out: the copy is under way like the register.
void Executor::touch_computed(const Code& code) {
  WarpOrder& of = *warp_->order;
  auto computed = [&](const Arg& each) {
    const std::size_t which = each.offset / 4;
    return each.kind == Arg::Kind::reg && which < of.computed_in.size() ? of.computed_in[which] : Computed{};
  };
  if (code.op == Op::wgmma) return;
  if (code.op == Op::mov && code.count == 2) {
    Computed from = computed(arg(code, 1));
    const std::size_t to = arg(code, 0).offset / 4;
    if (arg(code, 0).kind != Arg::Kind::reg) return;
    if (options_.strict && arg(code, 1).kind != Arg::Kind::reg) from.touched = of.register_fences;
    if ((from.group > of.computed || from.touched != 0) && of.computed_in.size() <= to) of.computed_in.resize(to + 1);
    if (to < of.computed_in.size()) of.computed_in[to] = from;
    return;
  }
  for (std::size_t i = 0; options_.strict && i < code.count; ++i) {
    const std::size_t which = arg(code, i).offset / 4;
    if (arg(code, i).kind != Arg::Kind::reg) continue;
    if (of.computed_in.size() <= which) of.computed_in.resize(which + 1);
    of.computed_in[which].touched = of.register_fences;
  }
  for (std::size_t i = 0; i < code.count; ++i) {
    if (computed(arg(code, i)).group <= of.computed) continue;
    report(Finding::Kind::protocol,
           "touches a register of a wgmma.mma_async that is under way: wgmma.wait_group comes first");
    return;
  }
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
  const order::Agent& agent = warpgroup_agent();
  std::uint32_t closed = warp_->order->computing_now - 1;
  if (closed <= newest) return;
  warp_->order->computed = std::max(warp_->order->computed, closed - newest);
  if (agent.exists()) warp_->order->thread.learn({agent, closed - newest}, kNoLine);
}

}  // namespace warpcc::checker::ptx
