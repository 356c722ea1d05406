// Tensor memory of one CTA: 128 lanes by 512 columns of 32 bits, its allocation, and the state of every column in each
// quarter of the lanes (a quarter is what one warp reaches).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/machine/fault.h"

namespace warpcc::machine {

class TensorMemory {
 public:
  static constexpr int kLanes = 128, kColumns = 512, kQuarters = 4, kQuarterLanes = 32;

  enum class State : std::uint8_t { unwritten, written, read };
  struct Cell {
    State state = State::unwritten;
    std::uint16_t pending = 0;  // MMAs under way that write it
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

  Cell& cell(int quarter, std::uint32_t column) { return cells_[static_cast<std::size_t>(quarter)][column]; }

  bool holds_values() const { return !values_.empty(); }
  float* row(int lane) { return &values_[static_cast<std::size_t>(lane) * kColumns]; }

 private:
  std::array<bool, kColumns / 32> taken_{};
  bool relinquished_ = false;
  std::array<std::array<Cell, kColumns>, kQuarters> cells_{};
  std::vector<float> values_;
};

}  // namespace warpcc::machine
