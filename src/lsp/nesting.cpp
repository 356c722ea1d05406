#include "lsp/nesting.h"

#include <algorithm>

#include "lsp/words.h"

namespace warpcc::lsp {
namespace {

class Scan {
 public:
  Scan(std::string_view text, std::uint32_t place)
      : text_(text), size_(static_cast<std::uint32_t>(text.size())), place_(std::min(place, size_)) {}

  Nesting run() {
    open_.emplace_back();
    while (at_ < size_) {
      if (const std::uint32_t end = blank_end(at_); end > at_) {
        literal({at_, end});
        at_ = end;
      } else {
        step();
      }
    }
    while (!open_.empty()) close(size_, size_);
    return std::move(made_);
  }

 private:
  struct Open {
    char bracket = 0;
    std::uint32_t at = 0;
    std::optional<std::uint32_t> statement, part;  // where they begin
    std::optional<Span> in_statement, in_part;     // that the place is in
  };

  // Behind the blanks or the comment that begins here.
  std::uint32_t blank_end(std::uint32_t at) const {
    const std::string_view two = text_.substr(at, 2);
    if (two == "//") return static_cast<std::uint32_t>(std::min<std::size_t>(text_.find('\n', at), size_));
    if (two == "/*") {
      const std::size_t end = text_.find("*/", at + 2);
      return end == std::string_view::npos ? size_ : static_cast<std::uint32_t>(end + 2);
    }
    const std::size_t end = text_.find_first_not_of(" \t\r\n\f", at);
    return end == std::string_view::npos ? size_ : static_cast<std::uint32_t>(end);
  }

  std::uint32_t string_end(std::uint32_t at) const {
    for (++at; at < size_ && text_[at] != '\n'; ++at) {
      if (text_[at] == '"') return at + 1;
      if (text_[at] == '\\') ++at;
    }
    return std::min(at, size_);
  }

  void literal(Span span) {
    const char first = text_[span.begin];
    if ((first == '/' || first == '"') && span.begin < place_ && place_ < span.end) made_.literal = span;
  }

  void step() {
    const char c = text_[at_];
    if (c == ',') {
      part_ends();
      ++at_;
      return;
    }
    if (c == ')' || c == ']') {
      if (open_.back().bracket == (c == ')' ? '(' : '[')) close(at_, at_ + 1);
      ends_ = ++at_;
      return;
    }
    if (c == '}') {
      close_parentheses();
      part_ends();
      statement_ends();
      if (open_.size() > 1) close(at_, at_ + 1);
      ends_ = ++at_;
      if (!goes_on(at_)) statement_ends();
      return;
    }
    if (c == ';') {  // a bracket that is left open ends with its statement
      close_parentheses();
      part_ends();
      ends_ = ++at_;
      statement_ends();
      return;
    }
    Open& in = open_.back();
    if (!in.statement) in.statement = at_;
    if (!in.part) in.part = at_;
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back({c, at_, {}, {}, {}, {}});
      ends_ = ++at_;
      return;
    }
    const std::uint32_t begin = at_;
    at_ = c == '"' ? string_end(at_) : at_ + 1;
    literal({begin, at_});
    ends_ = at_;
  }

  // Whether what stands behind a block still belongs to its statement: `else`, or more of an expression.
  bool goes_on(std::uint32_t at) const {
    for (std::uint32_t end = blank_end(at); end > at && end < size_; end = blank_end(at)) at = end;
    if (at >= size_ || text_[at] == '@' || text_[at] == '}') return false;
    if (!is_word(text_[at])) return true;
    const Word word = word_at(text_, at);
    return text_.substr(word.begin, word.end - word.begin) == "else";
  }

  void part_ends() { take(open_.back().part, open_.back().in_part); }
  void statement_ends() {
    open_.back().part.reset();
    take(open_.back().statement, open_.back().in_statement);
  }
  void take(std::optional<std::uint32_t>& begin, std::optional<Span>& found) {
    if (begin && Span{*begin, ends_}.has(place_)) found = Span{*begin, ends_};
    begin.reset();
  }

  void close_parentheses() {
    while (open_.back().bracket == '(' || open_.back().bracket == '[') close(at_, at_);
  }

  void close(std::uint32_t inside_end, std::uint32_t end) {
    part_ends();
    statement_ends();
    const Open& open = open_.back();
    const Span inside{open.bracket == 0 ? 0 : open.at + 1, inside_end};
    if (inside.has(place_)) {
      const bool statements = open.bracket == '{' || open.bracket == 0;
      made_.levels.push_back(
          {open.bracket, {open.at, end}, inside, statements ? open.in_statement : std::nullopt, open.in_part});
    }
    open_.pop_back();
  }

  std::string_view text_;
  std::uint32_t size_, place_;
  std::uint32_t at_ = 0;
  std::uint32_t ends_ = 0;  // behind the last that is neither blank nor comment
  std::vector<Open> open_;
  Nesting made_;
};

}  // namespace

Nesting nesting_at(std::string_view text, std::uint32_t place) {
  return Scan(text, place).run();
}

}  // namespace warpcc::lsp
