// What the pictures show; draw_text.cpp and draw_svg.cpp say how.
#include "layout/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "layout/atoms.h"

namespace warpcc::layout {
namespace {

constexpr std::int64_t kSingles = 1024;  // of more elements neighbours are drawn together
constexpr int kUnitBytes = 16;

// A rectangle of a tile: the last two coordinates, those before fixed.
struct Page {
  std::vector<std::int64_t> index;  // the last two are set by at()
  std::int64_t rows = 1, columns = 1;
};

std::vector<Page> pages_of(std::span<const std::int64_t> shape) {
  std::vector<Page> pages;
  Page page{std::vector<std::int64_t>(std::max<std::size_t>(shape.size(), 1), 0), 1, 1};
  if (!shape.empty()) page.columns = shape.back();
  if (shape.size() > 1) page.rows = shape[shape.size() - 2];
  for (;;) {
    pages.push_back(page);
    std::size_t at = shape.size() > 2 ? shape.size() - 2 : 0;
    while (at > 0 && ++page.index[at - 1] == shape[at - 1]) page.index[--at] = 0;
    if (at == 0) return pages;
  }
}

std::string page_title(const Page& page) {
  if (page.index.size() < 3) return "";
  std::string title = "[";
  for (std::size_t i = 0; i + 2 < page.index.size(); ++i) title += fmt::format("{}, ", page.index[i]);
  return title + ".., ..]";
}

// Cells of several elements: so many neighbours along the rows or along the columns.
struct Grouping {
  std::int64_t rows = 1, columns = 1;
};

// Whether elements that are drawn as one go on from each other, everywhere: `follows` says it of two neighbours, by the
// place of the first one.
template <typename Follows>
bool groups(const Page& page, const Grouping& grouping, Follows&& follows) {
  if (page.rows % grouping.rows != 0 || page.columns % grouping.columns != 0) return false;
  for (std::int64_t row = 0; row < page.rows; ++row)
    for (std::int64_t column = 0; column < page.columns; ++column) {
      const bool last = grouping.columns > 1 ? (column + 1) % grouping.columns == 0 : (row + 1) % grouping.rows == 0;
      if (!last && !follows(row, column, grouping.columns > 1)) return false;
    }
  return true;
}

// The largest of `sizes` by which all can be grouped, along the columns first.
template <typename Follows>
Grouping grouping_of(const Page& page, std::span<const std::int64_t> sizes, Follows&& follows) {
  for (const std::int64_t size : sizes)
    for (const Grouping grouping : {Grouping{1, size}, Grouping{size, 1}})
      if (size > 1 && groups(page, grouping, follows)) return grouping;
  return {};
}

std::vector<std::string> names(std::int64_t extent, std::int64_t group) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < extent; i += group) all.push_back(std::to_string(i));
  return all;
}

std::string range(std::int64_t first, std::int64_t count) {
  return count == 1 ? std::to_string(first) : fmt::format("{} .. {}", first, first + count);
}

// A page as a grid; `cell` makes the cell whose first element is at (row, column).
template <typename MakeCell>
Grid grid_of(const Page& page, const Grouping& grouping, MakeCell&& cell) {
  Grid grid{
      page_title(page), "row", "column", names(page.rows, grouping.rows), names(page.columns, grouping.columns), {}};
  for (std::int64_t row = 0; row < page.rows; row += grouping.rows)
    for (std::int64_t column = 0; column < page.columns; column += grouping.columns)
      grid.cells.push_back(cell(row, column));
  return grid;
}

llvm::Error too_many(std::int64_t cells) {
  return llvm::make_error<llvm::StringError>(
      fmt::format("{} cells are too many for a picture; one has at most {}", cells, kMostCells),
      llvm::inconvertibleErrorCode());
}

// The tile's element count as a picture takes it: nothing is enumerated that is larger than this.
constexpr std::int64_t kMostElements = 1 << 20;

int bank_of(std::int64_t byte) {
  return static_cast<int>(byte / kBankBytes % kBanks);
}

std::string form_of(const Physical& layout) {
  std::string text = layout.map().text();
  if (const Swizzle& swizzle = layout.swizzle(); swizzle.bits != 0)
    text += swizzle.base == 4 ? fmt::format(" swizzle {}", swizzle.span())
                              : fmt::format(" swizzle {} of {} bytes", swizzle.span(), 1 << swizzle.base);
  return text;
}

class Tile {
 public:
  Tile(const Physical& layout, Element element, Memory memory)
      : layout_(layout), bits_(bits(element)), memory_(memory) {}

  // Memory's own number of an element: bits from the start, or the address in tensor memory.
  std::int64_t number(Page& page, std::int64_t row, std::int64_t column) const {
    const std::size_t rank = page.index.size();
    page.index[rank - 1] = column;
    if (rank > 1) page.index[rank - 2] = row;
    const std::int64_t element = layout_.map()(page.index);
    if (memory_ == Memory::tensor) return element;
    const std::int64_t bit = element * bits_;
    return layout_.swizzle()(bit / 8) * 8 + bit % 8;
  }
  std::int64_t step() const { return memory_ == Memory::tensor ? 1 : bits_; }

  std::vector<std::int64_t> group_sizes(std::int64_t elements) const {
    if (elements <= kSingles) return {};
    if (memory_ == Memory::tensor) return {32, 16, 8};
    return {kUnitBytes * 8 / bits_, kBankBytes * 8 / bits_};
  }

  Cell cell(Page& page, const Grouping& grouping, std::int64_t row, std::int64_t column) const {
    const std::int64_t at = number(page, row, column);
    const std::string place = fmt::format("({}, {})", range(row, grouping.rows), range(column, grouping.columns));
    if (memory_ == Memory::tensor) {
      const std::int64_t lane = at / kTensorLane, first = at % kTensorLane;
      const int colour = static_cast<int>(lane / 32 % 4 * 8 + lane / 8 % 4);
      return {fmt::format("{}.{}", lane, first), fmt::format("{}: lane {}, column {}", place, lane, first), colour};
    }
    const std::int64_t byte = at / 8;
    return {std::to_string(at / bits_),
            fmt::format("{}: element {}, byte {:#x}, bank {}", place, at / bits_, byte, bank_of(byte)), bank_of(byte)};
  }

 private:
  const Physical& layout_;
  int bits_;
  Memory memory_;
};

std::vector<Legend> bank_legend() {
  std::vector<Legend> legend;
  for (int hue = 0; hue < 8; ++hue)
    legend.push_back({4 * hue + 1, fmt::format("banks {} .. {}", 4 * hue, 4 * hue + 4)});
  return legend;
}

std::vector<Legend> tensor_legend() {
  std::vector<Legend> legend;
  for (int quarter = 0; quarter < 4; ++quarter)
    legend.push_back({8 * quarter + 1, fmt::format("lanes {} .. {}", 32 * quarter, 32 * quarter + 32)});
  return legend;
}

}  // namespace

llvm::Expected<Picture> picture_of(const Physical& layout, Element element, Memory memory) {
  const std::int64_t size = layout.map().size();
  if (size > kMostElements) return too_many(size);
  const Tile tile(layout, element, memory);
  Picture picture{form_of(layout), {}, {}, memory == Memory::tensor ? tensor_legend() : bank_legend()};
  if (size == 0) return picture;
  std::vector<Page> pages = pages_of(layout.map().shape());
  const std::vector<std::int64_t> sizes = tile.group_sizes(size);
  const Grouping grouping = grouping_of(pages[0], sizes, [&](std::int64_t row, std::int64_t column, bool along_row) {
    return tile.number(pages[0], row + !along_row, column + along_row) ==
           tile.number(pages[0], row, column) + tile.step();
  });
  const std::int64_t together = grouping.rows * grouping.columns;
  if (size / together > kMostCells) return too_many(size / together);
  picture.notes.push_back(
      memory == Memory::tensor
          ? fmt::format("lane.column of {}",
                        together == 1 ? "an element" : fmt::format("the first of {} elements", together))
          : fmt::format("{} from the tile's start; colours: banks of 4 bytes",
                        together == 1 ? "elements" : fmt::format("elements, {} to a cell,", together)));
  for (Page& page : pages)
    picture.grids.push_back(grid_of(
        page, grouping, [&](std::int64_t row, std::int64_t column) { return tile.cell(page, grouping, row, column); }));
  return picture;
}

llvm::Expected<Picture> picture_of(const ThreadValue& layout, std::span<const std::int64_t> shape, Element element) {
  const std::int64_t size = layout.size(), threads = layout.extent(0);
  if (size > kMostElements) return too_many(size);
  Picture picture{layout.text(), {}, {}, {}};
  // The holder of each element, as thread + threads × value.
  std::vector<std::int64_t> holder(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) holder[static_cast<std::size_t>(layout.at(i))] = i;

  std::vector<Page> pages = pages_of(shape);
  const auto holds = [&](const Page& page, std::int64_t row, std::int64_t column) {
    std::vector<std::int64_t> index = page.index;
    index.back() = column;
    if (index.size() > 1) index[index.size() - 2] = row;
    std::int64_t linear = 0, below = 1;
    for (std::size_t c = 0; c < shape.size(); below *= shape[c], ++c) linear += index[c] * below;
    return holder[static_cast<std::size_t>(linear)];
  };
  const std::int64_t each = std::max(32 / bits(element), 1);  // elements of a register
  const std::array<std::int64_t, 2> sizes{size > kSingles ? each : 1, size > kSingles ? 2 : 1};
  const Grouping grouping = grouping_of(pages[0], sizes, [&](std::int64_t row, std::int64_t column, bool along_row) {
    return holds(pages[0], row + !along_row, column + along_row) == holds(pages[0], row, column) + threads;
  });
  const std::int64_t together = grouping.rows * grouping.columns;
  if (size / together > kMostCells) return too_many(size / together);
  picture.notes.push_back(together == 1
                              ? "T: thread; V: value; colours: threads"
                              : fmt::format("T: thread; V: the first of {} values; colours: threads", together));
  for (const Page& page : pages)
    picture.grids.push_back(grid_of(page, grouping, [&](std::int64_t row, std::int64_t column) {
      const std::int64_t at = holds(page, row, column), thread = at % threads, value = at / threads;
      const std::string values =
          together == 1 ? std::to_string(value) : fmt::format("{}-{}", value, value + together - 1);
      return Cell{fmt::format("T{} V{}", thread, value),
                  fmt::format("({}, {}): thread {}, value {}, register {}", range(row, grouping.rows),
                              range(column, grouping.columns), thread, values, value / each),
                  // Neighbouring threads in other hues, as far as there are any.
                  static_cast<int>(thread % 8 * 4 + thread / 8 % 4)};
    }));
  return picture;
}

Picture picture_of(LaneAddresses lanes, int lane_bytes) {
  constexpr std::int64_t kLine = kBanks * kBankBytes;
  const BankPasses passes = bank_passes(lanes, lane_bytes);
  Picture picture{
      fmt::format("{} {}, {} without conflicts", passes.passes, passes.passes == 1 ? "pass" : "passes", passes.least),
      {},
      {},
      {}};
  std::vector<std::int64_t> lines;
  for (const std::optional<std::int64_t>& address : lanes)
    if (address) lines.push_back(*address / kLine);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  Grid grid{"", "byte", "bank", {}, names(kBanks, 1), {}};
  for (const std::int64_t line : lines) {
    grid.row_names.push_back(fmt::format("{:#x}", line * kLine));
    for (int bank = 0; bank < kBanks; ++bank) {
      const std::int64_t byte = line * kLine + bank * kBankBytes;
      Cell cell;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        if (lanes[lane] && *lanes[lane] < byte + kBankBytes && byte < *lanes[lane] + lane_bytes) {
          if (cell.colour >= 0) {
            cell.says += fmt::format(", T{}", lane);
            if (cell.label.back() != '+') cell.label += '+';
            continue;
          }
          cell = {fmt::format("T{}", lane), fmt::format("bank {}, byte {:#x}: T{}", bank, byte, lane),
                  static_cast<int>(lane % 8 * 4 + lane / 8 % 4)};
        }
      grid.cells.push_back(std::move(cell));
    }
  }
  picture.notes.push_back(fmt::format("which lane wants which word; + with others; {} lanes at a time",
                                      kBanks * kBankBytes / std::max(lane_bytes, kBankBytes)));
  picture.grids.push_back(std::move(grid));
  return picture;
}

}  // namespace warpcc::layout
