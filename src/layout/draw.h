// Pictures of layouts: a tile as it lies in memory, coloured by bank, a fragment by the threads that hold it, an access
// of a warp in the banks that it touches. As text and as SVG; docs/layouts.md shows some.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/banks.h"
#include "layout/element.h"
#include "layout/layout.h"

namespace warpcc::layout {

// A cell's colour is one of so many: eight hues of four shades.
constexpr int kColours = 32;

struct Cell {
  std::string label;
  std::string says;  // the whole of it, where the label is short
  int colour = -1;   // 0 .. kColours; below 0: none
};

// A table of cells, rows first.
struct Grid {
  std::string title;
  std::string row_word, column_word;  // what the rows and the columns count
  std::vector<std::string> row_names, column_names;
  std::vector<Cell> cells;
};

struct Legend {
  int colour = 0;
  std::string word;
};
struct Picture {
  std::string title;
  std::vector<std::string> notes;  // lines below the title
  std::vector<Grid> grids;
  std::vector<Legend> legend;
};

// The most cells of a picture: with more, nobody reads them.
constexpr std::int64_t kMostCells = 1 << 15;

// What memory a tile lies in: what its addresses are, and what its colours mean.
enum class Memory : std::uint8_t { shared, tensor, global };

// Where the elements of a tile lie. In shared and global memory cells show the element's number from the tile's start,
// swizzle applied, and are coloured by bank; in tensor memory they show lane and column, coloured by the warp that
// reaches the lane. Of more than 1,024 elements neighbours are drawn together, 16 bytes or a word, where they lie so.
// Coordinates before the last two are grids of their own. Fails, in words for the user, where it would have too many
// cells.
llvm::Expected<Picture> picture_of(const Physical& layout, Element element, Memory memory);

// Which thread and value holds each element of a tile of `shape`, first coordinate fastest.
llvm::Expected<Picture> picture_of(const ThreadValue& layout, std::span<const std::int64_t> shape, Element element);

// The lines of 128 bytes that a warp's access touches, a column a bank: which lane wants what.
Picture picture_of(LaneAddresses lanes, int lane_bytes);

// Tables of the labels; with `coloured`, as terminals show colours.
std::string text(const Picture& picture, bool coloured = false);
std::string svg(std::span<const Picture> pictures);

}  // namespace warpcc::layout
