#include "ptx/lifter.h"

#include <algorithm>
#include <cctype>
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

constexpr Message<std::string, std::string> kNoLift{"no-lift", "`{}` has no form in PTX that warpcc knows{}"};
constexpr Message<std::string> kOperandsNotLifted{
    "operands-not-lifted",
    "`{}` with these operands has no form in PTX that warpcc knows: an operand that PTX has no place for must be "
    "the register that is always zero or true"};
constexpr Message<std::string> kLaneGuard{
    "lane-guard-on-once", "`{}` is issued once a warp: its guard must be a uniform predicate, not a lane's"};
constexpr Message<std::string, std::string> kMixedGroups{
    "mixed-cta-groups",
    "`{}` and `{}` are for different cta_groups: PTX allows one in a kernel (PTX ISA, tcgen05 restrictions). A program "
    "that multiplies in pairs also commits, allocates and frees for the pair"};

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
                     [&](isa::Modifier m) { return isa::word(m) == modifier; });
}

// The instructions whose PTX form names a cta_group, where their own spelling tells which: freeing and relinquishing do
// not.
bool tells_cta_group(const Line& line) {
  switch (line.opcode->op) {
    case Op::UTCHMMA:
    case Op::UTCQMMA:
    case Op::UTCIMMA:
    case Op::UTCBAR:
      return true;
    case Op::UTCATOMSWS:
      return has(line, "FIND_AND_SET");
    default:
      return false;
  }
}

bool uses_tensor_memory(const Line& line) {
  Op op = line.opcode->op;
  return tells_cta_group(line) || op == Op::LDTM || op == Op::STTM || op == Op::UTCATOMSWS;
}

bool issued_by_one_lane(const Line& line) {
  switch (line.opcode->op) {
    case Op::ELECT:
    case Op::UTMALDG:
    case Op::UTMASTG:
    case Op::UTMAREDG:
    case Op::UTMACCTL:
    case Op::UGETNEXTWORKID:
    case Op::UTCHMMA:
    case Op::UTCQMMA:
    case Op::UTCIMMA:
    case Op::UTCBAR:
      return true;
    default:
      return false;
  }
}

std::string immediate(std::int64_t number, Type type) {
  auto bits = static_cast<std::uint32_t>(number);
  if (type == Type::f32) return fmt::format("0f{:08X}", bits);
  if (number < 0 && number > -0x10000) return fmt::format("{}", number);
  return bits < 10 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

std::string offset(std::int64_t number) {
  return number == 0 ? std::string() : fmt::format("+{}", number);
}

std::string label_name(const sass::Label& label) {
  std::string name = "$";
  for (char c : label.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '$';
  }
  return name;
}

const char* section_word(sass::Section::Kind kind) {
  switch (kind) {
    case sass::Section::Kind::start:
      return "start";
    case sass::Section::Kind::role:
      return "role";
    case sass::Section::Kind::finish:
      return "finish";
  }
  return "";
}

}  // namespace

std::string entry_name(const Program& program) {
  return program.kernel;
}
std::string param_name(const sass::Param& param) {
  return "param_" + param.name;
}

Lifter::Lifter(const Program& program, Diagnostics& diagnostics)
    : program_(program), diagnostics_(diagnostics), webs_(program) {}

// ---- The line in hand

std::string Lifter::form() const {
  return ptx::spelled(line()).substr(line().opcode->name.size());
}
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
    put_always(fmt::format("@%elected {}", text));
    return;
  }
  const Operand& guard = *line().guard;
  if (guard.reg.file != File::up) fail(kLaneGuard, spelled());
  int skip = ++skips_;
  put_always(fmt::format("@{}{} bra $skip_{};", guard.negated ? "" : "!", source(guard.reg), skip));
  put_always(fmt::format("@%elected {}", text));
  text_ += fmt::format("$skip_{}:\n", skip);
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
std::string Lifter::elected() {
  return "%elected";
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

bool Lifter::find_cta_group() {
  const Line* first = nullptr;
  for (const Line& each : program_.lines) {
    if (!tells_cta_group(each)) continue;
    int group = ptx::has(each, "2CTA") ? 2 : 1;
    if (first == nullptr) {
      first = &each;
      cta_group_ = group;
    } else if (group != cta_group_) {
      diagnostics_.error(each.where, kMixedGroups, ptx::spelled(each), ptx::spelled(*first))
          .note(first->where,
                fmt::format("`{}` is for {}", ptx::spelled(*first), cta_group_ == 2 ? "the pair" : "one CTA"));
      return false;
    }
  }
  return true;
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

void Lifter::lift_line() {
  const Line& line = this->line();
  if (line.guard && line.guard->reg.is_constant && line.guard->negated) return;  // never runs
  const std::vector<isa::Slot>& slots = line.opcode->slots;
  selects_ = line.guard && !line.guard->reg.is_constant && !slots.empty() && slots[0].out &&
             line.operands[0].kind == Operand::Kind::reg && line.operands[0].reg.file == File::ur &&
             !line.operands[0].reg.is_constant;
  completes_ = selects_ && completes_selection();
  if (!completes_) flush_selection();
  if (lift_parity(*this)) return;
  if (line.opcode->lift == "*") {
    if (Lift lift = lift_of(line.opcode->op)) {
      lift(*this);
    } else {
      fail(kNoLift, spelled(), std::string());
    }
  } else if (!line.opcode->lift.empty() && !lift_by_template()) {
    fail_operands();
  }
  if (selects_) finish_selection();
  selects_ = false;
}

void Lifter::begin_sections_and_labels() {
  for (const sass::Section& section : program_.sections) {
    if (section.first_line != at_) continue;
    flush_selection();
    text_ += fmt::format("\n  // {}{}{}\n", section_word(section.kind), section.name.empty() ? "" : " ", section.name);
    std::size_t end = program_.lines.size();
    for (const sass::Section& other : program_.sections) {
      if (other.first_line > at_) end = std::min(end, other.first_line);
    }
    bool here = std::any_of(program_.lines.begin() + static_cast<std::ptrdiff_t>(at_),
                            program_.lines.begin() + static_cast<std::ptrdiff_t>(end), uses_tensor_memory);
    tensor_section_ = here || (tensor_program_ && section.kind == sass::Section::Kind::finish);
    after_signal_ = section.kind != sass::Section::Kind::start;
    accessed_ = tensor_section_ && section.kind == sass::Section::Kind::finish;
  }
  for (std::int32_t i : labels_at_[at_]) {
    flush_selection();
    text_ += label_name(program_.labels[i]) + ":\n";
    // ptxas unrolls counted loops by four on its own.
    if (loop_heads_[i]) text_ += "  .pragma \"nounroll\";\n";
    after_signal_ = true;
    accessed_ = tensor_section_;
  }
}

void Lifter::head(std::string& text) const {
  text += fmt::format(".version 8.6\n.target {}\n.address_size 64\n\n", isa::name(program_.target));
  // Addresses are the program's own: own rank << 24 | offset, the first byte at 0x400.
  if (program_.dynamic_shared > 0) text += ".extern .shared .align 1024 .b8 shared_memory[];\n\n";
  text += fmt::format(".visible .entry {}(", entry_name(program_));
  const char* comma = "\n";
  for (const sass::Param& param : program_.params) {
    text += fmt::format("{}  .param .u64 {}", comma, param_name(param));
    comma = ",\n";
  }
  for (const sass::TensorMap& map : program_.maps) {
    text += fmt::format("{}  .param .align 64 .b8 map_{}[128]", comma, map.name);
    comma = ",\n";
  }
  text += ")\n";
  if (program_.cluster > 1) text += fmt::format(".explicitcluster\n.reqnctapercluster {}, 1, 1\n", program_.cluster);
  text += fmt::format(".reqntid {}, 1, 1\n", program_.threads);
  text += program_.registers ? fmt::format(".maxnreg {}\n", *program_.registers) : std::string(".minnctapersm 1\n");
}

void Lifter::declarations(std::string& text) const {
  auto list = [&](std::string_view type, auto wanted) {
    std::string row;
    for (const Web& each : webs_.all()) {
      if (!wanted(each.file)) continue;
      if (row.size() + each.name.size() > 110) {
        text += fmt::format("  .reg .{} {};\n", type, row);
        row.clear();
      }
      row += (row.empty() ? "" : ", ") + each.name;
    }
    if (!row.empty()) text += fmt::format("  .reg .{} {};\n", type, row);
  };
  list("b32", [](File file) { return file == File::r || file == File::ur; });
  list("pred", [](File file) { return file == File::p || file == File::up; });
  auto range = [&](std::string_view type, std::string_view name, int count) {
    if (count > 0) text += fmt::format("  .reg .{} {}<{}>;\n", type, name, count);
  };
  range("b32", "%t", bits32_);
  range("b64", "%d", bits64_);
  range("b16", "%h", bits16_);
  range("pred", "%q", flags_);
  if (elects_) text += "  .reg .pred %elected;\n";
  for (const sass::TensorMap& map : program_.maps) text += fmt::format("  .reg .b64 %map_{};\n", map.name);
  text += '\n';
  for (const sass::TensorMap& map : program_.maps) {
    text += fmt::format("  mov.b64 %map_{0}, map_{0};\n  cvta.param.u64 %map_{0}, %map_{0};\n", map.name);
  }
  // Once, where all lanes of every warp are: ptxas sees one lane in whatever this predicate guards.
  if (elects_) text += "  elect.sync _|%elected, 0xffffffff;\n";
}

bool Lifter::run(std::string& text) {
  if (!find_cta_group()) return false;
  elects_ = std::any_of(program_.lines.begin(), program_.lines.end(), issued_by_one_lane);
  tensor_program_ = std::any_of(program_.lines.begin(), program_.lines.end(), uses_tensor_memory);
  labels_at_.resize(program_.lines.size() + 1);
  for (std::size_t i = 0; i < program_.labels.size(); ++i) {
    std::size_t line = std::min(program_.labels[i].line, program_.lines.size());
    labels_at_[line].push_back(static_cast<std::int32_t>(i));
  }
  loop_heads_.assign(program_.labels.size(), 0);
  for (std::size_t i = 0; i < program_.lines.size(); ++i) {
    const Line& each = program_.lines[i];
    if (each.opcode->op != Op::BRA || each.operands.empty()) continue;
    sass::LabelId label = each.operands.back().label;
    if (label == sass::LabelId::none) continue;
    std::size_t to = program_[label].line;
    if (to > i) continue;
    // A wait is a loop of three lines that is never unrolled.
    bool waits = program_.lines[to].opcode->op == Op::SYNCS && i - to <= 2;
    if (!waits) loop_heads_[static_cast<std::size_t>(label)] = 1;
  }
  for (at_ = 0; at_ < program_.lines.size(); at_ += 1 + taken_) {
    taken_ = 0;
    begin_sections_and_labels();
    lift_line();
  }
  begin_sections_and_labels();  // labels at the end of the text
  flush_selection();
  if (failed_) return false;

  head(text);
  text += "{\n";
  declarations(text);
  text += text_;
  text += "}\n";
  return true;
}

}  // namespace warpcc::ptx
