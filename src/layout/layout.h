// Layouts: maps from coordinates to integers, with the spaces they map between in their types (docs/layouts.md).
//
// A layout has coordinates; each coordinate is one or more modes (extent, stride), the first the fastest, so that a
// coordinate of 128 may be 64 rows and 2 halves with strides of their own. Its value at a coordinate is offset + the
// sum of index × stride.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/Error.h"

namespace warpcc::layout {

enum class Space : std::uint8_t { logical, tv, physical };

struct Mode {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  bool broadcast = false;  // into physical space only: these indices share an address on purpose

  friend bool operator==(const Mode&, const Mode&) = default;
};

// One coordinate: its modes, the first the fastest. Its extent is their product.
using Coordinate = std::vector<Mode>;
std::int64_t extent(const Coordinate& coordinate);

// A permutation of byte addresses that XORs bits [base + shift, base + shift + bits) into bits [base, base + bits):
// CuTe's Swizzle<bits, base, shift> on bytes. `bits` 0: none. The hardware applies it to absolute shared addresses (PTX
// ISA, tensor maps: swizzle modes).
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  std::int64_t operator()(std::int64_t byte) const {
    return byte ^ ((byte >> shift) & (((std::int64_t{1} << bits) - 1) << base));
  }
  // The row within which it moves bytes: 0, 32, 64, 128 bytes for the hardware's.
  int span() const { return bits == 0 ? 0 : 1 << (base + bits); }
  // The bytes after which it repeats itself; a tile starts at a multiple of it.
  int pattern() const { return bits == 0 ? 1 : 1 << (base + shift + bits); }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};
// The 32-, 64- and 128-byte modes of the copy engine and the tensor core; none for any other number. The 128-byte mode
// may keep 32 or 64 bytes together in place of 16. They all read the bits from 7 on (PTX ISA, tensor maps: swizzle
// modes).
constexpr Swizzle swizzle_of_span(int bytes, int atom = 16) {
  const auto log2 = [](int power) { return std::countr_zero(static_cast<unsigned>(power)); };
  const bool plain = atom == 16 && (bytes == 32 || bytes == 64 || bytes == 128);
  const bool wide = (atom == 32 || atom == 64) && bytes == 128;
  if (!plain && !wide) return {};
  return {.bits = log2(bytes) - log2(atom), .base = log2(atom), .shift = 7 - log2(atom)};
}

// The untyped body of a layout: what all of them share. Typed layouts are below; code that only evaluates takes this.
class Map {
 public:
  Map() = default;
  explicit Map(std::vector<Coordinate> coordinates, std::int64_t offset = 0)
      : coordinates_(std::move(coordinates)), offset_(offset) {}

  int rank() const { return static_cast<int>(coordinates_.size()); }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  std::int64_t extent(int coordinate) const { return layout::extent(coordinates_[coordinate]); }
  std::vector<std::int64_t> shape() const;
  std::int64_t size() const;
  std::int64_t offset() const { return offset_; }

  // The value at a coordinate tuple, one index a coordinate, each in its extent; and at a linear index, first
  // coordinate fastest.
  std::int64_t operator()(std::span<const std::int64_t> index) const {
    std::int64_t value = offset_;
    const std::int64_t* at = index.data();
    for (const Coordinate& coordinate : coordinates_) value += along(coordinate, *at++);
    return value;
  }
  std::int64_t at(std::int64_t linear) const;
  // One past the largest value.
  std::int64_t span() const;

  // The modes of all coordinates, first to last.
  std::vector<Mode> modes() const;

  // `(128, 64) : (64, 1)`, nested where a coordinate has several modes: `((64, 2), 8) : …`. A broadcast mode has the
  // stride `broadcast`; an offset follows as ` + 5`.
  std::string text() const;

  friend bool operator==(const Map&, const Map&) = default;

 private:
  // What an index along one coordinate adds. Its last mode needs no remainder, so that most need no division.
  static std::int64_t along(const Coordinate& coordinate, std::int64_t index) {
    if (coordinate.empty()) return 0;
    const Mode* const last = &coordinate.back();
    std::int64_t value = 0;
    for (const Mode* mode = coordinate.data(); mode != last; ++mode) {
      value += index % mode->extent * mode->stride;
      index /= mode->extent;
    }
    return value + index * last->stride;
  }

  std::vector<Coordinate> coordinates_;
  std::int64_t offset_ = 0;
};

// The shape with the last coordinate innermost and nothing between, and with the first.
Map row_major(std::span<const std::int64_t> shape);
Map col_major(std::span<const std::int64_t> shape);

// `(3, 0, 7)`: how messages write a coordinate or a shape.
std::string tuple_text(std::span<const std::int64_t> tuple);

// A layout from one space to another. Into logical or tv it is a bijection onto [0, size); into physical different
// coordinates have different values, but for those marked broadcast. Nothing maps out of physical. Checked when made,
// in time near-linear in its rank, never by enumeration.
template <Space From, Space To>
class Layout : public Map {
  static_assert(From != Space::physical, "nothing maps out of a physical index");

 public:
  // Fails, in words for the user, where the promise of the codomain is broken (with two coordinates that collide, or
  // the first hole).
  static llvm::Expected<Layout> make(Map map);

 private:
  explicit Layout(Map map) : Map(std::move(map)) {}
};

using Logical = Layout<Space::logical, Space::logical>;
using ThreadValue = Layout<Space::tv, Space::logical>;  // coordinates: thread, value

// A layout into physical space with its swizzle: where a tile's elements lie, in elements before the swizzle. For
// tensor memory the unit is the address (lane × 0x10000 + column).
class Physical {
 public:
  Physical() = default;
  static llvm::Expected<Physical> make(Map map, Swizzle swizzle = {});

  const Map& map() const { return map_; }
  const Swizzle& swizzle() const { return swizzle_; }
  // The element's byte offset from the tile's start, swizzle applied; the tile must start where the swizzle's pattern
  // starts.
  std::int64_t byte(std::span<const std::int64_t> index, int element_bits) const {
    return swizzle_(map_(index) * element_bits / 8);
  }
  // Bytes from the first to past the last element.
  std::int64_t bytes(int element_bits) const;

  friend bool operator==(const Physical&, const Physical&) = default;

 private:
  Map map_;
  Swizzle swizzle_;
};

}  // namespace warpcc::layout
