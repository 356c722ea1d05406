// PTX ISA: what the lanes of a warp compute together: mma.sync, reductions, matches.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

bool Decoder::of_a_warp(Code& code) {
  std::string_view first = words()[0];
  std::optional<Num> type = last_type();
  known_ = type.has_value();
  if (!known_) return false;
  code.type = *type;
  if (first == "redux") {
    static constexpr std::string_view kOperations[] = {"add", "min", "max", "and", "or", "xor"};
    code.op = Op::redux;
    code.extra = -1;
    for (int i = 0; i < 6; ++i) {
      if (has(kOperations[i])) code.extra = i;
    }
    code.add = has("abs");
    code.unordered = has("NaN");
    known_ = code.extra >= 0;
    return known_ && operands() == 3 && scalars();
  }
  if (first == "match") {
    // d, p, a, members
    code.op = Op::match;
    code.extra = has("all");
    if (operands() != 3) return false;
    if (operand(0).kind == Operand::Kind::pair) {
      if (!list(operand(0))) return false;
    } else if (!scalar(operand(0)) || !none()) {
      return false;
    }
    return scalars(1);
  }
  if (first == "movmatrix") {
    code.op = Op::movmatrix;
    return operands() == 2 && scalars();
  }
  // m16n8k16, majors, the types of D, A, B and C; the registers of each
  code.op = Op::mma;
  known_ = starts("mma.sync.aligned.m16n8k") && has("row") && has("col") && !has("sp") && !has("block_scale") &&
           !has("xor") && !has("and") && words().size() >= 10;
  if (!known_ || operands() != 4) return false;
  std::string_view shape = words()[3];
  code.extra = 0;
  for (char c : shape.substr(shape.find('k') + 1)) code.extra = code.extra * 10 + (c - '0');
  llvm::SmallVector<Num, 4> types;
  static constexpr std::pair<std::string_view, Num> kMore[] = {{"e4m3", Num::e4m3x2}, {"e5m2", Num::e5m2x2}};
  for (std::size_t i = 4; i < words().size(); ++i) {
    std::optional<Num> found = type_of(words()[i]);
    for (const auto& [name, small] : kMore) {
      if (name == words()[i]) found = small;
    }
    if (found) types.push_back(*found);
  }
  // A and B of one type are computed; the sums are floats, halves or whole numbers.
  auto element_bits = [](Num of) {
    return of == Num::e4m3x2 || of == Num::e5m2x2 ? 8 : of == Num::tf32 ? 32 : bits(of);
  };
  known_ = types.size() == 4 && types[0] == types[3] && element_bits(types[1]) == element_bits(types[2]) &&
           (types[0] == Num::f32 || types[0] == Num::f16 || types[0] == Num::s32);
  if (!known_) return false;
  code.type = types[0];
  code.from = types[1];
  code.vector = static_cast<std::uint8_t>(types[2]);
  const int sums = types[0] == Num::f16 ? 2 : 4, a = 16 * code.extra * element_bits(types[1]) / 1024, b = a / 2;
  if (width(operand(0)) != sums || width(operand(3)) != sums || width(operand(1)) != a || width(operand(2)) != b)
    return false;
  return list(operand(0)) && list(operand(1)) && list(operand(2)) && list(operand(3));
}

}  // namespace warpcc::checker::ptx
