#include "frontend/arrange.h"

#include <algorithm>

namespace warpcc::frontend {
namespace {

using Bracket = Piece::Bracket;
using Kind = Piece::Kind;

constexpr std::size_t kStep = 2;

// Where lines end.
struct Breaks {
  std::vector<bool> before;
  std::vector<bool> broken;  // of an opening bracket: its contents have lines of their own
};

class Breaker {
 public:
  explicit Breaker(const std::vector<Piece>& pieces) : pieces_(pieces), ends_(pieces.size() + 1, 0) {
    for (std::size_t i = 0; i < pieces.size(); ++i) ends_[i + 1] = ends_[i] + (ended_before(i) ? 1 : 0);
  }

  Breaks run() {
    breaks_.before.assign(pieces_.size(), false);
    breaks_.broken.assign(pieces_.size(), false);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      breaks_.before[i] = i > 0 && breaks_before(i);
      see(i);
    }
    return std::move(breaks_);
  }

 private:
  bool ended_before(std::size_t i) const {
    return pieces_[i].line_ends > 0 || (i > 0 && pieces_[i - 1].kind == Kind::line_comment);
  }
  bool line_ended_within(std::size_t first, std::size_t end) const { return ends_[end] > ends_[first]; }

  void see(std::size_t i) {
    const Piece& piece = pieces_[i];
    if (piece.is_comment()) return;
    if (piece.closes) open_.pop_back();
    if (piece.opens != Bracket::none) {
      breaks_.broken[i] = is_broken(i);
      open_.push_back(i);
    }
  }

  // Brackets whose first line is empty are broken, blocks and lists in braces where there is any line's end in them.
  bool is_broken(std::size_t i) const {
    const Piece& open = pieces_[i];
    if (open.partner == i + 1) return false;
    if (open.opens != Bracket::group) return line_ended_within(i + 1, open.partner + 1);
    std::size_t word = i + 1;
    while (pieces_[word].is_comment()) ++word;
    return line_ended_within(i + 1, word + 1);
  }

  bool breaks_before(std::size_t i) const {
    const Piece& piece = pieces_[i];
    const Piece& before = pieces_[i - 1];
    bool is_element = piece.starts_element && (open_.empty() || breaks_.broken[open_.back()]);
    if (before.kind == Kind::line_comment) return true;
    if (piece.is_comment()) return piece.line_ends > 0;
    if (piece.closes && breaks_.broken[piece.partner]) return true;
    if (before.is_comment()) return piece.line_ends > 0 || (is_element && !comments_lead(i));
    if (piece.closes) return false;
    if (piece.goes_on) return piece.line_ends > 0 && !breaks_.broken[before.partner];
    bool in_braces = before.opens == Bracket::block || before.opens == Bracket::list;
    if (is_element || (in_braces && breaks_.broken[i - 1])) return true;
    return piece.line_ends > 0 && piece.may_break;
  }

  // Whether the comments right before a piece begin the line.
  bool comments_lead(std::size_t i) const {
    while (i > 0 && pieces_[i - 1].is_comment()) {
      --i;
      if (i == 0 || breaks_.before[i]) return true;
    }
    return false;
  }

  const std::vector<Piece>& pieces_;
  std::vector<std::size_t> ends_;  // pieces before this one with a line's end before them
  std::vector<std::size_t> open_;
  Breaks breaks_;
};

// Lines with their indentation.
class Indenter {
 public:
  Indenter(const std::vector<Piece>& pieces, const Breaks& breaks) : pieces_(pieces), breaks_(breaks) {}

  std::vector<Line> run() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i == 0 || breaks_.before[i]) start_line(i);
      see(i);
    }
    if (!lines_.empty()) lines_.back().end = pieces_.size();
    return std::move(lines_);
  }

 private:
  struct Level {
    Bracket bracket;
    bool broken;
    std::size_t outside;  // where its closing bracket stands
    std::size_t inside;
  };

  void start_line(std::size_t i) {
    std::size_t indent = indent_of(i);
    bool continues = !pieces_[i].is_comment() && continues_before(i);
    if (!lines_.empty()) {
      lines_.back().end = i;
      bool is_empty_line_kept = pieces_[i].line_ends > 1 && !pieces_[i].closes;
      row_ += is_empty_line_kept ? 2 : 1;
    }
    lines_.push_back({i, i, indent, continues, row_});
  }

  std::size_t indent_of(std::size_t i) const {
    if (pieces_[i].closes && levels_.back().broken) return levels_.back().outside;
    std::size_t word = i;  // a comment stands as what follows it
    while (word < pieces_.size() && pieces_[word].is_comment()) ++word;
    bool ends = word == pieces_.size() || pieces_[word].closes;
    bool is_within = !levels_.empty() && !levels_.back().broken;
    return inside() + (ends || is_within || !continues_before(word) ? 0 : kStep);
  }

  // Whether a word goes on with an element, or with one of a list.
  bool continues_before(std::size_t word) const {
    const Piece& piece = pieces_[word];
    if (piece.closes) return false;
    if (levels_.empty() || (levels_.back().bracket == Bracket::block && levels_.back().broken))
      return !piece.starts_element && !piece.goes_on;
    return !levels_.back().broken || (last_word_->opens == Bracket::none && !last_word_->comma);
  }

  std::size_t inside() const { return levels_.empty() ? 0 : levels_.back().inside; }

  void see(std::size_t i) {
    const Piece& piece = pieces_[i];
    if (piece.kind == Kind::block_comment)
      row_ += static_cast<std::size_t>(std::count(piece.text.begin(), piece.text.end(), '\n'));
    if (piece.is_comment()) return;
    last_word_ = &piece;
    if (piece.closes) levels_.pop_back();
    if (piece.opens == Bracket::none) return;
    // A block stands under the element that it is of, wherever that one's last line began.
    bool is_block = piece.opens == Bracket::block && breaks_.broken[i];
    std::size_t outside = is_block ? inside() : lines_.back().indent;
    levels_.push_back({piece.opens, breaks_.broken[i], outside, outside + kStep});
  }

  const std::vector<Piece>& pieces_;
  const Breaks& breaks_;
  std::vector<Level> levels_;
  const Piece* last_word_ = nullptr;
  std::vector<Line> lines_;
  std::size_t row_ = 0;
};

std::string_view without_trailing_blanks(std::string_view text) {
  std::size_t last = text.find_last_not_of(" \t\f");
  return text.substr(0, last + 1);
}

void append(std::string& out, const Piece& piece) {
  if (piece.kind == Kind::line_comment) {
    out += without_trailing_blanks(piece.text);
  } else if (piece.kind == Kind::block_comment) {
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
      if (piece.text.substr(i, 2) != "\r\n") out += piece.text[i];
    }
  } else {
    out += piece.text;
  }
}

}  // namespace

std::size_t width(std::string_view text) {
  std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::string arrange(const std::vector<Piece>& pieces) {
  Breaks breaks = Breaker(pieces).run();
  std::vector<Line> lines = Indenter(pieces, breaks).run();
  std::vector<std::size_t> blanks = align(pieces, lines);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const Piece& first = pieces[line.first];
    if (i > 0 && first.line_ends > 1 && !first.closes) out += '\n';
    for (std::size_t piece = line.first; piece < line.end; ++piece) {
      out.append(blanks[piece], ' ');
      append(out, pieces[piece]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace warpcc::frontend
