#include <fmt/format.h>

#include "layout/atoms.h"
#include "layout/part.h"

namespace warpcc::layout {

// By the names of the PTX ISA (tcgen05, data path layouts): D and A a row a lane; F 16 rows in each quarter of the
// lanes; B the columns' second half in the upper 64 lanes.
Map accumulator(int m, int n, bool pair) {
  if (n < 1 || n > 256) return {};
  const Coordinate columns{{n, 1}};
  if ((m == 128 && !pair) || (m == 256 && pair)) return Map({{{128, kTensorLane}}, columns});
  if (m == 64 && !pair) return Map({{{16, kTensorLane}, {4, 32 * kTensorLane}}, columns});
  if (n % 2 == 0 && m == 128 && pair) return Map({{{64, kTensorLane}}, {{n / 2, 1}, {2, 64 * kTensorLane}}});
  return {};
}

std::optional<Misfit> accumulator_misfit(const Part& part, int m, int n, bool pair) {
  if (std::optional<std::string> reason = not_a_part(part)) return Misfit{*reason, {}};
  const Map wanted = accumulator(m, n, pair);
  if (wanted.rank() == 0)
    return Misfit{fmt::format("no MMA of {} has M = {} and N = {}", pair ? "a pair" : "one CTA", m, n), {}};
  if (part.extents != wanted.shape())
    return Misfit{fmt::format("the accumulator of M = {}, N = {} is {} in a CTA, not {}", m, n,
                              tuple_text(wanted.shape()), tuple_text(part.extents)),
                  {}};
  const Map& given = part.layout.map();
  const std::int64_t start = given(part.start), lane = start / kTensorLane;
  // Layout F leaves the upper 16 lanes of each quarter to a second accumulator.
  if (lane != 0 && !(m == 64 && lane == 16))
    return Misfit{
        fmt::format("it starts in lane {}: this accumulator starts in lane 0{}", lane, m == 64 ? " or 16" : ""),
        part.start};
  const auto difference = first_difference(
      part, [&](const auto& index, const auto& coordinate) { return given(coordinate) - start != wanted(index); });
  if (!difference) return std::nullopt;
  std::vector<std::int64_t> index = *difference;
  for (std::size_t i = 0; i < index.size(); ++i) index[i] -= part.start[i];
  const std::int64_t there = given(*difference), here = start + wanted(index);
  return Misfit{
      fmt::format("{} lies in lane {}, column {}; the MMA writes it to lane {}, column {}", tuple_text(*difference),
                  there / kTensorLane, there % kTensorLane, here / kTensorLane, here % kTensorLane),
      *difference};
}

// PTX ISA, tcgen05: matrix fragments of tcgen05.ld and tcgen05.st.
std::pair<int, int> tensor_load_cell(TensorLoad shape, int thread, int value, int second_half) {
  switch (shape) {
    case TensorLoad::x32x32b:
      return {thread, value};
    case TensorLoad::x16x64b:
      return {thread / 4 + 8 * (thread % 2), 2 * value + thread / 2 % 2};
    case TensorLoad::x16x128b:
      return {thread / 4 + 8 * (value % 2), 4 * (value / 2) + thread % 4};
    case TensorLoad::x16x256b:
      return {thread / 4 + 8 * (value / 2 % 2), 8 * (value / 4) + 2 * (thread % 4) + value % 2};
    case TensorLoad::x16x32bx2:
      return {thread % 16, value + (thread < 16 ? 0 : second_half)};
  }
  return {};
}

int tensor_load_registers(TensorLoad shape, int repeat) {
  switch (shape) {
    case TensorLoad::x16x128b:
      return 2 * repeat;
    case TensorLoad::x16x256b:
      return 4 * repeat;
    default:
      return repeat;
  }
}

int tensor_load_lanes(TensorLoad shape) {
  return shape == TensorLoad::x32x32b ? 32 : 16;
}

int tensor_load_columns(TensorLoad shape, int repeat) {
  return 32 * tensor_load_registers(shape, repeat) / tensor_load_lanes(shape);
}

}  // namespace warpcc::layout
