#include <doctest/doctest.h>

#include "layout/atoms.h"

namespace warpcc::layout {

TEST_CASE("whether a part of tensor memory is an accumulator") {
  const auto misfit = [](Map map, std::vector<std::int64_t> start, std::vector<std::int64_t> extents, int m, int n,
                         bool pair) {
    llvm::Expected<Physical> tile = Physical::make(std::move(map));
    REQUIRE(static_cast<bool>(tile));
    return accumulator_misfit({*tile, Element::f32, std::move(start), std::move(extents)}, m, n, pair);
  };
  const Map columns({{{128, kTensorLane}}, {{256, 1}}});
  CHECK_FALSE(misfit(columns, {0, 0}, {128, 256}, 256, 256, true));
  CHECK_FALSE(misfit(columns, {0, 128}, {128, 128}, 128, 128, false));
  CHECK_FALSE(misfit(accumulator(128, 64, true), {0, 0}, {64, 64}, 128, 64, true));
  CHECK_FALSE(misfit(accumulator(64, 64, false), {0, 0}, {64, 64}, 64, 64, false));

  const std::optional<Misfit> halves = misfit(columns, {0, 0}, {64, 64}, 128, 64, true);
  REQUIRE(halves);
  CHECK(halves->coordinate == std::vector<std::int64_t>{0, 32});
  CHECK(halves->reason == "(0, 32) lies in lane 0, column 32; the MMA writes it to lane 64, column 0");
  const std::optional<Misfit> quarters = misfit(columns, {0, 0}, {64, 64}, 64, 64, false);
  REQUIRE(quarters);
  CHECK(quarters->coordinate == std::vector<std::int64_t>{16, 0});
  CHECK(misfit(columns, {64, 0}, {64, 64}, 64, 64, false)->reason ==
        "it starts in lane 64: this accumulator starts in lane 0 or 16");
  CHECK(misfit(columns, {0, 0}, {128, 128}, 256, 256, true)->reason ==
        "the accumulator of M = 256, N = 256 is (128, 256) in a CTA, not (128, 128)");
  CHECK(misfit(columns, {0, 0}, {96, 128}, 96, 128, false)->reason == "no MMA of one CTA has M = 96 and N = 128");
  CHECK(accumulator_first_row(256, true, 1) == 128);
  CHECK(accumulator_first_row(128, false, 1) == 0);
}

TEST_CASE("four warps' loads of a whole accumulator, or why there are none") {
  const RegisterTile rows = accumulator_in_registers(128, 64, false, TensorLoad::x32x32b, 32);
  REQUIRE(rows.layout);
  CHECK(rows.layout->text() == "(128, 64) : (1, 128)");
  const RegisterTile halves = accumulator_in_registers(128, 64, true, TensorLoad::x32x32b, 16);
  REQUIRE(halves.layout);
  CHECK(halves.layout->text() ==
        "((64, 2), 32) : ((1, 2048), 64)");  // 64 rows: the columns' second half in the upper warps
  const RegisterTile quarters = accumulator_in_registers(64, 128, false, TensorLoad::x16x256b, 1);
  REQUIRE(quarters.layout);
  CHECK(quarters.layout->shape() == std::vector<std::int64_t>{128, 64});
  CHECK(accumulator_in_registers(64, 128, false, TensorLoad::x32x32b, 16).misfit ==
        "a load of this shape touches lane 16, column 0, which is not the accumulator's");
  CHECK(accumulator_in_registers(128, 48, false, TensorLoad::x32x32b, 32).misfit ==
        "48 columns are no multiple of the 32 of a load");
  CHECK(accumulator_in_registers(96, 48, false, TensorLoad::x32x32b, 32).misfit == "no MMA has M = 96 and N = 48");
}

TEST_CASE("packed loads take the lower halves of neighbouring columns") {
  CHECK(tensor_load_packed_cell(TensorLoad::x32x32b, 5, 3, 0) == std::pair(5, 6));
  CHECK(tensor_load_packed_cell(TensorLoad::x32x32b, 5, 3, 1) == std::pair(5, 7));
  CHECK(tensor_load_packed_cell(TensorLoad::x16x128b, 9, 1, 1) == std::pair(10, 3));
}

}  // namespace warpcc::layout
