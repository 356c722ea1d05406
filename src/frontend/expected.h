// Which tokens could stand at a place.
#pragma once

#include <cstddef>
#include <set>

#include "Parser.h"

namespace warpcc::frontend {

// Where a parser is: a state of the grammar's automaton, in the rules that called each other to get there.
struct GrammarPlace {
  std::size_t state = 0;
  antlr4::RuleContext* rule = nullptr;  // none: at the start
};

// The types of all tokens that may stand at index `at`, read from `place`, which is before token `from`. The parser's
// own answer is what it wanted after it had chosen where to go on; this is what it could have chosen. Empty where it is
// too much work.
std::set<std::size_t> expected_tokens(antlr4::Parser& parser, GrammarPlace place, std::size_t from, std::size_t at);

}  // namespace warpcc::frontend
