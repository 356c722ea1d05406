// Instructions in words: their operands, as completion and signature help show them.
#pragma once

#include <string>
#include <vector>

#include "isa/isa.h"
#include "lsp/names.h"

namespace warpcc::lsp {

// `ur! , ur | imm`: each operand on its own, in the language's words.
std::vector<std::string> operand_words(const isa::Statement& statement);
std::string operands_text(const isa::Statement& statement);
// What it is, in a sentence or two: who executes it, on which targets, which SASS it becomes.
std::string instruction_doc(const isa::Statement& statement);
// The word with its operands to be filled in, in the syntax of snippets.
std::string snippet(const isa::Statement& statement);

// Whether an operand of this kind may be what this declares.
bool takes(isa::Takes takes, const Declaration& declaration);

}  // namespace warpcc::lsp
