#include "sass/cursor.h"

#include <algorithm>
#include <charconv>

namespace warpcc::sass {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c) || c == '@';
}

void Cursor::skip_spaces() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool Cursor::eat(char c) {
  std::size_t start = at_;
  skip_spaces();
  if (peek() == c && !done()) {
    ++at_;
    return true;
  }
  at_ = start;
  return false;
}

bool Cursor::eat(std::string_view characters) {
  std::size_t start = at_;
  skip_spaces();
  if (rest().starts_with(characters)) {
    at_ += characters.size();
    return true;
  }
  at_ = start;
  return false;
}

bool Cursor::eat_word(std::string_view word) {
  std::size_t start = at_;
  skip_spaces();
  if (name() == word) return true;
  at_ = start;
  return false;
}

bool Cursor::at_name() {
  skip_spaces();
  return is_name_start(peek());
}

std::string_view Cursor::name() {
  skip_spaces();
  std::size_t start = at_;
  if (!is_name_start(peek())) return {};
  while (is_name_part(peek())) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view Cursor::dotted() {
  skip_spaces();
  std::size_t start = at_;
  if (!is_name_start(peek())) return {};
  while (is_name_part(peek()) || (peek() == '.' && is_name_part(peek(1)))) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view Cursor::word() {
  skip_spaces();
  std::size_t start = at_;
  while (!done() && !is_space(peek())) ++at_;
  return text_.substr(start, at_ - start);
}

std::optional<std::int64_t> Cursor::number() {
  std::size_t start = at_;
  skip_spaces();
  bool negative = peek() == '-';
  if (negative) ++at_;
  int base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) base = 16, at_ += 2;
  std::uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), magnitude, base);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (error != std::errc{} || magnitude > kMost) {
    at_ = start;
    return std::nullopt;
  }
  at_ = static_cast<std::size_t>(end - text_.data());
  if (is_name_start(peek())) {  // 12ab is no number
    at_ = start;
    return std::nullopt;
  }
  auto value = static_cast<std::int64_t>(magnitude);
  return negative ? -value : value;
}

SourceRange Cursor::range_from(std::size_t position) const {
  auto begin = offset_ + static_cast<std::uint32_t>(std::min(position, text_.size()));
  auto end = offset_ + static_cast<std::uint32_t>(std::min(std::max(at_, position + 1), text_.size()));
  return {file_, begin, std::max(begin, end)};
}

SourceRange Cursor::here() const {
  Cursor copy = *this;
  copy.skip_spaces();
  std::size_t start = copy.at_;
  if (is_name_part(copy.peek())) {
    while (is_name_part(copy.peek())) ++copy.at_;
  }
  return copy.range_from(start);
}

}  // namespace warpcc::sass
