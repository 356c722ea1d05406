// The shape of a document: its symbols, and what folds.
#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"

namespace warpcc::lsp {
namespace {

// SymbolKind of the protocol.
int symbol_kind(NameKind kind) {
  switch (kind) {
    case NameKind::module:
      return 2;  // Module
    case NameKind::kernel:
    case NameKind::fn:
      return 12;  // Function
    case NameKind::proc:
      return 6;  // Method
    case NameKind::enumeration:
      return 10;
    case NameKind::enum_case:
      return 22;
    case NameKind::structure:
      return 23;
    case NameKind::field:
      return 8;
    case NameKind::param:
    case NameKind::constant:
      return 14;  // Constant
    case NameKind::role:
      return 5;  // Class
    case NameKind::pipe:
    case NameKind::barrier:
      return 24;  // Event
    case NameKind::shared:
    case NameKind::tensor:
    case NameKind::global:
      return 18;  // Array
    default:
      return 13;  // Variable
  }
}

class Outline {
 public:
  Outline(const Sight& sight, const Document& document) : sight_(sight), document_(document) {}

  json::Array children(std::int32_t parent, SourceRange within, bool items) {
    json::Array all;
    const std::vector<Declaration>& declarations = sight_->names->declarations();
    std::vector<std::int32_t> order;
    auto consider = [&](std::int32_t at) {
      const Declaration& each = declarations[static_cast<std::size_t>(at)];
      if (each.same < 0 && listed(each, at, parent, within, items)) order.push_back(at);
    };
    if (!items && declarations[static_cast<std::size_t>(parent)].kind != NameKind::kernel) {
      for (const std::int32_t at : sight_->names->parts(parent)) consider(at);
    } else {
      for (std::size_t i = 0; i < declarations.size(); ++i) consider(static_cast<std::int32_t>(i));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return declarations[static_cast<std::size_t>(a)].where.begin <
             declarations[static_cast<std::size_t>(b)].where.begin;
    });
    for (const std::int32_t at : order) {
      if (std::optional<json::Value> made = symbol(at)) all.push_back(std::move(*made));
    }
    return all;
  }

 private:
  bool listed(const Declaration& each, std::int32_t at, std::int32_t parent, SourceRange within, bool items) const {
    const Names& names = *sight_->names;
    if (items) return names.item(each.name) == NameRef{names.file(), at};
    if (each.parent == parent && (each.kind == NameKind::enum_case || each.kind == NameKind::field)) return true;
    const bool member = each.kind == NameKind::global || each.kind == NameKind::shared ||
                        each.kind == NameKind::tensor || each.kind == NameKind::pipe ||
                        each.kind == NameKind::barrier || each.kind == NameKind::role;
    return names[parent].kind == NameKind::kernel && member && within.begin < each.where.begin &&
           each.where.end < within.end;
  }

  std::optional<json::Value> symbol(std::int32_t at) {
    const Declaration& of = (*sight_->names)[at];
    // A declaration's own parts may have been typed over; the whole is what is left of it.
    SourceRange whole = of.whole;
    whole.begin = std::min(whole.begin, of.where.begin);
    whole.end = std::max(whole.end, of.where.end);
    std::optional<json::Value> range = sight_.range(whole), name = sight_.range(of.where);
    if (!name) return std::nullopt;
    if (!range) range = *name;
    json::Object made{{"name", of.name},
                      {"kind", symbol_kind(of.kind)},
                      {"range", std::move(*range)},
                      {"selectionRange", std::move(*name)}};
    if (const std::optional<Symbol> symbol = symbol_of(document_, *sight_, {sight_->names->file(), at}))
      made["detail"] = json::fixUTF8(signature(*symbol, sight_->sources));
    const bool has_children =
        of.kind == NameKind::kernel || of.kind == NameKind::enumeration || of.kind == NameKind::structure;
    if (has_children) {
      if (json::Array inside = children(at, of.whole, false); !inside.empty()) made["children"] = std::move(inside);
    }
    return json::Value(std::move(made));
  }

  const Sight& sight_;
  const Document& document_;
};

// What a search through all files finds: items, and what kernels consist of.
bool is_found(const Names& names, const Declaration& each, NameRef ref) {
  switch (each.kind) {
    case NameKind::module:
      return false;  // a `use` of one
    case NameKind::role:
    case NameKind::pipe:
    case NameKind::barrier:
    case NameKind::shared:
    case NameKind::tensor:
    case NameKind::enum_case:
      return true;
    default:
      return names.item(each.name) == ref;
  }
}

// Whether the letters come in the name in their order, in whatever case: `ldsA` finds `loads_a`.
bool matches(std::string_view query, std::string_view name) {
  std::size_t at = 0;
  for (const char c : name) {
    if (at < query.size() && llvm::toLower(c) == llvm::toLower(query[at])) ++at;
  }
  return at == query.size();
}

// The kernel or enum that a declaration is a part of; none: it is an item.
const Declaration* around(const Names& names, const Declaration& of, const std::vector<const Declaration*>& kernels) {
  if (of.parent >= 0) return &names[of.parent];
  for (const Declaration* each : kernels) {
    if (each->whole.begin < of.where.begin && of.where.end <= each->whole.end && each->where != of.where) return each;
  }
  return nullptr;
}

json::Object fold(std::uint32_t first, std::uint32_t last, llvm::StringRef kind) {
  json::Object made{{"startLine", first}, {"endLine", last}};
  if (!kind.empty()) made["kind"] = kind;
  return made;
}

// Lines of one kind, one below the other.
class Run {
 public:
  explicit Run(llvm::StringRef kind) : kind_(kind) {}
  void line(std::uint32_t number, bool belongs, json::Array& into) {
    if (belongs) {
      if (count_++ == 0) first_ = number;
      return;
    }
    if (count_ > 1) into.push_back(fold(first_, number - 1, kind_));
    count_ = 0;
  }

 private:
  llvm::StringRef kind_;
  std::uint32_t first_ = 0, count_ = 0;
};

}  // namespace

Answer document_symbols(const Request& request) {
  const Sight sight(request.document, request.document.parsed);
  if (!sight) return json::Value(json::Array{});
  return json::Value(Outline(sight, request.document).children(-1, {}, true));
}

Answer workspace_symbols(const Documents& documents, const json::Object& params) {
  const std::string query = params.getString("query").value_or("").str();
  json::Array all;
  for (const Source& source : all_sources(documents)) {
    const Sight sight(*source.document, source.analysis);
    const std::vector<Declaration>& declarations = source.names->declarations();
    std::vector<const Declaration*> kernels;
    for (const Declaration& each : declarations) {
      if (each.kind == NameKind::kernel) kernels.push_back(&each);
    }
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      const Declaration& each = declarations[i];
      const NameRef ref{source.names->file(), static_cast<std::int32_t>(i)};
      if (each.same >= 0 || !matches(query, each.name) || !is_found(*source.names, each, ref)) continue;
      std::optional<json::Value> at = sight.location(each.where);
      if (!at) continue;
      json::Object made{{"name", each.name}, {"kind", symbol_kind(each.kind)}, {"location", std::move(*at)}};
      if (const Declaration* in = around(*source.names, each, kernels)) made["containerName"] = in->name;
      all.push_back(std::move(made));
    }
  }
  return json::Value(std::move(all));
}

// By brackets and comments alone: a text that is half typed folds too.
Answer folding_ranges(const Request& request) {
  json::Array all;
  const Text& text = request.document.text;
  std::vector<std::uint32_t> open;
  bool in_comment = false;
  Run comments{"comment"}, uses{"imports"};
  for (std::uint32_t number = 0; number < text.lines(); ++number) {
    const std::string_view line = text.line(number);
    const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    comments.line(number, !in_comment && words.starts_with("//"), all);
    uses.line(number, words.starts_with("use "), all);
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string_view rest = line.substr(i);
      if (in_comment) {
        if (rest.starts_with("*/")) in_comment = false, ++i;
      } else if (rest.starts_with("/*")) {
        in_comment = true, ++i;
      } else if (rest.starts_with("//")) {
        break;
      } else if (line[i] == '"') {
        const std::size_t end = line.find('"', i + 1);
        i = end == std::string_view::npos ? line.size() : end;
      } else if (line[i] == '{' || line[i] == '(') {
        open.push_back(number);
      } else if ((line[i] == '}' || line[i] == ')') && !open.empty()) {
        // The closing bracket's line stays in sight.
        if (number > open.back() + 1) all.push_back(fold(open.back(), number - 1, ""));
        open.pop_back();
      }
    }
  }
  return json::Value(std::move(all));
}

}  // namespace warpcc::lsp
