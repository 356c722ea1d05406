#include "checker/machine/sparsity.h"

#include <algorithm>

namespace warpcc::machine {

namespace {

// Of a chunk: elements that belong together, and how many such groups are stored.
struct Chunk {
  int group, stored, bits_of_index;
};

constexpr Chunk chunk_of(Granularity granularity) {
  switch (granularity) {
    case Granularity::one_of_two:
      return {1, 1, 4};
    case Granularity::two_of_four:
      return {1, 2, 2};
    default:
      return {2, 2, 2};
  }
}

}  // namespace

Granularity granularity_of(layout::Element element, bool packed) {
  if (packed) return Granularity::pairs_of_eight;
  return layout::bits(element) == 32 ? Granularity::one_of_two : Granularity::two_of_four;
}

void spread_row(const float* stored, int count, std::uint64_t chunks, Granularity granularity, float* row) {
  const Chunk chunk = chunk_of(granularity);
  const int whole = 2 * chunk.group * chunk.stored;  // elements of the row that a chunk stands for
  std::fill_n(row, 2 * count, 0.0f);
  for (int first = 0; first < count; first += chunk.group * chunk.stored, chunks >>= 4, row += whole) {
    for (int i = 0; i < chunk.stored; ++i) {
      auto index = static_cast<int>(chunks >> (chunk.bits_of_index * i) & 15);
      // Of 32-bit elements 0b0100 is the first of two, 0b1110 the second.
      const int at = granularity == Granularity::one_of_two ? index >> 1 & 1 : index & 3;
      for (int j = 0; j < chunk.group; ++j) row[at * chunk.group + j] = stored[first + i * chunk.group + j];
    }
  }
}

// A lane's register is a half of two rows' bits, eight rows apart; of elements of 4 and 8 bits it is of one row's.
std::array<std::uint64_t, 16> chunks_of_rows(const std::uint32_t* lanes, int count, int width, int selector) {
  const int bits = width == 32 ? 4 * count : width == 4 ? count : 2 * count;  // of a row
  std::array<std::uint64_t, 16> rows{};
  for (int row = 0; row < 16; ++row) {
    const int quad = row % 8 * 4, half = row / 8;
    auto of = [&](int lane) { return std::uint64_t{lanes[quad + (lane & 3)]}; };
    std::uint64_t& chunks = rows[static_cast<std::size_t>(row)];
    if (bits == 64) {
      chunks = of(half) | of(half + 2) << 32;
    } else if (width <= 8) {
      chunks = of(2 * selector + half);
    } else if (bits == 32) {
      chunks = (of(2 * selector) >> (16 * half) & 0xffff) | (of(2 * selector + 1) >> (16 * half) & 0xffff) << 16;
    } else {
      chunks = of(selector) >> (16 * half) & 0xffff;
    }
  }
  return rows;
}

}  // namespace warpcc::machine
