// After a syntax error: what is left out, so that the rest can be read and its own errors told.
#pragma once

#include <cstddef>
#include <utility>

#include "BufferedTokenStream.h"
#include "frontend/complaint.h"

namespace warpcc::frontend {

// The tokens, from one to before another, of the statement, member or item that cannot be read: to its `;`, to the end
// of its last block, or to where the next one begins on a line of its own. Brackets are in pairs. Empty where nothing
// would be gained.
std::pair<std::size_t, std::size_t> unreadable(const SyntaxError& error, antlr4::BufferedTokenStream& tokens);

// The parser passes over them from now on.
void leave_out(std::pair<std::size_t, std::size_t> range, antlr4::BufferedTokenStream& tokens);

}  // namespace warpcc::frontend
