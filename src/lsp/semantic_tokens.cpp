// What each name is, for colours: what a grammar for highlighting cannot tell.
#include <algorithm>
#include <iterator>
#include <string>

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

namespace {

std::vector<Token> tokens_of(const Document& document) {
  const Sight sight(document, document.parsed);
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
  std::uint32_t end = 0;
  std::erase_if(tokens, [&](const Token& token) {  // one token a place
    if (token.begin < end) return true;
    end = token.begin + token.length;
    return false;
  });
  return tokens;
}

// Five numbers a token, its place counted from the one before (Language Server Protocol 3.17, Semantic Tokens).
constexpr std::size_t kNumbers = 5;

std::vector<std::uint32_t> encoded(const std::vector<Token>& tokens, const Text& text) {
  std::vector<std::uint32_t> data;
  data.reserve(tokens.size() * kNumbers);
  Place before;
  for (const Token& token : tokens) {
    const Place at = text.place(token.begin);
    const std::uint32_t character = at.line == before.line ? at.character - before.character : at.character;
    data.insert(data.end(), {at.line - before.line, character, token.length, token.type, token.modifiers});
    before = at;
  }
  return data;
}

template <typename Numbers>
json::Array array_of(const Numbers& numbers) {
  json::Array all;
  for (const std::uint32_t number : numbers) all.push_back(number);
  return all;
}

// What the document's colours are now, to be told apart from what they will be.
const Document::Colours& colour(Document& document) {
  document.colours = {document.colours.id + 1, encoded(tokens_of(document), document.text)};
  return document.colours;
}

}  // namespace

Answer semantic_tokens(const Request& request) {
  const Document::Colours& now = colour(request.document);
  return json::Object{{"resultId", std::to_string(now.id)}, {"data", array_of(now.data)}};
}

// One edit: what is before and behind it stays, since places are counted from token to token.
Answer semantic_tokens_delta(const Request& request) {
  const std::optional<llvm::StringRef> given = request.params.getString("previousResultId");
  if (!given || *given != std::to_string(request.document.colours.id)) return semantic_tokens(request);
  const std::vector<std::uint32_t> before = std::move(request.document.colours.data);
  const std::vector<std::uint32_t>& now = colour(request.document).data;
  const std::size_t least = std::min(before.size(), now.size());
  const auto whole = [](std::ptrdiff_t numbers) { return static_cast<std::size_t>(numbers) / kNumbers * kNumbers; };
  const auto first_other = std::mismatch(before.begin(), before.end(), now.begin(), now.end()).first;
  const std::size_t prefix = whole(first_other - before.begin());
  const auto last_other = std::mismatch(before.rbegin(), before.rend(), now.rbegin(), now.rend()).first;
  const std::size_t suffix = std::min(whole(last_other - before.rbegin()), least - prefix);
  json::Array edits;
  if (before.size() != now.size() || prefix < now.size()) {
    const llvm::ArrayRef<std::uint32_t> data = llvm::ArrayRef(now).drop_front(prefix).drop_back(suffix);
    edits.push_back(
        json::Object{{"start", prefix}, {"deleteCount", before.size() - prefix - suffix}, {"data", array_of(data)}});
  }
  return json::Object{{"resultId", std::to_string(request.document.colours.id)}, {"edits", std::move(edits)}};
}

Answer semantic_tokens_range(const Request& request) {
  const json::Object* range = request.params.getObject("range");
  const std::optional<Place> from = range ? read_place(range->get("start")) : std::nullopt;
  const std::optional<Place> to = range ? read_place(range->get("end")) : std::nullopt;
  if (!from || !to) return bad_params("`range` is two places");
  const Text& text = request.document.text;
  const std::uint32_t begin = text.offset(*from), end = text.offset(*to);
  std::vector<Token> tokens = tokens_of(request.document);
  std::erase_if(tokens, [&](const Token& token) { return token.begin + token.length <= begin || end <= token.begin; });
  return json::Object{{"data", array_of(encoded(tokens, text))}};
}

}  // namespace warpcc::lsp
