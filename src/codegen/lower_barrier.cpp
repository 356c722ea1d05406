// Barriers: of pipes, of the CTA (language.md, sections 7, 8 and 11).
#include <algorithm>
#include <bit>

#include "codegen/declare.h"
#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;
constexpr auto kControl = sass::Mark::control;

}  // namespace

// `init`: both counts of a barrier are kept as 0x100000 - n, in the low word from bit 1, in the high word from bit 11
// (sass-map: barrier init).
void Lower::init(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 0);
  Reference reference = this->reference(barrier);
  const kernel::Pipe& pipe = kernel_[reference.pipe];
  std::int64_t arrivals = reference.of == Reference::Of::full ? pipe.full.arrivals : pipe.empty.arrivals;
  std::string key = "arrivals " + std::to_string(arrivals);
  Reg counts = values_.once(key, [&](Place head) {
    Reg pair = values_.named(key, "arrivals_" + std::to_string(arrivals), {isa::File::ur, 2, 2, std::nullopt});
    std::int64_t left = 0x100000 - arrivals;
    emit_.move(head, kDerived, pair, immediate(left << 1)).held = {values_.number(form_of(left << 1))};
    std::int64_t high = left << 11 & 0xffffffff;
    emit_.move(head, kDerived, part(pair, 1), immediate(high)).held = {values_.number(form_of(high))};
    return pair;
  });
  Operand address = barrier_address(reference);
  say(instruction, "SYNCS.EXCH.64", {constant_use(isa::File::ur), address, use(counts)}).held =
      values_.reach({reference});
}

// `arrive` and `expect`: at the barrier of this CTA, or of one other, whose address differs in the rank alone.
void Lower::arrive(const kernel::Instruction& instruction) {
  bool expects = instruction.op->does == isa::Does::expect;
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 0);
  Reference reference = this->reference(barrier);
  const kernel::Pipe& pipe = kernel_[reference.pipe];
  Reach reach = codegen::reach(kernel_, pipe, barrier.kind, running(instruction));
  bool other = reach.kind != Reach::Kind::own;
  reference.at = reach.at;
  if (instruction.op->word.ends_with(".each")) each(instruction, reach, reference);
  Operand address = barrier_address(reference);
  Operand what = constant_use(isa::File::r);
  if (expects) {
    std::string key = "bytes " + pipe.name;
    what = use(values_.once(key, [&](Place head) {
      Reg bytes = values_.named(key, pipe.name + "_bytes", kLane);
      sass::Held held;
      held.kind = sass::Held::Kind::bytes;
      held.name = pipe.name;
      emit_.move(head, kDerived, bytes, immediate(pipe.full.bytes)).held = {held};
      return bytes;
    }));
  }
  std::string_view opcode = expects ? (other ? "SYNCS.ARRIVE.TRANS64.RED" : "SYNCS.ARRIVE.TRANS64")
                                    : (other ? "SYNCS.ARRIVE.TRANS64.RED.A1T0" : "SYNCS.ARRIVE.TRANS64.A1T0");
  sass::Line& line = say(instruction, opcode, {constant_use(isa::File::r), address, what});
  line.held = values_.reach({reference});
  line.cluster = instruction.releases_to_cluster;
}

// `.each`: lane i signals the i-th of the CTAs that are reached; the other lanes nothing.
void Lower::each(const kernel::Instruction& instruction, const Reach& reach, Reference& reference) {
  int count = 1;
  if (reach.kind == Reach::Kind::several) {
    const kernel::BarrierOperand& barrier = barrier_of(instruction, 0);
    Each each = each_reached(kernel_, kernel_[reference.pipe], barrier.kind, running(instruction));
    count = each.count;
    reference.at = each.at;
    reference.each = each.axes;
  }
  kernel::Facts facts = instruction.guard.facts;
  kernel::Compare below;
  below.left.terms.push_back({{kernel::Atom::Kind::lane, 0}, 1});
  below.is = kernel::Compare::Is::lt;
  below.right = count;
  facts.compares.push_back(below);
  guard_ = fact(facts, false).predicate;
}

// Cluster launch control: the answer comes into the stage of this CTA, or of every CTA of the cluster, at the same
// place.
void Lower::cancel(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 1);
  Reference answer = reference(std::get<kernel::View>(instruction.operands[0]));
  Reference full = reference(barrier);
  bool own = codegen::reach(kernel_, kernel_[full.pipe], barrier.kind, running(instruction)).kind == Reach::Kind::own;
  Reg to = values_.derive_whole(address_of(answer)), signals = values_.derive_whole(address_of(full));
  say(instruction, own ? "UGETNEXTWORKID.SELFCAST" : "UGETNEXTWORKID.BROADCAST",
      {at(Operand::Kind::vector, to), at(Operand::Kind::vector, signals)})
      .held = values_.reach({answer, full});
}

void Lower::wait(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 0);
  Reference reference = this->reference(barrier);
  Operand address = barrier_address(reference);
  Reg parity = values_.ring(barrier.end).parity;
  Reg waited = values_.named("waited", "waited", kLanePredicate);
  std::optional<sass::LabelId> ready;
  if (guard_) {
    // The wait is skipped where its guard does not hold: a branch around it.
    Operand skips = *guard_;
    guard_.reset();
    skips.negated = !skips.negated;
    ready = emit_.numbered_label("READY");
    branch(skips, *ready, instruction.text);
  }
  sass::LabelId again = emit_.numbered_label("WAIT");
  emit_.place(here_, again);
  say(instruction, "SYNCS.PHASECHK.TRANS64.TRYWAIT", {use(waited), address, use(parity)}).held =
      values_.reach({reference});
  // What the lift's suspend-time hint becomes: 50 microseconds.
  emit_.line(here_, kControl, "NANOSLEEP.SYNCS", {immediate(0xc350)}).guard = use(waited, true);
  emit_.line(here_, kControl, "BRA", {to(again)}).guard = use(waited, true);
  if (ready) emit_.place(here_, *ready);
}

void Lower::probe(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 1);
  Reference reference = this->reference(barrier);
  Operand address = barrier_address(reference);
  Reg answer = values_.reg(std::get<kernel::RegisterOperand>(instruction.operands[0]));
  bool may_sleep = instruction.op->word == "probe.try";
  say(instruction, may_sleep ? "SYNCS.PHASECHK.TRANS64.TRYWAIT" : "SYNCS.PHASECHK.TRANS64",
      {use(answer), address, use(values_.ring(barrier.end).parity)})
      .held = values_.reach({reference});
}

namespace {

bool is_of_all_warps(const kernel::Instruction& instruction) {
  return instruction.operands.empty() || !std::holds_alternative<kernel::BarrierOperand>(instruction.operands[0]);
}

// Whether some warps only arrive at the barrier of all warps.
bool arrives_of_all_warps(const kernel::Kernel& kernel) {
  bool found = false;
  auto visit = [&](const kernel::Instruction& instruction) {
    found = found || (instruction.op->does == isa::Does::sync_arrive && is_of_all_warps(instruction));
  };
  each_instruction(kernel.start, visit);
  for (const kernel::Role& role : kernel.roles) each_instruction(role.body, visit);
  each_instruction(kernel.finish, visit);
  return found;
}

}  // namespace

// `sync` and `sync.arrive`: of all warps of the CTA, or of a named barrier. A BAR.ARV beside a BAR.SYNC that does not
// say how many come is an illegal instruction (seen on an H200), so that both say it.
void Lower::cta_sync(const kernel::Instruction& instruction) {
  bool arrives = instruction.op->does == isa::Does::sync_arrive;
  std::string_view opcode = arrives ? "BAR.ARV" : "BAR.SYNC.DEFER_BLOCKING";
  auto* barrier =
      instruction.operands.empty() ? nullptr : std::get_if<kernel::BarrierOperand>(&instruction.operands[0]);
  if (!barrier) {
    std::vector<Operand> operands{immediate(0)};
    if (arrives || arrives_of_all_warps(kernel_)) operands.push_back(immediate(kernel_.threads));
    say(instruction, opcode, std::move(operands));
    return;
  }
  auto index = static_cast<std::size_t>(barrier->named);
  const sass::NamedBarrier& declared = program_.named_barriers[index];
  Form copy = values_.form(barrier->copy);
  sass::View view;
  view.named_barrier = static_cast<std::int32_t>(index);
  view.copies = {values_.expr(copy)};
  Operand id = immediate(declared.id + copy.constant);
  if (!copy.is_constant()) {
    // The id is a lane's register in the instruction.
    Quantity number;
    number.number = copy + form_of(declared.id);
    number.name = declared.name;
    Reg uniform = values_.derive_whole(number);
    std::string key = "named barrier " + text(number.number);
    id = use(values_.once(key, [&](Place head) {
      Reg lane = values_.named(key, declared.name + "_id", kLane);
      emit_.move(head, kDerived, lane, use(uniform)).held = {values_.number(number.number)};
      return lane;
    }));
  }
  say(instruction, opcode, {id, immediate(declared.threads)}).held = {Values::reach(view)};
}

}  // namespace warpcc::codegen
