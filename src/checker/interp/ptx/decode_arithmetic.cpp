// PTX ISA, "Instruction Set": arithmetic, comparison, logic, moves between registers, conversions.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

bool Decoder::arithmetic(Code& code) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"add", Op::add},     {"sub", Op::sub},     {"fma", Op::fma},     {"div", Op::div},
      {"rem", Op::rem},     {"neg", Op::neg},     {"abs", Op::abs},     {"min", Op::min},
      {"max", Op::max},     {"and", Op::bit_and}, {"or", Op::bit_or},   {"xor", Op::bit_xor},
      {"not", Op::bit_not}, {"shl", Op::shl},     {"shr", Op::shr},     {"bfi", Op::bfi},
      {"bfe", Op::bfe},     {"prmt", Op::prmt},   {"popc", Op::popc},   {"clz", Op::clz},
      {"brev", Op::brev},   {"bfind", Op::bfind}, {"lop3", Op::lop3},   {"rcp", Op::rcp},
      {"sqrt", Op::sqrt},   {"rsqrt", Op::rsqrt}, {"ex2", Op::ex2},     {"lg2", Op::lg2},
      {"tanh", Op::tanh},   {"sin", Op::sin},     {"cos", Op::cos},     {"copysign", Op::copysign},
      {"addc", Op::add},    {"subc", Op::sub},    {"sad", Op::sad},     {"dp4a", Op::dp4a},
      {"dp2a", Op::dp2a},   {"bmsk", Op::bmsk},   {"szext", Op::szext}, {"cnot", Op::cnot},
      {"testp", Op::testp}};
  known_ = false;
  std::optional<Num> type = last_type();
  std::string_view first = words()[0];
  if (!type && first != "isspacep") return false;
  code.type = type.value_or(Num::b64);
  bool found = false;
  for (const auto& [word, op] : kOps) {
    if (word == first) {
      code.op = op;
      found = true;
    }
  }
  if (first == "mul" || first == "mad" || first == "madc") {
    const bool sum = first != "mul";
    code.op = has("wide") ? (sum ? Op::mad_wide : Op::mul_wide)
              : has("hi") ? (sum ? Op::mad_hi : Op::mul_hi)
                          : (sum ? Op::mad_lo : Op::mul_lo);
    if (sum && is_float(code.type)) code.op = Op::fma;
    found = true;
  }
  if (first == "mul24" || first == "mad24") {
    code.op = first == "mul24" ? Op::mul24 : Op::mad24;
    code.extra = has("hi");
    found = true;
  }
  if (first == "shf") {
    code.op = has("l") ? Op::shf_l : Op::shf_r;
    code.extra = has("wrap");
    found = true;
  }
  if (first == "isspacep") {
    known_ = true;
    code.op = Op::isspacep;
    code.where = has("shared") || has("shared::cta") || has("shared::cluster") ? Where::shared
                 : has("local")                                                ? Where::local
                 : has("param") || has("param::entry")                         ? Where::param
                                                                               : Where::global;
    return operands() == 2 && scalars();
  }
  if (!found) return false;
  code.carry_out = has("cc");
  code.carry_in = first == "addc" || first == "subc" || first == "madc";
  // Sums of floats and halves: the first operands are halves (PTX ISA, mixed precision).
  code.from = code.type;
  if ((code.type == Num::f16 || code.type == Num::bf16) && has("f32") && code.op != Op::testp) code.type = Num::f32;
  if (code.op == Op::dp4a || code.op == Op::dp2a) {
    std::optional<Num> a = words().size() > 2 ? type_of(words()[words().size() - 2]) : std::nullopt;
    if (!a) return false;
    code.from = *a;
    code.extra = has("hi");
  }
  if (code.op == Op::prmt) {
    static constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (int i = 0; i < 6; ++i) {
      if (has(kModes[i])) code.extra = i + 1;
    }
  }
  if (code.op == Op::testp) {
    static constexpr std::string_view kTests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (int i = 0; i < 6; ++i) {
      if (has(kTests[i])) code.extra = i;
    }
  }
  if (code.op == Op::bfind) code.extra = has("shiftamt");
  if (code.op == Op::bmsk || code.op == Op::szext) code.extra = has("wrap");
  code.ftz = has("ftz");
  code.multicast = has("xorsign");  // of min and max: the sign is that of the product, the magnitudes are compared
  code.add = has("oob");
  if (code.op == Op::div) code.extra = has("approx");
  code.saturate = has("sat");
  code.relu = has("relu");
  code.unordered = has("NaN");  // of min and max: a NaN wins
  code.round_down = has("rm");
  code.round_up = has("rp");
  code.to_zero = has("rz");
  known_ = true;
  return scalars() && out_.args.size() > code.first;
}

bool Decoder::move(Code& code) {
  std::optional<Num> type = last_type();
  if (!type || operands() != 2) return false;
  code.type = *type;
  const Operand &to = operand(0), &from = operand(1);
  if (to.kind == Operand::Kind::list) {
    code.op = Op::unpack;
    return list(to) && scalar(from);
  }
  if (from.kind == Operand::Kind::list) {
    code.op = Op::pack;
    return scalar(to) && list(from);
  }
  code.op = Op::mov;
  return scalar(to) && scalar(from);
}

// The types of what is packed, of the numbers, and of what it is packed with, which may be absent.
bool Decoder::packing(Code& code) {
  const bool more = words().back() == "b32";
  const std::size_t at = words().size() - (more ? 3 : 2);
  std::optional<Num> from = words().size() > at + 1 ? type_of(words()[at + 1]) : std::nullopt;
  static constexpr std::pair<std::string_view, int> kWidths[] = {{"u16", 16}, {"s16", 16}, {"u8", 8}, {"s8", 8},
                                                                 {"u4", 4},   {"s4", 4},   {"u2", 2}, {"s2", 2}};
  known_ = false;
  for (const auto& [word, width] : kWidths) {
    if (!from || word != words()[at]) continue;
    known_ = true;
    code.extra = width;
    code.from = *from;
    code.type = word[0] == 's' ? Num::s16 : Num::u16;
  }
  return known_ && operands() == (more ? 4u : 3u) && scalars();
}

bool Decoder::conversion(Code& code) {
  code.op = Op::cvt;
  code.unordered = has("pack");
  if (code.unordered) return packing(code);
  std::size_t count = words().size();
  std::optional<Num> from = count >= 3 ? type_of(words()[count - 1]) : std::nullopt;
  std::optional<Num> to = count >= 3 ? type_of(words()[count - 2]) : std::nullopt;
  known_ = from && to;
  if (!known_) return false;
  code.type = *to;
  code.from = *from;
  known_ = !has("rs") && !has("scaled");
  if (!known_) return false;
  code.saturate = has("sat");
  code.finite = has("satfinite");
  code.relu = has("relu");
  code.ftz = has("ftz");
  code.add = has("rna");
  code.round_down = has("rm") || has("rmi");
  code.round_up = has("rp") || has("rpi");
  code.to_zero = has("rz") || has("rzi");
  // Whole numbers from real ones: how, said by the modifier alone.
  code.extra = has("rni") || has("rmi") || has("rpi") || has("rzi");
  return scalars();
}

bool Decoder::comparison(Code& code) {
  std::optional<Num> type = last_type();
  known_ = type.has_value();
  if (!known_) return false;
  code.type = *type;
  if (words()[0] == "selp") {
    code.op = Op::selp;
    return operands() == 4 && scalars();
  }
  // Two types: of the result, of what is compared.
  const bool set = words()[0] == "set", slct = words()[0] == "slct";
  if (set || slct) {
    std::optional<Num> result = words().size() > 2 ? type_of(words()[words().size() - 2]) : std::nullopt;
    known_ = result.has_value();
    if (!known_) return false;
    code.from = *result;
    if (slct) {
      code.op = Op::slct;
      code.ftz = has("ftz");
      return operands() == 4 && scalars();
    }
  }
  static constexpr std::pair<std::string_view, std::pair<Compare, bool>> kCompares[] = {
      {"eq", {Compare::eq, false}}, {"ne", {Compare::ne, false}},   {"lt", {Compare::lt, false}},
      {"le", {Compare::le, false}}, {"gt", {Compare::gt, false}},   {"ge", {Compare::ge, false}},
      {"lo", {Compare::lt, false}}, {"ls", {Compare::le, false}},   {"hi", {Compare::gt, false}},
      {"hs", {Compare::ge, false}}, {"equ", {Compare::eq, true}},   {"neu", {Compare::ne, true}},
      {"ltu", {Compare::lt, true}}, {"leu", {Compare::le, true}},   {"gtu", {Compare::gt, true}},
      {"geu", {Compare::ge, true}}, {"num", {Compare::num, false}}, {"nan", {Compare::nan, true}}};
  code.op = set ? Op::set : Op::setp;
  code.ftz = has("ftz");
  bool found = false;
  for (const auto& [word, meaning] : kCompares) {
    if (!is(1, word)) continue;
    code.compare = meaning.first;
    code.unordered = meaning.second;
    found = true;
  }
  code.combine = is(2, "and")   ? Combine::bit_and
                 : is(2, "or")  ? Combine::bit_or
                 : is(2, "xor") ? Combine::bit_xor
                                : Combine::none;
  known_ = found;
  if (!found) return false;
  // Two destinations, the second may be absent; two operands; the predicate to combine with.
  if (operand(0).kind == Operand::Kind::pair) {
    if (!list(operand(0))) return false;
  } else if (!scalar(operand(0)) || !none()) {
    return false;
  }
  return operands() == (code.combine == Combine::none ? 3u : 4u) && scalars(1);
}

}  // namespace warpcc::checker::ptx
