#include "lsp/symbols.h"

#include <fmt/format.h>

#include <set>

#include "support/words.h"

namespace warpcc::lsp {
namespace {

// The text of a declaration on one line: as far as its body, or its end.
std::string head_of(std::string_view text, SourceRange whole, SourceRange name) {
  std::string_view part = text.substr(whole.begin, whole.end - whole.begin);
  // A body begins with the first brace that ends its line, or that nothing but a block follows.
  const std::size_t from = name.end > whole.begin ? name.end - whole.begin : 0;
  for (std::size_t at = part.find('{', from); at != std::string_view::npos; at = part.find('{', at + 1)) {
    const std::size_t next = part.find_first_not_of(" \t", at + 1);
    if (next == std::string_view::npos || part[next] == '\n' || part[next] == '\r' || part.substr(next, 2) == "//") {
      part = part.substr(0, at);
      break;
    }
  }
  std::string line;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part.substr(i, 2) == "//") i = std::min(part.find('\n', i), part.size() - 1);
    const bool blank = part[i] == ' ' || part[i] == '\t' || part[i] == '\n' || part[i] == '\r';
    if (!blank)
      line += part[i];
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (line.ends_with(' ') || line.ends_with(';')) line.pop_back();
  constexpr std::size_t kLongest = 400;
  if (line.size() > kLongest) line = line.substr(0, kLongest) + " …";
  return line;
}

std::string_view word_of(tree::RegisterKind kind) {
  constexpr std::string_view kWords[] = {"r", "ur", "p", "up"};
  return kWords[static_cast<int>(kind)];
}

}  // namespace

std::vector<Source> all_sources(const Documents& documents) {
  std::vector<Source> all;
  std::set<std::string> seen;
  for (const auto& [uri, document] : documents) {
    if (document->parsed && document->parsed->names && seen.insert(document->path).second)
      all.push_back({document.get(), document->parsed, document->parsed->names, uri, document->path});
  }
  for (const auto& [uri, document] : documents) {
    if (!document->parsed) continue;
    for (const auto& [file, names] : document->parsed->modules) {
      const std::string path(document->parsed->sources.path(file));
      if (names && seen.insert(path).second)
        all.push_back({document.get(), document->parsed, names, uri_of(path), path});
    }
  }
  return all;
}

std::optional<Symbol> symbol_of(const Document& document, const Analysis& analysis, NameRef ref) {
  std::shared_ptr<const Names> names = ref ? analysis.names_of(ref.file) : nullptr;
  if (!names) return std::nullopt;
  const bool here = ref.file == Analysis::kMain;
  const SourceRange where = (*names)[ref.index].where;
  return Symbol{std::move(names), ref, here ? document.path : std::string(analysis.sources.path(ref.file)), where};
}

std::optional<Symbol> symbol_at(const Document& document, const Sight& sight, std::uint32_t offset) {
  if (!sight || !sight->names) return std::nullopt;
  const std::optional<std::uint32_t> at = sight.to_analysis(offset);
  if (!at) return std::nullopt;
  SourceRange where;
  const NameRef ref = sight->names->at(*at, &where);
  std::optional<Symbol> symbol = symbol_of(document, *sight, ref);
  if (symbol) symbol->where = where;
  return symbol;
}

std::optional<Symbol> symbol_named(const Document& document, const Analysis& analysis, std::string_view name,
                                   std::uint32_t offset) {
  if (!analysis.names) return std::nullopt;
  const Names& names = *analysis.names;
  NameRef best = names.item(name);
  std::uint32_t least = 0xffffffff;
  for (std::size_t i = 0; i < names.declarations().size(); ++i) {
    const Declaration& each = names.declarations()[i];
    const bool part =
        each.kind == NameKind::field || each.kind == NameKind::enum_case || each.kind == NameKind::carried;
    if (part || each.name != name || offset < each.seen.begin || offset > each.seen.end) continue;
    const std::uint32_t size = each.seen.end - each.seen.begin;
    if (size > least) continue;
    least = size;
    best = {Analysis::kMain, static_cast<std::int32_t>(i)};
  }
  return symbol_of(document, analysis, best);
}

std::vector<SourceRange> declared_at(const Symbol& symbol) {
  const NameRef first = symbol.names->first(symbol.ref);
  std::vector<SourceRange> all{(*symbol.names)[first.index].where};
  for (const Declaration& each : symbol.names->declarations()) {
    if (each.same == first.index) all.push_back(each.where);
  }
  return all;
}

std::string signature(const Symbol& symbol, const Sources& sources) {
  const Declaration& of = *symbol;
  const std::string_view text = sources.text(of.where.file);
  switch (of.kind) {
    case NameKind::registers: {
      const auto* reg = std::get_if<const tree::RegisterDeclarator*>(&of.tree);
      const SourceRange where = of.where;
      std::uint32_t end = where.end;
      if (reg) {
        if ((*reg)->count) end = (*reg)->count->where.end + 1;
        if ((*reg)->range) end = (*reg)->range->where.end;
        if ((*reg)->step) end = (*reg)->step->where.end;
      }
      return fmt::format("{} {}", of.registers ? word_of(*of.registers) : "r",
                         text.substr(where.begin, end - where.begin));
    }
    case NameKind::enum_case: {
      const Declaration& parent = (*symbol.names)[of.parent];
      const auto* tree = std::get_if<const tree::EnumCase*>(&of.tree);
      std::string payload;
      for (std::size_t i = 0; tree && i < (*tree)->payload.size(); ++i) {
        const tree::Typed& each = (*tree)->payload[i];
        payload += fmt::format("{}{}: {}", i == 0 ? "" : ", ", each.name.text, sources.text(each.type.where));
      }
      return fmt::format("enum {}: {}{}", parent.name, of.name, payload.empty() ? "" : "(" + payload + ")");
    }
    case NameKind::field: {
      const Declaration& parent = (*symbol.names)[of.parent];
      if (const auto* typed = std::get_if<const tree::Typed*>(&of.tree))
        return fmt::format("struct {}: {}: {}", parent.name, of.name, sources.text((*typed)->type.where));
      return fmt::format("struct {}: {} {}", parent.name, of.registers ? word_of(*of.registers) : "regs", of.name);
    }
    case NameKind::parameter:
      if (const auto* typed = std::get_if<const tree::Typed*>(&of.tree))
        return fmt::format("{}: {}", of.name, sources.text((*typed)->type.where));
      break;
    case NameKind::global:
      if (const auto* global = std::get_if<const tree::GlobalParameter*>(&of.tree)) {
        const std::uint32_t end = (*global)->layout ? (*global)->layout->where.end : (*global)->tile.where.end;
        return std::string(text.substr(of.where.begin, end - of.where.begin));
      }
      break;
    case NameKind::end:
      if (const auto* end = std::get_if<const tree::End*>(&of.tree))
        return fmt::format("{}: {} {}", of.name, (*end)->producer ? "producer" : "consumer", (*end)->pipe.text);
      break;
    case NameKind::axis:
      return "axis " + of.name;
    case NameKind::counter:
      return "counter " + of.name;
    case NameKind::variable:
      return "for " + of.name;
    case NameKind::binding:
      return of.name;
    default:
      break;
  }
  return head_of(text, of.whole, of.where);
}

std::optional<Symbol> type_of(const Document& document, const Analysis& analysis, const Symbol& symbol) {
  const Declaration& of = *symbol;
  if (of.kind == NameKind::module || of.kind == NameKind::enumeration || of.kind == NameKind::structure ||
      of.kind == NameKind::end || of.kind == NameKind::pipe)
    return symbol;
  return symbol_of(document, analysis, of.type);
}

}  // namespace warpcc::lsp
