// Work that goes on by itself: the tensor core's MMAs and commits, requests for work, and which of all that is under
// way happens next. What is begun is checked at once; it happens as late as it may.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using machine::SharedMemory;

void Interpreter::mma(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  if (arguments[0].kind != sass::Operand::Kind::gdesc) {
    report(Finding::Kind::protocol, "takes A from tensor memory, which the checker's machine does not do");
    stopped_ = true;
    return;
  }
  auto pair_of = [&](const Argument& argument) {
    return static_cast<std::uint64_t>(scalar(argument, 1)) << 32 | scalar(argument, 0);
  };
  machine::Mma mma;
  mma.a = pair_of(arguments[0]);
  mma.b = pair_of(arguments[1]);
  mma.d = scalar(arguments[2]) + static_cast<std::uint32_t>(arguments[2].number);
  mma.instruction = scalar(arguments[4]);
  if (std::uint32_t below = scalar(arguments[3]); below != 0 && !arguments[3].slot.constant)
    report(Finding::Kind::protocol,
           fmt::format("the word below the instruction descriptor is {:#x}, where it is to be 0", below));
  mma.accumulate = predicate(arguments[5]) & 1;
  mma.pair = instruction.pair;
  std::string_view name = program_.lines[line_].opcode->name;
  using Kind = layout::InstructionDescriptor::Kind;
  mma.kind = name == "UTCQMMA" ? Kind::f8f6f4 : name == "UTCIMMA" ? Kind::i8 : Kind::f16;

  TensorWork work;
  work.line = line_;
  work.warp = warp_->number_in_cluster;
  work.ctas.push_back(cta().rank);
  if (instruction.pair) {
    if (cta().rank % 2 != 0 || cta().rank + 1 >= program_.cluster) {
      report(Finding::Kind::protocol,
             fmt::format("a pair's MMA is issued by CTA {} of a cluster of {}: the even one of a pair issues it",
                         cta().rank, program_.cluster));
      stopped_ = true;
      return;
    }
    work.ctas.push_back(cta().rank + 1);
  }
  std::vector<machine::TensorCoreSide> sides;
  for (int rank : work.ctas) {
    if (cta_of(rank).exited()) {
      report(Finding::Kind::protocol, fmt::format("its MMA reads CTA {}, which has exited", cta_of(rank).number));
      return;
    }
    sides.push_back({&cta_of(rank).shared, &cta_of(rank).tensor});
  }
  std::optional<machine::TensorCore::Ready> refused;
  work.mma = tensor_core_.issue(mma, sides, faults_, &refused);
  // What is not there yet under this schedule may be there under another: that nothing orders the two is told as well.
  if (refused) order_mma(*refused, work.ctas);
  if (!work.mma) return;
  order_mma(*work.mma, work.ctas);
  for (int rank : work.ctas) {
    if (code_.limits) check_valid({work.mma->a, work.mma->b}, rank, mma.d, mma.accumulate);
  }
  work.at = outcome_.instructions;
  running_->pending.queues[static_cast<std::size_t>(warp_->number_in_cluster)].push_back(std::move(work));
  progress();
}

void Interpreter::commit(const Instruction& instruction) {
  TensorWork work;
  work.line = line_;
  work.warp = warp_->number_in_cluster;
  auto at = cluster_address(scalar(instruction.arguments[0]), true, "the commit's barrier");
  if (!at) return;
  work.barrier = at->second;
  if (instruction.multicast) {
    std::uint32_t mask = scalar(instruction.arguments[2]) & 0xffff;
    if (mask == 0) report(Finding::Kind::protocol, "commits to no CTA: its mask is 0");
    for (int rank = 0; rank < 16; ++rank) {
      if (!(mask >> rank & 1)) continue;
      if (rank >= program_.cluster) {
        report(Finding::Kind::memory, fmt::format("commits to CTA {} of a cluster of {}", rank, program_.cluster));
        continue;
      }
      work.ctas.push_back(rank);
    }
  } else {
    work.ctas.push_back(at->first);
  }
  order_commit(work);
  running_->pending.queues[static_cast<std::size_t>(warp_->number_in_cluster)].push_back(std::move(work));
  progress();
}

void Interpreter::run_tensor(std::deque<TensorWork>& queue) {
  while (!queue.empty()) {
    TensorWork work = std::move(queue.front());
    queue.pop_front();
    bool gone = std::any_of(work.ctas.begin(), work.ctas.end(), [&](int rank) { return cta_of(rank).exited(); });
    if (work.mma) {
      std::vector<machine::TensorCoreSide> sides;
      for (int rank : work.ctas) sides.push_back({&cta_of(rank).shared, &cta_of(rank).tensor});
      if (gone) faults_.protocol("its MMA goes on after a CTA that it reaches has exited");
      tensor_core_.run(*work.mma, sides);
      if (options_.trace) trace_span(cta_of(work.ctas[0]).traced, Trace::kTensorCore, line_text(work.line), work.at);
    } else {
      if (gone) {
        faults_.protocol("its commit signals a CTA that has exited");
      } else {
        Warp* warp = warp_;
        std::uint32_t line = line_;
        warp_ = &running_->warps[static_cast<std::size_t>(work.warp)];
        line_ = work.line;
        track_ = Trace::kTensorCore;
        for (std::size_t i = 0; i < work.ctas.size(); ++i)
          signal(work.ctas[i], work.barrier, work.knows.get(), work.tickets[i]);
        track_ = -1;
        warp_ = warp;
        line_ = line;
      }
    }
    report_faults(faults_, work);
    if (!work.mma) return;
  }
}

// ---- cluster launch control (PTX ISA, clusterlaunchcontrol.try_cancel)

constexpr std::uint32_t kAnswerBytes = 16;

void Interpreter::request_work(const Instruction& instruction) {
  Request request;
  request.line = line_;
  request.warp = warp_->number_in_cluster;
  std::uint32_t to = scalar(instruction.arguments[0]);
  request.answer = to & 0xffffff;
  auto at = cluster_address(scalar(instruction.arguments[1]), false, "the request's barrier");
  if (!at) return;
  request.barrier = at->second;
  if (static_cast<int>(to >> 24) != cta().rank || request.answer % kAnswerBytes != 0 ||
      !cta().shared.inside(request.answer, kAnswerBytes)) {
    report(Finding::Kind::memory,
           fmt::format("asks for an answer at shared address {:#x}, not 16 aligned bytes of this CTA's", to));
    return;
  }
  if (running_->refused) {
    report(Finding::Kind::protocol, "asks for work after a request has failed: what comes of it is undefined");
  }
  for (int rank = 0; rank < program_.cluster; ++rank) {
    if (!instruction.multicast && rank != cta().rank) continue;
    Cta& target = cta_of(rank);
    if (target.exited()) {
      report(Finding::Kind::protocol, fmt::format("asks for an answer in CTA {}, which has exited", target.number));
      return;
    }
    SharedMemory::Block& block = target.shared.block(request.answer);
    std::uint64_t unit = SharedMemory::unit_bit(request.answer);
    if (block.landing.above_zero() & unit) {
      report(Finding::Kind::memory, fmt::format("asks for an answer at {:#x} of CTA {}, where another one or a load is "
                                                "still under way",
                                                request.answer, target.number));
    }
    touches_barrier(target, request.answer, kAnswerBytes);
    block.landing.add(unit);
    request.ctas.push_back(rank);
  }
  order_request(request);
  running_->requests.push_back(std::move(request));
  progress();
}

// Word 0: x of the first CTA of the cluster taken; word 1: y, and z from bit 16 on; word 2, bit 0: one was taken.
void Interpreter::answer(Request& request) {
  std::optional<std::int64_t> taken = hand_out();
  std::uint32_t words[4] = {};
  if (taken) {
    std::int64_t across = program_.grid[0] / program_.cluster;
    words[0] = static_cast<std::uint32_t>(*taken % across * program_.cluster);
    words[1] =
        static_cast<std::uint32_t>(*taken / across % program_.grid[1] | *taken / across / program_.grid[1] << 16);
    words[2] = 1;
    running_->instructions = 0;  // a new piece of work
  }
  running_->refused = running_->refused || !taken;
  for (const int& rank : request.ctas) {
    Cta& target = cta_of(rank);
    if (target.exited()) {
      faults_.protocol(fmt::format("its answer reaches CTA {} after that has exited", target.number));
      continue;
    }
    target.shared.block(request.answer).landing.remove(SharedMemory::unit_bit(request.answer));
    for (std::uint32_t i = 0; i < 4; ++i) target.shared.write(request.answer + 4 * i, 4, words[i]);
    std::int32_t at = target.barrier_at[request.barrier / 8];
    if (at < 0) {
      faults_.protocol(fmt::format("its answer lands on a barrier at {:#x} of CTA {}, which nothing has initialised",
                                   request.barrier, target.number));
      continue;
    }
    BarrierState& state = target.barriers[static_cast<std::size_t>(at)];
    std::uint32_t ticket = request.tickets[static_cast<std::size_t>(&rank - request.ctas.begin())];
    state.order.gathered().join(request.knows, pairs_ ? request.line : order::Edge::kNone);
    if (ticket != 0) state.order.end(ticket, pairs_ ? request.line : order::Edge::kNone);
    if (state.barrier.land(kAnswerBytes, barrier_name(target, request.barrier), faults_)) completed(target, state);
  }
}

bool Interpreter::run_load(std::size_t which) {
  auto& loads = running_->pending.loads;
  if (loads.empty()) return false;
  auto at = loads.begin() + static_cast<std::ptrdiff_t>(which % loads.size());
  CopyIn copy = std::move(*at);
  loads.erase(at);
  land(copy);
  report_faults(faults_, copy);
  return true;
}

// The first queue that has something, up to its next commit; `committed`: that has a commit.
bool Interpreter::run_queue(bool committed) {
  for (auto& queue : running_->pending.queues) {
    if (queue.empty() || (committed && std::all_of(queue.begin(), queue.end(),
                                                   [](const TensorWork& work) { return work.mma.has_value(); })))
      continue;
    run_tensor(queue);
    return true;
  }
  return false;
}

bool Interpreter::run_request() {
  if (running_->requests.empty()) return false;
  Request request = std::move(running_->requests.front());
  running_->requests.pop_front();
  answer(request);
  report_faults(faults_, request);
  return true;
}

// Loads first, MMAs up to a commit, an answer, a store, MMAs that nothing follows; or, where the schedule is any, these
// from any one on, and any of the loads: their order is not promised.
bool Interpreter::run_asynchronous(bool unwaited_stores) {
  bool any = schedule_.work == machine::Schedule::Work::any;
  std::uint64_t first = any ? random(5) : 0;
  bool ran = false;
  for (std::uint64_t i = 0; i < 5 && !ran; ++i) {
    switch ((first + i) % 5) {
      case 0:
        ran = run_load(any ? static_cast<std::size_t>(random(64)) : 0);
        break;
      case 1:
        ran = run_queue(true) || run_a_group(false);
        break;
      case 2:
        ran = run_request();
        break;
      case 3:
        ran = run_stores(unwaited_stores);
        break;
      case 4:
        ran = run_queue(false) || run_a_group(true);
        break;
    }
  }
  if (ran) progress();
  return ran;
}

bool Interpreter::asynchronous(const Instruction& instruction) {
  switch (instruction.action) {
    case Action::copy_in:
      copy_in(instruction);
      return true;
    case Action::copy_out:
    case Action::copy_add:
      copy_out(instruction);
      return true;
    case Action::copy_across:
      copy_across(instruction);
      return true;
    case Action::request_work:
      request_work(instruction);
      return true;
    case Action::close_group:
      close_group();
      return true;
    case Action::mma:
      mma(instruction);
      return true;
    case Action::commit:
      commit(instruction);
      return true;
    default:
      return false;
  }
}

}  // namespace warpcc::checker
