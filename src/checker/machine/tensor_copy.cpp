// tcgen05.cp: rows of shared memory to lanes of tensor memory; tcgen05.shift.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "checker/machine/tensor_core.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::machine {

namespace {

constexpr int kWordBytes = 4;

// The lanes that row `row` goes to (PTX ISA, tcgen05.cp: multicast). Of four rows each has its quarter of the lanes, so
// that they are the new last rows after a shift.
llvm::SmallVector<int, 4> lanes_of(int row, const TensorCore::Copy& copy) {
  if (copy.rows == TensorMemory::kQuarters)
    return {static_cast<int>(copy.to >> 16) % TensorMemory::kQuarterLanes + row * TensorMemory::kQuarterLanes};
  switch (copy.spread) {
    case TensorCore::Copy::Spread::warps_02_13:
      return {row, row + 64};
    case TensorCore::Copy::Spread::warps_01_23:
      return {row + row / 32 * 32, row + row / 32 * 32 + 32};
    case TensorCore::Copy::Spread::all_warps:
      return {row, row + 32, row + 64, row + 96};
    default:
      return {row};
  }
}

// 16 elements, 8 or 12 bytes of 16, get a byte each: of 6 bits the lower, of 4 those in the middle (PTX ISA,
// tcgen05.cp: optional decompression).
void unpack(std::uint32_t* words, int bits) {
  std::array<std::uint8_t, 16> packed{}, bytes{};
  std::memcpy(packed.data(), words, packed.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t first = i * static_cast<std::size_t>(bits);
    const auto word = static_cast<unsigned>(packed[first / 8] | packed[first / 8 + 1] << 8);
    const unsigned element = word >> first % 8 & ((1u << bits) - 1);
    bytes[i] = static_cast<std::uint8_t>(bits == 4 ? element << kMiddleShift : element);
  }
  std::memcpy(words, bytes.data(), bytes.size());
}

}  // namespace

std::optional<TensorCore::ReadyCopy> TensorCore::issue(const Copy& copy, const std::vector<TensorCoreSide>& sides,
                                                       Faults& faults) {
  auto descriptor = layout::OperandDescriptor::decode(copy.from, layout::TensorCore::tcgen05);
  if (!descriptor) {
    faults.protocol(fmt::format("the descriptor {:#018x} of a copy to tensor memory is none", copy.from));
    return {};
  }
  const int words = copy.bytes / kWordBytes;
  ReadyCopy ready;
  ready.copy = copy;
  for (int row = 0; row < copy.rows; ++row) {
    for (int word = 0; word < words; ++word) ready.addresses.push_back(descriptor->address(row, word * kWordBytes, 8));
  }
  for (const TensorCoreSide& side : sides) {
    for (std::uint32_t address : ready.addresses) {
      if (!side.shared->inside(address, kWordBytes)) {
        faults.memory(fmt::format("copies shared memory at {:#x}, outside the kernel's, to tensor memory", address));
        return {};
      }
      const SharedMemory::Block& block = side.shared->block(address);
      const std::uint64_t unit = SharedMemory::unit_bit(address);
      const bool landing = (block.landing.above_zero() & unit) != 0;
      if (!landing && side.shared->written(address, kWordBytes)) continue;
      faults.memory(fmt::format("copies shared memory at {:#x}, {}, to tensor memory", address,
                                landing ? "where a load is still under way" : "which nothing has written"));
      return {};
    }
    if (!side.tensor->allocated(copy.to & 0xffff, words)) {
      faults.memory(fmt::format("copies to columns {} .. {} of tensor memory, which are not allocated",
                                copy.to & 0xffff, (copy.to & 0xffff) + static_cast<std::uint32_t>(words)));
      return {};
    }
  }
  for (const TensorCoreSide& side : sides) {
    for (std::size_t i = 0; i < ready.addresses.size(); i += 4) {
      std::uint32_t address = ready.addresses[i];
      side.shared->block(address).reading.add(SharedMemory::unit_bit(address));
    }
    for (int quarter = 0; quarter < TensorMemory::kQuarters; ++quarter) {
      side.tensor->for_each_block(
          quarter, copy.to & 0xffff, words,
          [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) { block.pending.add(mask); });
    }
  }
  return ready;
}

void TensorCore::run(const ReadyCopy& ready, const std::vector<TensorCoreSide>& sides) {
  const Copy& copy = ready.copy;
  const int words = copy.bytes / kWordBytes;
  const std::uint32_t column = copy.to & 0xffff;
  for (const TensorCoreSide& side : sides) {
    for (int row = 0; side.tensor->holds_values() && row < copy.rows; ++row) {
      std::array<std::uint32_t, 8> values{};  // 32 bytes are the most
      for (int word = 0; word < words; ++word)
        values[static_cast<std::size_t>(word)] =
            side.shared->read(ready.addresses[static_cast<std::size_t>(row * words + word)], kWordBytes);
      for (int word = 0; copy.packed_bits != 0 && word < words; word += 4)
        unpack(&values[static_cast<std::size_t>(word)], copy.packed_bits);
      for (int lane : lanes_of(row, copy)) {
        for (int word = 0; word < words; ++word)
          side.tensor->row(lane)[column + static_cast<std::uint32_t>(word)] =
              std::bit_cast<float>(values[static_cast<std::size_t>(word)]);
      }
    }
    for (std::size_t i = 0; i < ready.addresses.size(); i += 4) {
      std::uint32_t address = ready.addresses[i];
      side.shared->block(address).reading.remove(SharedMemory::unit_bit(address));
    }
    for (int quarter = 0; quarter < TensorMemory::kQuarters; ++quarter) {
      side.tensor->for_each_block(quarter, column, words,
                                  [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) {
                                    block.pending.remove(mask);
                                    block.written |= mask;
                                    block.read &= ~mask;
                                  });
    }
  }
}

std::optional<TensorCore::Shift> TensorCore::issue(const Shift& shift, const std::vector<TensorCoreSide>& sides,
                                                   Faults& faults) {
  const std::uint32_t column = shift.at & 0xffff, first_lane = shift.at >> 16;
  if (first_lane % TensorMemory::kQuarterLanes != 0 || first_lane >= TensorMemory::kLanes) {
    faults.protocol(fmt::format("shifts rows from lane {} on, which is no multiple of 32", first_lane));
    return {};
  }
  for (const TensorCoreSide& side : sides) {
    if (side.tensor->allocated(column, kShiftColumns)) continue;
    faults.memory(fmt::format("shifts columns {} .. {} of tensor memory, which are not allocated", column,
                              column + kShiftColumns));
    return {};
  }
  for (const TensorCoreSide& side : sides) {
    for (int quarter = static_cast<int>(first_lane) / 32; quarter < TensorMemory::kQuarters; ++quarter) {
      side.tensor->for_each_block(
          quarter, column, kShiftColumns,
          [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) { block.pending.add(mask); });
    }
  }
  return shift;
}

void TensorCore::run(const Shift& shift, const std::vector<TensorCoreSide>& sides) {
  const std::uint32_t column = shift.at & 0xffff;
  for (const TensorCoreSide& side : sides) {
    for (int quarter = static_cast<int>(shift.at >> 16) / 32; quarter < TensorMemory::kQuarters; ++quarter) {
      const int first = quarter * TensorMemory::kQuarterLanes, last = first + TensorMemory::kQuarterLanes - 1;
      for (int lane = first; side.tensor->holds_values() && lane < last; ++lane)
        std::copy_n(side.tensor->row(lane + 1) + column, kShiftColumns, side.tensor->row(lane) + column);
      side.tensor->for_each_block(
          quarter, column, kShiftColumns,
          [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) { block.pending.remove(mask); });
    }
  }
}

}  // namespace warpcc::machine
