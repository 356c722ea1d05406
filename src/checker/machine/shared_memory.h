// Shared memory of one CTA. Every byte knows whether it has been written; every 16-byte unit how many asynchronous
// operations still write or read it, and whether a live barrier lies in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpcc::machine {

class SharedMemory {
 public:
  static constexpr std::uint32_t kUnit = 16;

  struct Unit {
    std::uint16_t written = 0;  // a bit a byte
    std::uint16_t landing = 0;  // loads of the copy engine under way into it
    std::uint16_t reading = 0;  // operations of the tensor core and the copy engine that have yet to read it
    bool barrier = false;       // a live mbarrier lies in it
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

  Unit& unit(std::uint32_t offset) { return units_[offset / kUnit]; }
  const Unit& unit(std::uint32_t offset) const { return units_[offset / kUnit]; }

 private:
  std::uint32_t begin_, end_;
  std::vector<std::uint8_t> data_;  // from offset 0 on, whole units
  std::vector<Unit> units_;
};

}  // namespace warpcc::machine
