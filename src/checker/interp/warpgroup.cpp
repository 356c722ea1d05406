// Hopper's MMAs: begun by the four warps of a warpgroup together, each for its 16 rows, into registers that nobody may
// touch until their group is done; and the registers that warpgroups hand to each other (PTX ISA, wgmma and
// setmaxnreg).
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using isa::File;

namespace {

constexpr int kWarpgroupWarps = 4;
constexpr int kRegistersOfA = 4;  // a lane, whatever the elements (PTX ISA, wgmma: register fragments)

}  // namespace

// The four warps of a warpgroup take the same steps with the same operands, each in its own time. The first to take one
// says what it is.
bool Interpreter::step_together(const WarpgroupStep& step) {
  auto group = static_cast<std::size_t>(warp_->index / kWarpgroupWarps);
  std::vector<WarpgroupStep>& steps = cta().warpgroups[group];
  std::size_t at = warp_->computing.steps++;
  if ((static_cast<int>(group) + 1) * kWarpgroupWarps > warps_per_cta_) {
    report(Finding::Kind::protocol,
           fmt::format("is for the four warps of a warpgroup; this warp's has {}", warps_per_cta_ % kWarpgroupWarps));
    stopped_ = true;
    return false;
  }
  if (mask_ != kAllLanes) {
    report(Finding::Kind::protocol, "is for all lanes of a warpgroup's four warps");
    stopped_ = true;
    return false;
  }
  if (at == steps.size()) {
    steps.push_back(step);
    return true;
  }
  const WarpgroupStep& first = steps[at];
  if (first == step) return true;
  if (first.line != step.line) {
    report(Finding::Kind::protocol,
           fmt::format("the warps of a warpgroup part: another one is at `{}`{}{} here",
                       program_.lines[first.line].opcode->name, program_.lines[first.line].place.empty() ? "" : " of ",
                       program_.lines[first.line].place));
  } else {
    report(
        Finding::Kind::protocol,
        fmt::format("the warps of a warpgroup give an MMA different operands: A {:#018x} and {:#018x}, B {:#018x} and "
                    "{:#018x}",
                    first.a, step.a, first.b, step.b));
  }
  return false;
}

// Every other access than an MMA's to a general register.
void Interpreter::touch(Slot slot, const char* does) {
  Computing& computing = warp_->computing;
  auto at = static_cast<std::size_t>(slot.name);
  computing.touched[at] = computing.fences + 1;
  bool computed = computing.writers[at] != 0;
  if ((!computed && computing.readers[at] == 0) || computing.told) return;
  computing.told = true;  // once
  report(Finding::Kind::protocol, fmt::format("{} {}, which an MMA under way {}: `mma.wait` comes first", does,
                                              slot_name(slot), computed ? "computes" : "has as A"));
}

// The registers of an MMA that begins: written, if it reads them; nothing else has touched them since the last fence;
// and no MMA under way has the other use of them.
bool Interpreter::check_fenced(Slot first, int count, bool reads, bool is_a) {
  const char* does = is_a ? "has as A" : "computes";
  const Computing& computing = warp_->computing;
  for (int i = 0; i < count; ++i) {
    Slot slot = part_of(first, i);
    if (reads) check_written(slot);
    auto at = static_cast<std::size_t>(slot.name);
    if (is_a ? computing.writers[at] != 0 : computing.readers[at] != 0) {
      report(Finding::Kind::protocol,
             fmt::format("{} {}, which an MMA under way {}: `mma.wait` and `mma.fence` come first", does,
                         slot_name(slot), is_a ? "computes" : "has as A"));
      return false;
    }
    bool changes = (is_a ? computing.computed : computing.multiplied)[at] == computing.fences + 1;
    if (!changes && computing.touched[at] != computing.fences + 1) continue;
    const char* was = !changes ? "was read or written" : is_a ? "an MMA computed" : "an MMA had as A";
    report(Finding::Kind::protocol,
           fmt::format("{} {}, which {} since the last `mma.fence`", does, slot_name(slot), was));
    return false;
  }
  return true;
}

// MMAs follow each other on the same registers without a fence where they have one shape (PTX ISA, wgmma.fence): what
// another one has computed there since the last fence may not be there yet.
bool Interpreter::check_accumulator(Slot first, int count, std::uint32_t accumulator) {
  const Computing& computing = warp_->computing;
  for (int i = 0; i < count; ++i) {
    Slot slot = part_of(first, i);
    auto at = static_cast<std::size_t>(slot.name);
    const Computing::Part& part = computing.parts[at];
    bool under_way = computing.computed[at] == computing.fences + 1 && part.group > computing.waited;
    if (!under_way || part.accumulator == accumulator) continue;
    report(Finding::Kind::protocol,
           fmt::format("computes {}, which an MMA of another shape, or of other registers, computed since the last "
                       "`mma.fence`",
                       slot_name(slot)),
           {"to mend: `mma.fence` between the two: MMAs of one shape on the same registers alone need none",
            "PTX ISA, wgmma.fence"});
    return false;
  }
  return true;
}

namespace {

// Which accumulator an MMA computes: the register that it begins at, and the shape.
std::uint32_t accumulator_of(const Slot& d, const machine::WarpgroupMma& mma) {
  auto k = static_cast<std::uint32_t>(layout::bits(mma.ab) / 8 % 8);
  return static_cast<std::uint32_t>(d.name) << 10 | static_cast<std::uint32_t>(mma.n / 8) << 4 | k << 1 |
         static_cast<std::uint32_t>(mma.d == layout::Element::f16);
}

}  // namespace

void Interpreter::warpgroup_mma(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  auto pair_of = [&](const Argument& argument) {
    return static_cast<std::uint64_t>(scalar(argument, 1)) << 32 | scalar(argument, 0);
  };
  WarpgroupWork work;
  work.line = line_;
  work.warp = warp_->number_in_cluster;
  machine::WarpgroupMma mma = *instruction.warpgroup_mma;
  if (!mma.a_in_registers) mma.a = pair_of(arguments[1]);
  mma.b = pair_of(arguments[2]);
  mma.accumulate = predicate(arguments[4]) & 1;
  if (!step_together({line_, mma.a, mma.b, mma.accumulate})) return;
  const Slot &d = arguments[0].slot, &added_to = arguments[3].slot;
  if (d.constant || (added_to.constant ? mma.accumulate : added_to.name != d.name)) {
    report(Finding::Kind::protocol, "adds to other registers than it writes: an MMA's D is computed in place");
    return;
  }
  const Slot& a = arguments[1].slot;
  if (mma.a_in_registers && a.constant) {
    report(Finding::Kind::protocol, "has no registers as A: four of a lane hold it");
    return;
  }
  Computing& computing = warp_->computing;
  if (computing.fences > 0) {
    bool fenced = check_fenced(d, mma.registers(), mma.accumulate, false) &&
                  check_accumulator(d, mma.registers(), accumulator_of(d, mma));
    if (fenced && mma.a_in_registers) check_fenced(a, kRegistersOfA, true, true);
  } else {
    report(Finding::Kind::protocol, "no `mma.fence` comes before this warp's first MMA");
    computing.fences = 1;
  }
  std::optional<machine::WarpgroupCore::Ready> refused;
  work.mma = warpgroup_core_.issue(mma, warp_->index % kWarpgroupWarps, cta().shared, faults_, &refused);
  // What is not there yet under this schedule may be there under another: that nothing orders the two is told as well,
  // and of D no more than that.
  if (refused) {
    order_warpgroup_mma(*refused);
    for (int i = 0; i < mma.registers(); ++i)
      warp_->written[static_cast<int>(File::r)][static_cast<std::size_t>(part_of(d, i).name)] = kAllLanes;
  }
  if (work.mma) {
    order_warpgroup_mma(*work.mma);
    if (code_.limits) {
      std::uint64_t accumulator =
          static_cast<std::uint64_t>(warp_->index + 1) << 32 | static_cast<std::uint32_t>(d.name);
      check_valid({work.mma->a, work.mma->b}, cta().rank, accumulator, mma.accumulate);
    }
    work.d = d;
    for (int i = 0; i < mma.registers(); ++i) {
      auto at = static_cast<std::size_t>(part_of(d, i).name);
      ++computing.writers[at];
      computing.computed[at] = computing.fences + 1;
      computing.parts[at] = {accumulator_of(d, mma), computing.closed + 1};
      warp_->written[static_cast<int>(File::r)][at] = kAllLanes;
    }
    work.a = a;
    for (int i = 0; mma.a_in_registers && i < kRegistersOfA; ++i) {
      auto at = static_cast<std::size_t>(part_of(a, i).name);
      ++computing.readers[at];
      computing.multiplied[at] = computing.fences + 1;
    }
    running_->computing[static_cast<std::size_t>(warp_->number_in_cluster)].push_back(work);
  }
  if (arguments.size() > 5) {  // gsb0: the last of its group
    work.mma.reset();
    running_->computing[static_cast<std::size_t>(warp_->number_in_cluster)].push_back(std::move(work));
    ++computing.closed;
    warp_->order.commit();
  }
  progress();
}

// One MMA after the other, up to the end of a group.
void Interpreter::run_computing(std::deque<WarpgroupWork>& queue) {
  Warp* const warp_then = warp_;
  const std::uint32_t line_then = line_;
  bool group_ended = false;
  while (!queue.empty() && !group_ended) {
    WarpgroupWork work = std::move(queue.front());
    queue.pop_front();
    warp_ = &running_->warps[static_cast<std::size_t>(work.warp)];
    line_ = work.line;
    mask_ = kAllLanes;
    if (work.mma) {
      compute(work);
    } else {
      group_ended = true;
      ++warp_->computing.done;
      if (warp_->blocked == Blocked::mma_groups && warp_->computing.done >= warp_->computing.needed) {
        warp_->blocked = Blocked::no;
        running_->turns.wake(static_cast<std::size_t>(work.warp));
      }
    }
  }
  warp_ = warp_then;
  line_ = line_then;
}

void Interpreter::compute(const WarpgroupWork& work) {
  machine::SharedMemory& shared = cta().shared;
  int registers = work.mma->mma.registers();
  for (int i = 0; i < registers; ++i) --warp_->computing.writers[static_cast<std::size_t>(work.d.name + i)];
  std::uint32_t* named = warp_->named.lanes(work.d.name);
  auto count = static_cast<std::ptrdiff_t>(registers) * kLanes;
  // Read when it is computed: what has taken the registers meanwhile is found.
  auto compare = [&](Slot first, int of) {
    if (first.hardware < 0) return;
    const std::uint32_t* begin = warp_->named.lanes(first.name);
    const std::uint32_t* end = begin + static_cast<std::ptrdiff_t>(of) * kLanes;
    auto [by_name, by_number] = std::mismatch(begin, end, warp_->hardware.lanes(first.hardware));
    if (by_name != end) differs(part_of(first, static_cast<int>((by_name - begin) / kLanes)), *by_name, *by_number);
  };
  if (work.mma->mma.accumulate) compare(work.d, registers);
  const std::uint32_t* a = nullptr;
  if (work.mma->mma.a_in_registers) {
    for (int i = 0; i < kRegistersOfA; ++i) --warp_->computing.readers[static_cast<std::size_t>(work.a.name + i)];
    compare(work.a, kRegistersOfA);
    a = warp_->named.lanes(work.a.name);
  }
  if (options_.values) warpgroup_core_.multiply(*work.mma, shared, named, a);
  // Without values D is what it was by name, in both.
  if (work.d.hardware >= 0) std::copy_n(named, count, warp_->hardware.lanes(work.d.hardware));
  for (int i = 0; i < registers; ++i) warp_->wrote(part_of(work.d, i), kAllLanes);
  warpgroup_core_.finish(*work.mma, shared);
}

// A group that a warp waits for; with `all`, whatever is left.
bool Interpreter::run_a_group(bool all) {
  for (auto& queue : running_->computing) {
    if (queue.empty()) continue;
    const Warp& warp = running_->warps[static_cast<std::size_t>(queue.front().warp)];
    if (!all && warp.blocked != Blocked::mma_groups) continue;
    run_computing(queue);
    progress();
    return true;
  }
  return false;
}

Interpreter::Next Interpreter::warpgroup_wait(const Instruction& instruction) {
  if (!step_together({line_, 0, 0, false})) return Next::on;
  Computing& computing = warp_->computing;
  auto most = static_cast<std::size_t>(instruction.arguments[1].number);
  computing.needed = computing.closed > most ? computing.closed - most : 0;
  computing.told = false;
  if (computing.done >= computing.needed) {
    computing.waited = std::max(computing.waited, computing.needed);
    if (!orders_nothing()) warp_->order.mmas_done(static_cast<std::uint32_t>(computing.needed), provenance());
    return Next::on;
  }
  warp_->blocked = Blocked::mma_groups;
  --computing.steps;  // it comes here again
  return Next::blocked;
}

// ---- setmaxnreg

// A role gives registers back, or takes those that others have given back.
Interpreter::Next Interpreter::change_registers(const Instruction& instruction) {
  bool take = instruction.arguments.size() > 1;
  auto wanted = static_cast<int>(instruction.arguments.back().number);
  std::optional<int> has = warp_->registers;
  if (!has) {
    report(Finding::Kind::protocol,
           "changes its registers in a program that does not say how many a thread begins with: `.registers`");
    return Next::on;
  }
  if (wanted < 24 || wanted > 256 || wanted % 8 != 0) {
    report(Finding::Kind::protocol, fmt::format("asks for {} registers a thread: 24 to 256 in steps of 8", wanted));
    return Next::on;
  }
  if (take ? wanted < *has : wanted > *has) {
    report(Finding::Kind::protocol,
           fmt::format("{} {} registers a thread and has {}", take ? "raises to" : "lowers to", wanted, *has));
    return Next::on;
  }
  std::int64_t more = wanted - *has;
  if (take && more > cta().free_registers) {
    warp_->blocked = Blocked::registers;
    warp_->registers_wanted = wanted;
    return Next::blocked;
  }
  if (!step_together({line_, 0, 0, false})) return Next::on;
  cta().free_registers -= more;
  warp_->registers = wanted;
  if (take) {
    write_predicate(instruction.arguments[0].slot, kAllLanes, kAllLanes);
    progress();
    return Next::on;
  }
  for (Warp& other : running_->warps) {
    if (other.blocked != Blocked::registers || other.cta != warp_->cta) continue;
    other.blocked = Blocked::no;
    running_->turns.wake(static_cast<std::size_t>(other.number_in_cluster));
  }
  progress();
  return Next::on;
}

void Interpreter::tell_too_few(const Instruction& instruction) {
  if (warp_->told_too_few || !warp_->registers || instruction.registers <= *warp_->registers) return;
  warp_->told_too_few = true;
  report(
      Finding::Kind::protocol,
      fmt::format("{} registers of a thread hold values here, and it has {}", instruction.registers, *warp_->registers),
      {fmt::format("to mend: `registers {}` on the role, or on the kernel",
                   isa::registers_allocated(instruction.registers))});
}

// ---- the whole

std::optional<Interpreter::Next> Interpreter::warpgroup(const Instruction& instruction) {
  switch (instruction.action) {
    case Action::warpgroup_mma:
      warpgroup_mma(instruction);
      return Next::on;
    case Action::warpgroup_fence:
      if (step_together({line_, 0, 0, false}) && !orders_nothing()) ++warp_->computing.fences;
      return Next::on;
    case Action::warpgroup_wait:
      return warpgroup_wait(instruction);
    case Action::change_registers:
      return change_registers(instruction);
    default:
      return {};
  }
}

void Interpreter::finish_warpgroups() {
  for (const Warp& warp : running_->warps) {
    const Cta& its = cta_of(warp.cta);
    std::size_t all = its.warpgroups[static_cast<std::size_t>(warp.index / kWarpgroupWarps)].size();
    if (warp.computing.steps == all) continue;
    findings_.add(
        Finding::Kind::protocol, Findings::kNoLine,
        fmt::format("CTA {} warp {} exits after {} of the {} MMAs, fences and waits that its warpgroup begins",
                    its.number, warp.index, warp.computing.steps, all));
    return;
  }
}

}  // namespace warpcc::checker
