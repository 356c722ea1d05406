// The words of the language that no text declares, in short: docs/language.md has the whole.
#pragma once

#include <string_view>

#include "llvm/ADT/ArrayRef.h"

namespace warpcc::lsp {

struct KnownWord {
  std::string_view name;
  std::string_view form;     // how it is written; empty: as its name
  std::string_view meaning;  // a phrase
};

llvm::ArrayRef<KnownWord> indices();    // coordinates that are there without being declared
llvm::ArrayRef<KnownWord> facts();      // what guards know
llvm::ArrayRef<KnownWord> functions();  // builtin functions, layouts and constants
llvm::ArrayRef<KnownWord> keywords();

// Null: none. What of it a place means may still be a name: `ring` and its like are words in one place alone.
const KnownWord* known_word(std::string_view name);

}  // namespace warpcc::lsp
