// What each name is, for colours: what a grammar for highlighting cannot tell.
#include <algorithm>
#include <iterator>

#include "lsp/requests.h"
#include "lsp/symbols.h"

namespace warpcc::lsp {
namespace {

constexpr llvm::StringLiteral kTypes[] = {"namespace", "enum",  "enumMember", "struct",    "property", "function",
                                          "macro",     "class", "variable",   "parameter", "event"};
constexpr llvm::StringLiteral kModifiers[] = {"declaration", "readonly", "modification"};
enum Type : std::uint32_t {
  kNamespace,
  kEnum,
  kCase,
  kStruct,
  kProperty,
  kFunction,
  kMacro,
  kClass,
  kVariable,
  kParameter,
  kEvent
};
constexpr std::uint32_t kDeclares = 1, kReadonly = 2, kWrites = 4;

Type type_of(NameKind kind) {
  switch (kind) {
    case NameKind::module:
      return kNamespace;
    case NameKind::enumeration:
      return kEnum;
    case NameKind::enum_case:
      return kCase;
    case NameKind::structure:
      return kStruct;
    case NameKind::field:
      return kProperty;
    case NameKind::fn:
    case NameKind::kernel:
      return kFunction;
    case NameKind::proc:
      return kMacro;
    case NameKind::role:
      return kClass;
    case NameKind::pipe:
    case NameKind::barrier:
    case NameKind::end:
      return kEvent;
    case NameKind::parameter:
    case NameKind::global:
    case NameKind::carried:
      return kParameter;
    default:
      return kVariable;
  }
}

bool is_constant(NameKind kind) {
  return kind == NameKind::param || kind == NameKind::constant || kind == NameKind::variable ||
         kind == NameKind::binding || kind == NameKind::axis;
}

struct Token {
  std::uint32_t begin, length, type, modifiers;
};

}  // namespace

json::Object semantic_token_legend() {
  json::Array types, modifiers;
  for (const llvm::StringLiteral& type : kTypes) types.push_back(type);
  for (const llvm::StringLiteral& modifier : kModifiers) modifiers.push_back(modifier);
  return json::Object{{"tokenTypes", std::move(types)}, {"tokenModifiers", std::move(modifiers)}};
}

Answer semantic_tokens(const Request& request) {
  const Sight sight(request.document, request.document.parsed);
  std::vector<Token> tokens;
  auto add = [&](SourceRange where, NameKind kind, std::uint32_t modifiers) {
    const std::optional<SourceRange> now = sight.to_now(where);
    if (!now || now->begin == now->end) return;
    if (is_constant(kind)) modifiers |= kReadonly;
    tokens.push_back({now->begin, now->end - now->begin, type_of(kind), modifiers});
  };
  if (sight && sight->names) {
    for (const Declaration& each : sight->names->declarations()) add(each.where, each.kind, kDeclares);
    for (const NameUse& use : sight->names->uses()) {
      const std::shared_ptr<const Names> names = sight->names_of(use.of.file);
      if (names) add(use.where, (*names)[use.of.index].kind, use.writes ? kWrites : 0);
    }
  }
  std::stable_sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) { return a.begin < b.begin; });
  json::Array data;
  Place before;
  std::uint32_t end = 0;
  for (const Token& token : tokens) {
    if (token.begin < end) continue;  // one token a place
    end = token.begin + token.length;
    const Place at = request.document.text.place(token.begin);
    const bool same_line = at.line == before.line;
    const std::uint32_t values[] = {at.line - before.line, same_line ? at.character - before.character : at.character,
                                    token.length, token.type, token.modifiers};
    for (const std::uint32_t value : values) data.push_back(value);
    before = at;
  }
  return json::Object{{"data", std::move(data)}};
}

}  // namespace warpcc::lsp
