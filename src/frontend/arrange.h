// Words and comments on lines: the formatter's second half, which knows pieces of text and no grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpcc::frontend {

// A word or a comment, with what was between it and the piece before.
struct Piece {
  enum class Kind : std::uint8_t { word, line_comment, block_comment };
  // A `block` holds elements, each on a line of its own; a `list` holds a list or one expression in braces; `group` is
  // any other bracket.
  enum class Bracket : std::uint8_t { none, group, list, block };

  std::string_view text;
  Kind kind = Kind::word;
  Bracket opens = Bracket::none;
  bool closes = false;
  std::size_t partner = 0;  // of a bracket: the other one's index

  // From the grammar.
  bool starts_element = false;  // an item, a member, a statement, an arm
  bool goes_on = false;         // an `else` behind a block
  bool may_break = false;       // a line's end that the author put before it stays
  bool tight = false;           // no blank before it
  bool comma = false;
  bool in_number_list = false;  // a number in parentheses: such stand with their ends under each other

  // From the text as it was. Lines and columns count from 0, columns in characters.
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t line_ends = 0;  // before it
  std::size_t blanks = 0;     // before it, where nothing but blanks is there

  bool is_comment() const { return kind != Kind::word; }
};

std::string arrange(const std::vector<Piece>& pieces);

// Where the pieces of a line stand.
struct Line {
  std::size_t first = 0;  // pieces
  std::size_t end = 0;
  std::size_t indent = 0;
  bool continues = false;  // what the line before began
  std::size_t row = 0;
};

// How many blanks stand before each piece: the indentation, one or none, or what keeps columns.
std::vector<std::size_t> align(const std::vector<Piece>& pieces, const std::vector<Line>& lines);

// In characters, of its last line.
std::size_t width(std::string_view text);

}  // namespace warpcc::frontend
