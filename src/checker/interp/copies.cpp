// The copy engine's loads, stores and copies between CTAs. What is begun is checked at once; it happens as late as it
// may.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using machine::SharedMemory;

namespace {

// function(block, units, offset of the block), for what a box has of shared memory. Its bytes are one range, since a
// swizzle moves units within rows of 128 bytes alone; but where rows are narrower than the swizzle, each row's own
// units.
template <typename F>
void for_each_block(const machine::TensorMap& map, SharedMemory& shared, std::uint32_t start, F function) {
  if (map.dense()) return shared.for_each_block(start, map.box_bytes(), function);
  for (std::int64_t at = 0; at < map.box_bytes(); at += SharedMemory::kUnit) {
    std::uint32_t place = map.place(start, at);
    function(shared.block(place), SharedMemory::unit_bit(place), place / SharedMemory::kBlock * SharedMemory::kBlock);
  }
}

void mark_written(const machine::TensorMap& map, SharedMemory& shared, std::uint32_t start) {
  if (map.dense()) return shared.mark_written(start, static_cast<std::uint32_t>(map.box_bytes()));
  for (std::int64_t at = 0; at < map.box_bytes(); at += SharedMemory::kUnit)
    shared.mark_written(map.place(start, at), SharedMemory::kUnit);
}

}  // namespace

void Interpreter::copy_in(const Instruction& instruction) {
  before_global();
  CopyIn copy;
  copy.line = line_;
  copy.warp = warp_->number_in_cluster;
  copy.map = static_cast<int>(instruction.arguments[1].number);
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  const Argument& vector = instruction.arguments[0];
  std::uint32_t destination = scalar(vector, 0), barrier = scalar(vector, 1);
  for (int i = 0; i < map.rank(); ++i)
    copy.start[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(scalar(vector, 2 + i));
  std::uint32_t start = destination & 0xffffff;
  auto at = cluster_address(barrier, true, "the load's barrier");
  if (map.buffer < 0 || !at || !machine::check_access(map, copy.start, start, cta().shared, false, faults_)) return;

  std::uint32_t targets =
      instruction.multicast ? scalar(instruction.arguments[2]) & 0xffff : 1u << (destination >> 24 & 31);
  for (int rank = 0; rank < 32; ++rank) {
    if (!(targets >> rank & 1)) continue;
    if (rank >= program_.cluster) {
      report(Finding::Kind::memory, fmt::format("loads into CTA {} of a cluster of {}", rank, program_.cluster));
      return;
    }
    // Each destination signals in its own CTA; with .2CTA in that of its pair which has the parity of the barrier's
    // (PTX ISA, cp.async.bulk.tensor).
    int barrier_rank = instruction.pair ? (rank & ~1) | (at->first & 1) : rank;
    if (!instruction.multicast && barrier_rank != at->first) {
      report(Finding::Kind::protocol, fmt::format("loads into CTA {} and signals a barrier of CTA {}, which {}", rank,
                                                  at->first, instruction.pair ? "is not of its pair" : "takes .2CTA"));
      return;
    }
    copy.targets.push_back({rank, start, barrier_rank, at->second});
  }
  for (const CopyIn::Target& target : copy.targets) {
    SharedMemory& shared = cta_of(target.cta).shared;
    bool still_read = false, barrier_inside = false;
    for_each_block(map, shared, start, [&](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
      still_read = still_read || (block.reading.above_zero() & units) != 0;
      barrier_inside = barrier_inside || (block.barriers & units) != 0;
      block.landing.add(units);
    });
    if (still_read) {
      report(Finding::Kind::memory,
             fmt::format("loads over {} of CTA {}, which an MMA or a store under way has yet to read",
                         place_text(start), cta_of(target.cta).number));
    }
    if (barrier_inside) touches_barrier(cta_of(target.cta), start, static_cast<std::uint32_t>(map.shared_bytes()));
  }
  order_copy_in(copy);
  copy.at = outcome_.instructions;
  running_->pending.loads.push_back(std::move(copy));
  progress();
}

// From this CTA's shared memory to that of any CTA of the cluster, whose barrier gets the bytes (PTX ISA,
// cp.async.bulk).
void Interpreter::copy_across(const Instruction& instruction) {
  CopyIn copy;
  copy.line = line_;
  copy.warp = warp_->number_in_cluster;
  copy.map = -1;
  copy.bytes = (scalar(instruction.arguments[2]) & 0xffff) * SharedMemory::kUnit;
  std::uint32_t to = scalar(instruction.arguments[0], 0), from = scalar(instruction.arguments[1]);
  auto barrier = cluster_address(scalar(instruction.arguments[0], 1), true, "the copy's barrier");
  if (!barrier) return;
  auto rank = static_cast<int>(to >> 24);
  copy.source = from & 0xffffff;
  copy.source_cta = cta().rank;
  if (rank >= program_.cluster || static_cast<int>(from >> 24) != cta().rank || barrier->first != rank) {
    report(Finding::Kind::memory,
           fmt::format("copies {:#x} to {:#x} and signals CTA {} of {}: from this CTA to one whose barrier it signals",
                       from, to, barrier->first, program_.cluster));
    return;
  }
  copy.targets.push_back({rank, to & 0xffffff, rank, barrier->second});
  Cta& target = cta_of(rank);
  if (target.exited()) {
    report(Finding::Kind::protocol, fmt::format("copies to CTA {}, which has exited", target.number));
    return;
  }
  std::uint32_t place = to & 0xffffff;
  if (copy.bytes == 0 || place % SharedMemory::kUnit != 0 || copy.source % SharedMemory::kUnit != 0 ||
      !target.shared.inside(place, copy.bytes) || !cta().shared.inside(copy.source, copy.bytes)) {
    report(Finding::Kind::memory, fmt::format("copies {} bytes from {:#x} to {:#x}: whole units of 16 bytes inside of "
                                              "the kernel's shared memory are copied",
                                              copy.bytes, from, to));
    return;
  }
  bool unwritten = !cta().shared.written(copy.source, copy.bytes), landing = false, still_read = false;
  cta().shared.for_each_block(copy.source, copy.bytes,
                              [&](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
                                landing = landing || (block.landing.above_zero() & units) != 0;
                                block.reading.add(units);
                              });
  target.shared.for_each_block(place, copy.bytes, [&](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
    still_read = still_read || (block.reading.above_zero() & units) != 0;
    block.landing.add(units);
  });
  touches_barrier(target, place, copy.bytes);
  if (landing)
    report(Finding::Kind::memory, fmt::format("copies from {}, where a load is still under way", place_text(from)));
  if (unwritten && !landing)
    report(Finding::Kind::memory, fmt::format("copies from {}, which nothing has written", place_text(from)));
  if (still_read) {
    report(Finding::Kind::memory,
           fmt::format("copies over {} of CTA {}, which an MMA or a store under way has yet to read", place_text(place),
                       target.number));
  }
  order_copy_across(copy);
  copy.at = outcome_.instructions;
  running_->pending.loads.push_back(std::move(copy));
  progress();
}

// Its bytes come as they are where it lands: nothing has changed the source since, or that was a fault.
void Interpreter::land_across(CopyIn& copy) {
  const CopyIn::Target& target = copy.targets[0];
  Cta &to = cta_of(target.cta), &from = cta_of(copy.source_cta);
  from.shared.for_each_block(
      copy.source, copy.bytes,
      [](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.reading.remove(units); });
  if (to.exited() || from.exited()) {
    faults_.protocol(fmt::format("its copy is under way where CTA {} has exited", (to.exited() ? to : from).number));
    return;
  }
  to.shared.for_each_block(
      target.shared, copy.bytes,
      [](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.landing.remove(units); });
  for (std::uint32_t at = 0; at < copy.bytes; at += 4)
    to.shared.write(target.shared + at, 4, from.shared.read(copy.source + at, 4));
  land_at(copy, target, copy.bytes);
}

// The bytes of a load or a copy are there: its barrier gets to know.
void Interpreter::land_at(const CopyIn& copy, const CopyIn::Target& target, std::int64_t bytes) {
  Cta& signalled = cta_of(target.barrier_cta);
  std::int32_t at = signalled.barrier_at[target.barrier / 8];
  if (at < 0) {
    faults_.protocol(fmt::format("its bytes land on a barrier at {:#x} of CTA {}, which nothing has initialised",
                                 target.barrier, signalled.number));
    return;
  }
  BarrierState& state = signalled.barriers[static_cast<std::size_t>(at)];
  state.last_line = state.last_bytes = copy.line;
  state.last_warp = copy.warp;
  state.filling = true;
  if (target.ticket != 0) state.order.end(target.ticket, pairs_ ? copy.line : order::Edge::kNone);
  if (state.barrier.land(bytes, barrier_name(signalled, target.barrier), faults_)) completed(signalled, state);
}

void Interpreter::land(CopyIn& copy) {
  Warp* present = warp_;
  warp_ = &running_->warps[static_cast<std::size_t>(copy.warp)];
  track_ = Trace::kLoads;
  if (options_.trace) trace_span(cta().traced, track_, line_text(copy.line), copy.at);
  if (copy.map < 0) {
    land_across(copy);
    track_ = -1;
    warp_ = present;
    return;
  }
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  for (const CopyIn::Target& target : copy.targets) {
    Cta& cta = cta_of(target.cta);
    if (cta.exited() || cta_of(target.barrier_cta).exited()) {
      faults_.protocol(fmt::format("its load reaches CTA {} after that has exited", cta.number));
      continue;
    }
    note_box(map, copy.start, machine::PlaceHistory::Use::read);
    if (options_.values)
      machine::load_box(map, globals_[static_cast<std::size_t>(map.buffer)], copy.start, target.shared, cta.shared);
    for_each_block(map, cta.shared, target.shared,
                   [](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.landing.remove(units); });
    mark_written(map, cta.shared, target.shared);
    if (code_.limits) machine::mark_valid(map, copy.start, target.shared, cta.shared);
    land_at(copy, target, map.box_bytes());
  }
  track_ = -1;
  warp_ = present;
}

void Interpreter::copy_out(const Instruction& instruction) {
  before_global();
  CopyOut copy;
  copy.line = line_;
  copy.warp = warp_->number_in_cluster;
  copy.map = static_cast<int>(instruction.arguments[1].number);
  copy.add = instruction.action == Action::copy_add;
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  const Argument& vector = instruction.arguments[0];
  std::uint32_t source = scalar(vector, 0);
  for (int i = 0; i < map.rank(); ++i)
    copy.start[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(scalar(vector, 1 + i));
  if (static_cast<int>(source >> 24) != cta().rank) {
    report(Finding::Kind::memory, fmt::format("stores from shared address {:#x}, which is not of this CTA", source));
  }
  copy.shared = source & 0xffffff;
  bool faulty = std::any_of(copy.start.begin(), copy.start.begin() + map.rank(), [](std::int64_t c) { return c < 0; });
  if (map.buffer < 0 || !machine::check_access(map, copy.start, copy.shared, cta().shared, true, faults_) || faulty)
    return;
  SharedMemory& shared = cta().shared;
  std::uint32_t unwritten = 0, landing = 0;
  auto first_of = [](std::uint32_t& first, std::uint64_t units, std::uint32_t offset) {
    if (units != 0 && first == 0) first = offset + SharedMemory::kUnit * static_cast<unsigned>(std::countr_zero(units));
  };
  for_each_block(map, shared, copy.shared, [&](SharedMemory::Block& block, std::uint64_t units, std::uint32_t offset) {
    first_of(landing, block.landing.above_zero() & units, offset);
    first_of(unwritten, block.unwritten & units, offset);
    block.reading.add(units);
  });
  if (landing != 0)
    report(Finding::Kind::memory, fmt::format("stores from {}, where a load is still under way", place_text(landing)));
  if (unwritten != 0 && landing == 0)
    report(Finding::Kind::memory, fmt::format("stores from {}, which nothing has written", place_text(unwritten)));
  copy.group = warp_->groups.size() - 1;
  copy.begun_at = progress_ + 1;
  bool inside = true;
  for (std::size_t i = 0; i < map.extents.size(); ++i) inside = inside && copy.start[i] < map.extents[i];
  running_->stored = running_->stored || inside;
  ++warp_->groups[copy.group].to_read;
  ++warp_->groups[copy.group].to_write;
  order_copy_out(copy);
  copy.at = outcome_.instructions;
  running_->pending.stores.push_back(std::move(copy));
  progress();
}

// The newest store of those that a warp waits for: is read, or written if the warp needs that. If none is waited for,
// and those are to run as well, the newest of all.
bool Interpreter::run_stores(bool unwaited) {
  auto take = [](std::vector<CopyOut>& stores, auto wanted) {
    std::optional<CopyOut> taken;
    auto found = std::find_if(stores.rbegin(), stores.rend(), wanted);
    if (found == stores.rend()) return taken;
    taken = std::move(*found);
    stores.erase(std::next(found).base());
    return taken;
  };
  auto waited = [&](const CopyOut& store) {
    const Warp& warp = running_->warps[static_cast<std::size_t>(store.warp)];
    return warp.blocked == Blocked::groups && store.group < warp.groups_needed;
  };
  auto any = [](const CopyOut&) { return true; };
  auto waited_to_be_written = [&](const CopyOut& store) {
    return waited(store) && running_->warps[static_cast<std::size_t>(store.warp)].needs_writes;
  };
  std::optional<CopyOut> unread = take(running_->pending.stores, waited), unwritten;
  if (!unread) unwritten = take(running_->read, waited_to_be_written);
  if (!unread && !unwritten && unwaited) {
    unread = take(running_->pending.stores, any);
    if (!unread) unwritten = take(running_->read, any);
  }
  if (unread) read_store(*std::move(unread));
  if (unwritten) write_store(*unwritten);
  return unread || unwritten;
}

void Interpreter::read_store(CopyOut copy) {
  if (options_.trace)
    trace_span(cta_of(running_->warps[static_cast<std::size_t>(copy.warp)].cta).traced, Trace::kStores,
               line_text(copy.line), copy.at);
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  Warp& warp = running_->warps[static_cast<std::size_t>(copy.warp)];
  Cta& cta = cta_of(warp.cta);
  for_each_block(map, cta.shared, copy.shared,
                 [](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.reading.remove(units); });
  --warp.groups[copy.group].to_read;
  if (options_.values) {
    copy.elements = machine::read_box(map, copy.shared, cta.shared);
    running_->read.push_back(std::move(copy));
  } else {
    --warp.groups[copy.group].to_write;
  }
  store_is_done(warp);
}

// What the lifted program is compared by (checker/lifted.h).
void Interpreter::note_box(const machine::TensorMap& map, const machine::Coordinates& start,
                           machine::PlaceHistory::Use use) {
  if (options_.places == nullptr) return;
  machine::for_each_span(map, start, [&](std::int64_t first, std::int64_t count) {
    options_.places->note(use,
                          machine::begin_of_buffer(static_cast<std::size_t>(map.buffer)) +
                              static_cast<std::uint64_t>(first * map.element_bytes),
                          count * map.element_bytes);
  });
}

void Interpreter::write_store(const CopyOut& copy) {
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  note_box(map, copy.start, copy.add ? machine::PlaceHistory::Use::add : machine::PlaceHistory::Use::write);
  Warp& warp = running_->warps[static_cast<std::size_t>(copy.warp)];
  machine::write_box(map, globals_[static_cast<std::size_t>(map.buffer)], copy.start, copy.elements, copy.add,
                     running_->launch->number);
  --warp.groups[copy.group].to_write;
  store_is_done(warp);
}

void Interpreter::store_is_done(Warp& warp) {
  if (warp.blocked != Blocked::groups || !warp.groups_suffice()) return;
  warp.blocked = Blocked::no;
  running_->turns.wake(static_cast<std::size_t>(warp.number_in_cluster));
}

void Interpreter::close_group() {
  warp_->groups.emplace_back();
}

}  // namespace warpcc::checker
