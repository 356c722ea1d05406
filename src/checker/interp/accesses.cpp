// Accesses as the order of them is told: who, through which proxy, to which places.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using order::Space;
using order::Use;
using order::Why;

namespace {

constexpr std::uint32_t kColumns = machine::TensorMemory::kColumns;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

// Keys of footprints: what they are of, in the uppermost bits.
enum Of : std::uint64_t { kRange = 1, kLanesOf = 2, kOperand = 3, kAccumulator = 4, kTensorRange = 5 };
std::uint64_t key_of(Of what, std::uint64_t value) {
  return static_cast<std::uint64_t>(what) << 60 | (value & ((std::uint64_t{1} << 60) - 1));
}

}  // namespace

order::Actor Interpreter::actor(order::Epoch epoch, Use use, bool asynchronous, Space space) const {
  order::Actor actor;
  actor.entry = {epoch, use, line_, warp_->order.who(), 0, static_cast<std::uint32_t>(running_->executed[line_])};
  actor.thread = &warp_->order;
  actor.elected = asynchronous ? (mask_ & 1) != 0 : mask_ == 1;
  actor.asynchronous = asynchronous;
  actor.space = space;
  actor.strict = options_.strict;
  return actor;
}

int Interpreter::range_footprint(std::uint32_t offset, std::uint32_t bytes) {
  std::uint64_t key = key_of(kRange, static_cast<std::uint64_t>(offset) << 28 | bytes);
  int footprint = ordering_.shared.find(key);
  if (footprint >= 0) return footprint;
  std::vector<std::uint32_t> places;
  for (std::uint32_t at = offset; at < offset + bytes; ++at) places.push_back(at);
  return ordering_.shared.add(key, places, ordering_.shared_name(offset, bytes));
}

// PTX ISA, cluster of CTAs: shared memory of another is there once that has begun.
void Interpreter::reach_peer(const Cta& peer, int footprint) {
  if (warp_->order.knows().seen.covers(peer.begun) || warp_->order.lifetime().covers(peer.begun)) return;
  report(Finding::Kind::race,
         fmt::format("reaches {} of CTA {}, which may not have begun by then", ordering_.shared.name(footprint),
                     peer.number),
         {"to mend: `cluster.arrive`, `cluster.wait` before the first access to another CTA's memory"});
}

void Interpreter::access_shared(int rank, int footprint, order::Actor actor) {
  if (rank != cta().rank) reach_peer(cta_of(rank), footprint);
  actor.entry.footprint = static_cast<std::uint32_t>(footprint);
  if (pairs_) pairs_->place = &ordering_.shared.name(footprint);
  cta_of(rank).shared_order.access(ordering_.shared, footprint, actor, ordering_.conflicts, pairs_);
  if (!ordering_.conflicts.empty()) tell_conflicts(actor, ordering_.shared.name(footprint), rank);
}

// The lanes of a load or a store, in one CTA's memory.
void Interpreter::order_lanes(const Lanes& addresses, std::uint32_t bytes, bool store) {
  std::uint64_t key = mask_ * 32 + bytes;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (mask_ >> lane & 1) key = mixed(key, addresses[lane]);
  }
  key = key_of(kLanesOf, key);
  int footprint = ordering_.shared.find(key);
  auto rank = static_cast<int>(addresses[first_lane_] >> 24);
  if (rank >= program_.cluster) return;
  if (footprint < 0) {
    std::vector<std::uint32_t> places;
    std::vector<std::pair<std::uint32_t, std::uint8_t>> lanes;
    std::uint32_t first = ~0u, last = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      std::uint32_t offset = addresses[lane] & 0xffffff;
      if (!(mask_ >> lane & 1) || !cta_of(rank).shared.inside(offset, bytes)) continue;
      first = std::min(first, offset);
      last = std::max(last, offset + bytes);
      for (std::uint32_t at = offset; at < offset + bytes; ++at) {
        places.push_back(at);
        lanes.emplace_back(at, static_cast<std::uint8_t>(lane));
      }
    }
    if (places.empty()) return;
    std::sort(lanes.begin(), lanes.end());
    footprint = ordering_.shared.add(key, places, ordering_.shared_name(first, last - first));
    ordering_.shared.by_lanes(footprint, std::move(lanes));
  }
  access_shared(rank, footprint,
                actor(warp_->order.access(mask_, false), store ? Use::write : Use::read, false, Space::shared));
}

void Interpreter::order_tensor_access(std::uint32_t column, int columns, bool load) {
  int quarter = warp_->index % machine::TensorMemory::kQuarters;
  std::uint64_t key =
      key_of(kTensorRange, static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(columns) << 8 |
                               static_cast<std::uint64_t>(quarter));
  int footprint = ordering_.tensor.find(key);
  if (footprint < 0) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t half = 0; half < 2; ++half) {
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(columns); ++i)
        places.push_back((2 * static_cast<std::uint32_t>(quarter) + half) * kColumns + column + i);
    }
    std::int64_t base = std::max<std::int64_t>(0, cta().tensor_base);
    footprint = ordering_.tensor.add(key, places, ordering_.tensor_name(column - base, columns));
  }
  access_tensor(cta().rank, footprint,
                actor(warp_->order.tensor_access(load), load ? Use::read : Use::write, false, Space::shared));
}

void Interpreter::access_tensor(int rank, int footprint, order::Actor actor) {
  actor.entry.footprint = static_cast<std::uint32_t>(footprint);
  if (pairs_) pairs_->place = &ordering_.tensor.name(footprint);
  cta_of(rank).tensor_order.access(ordering_.tensor, footprint, actor, ordering_.conflicts, pairs_);
  if (!ordering_.conflicts.empty()) tell_conflicts(actor, ordering_.tensor.name(footprint), rank);
}

void Interpreter::order_free(std::uint32_t column, std::int64_t columns) {
  std::uint64_t key =
      key_of(kTensorRange, static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(columns) << 8 | 0xff);
  int footprint = ordering_.tensor.find(key);
  if (footprint < 0) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t lanes = 0; lanes < 8; ++lanes) {
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(columns); ++i)
        places.push_back(lanes * kColumns + column + i);
    }
    footprint =
        ordering_.tensor.add(key, places, fmt::format("columns {} .. {} of tensor memory", column, column + columns));
  }
  access_tensor(cta().rank, footprint, actor(warp_->order.collective(), Use::write, false, Space::shared));
  // PTX ISA, tcgen05.dealloc of a pair: both CTAs have allocated by then.
  int peer = cta().rank ^ 1;
  if (!cta().allocated_as_pair || peer >= program_.cluster) return;
  const Cta& other = cta_of(peer);
  if (warp_->order.knows().seen.covers(other.allocated) || warp_->order.lifetime().covers(other.allocated)) return;
  report(Finding::Kind::race,
         fmt::format("tensor memory is freed by CTA {}: nothing orders that after its allocation by CTA {} of the pair",
                     cta().number, other.number),
         {"to mend: a barrier of the cluster between the two"});
}

// What an MMA reads of shared memory for one operand.
int Interpreter::operand_footprint(std::uint64_t bits, const machine::OperandImage& image) {
  std::uint64_t key = key_of(
      kOperand, mixed(mixed(bits, static_cast<std::uint64_t>(image.rows)), reinterpret_cast<std::uintptr_t>(&image)));
  int footprint = ordering_.shared.find(key);
  if (footprint >= 0) return footprint;
  std::vector<std::uint32_t> places;
  std::uint32_t first = ~0u;
  for (const machine::OperandImage::Units& units : image.units) {
    for (std::uint64_t rest = units.mask; rest != 0; rest &= rest - 1) {
      std::uint32_t at =
          units.offset + machine::SharedMemory::kUnit * static_cast<std::uint32_t>(std::countr_zero(rest));
      first = std::min(first, at);
      for (std::uint32_t i = 0; i < machine::SharedMemory::kUnit; ++i) places.push_back(at + i);
    }
  }
  return ordering_.shared.add(key, places, ordering_.shared_name(first, static_cast<std::uint32_t>(places.size())));
}

void Interpreter::order_mma(const machine::TensorCore::Ready& ready, llvm::ArrayRef<int> ranks) {
  order::Epoch epoch = warp_->order.mma();
  int a = operand_footprint(ready.mma.a, *ready.a), b = operand_footprint(ready.mma.b, *ready.b);
  std::uint64_t key = key_of(
      kAccumulator, mixed(ready.mma.d, static_cast<std::uint64_t>(ready.instruction.m) << 32 |
                                           static_cast<std::uint64_t>(ready.instruction.n) << 1 | ready.mma.pair));
  int d = ordering_.tensor.find(key);
  if (d < 0) {
    std::vector<std::uint32_t> places;
    std::uint32_t first = ~0u, last = 0;
    for (const machine::AccumulatorRun& run : ready.d->runs) {
      std::uint32_t lane = (ready.mma.d >> 16) + static_cast<std::uint32_t>(run.lane);
      std::uint32_t column = (ready.mma.d & 0xffff) + static_cast<std::uint32_t>(run.column);
      first = std::min(first, column);
      last = std::max(last, column + static_cast<std::uint32_t>(run.count));
      if (lane % 16 != 0) continue;
      for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(run.count); ++j)
        places.push_back(lane / 16 * kColumns + column + j);
    }
    std::int64_t base = std::max<std::int64_t>(0, cta().tensor_base);
    d = ordering_.tensor.add(key, places, ordering_.tensor_name(first - base, last - first));
  }
  order::Actor reads = actor(epoch, Use::read, true, Space::shared);
  order::Actor writes = actor(epoch, Use::write, true, Space::shared);
  for (int rank : ranks) {
    access_shared(rank, a, reads);
    access_shared(rank, b, reads);
    access_tensor(rank, d, writes);
  }
}

// Of a warpgroup's MMA each warp reads its own rows of A and all of B, until it has waited for their group (PTX ISA,
// wgmma.wait_group).
void Interpreter::order_warpgroup_mma(const machine::WarpgroupCore::Ready& ready) {
  order::Actor reads = actor(warp_->order.mma(), Use::read, true, Space::shared);
  if (ready.a) access_shared(cta().rank, operand_footprint(ready.mma.a, *ready.a), reads);
  access_shared(cta().rank, operand_footprint(ready.mma.b, *ready.b), reads);
}

// ---- the copy engine

order::Box Interpreter::box_of(const machine::TensorMap& map, const machine::Coordinates& start) const {
  const Grid& grid = ordering_.grids[static_cast<std::size_t>(map.buffer)];
  order::Box box;
  box.to.fill(1);
  for (int i = 0; i < map.rank(); ++i) {
    auto at = static_cast<std::size_t>(map.rank() - 1 - i);
    auto from = static_cast<std::size_t>(i);
    box.from[at] = static_cast<std::int32_t>(std::max<std::int64_t>(0, start[from]));
    box.to[at] = static_cast<std::int32_t>(std::min(grid.extent[at], start[from] + map.box[from]));
  }
  return box;
}

void Interpreter::access_global(std::size_t buffer, const order::Box& box, order::Actor actor) {
  std::optional<order::Boxes>& boxes =
      (code_.runs_together() ? running_->launch->accesses : running_->global_order)[buffer];
  if (!boxes) return;
  if (code_.waits_for_grid) between_launches(buffer, box, actor);
  if (pairs_) pairs_->place = &program_.buffers[buffer].name;
  boxes->access(box, actor, ordering_.conflicts, pairs_);
  if (!ordering_.conflicts.empty()) tell_conflicts(actor, ordering_.global_name(buffer, box), -1);
}

void Interpreter::order_copy_in(CopyIn& copy) {
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  int footprint = range_footprint(copy.targets[0].shared, static_cast<std::uint32_t>(map.shared_bytes()));
  order::Epoch read{};
  for (CopyIn::Target& target : copy.targets) {
    Cta& signalled = cta_of(target.barrier_cta);
    std::int32_t at = signalled.barrier_at[target.barrier / 8];
    if (at < 0) continue;
    BarrierState& state = signalled.barriers[static_cast<std::size_t>(at)];
    use_barrier(state, signalled, true);
    order::Epoch epoch = state.order.begin(running_->agents);
    target.ticket = epoch.time;
    state.last_signal = line_;
    read = epoch;
    access_shared(target.cta, footprint, actor(epoch, Use::write, true, Space::shared));
  }
  auto buffer = static_cast<std::size_t>(map.buffer);
  if (read.agent.exists() && ordering_.is_written(buffer) && !ordering_.grids[buffer].linear)
    access_global(buffer, box_of(map, copy.start), actor(read, Use::read, true, Space::global));
}

// Both ends are known to be done with by who waits for the barrier.
void Interpreter::order_copy_across(CopyIn& copy) {
  CopyIn::Target& target = copy.targets[0];
  Cta& signalled = cta_of(target.barrier_cta);
  std::int32_t at = signalled.barrier_at[target.barrier / 8];
  if (at < 0) return;
  BarrierState& state = signalled.barriers[static_cast<std::size_t>(at)];
  use_barrier(state, signalled, true);
  order::Epoch epoch = state.order.begin(running_->agents);
  target.ticket = epoch.time;
  state.last_signal = line_;
  access_shared(copy.source_cta, range_footprint(copy.source, copy.bytes),
                actor(epoch, Use::read, true, Space::shared));
  access_shared(target.cta, range_footprint(target.shared, copy.bytes), actor(epoch, Use::write, true, Space::shared));
}

void Interpreter::order_copy_out(const CopyOut& copy) {
  const machine::TensorMap& map = code_.maps[static_cast<std::size_t>(copy.map)];
  auto group = static_cast<std::uint32_t>(copy.group);
  warp_->last_store = line_;
  access_shared(cta().rank, range_footprint(copy.shared, static_cast<std::uint32_t>(map.shared_bytes())),
                actor(warp_->order.store(false, group), Use::read, true, Space::shared));
  auto buffer = static_cast<std::size_t>(map.buffer);
  if (ordering_.grids[buffer].linear) return;
  access_global(buffer, box_of(map, copy.start),
                actor(warp_->order.store(true, group), copy.add ? Use::add : Use::write, true, Space::global));
}

void Interpreter::order_request(Request& request) {
  int footprint = range_footprint(request.answer, 16);
  for (int rank : request.ctas) {
    Cta& target = cta_of(rank);
    std::int32_t at = target.barrier_at[request.barrier / 8];
    std::uint32_t ticket = 0;
    if (at >= 0) {
      BarrierState& state = target.barriers[static_cast<std::size_t>(at)];
      use_barrier(state, target, true);
      order::Epoch epoch = state.order.begin(running_->agents);
      ticket = epoch.time;
      access_shared(rank, footprint, actor(epoch, Use::write, true, Space::shared));
    }
    request.tickets.push_back(ticket);
  }
  // Who gets the answer knows what the one that asked knew (memory consistency model, causality order).
  warp_->order.release(request.knows, 1, provenance());  // one lane asks, whatever executes the instruction
}

// ---- lanes in global memory: runs of elements, one after the other

void Interpreter::order_global_lanes(const Instruction& instruction, const LaneElements& at) {
  bool load = instruction.action == Action::load_global, add = instruction.action == Action::add_global;
  bool sum = add && instruction.is_signed;  // of floating numbers: data
  bool strong = !sum && (add || instruction.relaxed);
  Use use = load ? (strong ? Use::strong_read : Use::read) : sum ? Use::add : (strong ? Use::strong_write : Use::write);
  if (strong) order_flags(instruction, at);
  std::int64_t count = at.count;
  int lane = 0;
  while (lane < kLanes) {
    if (at.buffer[lane] < 0) {
      ++lane;
      continue;
    }
    int end = lane + 1;
    while (end < kLanes && at.buffer[end] == at.buffer[lane] &&
           (at.element[end] == at.element[end - 1] + count || at.element[end] == at.element[lane]))
      ++end;
    auto buffer = static_cast<std::size_t>(at.buffer[lane]);
    if (ordering_.is_written(buffer)) {
      const Grid& grid = ordering_.grids[buffer];
      std::int64_t first = at.element[lane], last = at.element[end - 1] + count;
      // A run that leaves its row goes on in the next.
      while (first < last) {
        std::int64_t row = last - first;
        for (int i = 0; i < grid.rank; ++i) {
          auto d = static_cast<std::size_t>(i);
          if (grid.stride[d] == 1) row = std::min(row, grid.extent[d] - first % grid.extent[d]);
        }
        order::Actor who = actor(warp_->order.access(mask_, true), use, false, Space::global);
        // Whether two accesses are the same lanes': the first element that a lane has tells, where it is its alone.
        bool shared = end - lane > 1 && at.element[lane + 1] == at.element[lane];
        who.entry.footprint = shared ? ~0u : static_cast<std::uint32_t>(at.element[lane] - lane * count);
        access_global(buffer, grid.box_of(first, row), who);
        first += row;
      }
    }
    lane = end;
  }
}

// A flag hands on what has been published before it is written, to those who fence after they have read it (PTX ISA,
// release and acquire patterns).
void Interpreter::order_flags(const Instruction& instruction, const LaneElements& at) {
  auto& flags = running_->launch->flags;  // what the launch before has raised orders nothing: `grid.wait` does
  for (int lane = 0; lane < kLanes; ++lane) {
    if (at.buffer[lane] < 0) continue;
    std::pair key(static_cast<std::size_t>(at.buffer[lane]), at.element[lane]);
    if (lane > 0 && at.buffer[lane - 1] == at.buffer[lane] && at.element[lane - 1] == at.element[lane]) continue;
    if (instruction.action == Action::load_global) {
      if (auto found = flags.find(key); found != flags.end() && !at.old)
        warp_->order.observe(found->second, provenance());
      continue;
    }
    order::Knowledge& flag = flags[key];
    if (instruction.action == Action::store_global) flag.clear();
    warp_->order.release_published(flag, mask_, provenance());
  }
}

// ---- barriers

void Interpreter::order_commit(TensorWork& commit) {
  if (orders_nothing()) {
    commit.tickets.assign(commit.ctas.size(), 0);
    return;
  }
  commit.knows = std::make_shared<order::Knowledge>();
  warp_->order.release_acquired(*commit.knows, provenance());
  order::Epoch done = warp_->order.commit();
  commit.knows->seen.raise(done.agent, done.time, provenance());
  for (int rank : commit.ctas) {
    Cta& target = cta_of(rank);
    std::int32_t at = target.barrier_at[commit.barrier / 8];
    if (at < 0) {
      commit.tickets.push_back(0);
      continue;
    }
    BarrierState& state = target.barriers[static_cast<std::size_t>(at)];
    use_barrier(state, target, true);
    commit.tickets.push_back(state.order.begin(running_->agents).time);
    state.last_signal = line_;
  }
}

// All lanes of the warp meet, and tell those who wait what they know.
void Interpreter::meet_barrier(order::Barrier& barrier) {
  warp_->order.meet(provenance());
  warp_->order.release(barrier.gathered(), kAllLanes, provenance());
}

// Whether it has been initialised for who uses it now.
void Interpreter::use_barrier(BarrierState& state, Cta& of, bool asynchronous) {
  const order::Epoch& made = state.order.initialised;
  if (!made.agent.exists()) return;
  const order::Knowledge& knows = warp_->order.knows();
  bool own = made.agent == warp_->order.initialiser();
  bool peer = of.rank != cta().rank;
  if (!own && !knows.seen.covers(made)) {
    report(Finding::Kind::race,
           fmt::format("uses {}: nothing orders its initialisation before this", barrier_name(of, state.offset)),
           {"between them belongs a barrier of the CTA, or of the cluster where another CTA's is used"});
  } else if ((asynchronous && !knows.async_shared.covers(made)) || (peer && !knows.published.covers(made))) {
    report(
        Finding::Kind::race,
        fmt::format("uses {}, which {} without `fence.init` after its initialisation", barrier_name(of, state.offset),
                    peer ? "is another CTA's" : "the copy engine or the tensor core signals"),
        {"`fence.init` by the warp that has initialised it, before the barrier of the CTA or of the cluster"});
  }
  if (peer && (mask_ & 1) != 0 && !asynchronous) {
    // What the warp tells from now on says that it was here, whichever of its lanes tells it.
    order::Epoch epoch = warp_->order.collective();
    for (order::Epoch& last : state.order.from_peers) {
      if (last.agent != epoch.agent) continue;
      last = epoch;
      return;
    }
    state.order.from_peers.push_back(epoch);
    state.last_signal = line_;
  }
}

std::vector<UnorderedPair> Interpreter::unordered() const {
  std::vector<UnorderedPair> result;
  for (const auto& [key, told] : ordering_.told)
    result.push_back({told.place, std::get<0>(key), std::get<1>(key), told.times});
  return result;
}

// A CTA is gone: whoever reached into it must be known to have done so by one of its warps.
void Interpreter::leave_cta(Cta& gone) {
  auto reaches = [&](const std::string& what, std::uint32_t line, const BarrierState* barrier = nullptr) {
    std::uint32_t present = line_;
    if (line != ~0u) line_ = line;
    report(Finding::Kind::race, fmt::format("reaches {} of CTA {}, which may have exited by then", what, gone.number),
           exit_details(gone, barrier));
    line_ = present;
  };
  const order::Clock& life = gone.life;
  for (BarrierState& state : gone.barriers) {
    bool all = state.order.all_ended_in(life);
    for (const order::Epoch& epoch : state.order.from_peers) all = all && life.covers(epoch);
    if (!all) reaches("the barrier " + barrier_name(gone, state.offset), state.last_signal, &state);
  }
  gone.shared_order.for_each([&](const order::Entry& entry) {
    if (life.covers(entry.epoch)) return;
    bool from_outside = !order::same_cta(entry.who, warp_->order.who());
    order::AgentKind kind = entry.epoch.agent.kind();
    bool asynchronous = kind == order::AgentKind::queue || kind == order::AgentKind::arriving;
    if (!from_outside && !asynchronous) return;
    reaches(ordering_.shared.name(static_cast<int>(entry.footprint)), entry.line);
  });
}

// Clusters that know nothing of each other: what one has done stays, for those that come after it.
void Interpreter::leave_global() {
  if (!code_.runs_together()) bring_global(running_->global_order, 0, running_->serial, running_->serial + 1);
}

void Interpreter::bring_global(const GlobalOrder& from, std::uint32_t serials, std::uint32_t first, std::uint32_t end) {
  Launch& launch = running_ ? *running_->launch : *launches_.back();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i]) continue;
    launch.accesses[i]->merge(*from[i], serials, first, end,
                              [&](const order::Entry& one, const order::Entry& other, const order::Box& box) {
                                tell_clusters(one, other, ordering_.global_name(i, box));
                              });
  }
}

void Interpreter::take_order(const Interpreter& other) {
  auto serials = static_cast<std::uint32_t>(ordering_.begun.size());
  ordering_.begun.insert(ordering_.begun.end(), other.ordering_.begun.begin(), other.ordering_.begun.end());
  bring_global(other.launches_.back()->accesses, serials, serials, static_cast<std::uint32_t>(ordering_.begun.size()));
}

// A launch may begin before the one before it has ended (PTX ISA, griddepcontrol): what has not waited for that is
// unordered to all that it does. Which of the two is done first is the schedule's.
void Interpreter::between_launches(std::size_t buffer, const order::Box& box, const order::Actor& actor) {
  std::optional<order::Entry> other;
  auto note = [&](const order::Entry& entry) {
    ++outcome_.races;
    if (!other) other = entry;
  };
  const Launch* before = launch_number(running_->launch->number - 1);
  if (before && !knows_grid_before()) {
    before->accesses[buffer]->for_each_conflict(box, actor.entry.use, note);
    for (const auto& cluster : resident_) {
      if (cluster->launch == before && !code_.runs_together())
        cluster->global_order[buffer]->for_each_conflict(box, actor.entry.use, note);
    }
    if (other) tell_before(*other, actor.entry, ordering_.global_name(buffer, box), true);
    order::Conflicts among_themselves;
    bool reads = actor.entry.use == Use::read || actor.entry.use == Use::strong_read;
    GlobalOrder& early = reads ? running_->launch->early_reads : running_->launch->early_writes;
    early[buffer]->access(box, actor, among_themselves, nullptr);
  }
  if (const Launch* next = launch_number(running_->launch->number + 1)) {
    for (const GlobalOrder* early : {&next->early_reads, &next->early_writes}) {
      other.reset();
      (*early)[buffer]->for_each_conflict(box, actor.entry.use, note);
      if (other) tell_before(actor.entry, *other, ordering_.global_name(buffer, box), false);
    }
  }
}

// ---- the timeline

void Interpreter::trace_span(std::int64_t cta, std::int32_t track, std::string name, std::uint64_t since) {
  if (options_.trace && !options_.trace->full())
    options_.trace->spans.push_back({cta, track, std::move(name), since, outcome_.instructions});
}

// The present warp has waited, and goes on.
void Interpreter::trace_wait(const std::string& what) {
  if (warp_->waits_since != 0) trace_span(cta().traced, warp_->index, "wait " + what, warp_->waits_since);
  warp_->waits_since = 0;
}

}  // namespace warpcc::checker
