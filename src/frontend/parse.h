// Text to syntax tree.
#pragma once

#include <optional>

#include "frontend/tree.h"
#include "support/diagnostics.h"

namespace warpcc {

// Brackets may nest this deep; deeper input is refused before the parser sees it.
constexpr int kDeepestNesting = 200;

// The file's tree; nothing where errors were reported. Reports what is no token, nesting that is too deep, and the
// syntax errors, in words of the grammar ("a `;` is missing after …"), never ANTLR's.
std::optional<tree::File> parse(FileId file, const Sources& sources, Diagnostics& diagnostics);

}  // namespace warpcc
