#include <fmt/format.h>

#include "layout/atoms.h"
#include "layout/cute.h"
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

// PTX ISA, tcgen05.ld: .pack::16b.
std::pair<int, int> tensor_load_packed_cell(TensorLoad shape, int thread, int value, int half, int second_half) {
  const auto [lane, column] = tensor_load_cell(shape, thread, value, second_half);
  return {lane, 2 * column + half};
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

namespace {

// The cells as modes: thread, then value, to tensor-memory addresses. Each is a sum over the bits of the two, as
// tensor_load_cell is, so that its value at powers of two is all of it.
Coordinate bits_of(int extent, std::int64_t (*address)(TensorLoad, int, int), TensorLoad shape, int second_half) {
  Coordinate modes;
  for (int bit = 1; bit < extent; bit *= 2) modes.push_back({2, address(shape, bit, second_half)});
  return modes;
}

std::int64_t address_of(std::pair<int, int> cell) {
  return cell.first * kTensorLane + cell.second;
}

}  // namespace

RegisterTile accumulator_in_registers(int m, int n, bool pair, TensorLoad shape, int repeat) {
  const Map place = accumulator(m, n, pair);
  if (place.rank() == 0) return {std::nullopt, fmt::format("no MMA has M = {} and N = {}", m, n)};
  const int registers = tensor_load_registers(shape, repeat), columns = tensor_load_columns(shape, repeat);
  const std::int64_t width = (place.span() - 1) % kTensorLane + 1;
  if (width % columns != 0)
    return {std::nullopt, fmt::format("{} columns are no multiple of the {} of a load", width, columns)};
  Coordinate threads = bits_of(
      32, [](TensorLoad s, int thread, int half) { return address_of(tensor_load_cell(s, thread, 0, half)); }, shape,
      columns / 2);
  threads.push_back({4, 32 * kTensorLane});
  Coordinate values = bits_of(
      registers, [](TensorLoad s, int value, int half) { return address_of(tensor_load_cell(s, 0, value, half)); },
      shape, columns / 2);
  // Layout F leaves the upper 16 lanes of each quarter alone.
  const bool upper = m != 64 || pair;
  if (tensor_load_lanes(shape) == 16 && upper) values.push_back({2, 16 * kTensorLane});
  values.push_back({width / columns, columns});
  const Map cells({threads, values});
  // Back from addresses to elements, and there again: a lane of no accumulator is found so.
  llvm::Expected<Map> back = cute::left_inverse(place);
  if (!back) return {std::nullopt, llvm::toString(back.takeError())};
  const cute::View elements = cute::composition(*back, cells);
  for (std::int64_t i = 0; i < cells.size(); ++i) {
    const std::int64_t element = elements.at(i), address = cells.at(i);
    if (element < place.size() && place.at(element) == address) continue;
    return {std::nullopt, fmt::format("a load of this shape touches lane {}, column {}, which is not the accumulator's",
                                      address / kTensorLane, address % kTensorLane)};
  }
  const std::optional<Map> strided = elements.strided();
  if (!strided) return {std::nullopt, "its elements have no strides"};
  llvm::Expected<ThreadValue> layout = ThreadValue::make(*strided);
  if (!layout) return {std::nullopt, llvm::toString(layout.takeError())};
  return {std::move(*layout), {}};
}

}  // namespace warpcc::layout
