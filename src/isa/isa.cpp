#include "isa/isa.h"

namespace warpcc::isa {

namespace {

struct FileWords {
  std::string_view word, prefix, constant;
};
constexpr std::array<FileWords, 4> kFiles{
    {{"r", "R", "RZ"}, {"ur", "UR", "URZ"}, {"p", "P", "PT"}, {"up", "UP", "UPT"}}};
const FileWords& words_of(File file) {
  return kFiles[static_cast<std::size_t>(file)];
}

constexpr std::array<std::string_view, 2> kTargets{"sm_100a", "sm_90a"};

// PTX ISA, section 10; SASS's names as ptxas 13.0 shows them.
constexpr SpecialRegister kSpecialRegisters[] = {
    {"tid.x", "SR_TID.X", "%tid.x"},       {"tid.y", "SR_TID.Y", "%tid.y"},
    {"tid.z", "SR_TID.Z", "%tid.z"},       {"ctaid.x", "SR_CTAID.X", "%ctaid.x"},
    {"ctaid.y", "SR_CTAID.Y", "%ctaid.y"}, {"ctaid.z", "SR_CTAID.Z", "%ctaid.z"},
    {"laneid", "SR_LANEID", "%laneid"},    {"cluster_ctarank", "SR_CgaCtaId", "%cluster_ctarank"},
};

struct TakesWords {
  Takes takes;
  std::string_view words;
};
constexpr TakesWords kTakesWords[] = {
    {kR, "a general register (`r`)"},
    {kUR, "a uniform register (`ur`)"},
    {kP, "a predicate (`p`)"},
    {kUP, "a uniform predicate (`up`)"},
    {kImmediate, "an immediate"},
    {kShared, "a shared address `[x+0x10]`"},
    {kGlobal, "a global address `desc[u][x.64]`"},
    {kTensor, "a tensor-memory address `tmem[u]`"},
    {kGdesc, "an operand descriptor `gdesc[u]`"},
    {kIdesc, "an instruction descriptor `idesc[u]`"},
    {kVector, "a vector `[u]` of uniform registers"},
    {kMap, "a tensor map `[map_NAME]`"},
    {kSpecial, "a special register"},
    {kScoreboard, "a scoreboard `SB0`"},
    {kGroups, "the groups of MMAs `gsb0`"},
    {kLabel, "a label"},
    {kConstant, "a constant `c[0x0][0x380]`"},
    {kSharedView, "a tile in shared memory"},
    {kGlobalView, "a tile in global memory"},
    {kTensorView, "a tile in tensor memory"},
    {kFragment, "a fragment (`regs`)"},
    {kBarrier, "a barrier"},
    {kNamedBarrier, "a named barrier"},
    {kBuffer, "a global buffer"},
    {kSpecialRegister, "a special register"},
};

}  // namespace

std::optional<Target> target_named(std::string_view name) {
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    if (kTargets[i] == name) return static_cast<Target>(i);
  }
  return std::nullopt;
}
std::string_view name(Target target) {
  return kTargets[static_cast<std::size_t>(target)];
}

std::string_view word(File file) {
  return words_of(file).word;
}
std::string_view prefix(File file) {
  return words_of(file).prefix;
}
std::string_view constant(File file) {
  return words_of(file).constant;
}

int registers(File file, Target target) {
  switch (file) {
    case File::r:
      return 255;
    case File::ur:
      return target == Target::sm_100a ? 80 : 63;
    case File::p:
    case File::up:
      return 7;
  }
  return 0;
}

std::span<const SpecialRegister> special_registers() {
  return kSpecialRegisters;
}

std::string words(Takes takes) {
  std::vector<std::string_view> parts;
  for (const TakesWords& entry : kTakesWords) {
    if (takes & entry.takes) parts.push_back(entry.words);
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace warpcc::isa
