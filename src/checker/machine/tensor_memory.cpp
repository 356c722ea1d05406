#include "checker/machine/tensor_memory.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace warpcc::machine {

namespace {
// PTX ISA, tcgen05.alloc: a power of two of at least 32 columns.
bool valid_columns(std::int64_t columns) {
  return columns >= 32 && columns <= TensorMemory::kColumns && (columns & (columns - 1)) == 0;
}
}  // namespace

TensorMemory::TensorMemory(bool values) {
  if (values) values_.assign(std::size_t{kLanes} * kColumns, std::numeric_limits<float>::quiet_NaN());
}

std::optional<std::uint32_t> TensorMemory::allocate(std::int64_t columns, Faults& faults) {
  if (relinquished_) faults.protocol("allocates tensor memory after giving up the right to");
  if (!valid_columns(columns)) {
    faults.protocol(
        fmt::format("allocates {} columns of tensor memory; a power of two from 32 to 512 can be had", columns));
    return {};
  }
  auto blocks = static_cast<std::size_t>(columns / 32);
  for (std::size_t first = 0; first + blocks <= taken_.size(); first += blocks) {
    bool free = true;
    for (std::size_t i = 0; i < blocks; ++i) free = free && !taken_[first + i];
    if (!free) continue;
    for (std::size_t i = 0; i < blocks; ++i) taken_[first + i] = true;
    return static_cast<std::uint32_t>(first * 32);
  }
  faults.protocol(fmt::format("allocates {} columns of tensor memory, of which {} are taken: it would wait for ever",
                              columns, allocated_columns()));
  return {};
}

void TensorMemory::free(std::int64_t first, std::int64_t columns, Faults& faults) {
  if (!valid_columns(columns) || first < 0 || first % 32 != 0 || !allocated(first, columns)) {
    faults.protocol(
        fmt::format("frees columns {} .. {} of tensor memory, which are not all allocated", first, first + columns));
    return;
  }
  std::int64_t still_written = kColumns;
  auto each = [&](auto function) {
    for (int quarter = 0; quarter < kQuarters; ++quarter)
      for_each_block(quarter, static_cast<std::uint32_t>(first), static_cast<int>(columns), function);
  };
  each([&](Block& block, std::uint64_t mask, std::uint32_t begin) {
    if (std::uint64_t pending = block.pending.above_zero() & mask)
      still_written = std::min<std::int64_t>(still_written, begin + std::countr_zero(pending));
  });
  if (still_written < kColumns) {
    faults.memory(fmt::format("frees column {} of tensor memory, which an MMA under way still writes", still_written));
    return;
  }
  each([](Block& block, std::uint64_t mask, std::uint32_t) {
    block.written &= ~mask;
    block.read &= ~mask;
  });
  for (std::int64_t column = first; column < first + columns; column += 32)
    taken_[static_cast<std::size_t>(column / 32)] = false;
}

int TensorMemory::allocated_columns() const {
  int columns = 0;
  for (bool block : taken_) columns += block ? 32 : 0;
  return columns;
}

bool TensorMemory::allocated(std::int64_t first, std::int64_t columns) const {
  if (first < 0 || columns < 0 || first + columns > kColumns) return false;
  for (std::int64_t block = first / 32; block * 32 < first + columns; ++block) {
    if (!taken_[static_cast<std::size_t>(block)]) return false;
  }
  return true;
}

}  // namespace warpcc::machine
