// A syntax error, in words of the grammar.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "DefaultErrorStrategy.h"
#include "frontend/build.h"
#include "frontend/expected.h"
#include "support/diagnostics.h"

namespace warpcc::frontend {

// Where the parser stopped.
struct SyntaxError {
  struct Rule {
    std::size_t index = 0;
    antlr4::Token* first = nullptr;
  };
  antlr4::Token* before = nullptr;   // the last token that fits, or null
  antlr4::Token* found = nullptr;    // the first that does not
  antlr4::Token* above = nullptr;    // the last token on an earlier line, or null
  std::vector<antlr4::Token*> line;  // those between it and what is found
  std::vector<Rule> rules;           // those that were being read, innermost first
  std::set<std::size_t> expected;    // types of tokens that would have fitted
  const antlr4::dfa::Vocabulary* vocabulary = nullptr;
};

// Thrown through the parser, and caught beside it.
struct Stopped {};

// Stops at the first error and keeps it.
class StopAtFirst final : public antlr4::DefaultErrorStrategy {
 public:
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
  void reportMatch(antlr4::Parser* parser) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;

  const std::optional<SyntaxError>& error() const { return error_; }

 private:
  [[noreturn]] void stop(antlr4::Parser& parser, antlr4::Token* found);

  struct Match {
    GrammarPlace before;
    std::size_t token = 0;
  };
  // The last ones: more than the tokens that the parser looks ahead to choose a way that may turn out wrong.
  std::deque<Match> matches_;
  std::optional<SyntaxError> error_;
};

// False where what stands behind it may be wrong for the same reason.
bool report(const SyntaxError& error, FileId file, std::string_view text, Diagnostics& diagnostics);

}  // namespace warpcc::frontend
