#include "lsp/operands.h"

#include <fmt/format.h>

#include <utility>

namespace warpcc::lsp {
namespace {

constexpr std::pair<isa::Takes, std::string_view> kWords[] = {
    {isa::kR, "r"},
    {isa::kUR, "ur"},
    {isa::kP, "p"},
    {isa::kUP, "up"},
    {isa::kImmediate, "number"},
    {isa::kSharedView, "shared"},
    {isa::kGlobalView, "global"},
    {isa::kTensorView, "tensor"},
    {isa::kFragment, "fragment"},
    {isa::kBarrier, "barrier"},
    {isa::kNamedBarrier, "named barrier"},
    {isa::kBuffer, "buffer"},
    {isa::kSpecialRegister, "special register"},
};

std::string_view issued(isa::Issue issue) {
  switch (issue) {
    case isa::Issue::lane:
      return "each lane executes it for itself; a lane guard is allowed";
    case isa::Issue::warp:
      return "all lanes of a warp execute it together: it takes no lane guard";
    case isa::Issue::once:
      return "issued once a warp: its guard is uniform";
    case isa::Issue::warpgroup:
      return "the four warps of a warpgroup execute it together";
  }
  return "";
}

}  // namespace

std::vector<std::string> operand_words(const isa::Statement& statement) {
  std::vector<std::string> all;
  for (const isa::StatementSlot& slot : statement.slots) {
    std::string text;
    for (const auto& [bit, word] : kWords) {
      if (slot.takes & bit) text += fmt::format("{}{}", text.empty() ? "" : "|", word);
    }
    if (slot.width > 1) text += fmt::format("[{}]", slot.width);
    if (slot.out) text = "out " + text;
    if (slot.optional || slot.neutral) text = "[" + text + "]";
    all.push_back(std::move(text));
  }
  return all;
}

std::string operands_text(const isa::Statement& statement) {
  std::string text;
  for (const std::string& operand : operand_words(statement)) text += (text.empty() ? "" : ", ") + operand;
  return text;
}

std::string instruction_doc(const isa::Statement& statement) {
  std::string text(issued(statement.issue));
  std::string targets;
  for (const isa::Target target : {isa::Target::sm_100a, isa::Target::sm_90a}) {
    if (isa::has(statement.targets, target))
      targets += fmt::format("{}{}", targets.empty() ? "" : ", ", isa::name(target));
  }
  text += fmt::format("; {}", targets);
  if (!statement.sass.empty()) text += fmt::format("\n\n`{}`", statement.sass);
  return text;
}

std::string snippet(const isa::Statement& statement) {
  std::string text(statement.word);
  const std::vector<std::string> words = operand_words(statement);
  int shown = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (statement.slots[i].optional || statement.slots[i].neutral) break;
    std::string word = words[i];
    if (word.starts_with("out ")) word = word.substr(4);
    text += fmt::format("{} ${{{}:{}}}", shown == 0 ? "" : ",", shown + 1, word);
    ++shown;
  }
  return text + ";";
}

bool takes(isa::Takes takes, const Declaration& of) {
  switch (of.kind) {
    case NameKind::registers: {
      if (!of.registers) return false;
      constexpr isa::Takes kFiles[] = {isa::kR, isa::kUR, isa::kP, isa::kUP};
      return takes & kFiles[static_cast<int>(*of.registers)];
    }
    case NameKind::fragment:
      return takes & (isa::Takes{isa::kFragment} | isa::Takes{isa::kR});
    case NameKind::global:
      return takes & (isa::Takes{isa::kGlobalView} | isa::Takes{isa::kBuffer});
    case NameKind::shared:
      return takes & isa::kSharedView;
    case NameKind::tensor:
      return takes & isa::kTensorView;
    case NameKind::end:
      return takes & (isa::Takes{isa::kBarrier} | isa::Takes{isa::kSharedView} | isa::Takes{isa::kTensorView} |
                      isa::Takes{isa::kNamedBarrier});
    case NameKind::pipe:
      return takes & isa::kBarrier;
    case NameKind::barrier:
      return takes & isa::kNamedBarrier;
    case NameKind::let:
      return takes & (isa::Takes{isa::kSharedView} | isa::Takes{isa::kGlobalView} | isa::Takes{isa::kTensorView});
    case NameKind::axis:
    case NameKind::param:
    case NameKind::constant:
    case NameKind::variable:
      return takes & isa::kImmediate;
    default:
      return true;
  }
}

}  // namespace warpcc::lsp
