#include <doctest/doctest.h>

#include <algorithm>

#include "vectors.h"

namespace warpcc::layout {
namespace {

// `F16BF16_2x1SM_SS 128x64`: an MMA's M and N, and whether a pair runs it.
struct Shape {
  int m = 0, n = 0;
  bool pair = false;
};
Shape shape_of(llvm::StringRef mma) {
  Shape shape;
  const auto [name, extents] = mma.split(' ');
  const auto [m, n] = extents.split('x');
  shape.pair = name.contains("2x1SM");
  const bool failed = m.getAsInteger(10, shape.m) || n.getAsInteger(10, shape.n);
  REQUIRE_FALSE(failed);
  return shape;
}

std::optional<TensorLoad> load_of(llvm::StringRef shape) {
  if (shape == "32x32b") return TensorLoad::x32x32b;
  if (shape == "16x64b") return TensorLoad::x16x64b;
  if (shape == "16x128b") return TensorLoad::x16x128b;
  if (shape == "16x256b") return TensorLoad::x16x256b;
  if (shape == "16x32bx2") return TensorLoad::x16x32bx2;
  return std::nullopt;
}

}  // namespace

// A record's tile is one accumulator, or several beside each other by the strides of its outer coordinates.
TEST_CASE("accumulators lie where CuTe says") {
  int compared = 0, others = 0;
  for (const llvm::json::Object& record : records("tmem_acc")) {
    CAPTURE(text_of(record, "id"));
    if (text_of(record, "record") != "accumulator") {
      ++others;
      continue;
    }
    const Shape shape = shape_of(text_of(record, "mma"));
    const Map ours = accumulator(shape.m, shape.n, shape.pair);
    REQUIRE(ours.rank() == 2);
    const std::int64_t lane = int_of(record, "dp_stride");
    const std::int64_t unit = lane / kTensorLane;  // 16-bit accumulators count half columns
    const std::optional<Map> theirs = cute_layout(text_of(record, "cta_layout"));
    REQUIRE(theirs);
    // Their first coordinate is ours, flattened; the others step from one accumulator to the next.
    CHECK(theirs->extent(0) == ours.size());
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < theirs->size(); ++i) {
      const std::int64_t inside = i % ours.size();
      std::int64_t address = ours.at(inside);
      const std::array<std::int64_t, 3> tile{0, i / ours.size() % theirs->extent(1),
                                             i / ours.size() / theirs->extent(1)};
      const std::int64_t step = (*theirs)(tile);
      address += step / lane * kTensorLane + step % lane / unit;
      table.push_back(address / kTensorLane);
      table.push_back(address % kTensorLane);
    }
    CHECK(static_cast<std::int64_t>(table.size()) == 2 * int_of(record, "size"));
    CHECK(crc_of(table) == hex_of(record, "crc32_dp_col"));
    for (const llvm::json::Value& sample : *record.getArray("samples_idx_dp_col")) {
      const llvm::json::Array& triple = *sample.getAsArray();
      const std::int64_t i = *triple[0].getAsInteger();
      CHECK(table[2 * i] == *triple[1].getAsInteger());
      CHECK(table[2 * i + 1] == *triple[2].getAsInteger());
    }
    ++compared;
  }
  MESSAGE("tmem_acc: " << compared << " accumulators compared; skipped " << others
                       << " four-warp copies, which are compositions of what is compared here and in tmem_frag");
  CHECK(compared >= 26);
}

TEST_CASE("tensor-memory loads give each lane the cells that CuTe says") {
  int compared = 0, packed = 0;
  for (const llvm::json::Object& record : records("tmem_frag")) {
    CAPTURE(text_of(record, "id"));
    if (int_of(record, "pack16") != 0) {
      ++packed;  // 16-bit halves, no whole cells
      continue;
    }
    const std::optional<TensorLoad> shape = load_of(text_of(record, "ptx_shape"));
    REQUIRE(shape);
    int repeat = 0;
    const bool failed = llvm::StringRef(text_of(record, "rep")).drop_front().getAsInteger(10, repeat);
    REQUIRE_FALSE(failed);
    const int registers = tensor_load_registers(*shape, repeat);
    CHECK(registers == int_of(record, "regs"));
    CHECK(tensor_load_lanes(*shape) == int_of(record, "datapaths"));
    CHECK(tensor_load_columns(*shape, repeat) == int_of(record, "columns"));
    std::vector<std::int64_t> bits;
    const llvm::json::Array& lanes = *record.getArray("lane_reg_dp_col");
    for (int lane = 0; lane < 32; ++lane)
      for (int value = 0; value < registers; ++value) {
        // CuTe puts the second half of 16x32bx2 right behind the first.
        const auto [row, column] = tensor_load_cell(*shape, lane, value, registers);
        if (lanes.size() == 32) {
          const llvm::json::Array& cells = *lanes[lane].getAsArray();
          CHECK(cells[2 * value].getAsInteger() == row);
          CHECK(cells[2 * value + 1].getAsInteger() == column);
        }
        for (const int half : {0, 16}) {
          bits.push_back(row);
          bits.push_back(32 * column + half);
        }
      }
    CHECK(crc_of(bits) == hex_of(record, "crc32_bits"));
    ++compared;
  }
  MESSAGE("tmem_frag: " << compared << " compared; skipped " << packed << " of packed 16-bit halves");
  CHECK(compared >= 23);
}

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

}  // namespace warpcc::layout
