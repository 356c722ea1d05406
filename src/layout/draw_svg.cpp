// Pictures as SVG (W3C, Scalable Vector Graphics 1.1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "layout/draw.h"

namespace warpcc::layout {
namespace {

constexpr int kLetter = 7, kRow = 18, kMargin = 12, kLine = 18;
// A grid of more rows goes on beside itself.
constexpr std::size_t kPanelRows = 64;

std::string escaped(const std::string& words) {
  std::string out;
  for (const char c : words) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// Eight hues of four shades, light enough for black letters.
std::string colour_code(int colour) {
  constexpr int kHues[8][3] = {{255, 120, 110}, {255, 180, 90},  {245, 225, 80},  {135, 215, 115},
                               {95, 215, 205},  {115, 170, 250}, {175, 140, 250}, {245, 140, 205}};
  const int* hue = kHues[colour / 4];
  const auto shade = [&](int part) { return part + (255 - part) * (colour % 4) / 5; };
  return fmt::format("#{:02x}{:02x}{:02x}", shade(hue[0]), shade(hue[1]), shade(hue[2]));
}

struct Extent {
  int width = 0, height = 0;
};

class Drawing {
 public:
  Extent picture(const Picture& picture, int top) {
    int y = top + kMargin, width = 0;
    const auto line = [&](const std::string& words, const char* look) {
      y += kLine;
      words_at(kMargin, y - 5, words, look);
      width = std::max(width, kMargin + static_cast<int>(words.size()) * 8);
    };
    line(picture.title, "title");
    for (const std::string& note : picture.notes) line(note, "note");
    for (const Grid& grid : picture.grids) {
      if (!grid.title.empty()) line(grid.title, "note");
      const Extent extent = this->grid(grid, y + 6);
      width = std::max(width, extent.width);
      y += 6 + extent.height;
    }
    if (!picture.legend.empty()) {
      int x = kMargin;
      y += 10;
      for (const Legend& legend : picture.legend) {
        rectangle(x, y, 14, 14, legend.colour);
        words_at(x + 19, y + 11, legend.word, "note");
        x += 30 + static_cast<int>(legend.word.size()) * kLetter;
        width = std::max(width, x);
        if (x > 640) x = kMargin, y += 20;
      }
      y += 20;
    }
    return {width + kMargin, y - top};
  }

  std::string finish(Extent extent) const {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<style>\n"
        "text {{ font-family: monospace; font-size: 11px; text-anchor: middle; }}\n"
        ".title {{ font-size: 13px; font-weight: bold; text-anchor: start; }}\n"
        ".note {{ text-anchor: start; fill: #333; }}\n.name {{ fill: #666; }}\n"
        "rect {{ stroke: #555; stroke-width: 0.5; }}\n.none {{ fill: #fff; }}\n",
        extent.width, extent.height);
    for (int colour = 0; colour < kColours; ++colour)
      out += fmt::format(".c{} {{ fill: {}; }}\n", colour, colour_code(colour));
    out += fmt::format("</style>\n<rect width=\"{}\" height=\"{}\" fill=\"#fff\" stroke=\"none\"/>\n", extent.width,
                       extent.height);
    return out + body_ + "</svg>\n";
  }

 private:
  void rectangle(int x, int y, int width, int height, int colour) {
    body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                         colour < 0 ? "none" : fmt::format("c{}", colour), x, y, width, height);
    body_ += "/>\n";
  }

  void words_at(int x, int y, const std::string& words, const char* look) {
    if (words.empty()) return;
    body_ += *look == '\0' ? fmt::format("<text x=\"{}\" y=\"{}\">", x, y)
                           : fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">", look, x, y);
    body_ += escaped(words) + "</text>\n";
  }

  // The grid, in panels of so many rows beside each other.
  Extent grid(const Grid& grid, int top) {
    std::size_t letters = 1, head_letters = 0;
    for (const Cell& cell : grid.cells) letters = std::max(letters, cell.label.size());
    for (const std::string& name : grid.column_names) letters = std::max(letters, name.size());
    for (const std::string& name : grid.row_names) head_letters = std::max(head_letters, name.size());
    const int width = std::max<int>(static_cast<int>(letters) * kLetter + 6, 22);
    const int head = static_cast<int>(head_letters) * kLetter + 8;
    const std::size_t rows = grid.row_names.size(), columns = grid.column_names.size();
    const int panel_width = head + static_cast<int>(columns) * width;
    int x = kMargin;
    for (std::size_t first = 0; first < rows; first += kPanelRows) {
      const std::size_t end = std::min(first + kPanelRows, rows);
      for (std::size_t column = 0; column < columns; ++column)
        words_at(x + head + static_cast<int>(column) * width + width / 2, top + kRow - 5, grid.column_names[column],
                 "name");
      for (std::size_t row = first; row < end; ++row) {
        const int y = top + kRow + static_cast<int>(row - first) * kRow;
        words_at(x + head / 2, y + kRow - 5, grid.row_names[row], "name");
        for (std::size_t column = 0; column < columns; ++column)
          cell(grid.cells[row * columns + column], x + head + static_cast<int>(column) * width, y, width);
      }
      x += panel_width + 16;
    }
    return {x, kRow + static_cast<int>(std::min(rows, kPanelRows)) * kRow};
  }

  void cell(const Cell& cell, int x, int y, int width) {
    if (!cell.says.empty()) body_ += fmt::format("<g><title>{}</title>", escaped(cell.says));
    rectangle(x, y, width, kRow, cell.colour);
    words_at(x + width / 2, y + kRow - 5, cell.label, "");
    if (!cell.says.empty()) body_ += "</g>\n";
  }

  std::string body_;
};

}  // namespace

std::string svg(std::span<const Picture> pictures) {
  Drawing drawing;
  Extent extent{0, 0};
  for (const Picture& picture : pictures) {
    const Extent drawn = drawing.picture(picture, extent.height);
    extent = {std::max(extent.width, drawn.width), extent.height + drawn.height};
  }
  extent.height += kMargin;
  return drawing.finish(extent);
}

}  // namespace warpcc::layout
