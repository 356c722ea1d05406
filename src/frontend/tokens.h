// Text to the parser's tokens, and what can be said before there is a parser: characters that are none of the
// language's, strings and comments left open, and everything that would make the parser or what comes after it recurse
// too deep.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "Token.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::frontend {

// Operators, suffixes, `else`s, and what else makes a tree deeper without a bracket, counted from the file's top to any
// one place.
constexpr int kLongestChain = 500;
// A token and its part of the trees take about two kilobytes.
constexpr std::size_t kMostTokens = 400'000;

using Token = std::unique_ptr<antlr4::Token>;

// A bracket without its other half, and what stands in the other's place. The parser may find something wrong before
// it, which then is what is said.
struct BracketError {
  char bracket = 0;
  SourceRange where;
  std::optional<char> instead;  // a closing bracket; else the file ends
  SourceRange found;            // where that is seen
  // The first `{` whose `}` stands further left than its line: another's, most likely.
  std::optional<SourceRange> suspect;
};
void report(const BracketError& error, Diagnostics& diagnostics);

struct Tokens {
  std::vector<Token> all;  // ends in EOF; after a wrong bracket there is nothing but EOF
  std::optional<BracketError> bracket_error;
};

// Nothing where an error was reported.
std::optional<Tokens> tokenize(FileId file, std::string_view text, Diagnostics& diagnostics);

SourceRange range_of(FileId file, const antlr4::Token& token);

}  // namespace warpcc::frontend
