#include <doctest/doctest.h>

#include <algorithm>

#include "vectors.h"

namespace warpcc::layout {
namespace {

// `((128,16),1,4)` as `(128,16,1,4)`: the first inner tuple without its parentheses.
std::string opened_first(llvm::StringRef tuple) {
  std::string text = tuple.str();
  int depth = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return text.erase(i, 1).erase(1, 1);
  }
  return text;
}

// The record's shared tile as (MN, K). SM100 operands are written as ((MN, K), MN tiles, K tiles): the first tuple is
// opened, and what steps along one coordinate put together.
std::optional<Map> tile_of(const llvm::json::Object& record) {
  const std::string text = text_of(record, "smem_layout");
  const std::optional<Map> map = cute_layout(text);
  if (!map || map->rank() == 2) return map;
  const auto [shape, stride] = llvm::StringRef(text).split(':');
  const std::optional<Map> opened = cute_layout(opened_first(shape) + ":" + opened_first(stride));
  if (!opened || opened->rank() != 4) return std::nullopt;
  const auto joined = [&](int first, int second) {
    Coordinate modes = opened->coordinates()[first];
    const Coordinate& more = opened->coordinates()[second];
    modes.insert(modes.end(), more.begin(), more.end());
    return modes;
  };
  return Map({joined(0, 2), joined(1, 3)});
}

Swizzle swizzle_named(llvm::StringRef name) {
  int span = 0;
  const auto [number, atom] = name.split('B');
  if (number.getAsInteger(10, span)) return {};
  return swizzle_of_span(span, atom == "_base32B" ? 32 : 16);
}

// What the encoder is asked for.
std::string encoder_name(const Box& box) {
  if (box.swizzle_span == 0) return "NONE";
  return std::to_string(box.swizzle_span) + (box.swizzle_atom == 32 ? "B_ATOM_32B" : "B");
}

}  // namespace

TEST_CASE("boxes are those that CuTe gives the tensor-map encoder") {
  int compared = 0, rejected = 0, pieces = 0;
  for (const llvm::json::Object& record : records("tma_box")) {
    CAPTURE(text_of(record, "id"));
    if (record.get("rejected")) {
      ++rejected;
      continue;
    }
    const std::optional<Map> map = tile_of(record);
    REQUIRE(map);
    REQUIRE(text_of(record, "gmem_major") == text_of(record, "smem_major"));
    // The coordinates, innermost last, as our boxes have them; CuTe's box is innermost first.
    std::vector<Coordinate> coordinates = map->coordinates();
    if (text_of(record, "gmem_major") == "MN") std::swap(coordinates[0], coordinates[1]);
    llvm::Expected<Physical> layout =
        Physical::make(Map(std::move(coordinates)), swizzle_named(text_of(record, "smem_swizzle")));
    REQUIRE(static_cast<bool>(layout));
    const std::vector<std::int64_t> box = ints_of(record, "box_dim");
    Part part{*layout, element_of_bits(int_of(record, "elem_bits")), {0, 0}, {box[1], box[0]}};
    const std::vector<std::int64_t> shape = layout->map().shape();
    // A tile is filled by as many boxes as it has pieces of the box's size.
    for (part.start[0] = 0; part.start[0] < shape[0]; part.start[0] += box[1])
      for (part.start[1] = 0; part.start[1] < shape[1]; part.start[1] += box[0]) {
        const BoxResult result = tensor_map_box(part);
        REQUIRE_MESSAGE(result.box, result.misfit.reason);
        CHECK(result.box->extents == std::vector<std::int64_t>{box[1], box[0]});
        CHECK(encoder_name(*result.box) == text_of(record, "swizzle"));
        ++pieces;
      }
    // Where CuTe fills it by several along a row, one box of two would not be the tile.
    if (record.getInteger("multicast") == 1 && shape[1] > box[0]) {
      part.start = {0, 0};
      part.extents = {box[1], 2 * box[0]};
      CHECK_FALSE(tensor_map_box(part).box);
    }
    ++compared;
  }
  MESSAGE("tma_box: " << compared << " compared in " << pieces << " boxes; skipped " << rejected
                      << " that CuTe rejects");
  CHECK(compared >= 93);
}

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

}  // namespace warpcc::layout
