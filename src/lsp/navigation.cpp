// Where a name is declared and used: definition, references, highlights, rename.
#include <fmt/format.h>

#include <algorithm>

#include "llvm/Support/Path.h"
#include "lsp/requests.h"
#include "lsp/symbols.h"
#include "lsp/words.h"

namespace warpcc::lsp {
namespace {

struct Occurrence {
  std::string uri;
  SourceRange where;
  json::Value range;
  bool writes = false, declares = false;
};

// Whether a declaration, as a file of `source` sees it, is the one that is asked for.
bool is(const Source& source, NameRef ref, const Symbol& wanted, std::uint32_t wanted_begin) {
  const std::shared_ptr<const Names> names = source.analysis->names_of(ref.file);
  if (!names) return false;
  const std::string path =
      ref.file == Analysis::kMain ? source.document->path : std::string(source.analysis->sources.path(ref.file));
  return path == wanted.path && (*names)[names->first(ref).index].where.begin == wanted_begin;
}

std::vector<Occurrence> occurrences(const Request& request, const Symbol& symbol) {
  std::vector<Occurrence> all;
  const std::uint32_t begin = (*symbol.names)[symbol.names->first(symbol.ref).index].where.begin;
  for (const Source& source : all_sources(request.documents)) {
    const Sight sight(*source.document, source.analysis);
    auto add = [&](SourceRange where, bool writes, bool declares) {
      if (std::optional<json::Value> range = sight.range(where))
        all.push_back({source.uri, where, std::move(*range), writes, declares});
    };
    const std::vector<Declaration>& declarations = source.names->declarations();
    for (std::size_t i = 0; i < declarations.size(); ++i) {
      if (is(source, {source.names->file(), static_cast<std::int32_t>(i)}, symbol, begin))
        add(declarations[i].where, true, true);
    }
    for (const NameUse& use : source.names->uses()) {
      if (is(source, use.of, symbol, begin)) add(use.where, use.writes, false);
    }
  }
  return all;
}

bool is_identifier(llvm::StringRef name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_word) && !(name[0] >= '0' && name[0] <= '9');
}

bool is_reserved(llvm::StringRef name) {
  // docs/language.md, section 16; and the four kinds, which no statement may be called.
  static constexpr llvm::StringLiteral kWords[] = {
      "use",    "as",     "param",  "const", "require", "tune",  "when",     "fn",      "enum",  "struct",
      "proc",   "kernel", "let",    "if",    "else",    "match", "for",      "in",      "by",    "loop",
      "break",  "on",     "fill",   "take",  "drain",   "turn",  "is",       "true",    "false", "regs",
      "shared", "tensor", "global", "pipe",  "barrier", "role",  "producer", "consumer"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// Why a name cannot be changed; nothing where it can.
std::optional<std::string> keeps_name(const Request& request, const Symbol& symbol) {
  if (symbol->kind == NameKind::module && !std::get<const tree::Use*>(symbol->tree)->as)
    return "a module is called as its file is; `use \"…\" as NAME` gives it another name";
  if (symbol->kind == NameKind::carried) return "the tile is called as the pipe's buffer is";
  if (symbol->kind != NameKind::shared && symbol->kind != NameKind::tensor) return std::nullopt;
  for (const Source& source : all_sources(request.documents)) {
    for (const Declaration& each : source.names->declarations()) {
      if (each.kind == NameKind::carried && each.name == symbol->name)
        return fmt::format("procs in `{}` ask for a tile of this name", llvm::sys::path::filename(source.path).str());
    }
  }
  return std::nullopt;
}

std::optional<Symbol> asked_for(const Request& request, Sight& sight) {
  sight = Sight(request.document, request.document.parsed);
  return symbol_at(request.document, sight, request.offset);
}

}  // namespace

Answer definition(const Request& request) {
  Sight sight(request.document, nullptr);
  const std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return nullptr;
  json::Array all;
  auto add = [&](SourceRange where) {
    if (std::optional<json::Value> at = sight.location(where)) all.push_back(std::move(*at));
  };
  const std::optional<FileId> module = symbol->ref.file == Analysis::kMain ? (*symbol)->module : std::nullopt;
  if (module) {
    add({*module, 0, 0});  // a module is its file
  } else {
    for (const SourceRange where : declared_at(*symbol)) add(where);
  }
  return json::Value(std::move(all));
}

// Of an end its pipe; of what else has a type with a name, an enum or a struct, that.
Answer type_definition(const Request& request) {
  Sight sight(request.document, nullptr);
  std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return nullptr;
  if (const auto* end = std::get_if<const tree::End*>(&(*symbol)->tree)) {
    symbol = symbol_of(request.document, *sight, symbol->names->at((*end)->pipe.where.begin));
  } else {
    symbol = type_of(request.document, *sight, *symbol);
  }
  if (!symbol) return nullptr;
  std::optional<json::Value> at = sight.location((*symbol)->where);
  return at ? json::Value(json::Array{std::move(*at)}) : json::Value(nullptr);
}

// The paths of `use`, to the files that they name.
Answer document_links(const Request& request) {
  const Sight sight(request.document, request.document.parsed);
  json::Array all;
  if (!sight || !sight->names) return json::Value(std::move(all));
  for (const Declaration& each : sight->names->declarations()) {
    const auto* use = std::get_if<const tree::Use*>(&each.tree);
    if (!use || !each.module) continue;
    const SourceRange quoted = (*use)->path_where;
    std::optional<json::Value> range = sight.range({quoted.file, quoted.begin + 1, quoted.end - 1});
    if (!range) continue;
    all.push_back(json::Object{{"range", std::move(*range)}, {"target", uri_of(sight->sources.path(*each.module))}});
  }
  return json::Value(std::move(all));
}

Answer references(const Request& request) {
  Sight sight(request.document, nullptr);
  const std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return nullptr;
  const json::Object* context = request.params.getObject("context");
  const bool declarations = !context || context->getBoolean("includeDeclaration").value_or(true);
  json::Array all;
  for (Occurrence& each : occurrences(request, *symbol)) {
    if (each.declares && !declarations) continue;
    all.push_back(json::Object{{"uri", each.uri}, {"range", std::move(each.range)}});
  }
  return json::Value(std::move(all));
}

Answer highlights(const Request& request) {
  Sight sight(request.document, nullptr);
  const std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return nullptr;
  json::Array all;
  constexpr int kRead = 2, kWrite = 3;
  for (Occurrence& each : occurrences(request, *symbol)) {
    if (each.uri != request.document.uri) continue;
    all.push_back(json::Object{{"range", std::move(each.range)}, {"kind", each.writes ? kWrite : kRead}});
  }
  return json::Value(std::move(all));
}

Answer prepare_rename(const Request& request) {
  Sight sight(request.document, nullptr);
  const std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return nullptr;
  if (std::optional<std::string> why = keeps_name(request, *symbol)) return failed(std::move(*why));
  std::optional<json::Value> range = sight.range(symbol->where);
  if (!range) return nullptr;
  return json::Object{{"range", std::move(*range)}, {"placeholder", (*symbol)->name}};
}

Answer rename(const Request& request) {
  const std::optional<llvm::StringRef> name = request.params.getString("newName");
  if (!name || !is_identifier(*name)) return failed("a name is letters, digits and `_`, and begins with no digit");
  if (is_reserved(*name)) return failed(fmt::format("`{}` is reserved", name->str()));
  Sight sight(request.document, nullptr);
  const std::optional<Symbol> symbol = asked_for(request, sight);
  if (!symbol) return failed("there is no name here");
  if (std::optional<std::string> why = keeps_name(request, *symbol)) return failed(std::move(*why));
  if (!sight.same()) return failed("the text has a syntax error: mend it first");
  for (const Declaration& other : symbol->names->declarations()) {
    const bool meets = other.seen.begin <= (*symbol)->seen.end && (*symbol)->seen.begin <= other.seen.end;
    if (other.name == *name && meets && other.parent == (*symbol)->parent)
      return failed(fmt::format("`{}` is declared already", name->str()));
  }
  json::Object changes;
  for (Occurrence& each : occurrences(request, *symbol)) {
    json::Value& edits = changes.try_emplace(each.uri, json::Array{}).first->second;
    edits.getAsArray()->push_back(json::Object{{"range", std::move(each.range)}, {"newText", *name}});
  }
  return json::Object{{"changes", std::move(changes)}};
}

}  // namespace warpcc::lsp
