#include "layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "layout/promise.h"

namespace warpcc::layout {
namespace {

llvm::Error refused(const Map& map, const std::string& reason) {
  return llvm::make_error<llvm::StringError>(fmt::format("the layout {}: {}", map.text(), reason),
                                             llvm::inconvertibleErrorCode());
}

template <typename Print>
std::string joined(std::size_t count, Print&& print) {
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += print(i);
  }
  return text + ")";
}

template <typename Print>
std::string coordinates_text(const std::vector<Coordinate>& coordinates, Print&& print) {
  return joined(coordinates.size(), [&](std::size_t c) {
    const Coordinate& coordinate = coordinates[c];
    if (coordinate.size() == 1) return print(coordinate[0]);
    return joined(coordinate.size(), [&](std::size_t m) { return print(coordinate[m]); });
  });
}

// Lays the coordinates out without gaps in the order in which `order` names them, the first the fastest. A stride that
// overflows is the largest there is, and no layout is made of it.
template <typename Order>
Map dense(std::span<const std::int64_t> shape, Order&& order) {
  std::vector<Coordinate> coordinates(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t at = order(i);
    coordinates[at] = {Mode{shape[at], stride}};
    if (__builtin_mul_overflow(stride, shape[at], &stride)) stride = std::numeric_limits<std::int64_t>::max();
  }
  return Map(std::move(coordinates));
}

}  // namespace

std::int64_t extent(const Coordinate& coordinate) {
  std::int64_t product = 1;
  for (const Mode& mode : coordinate) product *= mode.extent;
  return product;
}

std::string tuple_text(std::span<const std::int64_t> tuple) {
  return joined(tuple.size(), [&](std::size_t i) { return std::to_string(tuple[i]); });
}

std::vector<std::int64_t> Map::shape() const {
  std::vector<std::int64_t> extents;
  for (const Coordinate& coordinate : coordinates_) extents.push_back(layout::extent(coordinate));
  return extents;
}

std::int64_t Map::size() const {
  std::int64_t product = 1;
  for (const Coordinate& coordinate : coordinates_) product *= layout::extent(coordinate);
  return product;
}

std::int64_t Map::at(std::int64_t linear) const {
  std::int64_t value = offset_;
  for (const Coordinate& coordinate : coordinates_)
    for (const Mode& mode : coordinate) {
      value += linear % mode.extent * mode.stride;
      linear /= mode.extent;
    }
  return value;
}

std::int64_t Map::span() const {
  std::int64_t largest = offset_;
  for (const Coordinate& coordinate : coordinates_)
    for (const Mode& mode : coordinate) {
      if (mode.extent == 0) return 0;
      largest += std::max<std::int64_t>(0, (mode.extent - 1) * mode.stride);
    }
  return largest + 1;
}

std::vector<Mode> Map::modes() const {
  std::vector<Mode> all;
  std::size_t count = 0;
  for (const Coordinate& coordinate : coordinates_) count += coordinate.size();
  all.reserve(count);
  for (const Coordinate& coordinate : coordinates_) all.insert(all.end(), coordinate.begin(), coordinate.end());
  return all;
}

std::string Map::text() const {
  std::string text = coordinates_text(coordinates_, [](const Mode& mode) { return std::to_string(mode.extent); });
  text += " : ";
  text += coordinates_text(coordinates_, [](const Mode& mode) {
    return mode.broadcast ? std::string("broadcast") : std::to_string(mode.stride);
  });
  if (offset_ != 0) text += fmt::format(" + {}", offset_);
  return text;
}

Map row_major(std::span<const std::int64_t> shape) {
  return dense(shape, [&](std::size_t i) { return shape.size() - 1 - i; });
}

Map col_major(std::span<const std::int64_t> shape) {
  return dense(shape, [](std::size_t i) { return i; });
}

template <Space From, Space To>
llvm::Expected<Layout<From, To>> Layout<From, To>::make(Map map) {
  std::optional<std::string> reason = too_large(map);
  if (!reason) reason = To == Space::physical ? not_alias_free(map) : not_a_bijection(map);
  if (reason) return refused(map, *reason);
  return Layout(std::move(map));
}

template class Layout<Space::logical, Space::logical>;
template class Layout<Space::logical, Space::tv>;
template class Layout<Space::logical, Space::physical>;
template class Layout<Space::tv, Space::logical>;
template class Layout<Space::tv, Space::tv>;
template class Layout<Space::tv, Space::physical>;

llvm::Expected<Physical> Physical::make(Map map, Swizzle swizzle) {
  std::optional<std::string> reason = too_large(map);
  if (!reason) reason = not_alias_free(map);
  // A chunk of 16 bytes is the hardware's smallest; bits that are read and written must not be the same, or it is no
  // permutation.
  if (!reason && swizzle.bits != 0 &&
      (swizzle.bits < 0 || swizzle.base < 4 || swizzle.shift < swizzle.bits || swizzle.base > 16 || swizzle.shift > 16))
    reason = fmt::format("swizzle ({}, {}, {}) is no permutation of 16-byte chunks", swizzle.bits, swizzle.base,
                         swizzle.shift);
  if (reason) return refused(map, *reason);
  Physical layout;
  layout.map_ = std::move(map);
  layout.swizzle_ = swizzle.bits == 0 ? Swizzle{} : swizzle;
  return layout;
}

std::int64_t Physical::bytes(int element_bits) const {
  const std::int64_t plain = (map_.span() * element_bits + 7) / 8;
  if (swizzle_.bits == 0) return plain;
  // The swizzle may move the last element anywhere in its row.
  const std::int64_t row = swizzle_.span();
  return (plain + row - 1) / row * row;
}

}  // namespace warpcc::layout
