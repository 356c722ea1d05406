#include "layout/draw.h"

#include <doctest/doctest.h>

#include "layout/atoms.h"

namespace warpcc::layout {
namespace {

Picture tile(Map map, Swizzle swizzle, Element element, Memory memory = Memory::shared) {
  llvm::Expected<Physical> layout = Physical::make(std::move(map), swizzle);
  REQUIRE(layout);
  llvm::Expected<Picture> picture = picture_of(*layout, element, memory);
  REQUIRE(picture);
  return std::move(*picture);
}

TEST_CASE("a small tile shows each element, its bank as its colour") {
  const Picture picture = tile(Map({{{4, 1}}, {{2, 33}}}), {}, Element::f32);
  REQUIRE(picture.grids.size() == 1);
  const Grid& grid = picture.grids[0];
  CHECK(grid.cells.size() == 8);
  CHECK(grid.cells[3].label == "34");
  CHECK(grid.cells[3].colour == 2);
  CHECK(grid.cells[3].says == "(1, 1): element 34, byte 0x88, bank 2");
  CHECK(text(picture) ==
        "(4, 2) : (1, 33)\n"
        "elements from the tile's start; colours: banks of 4 bytes\n"
        "row\\column  0  1\n"
        "         0  0 33\n"
        "         1  1 34\n"
        "         2  2 35\n"
        "         3  3 36\n");
}

TEST_CASE("a large tile shows 16 bytes as one, permuted by the swizzle") {
  const Picture picture = tile(Map({{{128, 64}}, {{64, 1}}}), swizzle_of_span(128), Element::f16);
  const Grid& grid = picture.grids[0];
  CHECK(grid.cells.size() == 128 * 8);
  CHECK(grid.column_names[1] == "8");
  CHECK(grid.cells[8].label == "72");  // (1, 0): the second unit of its row
  CHECK(grid.cells[8].colour == 4);
  CHECK(grid.cells[9].label == "64");
  CHECK(grid.cells[9].says == "(1, 8 .. 16): element 64, byte 0x80, bank 0");
}

TEST_CASE("a tile that runs along its rows is put together along them") {
  const Picture picture = tile(Map({{{64, 1}}, {{64, 64}}}), {}, Element::f16);
  CHECK(picture.grids[0].row_names.size() == 8);
  CHECK(picture.grids[0].column_names.size() == 64);
}

TEST_CASE("elements that share bytes") {
  const Picture picture = tile(Map({{{8, 8}}, {{8, 1}}}), {}, Element::f4e2m1);
  CHECK(picture.grids[0].cells[63].label == "63");
  CHECK(picture.grids[0].cells[63].colour == 7);  // 31.5 bytes on
}

TEST_CASE("tensor memory shows lanes and columns; coordinates before the last two are grids") {
  const Picture acc = tile(Map({{{2, 64}}, {{64, kTensorLane}}, {{8, 1}}}), {}, Element::f32, Memory::tensor);
  REQUIRE(acc.grids.size() == 2);
  CHECK(acc.grids[1].title == "[1, .., ..]");
  CHECK(acc.grids[1].cells[8 * 33 + 2].label == "33.66");
  CHECK(acc.grids[1].cells[8 * 33 + 2].colour == 8);
}

TEST_CASE("a fragment shows threads and values") {
  llvm::Expected<ThreadValue> layout = ThreadValue::make(Map({{{4, 1}, {8, 16}}, {{2, 4}, {2, 8}}}));
  REQUIRE(layout);
  const std::vector<std::int64_t> shape{16, 8};
  llvm::Expected<Picture> picture = picture_of(*layout, shape, Element::f32);
  REQUIRE(picture);
  CHECK(picture->grids[0].cells[0].label == "T0 V0");
  CHECK(picture->grids[0].cells[5 * 8].label == "T1 V1");  // row 5: 5 = 1 + 4
  CHECK(picture->grids[0].cells[5 * 8].colour == 4);
}

TEST_CASE("an access shows its banks") {
  std::vector<std::optional<std::int64_t>> lanes(32);
  lanes[0] = 0;
  lanes[1] = 128;
  lanes[2] = 128;
  const Picture picture = picture_of(lanes, 4);
  CHECK(picture.title == "2 passes, 1 without conflicts");
  CHECK(picture.grids[0].row_names == std::vector<std::string>{"0x0", "0x80"});
  CHECK(picture.grids[0].cells[0].label == "T0");
  CHECK(picture.grids[0].cells[32].label == "T1+");
}

TEST_CASE("what is too large for a picture is refused") {
  llvm::Expected<Physical> wide = Physical::make(Map({{{512, 1024}}, {{512, 2}}}));
  REQUIRE(wide);
  llvm::Expected<Picture> picture = picture_of(*wide, Element::f32, Memory::shared);
  REQUIRE(!picture);
  CHECK(llvm::toString(picture.takeError()) == "262144 cells are too many for a picture; one has at most 32768");
}

TEST_CASE("SVG is whole and escapes what it is told") {
  Picture picture = tile(Map({{{2, 2}}, {{2, 1}}}), {}, Element::f32);
  picture.title = "a < b & c";
  const std::string drawn = svg({&picture, 1});
  CHECK(drawn.starts_with("<svg xmlns="));
  CHECK(drawn.ends_with("</svg>\n"));
  CHECK(drawn.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(drawn.find("class=\"c3\"") != std::string::npos);
  CHECK(svg({}).ends_with("</svg>\n"));
}

TEST_CASE("colours in a terminal") {
  const Picture picture = tile(Map({{{2, 1}}}), {}, Element::f32);
  CHECK(text(picture, true).find("\x1b[30;48;5;") != std::string::npos);
  CHECK(text(picture).find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace warpcc::layout
