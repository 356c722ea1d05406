// Columns. Where more than one blank is before a word, and it stands right under or above a word of the next line, both
// are in a column. A column stands where it stood, or as far right of that as one of its words must; so a text in
// columns stays as it is, and one whose words have moved is in columns again.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "frontend/arrange.h"

namespace warpcc::frontend {
namespace {

// How a piece can be in a column.
enum class Edge : std::uint8_t {
  none,     // only as what the first word of the next line stands under
  left,     // words: by their beginnings
  right,    // numbers of a list: by their ends
  first,    // the first word of a line that goes on with what the line before began: under one of its words
  comment,  // at a line's end, with others of its kind
};

class Aligner {
 public:
  Aligner(const std::vector<Piece>& pieces, const std::vector<Line>& lines)
      : pieces_(pieces),
        lines_(lines),
        blanks_(pieces.size()),
        column_of_(pieces.size()),
        line_of_(pieces.size()),
        edges_(pieces.size(), Edge::none) {
    std::iota(column_of_.begin(), column_of_.end(), 0);
    for (std::size_t i = 0; i < pieces.size(); ++i) blanks_[i] = fewest(i);
    for (const Line& line : lines) blanks_[line.first] = line.indent;
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
  std::size_t fewest(std::size_t piece) const { return pieces_[piece].tight ? 0 : 1; }
  bool is_first(std::size_t piece) const { return lines_[line_of_[piece]].first == piece; }
  bool is_padded(std::size_t piece) const {
    return edges_[piece] == Edge::first || (edges_[piece] != Edge::none && pieces_[piece].blanks > fewest(piece));
  }

  // What may be in columns: pieces that stood on the same line before, which began as it does now.
  std::vector<std::size_t> movable(std::size_t line) {
    const Line& on = lines_[line];
    const Piece& first = pieces_[on.first];
    std::vector<std::size_t> found;
    if (on.first > 0 && first.line_ends == 0) return found;
    for (std::size_t i = on.first; i < on.end && pieces_[i].line == first.line; ++i) {
      line_of_[i] = line;
      edges_[i] = i == on.first ? (on.continues ? Edge::first : Edge::none) : edge_of(pieces_[i]);
      if (i > on.first || on.continues) found.push_back(i);
    }
    return found;
  }

  static Edge edge_of(const Piece& piece) {
    if (piece.kind == Piece::Kind::line_comment) return Edge::comment;
    if (piece.in_number_list) return piece.tight || piece.blanks > 0 ? Edge::right : Edge::none;
    return !piece.tight && piece.blanks > 0 ? Edge::left : Edge::none;
  }

  bool follows(const Line& above, const Line& below) const {
    return below.row == above.row + 1 && pieces_[below.first].line == pieces_[above.first].line + 1;
  }

  // What is to be the same of a column's pieces, where they stood.
  std::size_t key(std::size_t piece) const {
    std::size_t begin = pieces_[piece].column;
    return edges_[piece] == Edge::right ? begin + width(pieces_[piece].text) - 1 : begin;
  }

  bool are_alike(std::size_t upper, std::size_t lower) const {
    if (edges_[lower] == Edge::first) return edges_[upper] != Edge::right && edges_[upper] != Edge::comment;
    if (edges_[upper] != edges_[lower] || edges_[lower] == Edge::none) return false;
    const Line& line = lines_[line_of_[lower]];
    return edges_[lower] == Edge::comment || line.continues || lines_[line_of_[upper]].indent == line.indent;
  }

  void link(const std::vector<std::size_t>& above, const std::vector<std::size_t>& below) {
    auto upper = above.begin();
    for (std::size_t lower : below) {
      while (upper != above.end() && key(*upper) < key(lower)) ++upper;
      if (upper == above.end()) return;
      bool are_under = key(*upper) == key(lower) && are_alike(*upper, lower);
      if (are_under && (is_padded(*upper) || is_padded(lower))) column_of_[find(lower)] = find(*upper);
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
      return std::tuple(key(a), column_of_[a], a) < std::tuple(key(b), column_of_[b], b);
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
    if (!is_column && edges_[members_[first]] != Edge::comment) return;
    auto begins_line = [&](std::size_t piece) { return edges_[piece] == Edge::first; };
    if (std::all_of(&members_[first], &members_[0] + end, begins_line)) return;
    std::size_t wanted = 0;
    for (std::size_t i = first; i < end; ++i) wanted = std::max(wanted, wanted_by(members_[i]));
    for (std::size_t i = first; i < end; ++i) {
      std::size_t piece = members_[i];
      blanks_[piece] = wanted - reach(piece) - end_before(piece);
    }
  }

  // From a piece's beginning to where the column counts.
  std::size_t reach(std::size_t piece) const { return edges_[piece] == Edge::right ? width(pieces_[piece].text) : 0; }

  // As near as it may stand to what is before it, and where more blanks were there, not left of where it stood.
  std::size_t wanted_by(std::size_t piece) {
    if (edges_[piece] == Edge::first) return 0;  // where the other one wants it
    std::size_t nearest = end_before(piece) + fewest(piece);
    if (!is_padded(piece)) return nearest + reach(piece);
    std::size_t first = lines_[line_of_[piece]].first;
    std::size_t stood = pieces_[piece].column - pieces_[first].column + blanks_[first];
    return std::max(nearest, stood) + reach(piece);
  }

  // Where the piece before it ends.
  std::size_t end_before(std::size_t piece) {
    if (is_first(piece)) return 0;
    std::size_t first = lines_[line_of_[piece]].first;
    std::optional<Cursor>& cursor = cursors_[line_of_[piece]];
    if (!cursor) cursor = Cursor{first, blanks_[first] + width(pieces_[first].text)};
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
  std::vector<std::size_t> column_of_;  // another piece of the same column, or itself
  std::vector<std::size_t> line_of_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> members_;
  std::vector<std::optional<Cursor>> cursors_;
};

}  // namespace

std::vector<std::size_t> align(const std::vector<Piece>& pieces, const std::vector<Line>& lines) {
  return Aligner(pieces, lines).run();
}

}  // namespace warpcc::frontend
