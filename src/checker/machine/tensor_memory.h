// Tensor memory of one CTA: 128 lanes by 512 columns of 32 bits, its allocation, and the state of every column in each
// quarter of the lanes (a quarter is what one warp reaches).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/machine/counters.h"
#include "checker/machine/fault.h"

namespace warpcc::machine {

class TensorMemory {
 public:
  static constexpr int kLanes = 128, kColumns = 512, kQuarters = 4, kQuarterLanes = 32;

  // 64 columns of a quarter, a bit each.
  struct Block {
    std::uint64_t written = 0, read = 0;  // by an MMA or a store; since then, by a load: one or the other, or neither
    Counters pending;                     // MMAs under way that write it
  };

  // With `values` it holds numbers as well.
  explicit TensorMemory(bool values);

  // The first column; nothing where the columns are taken.
  std::optional<std::uint32_t> allocate(std::int64_t columns, Faults& faults);
  void free(std::int64_t first, std::int64_t columns, Faults& faults);
  void relinquish() { relinquished_ = true; }
  int allocated_columns() const;
  // Whether [first, first + columns) is allocated.
  bool allocated(std::int64_t first, std::int64_t columns) const;

  // function(block, columns of it, first column of the block), for each block that has some of the columns.
  template <typename F>
  void for_each_block(int quarter, std::uint32_t first, int columns, F function) {
    std::uint32_t column = first, end = first + static_cast<std::uint32_t>(columns);
    while (column < end) {
      std::uint32_t bit = column % 64, count = std::min(64 - bit, end - column);
      function(blocks_[static_cast<std::size_t>(quarter)][column / 64], bits_of(bit, count), column - bit);
      column += count;
    }
  }

  bool holds_values() const { return !values_.empty(); }
  float* row(int lane) { return &values_[static_cast<std::size_t>(lane) * kColumns]; }

 private:
  std::array<bool, kColumns / 32> taken_{};
  bool relinquished_ = false;
  std::array<std::array<Block, kColumns / 64>, kQuarters> blocks_{};
  std::vector<float> values_;
};

}  // namespace warpcc::machine
