// mbarriers, named barriers, the cluster's barrier.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

std::string Executor::barrier_name(int cta, std::uint32_t offset) const {
  return cluster_->ctas.size() == 1 ? fmt::format("the mbarrier at {:#x}", offset)
                                    : fmt::format("the mbarrier at {:#x} of CTA {}", offset, cta);
}

machine::MBarrier* Executor::barrier(int cta, std::uint32_t offset, const char* how) {
  if (cta < 0 || offset % 8 != 0 || !cluster_->ctas[static_cast<std::size_t>(cta)]->shared.inside(offset, 8)) {
    report(Finding::Kind::memory, fmt::format("{} an mbarrier at {:#x}, where none can be", how, offset));
    return nullptr;
  }
  return &cluster_->ctas[static_cast<std::size_t>(cta)]->barriers[offset];
}

std::pair<int, std::uint32_t> Executor::barrier_place(const Code& code, std::size_t first, int lane) {
  Lanes64 at;
  addresses(code, first, at);
  return shared_place(at[lane]);
}

void Executor::note_signal(int cta, std::uint32_t offset) {
  auto& lines = cluster_->ctas[static_cast<std::size_t>(cta)]->signals[offset];
  for (auto& [line, times] : lines) {
    if (line != line_) continue;
    ++times;
    return;
  }
  lines.push_back({line_, 1});
}

void Executor::signal(int cta, std::uint32_t offset) {
  machine::MBarrier* to = barrier(cta, offset, "signals");
  if (to == nullptr) return;
  note_signal(cta, offset);
  order_completed(cta, offset, to->arrive(1, barrier_name(cta, offset), faults_));
  report_faults();
  ++progress_;
}

void Executor::land(int cta, std::uint32_t offset, std::int64_t bytes) {
  machine::MBarrier* to = barrier(cta, offset, "brings bytes to");
  if (to == nullptr) return;
  note_signal(cta, offset);
  cluster_->ctas[static_cast<std::size_t>(cta)]->announced.try_emplace(offset, line_);
  order_completed(cta, offset, to->land(bytes, barrier_name(cta, offset), faults_));
  report_faults();
  ++progress_;
}

void Executor::arrive(const Code& code) {
  Lanes64 at, count;
  addresses(code, code.op == Op::mbar_arrive ? 0 : 0, at);
  const Arg& amount = arg(code, static_cast<std::size_t>(code.count) - 1);
  read64(amount, count);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    auto [rank, offset] = shared_place(at[lane]);
    machine::MBarrier* to = barrier(rank, offset, "arrives at");
    if (to == nullptr) continue;
    note_signal(rank, offset);
    std::string name = barrier_name(rank, offset);
    auto number = static_cast<std::int64_t>(static_cast<std::uint32_t>(count[lane]));
    order_arrive(code, rank, offset, code.op == Op::mbar_arrive);
    if (code.op == Op::mbar_arrive && arg(code, 2).kind == Arg::Kind::reg) {
      // The state that a test may be given: here the phase that it arrives in.
      const std::uint32_t all = mask_;
      Lanes64 state;
      std::fill_n(state, kLanes, to->phase());
      mask_ = 1u << lane;
      write64(arg(code, 2), state);
      mask_ = all;
    }
    bool completed = false;
    if (code.extra == 1 || code.op == Op::mbar_expect)
      cluster_->ctas[static_cast<std::size_t>(rank)]->announced[offset] = line_;
    if (code.op == Op::mbar_expect) {
      completed = code.add ? to->land(number, name, faults_) : to->expect(number, name, faults_);
    } else {
      if (code.extra == 1) to->expect(number, name, faults_);
      const std::int64_t arrivals = code.extra == 1 || amount.kind == Arg::Kind::none ? 1 : number;
      completed = code.at_read ? to->drop(arrivals, name, faults_) : to->arrive(arrivals, name, faults_);
      if (completed && code.no_complete)
        report(Finding::Kind::protocol, fmt::format("an arrival by .noComplete completes a phase of {}", name),
               {"to mend: the arrival that may be the phase's last without .noComplete",
                "PTX ISA, mbarrier.arrive: what .noComplete must not do"});
    }
    order_completed(rank, offset, completed);
    report_faults();
    ++progress_;
  }
}

Executor::Next Executor::test(const Code& code) {
  // done, [barrier], offset, parity or state
  Lanes64 at;
  Lanes32 parity;
  addresses(code, 1, at);
  read32(arg(code, 3), parity);
  std::uint32_t done = 0;
  int first = first_lane();
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    auto [rank, offset] = shared_place(at[lane]);
    if (rank >= 0 && rank != warp_->cta)
      report(Finding::Kind::protocol,
             fmt::format("waits for {}, which is another CTA's (PTX ISA, mbarrier.test_wait: .shared::cta)",
                         barrier_name(rank, offset)));
    machine::MBarrier* of = barrier(rank, offset, "tests");
    if (of == nullptr) {
      done |= 1u << lane;
      continue;
    }
    if (!of->live()) {
      report(Finding::Kind::protocol,
             fmt::format("tests {}, which nobody has initialised", barrier_name(rank, offset)));
      done |= 1u << lane;
      continue;
    }
    if (of->passed(static_cast<int>(parity[lane] & 1))) done |= 1u << lane;
  }
  if ((done >> first & 1) == 0) {
    auto [rank, offset] = shared_place(at[first]);
    group_->cta = rank;
    group_->offset = offset;
    group_->parity = parity[first] & 1;
    group_->tested = progress_;
    warp_->asked = true;
    // try_wait sleeps for some time and may then answer no (PTX ISA, mbarrier.try_wait): so it does at first, and a
    // program that does not ask again goes on; who asks again sleeps until the barrier moves.
    if (code.uniform && patient_ && group_->refused == line_) {
      group_->blocked = Blocked::mbarrier;
      return Next::blocked;
    }
    group_->refused = line_;
  } else if (group_->refused == line_) {
    group_->refused = ~0u;
  }
  std::pair<int, std::uint32_t> last{-1, 0};
  for (std::uint32_t rest = ordering_ ? done : 0; rest != 0; rest &= rest - 1) {
    auto [rank, offset] = shared_place(at[std::countr_zero(rest)]);
    if (rank >= 0 && std::pair(rank, offset) != last) order_waited(code, rank, offset);
    last = {rank, offset};
  }
  write_predicate(arg(code, 0), done);
  return Next::on;
}

Executor::Next Executor::named_barrier(const Code& code) {
  if (group_->arrived) {  // and the barrier has completed
    group_->arrived = false;
    tell_reduced(code);
    return Next::on;
  }
  auto number = static_cast<std::uint32_t>(scalar(arg(code, 0)));
  if (!together(~0u) && !come_apart(code, number)) return Next::blocked;
  const Arg& count = arg(code, 1);
  const bool of_all = count.kind == Arg::Kind::none;
  int threads = of_all ? threads_left() : static_cast<int>(scalar(count));
  if (number >= 16) {
    report(Finding::Kind::named_barrier, fmt::format("there is no named barrier {}", number));
    return Next::on;
  }
  bool sync = code.op == Op::bar_sync;
  if (cta().reduces[number].value_or(code.extra != 0) != (code.extra != 0))
    report(Finding::Kind::named_barrier,
           fmt::format("{} barrier.red, and others have come to this phase of named barrier {} by {}",
                       code.extra != 0 ? "is" : "is no", number,
                       code.extra != 0 ? "barrier.sync or barrier.arrive" : "barrier.red"),
           {"to mend: all who come to a phase do so by barrier.red, or none", "PTX ISA, bar, barrier"});
  cta().reduces[number] = code.extra != 0;
  std::vector<int> waiting;
  if (code.extra != 0) {
    Cta::Reduction& sum = cta().reducing[number];
    const std::uint32_t yes = predicate(arg(code, 3)) & mask_;
    sum.count += static_cast<std::uint32_t>(std::popcount(yes));
    sum.all = sum.all && yes == mask_;
  }
  order_named_arrive(number, sync);
  cta().of_all[number] = of_all;
  bool completed = cta().named[number].arrive(warp_->number, threads, sync, fmt::format("named barrier {}", number),
                                              faults_, waiting);
  report_faults();
  ++progress_;
  if (completed) {
    complete_named(number, waiting);
    for (Group& group : warp_->groups) {
      if (group.blocked == Blocked::named_barrier && group.offset == number) group.blocked = Blocked::no;
    }
    tell_reduced(code);
    if (sync) order_named_waited(*warp_, number);
    return Next::on;
  }
  if (!sync) return Next::on;
  group_->blocked = Blocked::named_barrier;
  group_->arrived = true;
  group_->offset = number;
  return Next::blocked;
}

// A phase is complete: the other warps that wait for it go on.
void Executor::complete_named(std::uint32_t number, const std::vector<int>& waiting) {
  cta().reduced[number] = std::exchange(cta().reducing[number], {});
  cta().reduces[number].reset();
  order_named_completed(number);
  for (const auto& other : cluster_->warps) {
    if (other->cta != warp_->cta || other.get() == warp_ ||
        std::find(waiting.begin(), waiting.end(), other->number) == waiting.end())
      continue;
    order_named_waited(*other, number);
    for (Group& group : other->groups) {
      if (group.blocked == Blocked::named_barrier) group.blocked = Blocked::no;
    }
  }
}

// Without .aligned a warp's lanes may come to a barrier at several places (PTX ISA, barrier): the last to come arrive
// for all of them. Whether these are the last.
bool Executor::come_apart(const Code& code, std::uint32_t number) {
  group_->offset = number;
  std::uint32_t here = group_->mask;
  auto waits = [&](const Group& other) {
    const Code& at = code_.code[other.pc];
    return &other != group_ && other.blocked == Blocked::gather && at.op == code.op && !at.aligned &&
           other.offset == number;
  };
  for (const Group& other : warp_->groups) here |= waits(other) ? other.mask : 0;
  if (code.aligned || code.op != Op::bar_sync || here != warp_->live) return false;
  for (Group& other : warp_->groups) {
    if (!waits(other)) continue;
    other.blocked = Blocked::named_barrier;
    other.arrived = true;
  }
  return true;
}

// A barrier of all threads waits for those that have not exited (CUDA programming guide, __syncthreads).
int Executor::threads_left() const {
  int warps = 0;
  for (const auto& warp : cluster_->warps) warps += warp->cta == warp_->cta && warp->live != 0;
  return 32 * warps;
}

void Executor::leave_named() {
  for (std::uint32_t number = 0; number < 16; ++number) {
    std::vector<int> waiting;
    if (cta().of_all[number] && cta().named[number].shrink(threads_left(), waiting)) complete_named(number, waiting);
  }
}

// What barrier.red gives to each thread: how many threads said yes, whether all did, whether any (PTX ISA, bar.red).
void Executor::tell_reduced(const Code& code) {
  if (code.extra == 0) return;
  const Cta::Reduction& sum = cta().reduced[static_cast<std::uint32_t>(scalar(arg(code, 0))) & 15];
  if (code.extra == 1) {
    Lanes32 lanes;
    std::fill_n(lanes, kLanes, sum.count);
    return write32(arg(code, 2), lanes);
  }
  const bool answer = code.extra == 2 ? sum.all : sum.count != 0;
  write_predicate(arg(code, 2), answer ? ~0u : 0);
}

Executor::Next Executor::synchronise(const Code& code) {
  switch (code.op) {
    case Op::bar_sync:
    case Op::bar_arrive:
      return named_barrier(code);
    case Op::cluster_arrive: {
      if (!together(~0u)) return Next::blocked;
      int number = warp_->cta * static_cast<int>(cluster_->warps.size() / cluster_->ctas.size()) + warp_->number;
      order_cluster_arrive(code);
      cluster_->barrier.arrive(number, faults_);
      follow_cluster_barrier();
      report_faults();
      ++progress_;
      return Next::on;
    }
    case Op::cluster_wait: {
      if (!together(~0u)) return Next::blocked;
      int number = warp_->cta * static_cast<int>(cluster_->warps.size() / cluster_->ctas.size()) + warp_->number;
      if (cluster_->barrier.passed(number)) {
        order_cluster_waited();
        return Next::on;
      }
      group_->blocked = Blocked::cluster_barrier;
      return Next::blocked;
    }
    case Op::mbar_init:
    case Op::mbar_inval: {
      Lanes64 at;
      Lanes32 count{};
      addresses(code, 0, at);
      if (code.op == Op::mbar_init) read32(arg(code, 2), count);
      // A warp whose lanes all initialise the same mbarrier to the same leaves what one of them would. It is not asked
      // for all the same: an mbarrier that is live is invalidated first (PTX ISA, mbarrier.init).
      const int leader = first_lane();
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        if (lane != leader && !options_.strict && at[lane] == at[leader] && count[lane] == count[leader]) continue;
        auto [rank, offset] = shared_place(at[lane]);
        machine::MBarrier* of = barrier(rank, offset, "initialises");
        if (of == nullptr) continue;
        if (code.op == Op::mbar_init) {
          order_init(rank, offset);
          of->init(count[lane], barrier_name(rank, offset), faults_);
          machine::SharedMemory& shared = cluster_->ctas[static_cast<std::size_t>(rank)]->shared;
          shared.block(offset).barriers |= machine::SharedMemory::unit_bit(offset);
        } else {
          order_invalidated(rank, offset);
          of->invalidate(barrier_name(rank, offset), faults_);
        }
        report_faults();
      }
      return Next::on;
    }
    case Op::mbar_arrive:
    case Op::mbar_expect:
      arrive(code);
      return Next::on;
    case Op::copy_async_arrive: {
      // The copies of a lane are done when they are begun: what is left is an arrival, or none on balance.
      Lanes64 at;
      addresses(code, 0, at);
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        auto [rank, offset] = shared_place(at[std::countr_zero(rest)]);
        if (rank >= 0) order_copies_arrive(rank, offset);
        if (code.extra != 0) signal(rank, offset);
      }
      return Next::on;
    }
    case Op::mbar_test:
      return test(code);
    case Op::mapa: {
      Lanes64 address;
      Lanes32 rank;
      read64(arg(code, 1), address);
      read32(arg(code, 2), rank);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint64_t window = address[lane] >= kSharedWindow ? kSharedWindow : 0;
        address[lane] =
            window | static_cast<std::uint64_t>(rank[lane] & 0xff) << 24 | ((address[lane] - window) & 0xffffff);
      }
      write64(arg(code, 0), address);
      return Next::on;
    }
    case Op::cta_rank: {
      Lanes64 address;
      read64(arg(code, 1), address);
      for (std::uint64_t& each : address) each = (each >= kSharedWindow ? each - kSharedWindow : each) >> 24;
      write64(arg(code, 0), address);
      return Next::on;
    }
    default:
      return Next::on;
  }
}

}  // namespace warpcc::checker::ptx
