// tcgen05.cp: rows of shared memory to lanes of tensor memory.
#include <fmt/format.h>

#include <bit>

#include "checker/machine/tensor_core.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::machine {

namespace {

constexpr int kWordBytes = 4;

// The lanes that row `row` goes to (PTX ISA, tcgen05.cp: multicast).
llvm::SmallVector<int, 4> lanes_of(int row, TensorCore::Copy::Spread spread) {
  switch (spread) {
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
    for (int row = 0; row < copy.rows; ++row) {
      for (int word = 0; word < words; ++word) {
        std::uint32_t value =
            side.shared->read(ready.addresses[static_cast<std::size_t>(row * words + word)], kWordBytes);
        for (int lane : lanes_of(row, copy.spread)) {
          if (side.tensor->holds_values())
            side.tensor->row(lane)[column + static_cast<std::uint32_t>(word)] = std::bit_cast<float>(value);
        }
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

}  // namespace warpcc::machine
