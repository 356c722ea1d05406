// A text as ANTLR's lexer reads it.
#pragma once

#include <string>
#include <string_view>

#include "CharStream.h"

namespace warpcc::frontend {

// A stream of bytes, not of code points, so that the indices of tokens are those of SourceRange. All bytes of
// characters that are not ASCII read as DEL: the lexer need not tell them apart, and its automaton has fast edges for
// ASCII only.
class ByteStream final : public antlr4::CharStream {
 public:
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++index_; }
  std::size_t LA(ssize_t i) override {
    std::size_t at = index_ + static_cast<std::size_t>(i) - (i > 0 ? 1 : 0);
    if (i == 0 || at >= text_.size()) return IntStream::EOF;
    auto byte = static_cast<unsigned char>(text_[at]);
    return byte < 0x80 ? byte : 0x7f;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return index_; }
  void seek(std::size_t index) override { index_ = index; }
  std::size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& interval) override {
    auto begin = static_cast<std::size_t>(interval.a);
    return std::string(text_.substr(begin, static_cast<std::size_t>(interval.b) + 1 - begin));
  }
  std::string toString() const override { return std::string(text_); }

 private:
  std::string_view text_;
  std::size_t index_ = 0;
};

}  // namespace warpcc::frontend
