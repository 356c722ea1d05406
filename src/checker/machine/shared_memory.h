// Shared memory of one CTA. Every byte knows whether it has been written; every 16-byte unit how many asynchronous
// operations still write or read it, and whether a live barrier lies in it. What is known of units is kept for 64 of
// them together, a bit each: boxes and operands are of hundreds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/machine/counters.h"

namespace warpcc::machine {

class SharedMemory {
 public:
  static constexpr std::uint32_t kUnit = 16, kBlock = 64 * kUnit;

  // A bit a unit.
  struct Block {
    std::uint64_t unwritten = ~std::uint64_t{0};  // units of which some byte has not been written
    std::uint64_t barriers = 0;                   // a live mbarrier lies in it
    std::uint64_t invalid = 0;                    // it came from behind the valid extents of a buffer
    Counters landing;                             // loads of the copy engine under way into it
    Counters reading;  // operations of the tensor core and the copy engine that have yet to read it
  };

  // Bytes [begin, end) are the kernel's.
  SharedMemory(std::uint32_t begin, std::uint32_t end);

  bool inside(std::int64_t offset, std::int64_t bytes) const {
    return offset >= begin_ && bytes >= 0 && offset + bytes <= end_;
  }
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }

  // All below need the bytes inside.
  bool written(std::uint32_t offset, std::uint32_t bytes) const;
  void mark_written(std::uint32_t offset, std::uint32_t bytes);
  std::uint32_t read(std::uint32_t offset, std::uint32_t bytes) const;  // up to 4
  void write(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value);
  std::span<std::uint8_t> bytes(std::uint32_t offset, std::uint32_t count) { return {&data_[offset], count}; }
  const std::uint8_t* data() const { return data_.data(); }

  Block& block(std::uint32_t offset) { return blocks_[offset / kBlock]; }
  const Block& block(std::uint32_t offset) const { return blocks_[offset / kBlock]; }
  static std::uint64_t unit_bit(std::uint32_t offset) { return std::uint64_t{1} << offset / kUnit % 64; }

  // function(block, units of it, offset of the block), for each block that has some of the bytes.
  template <typename F>
  void for_each_block(std::uint32_t start, std::int64_t bytes, F function) {
    if (bytes <= 0) return;
    std::uint32_t unit = start / kUnit, end = (start + static_cast<std::uint32_t>(bytes) + kUnit - 1) / kUnit;
    while (unit < end) {
      std::uint32_t first = unit % 64, count = std::min(64 - first, end - unit);
      function(blocks_[unit / 64], bits_of(first, count), unit / 64 * kBlock);
      unit += count;
    }
  }

 private:
  std::uint32_t begin_, end_;
  std::vector<std::uint8_t> data_;      // from offset 0 on, whole blocks
  std::vector<std::uint16_t> written_;  // a bit a byte, by unit
  std::vector<Block> blocks_;
};

}  // namespace warpcc::machine
