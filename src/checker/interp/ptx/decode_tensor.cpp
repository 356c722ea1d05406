// PTX ISA: tcgen05 and wgmma.
#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

bool Decoder::tensor(Code& code) {
  code.pair = has("cta_group::2");
  if (is(1, "alloc")) {
    code.op = Op::tmem_alloc;
    return operands() == 2 && memory(operand(0)) && scalar(operand(1));
  }
  if (is(1, "dealloc")) {
    code.op = Op::tmem_dealloc;
    return operands() == 2 && scalars();
  }
  if (is(1, "relinquish_alloc_permit")) {
    code.op = Op::tmem_relinquish;
    return true;
  }
  if (is(1, "wait::ld") || is(1, "wait::st")) {
    code.op = Op::tmem_wait;
    code.extra = is(1, "wait::st");
    return true;
  }
  if (is(1, "fence::before_thread_sync") || is(1, "fence::after_thread_sync")) {
    code.op = Op::tmem_fence;
    code.extra = is(1, "fence::after_thread_sync");
    return true;
  }
  if (is(1, "commit")) {
    code.op = Op::tmem_commit;
    code.multicast = has("multicast::cluster");
    if (operands() < 1 || !memory(operand(0))) return false;
    return code.multicast ? operands() == 2 && scalar(operand(1)) : none();
  }
  if (is(1, "ld") || is(1, "st")) {
    bool load = is(1, "ld");
    code.op = load ? Op::tmem_ld : Op::tmem_st;
    static constexpr std::string_view kShapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    code.extra = -1;
    for (int i = 0; i < 5; ++i) {
      if (has(kShapes[i])) code.extra = i;
    }
    code.add = has("pack::16b") || has("unpack::16b");
    known_ = code.extra >= 0 && !has("red");
    if (!known_ || operands() < 2) return false;
    const Operand& registers = operand(load ? 0 : operands() - 1);
    const Operand& place = operand(load ? 1 : 0);
    code.vector = 1;
    // [address], the second half's offset, then the registers
    if (!memory(place)) return false;
    if (operands() > 2 ? !scalar(operand(load ? 2 : 1)) : !none()) return false;
    return list(registers);
  }
  if (is(1, "cp")) return tensor_memory_copy(code);
  if (is(1, "shift")) {
    code.op = Op::tmem_shift;
    known_ = has("down");
    return known_ && operands() == 1 && memory(operand(0));
  }
  if (is(1, "mma")) return tensor_multiply(code);
  known_ = false;
  return false;
}

// [to], the descriptor; how many rows and bytes of each, and to which warps' lanes they go.
bool Decoder::tensor_memory_copy(Code& code) {
  struct Shape {
    std::string_view word;
    int rows, bytes;
  };
  static constexpr Shape kShapes[] = {
      {"128x256b", 128, 32}, {"128x128b", 128, 16}, {"64x128b", 64, 16}, {"32x128b", 32, 16}, {"4x256b", 4, 32}};
  code.op = Op::tmem_copy;
  known_ = false;
  for (const Shape& each : kShapes) {
    if (!has(each.word)) continue;
    known_ = true;
    code.extra = each.rows;
    code.vector = static_cast<std::uint8_t>(each.bytes);
  }
  code.dimensions = has("warpx4") ? 3 : has("warpx2::01_23") ? 2 : has("warpx2::02_13") ? 1 : 0;
  code.from = has("b4x16_p64") ? Num::e2m1x2 : has("b6x16_p32") ? Num::e2m3x2 : Num::b32;  // packed so, bytes wanted
  if (!known_) return false;
  return operands() == 2 && memory(operand(0)) && scalar(operand(1));
}

// [D], A or [A], B, instruction descriptor, whether it adds, [scales of A], [scales of B], [chunks of a sparse A], by
// how much D shrinks, lanes of D that stay as they are.
bool Decoder::tensor_multiply(Code& code) {
  static constexpr std::pair<std::string_view, int> kKinds[] = {
      {"kind::f16", 0},      {"kind::f8f6f4", 1}, {"kind::i8", 2},      {"kind::tf32", 3},
      {"kind::mxf8f6f4", 4}, {"kind::mxf4", 5},   {"kind::mxf4nvf4", 6}};
  static constexpr std::string_view kBuffers[] = {"a", "b0", "b1", "b2", "b3"},
                                    kUses[] = {"::discard", "::fill", "::use", "::lastuse"};  // as Collector has them
  code.op = Op::tmem_mma;
  code.extra = -1;
  for (auto [word, number] : kKinds) {
    if (has(word)) code.extra = number;
  }
  code.dimensions = has("ws") ? 1 << 2 : 0;
  // What becomes of the collector buffers of A, and with .ws of B: which operation, and on which of them.
  for (std::string_view word : words()) {
    constexpr std::string_view kCollector = "collector::";
    if (word.substr(0, kCollector.size()) != kCollector) continue;
    const std::string_view buffer = word.substr(kCollector.size());
    for (int which = 0; which < 5; ++which) {
      const std::string_view name = kBuffers[which];
      if (buffer.substr(0, name.size()) != name) continue;
      for (int use = 0; use < 4; ++use) {
        if (buffer.substr(name.size()) == kUses[use]) code.dimensions = static_cast<std::uint8_t>(which << 2 | use);
      }
    }
  }
  const bool scaled = code.extra >= 4;
  code.sparse = has("sp");
  code.uniform = has("ws");
  known_ = code.extra >= 0 && !has("ashift") && scaled == has("block_scale") && !(code.sparse && code.uniform);
  if (code.uniform && (scaled || code.pair)) return false;
  code.vector = has("block16") || has("scale_vec::4X") ? 16 : 32;  // elements of k that share a scale
  const std::size_t at = code.sparse ? 4 : 3;                      // of the instruction descriptor
  if (!known_ || operands() < at + (scaled ? 4 : 2) || operand(0).kind != Operand::Kind::address) return false;
  code.at_read = operand(1).kind == Operand::Kind::address;
  if (!memory(operand(0))) return false;
  if (code.at_read ? !memory(operand(1)) : !scalar(operand(1)) || !integer(0)) return false;
  if (!scalar(operand(2)) || !scalar(operand(at))) return false;
  const bool masked = operand(at + 1).kind == Operand::Kind::list;
  const std::size_t adds = at + (scaled ? 3 : masked ? 2 : 1);
  if (operands() <= adds || !scalar(operand(adds))) return false;
  if (scaled) {
    if (!memory(operand(at + 1)) || !memory(operand(at + 2))) return false;
  } else {
    for (int i = 0; i < 4; ++i) none();
  }
  if (code.sparse ? !memory(operand(3)) : !none() || !none()) return false;
  if (scaled) return true;
  if (code.uniform) {
    // Columns of B that are zeros.
    return !masked && integer(0) && (operands() > adds + 1 ? scalar(operand(adds + 1)) : integer(0));
  }
  if (operands() > adds + 1 ? !scalar(operand(adds + 1)) : !integer(0)) return false;
  return !masked || list(operand(at + 1));
}

bool Decoder::hopper(Code& code) {
  if (is(0, "setmaxnreg")) {
    code.op = Op::register_budget;
    code.add = has("inc");
    return scalars();
  }
  if (is(1, "fence")) {
    code.op = Op::wgmma_fence;
    return true;
  }
  if (is(1, "commit_group")) {
    code.op = Op::wgmma_commit;
    return true;
  }
  if (is(1, "wait_group")) {
    code.op = Op::wgmma_wait;
    return scalars();
  }
  code.op = Op::wgmma;
  std::size_t count = words().size();
  known_ = is(1, "mma_async");
  code.sparse = has("sp");
  // m64n128k16, type of D, of A, of B
  const std::size_t at = code.sparse ? 5 : 4;
  known_ = known_ && count >= at + 3;
  if (!known_) return false;
  std::string_view shape = words()[at];
  std::size_t n = shape.find('n'), k = shape.find('k');
  if (n == std::string_view::npos || k == std::string_view::npos) return false;
  int columns = 0;
  for (char c : shape.substr(n + 1, k - n - 1)) columns = columns * 10 + (c - '0');
  code.extra = columns;
  static constexpr std::pair<std::string_view, Num> kMore[] = {{"e4m3", Num::e4m3x2}, {"e5m2", Num::e5m2x2}};
  auto element = [&](std::string_view word) {
    for (const auto& [name, type] : kMore) {
      if (name == word) return std::optional<Num>(type);
    }
    return type_of(word);
  };
  std::optional<Num> d = element(words()[at + 1]), a = element(words()[at + 2]),
                     b = element(words()[count < at + 4 ? at + 2 : at + 3]);
  auto eight = [](std::optional<Num> type) { return type == Num::e4m3x2 || type == Num::e5m2x2; };
  known_ = d && a && columns >= 8 && columns <= 256 && (a == b || (eight(a) && eight(b)));
  if (!known_) return false;
  code.type = *d;
  code.from = *a;
  code.from_b = *b;
  // A, B, adds, the signs and the majors that the type has, then D's registers and A's, if they are in registers, and
  // what lies where in a sparse A, with the lanes that tell. A in registers has no major.
  const std::size_t adds = code.sparse ? 5 : 3;
  if (operands() <= adds || operand(0).kind != Operand::Kind::list) return false;
  code.at_read = operand(1).kind == Operand::Kind::list;
  if (code.at_read ? operand(1).count != 4 || !none() : !scalar(operand(1))) return false;
  auto next = [&](std::size_t i) { return i < operands() ? scalar(operand(i)) : none(); };
  if (!scalar(operand(2)) || !scalar(operand(adds)) || !next(adds + 1) || !next(adds + 2)) return false;
  if (code.at_read ? !none() || !next(adds + 3) : !next(adds + 3) || !next(adds + 4)) return false;
  code.vector = static_cast<std::uint8_t>(operand(0).count);
  if (!list(operand(0)) || (code.at_read && !list(operand(1)))) return false;
  return !code.sparse || (scalar(operand(3)) && scalar(operand(4)));
}

}  // namespace warpcc::checker::ptx
