#include "checker/machine/shared_memory.h"

#include <cstring>

namespace warpcc::machine {

SharedMemory::SharedMemory(std::uint32_t begin, std::uint32_t end) : begin_(begin), end_(end) {
  std::uint32_t units = (end + kUnit - 1) / kUnit + 1;
  data_.assign(static_cast<std::size_t>(units) * kUnit, 0);
  units_.assign(units, {});
}

bool SharedMemory::written(std::uint32_t offset, std::uint32_t bytes) const {
  for (std::uint32_t at = offset; at < offset + bytes; ++at) {
    if (!(unit(at).written >> at % kUnit & 1)) return false;
  }
  return true;
}

void SharedMemory::mark_written(std::uint32_t offset, std::uint32_t bytes) {
  for (std::uint32_t at = offset; at < offset + bytes; ++at) {
    unit(at).written = static_cast<std::uint16_t>(unit(at).written | 1u << at % kUnit);
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
