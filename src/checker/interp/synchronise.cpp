// Barriers of all kinds, waits, and tensor memory's allocation.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

std::optional<std::pair<int, std::uint32_t>> Interpreter::cluster_address(std::uint32_t address, bool may_be_remote,
                                                                          const char* what) {
  int rank = static_cast<int>(address >> 24);
  std::uint32_t offset = address & 0xffffff;
  if (rank >= program_.cluster) {
    report(Finding::Kind::memory,
           fmt::format("{} at {:#x} names CTA {} of a cluster of {}", what, address, rank, program_.cluster));
    return {};
  }
  if (rank != cta().rank && !may_be_remote) {
    report(Finding::Kind::protocol,
           fmt::format("{} at {:#x} lies in CTA {} of the cluster; this form reaches its own CTA, {}, alone", what,
                       address, rank, cta().rank));
    return {};
  }
  if (offset % 8 != 0 || !cta_of(rank).shared.inside(offset, 8)) {
    report(Finding::Kind::memory,
           fmt::format("{} at {:#x} is none of the kernel's: not 8 aligned bytes of its shared memory", what, address));
    return {};
  }
  return std::pair(rank, offset);
}

std::string Interpreter::barrier_name(const Cta& cta, std::uint32_t offset) const {
  std::int32_t at = cta.barrier_at[offset / 8];
  if (at < 0 || cta.barriers[static_cast<std::size_t>(at)].declared < 0)
    return fmt::format("the barrier at {:#x}", offset);
  const BarrierState& state = cta.barriers[static_cast<std::size_t>(at)];
  const sass::MBarrier& declared = program_.mbarriers[static_cast<std::size_t>(state.declared)];
  return fmt::format("{}[{}]", declared.name, state.copy);
}

BarrierState* Interpreter::barrier_at(int rank, std::uint32_t offset, bool create) {
  Cta& cta = cta_of(rank);
  std::int32_t& at = cta.barrier_at[offset / 8];
  if (at < 0) {
    if (!create) {
      report(Finding::Kind::protocol, fmt::format("uses the barrier at {:#x}, which nothing has initialised", offset));
      return nullptr;
    }
    at = static_cast<std::int32_t>(cta.barriers.size());
    cta.barriers.emplace_back();
    cta.barriers.back().offset = offset;
  }
  return &cta.barriers[static_cast<std::size_t>(at)];
}

void Interpreter::completed(Cta& cta, BarrierState& barrier) {
  barrier.order.turn();
  tell_unheard(cta, barrier);
  barrier.filled_by = barrier.filling ? barrier.last_bytes : ~0u;
  barrier.filling = barrier.heard = false;
  if (options_.trace && warp_) {
    barrier.completed_at = outcome_.instructions;
    barrier.completed_cta = this->cta().traced;
    barrier.completed_track = track_ >= 0 ? track_ : warp_->index;
  }
  for (int number : barrier.waiting) {
    Warp& warp = running_->warps[static_cast<std::size_t>(number)];
    warp.blocked = Blocked::no;
    running_->turns.wake(static_cast<std::size_t>(number));
  }
  barrier.waiting.clear();
}

void Interpreter::barrier_init(const Instruction& instruction) {
  std::uint32_t address = shared_address(instruction.arguments[1], first_lane_);
  auto at = cluster_address(address, false, "the barrier");
  if (!at) return;
  std::uint32_t low = scalar(instruction.arguments[2], 0), high = scalar(instruction.arguments[2], 1);
  // Both words hold 2^20 less the count, from bit 1 and from bit 11.
  std::int64_t arrivals = (1 << 20) - (low >> 1);
  BarrierState& state = *barrier_at(at->first, at->second, true);
  std::string name = barrier_name(cta(), at->second);
  if ((low & 1) != 0 || (high & 0x7ff) != 0 || (low >> 1) != (high >> 11)) {
    report(Finding::Kind::protocol,
           fmt::format("{} is initialised with {:#x} and {:#x}, which say no count", name, low, high));
  }
  if (std::popcount(mask_) > 1) {
    report(Finding::Kind::protocol,
           fmt::format("{} is initialised by {} lanes: one is to (`@one`)", name, std::popcount(mask_)));
  }
  state.barrier.init(arrivals, name, faults_);
  state.order.initialised = warp_->order.initialise();
  access_shared(at->first, range_footprint(at->second, 8),
                actor(state.order.initialised, order::Use::write, false, order::Space::shared));
  cta().shared.block(at->second).barriers |= machine::SharedMemory::unit_bit(at->second);
  progress();
}

void Interpreter::barrier_arrive(const Instruction& instruction) {
  const Argument& at = instruction.arguments[1];
  Lanes buffer;
  const std::uint32_t* numbers = lanes(instruction.arguments[2], buffer);
  const BarrierState *told = nullptr, *completed_here = nullptr;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask_ >> lane & 1)) continue;
    auto place = cluster_address(shared_address(at, lane), instruction.remote, "the barrier");
    if (!place) continue;
    Cta& target = cta_of(place->first);
    BarrierState* state = barrier_at(place->first, place->second, false);
    if (!state) continue;
    std::string name = barrier_name(target, place->second);
    if (target.exited()) {
      report(Finding::Kind::protocol, fmt::format("arrives at {} of CTA {}, which has exited", name, target.number));
      continue;
    }
    // A warp that has read tensor memory frees it only once its loads are done.
    if (warp_->tensor_load_pending && state->declared >= 0) {
      for (const sass::Pipe& pipe : program_.pipes) {
        bool of_tensor = std::any_of(pipe.carries.begin(), pipe.carries.end(), [&](sass::BufferId id) {
          return program_[id].space == sass::MemorySpace::tensor;
        });
        if (of_tensor && static_cast<int>(pipe.empty) == state->declared) {
          report(Finding::Kind::protocol,
                 fmt::format("frees a stage of {} while tensor loads are under way: `ld.wait` comes first", pipe.name));
        }
      }
    }
    if (state != told) {
      told = state;
      use_barrier(*state, target, false);
      bool tells = instruction.arrival != Arrival::expect_only && instruction.arrival != Arrival::complete_only &&
                   !orders_nothing();
      if (tells && instruction.cluster) {
        order::Knowledge all;
        warp_->order.release(all, mask_, provenance());
        all.published.join(all.seen);
        state->order.gathered().join(all);
      } else if (tells) {
        warp_->order.release(state->order.gathered(), mask_, provenance());
      }
    }
    bool done = false;
    state->last_line = line_;
    state->last_warp = warp_->number_in_cluster;
    machine::MBarrier& barrier = state->barrier;
    std::uint32_t number = numbers[lane];
    if (state == completed_here) {
      report(Finding::Kind::protocol,
             fmt::format("arrives at {} by more lanes than its phase waits for: some complete it, the others are of "
                         "phases that nobody has asked for",
                         name));
      completed_here = nullptr;
    }
    switch (instruction.arrival) {
      case Arrival::one:
        done = barrier.arrive(1, name, faults_);
        break;
      case Arrival::counted:
        done = barrier.arrive(number, name, faults_);
        break;
      case Arrival::expect:
        barrier.expect(number, name, faults_);
        done = barrier.live() && barrier.arrive(1, name, faults_);
        break;
      case Arrival::expect_only:
        done = barrier.expect(number, name, faults_);
        break;
      case Arrival::complete_only:
        done = barrier.land(number, name, faults_);
        break;
      case Arrival::drop:
        done = barrier.drop(1, name, faults_);
        break;
    }
    if (done) {
      completed_here = state;
      completed(target, *state);
    }
    progress();
  }
}

void Interpreter::signal(int rank, std::uint32_t offset, const order::Knowledge* knows, std::uint32_t ticket) {
  Cta& target = cta_of(rank);
  BarrierState* state = barrier_at(rank, offset, false);
  if (!state) return;
  state->last_line = line_;
  state->last_warp = warp_->number_in_cluster;
  if (knows) state->order.gathered().join(*knows, provenance());
  if (ticket != 0) state->order.end(ticket, provenance());
  if (state->barrier.arrive(1, barrier_name(target, offset), faults_)) completed(target, *state);
  progress();
}

Interpreter::Next Interpreter::barrier_test(const Instruction& instruction) {
  std::uint32_t address = shared_address(instruction.arguments[1], first_lane_);
  auto at = cluster_address(address, false, "the barrier");
  BarrierState* state = at ? barrier_at(at->first, at->second, false) : nullptr;
  int parity = static_cast<int>(scalar(instruction.arguments[2]) >> 31);
  if (!state || !state->barrier.live()) {
    if (state)
      report(Finding::Kind::protocol,
             fmt::format("waits on {}, which nothing has initialised", barrier_name(cta(), at->second)));
    stopped_ = true;
    return Next::blocked;
  }
  use_barrier(*state, cta(), false);
  machine::MBarrier& barrier = state->barrier;
  auto index = static_cast<std::size_t>(state - cta().barriers.data());
  if (warp_->awaited.size() <= index) warp_->awaited.resize(index + 1, -2);
  auto present = static_cast<std::int64_t>(barrier.phase());
  std::int64_t& last = warp_->awaited[index];
  // Who waits for one phase after the other and is two behind hears of another phase than it asks for: parities tell
  // two apart.
  bool in_turns = std::any_of(program_.pipes.begin(), program_.pipes.end(), [&](const sass::Pipe& pipe) {
    return pipe.teams > 1 &&
           (static_cast<int>(pipe.full) == state->declared || static_cast<int>(pipe.empty) == state->declared);
  });
  if (!in_turns && last > -2 && (last & 1) != parity && present > last + 2) {
    report(Finding::Kind::protocol,
           fmt::format("waits on {} for phase {}, and phase {} is under way: its parity stands for another phase",
                       barrier_name(cta(), at->second), last + 1, present));
    last = present - 2;
  }
  bool passed = barrier.passed(parity);
  if (passed) {
    state->heard = true;
    if (last == present - 1 && last >= 0) warp_->repeated = {line_, static_cast<int>(index), last};
    last = present - 1;
    if (!orders_nothing()) warp_->order.acquire(state->order.completed(), provenance());
    if (options_.trace && warp_->waits_since != 0 && !options_.trace->full()) {
      std::string name = barrier_name(cta(), at->second);
      trace_wait(name);
      options_.trace->arrows.push_back({state->completed_cta, cta().traced, state->completed_track, warp_->index,
                                        state->completed_at, outcome_.instructions, std::move(name)});
    }
    warp_->failed_at = ~0u;
    warp_->timed_out = false;
    write_predicate(instruction.arguments[0].slot, kAllLanes, mask_);
    return Next::on;
  }
  if (options_.trace && warp_->waits_since == 0) warp_->waits_since = outcome_.instructions;
  // The first time it says no at once, as the hardware may; then it sleeps until something comes of it.
  if (instruction.may_sleep && warp_->failed_at == line_ && !warp_->timed_out) {
    warp_->blocked = Blocked::mbarrier;
    warp_->blocked_barrier = static_cast<int>(index);
    warp_->blocked_parity = parity;
    state->waiting.push_back(warp_->number_in_cluster);
    return Next::blocked;
  }
  warp_->failed_at = line_;
  warp_->timed_out = false;
  write_predicate(instruction.arguments[0].slot, 0, mask_);
  return Next::on;
}

Interpreter::Next Interpreter::named_barrier(const Instruction& instruction) {
  if (warp_->timed_out) {  // woken: its barrier is complete
    warp_->timed_out = false;
    return Next::on;
  }
  const auto& arguments = instruction.arguments;
  std::uint32_t id = scalar(arguments[0]);
  // One of all threads waits for those that have not exited (CUDA programming guide, __syncthreads).
  const bool of_all = arguments.size() == 1;
  auto threads = of_all ? 32 * cta().warps_left : static_cast<int>(scalar(arguments[1]));
  if (arguments[0].kind == sass::Operand::Kind::reg && arguments.size() > 1 &&
      arguments[1].slot.name == arguments[0].slot.name) {
    threads = static_cast<int>(id >> 16);  // one register holds both
    id &= 15;
  }
  if (id > 15) {
    report(Finding::Kind::named_barrier, fmt::format("names barrier {}; a CTA has 16", id));
    return Next::on;
  }
  machine::NamedBarrier& barrier = cta().named[id];
  order::Barrier& ordered = cta().named_order[id];
  if (!orders_nothing() && !ordered.is_over_in(warp_->order.knows().seen)) {
    report(Finding::Kind::named_barrier,
           fmt::format(
               "named barrier {}: nothing tells this warp that the phase before is complete: it may arrive in that "
               "one, a second time or in another's place",
               id),
           {"to mend: it hears from who has waited for that phase before it arrives, or uses a barrier of its own"});
  }
  if (orders_nothing()) {
  } else if (instruction.sync) {
    meet_barrier(ordered);
  } else {
    warp_->order.release(ordered.gathered(), kAllLanes, provenance());
  }
  cta().of_all[id] = of_all;
  cta().named_by[id] = {line_, warp_->number_in_cluster};
  std::vector<int> waiting;
  bool done =
      barrier.arrive(warp_->index, threads, instruction.sync, fmt::format("named barrier {}", id), faults_, waiting);
  progress();
  if (done) {
    complete_named(id, waiting);
    return Next::on;
  }
  if (!instruction.sync) return Next::on;
  warp_->blocked = Blocked::named_barrier;
  warp_->blocked_barrier = static_cast<int>(id);
  return Next::blocked;
}

// A phase is complete: those that wait go on.
void Interpreter::complete_named(std::uint32_t id, const std::vector<int>& waiting) {
  order::Barrier& ordered = cta().named_order[id];
  ordered.turn();
  for (int index : waiting) {
    Warp& warp = running_->warps[static_cast<std::size_t>(warp_->cta * warps_per_cta_ + index)];
    if (!orders_nothing()) {
      // It is told at its own wait, not where the last has arrived.
      const std::uint32_t wait = &warp == warp_ ? line_ : warp.blocked_line;
      warp.order.acquire(ordered.completed(), pairs_ ? wait : order::Edge::kNone);
      ordered.heard(warp.order.collective());
    }
    if (&warp == warp_) continue;
    warp.blocked = Blocked::no;
    warp.timed_out = true;
    running_->turns.wake(static_cast<std::size_t>(warp.number_in_cluster));
  }
}

// A warp has exited.
void Interpreter::leave_named() {
  for (std::uint32_t id = 0; id < 16; ++id) {
    std::vector<int> waiting;
    if (cta().of_all[id] && cta().named[id].shrink(32 * cta().warps_left, waiting)) complete_named(id, waiting);
  }
}

void Interpreter::fence(const Instruction& instruction) {
  if (orders_nothing()) return;
  switch (instruction.fence) {
    case Fence::lanes:
      warp_->order.meet(provenance());
      break;
    case Fence::gpu:
      warp_->order.fence_gpu(mask_);
      break;
    case Fence::async_shared:
      warp_->order.fence_async(mask_, order::Space::shared, provenance());
      break;
    case Fence::async_global:
      warp_->order.fence_async(mask_, order::Space::global, provenance());
      break;
    case Fence::tensor_store:
      warp_->order.wait_tensor(false, provenance());
      break;
    case Fence::initialised:
      warp_->order.fence_init();
      break;
  }
}

void Interpreter::follow_cluster_barrier() {
  if (running_->barrier.generation() == running_->generation) return;
  running_->generation = running_->barrier.generation();
  running_->barrier_order.turn();
  running_->life_order.turn();
}

Interpreter::Next Interpreter::wait_scoreboard(const Instruction& instruction) {
  // Scoreboard 0 is that of the copy engine's store groups, 1 that of tensor loads (docs/sass-text.md).
  std::int64_t board = instruction.arguments[0].number, most = instruction.arguments[1].number;
  if (board == 1) {
    if (most > 0) return Next::on;  // all that it waits for may still be under way
    warp_->tensor_load_pending = false;
    warp_->loading.clear();
    if (!orders_nothing()) warp_->order.wait_tensor(true, provenance());
    return Next::on;
  }
  // All groups but the newest `most`, of those closed.
  std::size_t closed = warp_->groups.size() - 1;
  warp_->groups_needed = closed > static_cast<std::size_t>(most) ? closed - static_cast<std::size_t>(most) : 0;
  warp_->needs_writes = instruction.for_writes;
  if (warp_->groups_suffice()) {
    if (!orders_nothing())
      warp_->order.stores_done(warp_->needs_writes, static_cast<std::uint32_t>(warp_->groups_needed), provenance());
    return Next::on;
  }
  warp_->blocked = Blocked::groups;
  return Next::blocked;
}

Interpreter::Next Interpreter::allocate(const Instruction& instruction) {
  std::uint32_t address = shared_address(instruction.arguments[0], first_lane_), offset = address & 0xffffff;
  if (static_cast<int>(address >> 24) != cta().rank || !cta().shared.inside(offset, 4)) {
    report(Finding::Kind::memory,
           fmt::format("leaves tensor memory's base at shared address {:#x}, outside the kernel's", address));
    return Next::on;
  }
  std::int64_t columns = instruction.arguments[1].number * 32;
  Warp* self = warp_;
  auto give = [&](Cta& to, Warp* by, std::int64_t wanted, std::uint32_t word) {
    std::optional<std::uint32_t> base = to.tensor.allocate(wanted, faults_);
    if (!base) return;
    to.tensor_base = *base;
    to.shared.write(word, 4, *base);
    warp_ = by;
    to.allocated = by->order.collective();
    to.allocated_as_pair = instruction.pair;
    access_shared(to.rank, range_footprint(word, 4),
                  actor(to.allocated, order::Use::write, false, order::Space::shared));
    warp_ = self;
  };
  progress();
  if (!instruction.pair) {
    give(cta(), self, columns, offset);
    return Next::on;
  }
  int peer = cta().rank ^ 1;
  if (peer >= program_.cluster) {
    report(Finding::Kind::protocol, "allocates for a pair in a cluster of one CTA");
    stopped_ = true;
    return Next::blocked;
  }
  // Both CTAs of a pair ask, and wait for each other.
  Cta& other = cta_of(peer);
  if (!other.asked_columns) {
    cta().asked_columns = columns;
    cta().asking_warp = warp_->number_in_cluster;
    cta().asked_word = offset;
    warp_->blocked = Blocked::allocation;
    return Next::blocked;
  }
  if (*other.asked_columns != columns) {
    report(Finding::Kind::protocol, fmt::format("the CTAs of a pair allocate {} and {} columns of tensor memory",
                                                columns, *other.asked_columns));
  }
  give(cta(), self, columns, offset);
  give(other, &running_->warps[static_cast<std::size_t>(other.asking_warp)], *other.asked_columns, other.asked_word);
  Warp& waiting = running_->warps[static_cast<std::size_t>(other.asking_warp)];
  waiting.blocked = Blocked::no;
  ++waiting.pc;
  running_->turns.wake(static_cast<std::size_t>(waiting.number_in_cluster));
  other.asked_columns.reset();
  return Next::on;
}

std::optional<Interpreter::Next> Interpreter::synchronise(const Instruction& instruction) {
  switch (instruction.action) {
    case Action::barrier_init:
      barrier_init(instruction);
      return Next::on;
    case Action::barrier_invalidate: {
      auto at = cluster_address(shared_address(instruction.arguments[0], first_lane_), false, "the barrier");
      if (!at) return Next::on;
      if (BarrierState* state = barrier_at(at->first, at->second, false))
        state->barrier.invalidate(barrier_name(cta(), at->second), faults_);
      return Next::on;
    }
    case Action::barrier_arrive:
      barrier_arrive(instruction);
      return Next::on;
    case Action::barrier_test:
      return barrier_test(instruction);
    case Action::named_barrier:
      return named_barrier(instruction);
    case Action::cluster_arrive:
      if (!orders_nothing())
        warp_->order.release_published(running_->barrier_order.gathered(), kAllLanes, provenance());
      warp_->order.release_life(running_->life_order.gathered().seen);
      running_->barrier.arrive(warp_->number_in_cluster, faults_);
      follow_cluster_barrier();
      warp_->cluster_arrived = true;
      progress();
      for (Warp& other : running_->warps) {
        if (other.blocked != Blocked::cluster_barrier || !running_->barrier.passed(other.number_in_cluster)) continue;
        other.blocked = Blocked::no;
        running_->turns.wake(static_cast<std::size_t>(other.number_in_cluster));
      }
      return Next::on;
    case Action::cluster_wait:
      if (!warp_->cluster_arrived) {
        report(Finding::Kind::protocol, "waits for the cluster's barrier and has not arrived at it");
        return Next::on;
      }
      if (!running_->barrier.passed(warp_->number_in_cluster)) {
        warp_->blocked = Blocked::cluster_barrier;
        return Next::blocked;
      }
      warp_->cluster_arrived = false;
      if (!orders_nothing()) warp_->order.acquire_published(running_->barrier_order.completed(), provenance());
      warp_->order.lifetime().join(running_->life_order.completed().seen);
      return Next::on;
    case Action::fence:
      fence(instruction);
      return Next::on;
    case Action::grid_wait:
      if (const Launch* before = launch_number(running_->launch->number - 1); before && !before->ended) {
        if (options_.trace && warp_->waits_since == 0) warp_->waits_since = outcome_.instructions;
        warp_->blocked = Blocked::grid;
        return Next::blocked;
      }
      if (options_.trace) trace_wait("the grid before");
      if (!orders_nothing()) warp_->order.learn(running_->grid_before, provenance());
      return Next::on;
    case Action::grid_launch:
      cta().lets_next_start = true;
      progress();
      return Next::on;
    case Action::wait_scoreboard:
      return wait_scoreboard(instruction);
    case Action::allocate:
      return allocate(instruction);
    case Action::free_:
      order_free(scalar(instruction.arguments[0]), instruction.arguments[1].number * 32);
      cta().tensor.free(scalar(instruction.arguments[0]), instruction.arguments[1].number * 32, faults_);
      progress();
      return Next::on;
    case Action::relinquish:
      cta().tensor.relinquish();
      return Next::on;
    case Action::nothing:
    case Action::prefetch_map:
      return Next::on;
    default:
      return {};
  }
}

}  // namespace warpcc::checker
