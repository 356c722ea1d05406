#include "frontend/complaint.h"

#include <algorithm>

namespace warpcc::frontend {
namespace {

constexpr Message<std::string> syntax{"syntax", "{}"};

}  // namespace

void StopAtFirst::reportError(antlr4::Parser*, const antlr4::RecognitionException&) {}

void StopAtFirst::recover(antlr4::Parser* parser, std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const antlr4::NoViableAltException& none) {
    stop(parser, none.getOffendingToken(), none.getStartToken() == none.getOffendingToken());
  } catch (const antlr4::RecognitionException& other) {
    stop(parser, other.getOffendingToken(), true);
  }
}

antlr4::Token* StopAtFirst::recoverInline(antlr4::Parser* parser) {
  stop(parser, parser->getCurrentToken(), true);
}

void StopAtFirst::stop(antlr4::Parser* parser, antlr4::Token* found, bool known) {
  if (!error_) {
    SyntaxError error;
    error.found = found;
    std::size_t at = found->getTokenIndex();
    antlr4::TokenStream* tokens = parser->getTokenStream();
    for (; at > 0 && !error.before; --at) {
      antlr4::Token* token = tokens->get(at - 1);
      if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) error.before = token;
    }
    for (antlr4::RuleContext* rule = parser->getContext(); rule;
         rule = static_cast<antlr4::RuleContext*>(rule->parent)) {
      error.rules.push_back(rule->getRuleIndex());
    }
    if (known) error.expected = parser->getExpectedTokens();
    error_ = std::move(error);
  }
  throw Stopped{};
}

void report(const SyntaxError& error, FileId file, std::string_view text, Diagnostics& diagnostics) {
  auto begin = static_cast<std::uint32_t>(error.found->getStartIndex());
  diagnostics.error({file, begin, begin + 1}, syntax, "unexpected");
}

}  // namespace warpcc::frontend
