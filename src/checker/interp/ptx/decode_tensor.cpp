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
    known_ = code.extra >= 0 && !has("pack::16b") && !has("unpack::16b") && !has("red");
    if (!known_ || operands() < 2) return false;
    const Operand& registers = operand(load ? 0 : operands() - 1);
    const Operand& place = operand(load ? 1 : 0);
    code.vector = 1;
    // [address], the second half's offset, then the registers
    if (!memory(place)) return false;
    if (operands() > 2 ? !scalar(operand(load ? 2 : 1)) : !none()) return false;
    return list(registers);
  }
  if (is(1, "mma")) {
    code.op = Op::tmem_mma;
    known_ = (has("kind::f16") || has("kind::tf32") || has("kind::f8f6f4") || has("kind::i8")) && !has("sp") &&
             !has("ws") && !has("ashift");
    code.extra = has("kind::f8f6f4") ? 1 : has("kind::i8") ? 2 : has("kind::tf32") ? 3 : 0;
    // D, A, B, instruction descriptor, whether it adds. A in tensor memory is an address in brackets.
    if (!known_ || operands() < 5 || operand(0).kind != Operand::Kind::address) return false;
    if (operand(1).kind == Operand::Kind::address) {
      known_ = false;
      return false;
    }
    std::size_t accumulate = operand(4).kind == Operand::Kind::list ? 5 : 4;
    if (operands() <= accumulate) return false;
    return memory(operand(0)) && scalar(operand(1)) && scalar(operand(2)) && scalar(operand(3)) &&
           scalar(operand(accumulate));
  }
  known_ = false;
  return false;
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
  known_ = is(1, "mma_async") && count >= 7 && !has("sp");
  if (!known_) return false;
  // m64n128k16, type of D, of A, of B
  std::string_view shape = words()[4];
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
  std::optional<Num> d = element(words()[5]), a = element(words()[6]);
  known_ = d && a && columns >= 8 && columns <= 256 && (count < 8 || words()[7] == words()[6]);
  if (!known_) return false;
  code.type = *d;
  code.from = *a;
  // A, B, adds, the signs and the majors that the type has, then D's registers
  if (operands() < 4 || operand(0).kind != Operand::Kind::list) return false;
  if (operand(1).kind == Operand::Kind::list) {
    known_ = false;
    return false;
  }
  for (std::size_t i = 1; i < 8; ++i) {
    if (i < operands() ? !scalar(operand(i)) : !none()) return false;
  }
  code.vector = static_cast<std::uint8_t>(operand(0).count);
  return list(operand(0));
}

}  // namespace warpcc::checker::ptx
