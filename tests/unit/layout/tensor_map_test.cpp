#include <doctest/doctest.h>

#include <algorithm>

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
  // Half of the swizzle's rows is a box of its own: the copy engine leaves the rows where they are.
  CHECK(largest(rows, swizzle_of_span(128), {64, 32}).box->extents == std::vector<std::int64_t>{64, 32});
  // Dense rows of less than the swizzle's span are none.
  llvm::Expected<Physical> narrow = Physical::make(Map({{{64, 32}}, {{32, 1}}}), swizzle_of_span(128));
  REQUIRE(static_cast<bool>(narrow));
  CHECK(tensor_map_box({*narrow, Element::f16, {0, 0}, {64, 32}}).misfit.coordinate == std::vector<std::int64_t>{1, 0});
  const Map halves({{{64, 32}}, {{32, 1}, {2, 2048}}});
  CHECK(largest(halves, swizzle_of_span(64), {64, 64}).box->extents == std::vector<std::int64_t>{64, 32});
  CHECK_FALSE(largest(Map({{{64, 1}}, {{64, 64}}}), {}, {64, 64}).box);
}

TEST_CASE(
    "the true box fills its part; with an extent or the swizzle changed the first coordinate that differs is named") {
  const Box modes[] = {{{}, 0, 16}, {{}, 32, 16}, {{}, 64, 16}, {{}, 128, 16}, {{}, 128, 32}, {{}, 128, 64}};
  for (const Box& mode : modes)
    for (const Element element : {Element::f8e4m3, Element::f16, Element::tf32}) {
      CAPTURE(mode.swizzle_span);
      const std::int64_t row = (mode.swizzle_span == 0 ? 128 : mode.swizzle_span) / bytes(element);
      const std::int64_t shape[] = {32, row};
      llvm::Expected<Physical> tile =
          Physical::make(row_major(shape), swizzle_of_span(mode.swizzle_span, mode.swizzle_atom));
      REQUIRE(static_cast<bool>(tile));
      const Part part{*tile, element, {0, 0}, {32, row}};
      const BoxResult truth = tensor_map_box(part);
      REQUIRE(truth.box);
      CHECK_FALSE(box_misfit(part, *truth.box));
      const auto changed = [&](auto change) {
        Box box = *truth.box;
        change(box);
        const std::optional<Misfit> misfit = box_misfit(part, box);
        REQUIRE(misfit);
        return misfit->coordinate;
      };
      using Coordinates = std::vector<std::int64_t>;
      CHECK(changed([](Box& box) { --box.extents[0]; }) == Coordinates{31, 0});
      CHECK(changed([](Box& box) { ++box.extents[0]; }) == Coordinates{32, 0});
      CHECK(changed([](Box& box) { --box.extents[1]; }) == Coordinates{0, row - 1});
      CHECK(changed([](Box& box) { ++box.extents[1]; }) == Coordinates{1, 0});
      for (const Box& other : modes) {
        if (other.swizzle_span == mode.swizzle_span && other.swizzle_atom == mode.swizzle_atom) continue;
        // By the two swizzles, and the rows' distance, which is no less than the swizzle's span.
        const Swizzle own = tile->swizzle(), given = swizzle_of_span(other.swizzle_span, other.swizzle_atom);
        const std::int64_t pitch = std::max<std::int64_t>(row * bytes(element), other.swizzle_span);
        std::int64_t first = 0;
        while (own(first * bytes(element)) == given(first / row * pitch + first % row * bytes(element))) ++first;
        CHECK(changed([&](Box& box) {
                box.swizzle_span = other.swizzle_span;
                box.swizzle_atom = other.swizzle_atom;
              }) == Coordinates{first / row, first % row});
      }
    }
}

}  // namespace warpcc::layout
