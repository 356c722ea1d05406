#include "frontend/tokens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "CommonToken.h"
#include "WkLexer.h"
#include "frontend/bytes.h"
#include "frontend/parse.h"

namespace warpcc::frontend {
namespace {

constexpr Message<std::string> unknown_character{"unknown-character", "{} is no character of the language"};
constexpr Message<> hash{
    "unknown-character",
    "`#` is no character of the language: a comment begins with `//`; `const` names a value, `use` takes in a file"};
constexpr Message<> string_open{"string-open", "this string is not closed: a `\"` is missing on its line"};
constexpr Message<> comment_open{"comment-open", "this comment is not closed: a `*/` is missing"};
constexpr Message<char> bracket_unopened{"bracket", "this `{}` closes nothing"};
constexpr Message<char, char> bracket_unclosed{"bracket", "this `{}` is not closed: its `{}` is missing"};
constexpr Message<int> too_deep{"too-deep", "brackets nest more than {} deep here"};
constexpr Message<int> too_long{
    "too-long",
    "this chain of operators, suffixes or `else`s has more than {} links: name a part of it, or use `match`"};
constexpr Message<std::size_t> too_many{"too-many", "this file has more than {} words: split it with `use`"};

bool is_name(std::size_t type) {
  return type == WkLexer::NAME || (type >= WkLexer::R && type <= WkLexer::PHYSICAL);
}

bool is_word(std::size_t type) {
  return is_name(type) || (type >= WkLexer::USE && type <= WkLexer::CONSUMER);
}

// Words of the grammar behind which an expression stands, which may begin with a parenthesis.
bool takes_expression(std::size_t type) {
  switch (type) {
    case WkLexer::OF:
    case WkLexer::REGISTERS:
    case WkLexer::WARP:
    case WkLexer::WARPS:
    case WkLexer::WARPGROUP:
    case WkLexer::WARPGROUPS:
      return true;
    default:
      return false;
  }
}

// Whether the tree becomes one deeper behind this token without a bracket.
bool links(std::size_t type) {
  switch (type) {
    case WkLexer::DOT:
    case WkLexer::COLON:
    case WkLexer::AT:
    case WkLexer::IS:
    case WkLexer::IF:
    case WkLexer::ELSE:
    case WkLexer::MATCH:
      return true;
    default:
      return type >= WkLexer::OROR && type <= WkLexer::NOT;
  }
}

bool opens(std::size_t type) {
  return type == WkLexer::LPAREN || type == WkLexer::CALL_OPEN || type == WkLexer::LBRACKET || type == WkLexer::LBRACE;
}

bool closes(std::size_t type) {
  return type == WkLexer::RPAREN || type == WkLexer::RBRACKET || type == WkLexer::RBRACE;
}

char character(std::size_t bracket) {
  switch (bracket) {
    case WkLexer::LBRACE:
      return '{';
    case WkLexer::RBRACE:
      return '}';
    case WkLexer::LBRACKET:
      return '[';
    case WkLexer::RBRACKET:
      return ']';
    case WkLexer::RPAREN:
      return ')';
    default:
      return '(';
  }
}

char other_half(char open) {
  return open == '{' ? '}' : open == '[' ? ']' : ')';
}

// How deep the tree can be at the token that was seen last: an upper bound from brackets and chains alone.
class Depth {
 public:
  struct Level {
    char bracket = 0;
    SourceRange where;
    int links = 0;
  };

  void see(std::size_t type, SourceRange where) {
    // A statement or an item ends with its block's bracket, unless it goes on.
    if (block_closed_ && type != WkLexer::ELSE && type != WkLexer::LBRACE) start_again();
    block_closed_ = false;
    if (opens(type)) {
      link();
      levels_.push_back({character(type), where, 0});
    } else if (closes(type)) {
      total_ -= levels_.back().links;
      levels_.pop_back();
      block_closed_ = type == WkLexer::RBRACE;
    } else if (type == WkLexer::SEMI || type == WkLexer::COMMA || type == WkLexer::FAT_ARROW) {
      start_again();
    } else if (links(type)) {
      link();
    }
  }
  bool nested() const { return levels_.size() > 1; }
  const Level& innermost() const { return levels_.back(); }
  bool too_deep() const { return levels_.size() > kDeepestNesting + 1; }
  bool too_long() const { return total_ > kLongestChain; }

 private:
  void link() {
    ++levels_.back().links;
    ++total_;
  }
  void start_again() {
    total_ -= levels_.back().links;
    levels_.back().links = 0;
  }

  std::vector<Level> levels_ = {{}};
  int total_ = 0;
  bool block_closed_ = false;
};

// What a line begins with, up to a place on it.
struct Margin {
  std::size_t blanks = 0;
  bool all = false;  // nothing else stands before the place
};
std::optional<Margin> margin(std::string_view text, std::size_t at) {
  constexpr std::size_t kWidestLine = 300;
  std::size_t begin = at;
  while (begin > 0 && text[begin - 1] != '\n') {
    if (at - begin > kWidestLine) return std::nullopt;
    --begin;
  }
  std::size_t end = begin;
  while (end < at && text[end] == ' ') ++end;
  return Margin{end - begin, end == at};
}

std::uint32_t character_length(char first) {
  auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

class Tokenizer {
 public:
  Tokenizer(FileId file, std::string_view text, Diagnostics& diagnostics)
      : file_(file), text_(text), diagnostics_(diagnostics), stream_(text), lexer_(&stream_) {
    lexer_.removeErrorListeners();
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) stream_.seek(kByteOrderMark.size());
  }

  std::optional<Tokens> run() {
    Tokens tokens;
    while (true) {
      Token token = lexer_.nextToken();
      if (!accept(*token)) return std::nullopt;
      if (is_structure(*token)) mark_dangling(tokens.all, *token);
      if (!tokens.bracket_error && is_structure(*token)) tokens.bracket_error = check_bracket(*token);
      bool last = token->getType() == antlr4::Token::EOF;
      if (tokens.bracket_error && !last) token = end_at(*token);
      mark_call(tokens.all, *token);
      if (!tokens.bracket_error && is_structure(*token) && !measure(*token)) return std::nullopt;
      tokens.all.push_back(std::move(token));
      if (last || tokens.bracket_error) return tokens;
      if (tokens.all.size() > kMostTokens) {
        diagnostics_.error(range_of(file_, *tokens.all.back()), too_many, kMostTokens);
        return std::nullopt;
      }
    }
  }

 private:
  static bool is_structure(const antlr4::Token& token) { return token.getType() != WkLexer::DOC; }

  bool accept(const antlr4::Token& token) {
    SourceRange where = range_of(file_, token);
    switch (token.getType()) {
      case WkLexer::UNKNOWN:
        report_unknown(where.begin);
        return false;
      case WkLexer::UNTERMINATED_STRING:
        diagnostics_.error({file_, where.begin, where.begin + 1}, string_open);
        return false;
      case WkLexer::UNTERMINATED_COMMENT:
        diagnostics_.error({file_, where.begin, where.begin + 2}, comment_open);
        return false;
      default:
        return true;
    }
  }

  void report_unknown(std::uint32_t at) {
    auto byte = static_cast<unsigned char>(text_[at]);
    std::string_view character = text_.substr(at, character_length(text_[at]));
    if (character == "#") {
      diagnostics_.error({file_, at, at + 1}, hash);
      return;
    }
    bool printable = byte >= 0x20 && byte != 0x7f;
    diagnostics_.error({file_, at, static_cast<std::uint32_t>(at + character.size())}, unknown_character,
                       printable ? fmt::format("`{}`", character) : fmt::format("the byte 0x{:02x}", byte));
  }

  std::optional<BracketError> check_bracket(const antlr4::Token& token) {
    std::size_t type = token.getType();
    SourceRange where = range_of(file_, token);
    const Depth::Level& open = depth_.innermost();
    if (closes(type)) {
      char close = character(type);
      if (!depth_.nested()) return BracketError{close, where, close, where, std::nullopt};
      if (other_half(open.bracket) != close) return BracketError{open.bracket, open.where, close, where, suspect_};
      if (close == '}' && !suspect_) suspect(open.where, where.begin);
    } else if (type == antlr4::Token::EOF && depth_.nested()) {
      return BracketError{open.bracket, open.where, std::nullopt, where, suspect_};
    }
    return std::nullopt;
  }

  void suspect(SourceRange open, std::size_t close) {
    std::optional<Margin> opened = margin(text_, open.begin);
    std::optional<Margin> closed = margin(text_, close);
    if (opened && closed && closed->all && closed->blanks < opened->blanks) suspect_ = open;
  }

  // The end of the input in a token's place.
  static Token end_at(const antlr4::Token& token) {
    std::size_t at = token.getStartIndex();
    return std::make_unique<antlr4::CommonToken>(std::pair<antlr4::TokenSource*, antlr4::CharStream*>{nullptr, nullptr},
                                                 antlr4::Token::EOF, antlr4::Token::DEFAULT_CHANNEL, at, at - 1);
  }

  // What ends its line and must not.
  static void mark_dangling(const std::vector<Token>& before, const antlr4::Token& next) {
    const auto last =
        std::find_if(before.rbegin(), before.rend(), [](const Token& each) { return is_structure(*each); });
    if (last == before.rend() || (*last)->getLine() == next.getLine()) return;
    if ((*last)->getType() == WkLexer::DOT || (*last)->getType() == WkLexer::GUARD)
      static_cast<antlr4::CommonToken&>(**last).setType(WkLexer::DANGLING);
  }

  // A call has its parenthesis right after the name.
  void mark_call(const std::vector<Token>& before, antlr4::Token& token) {
    if (token.getType() != WkLexer::LPAREN || before.empty()) return;
    const antlr4::Token& name = *before.back();
    if (name.getStopIndex() + 1 != token.getStartIndex()) return;
    bool member = before.size() > 1 && before[before.size() - 2]->getType() == WkLexer::DOT;
    bool called = member ? is_word(name.getType()) : is_name(name.getType()) && !takes_expression(name.getType());
    if (called) static_cast<antlr4::CommonToken&>(token).setType(WkLexer::CALL_OPEN);
  }

  bool measure(const antlr4::Token& token) {
    SourceRange where = range_of(file_, token);
    depth_.see(token.getType(), where);
    if (depth_.too_deep()) {
      diagnostics_.error(where, too_deep, kDeepestNesting);
    } else if (depth_.too_long()) {
      diagnostics_.error(where, too_long, kLongestChain);
    } else {
      return true;
    }
    return false;
  }

  FileId file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  ByteStream stream_;
  WkLexer lexer_;
  Depth depth_;
  std::optional<SourceRange> suspect_;
};

}  // namespace

std::optional<Tokens> tokenize(FileId file, std::string_view text, Diagnostics& diagnostics) {
  return Tokenizer(file, text, diagnostics).run();
}

void report(const BracketError& error, Diagnostics& diagnostics) {
  if (error.where == error.found) {
    diagnostics.error(error.where, bracket_unopened, error.bracket);
    return;
  }
  Diagnostic& said = diagnostics.error(error.where, bracket_unclosed, error.bracket, other_half(error.bracket));
  if (error.instead) said.note(error.found, fmt::format("a `{}` stands here", *error.instead));
  if (error.suspect && *error.suspect != error.where) {
    said.note(*error.suspect, "or the `}` of this one is missing: what closes it stands further left");
  }
}

SourceRange range_of(FileId file, const antlr4::Token& token) {
  auto begin = static_cast<std::uint32_t>(token.getStartIndex());
  if (token.getType() == antlr4::Token::EOF) return {file, begin, begin};
  return {file, begin, static_cast<std::uint32_t>(token.getStopIndex() + 1)};
}

}  // namespace warpcc::frontend
