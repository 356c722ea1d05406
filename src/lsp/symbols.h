// Names as an editor asks for them: of a place in a document, in all files that are known.
#pragma once

#include <string>
#include <vector>

#include "lsp/names.h"
#include "lsp/server.h"

namespace warpcc::lsp {

// A declaration with the file that it stands in.
struct Symbol {
  std::shared_ptr<const Names> names;
  NameRef ref;
  std::string path;   // of its file
  SourceRange where;  // where it was asked for, in the analysis
  const Declaration& operator*() const { return (*names)[ref.index]; }
  const Declaration* operator->() const { return &**this; }
};

// What is seen of one file: through the document that holds it, or through one that uses it.
struct Source {
  const Document* document = nullptr;
  std::shared_ptr<const Analysis> analysis;
  std::shared_ptr<const Names> names;
  std::string uri, path;
};
// Each file once: the documents, then what they use.
std::vector<Source> all_sources(const Documents& documents);

// What the name at a place of the document stands for.
std::optional<Symbol> symbol_at(const Document& document, const Sight& sight, std::uint32_t offset);
// The declaration itself, in an analysis of the document.
std::optional<Symbol> symbol_of(const Document& document, const Analysis& analysis, NameRef ref);
// The innermost declaration of this name that can be seen from a place of the main file; its items last.
std::optional<Symbol> symbol_named(const Document& document, const Analysis& analysis, std::string_view name,
                                   std::uint32_t offset);
// What of it is declared: in several branches, more than one.
std::vector<SourceRange> declared_at(const Symbol& symbol);

// One line that says how it is declared.
std::string signature(const Symbol& symbol, const Sources& sources);

// A declaration whose parts a value of it has: of a bundle its struct, of an end itself; for what follows a `.`.
std::optional<Symbol> type_of(const Document& document, const Analysis& analysis, const Symbol& symbol);

}  // namespace warpcc::lsp
