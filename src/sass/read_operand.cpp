#include "sass/read_operand.h"

#include <fmt/format.h>

#include <charconv>

#include "sass/spelling.h"
#include "sass/text.h"

namespace warpcc::sass {

namespace {

constexpr Message<std::string> kNoOpcode{"sass-no-opcode", "an opcode is wanted here, as `UIADD3`; this is `{}`"};
constexpr Message<std::string, std::string> kUnknownOpcode{"sass-unknown-opcode", "no opcode `{}`{}"};
constexpr Message<std::string, std::string, std::string> kUnknownForm{"sass-unknown-form",
                                                                      "`{}` has no form `{}`; it has {}"};
constexpr Message<std::string, std::string, std::string> kOtherTarget{
    "sass-other-target", "`{}` is an instruction of {}; this text is for {}"};
constexpr Message<std::string> kNoCluster{"sass-no-cluster",
                                          "`.CLUSTER` stands on an arrival, `SYNCS.ARRIVE…`; this is `{}`"};
constexpr Message<int, std::string, std::string, std::string> kWrongOperand{
    "sass-wrong-operand", "operand {} of `{}` takes {}; this is `{}`"};
constexpr Message<std::string, int, int> kTooFew{"sass-too-few", "`{}` takes {} operands; {} are given"};
constexpr Message<std::string, int> kTooMany{"sass-too-many", "`{}` takes {} operands; more are given"};
constexpr Message<> kNoGuard{"sass-no-guard", "a predicate is wanted behind `@`"};
constexpr Message<std::string> kNoGuardHere{
    "sass-warpgroup-guarded", "`{}` is for all lanes of a warpgroup's four warps: it has no guard; branch around it"};
constexpr Message<std::string, std::string> kWrongGuard{"sass-wrong-guard", "the guard of `{}` is {}"};
constexpr Message<std::string, std::string> kNoLabel{"sass-no-label", "no label `{}` in this text{}"};
constexpr Message<std::string> kNoMap{"sass-no-map", "no `.tmap` line declares `{}`"};
constexpr Message<std::string> kNotNegated{"sass-not-negated", "`{}` does not negate this operand"};
constexpr Message<std::string> kNoSpecial{"sass-no-special", "no special register `{}`"};
constexpr Message<std::int64_t> kImmediateRange{"sass-immediate-range", "an immediate has 32 bits; {} has more"};
constexpr Message<> kUnreadable{"sass-unreadable", "an operand is wanted here"};
constexpr Message<> kNoBracket{"sass-no-bracket", "`]` is wanted here"};

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return std::string(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "");
}

struct PlainRegister {
  isa::File file;
  bool is_constant;
  std::int16_t number;
};
std::optional<PlainRegister> plain_register(std::string_view name) {
  for (isa::File file : {isa::File::ur, isa::File::up, isa::File::r, isa::File::p}) {
    if (name == isa::constant(file)) return PlainRegister{file, true, -1};
    std::string_view prefix = isa::prefix(file);
    if (!name.starts_with(prefix) || name.size() == prefix.size() || name.size() > prefix.size() + 3) continue;
    std::int16_t number = 0;
    const char* last = name.data() + name.size();
    auto [end, error] = std::from_chars(name.data() + prefix.size(), last, number);
    if (error == std::errc{} && end == last && number >= 0) return PlainRegister{file, false, number};
  }
  return std::nullopt;
}

// The forms of an opcode on a target, for a complaint.
std::string forms_of(std::string_view name, isa::Target target) {
  std::string text;
  for (const isa::Opcode& row : isa::opcodes()) {
    if (row.name != name || !isa::has(row.targets, target)) continue;
    for (std::string_view form : row.forms) {
      if (!text.empty()) text += ", ";
      text += form.empty() ? "none" : fmt::format("`{}`", form);
    }
  }
  return text;
}

}  // namespace

bool is_register_name(std::string_view name) {
  return plain_register(name).has_value();
}

RegWords read_reg_words(Cursor& cursor, bool address) {
  RegWords words;
  std::size_t start = cursor.position();
  std::string_view text = cursor.dotted();
  if (text.ends_with(".reuse")) text.remove_suffix(6);
  if (address && text.ends_with(".64")) text.remove_suffix(3);
  std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && is_digit(text[dot + 1])) {
    std::int64_t part = 0;
    const char* last = text.data() + text.size();
    auto [end, error] = std::from_chars(text.data() + dot + 1, last, part);
    if (error != std::errc{} || end != last) {
      cursor.rewind(start);
      return words;
    }
    words.part = part;
    text = text.substr(0, dot);
  }
  words.name = text;
  return words;
}

bool OperandReader::read(Line& line, isa::Target target) {
  std::optional<WrittenReg> predicate;
  return guard(line, predicate) && opcode(line, target) && (!predicate || use_guard(line, *predicate)) &&
         operands(line);
}

bool OperandReader::guard(Line& line, std::optional<WrittenReg>& predicate) {
  if (!cursor_.eat('@')) return true;
  line.guard.emplace().negated = cursor_.eat('!');
  predicate = reg();
  if (!predicate) diagnostics_.error(cursor_.here(), kNoGuard);
  return predicate.has_value();
}

// What is issued once a warp is guarded by a uniform predicate, all else by a predicate of the lanes.
bool OperandReader::use_guard(Line& line, const WrittenReg& predicate) {
  if (opcode_->issue == isa::Issue::warpgroup) {
    diagnostics_.error(predicate.where, kNoGuardHere, std::string(opcode_->name));
    return false;
  }
  isa::Takes takes = opcode_->issue == isa::Issue::once ? isa::kUP : isa::kP;
  line.guard->reg = predicate.reg;
  if (predicate.reg.value == ValueId::none && !(takes >> static_cast<int>(predicate.reg.file) & 1)) {
    diagnostics_.error(predicate.where, kWrongGuard, std::string(opcode_->name), isa::words(takes));
    return false;
  }
  if (names_.values) names_.values->used(predicate, takes, 1, false);
  return true;
}

bool OperandReader::opcode(Line& line, isa::Target target) {
  cursor_.skip_spaces();
  std::size_t start = cursor_.position();
  std::string_view spelled = cursor_.dotted();
  SourceRange where = cursor_.range_from(start);
  if (spelled.empty()) {
    diagnostics_.error(where, kNoOpcode, shown(cursor_.word()));
    return false;
  }
  constexpr std::string_view kCluster = ".CLUSTER";
  line.cluster = spelled.ends_with(kCluster);
  if (line.cluster) spelled.remove_suffix(kCluster.size());
  if (line.cluster && !spelled.starts_with("SYNCS.ARRIVE")) {
    diagnostics_.error(where, kNoCluster, shown(spelled));
    return false;
  }
  line.opcode = opcode_ = isa::find(spelled, target);
  if (opcode_) {
    line.modifiers = *isa::modifiers_of(spelled);
    return true;
  }
  std::string_view name = spelled.substr(0, spelled.find('.'));
  if (const isa::Opcode* elsewhere = isa::find(spelled)) {
    isa::Target other = isa::has(elsewhere->targets, isa::Target::sm_100a) ? isa::Target::sm_100a : isa::Target::sm_90a;
    diagnostics_.error(where, kOtherTarget, std::string(spelled), std::string(isa::name(other)),
                       std::string(isa::name(target)));
  } else if (std::string forms = forms_of(name, target); !forms.empty()) {
    diagnostics_.error(where, kUnknownForm, std::string(name), shown(spelled.substr(name.size())), forms);
  } else {
    std::string_view nearest = isa::nearest_opcode(spelled);
    diagnostics_.error(where, kUnknownOpcode, shown(spelled),
                       nearest.empty() ? "" : fmt::format("; `{}` is near", nearest));
  }
  return false;
}

bool OperandReader::operands(Line& line) {
  const auto& slots = opcode_->slots;
  cursor_.skip_spaces();
  while (!cursor_.done() && cursor_.peek() != '=' && cursor_.peek() != ';') {
    if (line.operands.size() == slots.size()) {
      diagnostics_.error(cursor_.here(), kTooMany, std::string(opcode_->name), static_cast<int>(slots.size()));
      return false;
    }
    slot_ = static_cast<int>(line.operands.size());
    const isa::Slot& slot = slots[line.operands.size()];
    std::optional<Operand> one = operand(slot, isa::width_of(*opcode_, slot_, line.modifiers));
    if (!one) return false;
    line.operands.push_back(*one);
    if (!cursor_.eat(',')) break;
    cursor_.skip_spaces();
    if (cursor_.done()) {
      unreadable();
      return false;
    }
  }
  std::size_t needed = slots.size();
  while (needed > 0 && slots[needed - 1].optional) --needed;
  if (line.operands.size() < needed) {
    diagnostics_.error(cursor_.here(), kTooFew, std::string(opcode_->name), static_cast<int>(needed),
                       static_cast<int>(line.operands.size()));
    return false;
  }
  return true;
}

std::nullopt_t OperandReader::wrong(SourceRange where) {
  diagnostics_.error(where, kWrongOperand, slot_ + 1, std::string(opcode_->name),
                     isa::words(opcode_->slots[static_cast<std::size_t>(slot_)].takes), shown(cursor_.text(where)));
  return std::nullopt;
}

std::nullopt_t OperandReader::unreadable() {
  diagnostics_.error(cursor_.here(), kUnreadable);
  return std::nullopt;
}

std::optional<Operand> OperandReader::operand(const isa::Slot& slot, int width) {
  cursor_.skip_spaces();
  std::size_t start = cursor_.position();
  if (cursor_.peek() == '$') return hole();
  if (cursor_.peek() == '[') return bracketed("", slot, width);

  bool minus = cursor_.peek() == '-';
  if (is_digit(cursor_.peek(minus ? 1 : 0))) {
    std::optional<std::int64_t> number = cursor_.number();
    if (!number) return unreadable();
    if (!(slot.takes & isa::kImmediate)) return wrong(cursor_.range_from(start));
    if (*number < -(std::int64_t{1} << 31) || *number >= std::int64_t{1} << 32) {
      diagnostics_.error(cursor_.range_from(start), kImmediateRange, *number);
      return std::nullopt;
    }
    Operand immediate;
    immediate.kind = Operand::Kind::immediate;
    immediate.number = *number;
    return immediate;
  }

  Operand result;
  result.negated = minus || cursor_.peek() == '!';
  if (result.negated) cursor_.advance(1);
  result.absolute = cursor_.eat('|');
  if (!result.negated && !result.absolute) {
    std::size_t before = cursor_.position();
    std::string_view text = cursor_.dotted();
    if (cursor_.peek() == '[') return bracketed(text, slot, width);
    if (auto other = word(slot, text)) return other;
    if (slot.takes & (isa::kLabel | isa::kSpecial)) return std::nullopt;  // word() has said why
    cursor_.rewind(before);
  }
  std::optional<WrittenReg> written = reg();
  if (!written) return unreadable();
  if (!(slot.takes & kAnyRegister)) return wrong(cursor_.range_from(start));
  if ((result.negated || result.absolute) && !slot.negates) {
    diagnostics_.error(cursor_.range_from(start), kNotNegated, std::string(opcode_->name));
    return std::nullopt;
  }
  if (result.absolute && !cursor_.eat('|')) return unreadable();
  if (written->reg.value == ValueId::none && !(slot.takes >> static_cast<int>(written->reg.file) & 1)) {
    return wrong(cursor_.range_from(start));
  }
  if (!use(written, result.reg, slot.takes, width, slot.out)) return std::nullopt;
  return result;
}

// Operands that are one word and no register.
std::optional<Operand> OperandReader::word(const isa::Slot& slot, std::string_view text) {
  Operand result;
  if (slot.takes & isa::kLabel) {
    if (names_.labels) {
      if (auto place = names_.labels->find(text); place != names_.labels->end()) {
        result.kind = Operand::Kind::label;
        result.label = place->second;
        return result;
      }
    }
    NearestName nearest(text);
    if (names_.labels) {
      for (const auto& [label, id] : *names_.labels) nearest.offer(label);
    }
    diagnostics_.error(cursor_.range_from(cursor_.position() - text.size()), kNoLabel, shown(text), nearest.words());
  }
  if (slot.takes & isa::kSpecial) {
    const auto registers = isa::special_registers();
    for (std::size_t i = 0; i < registers.size(); ++i) {
      if (registers[i].sass != text) continue;
      result.kind = Operand::Kind::special;
      result.number = static_cast<std::int64_t>(i);
      return result;
    }
    diagnostics_.error(cursor_.range_from(cursor_.position() - text.size()), kNoSpecial, shown(text));
  }
  if (slot.takes & isa::kScoreboard && text.size() == 3 && text.starts_with("SB") && text[2] >= '0' && text[2] <= '5') {
    result.kind = Operand::Kind::scoreboard;
    result.number = text[2] - '0';
    return result;
  }
  if (slot.takes & isa::kGroups && text == "gsb0") {
    result.kind = Operand::Kind::scoreboard;
    return result;
  }
  return std::nullopt;
}

std::optional<Operand> OperandReader::bracketed(std::string_view word, const isa::Slot& slot, int width) {
  SourceRange where = cursor_.range_from(cursor_.position() - word.size());
  cursor_.advance(1);  // `[`
  if (word == "tmem" && slot.takes & isa::kTensor) return base_and_offset(Operand::Kind::tensor, isa::kUR | isa::kR);
  if (word == "desc" && slot.takes & isa::kGlobal) return global(true);
  if (word == "c" && slot.takes & isa::kConstant) return constant();
  bool gdesc = word == "gdesc" && slot.takes & isa::kGdesc, idesc = word == "idesc" && slot.takes & isa::kIdesc;
  bool vector = word.empty() && slot.takes & isa::kVector;
  if (gdesc || idesc || vector) {
    Operand result;
    result.kind = gdesc ? Operand::Kind::gdesc : idesc ? Operand::Kind::idesc : Operand::Kind::vector;
    if (!use(reg(), result.reg, isa::kUR, gdesc ? 2 : idesc ? 1 : width, false) || !close()) return std::nullopt;
    result.transposed =
        gdesc && opcode_->issue == isa::Issue::warpgroup && cursor_.eat(slot_ == 1 ? ".tnspA" : ".tnspB");
    return result;
  }
  if (!word.empty()) return wrong(where);
  if (slot.takes & isa::kMap) return map();
  if (slot.takes & isa::kShared) return base_and_offset(Operand::Kind::shared, isa::kUR | isa::kR);
  if (slot.takes & isa::kGlobal) return global(false);
  return wrong(where);
}

// `x+y+0x30]`
std::optional<Operand> OperandReader::base_and_offset(Operand::Kind kind, isa::Takes bases) {
  Operand result;
  result.kind = kind;
  if (!use(reg(), result.reg, bases, 1, false)) return std::nullopt;
  while (cursor_.eat('+')) {
    if (!cursor_.at_name()) {
      std::optional<std::int64_t> offset = cursor_.number();
      if (!offset || *offset > (std::int64_t{1} << 32) || *offset < -(std::int64_t{1} << 32)) return unreadable();
      result.number = *offset;
      break;
    }
    if (result.second) return unreadable();
    result.second.emplace();
    if (!use(reg(), *result.second, isa::kUR, 1, false)) return std::nullopt;
  }
  if (!close()) return std::nullopt;
  return result;
}

// `u][x.64+0x10]` behind `desc[`, or `x.64+0x10]`.
std::optional<Operand> OperandReader::global(bool described) {
  Operand result;
  result.kind = Operand::Kind::global;
  Reg pair;
  if (described) {
    if (!use(reg(), result.reg, isa::kUR, 2, false) || !close()) return std::nullopt;
    if (!cursor_.eat('[')) return unreadable();
  }
  cursor_.skip_spaces();
  if (!use(reg(true), pair, isa::kR, 2, false)) return std::nullopt;
  cursor_.eat(".64");  // behind `x/R4`
  if (cursor_.eat('+')) {
    std::optional<std::int64_t> offset = cursor_.number();
    if (!offset || *offset > (std::int64_t{1} << 32) || *offset < -(std::int64_t{1} << 32)) return unreadable();
    result.number = *offset;
  }
  if (!close()) return std::nullopt;
  (described ? result.second.emplace() : result.reg) = pair;
  return result;
}

std::optional<Operand> OperandReader::map() {
  cursor_.skip_spaces();
  std::size_t start = cursor_.position();
  std::string_view name = cursor_.dotted();
  SourceRange where = cursor_.range_from(start);
  constexpr std::string_view kPrefix = "map_";
  if (!name.starts_with(kPrefix)) return wrong(where);
  name.remove_prefix(kPrefix.size());
  for (std::size_t i = 0; names_.program && i < names_.program->maps.size(); ++i) {
    if (names_.program->maps[i].name != name) continue;
    Operand result;
    result.kind = Operand::Kind::map;
    result.number = static_cast<std::int64_t>(i);
    if (!close()) return std::nullopt;
    return result;
  }
  diagnostics_.error(where, kNoMap, shown(name));
  return std::nullopt;
}

// `0x0][0x380]` behind `c[`.
std::optional<Operand> OperandReader::constant() {
  std::optional<std::int64_t> bank = cursor_.number();
  if (!bank || *bank != 0) return unreadable();
  if (!close()) return std::nullopt;
  if (!cursor_.eat('[')) return unreadable();
  std::optional<std::int64_t> offset = cursor_.number();
  if (!offset || *offset < 0 || *offset >= 0x10000) return unreadable();
  if (!close()) return std::nullopt;
  Operand result;
  result.kind = Operand::Kind::constant;
  result.number = *offset;
  return result;
}

std::optional<Operand> OperandReader::hole() {
  cursor_.advance(1);
  std::optional<std::int64_t> index = cursor_.number();
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= names_.holes.size()) return unreadable();
  return names_.holes[static_cast<std::size_t>(*index)];
}

std::optional<WrittenReg> OperandReader::reg(bool address) {
  cursor_.skip_spaces();
  std::size_t start = cursor_.position();
  RegWords words = read_reg_words(cursor_, address);
  if (words.name.empty()) return std::nullopt;
  WrittenReg written;
  written.where = cursor_.range_from(start);
  if (std::optional<PlainRegister> plain = plain_register(words.name)) {
    written.reg.file = plain->file;
    written.reg.is_constant = plain->is_constant;
    written.reg.number = plain->number;
    return written;
  }
  if (!names_.values || (words.part && *words.part > 254)) return std::nullopt;
  written.reg.value = names_.values->named(words.name);
  written.reg.part = static_cast<std::uint8_t>(words.part.value_or(0));
  written.part_written = words.part.has_value();
  if (cursor_.peek() == '/') {
    cursor_.advance(1);
    std::optional<PlainRegister> number = plain_register(read_reg_words(cursor_, address).name);
    if (!number || number->is_constant) return std::nullopt;
    written.reg.number = number->number;
    // The register behind the name says its file.
    names_.values->used({{number->file, written.reg.value, written.reg.part, number->number, false},
                         written.part_written,
                         written.where},
                        isa::Takes{1} << static_cast<int>(number->file), 1, false);
  }
  written.where = cursor_.range_from(start);
  return written;
}

bool OperandReader::use(std::optional<WrittenReg> reg, Reg& into, isa::Takes takes, int width, bool written) {
  if (!reg) {
    unreadable();
    return false;
  }
  into = reg->reg;
  if (!reg->reg.is_constant && reg->reg.value == ValueId::none && !(takes >> static_cast<int>(reg->reg.file) & 1)) {
    wrong(reg->where);
    return false;
  }
  if (names_.values) names_.values->used(*reg, takes, width, written);
  return true;
}

bool OperandReader::close() {
  if (cursor_.eat(']')) return true;
  diagnostics_.error(cursor_.here(), kNoBracket);
  return false;
}

}  // namespace warpcc::sass
