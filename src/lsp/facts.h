// What is worth saying of a part of a kernel, in Markdown.
#pragma once

#include <string>

#include "lsp/analysis.h"

namespace warpcc::lsp {

// What a name means: its kind, its values, and what the compiler derived of what it stands for.
std::string facts_of(const Analysis& analysis, const sema::Meaning& meaning);

// How a barrier's counts come about: arrivals, and bytes where there are some.
std::string signal_facts(const kernel::Signal& signal);

// `f32[32, 64]`
std::string tile_text(layout::Element element, const std::vector<std::int64_t>& shape);

// The lines that the statement at this place has become, as SASS and as PTX; empty where there are none.
std::string lines_of_statement(const Analysis& analysis, FileId file, std::uint32_t offset);
// The statement with lines of the program that the place is in: the innermost.
std::optional<SourceRange> statement_at(const Analysis& analysis, FileId file, std::uint32_t offset);

}  // namespace warpcc::lsp
