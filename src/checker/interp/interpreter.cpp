#include "checker/interp/interpreter.h"

#include <fmt/format.h>

#include <bit>

namespace warpcc::checker {
namespace {

// Turns without progress, beyond which a program that keeps running is taken to wait: first asynchronous work is let
// go, then it is a program that never ends.
constexpr std::uint64_t kIdleTurns = 64;
constexpr std::uint64_t kEndlessTurns = 1 << 18;
// A cluster that runs this long does not end; one with this many problems has nothing left to tell.
constexpr std::uint64_t kMostInstructions = 200'000'000;
constexpr std::uint64_t kMostProblems = 1 << 18;

// Distance between buffers in the machine's global memory: no buffer is larger.
constexpr std::uint64_t kGlobalBase = std::uint64_t{0x7f00} << 32;
constexpr std::uint64_t kGlobalStep = std::uint64_t{1} << 40;

}  // namespace

Interpreter::Interpreter(const sass::Program& program, const Options& options, Outcome& outcome, Findings& findings)
    : program_(program), options_(options), outcome_(outcome), findings_(findings), code_(decode(program)) {
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const sass::Buffer& buffer = program.buffers[i];
    bool global = buffer.space == sass::MemorySpace::global;
    globals_.emplace_back(static_cast<std::uint32_t>(i), buffer.element, global ? buffer.layout.map().span() : 0,
                          buffer.kept);
    global_base_.push_back(kGlobalBase + i * kGlobalStep);
  }
  for (const machine::TensorMap& map : code_.maps) machine::check_map(map, faults_);
  for (machine::Fault& fault : faults_.take()) {
    findings_.add(fault.kind == machine::Fault::Kind::memory ? Finding::Kind::memory : Finding::Kind::protocol,
                  Findings::kNoLine, fault.text);
  }
  not_held_told_.assign(program.lines.size(), false);
  executed_.assign(program.lines.size(), 0);
}

void Interpreter::set_up(std::int64_t cluster) {
  cluster_ = cluster;
  ctas_.clear();
  warps_.clear();
  warps_per_cta_ = program_.threads / kLanes;
  std::uint32_t begin = sass::Program::kSharedStart, end = begin + program_.dynamic_shared;
  auto size = static_cast<std::size_t>(program_.cluster);
  std::size_t warps = size * static_cast<std::size_t>(warps_per_cta_);
  std::size_t agents = warps + 2 * size;
  std::int64_t across = program_.grid[0] / program_.cluster;
  for (int rank = 0; rank < program_.cluster; ++rank) {
    auto cta = std::make_unique<Cta>(begin, end, options_.values);
    cta->rank = rank;
    cta->axes = axes_of(program_, rank);
    cta->index = {cluster % across * program_.cluster + rank, cluster / across % program_.grid[1],
                  cluster / across / program_.grid[1]};
    cta->number = cta->index[0] + program_.grid[0] * (cta->index[1] + program_.grid[1] * cta->index[2]);
    cta->warps_left = warps_per_cta_;
    for (std::size_t b = 0; b < program_.mbarriers.size(); ++b) {
      const sass::MBarrier& declared = program_.mbarriers[b];
      for (int copy = 0; copy < declared.count; ++copy) {
        std::uint32_t offset = declared.offset + 8 * static_cast<std::uint32_t>(copy);
        if (offset % 8 != 0 || !cta->shared.inside(offset, 8)) continue;
        cta->barrier_at[offset / 8] = static_cast<std::int32_t>(cta->barriers.size());
        BarrierState state;
        state.offset = offset;
        state.declared = static_cast<int>(b);
        state.copy = copy;
        cta->barriers.push_back(std::move(state));
      }
    }
    for (int index = 0; index < warps_per_cta_; ++index) {
      warps_.emplace_back(code_, rank, index, static_cast<int>(warps_.size()), agents);
    }
    ctas_.push_back(std::move(cta));
  }
  cluster_barrier_.emplace(static_cast<int>(warps));
  turns_.emplace(warps);
  pending_ = {};
  pending_.queues.resize(warps);
  tensor_core_ = {};
  executed_.assign(program_.lines.size(), 0);
  stopped_ = false;
  for (std::size_t i = 0; i < warps; ++i) turns_->wake(i);
}

void Interpreter::run_cluster(std::int64_t cluster) {
  set_up(cluster);
  std::uint64_t seen = progress_, idle = 0;
  std::uint64_t slept_at = ~std::uint64_t{0};
  std::uint64_t instructions = outcome_.instructions, problems = outcome_.protocol_problems + outcome_.memory_problems;
  while (!stopped_) {
    if (std::optional<std::size_t> next = turns_->next()) {
      run_turn(warps_[*next]);
      idle = seen == progress_ ? idle + 1 : 0;
      seen = progress_;
      if (idle % kIdleTurns == kIdleTurns - 1) run_asynchronous();
      if (outcome_.protocol_problems + outcome_.memory_problems - problems > kMostProblems) {
        outcome_.notes.push_back(fmt::format("cluster {} is given up after {} problems", cluster, kMostProblems));
        stopped_ = true;
        break;
      }
      if (outcome_.instructions - instructions > kMostInstructions) {
        report(Finding::Kind::hang, fmt::format("runs for ever: {} instructions", kMostInstructions));
        stopped_ = true;
        break;
      }
      if (idle > kEndlessTurns) {
        report(Finding::Kind::hang,
               fmt::format("runs for ever: {} turns without a step of any barrier, copy or MMA, here at last {}", idle,
                           where(*warp_)));
        break;
      }
      continue;
    }
    if (run_asynchronous()) continue;
    // A wait that gives up after a while, and finds nothing changed when all others have waited too, waits for ever.
    if (slept_at != progress_ && wake_sleepers()) {
      slept_at = progress_;
      continue;
    }
    break;
  }
  finish_cluster();
  ++outcome_.clusters_run;
}

bool Interpreter::wake_sleepers() {
  bool any = false;
  for (Warp& warp : warps_) {
    if (warp.blocked != Blocked::mbarrier) continue;
    warp.blocked = Blocked::no;
    warp.timed_out = true;
    BarrierState& barrier = cta_of(warp.cta).barriers[static_cast<std::size_t>(warp.blocked_barrier)];
    std::erase(barrier.waiting, warp.number_in_cluster);
    turns_->wake(static_cast<std::size_t>(warp.number_in_cluster));
    any = true;
  }
  return any;
}

Scope Interpreter::scope() const {
  const sass::Section* section = program_.sections.empty() ? nullptr : &program_.sections[code_.section_of[line_]];
  return {program_, *warp_, *ctas_[static_cast<std::size_t>(warp_->cta)], section, cluster_};
}

void Interpreter::run_turn(Warp& warp) {
  warp_ = &warp;
  if (warp.blocked == Blocked::exited) return;
  for (int i = 0; i < machine::Turns::kQuantum && !stopped_; ++i) {
    if (warp.pc >= code_.instructions.size()) {
      line_ = static_cast<std::uint32_t>(code_.instructions.size()) - 1;
      report(Finding::Kind::protocol, "runs past the end of the code, which has no EXIT");
      stopped_ = true;
      return;
    }
    const Instruction& instruction = code_.instructions[warp.pc];
    line_ = warp.pc;
    ++outcome_.instructions;
    Next next = step(instruction);
    if (!faults_.empty()) report_faults(faults_);
    if (next == Next::on) ++warp.pc;
    if (next == Next::blocked || next == Next::exited) {
      if (next == Next::blocked) warp.blocked_line = line_;
      return;
    }
  }
  turns_->wake(static_cast<std::size_t>(warp.number_in_cluster));
}

Interpreter::Next Interpreter::step(const Instruction& instruction) {
  mask_ = execution_mask(instruction);
  if (instruction.action == Action::branch || instruction.action == Action::exit) {
    std::uint32_t taken = mask_;
    if (instruction.action == Action::branch && instruction.arguments.size() == 2)
      taken &= predicate(instruction.arguments[0]);
    if (taken != 0 && taken != kAllLanes) {
      report(Finding::Kind::protocol,
             fmt::format("the lanes of the warp part here: {} of 32 go on", std::popcount(taken)));
      stopped_ = true;
      return Next::blocked;
    }
    if (taken == 0) return Next::on;
    if (instruction.action == Action::branch) {
      warp_->pc = instruction.target;
      return Next::jumped;
    }
    if (warp_->tensor_load_pending)
      report(Finding::Kind::protocol, "exits with tensor loads that it has not waited for");
    warp_->blocked = Blocked::exited;
    --cta().warps_left;
    cluster_barrier_->exit(warp_->number_in_cluster);
    progress();
    for (Warp& other : warps_) {
      if (other.blocked != Blocked::cluster_barrier || !cluster_barrier_->passed(other.number_in_cluster)) continue;
      other.blocked = Blocked::no;
      other.clock.join(cluster_barrier_->completed());
      turns_->wake(static_cast<std::size_t>(other.number_in_cluster));
    }
    return Next::exited;
  }
  if (mask_ == 0) return Next::on;
  ++executed_[line_];
  first_lane_ = std::countr_zero(mask_);
  if (instruction.counts_as_not_held && !not_held_told_[line_]) {
    not_held_told_[line_] = true;
    report(Finding::Kind::not_held, "is held to nothing");
  }
  if (instruction.held != instruction.held_end) check_reach(instruction, mask_);

  Next next = Next::on;
  if (!arithmetic(instruction) && !memory_access(instruction) && !asynchronous(instruction)) {
    if (std::optional<Next> settled = synchronise(instruction)) {
      next = *settled;
    } else if (instruction.action == Action::unknown || instruction.action == Action::trap) {
      report(Finding::Kind::protocol, instruction.action == Action::trap
                                          ? "the program traps"
                                          : fmt::format("the checker's machine does not run `{}` in this form",
                                                        program_.lines[line_].opcode->name));
      stopped_ = true;
      return Next::blocked;
    }
  }
  if (instruction.held != instruction.held_end) check_derived(instruction, mask_);
  return next;
}

void Interpreter::finish_cluster() {
  bool all_left = true;
  for (const Warp& warp : warps_) all_left = all_left && warp.blocked == Blocked::exited;
  if (!all_left) {
    if (!stopped_) report_hangs();
    return;
  }
  // The hardware keeps shared memory for stores under way: worth a word, no more.
  if (!pending_.stores.empty() && !unread_told_) {
    unread_told_ = true;
    outcome_.notes.push_back(fmt::format(
        "{} stores of the copy engine are still to be read when their warps exit; `store.wait.read 0` waits for them",
        pending_.stores.size()));
  }
  while (run_asynchronous()) {
  }
  for (auto& cta : ctas_) {
    for (const BarrierState& state : cta->barriers) {
      if (!state.barrier.live() || state.barrier.between_phases()) continue;
      findings_.add(Finding::Kind::protocol, Findings::kNoLine,
                    fmt::format("CTA {} leaves {} in the middle of phase {}: {} of {} arrivals to come, {} bytes",
                                cta->number, barrier_name(*cta, state.offset), state.barrier.phase(),
                                state.barrier.pending(), state.barrier.expected(), state.barrier.bytes()),
                    barrier_details(*cta, state));
    }
    for (std::size_t id = 0; id < cta->named.size(); ++id) {
      if (!cta->named[id].open()) continue;
      findings_.add(Finding::Kind::named_barrier, Findings::kNoLine,
                    fmt::format("CTA {} leaves named barrier {} with {} of {} threads arrived", cta->number, id,
                                cta->named[id].arrived(), cta->named[id].threads()));
    }
    if (int columns = cta->tensor.allocated_columns(); columns > 0) {
      findings_.add(Finding::Kind::protocol, Findings::kNoLine,
                    fmt::format("CTA {} exits with {} columns of tensor memory allocated", cta->number, columns));
    }
  }
}

// ---- findings
// ---------------------------------------------------------------------------------------------------------------------------

void Interpreter::report(Finding::Kind kind, std::string text, std::vector<std::string> details) {
  if (!findings_.told(kind, line_) && kind != Finding::Kind::not_held) text += fmt::format(" ({})", where(*warp_));
  findings_.add(kind, line_, std::move(text), std::move(details));
}

namespace {
Finding::Kind kind_of(machine::Fault::Kind kind) {
  switch (kind) {
    case machine::Fault::Kind::memory:
      return Finding::Kind::memory;
    case machine::Fault::Kind::named_barrier:
      return Finding::Kind::named_barrier;
    case machine::Fault::Kind::protocol:
      break;
  }
  return Finding::Kind::protocol;
}
}  // namespace

void Interpreter::report_faults(machine::Faults& faults) {
  for (machine::Fault& fault : faults.take()) report(kind_of(fault.kind), std::move(fault.text));
}

void Interpreter::report_faults(machine::Faults& faults, const Begun& begun) {
  if (faults.empty()) return;
  Warp* warp = warp_;
  std::uint32_t line = line_;
  warp_ = &warps_[static_cast<std::size_t>(begun.warp)];
  line_ = begun.line;
  report_faults(faults);
  warp_ = warp;
  line_ = line;
}

}  // namespace warpcc::checker
