#include "checker/interp/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "checker/interp/forms.h"

namespace warpcc::checker {
namespace {

// Distance between buffers in the machine's global memory: no buffer is larger.
constexpr std::uint64_t kGlobalBase = std::uint64_t{0x7f00} << 32;
constexpr std::uint64_t kGlobalStep = std::uint64_t{1} << 40;

// Whether anything but registers changes: a loop without such instructions waits for others.
bool has_effect(Action action) {
  return action >= Action::load_shared && action != Action::load_global && action != Action::branch &&
         action != Action::fence && action != Action::nothing;
}

// A named barrier by which teams hand a turn on: the last hand-over has no taker (language.md, section 8).
bool hands_on(const sass::Program& program, int id) {
  return std::any_of(program.named_barriers.begin(), program.named_barriers.end(), [&](const sass::NamedBarrier& bar) {
    if (id < bar.id || id >= bar.id + bar.count) return false;
    return std::any_of(program.pipes.begin(), program.pipes.end(),
                       [&](const sass::Pipe& pipe) { return pipe.teams > 1 && bar.name == pipe.name + "_turn"; });
  });
}

}  // namespace

Interpreter::Interpreter(const sass::Program& program, const Options& options, Outcome& outcome, Findings& findings)
    : program_(program),
      options_(options),
      outcome_(outcome),
      findings_(findings),
      code_(decode(program)),
      ordering_(program, code_) {
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const sass::Buffer& buffer = program.buffers[i];
    bool global = buffer.space == sass::MemorySpace::global;
    globals_.emplace_back(static_cast<std::uint32_t>(i), buffer.element, global ? buffer.layout.map().span() : 0,
                          buffer.kept);
    for (std::size_t d = 0; d < buffer.valid.size(); ++d) {
      const layout::Coordinate& modes = buffer.layout.map().coordinates()[d];
      if (modes.size() == 1 && modes[0].stride > 0)
        globals_.back().limit({modes[0].stride, modes[0].extent, buffer.valid[d]});
    }
    global_base_.push_back(kGlobalBase + i * kGlobalStep);
  }
  for (const machine::TensorMap& map : code_.maps) machine::check_map(map, faults_);
  for (machine::Fault& fault : faults_.take()) {
    findings_.add(fault.kind == machine::Fault::Kind::memory ? Finding::Kind::memory : Finding::Kind::protocol,
                  Findings::kNoLine, fault.text);
  }
  for (Contradiction& each : contradictions(program, code_)) findings_.add(each.kind, each.line, std::move(each.text));
  not_held_told_.assign(program.lines.size(), false);
  verdicts_.resize(code_.checks.size());
  executed_.assign(program.lines.size(), 0);
  warps_per_cta_ = program.threads / kLanes;
  clusters_ = program.grid[0] / program.cluster * program.grid[1] * program.grid[2];
  random_ = options.seed;
  if (options.order_table) pairs_ = &order_table_;
  if (!options.without.empty()) orders_nothing_.assign(program.lines.size(), false);
  for (std::uint32_t line : options.without) orders_nothing_[line] = true;
  if (options.recollections) {
    recollects_.assign(program.lines.size(), false);
    for (const auto& [at, text] : *options.recollections) recollects_[at.line] = true;
  }
  if (options.effects) find_effects();
  schedule_ = machine::Schedule::of(options.seed, program.cluster, warps_per_cta_);
  launches_.push_back(std::make_unique<Launch>(0, ordering_));
  if (options.trace) options.trace->ctas = clusters_ * program.cluster;
}

Scope Interpreter::scope() const {
  const sass::Section* section = program_.sections.empty() ? nullptr : &program_.sections[code_.section_of[line_]];
  return {program_, *warp_, *running_->ctas[static_cast<std::size_t>(warp_->cta)], section, running_->number};
}

void Interpreter::run_turn(Warp& warp, int instructions) {
  warp_ = &warp;
  if (warp.blocked == Blocked::exited) return;
  for (int i = 0; i < instructions && !stopped_; ++i) {
    if (warp.pc >= code_.instructions.size()) {
      line_ = static_cast<std::uint32_t>(code_.instructions.size()) - 1;
      report(Finding::Kind::protocol, "runs past the end of the code, which has no EXIT");
      stopped_ = true;
      return;
    }
    const Instruction& instruction = code_.instructions[warp.pc];
    line_ = warp.pc;
    ++outcome_.instructions;
    ++running_->instructions;
    std::uint64_t effect = options_.effects ? effect_of(instruction) : 0;
    Next next = step(instruction);
    if (options_.effects) note_effect(instruction, effect, next);
    if (!faults_.empty()) report_faults(faults_);
    if (next == Next::on) ++warp.pc;
    if (next == Next::blocked || next == Next::exited) {
      if (next == Next::blocked) warp.blocked_line = line_;
      return;
    }
  }
  running_->turns.wake(static_cast<std::size_t>(warp.number_in_cluster));
}

void Interpreter::check_section() {
  warp_->section = code_.section_of[line_];
  if (options_.trace && program_.sections[warp_->section].kind == sass::Section::Kind::role)
    options_.trace->names.push_back({cta().traced, warp_->index, program_.sections[warp_->section].name});
  const sass::Section& section = program_.sections[warp_->section];
  if (section.kind != sass::Section::Kind::role) return;
  bool here = warp_->index >= section.first_warp && warp_->index < section.end_warp;
  std::string at;
  for (const sass::Pin& pin : section.at) {
    here = here && cta().axes[static_cast<std::size_t>(pin.axis)] == pin.at;
    at += fmt::format("{}{} = {}", at.empty() ? " at " : ", ", program_.axes[static_cast<std::size_t>(pin.axis)].name,
                      pin.at);
  }
  if (here) return;
  report(Finding::Kind::protocol, fmt::format("does the work of role {}, which is of warps {} .. {}{}", section.name,
                                              section.first_warp, section.end_warp, at));
}

namespace {

// What is a warp's, and no lane's: language.md's `guard-together` says it of statements.
bool of_all_lanes(const Instruction& instruction) {
  switch (instruction.action) {
    case Action::named_barrier:
    case Action::cluster_arrive:
    case Action::cluster_wait:
    case Action::allocate:
    case Action::free_:
    case Action::relinquish:
    case Action::load_tensor:
    case Action::store_tensor:
    case Action::change_registers:
      return true;
    case Action::fence:
      return instruction.fence == Fence::lanes;
    default:
      return false;
  }
}

}  // namespace

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
    if (warp_->computing.done < warp_->computing.closed ||
        !running_->computing[static_cast<std::size_t>(warp_->number_in_cluster)].empty())
      report(Finding::Kind::protocol, "exits with MMAs that it has not waited for");
    warp_->blocked = Blocked::exited;
    if (options_.strict && warp_->order.leaves_stores())
      report(Finding::Kind::race,
             fmt::format("exits, and its CTA may, before the copy engine has read what {} stores",
                         line_at(warp_->last_store)),
             {"to mend: `store.wait.read 0` by the lane that began the store, before the warp ends"});
    cta().life.join(warp_->order.knows().seen);
    cta().life.join(warp_->order.lifetime());
    if (--cta().warps_left == 0) leave_cta(cta());
    running_->barrier.exit(warp_->number_in_cluster);
    follow_cluster_barrier();
    leave_named();
    progress();
    for (Warp& other : running_->warps) {
      if (other.blocked != Blocked::cluster_barrier || !running_->barrier.passed(other.number_in_cluster)) continue;
      other.blocked = Blocked::no;
      running_->turns.wake(static_cast<std::size_t>(other.number_in_cluster));
    }
    return Next::exited;
  }
  if (mask_ == 0) return Next::on;
  if (warp_->poll_line != ~0u && has_effect(instruction.action)) warp_->poll_line = ~0u;
  ++running_->executed[line_];
  first_lane_ = std::countr_zero(mask_);
  if (!recollects_.empty() && recollects_[line_]) recollect();
  if (instruction.counts_as_not_held && !not_held_told_[line_]) {
    not_held_told_[line_] = true;
    report(Finding::Kind::not_held, "is held to nothing");
  }
  if (instruction.reach >= 0) check_reach(instruction);
  if (instruction.registers > 0 && cover_ == nullptr) tell_too_few(instruction);
  if (mask_ != kAllLanes && of_all_lanes(instruction))
    report(
        Finding::Kind::protocol,
        fmt::format("is executed by {} of the warp's 32 lanes: all of them execute it together", std::popcount(mask_)),
        {"to mend: no guard that differs between lanes; a branch by a uniform predicate (`when` in `.wk`) around it",
         "PTX ISA: what an instruction with .aligned does is undefined where not all threads of a warp execute it"});

  Next next = Next::on;
  if (memory_access(instruction)) {
    if (warp_->blocked == Blocked::poll) return Next::blocked;
  } else if (!arithmetic(instruction) && !asynchronous(instruction)) {
    std::optional<Next> settled = synchronise(instruction);
    if (!settled) settled = warpgroup(instruction);
    if (settled) {
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
  if (instruction.value >= 0) check_derived(instruction);
  return next;
}

void Interpreter::finish_cluster() {
  bool all_left = true;
  for (const Warp& warp : running_->warps) all_left = all_left && warp.blocked == Blocked::exited;
  if (!all_left) {
    if (!stopped_) report_hangs();
    return;
  }
  tell_unread();
  while (run_asynchronous()) {
  }
  finish_warpgroups();
  tell_no_work();
  for (auto& cta : running_->ctas) {
    for (const BarrierState& state : cta->barriers) tell_unheard(*cta, state);
    for (const BarrierState& state : cta->barriers) {
      if (!state.barrier.live() || state.barrier.between_phases()) continue;
      findings_.add(Finding::Kind::protocol, Findings::kNoLine,
                    fmt::format("CTA {} leaves {} in the middle of phase {}: {} of {} arrivals to come, {} bytes",
                                cta->number, barrier_name(*cta, state.offset), state.barrier.phase(),
                                state.barrier.pending(), state.barrier.expected(), state.barrier.bytes()),
                    barrier_details(*cta, state));
    }
    for (std::size_t id = 0; id < cta->named.size(); ++id) {
      if (!cta->named[id].open() || hands_on(program_, static_cast<int>(id))) continue;
      tell_untaken(*cta, static_cast<int>(id));
    }
    if (int columns = cta->tensor.allocated_columns(); columns > 0) {
      findings_.add(Finding::Kind::protocol, Findings::kNoLine,
                    fmt::format("CTA {} exits with {} columns of tensor memory allocated", cta->number, columns));
    }
  }
}

// The hardware keeps shared memory for stores under way: worth a word, no more.
void Interpreter::tell_unread() {
  if (options_.strict || running_->pending.stores.empty() || unread_told_) return;
  unread_told_ = true;
  outcome_.notes.push_back(fmt::format(
      "{} stores of the copy engine are still to be read when their warps exit; `store.wait.read 0` waits for them",
      running_->pending.stores.size()));
}

// A cluster that stores nothing, of a kernel that does: the grid is larger than its work.
void Interpreter::tell_no_work() {
  bool any = std::any_of(code_.instructions.begin(), code_.instructions.end(), [](const Instruction& each) {
    return each.action == Action::copy_out || each.action == Action::copy_add || each.action == Action::store_global ||
           each.action == Action::add_global;
  });
  if (!any || running_->stored || code_.polls) return;  // who polls may be there for that alone
  findings_.add(
      Finding::Kind::coverage, Findings::kNoLine,
      fmt::format("cluster {} stores nothing inside of a buffer: the grid has more clusters than there is work",
                  running_->number));
}

// ---- findings

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

// A shared address, and what is declared there: `0x4480 (sa[1][1, 0])`.
std::string Interpreter::place_text(std::uint32_t address) const {
  std::string name = ordering_.shared_element(address & 0xffffff);
  return fmt::format("{:#x}{}", address, name.empty() ? name : " (" + name + ")");
}

// The machine knows addresses; what is declared there is the program's.
std::string Interpreter::with_places(std::string text) const {
  constexpr std::string_view kAt = "at 0x";
  std::size_t at = text.find(kAt);
  if (at == std::string::npos) return text;
  std::size_t from = at + kAt.size(), end = std::min(text.find_first_not_of("0123456789abcdef", from), text.size());
  std::uint32_t address = 0;
  if (std::from_chars(text.data() + from, text.data() + end, address, 16).ec != std::errc()) return text;
  return text.substr(0, from - 2) + place_text(address) + text.substr(end);
}

void Interpreter::report_faults(machine::Faults& faults) {
  for (machine::Fault& fault : faults.take()) {
    bool memory = fault.kind == machine::Fault::Kind::memory;
    report(kind_of(fault.kind), memory ? with_places(std::move(fault.text)) : std::move(fault.text));
  }
}

void Interpreter::report_faults(machine::Faults& faults, const Begun& begun) {
  if (faults.empty()) return;
  Warp* warp = warp_;
  std::uint32_t line = line_;
  warp_ = &running_->warps[static_cast<std::size_t>(begun.warp)];
  line_ = begun.line;
  report_faults(faults);
  warp_ = warp;
  line_ = line;
}

}  // namespace warpcc::checker
