// `.wk` text as this project writes it.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc {

// The file's text, formatted; nothing where errors were reported. Formatted text stays as it is, and means what it did:
// its words and comments are the same, in the same order.
//
// What belongs to the structure is set: one item, member or statement a line, two blanks for each block it is in, the
// blanks between words. What is the author's is kept: short blocks on one line, breaks where a list or an expression
// may be broken, an empty line (of several one stays), and columns: words that more than one blank puts under or above
// words of the next line stay under each other, wherever they come to stand.
std::optional<std::string> format(FileId file, const Sources& sources, Diagnostics& diagnostics);

}  // namespace warpcc
