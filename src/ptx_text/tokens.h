// The words of PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace warpcc::ptx_text {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    name,       // `WAIT`, `%r1`, `%tid.x` is three
    directive,  // `.entry`, with its dot; `.x` behind a name is one too
    integer,
    real,  // f32 bits, or f64 bits where `wide`
    string,
    mark,  // one character
    unknown,
  };
  Kind kind = Kind::end;
  bool wide = false;
  bool apart = false;  // blanks or comments stand before it
  std::uint32_t begin = 0, end = 0;
  std::int64_t value = 0;

  bool is(char mark, std::string_view text) const { return kind == Kind::mark && text[begin] == mark; }
};

// A word as a complaint quotes it: names of kernels are of hundreds of characters.
std::string shortened(std::string_view text);

class Tokens {
 public:
  Tokens(FileId file, std::string_view text) : file_(file), text_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token take() {
    Token token = token_;
    advance();
    return token;
  }
  std::string_view text(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  SourceRange range(const Token& token) const { return {file_, token.begin, token.end}; }
  bool at(char mark) const { return token_.is(mark, text_); }
  bool at_word(std::string_view word) const {
    return (token_.kind == Token::Kind::name || token_.kind == Token::Kind::directive) && text(token_) == word;
  }
  bool eat(char mark) {
    if (!at(mark)) return false;
    advance();
    return true;
  }
  bool eat_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  // The word here with all its modifiers: `tcgen05.mma.cta_group::1.kind::f16`.
  Token take_opcode();
  // Where the last token taken ends.
  std::uint32_t last_end() const { return last_end_; }
  // Behind the next `;`, or before the next `}` or the end.
  void skip_statement();
  // Behind the end of the line where the last token was.
  void skip_line();

 private:
  void advance();
  void skip_blanks();
  void number();

  FileId file_;
  std::string_view text_;
  std::uint32_t at_ = 0;
  std::uint32_t last_end_ = 0;
  Token token_;
};

}  // namespace warpcc::ptx_text
