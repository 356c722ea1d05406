#include "checker/machine/shared_memory.h"

#include <cstring>

namespace warpcc::machine {

SharedMemory::SharedMemory(std::uint32_t begin, std::uint32_t end) : begin_(begin), end_(end) {
  std::size_t blocks = (end + kBlock - 1) / kBlock + 1;
  data_.assign(blocks * kBlock, 0);
  written_.assign(blocks * 64, 0);
  blocks_.assign(blocks, {});
}

bool SharedMemory::written(std::uint32_t offset, std::uint32_t bytes) const {
  while (bytes > 0) {
    std::uint32_t first = offset % kUnit, count = std::min(kUnit - first, bytes);
    auto wanted = static_cast<std::uint16_t>(bits_of(first, count));
    if ((written_[offset / kUnit] & wanted) != wanted) return false;
    offset += count;
    bytes -= count;
  }
  return true;
}

void SharedMemory::mark_written(std::uint32_t offset, std::uint32_t bytes) {
  while (bytes > 0) {
    Block& block = blocks_[offset / kBlock];
    if ((block.unwritten | block.invalid) == 0) {  // nothing to mark in all of it
      std::uint32_t rest = std::min(kBlock - offset % kBlock, bytes);
      offset += rest;
      bytes -= rest;
      continue;
    }
    std::uint32_t first = offset % kUnit, count = std::min(kUnit - first, bytes);
    block.invalid &= ~unit_bit(offset);
    if (block.unwritten & unit_bit(offset)) {
      std::uint16_t& unit = written_[offset / kUnit];
      unit = static_cast<std::uint16_t>(unit | bits_of(first, count));
      if (unit == 0xffff) block.unwritten &= ~unit_bit(offset);
    }
    offset += count;
    bytes -= count;
  }
}

std::uint32_t SharedMemory::read(std::uint32_t offset, std::uint32_t bytes) const {
  std::uint32_t value = 0;
  std::memcpy(&value, &data_[offset], bytes);
  return value;
}

void SharedMemory::write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
  std::memcpy(&data_[offset], &value, bytes);
  mark_written(offset, bytes);
}

}  // namespace warpcc::machine
