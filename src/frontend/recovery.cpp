#include "frontend/recovery.h"

#include "CommonToken.h"
#include "WkParser.h"
#include "frontend/words.h"

namespace warpcc::frontend {
namespace {

using P = WkParser;

bool opens(std::size_t type) {
  return type == P::LBRACE || type == P::LBRACKET || type == P::LPAREN || type == P::CALL_OPEN;
}
bool closes(std::size_t type) {
  return type == P::RBRACE || type == P::RBRACKET || type == P::RPAREN;
}

// What one of a list of things begins with: statements, members, items.
bool begins_one(std::size_t type) {
  switch (type) {
    case P::SHARED:
    case P::TENSOR:
    case P::PIPE:
    case P::BARRIER:
    case P::ROLE:
    case P::USE:
    case P::PARAM:
    case P::TUNE:
    case P::FN:
    case P::ENUM:
    case P::STRUCT:
    case P::PROC:
    case P::KERNEL:
      return true;
    default:
      return begins_statement(type);
  }
}

class Scan {
 public:
  explicit Scan(antlr4::BufferedTokenStream& tokens) : tokens_(tokens) {}

  bool is_read(std::size_t i) const { return token(i)->getChannel() == antlr4::Token::DEFAULT_CHANNEL; }
  std::size_t type(std::size_t i) const { return token(i)->getType(); }
  std::size_t next(std::size_t i) const {
    do ++i;
    while (i < tokens_.size() && !is_read(i));
    return i;
  }
  bool begins_line(std::size_t i) const {
    for (std::size_t before = i; before-- > 0;) {
      if (is_read(before)) return token(before)->getLine() != token(i)->getLine();
    }
    return true;
  }

  // Past the block that begins behind `i`: what an `else` brings along.
  std::size_t past_block(std::size_t i) const {
    int depth = 0;
    for (; type(i) != antlr4::Token::EOF; i = next(i)) {
      if (opens(type(i))) ++depth;
      if (closes(type(i)) && --depth == 0 && type(i) == P::RBRACE) return next(i);
      if (depth < 0) return i;
    }
    return i;
  }

  // Where the thing that begins at `start`, and has an error at `found`, comes to its end.
  std::size_t end_of(std::size_t start, std::size_t found, bool wants_semicolon) const {
    int depth = 0;
    for (std::size_t i = start; type(i) != antlr4::Token::EOF; i = next(i)) {
      const bool behind = i >= found && i > start;
      if (depth == 0 && behind && begins_line(i) && (begins_one(type(i)) || (i == found && wants_semicolon))) return i;
      if (opens(type(i))) ++depth;
      if (closes(type(i)) && --depth < 0) return i;
      if (depth > 0 || i < found) continue;
      if (type(i) == P::SEMI) return next(i);
      if (type(i) != P::RBRACE) continue;
      std::size_t end = next(i);
      while (type(end) == P::ELSE) end = past_block(next(end));
      if (type(end) == P::SEMI && !begins_line(end)) end = next(end);
      return end;
    }
    return tokens_.size() - 1;
  }

 private:
  antlr4::Token* token(std::size_t i) const { return tokens_.get(i); }
  antlr4::BufferedTokenStream& tokens_;
};

}  // namespace

std::pair<std::size_t, std::size_t> unreadable(const SyntaxError& error, antlr4::BufferedTokenStream& tokens) {
  const std::size_t found = error.found->getTokenIndex();
  std::size_t start = found;
  const bool between = wants_statement(error.expected) || wants_member(error.expected) || wants_item(error.expected);
  for (const SyntaxError::Rule& rule : error.rules) {
    if (between) break;
    if (rule.index != P::RuleStatement && rule.index != P::RuleMember && rule.index != P::RuleItem) continue;
    start = rule.first->getTokenIndex();
    break;
  }
  const Scan scan(tokens);
  if (scan.type(found) == antlr4::Token::EOF) return {found, found};
  return {start, scan.end_of(start, found, error.expected.contains(P::SEMI))};
}

void leave_out(std::pair<std::size_t, std::size_t> range, antlr4::BufferedTokenStream& tokens) {
  for (std::size_t i = range.first; i < range.second; ++i)
    static_cast<antlr4::CommonToken*>(tokens.get(i))->setChannel(antlr4::Token::HIDDEN_CHANNEL);
}

}  // namespace warpcc::frontend
