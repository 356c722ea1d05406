// After a syntax error: what is passed over, so that the rest can be read and its own errors told.
#pragma once

#include "BufferedTokenStream.h"
#include "frontend/complaint.h"

namespace warpcc::frontend {

// The parser will not see what cannot be read: the statement, member or item with the error, to its `;`, to the end of
// its last block, or to where the next one begins on a line of its own. Of a statement whose head is wrong the blocks
// stay, each that of a `loop`. Brackets are in pairs in the text. False where nothing would be gained.
bool pass_over(const SyntaxError& error, antlr4::BufferedTokenStream& tokens);

}  // namespace warpcc::frontend
