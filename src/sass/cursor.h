// A place in a stretch of text, and the small words that SASS text is made of. Every method leaves the cursor where it
// was when what it looks for is not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/source.h"

namespace warpcc::sass {

class Cursor {
 public:
  // `text` lies in the file from `offset` on.
  Cursor(FileId file, std::string_view text, std::uint32_t offset) : file_(file), text_(text), offset_(offset) {}

  bool done() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view rest() const { return text_.substr(at_); }
  void skip_spaces();
  void advance(std::size_t count) { at_ += count; }

  // After spaces: this character, these characters, this whole word.
  bool eat(char c);
  bool eat(std::string_view characters);
  bool eat_word(std::string_view word);
  // After spaces: whether a name begins here.
  bool at_name();

  // A name: letters, digits, `_`, `@`; empty where none begins.
  std::string_view name();
  // The same with dots inside: `w.row`, `addr.lo`, `SYNCS.EXCH.64`.
  std::string_view dotted();
  // Up to the next blank.
  std::string_view word();
  // Decimal or hexadecimal, with a sign. None, with the cursor unmoved, where there is none or it exceeds 64 bits.
  std::optional<std::int64_t> number();

  std::size_t position() const { return at_; }
  void rewind(std::size_t position) { at_ = position; }
  // From a position to here; at least one character.
  SourceRange range_from(std::size_t position) const;
  SourceRange here() const;  // the word that begins here
  std::string_view text(SourceRange range) const {
    return text_.substr(range.begin - offset_, range.end - range.begin);
  }
  SourceRange whole() const { return {file_, offset_, offset_ + static_cast<std::uint32_t>(text_.size())}; }

 private:
  FileId file_;
  std::string_view text_;
  std::uint32_t offset_;
  std::size_t at_ = 0;
};

bool is_name_start(char c);
bool is_name_part(char c);
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace warpcc::sass
