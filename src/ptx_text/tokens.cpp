#include "ptx_text/tokens.h"

#include <bit>
#include <charconv>

namespace warpcc::ptx_text {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool in_name(char c) {
  return (begins_name(c) && c != '%') || is_digit(c);
}

}  // namespace

std::string shortened(std::string_view text) {
  return text.size() > 40 ? std::string(text.substr(0, 37)) + "..." : std::string(text);
}

void Tokens::skip_blanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      std::size_t end = text_.find('\n', at_);
      at_ = static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end);
    } else if (text_.substr(at_, 2) == "/*") {
      std::size_t end = text_.find("*/", at_ + 2);
      at_ = static_cast<std::uint32_t>(end == std::string_view::npos ? text_.size() : end + 2);
    } else {
      break;
    }
  }
}

void Tokens::advance() {
  last_end_ = token_.end;
  std::uint32_t before = at_;
  skip_blanks();
  token_ = {};
  token_.apart = at_ != before;
  token_.begin = token_.end = at_;
  if (at_ >= text_.size()) return;
  char c = text_[at_];
  if (begins_name(c)) {
    token_.kind = Token::Kind::name;
    do {
      ++at_;
    } while (at_ < text_.size() && in_name(text_[at_]));
  } else if (c == '.' && at_ + 1 < text_.size() && in_name(text_[at_ + 1])) {
    token_.kind = Token::Kind::directive;
    do {
      ++at_;
    } while (at_ < text_.size() && in_name(text_[at_]));
  } else if (is_digit(c)) {
    number();
  } else if (c == '"') {
    token_.kind = Token::Kind::unknown;
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '"') {
        token_.kind = Token::Kind::string;
        ++at_;
        break;
      }
    }
  } else {
    token_.kind = static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 127 ? Token::Kind::mark
                                                                                             : Token::Kind::unknown;
    ++at_;
  }
  token_.end = at_;
}

// PTX ISA, "Constants": decimal, hexadecimal, octal and binary integers with a `U`, reals as bits (`0f3F800000`,
// `0d…`) or in decimal, which are of 64 bits.
void Tokens::number() {
  token_.kind = Token::Kind::unknown;
  std::uint32_t end = at_;
  while (end < text_.size() &&
         (in_name(text_[end]) || (text_[end] == '.' && end + 1 < text_.size() && is_digit(text_[end + 1])))) {
    char c = text_[end];
    ++end;
    bool exponent = (c == 'e' || c == 'E') && text_.substr(at_, 2) != "0x" && text_.substr(at_, 2) != "0X" &&
                    end < text_.size() && (text_[end] == '+' || text_[end] == '-') &&
                    text_.substr(at_, end - at_).find('.') != std::string_view::npos;
    if (exponent) ++end;
  }
  std::string_view word = text_.substr(at_, end - at_);
  at_ = end;

  auto whole = [&](std::string_view digits, int base) {
    std::uint64_t value = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size()) return false;
    token_.value = static_cast<std::int64_t>(value);
    return true;
  };
  auto begins = [&](char low) { return word.size() > 2 && word[0] == '0' && (word[1] | 0x20) == low; };
  if ((begins('f') && word.size() == 10) || (begins('d') && word.size() == 18)) {
    if (!whole(word.substr(2), 16)) return;
    token_.kind = Token::Kind::real;
    token_.wide = word.size() == 18;
    return;
  }
  if (word.find('.') != std::string_view::npos) {
    double value = 0;
    auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stop != word.data() + word.size()) return;
    token_.kind = Token::Kind::real;
    token_.wide = true;
    token_.value = std::bit_cast<std::int64_t>(value);
    return;
  }
  std::string_view digits = word;
  if (digits.back() == 'U' || digits.back() == 'u') digits.remove_suffix(1);
  bool good = begins('x')                             ? whole(digits.substr(2), 16)
              : begins('b')                           ? whole(digits.substr(2), 2)
              : digits.size() > 1 && digits[0] == '0' ? whole(digits.substr(1), 8)
                                                      : whole(digits, 10);
  if (good) token_.kind = Token::Kind::integer;
}

Token Tokens::take_opcode() {
  std::uint32_t end = token_.begin;
  while (end < text_.size()) {
    char c = text_[end];
    if (in_name(c) || c == '.') {
      ++end;
    } else if (text_.substr(end, 2) == "::") {
      end += 2;
    } else {
      break;
    }
  }
  Token opcode = token_;
  opcode.end = end;
  token_ = opcode;
  at_ = end;
  advance();
  return opcode;
}

void Tokens::skip_statement() {
  while (token_.kind != Token::Kind::end && !at('}')) {
    if (eat(';')) return;
    advance();
  }
}

void Tokens::skip_line() {
  std::size_t end = text_.find('\n', last_end_);
  if (end == std::string_view::npos) end = text_.size();
  while (token_.kind != Token::Kind::end && token_.begin < end) advance();
}

}  // namespace warpcc::ptx_text
