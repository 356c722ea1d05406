// Columns. A word that stands behind more than one blank, right under or above a word of the next line, is in a column
// with it; a column's words are set where the rightmost must stand. So a text in columns stays as it is, and one whose
// words have moved is in columns again.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "frontend/arrange.h"

namespace warpcc::frontend {
namespace {

using Kind = Piece::Kind;

class Aligner {
 public:
  Aligner(const std::vector<Piece>& pieces, const std::vector<Line>& lines)
      : pieces_(pieces), lines_(lines), blanks_(pieces.size()), column_of_(pieces.size()), line_of_(pieces.size()) {
    std::iota(column_of_.begin(), column_of_.end(), 0);
    for (std::size_t i = 0; i < pieces.size(); ++i) blanks_[i] = pieces[i].tight ? 0 : 1;
  }

  std::vector<std::size_t> run() {
    std::vector<std::size_t> above, here;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      here = movable(i);
      if (i > 0 && follows(lines_[i - 1], lines_[i])) link(above, here);
      members_.insert(members_.end(), here.begin(), here.end());
      above.swap(here);
    }
    place();
    return std::move(blanks_);
  }

 private:
  // The words that may be in columns: those that stood on the same line before, which began as it does now.
  std::vector<std::size_t> movable(std::size_t line) {
    const Line& on = lines_[line];
    const Piece& first = pieces_[on.first];
    std::vector<std::size_t> found;
    if (on.first > 0 && first.line_ends == 0) return found;
    for (std::size_t i = on.first + 1; i < on.end && pieces_[i].line == first.line; ++i) {
      line_of_[i] = line;
      if (!pieces_[i].tight && pieces_[i].blanks > 0) found.push_back(i);
    }
    return found;
  }

  bool follows(const Line& above, const Line& below) const {
    return below.row == above.row + 1 && pieces_[below.first].line == pieces_[above.first].line + 1;
  }

  bool padded(std::size_t piece) const { return pieces_[piece].blanks > 1; }
  bool ends_line(std::size_t piece) const { return pieces_[piece].kind == Kind::line_comment; }

  // Comments are in columns with comments, words with words of lines that begin as far left.
  bool are_alike(std::size_t upper, std::size_t lower) const {
    if (ends_line(upper) || ends_line(lower)) return ends_line(upper) && ends_line(lower);
    return lines_[line_of_[upper]].indent == lines_[line_of_[lower]].indent;
  }

  void link(const std::vector<std::size_t>& above, const std::vector<std::size_t>& below) {
    auto upper = above.begin();
    for (std::size_t lower : below) {
      while (upper != above.end() && pieces_[*upper].column < pieces_[lower].column) ++upper;
      if (upper == above.end()) return;
      bool under = pieces_[*upper].column == pieces_[lower].column && are_alike(*upper, lower);
      if (under && (padded(*upper) || padded(lower))) column_of_[find(lower)] = find(*upper);
    }
  }

  std::size_t find(std::size_t piece) {
    while (column_of_[piece] != piece) {
      column_of_[piece] = column_of_[column_of_[piece]];
      piece = column_of_[piece];
    }
    return piece;
  }

  // Columns from the left to the right: where a word must stand depends on those left of it alone.
  void place() {
    for (std::size_t member : members_) column_of_[member] = find(member);
    std::sort(members_.begin(), members_.end(), [&](std::size_t a, std::size_t b) {
      auto order = [&](std::size_t i) { return std::tuple(pieces_[i].column, column_of_[i], i); };
      return order(a) < order(b);
    });
    cursors_.assign(lines_.size(), std::nullopt);
    for (std::size_t i = 0; i < members_.size();) {
      std::size_t end = i;
      while (end < members_.size() && column_of_[members_[end]] == column_of_[members_[i]]) ++end;
      place(i, end);
      i = end;
    }
  }

  void place(std::size_t first, std::size_t end) {
    bool is_column = end - first > 1;
    if (!is_column && !ends_line(members_[first])) return;
    std::size_t wanted = 0;
    for (std::size_t i = first; i < end; ++i) wanted = std::max(wanted, wanted_by(members_[i]));
    for (std::size_t i = first; i < end; ++i) blanks_[members_[i]] = wanted - end_before(members_[i]);
  }

  // One blank behind what is before it; a comment at a line's end as far right as it stood.
  std::size_t wanted_by(std::size_t piece) {
    std::size_t nearest = end_before(piece) + 1;
    if (!ends_line(piece) || !padded(piece)) return nearest;
    const Line& line = lines_[line_of_[piece]];
    std::size_t stood = pieces_[piece].column + line.indent;
    std::size_t shift = pieces_[line.first].column;
    return std::max(nearest, stood > shift ? stood - shift : 0);
  }

  // Where the piece before it ends.
  std::size_t end_before(std::size_t piece) {
    const Line& line = lines_[line_of_[piece]];
    std::optional<Cursor>& cursor = cursors_[line_of_[piece]];
    if (!cursor) cursor = Cursor{line.first, line.indent + width(pieces_[line.first].text)};
    for (; cursor->piece + 1 < piece; ++cursor->piece)
      cursor->end += blanks_[cursor->piece + 1] + width(pieces_[cursor->piece + 1].text);
    return cursor->end;
  }

  struct Cursor {
    std::size_t piece;
    std::size_t end;
  };

  const std::vector<Piece>& pieces_;
  const std::vector<Line>& lines_;
  std::vector<std::size_t> blanks_;
  std::vector<std::size_t> column_of_;  // another word of the same column, or itself
  std::vector<std::size_t> line_of_;
  std::vector<std::size_t> members_;
  std::vector<std::optional<Cursor>> cursors_;
};

}  // namespace

std::vector<std::size_t> align(const std::vector<Piece>& pieces, const std::vector<Line>& lines) {
  return Aligner(pieces, lines).run();
}

}  // namespace warpcc::frontend
