#include <doctest/doctest.h>

#include "layout/atoms.h"

namespace warpcc::layout {

TEST_CASE("what no box fills is refused, with the first coordinate that differs") {
  const auto refusal = [](Map map, Swizzle swizzle, std::vector<std::int64_t> start, std::vector<std::int64_t> extents,
                          Element element = Element::f16) {
    llvm::Expected<Physical> tile = Physical::make(std::move(map), swizzle);
    REQUIRE(static_cast<bool>(tile));
    BoxResult result = tensor_map_box({*tile, element, std::move(start), std::move(extents)});
    CHECK_FALSE(result.box);
    return result.misfit;
  };
  const Map rows({{{512, 64}}, {{64, 1}}});
  CHECK(refusal(rows, swizzle_of_span(128), {0, 0}, {512, 64}).reason == "an extent of 512: a box has 1 to 256");
  CHECK(refusal(rows, swizzle_of_span(64), {0, 0}, {64, 64}).reason ==
        "a row of 128 bytes: with swizzle 64 a box's rows have at most 64");
  CHECK(refusal(rows, {}, {0, 0}, {64, 4}).reason ==
        "a row of 4 elements of f16: the rows of a box are multiples of 16 bytes");
  CHECK(refusal(rows, {}, {0, 8}, {64, 8}).reason ==
        "it starts 16 bytes into its tile: a box starts at multiples of 128");
  CHECK(refusal(row_major(std::vector<std::int64_t>{256, 256, 256, 256, 256}), {}, {0, 0, 0, 0, 0},
                {256, 256, 256, 256, 256})
            .reason == "(256, 256, 256, 256, 256) elements of f16 are more than a CTA's memory holds");
  const Misfit narrow = refusal(rows, {}, {0, 0}, {64, 32});
  CHECK(narrow.coordinate == std::vector<std::int64_t>{1, 0});
  CHECK(narrow.reason ==
        "(1, 0) lies at byte 128 of the tile; the copy engine puts it at byte 64: a box is dense, its last coordinate "
        "innermost");
  const Map columns({{{64, 1}}, {{64, 64}}});
  CHECK(refusal(columns, {}, {0, 0}, {64, 64}).coordinate == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("the largest box that fills a tile in equal pieces") {
  const auto largest = [](Map map, Swizzle swizzle, std::vector<std::int64_t> extents) {
    llvm::Expected<Physical> tile = Physical::make(std::move(map), swizzle);
    REQUIRE(static_cast<bool>(tile));
    return largest_box({*tile, Element::f16, {0, 0}, std::move(extents)});
  };
  const Map rows({{{512, 64}}, {{64, 1}}});
  CHECK(largest(rows, swizzle_of_span(128), {512, 64}).box->extents == std::vector<std::int64_t>{256, 64});
  CHECK(largest(rows, swizzle_of_span(128), {192, 64}).box->extents == std::vector<std::int64_t>{192, 64});
  // Columns in halves that lie apart.
  const Map halves({{{64, 32}}, {{32, 1}, {2, 2048}}});
  CHECK(largest(halves, swizzle_of_span(64), {64, 64}).box->extents == std::vector<std::int64_t>{64, 32});
  CHECK_FALSE(largest(Map({{{64, 1}}, {{64, 64}}}), {}, {64, 64}).box);
}

}  // namespace warpcc::layout
