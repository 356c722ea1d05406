#include "ptx/lifter.h"

#include <algorithm>
#include <charconv>

#include "ptx/families.h"

namespace warpcc::ptx {

namespace {

using isa::File;
using isa::Op;
using sass::Line;
using sass::Operand;
using sass::Program;
using sass::Reg;

constexpr Message<std::string> kNoLift{"no-lift", "`{}` has no form in PTX that warpcc knows"};
constexpr Message<std::string> kOperandsNotLifted{
    "operands-not-lifted",
    "`{}` with these operands has no form in PTX that warpcc knows: an operand that PTX has no place for must be "
    "the register that is always zero or true"};

std::string immediate(std::int64_t number, Type type) {
  auto bits = static_cast<std::uint32_t>(number);
  if (type == Type::f32) return fmt::format("0f{:08X}", bits);
  if (number < 0 && number > -0x10000) return fmt::format("{}", number);
  return bits < 10 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

std::string offset(std::int64_t number) {
  return number == 0 ? std::string() : fmt::format("+{}", number);
}

}  // namespace

std::string spelled(const Line& line) {
  std::string text(line.opcode->name);
  for (isa::Modifier modifier : line.modifiers) {
    text += '.';
    text += isa::word(modifier);
  }
  return text;
}

bool has(const Line& line, std::string_view modifier) {
  return std::any_of(line.modifiers.begin(), line.modifiers.end(),
                     [&](isa::Modifier each) { return isa::word(each) == modifier; });
}

Lifter::Lifter(const Program& program, Diagnostics& diagnostics)
    : program_(program), diagnostics_(diagnostics), webs_(program) {
  stores_to_peers_ = std::any_of(program.lines.begin(), program.lines.end(),
                                 [](const Line& each) { return each.opcode->op == isa::Op::ST; });
}

// ---- The line in hand

bool Lifter::has(std::string_view modifier) const {
  return ptx::has(line(), modifier);
}
std::string Lifter::spelled() const {
  return ptx::spelled(line());
}

const Line* Lifter::next() const {
  std::size_t place = at_ + 1 + taken_;
  if (place >= program_.lines.size()) return nullptr;
  if (!labels_at_[place].empty()) return nullptr;
  for (const sass::Section& section : program_.sections) {
    if (section.first_line == place) return nullptr;
  }
  return &program_.lines[place];
}

// ---- Operands

const Web* Lifter::web(const Reg& reg) const {
  WebId id = webs_.read(at_, reg);
  return id == WebId::none ? nullptr : &webs_[id];
}

const Web* Lifter::written_web(const Reg& reg) const {
  WebId id = webs_.written(at_, reg);
  return id == WebId::none ? nullptr : &webs_[id];
}

std::string Lifter::source(const Reg& reg) const {
  if (reg.is_constant) return "0";
  const Web* found = web(reg);
  return found != nullptr ? found->name : "%undefined";
}

std::string Lifter::source(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::immediate) return immediate(operand.number, type);
  if (operand.kind == Operand::Kind::special) {
    return std::string(isa::special_registers()[static_cast<std::size_t>(operand.number)].ptx);
  }
  if (operand.reg.file == File::p || operand.reg.file == File::up) {
    std::string name = source(operand.reg);
    return operand.negated ? "!" + name : name;
  }
  std::string text = operand.reg.is_constant ? immediate(0, type) : source(operand.reg);
  const char* suffix = type == Type::f32 ? "f32" : "s32";
  if (operand.absolute) {
    std::string temp = bits32();
    put_always(fmt::format("abs.{} {}, {};", suffix, temp, text));
    text = temp;
  }
  if (operand.negated && !(operand.reg.is_constant && type == Type::bits)) {
    std::string temp = bits32();
    put_always(fmt::format("neg.{} {}, {};", suffix, temp, text));
    text = temp;
  }
  return text;
}

std::optional<bool> Lifter::constant_predicate(std::size_t i) const {
  const Operand& o = operand(i);
  if (o.kind != Operand::Kind::reg || !o.reg.is_constant) return std::nullopt;
  return !o.negated;
}

std::string Lifter::predicate(std::size_t i) {
  if (auto constant = constant_predicate(i)) {
    std::string temp = flag();
    put_always(fmt::format("mov.pred {}, {};", temp, *constant ? 1 : 0));
    return temp;
  }
  return source(operand(i));
}

std::string Lifter::address(std::size_t i, std::int64_t more) {
  const Operand& o = operand(i);
  std::string base = source(o.reg);
  if (o.second && !o.second->is_constant) {
    if (o.reg.is_constant) {
      base = source(*o.second);
    } else {
      std::string temp = bits32();
      put_always(fmt::format("add.u32 {}, {}, {};", temp, base, source(*o.second)));
      base = temp;
    }
  } else if (o.reg.is_constant) {
    std::string temp = bits32();
    put_always(fmt::format("mov.b32 {}, 0;", temp));
    base = temp;
  }
  return fmt::format("[{}{}]", base, offset(o.number + more));
}

std::string Lifter::group(const Reg& first, int width) {
  if (width == 1) return source(first);
  std::string text = "{";
  for (int n = 0; n < width; ++n) {
    if (n > 0) text += ", ";
    text += source(part(first, n));
  }
  return text + "}";
}

std::string Lifter::label(sass::LabelId id) const {
  return label_name(program_[id]);
}

std::string Lifter::pair(const Reg& first) {
  std::string temp = bits64();
  put_always(fmt::format("mov.b64 {}, {{{}, {}}};", temp, source(first), source(part(first, 1))));
  return temp;
}

std::string Lifter::target(std::size_t i, int n) {
  Reg reg = part(operand(i).reg, n);
  if (reg.is_constant) {
    bool flag_file = reg.file == File::p || reg.file == File::up;
    return flag_file ? flag() : bits32();
  }
  std::string name = webs_[webs_.written(at_, reg)].name;
  if (!selects_) return name;
  std::string temp = bits32();
  selections_.push_back({name, temp});
  return temp;
}

// ---- Text

std::string Lifter::guard_text() const {
  if (!line().guard || line().guard->reg.is_constant) return "";
  const Operand& guard = *line().guard;
  return fmt::format("@{}{} ", guard.negated ? "!" : "", source(guard.reg));
}

void Lifter::put(std::string_view text) {
  text_ += "  ";
  if (!selects_) text_ += guard_text();
  text_ += text;
  text_ += '\n';
}

void Lifter::put_always(std::string_view text) {
  text_ += "  ";
  text_ += text;
  text_ += '\n';
}

void Lifter::put_once(std::string_view text) {
  if (!line().guard || line().guard->reg.is_constant) {
    put_always(fmt::format("@{} {}", elected(), text));
    return;
  }
  const Operand& guard = *line().guard;
  int skip = ++skips_;
  put_always(fmt::format("@{}{} bra $skip_{};", guard.negated ? "" : "!", source(guard.reg), skip));
  put_always(fmt::format("@{} {}", elected(), text));
  text_ += fmt::format("$skip_{}:\n", skip);
}

std::string Lifter::elected() {
  elects_ = true;
  return "%elected";
}

std::string Lifter::bits32() {
  return fmt::format("%t{}", bits32_++);
}
std::string Lifter::bits64() {
  return fmt::format("%d{}", bits64_++);
}
std::string Lifter::bits16() {
  return fmt::format("%h{}", bits16_++);
}
std::string Lifter::flag() {
  return fmt::format("%q{}", flags_++);
}

void Lifter::fail_operands() {
  fail(kOperandsNotLifted, spelled());
}

// ---- Tensor memory

void Lifter::before_tensor_memory() {
  if (after_signal_) put_always("tcgen05.fence::after_thread_sync;");
  after_signal_ = false;
  accessed_ = true;
}

void Lifter::before_signal() {
  if (accessed_) put_always("tcgen05.fence::before_thread_sync;");
  accessed_ = false;
}

// ---- Other CTAs

namespace {
sass::MBarrierId barrier_of(const Line& line) {
  for (const sass::Held& held : line.held) {
    if (!held.views.empty() && held.views[0].barrier != sass::MBarrierId::none) return held.views[0].barrier;
  }
  return sass::MBarrierId::none;
}
}  // namespace

bool Lifter::told_by_cluster() const {
  const sass::MBarrierId mine = barrier_of(line());
  return std::any_of(program_.lines.begin(), program_.lines.end(), [&](const Line& each) {
    if (!each.cluster) return false;
    const sass::MBarrierId theirs = barrier_of(each);
    return mine == theirs || mine == sass::MBarrierId::none || theirs == sass::MBarrierId::none;
  });
}

// ---- Selections

void Lifter::flush_selection() {
  for (const Selection& each : waiting_) {
    std::string guard = webs_[waiting_guard_web_].name;
    bool negated = waiting_guard_->negated;
    put_always(fmt::format("selp.b32 {}, {}, {}, {};", each.target, negated ? each.target : each.value,
                           negated ? each.value : each.target, guard));
  }
  waiting_.clear();
}

// The line in hand writes, under the opposite guard, what the line before writes under its own.
bool Lifter::completes_selection() const {
  if (waiting_.empty() || line().guard->negated == waiting_guard_->negated) return false;
  if (webs_.read(at_, line().guard->reg) != waiting_guard_web_) return false;
  std::size_t written = 0;
  for (std::size_t i = 0; i < operands(); ++i) {
    if (!line().opcode->slots[i].out || operand(i).reg.is_constant) continue;
    for (int n = 0; n < width(static_cast<int>(i)); ++n, ++written) {
      WebId id = webs_.written(at_, part(operand(i).reg, n));
      if (written >= waiting_.size() || webs_[id].name != waiting_[written].target) return false;
    }
  }
  return written == waiting_.size();
}

void Lifter::finish_selection() {
  if (!completes_) {
    waiting_ = std::move(selections_);
    waiting_guard_ = &*line().guard;
    waiting_guard_web_ = webs_.read(at_, line().guard->reg);
  } else {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      bool negated = line().guard->negated;
      put_always(fmt::format("selp.b32 {}, {}, {}, {};", waiting_[i].target,
                             negated ? waiting_[i].value : selections_[i].value,
                             negated ? selections_[i].value : waiting_[i].value, webs_[waiting_guard_web_].name));
    }
    waiting_.clear();
  }
  selections_.clear();
}

// ---- The program

bool Lifter::lift_by_template() {
  std::string_view form = line().opcode->lift;
  const std::vector<isa::Slot>& slots = line().opcode->slots;
  bool floats = form.substr(0, form.find(' ')).ends_with(".f32");
  std::vector<char> named(operands(), 0);
  std::string text;
  for (std::size_t i = 0; i < form.size();) {
    if (form[i] != '$') {
      text += form[i++];
      continue;
    }
    std::size_t n = 0;
    auto [end, error] = std::from_chars(form.data() + i + 1, form.data() + form.size(), n);
    i = static_cast<std::size_t>(end - form.data());
    if (n >= operands()) return false;
    named[n] = 1;
    const Operand& o = operand(n);
    bool predicate_file = o.kind == Operand::Kind::reg && (o.reg.file == File::p || o.reg.file == File::up);
    if (slots[n].out) {
      text += target(n);
    } else if (o.kind == Operand::Kind::shared) {
      text += address(n);
    } else if (predicate_file) {
      text += predicate(n);
    } else {
      text += source(n, floats ? Type::f32 : Type::bits);
    }
  }
  for (std::size_t i = 0; i < operands(); ++i) {
    if (!named[i] && !(operand(i).kind == Operand::Kind::reg && operand(i).reg.is_constant)) return false;
  }
  put(text);
  return true;
}

bool Lifter::writes_uniform_registers_alone() const {
  bool any = false;
  for (std::size_t i = 0; i < operands(); ++i) {
    if (!line().opcode->slots[i].out || operand(i).reg.is_constant) continue;
    if (operand(i).reg.file != File::ur) return false;
    any = true;
  }
  return any;
}

void Lifter::lift_line() {
  const Line& line = this->line();
  if (line.guard && line.guard->reg.is_constant && line.guard->negated) return;  // never runs
  selects_ = writes_uniform_registers_alone() && line.guard && !line.guard->reg.is_constant;
  completes_ = selects_ && completes_selection();
  if (!completes_) flush_selection();
  if (lift_parity(*this)) return;
  if (line.opcode->lift == "*") {
    if (Lift lift = lift_of(line.opcode->op)) {
      lift(*this);
    } else {
      fail(kNoLift, spelled());
    }
  } else if (!line.opcode->lift.empty() && !lift_by_template()) {
    fail_operands();
  }
  if (selects_) finish_selection();
  selects_ = false;
}

}  // namespace warpcc::ptx
