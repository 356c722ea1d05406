// PTX ISA, "Instruction Set": arithmetic, comparison, logic, moves between registers, conversions.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

bool Decoder::arithmetic(Code& code) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"add", Op::add},     {"sub", Op::sub},          {"fma", Op::fma},     {"div", Op::div},   {"rem", Op::rem},
      {"neg", Op::neg},     {"abs", Op::abs},          {"min", Op::min},     {"max", Op::max},   {"and", Op::bit_and},
      {"or", Op::bit_or},   {"xor", Op::bit_xor},      {"not", Op::bit_not}, {"shl", Op::shl},   {"shr", Op::shr},
      {"bfi", Op::bfi},     {"bfe", Op::bfe},          {"prmt", Op::prmt},   {"popc", Op::popc}, {"clz", Op::clz},
      {"brev", Op::brev},   {"bfind", Op::bfind},      {"lop3", Op::lop3},   {"rcp", Op::rcp},   {"sqrt", Op::sqrt},
      {"rsqrt", Op::rsqrt}, {"ex2", Op::ex2},          {"lg2", Op::lg2},     {"tanh", Op::tanh}, {"sin", Op::sin},
      {"cos", Op::cos},     {"copysign", Op::copysign}};
  known_ = false;
  std::optional<Num> type = last_type();
  if (!type) return false;
  code.type = *type;
  std::string_view first = words()[0];
  bool found = false;
  for (const auto& [word, op] : kOps) {
    if (word == first) {
      code.op = op;
      found = true;
    }
  }
  if (first == "mul" || first == "mad" || first == "mul24" || first == "mad24") {
    bool sum = first == "mad";
    code.op = has("wide") ? (sum ? Op::mad_wide : Op::mul_wide)
              : has("hi") ? (sum ? Op::mad_hi : Op::mul_hi)
                          : (sum ? Op::mad_lo : Op::mul_lo);
    if (sum && is_float(code.type)) code.op = Op::fma;
    found = !(first == "mul24" || first == "mad24");
  }
  if (first == "shf") {
    code.op = has("l") ? Op::shf_l : Op::shf_r;
    code.extra = has("wrap");
    found = true;
  }
  // Carries have no place in the machine, nor has any packed integer.
  if (!found || has("cc") || first == "addc" || first == "subc") return false;
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

bool Decoder::conversion(Code& code) {
  code.op = Op::cvt;
  std::size_t count = words().size();
  std::optional<Num> from = count >= 3 ? type_of(words()[count - 1]) : std::nullopt;
  std::optional<Num> to = count >= 3 ? type_of(words()[count - 2]) : std::nullopt;
  known_ = from && to;
  if (!known_) return false;
  code.type = *to;
  code.from = *from;
  code.saturate = has("sat") || has("satfinite");
  code.relu = has("relu");
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
  static constexpr std::pair<std::string_view, std::pair<Compare, bool>> kCompares[] = {
      {"eq", {Compare::eq, false}}, {"ne", {Compare::ne, false}},   {"lt", {Compare::lt, false}},
      {"le", {Compare::le, false}}, {"gt", {Compare::gt, false}},   {"ge", {Compare::ge, false}},
      {"lo", {Compare::lt, false}}, {"ls", {Compare::le, false}},   {"hi", {Compare::gt, false}},
      {"hs", {Compare::ge, false}}, {"equ", {Compare::eq, true}},   {"neu", {Compare::ne, true}},
      {"ltu", {Compare::lt, true}}, {"leu", {Compare::le, true}},   {"gtu", {Compare::gt, true}},
      {"geu", {Compare::ge, true}}, {"num", {Compare::num, false}}, {"nan", {Compare::nan, true}}};
  code.op = Op::setp;
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
