#include "lsp/context.h"

#include <algorithm>

namespace warpcc::lsp {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Open {
  char bracket = 0;
  std::uint32_t at = 0;
  Context::Block block = Context::Block::other;
  int commas = 0;               // since it opened
  std::uint32_t statement = 0;  // where the statement around it begins
};

// What a block holds that the words before its `{` begin.
Context::Block block_of(Context::Block around, std::string_view head) {
  using Block = Context::Block;
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  const std::size_t end = std::min(head.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin), head.size());
  const std::string_view word = head.substr(begin, end - begin);
  if (word == "kernel") return Block::members;
  if (word == "role" || word == "start" || word == "finish" || word == "proc") return Block::statements;
  if (word == "enum" || word == "tune" || word == "const" || word == "param" || word == "fn" || word == "let")
    return Block::other;
  if (word == "struct") return Block::statements;  // registers, where it has no fields
  if (word == "match") return Block::other;        // its arms: what they hold is what is around
  return around;
}

// The names of `a.b.c` that ends at a place, the last first removed where `whole` says so.
std::vector<std::string> chain_before(std::string_view text, std::uint32_t end) {
  std::vector<std::string> names;
  while (true) {
    // Coordinates of a view or arguments between the names: `acc[i].shape`.
    while (end > 0 && (text[end - 1] == ']' || text[end - 1] == ')')) {
      int depth = 0;
      while (end > 0) {
        const char c = text[--end];
        depth += (c == ']' || c == ')') - (c == '[' || c == '(');
        if (depth == 0) break;
      }
    }
    const Word word = word_at(text.substr(0, end), end);
    if (word.empty()) break;
    names.insert(names.begin(), std::string(text.substr(word.begin, word.end - word.begin)));
    if (word.begin == 0 || text[word.begin - 1] != '.') break;
    end = word.begin - 1;
  }
  return names;
}

class Scan {
 public:
  Scan(std::string_view text, std::uint32_t offset) : text_(text), end_(std::min<std::size_t>(offset, text.size())) {}

  Context run() {
    open_.push_back({0, 0, Context::Block::items, 0, 0});
    for (at_ = 0; at_ < end_; ++at_) step();
    Context made;
    made.in_comment = in_comment_;
    made.in_string = in_string_;
    made.block = open_.back().block;
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
      if (open->bracket != '{' && open->bracket != 0) continue;
      made.block = open->block;
      break;
    }
    made.statement = statement_;
    Word word = word_at(text_.substr(0, end_), static_cast<std::uint32_t>(end_));
    made.word = word.begin;
    made.after_dot = made.word > 0 && text_[made.word - 1] == '.' && (made.word < 2 || text_[made.word - 2] != '.');
    if (made.after_dot) made.chain = chain_before(text_, made.word - 1);
    std::uint32_t before = made.word;
    while (before > 0 && is_blank(text_[before - 1])) --before;
    made.after_guard = before > 0 && (text_[before - 1] == '@' ||
                                      (text_[before - 1] == '!' && before > 1 && text_[before - 2] == '@'));
    made.statement_starts = open_.back().bracket != '(' && open_.back().bracket != '[' &&
                            std::all_of(text_.begin() + statement_, text_.begin() + made.word, is_blank);
    calls(made);
    instruction(made);
    return made;
  }

 private:
  void step() {
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_, std::min<std::size_t>(2, end_ - at_));
    if (in_comment_) {
      if (line_comment_ ? c == '\n' : rest == "*/") {
        in_comment_ = false;
        if (!line_comment_) ++at_;
        if (blank_since_) statement_ = static_cast<std::uint32_t>(at_ + 1);
      }
      return;
    }
    if (in_string_) {
      if (c == '\\') ++at_;
      in_string_ = c != '"' && c != '\n';
      return;
    }
    if (rest == "//" || rest == "/*") {
      in_comment_ = true;
      line_comment_ = rest == "//";
      ++at_;
      return;
    }
    if (!is_blank(c)) blank_since_ = false;
    switch (c) {
      case '"':
        in_string_ = true;
        return;
      case '(':
      case '[':
        open_.push_back({c, static_cast<std::uint32_t>(at_), open_.back().block, 0, statement_});
        return;
      case '{': {
        const Context::Block around = open_.back().block;
        const std::string_view head = text_.substr(statement_, at_ - statement_);
        Context::Block block = block_of(around, head);
        if (around == Context::Block::other && head.find("=>") != std::string_view::npos) block = arms_hold();
        open_.push_back({c, static_cast<std::uint32_t>(at_), block, 0, statement_});
        return starts();
      }
      case '}':
        while (open_.size() > 1 && open_.back().bracket != '{') open_.pop_back();
        if (open_.size() > 1) open_.pop_back();
        return starts();
      case ')':
      case ']':
        if (open_.back().bracket == (c == ')' ? '(' : '[')) open_.pop_back();
        return;
      case ';':
        // A bracket that is left open ends with its statement.
        while (open_.size() > 1 && open_.back().bracket != '{') open_.pop_back();
        return starts();
      case ',':
        ++open_.back().commas;
        return;
      default:
        return;
    }
  }

  void starts() {
    statement_ = static_cast<std::uint32_t>(at_ + 1);
    open_.back().commas = 0;
    blank_since_ = true;
  }

  // What the arms of the innermost `match` hold: what is around it.
  Context::Block arms_hold() const {
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
      if (open->block != Context::Block::other) return open->block;
    }
    return Context::Block::items;
  }

  void calls(Context& made) const {
    for (auto open = open_.rbegin(); open != open_.rend() && open->bracket != '{' && open->bracket != 0; ++open) {
      if (open->bracket != '(') continue;
      std::vector<std::string> callee = chain_before(text_, open->at);
      if (callee.empty()) continue;
      const Word word = word_at(text_.substr(0, open->at), open->at);
      made.call = Context::Call{std::move(callee), word.begin, open->commas};
      return;
    }
  }

  void instruction(Context& made) const {
    if (made.block != Context::Block::statements) return;
    std::string_view head = text_.substr(statement_, end_ - statement_);
    std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
    if (begin < head.size() && head[begin] == '@') {
      if (begin + 1 < head.size() && head[begin + 1] == '(') {
        int depth = 0;
        for (++begin; begin < head.size(); ++begin) {
          depth += (head[begin] == '(') - (head[begin] == ')');
          if (depth == 0) break;
        }
        ++begin;
      } else {
        begin = std::min(head.find_first_of(" \t\r\n", begin), head.size());
      }
      begin = std::min(head.find_first_not_of(" \t\r\n", begin), head.size());
    }
    std::size_t end = begin;
    while (end < head.size() && (is_word(head[end]) || head[end] == '.')) ++end;
    if (end == begin || end == head.size() || !is_blank(head[end])) return;
    int operand = 0;
    for (const Open& open : open_) {
      if (open.bracket == '{' || open.bracket == 0) operand = open.commas;
    }
    made.instruction = Context::Instruction{std::string(head.substr(begin, end - begin)), operand};
  }

  std::string_view text_;
  std::size_t end_, at_ = 0;
  std::vector<Open> open_;
  std::uint32_t statement_ = 0;
  bool in_comment_ = false, line_comment_ = false, in_string_ = false, blank_since_ = true;
};

}  // namespace

Context context_at(std::string_view text, std::uint32_t offset) {
  return Scan(text, offset).run();
}

}  // namespace warpcc::lsp
