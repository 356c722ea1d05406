#include "checker/interp/ptx/decoder.h"

namespace warpcc::checker::ptx {

int bits(Num type) {
  switch (type) {
    case Num::pred:
    case Num::b1:
      return 1;
    case Num::s4:
    case Num::u4:
      return 4;
    case Num::b8:
    case Num::u8:
    case Num::s8:
      return 8;
    case Num::b16:
    case Num::u16:
    case Num::s16:
    case Num::f16:
    case Num::bf16:
    case Num::e4m3x2:
    case Num::e5m2x2:
    case Num::ue8m0x2:
    case Num::e2m3x2:
    case Num::e3m2x2:
      return 16;
    case Num::e2m1x2:
      return 8;
    case Num::f32x2:
    case Num::b64:
    case Num::u64:
    case Num::s64:
    case Num::f64:
      return 64;
    case Num::b128:
      return 128;
    default:
      return 32;
  }
}

namespace {

constexpr Message<std::string> kNoOpcode{"ptx-no-opcode", "the machine has no `{}`"};
constexpr Message<std::string> kBadOperands{"ptx-bad-operands", "the operands of `{}` are not such as it takes"};

constexpr std::pair<std::string_view, Num> kTypes[] = {
    {"pred", Num::pred},     {"b8", Num::b8},         {"b16", Num::b16},         {"b32", Num::b32},
    {"b64", Num::b64},       {"b128", Num::b128},     {"u8", Num::u8},           {"u16", Num::u16},
    {"u32", Num::u32},       {"u64", Num::u64},       {"s8", Num::s8},           {"s16", Num::s16},
    {"s32", Num::s32},       {"s64", Num::s64},       {"f16", Num::f16},         {"bf16", Num::bf16},
    {"f16x2", Num::f16x2},   {"bf16x2", Num::bf16x2}, {"f32", Num::f32},         {"tf32", Num::tf32},
    {"f64", Num::f64},       {"e4m3x2", Num::e4m3x2}, {"e5m2x2", Num::e5m2x2},   {"f32x2", Num::f32x2},
    {"u16x2", Num::u16x2},   {"s16x2", Num::s16x2},   {"ue8m0x2", Num::ue8m0x2}, {"e2m1x2", Num::e2m1x2},
    {"e2m3x2", Num::e2m3x2}, {"e3m2x2", Num::e3m2x2}};

}  // namespace

std::optional<Num> type_of(std::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
  }
  return {};
}

void Decoder::decode(const Instruction& instruction) {
  instruction_ = &instruction;
  opcode_ = &module_.opcodes[instruction.opcode];
  known_ = true;
  Code code;
  code.first = static_cast<std::uint32_t>(out_.args.size());
  if (instruction.guard != Instruction::kNoGuard) {
    code.guard = offsets_[instruction.guard];
    code.guard_negated = instruction.guard_negated;
  }
  code.scope = has("cta")                              ? Scope::cta
               : has("cluster")                        ? Scope::cluster
               : has("gpu") || has("sys") || has("gl") ? Scope::gpu
                                                       : Scope::none;
  // PTX ISA, bar: the same as barrier.….aligned.
  code.aligned = has("aligned") || (words()[0] == "bar" && !has("warp"));
  bool good = family(code);
  code.count = static_cast<std::uint16_t>(out_.args.size() - code.first);
  if (!good) {
    SourceRange where{module_.file, instruction.offset, instruction.offset + instruction.length};
    std::string text = opcode_->text.substr(0, 120);
    if (known_) {
      diagnostics_.error(where, kBadOperands, text);
    } else {
      diagnostics_.error(where, kNoOpcode, text);
    }
    ++told_;
  }
  out_.code.push_back(code);
}

bool Decoder::family(Code& code) {
  std::string_view first = words()[0];
  if (first == "tcgen05") return tensor(code);
  if (first == "wgmma" || first == "setmaxnreg") return hopper(code);
  if (first == "cp" || first == "prefetch" || first == "applypriority" || first == "discard" ||
      first == "createpolicy" || first == "tensormap" || first == "ldmatrix" || first == "stmatrix" ||
      first == "clusterlaunchcontrol")
    return copies(code);
  if (first == "wmma") return fragments(code);
  if (first == "mma" || first == "redux" || first == "match" || first == "movmatrix") return of_a_warp(code);
  if (first == "bar" || first == "barrier" || first == "mbarrier" || first == "fence" || first == "membar" ||
      first == "mapa" || first == "getctarank" || first == "elect" || first == "griddepcontrol")
    return synchronisation(code);
  if (first == "ld" || first == "ldu" || first == "st" || first == "atom" || first == "red" || first == "cvta")
    return memory_access(code);
  if (first == "bra" || first == "brx" || first == "ret" || first == "exit" || first == "call" || first == "trap" ||
      first == "brkpt" || first == "shfl" || first == "vote" || first == "activemask" || first == "pragma" ||
      first == "nanosleep")
    return control(code);
  if (first == "cvt") return conversion(code);
  if (first == "setp" || first == "selp" || first == "set" || first == "slct") return comparison(code);
  if (first == "mov") return move(code);
  return arithmetic(code);
}

}  // namespace warpcc::checker::ptx
