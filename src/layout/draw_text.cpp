// Pictures as text.
#include <fmt/format.h>

#include <algorithm>

#include "layout/draw.h"

namespace warpcc::layout {
namespace {

// Of the 6 × 6 × 6 colours that terminals number from 16 on: light ones, a hue a group of four.
int terminal_colour(int colour) {
  constexpr int kHues[8][3] = {{5, 3, 3}, {5, 4, 2}, {5, 5, 2}, {3, 5, 3}, {2, 5, 5}, {3, 4, 5}, {4, 3, 5}, {5, 3, 5}};
  const int* hue = kHues[colour / 4];
  const auto shade = [&](int part) { return std::max(part - colour % 4 / 2, 0); };
  return 16 + 36 * shade(hue[0]) + 6 * shade(hue[1]) + shade(hue[2]);
}

void append_right(std::string& out, const std::string& word, std::size_t width) {
  out.append(width - std::min(width, word.size()), ' ');
  out += word;
}

std::size_t widest(const std::vector<std::string>& words) {
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  return width;
}

void append_grid(std::string& out, const Grid& grid, bool coloured) {
  const std::string corner = grid.row_word + "\\" + grid.column_word;
  const std::size_t head = std::max(widest(grid.row_names), corner.size());
  std::size_t width = widest(grid.column_names);
  for (const Cell& cell : grid.cells) width = std::max(width, cell.label.size());
  ++width;
  if (!grid.title.empty()) out += grid.title + "\n";
  append_right(out, corner, head);
  for (const std::string& name : grid.column_names) append_right(out, name, width);
  out += '\n';
  const std::size_t columns = grid.column_names.size();
  for (std::size_t row = 0; row < grid.row_names.size(); ++row) {
    append_right(out, grid.row_names[row], head);
    for (std::size_t column = 0; column < columns; ++column) {
      const Cell& cell = grid.cells[row * columns + column];
      if (!coloured || cell.colour < 0) {
        append_right(out, cell.label, width);
        continue;
      }
      out += ' ';
      out += fmt::format("\x1b[30;48;5;{}m", terminal_colour(cell.colour));
      append_right(out, cell.label, width - 1);
      out += "\x1b[0m";
    }
    // No blanks at a line's end.
    while (!coloured && out.back() == ' ') out.pop_back();
    out += '\n';
  }
}

}  // namespace

std::string text(const Picture& picture, bool coloured) {
  std::string out = picture.title + "\n";
  for (const std::string& note : picture.notes) out += note + "\n";
  for (const Grid& grid : picture.grids) append_grid(out, grid, coloured);
  return out;
}

}  // namespace warpcc::layout
