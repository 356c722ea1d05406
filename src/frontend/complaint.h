// The first syntax error, in words of the grammar.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "DefaultErrorStrategy.h"
#include "frontend/build.h"
#include "support/diagnostics.h"

namespace warpcc::frontend {

// Where the parser stopped.
struct SyntaxError {
  antlr4::Token* before = nullptr;     // the last token that was taken, or null
  antlr4::Token* found = nullptr;      // the first that fits nowhere
  std::vector<std::size_t> rules;      // those that were being read, innermost first
  antlr4::misc::IntervalSet expected;  // tokens that would have fitted; empty where that is not known
};

// Thrown through the parser, and caught beside it.
struct Stopped {};

// Stops at the first error and keeps it.
class StopAtFirst final : public antlr4::DefaultErrorStrategy {
 public:
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) override;
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override {}

  const std::optional<SyntaxError>& error() const { return error_; }

 private:
  [[noreturn]] void stop(antlr4::Parser* parser, antlr4::Token* found, bool known);

  std::optional<SyntaxError> error_;
};

void report(const SyntaxError& error, FileId file, std::string_view text, Diagnostics& diagnostics);

}  // namespace warpcc::frontend
