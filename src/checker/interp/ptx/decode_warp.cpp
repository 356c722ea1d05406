// PTX ISA: what the lanes of a warp compute together: mma.sync, wmma, reductions, matches.
#include <bit>

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
  return mma(code);
}

// Registers of D, A, B, C; of a sparse A what lies where, and who has it.
bool Decoder::mma(Code& code) {
  // m16n8k16, majors, the types of D, A, B and C
  code.op = Op::mma;
  code.sparse = has("sp") || has("sp::ordered_metadata");
  code.saturate = has("satfinite");
  const std::size_t at = code.sparse ? 4 : 3;  // of the shape
  known_ = words().size() >= at + 7 && is(at + 1, "row") && is(at + 2, "col") && !has("block_scale");
  if (!known_ || operands() != (code.sparse ? 6u : 4u)) return false;
  std::string_view shape = words()[at];
  code.dimensions = shape.substr(0, 6) == "m16n8k" ? 16 : 8;
  known_ = code.dimensions == 16 || (shape.substr(0, 5) == "m8n8k" && !code.sparse);
  if (!known_) return false;
  code.extra = 0;
  for (char c : shape.substr(shape.find('k') + 1, 4)) code.extra = code.extra * 10 + (c - '0');
  llvm::SmallVector<Num, 4> types;
  static constexpr std::pair<std::string_view, Num> kMore[] = {
      {"e4m3", Num::e4m3x2}, {"e5m2", Num::e5m2x2}, {"s4", Num::s4}, {"u4", Num::u4}, {"b1", Num::b1}};
  for (std::size_t i = at + 1; i < words().size(); ++i) {
    std::optional<Num> found = type_of(words()[i]);
    for (const auto& [name, small] : kMore) {
      if (name == words()[i]) found = small;
    }
    if (found) types.push_back(*found);
  }
  known_ = types.size() == 4 && types[0] == types[3] && mma_width(types[1]) == mma_width(types[2]);
  if (!known_) return false;
  // Bits are compared, the others multiplied.
  const Num sum = types[0], element = types[1];
  code.combine = has("xor") ? Combine::bit_xor : has("and") ? Combine::bit_and : Combine::none;
  const bool whole = element == Num::s8 || element == Num::u8 || element == Num::s4 || element == Num::u4;
  const bool bits_of_k = element == Num::b1;
  known_ = (code.combine != Combine::none) == bits_of_k && (element == Num::f64     ? sum == Num::f64
                                                            : whole || bits_of_k    ? sum == Num::s32
                                                            : code.dimensions == 16 ? sum == Num::f32 || sum == Num::f16
                                                                                    : false);
  // 32 bytes of k at most, of a sparse A as stored; of f64 128.
  const int most = element == Num::f64 ? 1024 : code.sparse ? 512 : 256;
  known_ = known_ && code.extra >= 4 && code.extra * mma_width(element) <= most;
  if (!known_) return false;
  code.type = sum;
  code.from = element;
  code.vector = static_cast<std::uint8_t>(types[2]);
  const MmaRegisters registers = mma_registers(code.dimensions, code.extra, sum, element, code.sparse);
  // Whole registers of k.
  known_ = registers.a >= 1 && std::has_single_bit(static_cast<unsigned>(code.extra));
  return known_ && width(operand(0)) == registers.sums && width(operand(3)) == registers.sums &&
         width(operand(1)) == registers.a && width(operand(2)) == registers.b && scalars();
}

// [first element], stride, registers; of the product D, A, B, C. The layouts that the product names are those that its
// fragments were loaded by.
bool Decoder::fragments(Code& code) {
  struct Shape {
    std::string_view word;
    int m, n, k;
  };
  static constexpr Shape kShapes[] = {{"m16n16k16", 16, 16, 16},
                                      {"m32n8k16", 32, 8, 16},
                                      {"m8n32k16", 8, 32, 16},
                                      {"m16n16k8", 16, 16, 8},
                                      {"m8n8k4", 8, 8, 4}};
  const Shape* shape = nullptr;
  for (const Shape& each : kShapes) {
    if (has(each.word)) shape = &each;
  }
  llvm::SmallVector<Num, 4> types;
  for (std::size_t i = 3; i < words().size(); ++i) {
    if (std::optional<Num> type = type_of(words()[i])) types.push_back(*type);
  }
  auto multiplied = [](Num type) {
    return type == Num::f16 || type == Num::bf16 || type == Num::tf32 || type == Num::f64 || type == Num::s8 ||
           type == Num::u8;
  };
  auto summed = [](Num type) { return type == Num::f16 || type == Num::f32 || type == Num::f64 || type == Num::s32; };
  known_ = shape != nullptr && !types.empty();
  if (!known_) return false;
  code.extra = shape->m | shape->n << 8 | shape->k << 16;
  auto registers = [&](Num type, Fragment fragment) {
    return fragment_registers(type, fragment, shape->m, shape->n, shape->k);
  };
  if (is(1, "mma")) {
    code.op = Op::wmma;
    code.saturate = has("satfinite");
    code.type = types.front();
    code.from = types.size() == 4 ? types[1] : Num::f16;
    code.from_b = types.back();
    known_ = (types.size() == 2 || (types.size() == 4 && types[1] == types[2])) && multiplied(code.from) &&
             summed(code.type) && summed(code.from_b);
    return known_ && operands() == 4 && width(operand(0)) == registers(code.type, Fragment::sum) &&
           width(operand(1)) == registers(code.from, Fragment::a) &&
           width(operand(2)) == registers(code.from, Fragment::b) &&
           width(operand(3)) == registers(code.from_b, Fragment::sum) && scalars();
  }
  const bool load = is(1, "load");
  const Fragment fragment = is(2, "a") ? Fragment::a : is(2, "b") ? Fragment::b : Fragment::sum;
  code.op = load ? Op::wmma_load : Op::wmma_store;
  code.type = types.front();
  code.dimensions = static_cast<std::uint8_t>(fragment);
  code.add = has("col");
  code.where = has("global") ? Where::global : has("shared") || has("shared::cta") ? Where::shared : Where::generic;
  known_ = fragment == Fragment::sum ? summed(code.type) : multiplied(code.type);
  if (!known_ || operands() < 2) return false;
  const Operand& list_of = operand(load ? 0 : 1);
  if (width(list_of) != registers(code.type, fragment) || !memory(operand(load ? 1 : 0))) return false;
  code.vector = static_cast<std::uint8_t>(width(list_of));
  // Without a stride rows, or columns, follow each other.
  const int row = fragment == Fragment::a ? shape->k : shape->n, column = fragment == Fragment::b ? shape->k : shape->m;
  return (operands() > 2 ? scalar(operand(2)) : integer(code.add ? column : row)) && list(list_of);
}

}  // namespace warpcc::checker::ptx
