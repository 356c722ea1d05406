#include "frontend/recovery.h"

#include <utility>
#include <vector>

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

// Statements that are a head and blocks of statements.
bool has_blocks(std::size_t type) {
  switch (type) {
    case P::LOOP:
    case P::WHEN:
    case P::ON:
    case P::FILL:
    case P::TAKE:
    case P::DRAIN:
    case P::TURN:
    case P::FOR:
    case P::IF:
      return true;
    default:
      return false;
  }
}

// Tokens from one to before another.
using Stretch = std::pair<std::size_t, std::size_t>;

void leave_out(Stretch range, antlr4::BufferedTokenStream& tokens) {
  for (std::size_t i = range.first; i < range.second; ++i)
    static_cast<antlr4::CommonToken*>(tokens.get(i))->setChannel(antlr4::Token::HIDDEN_CHANNEL);
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

  // The heads of a statement of which one has the error, its own or that of an `else`: from their first word to before
  // the block's bracket. None where no block follows.
  std::vector<Stretch> heads_of(std::size_t start, std::size_t found) const {
    std::vector<Stretch> heads;
    for (std::size_t brace = brace_from(start, found); type(brace) == P::LBRACE; brace = brace_from(start, start)) {
      heads.emplace_back(start, brace);
      start = past_block(brace);
      if (type(start) != P::ELSE) break;
    }
    return heads;
  }

 private:
  // The `{` that is open to nothing else, from `start` on and not before `found`; or what ends the search.
  std::size_t brace_from(std::size_t start, std::size_t found) const {
    int depth = 0;
    for (std::size_t i = start; type(i) != antlr4::Token::EOF; i = next(i)) {
      if (depth == 0 && i >= found && (type(i) == P::LBRACE || type(i) == P::SEMI)) return i;
      if (opens(type(i))) ++depth;
      if (closes(type(i)) && --depth < 0) return i;
    }
    return tokens_.size() - 1;
  }

  antlr4::Token* token(std::size_t i) const { return tokens_.get(i); }
  antlr4::BufferedTokenStream& tokens_;
};

}  // namespace

bool pass_over(const SyntaxError& error, antlr4::BufferedTokenStream& tokens) {
  const std::size_t found = error.found->getTokenIndex();
  std::size_t start = found;
  bool statement = false;
  const bool between = wants_statement(error.expected) || wants_member(error.expected) || wants_item(error.expected);
  for (const SyntaxError::Rule& rule : error.rules) {
    if (between) break;
    if (rule.index != P::RuleStatement && rule.index != P::RuleMember && rule.index != P::RuleItem) continue;
    start = rule.first->getTokenIndex();
    statement = rule.index == P::RuleStatement;
    break;
  }
  const Scan scan(tokens);
  if (scan.type(found) == antlr4::Token::EOF) return false;
  // A `;` in a head or between statements, with more behind it on its line, ends nothing.
  const bool stray = scan.type(found) == P::SEMI && !scan.begins_line(scan.next(found));
  if (statement && has_blocks(scan.type(start))) {
    std::vector<Stretch> heads = scan.heads_of(start, stray ? scan.next(found) : found);
    for (auto [first, brace] : heads) {
      static_cast<antlr4::CommonToken*>(tokens.get(first))->setType(P::LOOP);
      leave_out({first + 1, brace}, tokens);
    }
    if (!heads.empty()) return true;
  }
  if (scan.type(found) == P::DANGLING) {  // it ends its line, and the statement that is being typed
    leave_out({start, scan.next(found)}, tokens);
    return true;
  }
  const bool head = scan.type(start) == P::ROLE || scan.type(start) == P::PROC || scan.type(start) == P::KERNEL;
  const std::size_t from = stray && (head || between) ? scan.next(found) : found;
  leave_out({start, scan.end_of(start, from, error.expected.contains(P::SEMI))}, tokens);
  return true;
}

}  // namespace warpcc::frontend
