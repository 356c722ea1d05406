#include "standin/device.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace warpcc::standin {

int attribute(const State& state, int which) {
  switch (which) {
    case 1:
      return 1024;  // threads a CTA
    case 2:
    case 3:
      return 1024;
    case 4:
      return 64;
    case 5:
      return 2147483647;
    case 6:
    case 7:
      return 65535;
    case 8:
      return 49152;  // shared bytes a CTA without asking
    case 10:
      return 32;  // lanes of a warp
    case 12:
      return 65536;  // registers a CTA
    case 16:
      return state.processors();
    case 38:
      return 60 << 20;  // bytes of L2
    case 39:
      return 2048;  // threads an SM
    case 75:
      return state.capability_major();
    case 76:
      return 0;
    case 81:
      return 233472;  // shared bytes an SM
    case 82:
      return 65536;  // registers an SM
    case 88:         // memory that no interface gave
    case 91:         // registered memory at the host's address
    case 96:
      return 0;
    case 97:
      return 232448;  // shared bytes a CTA that asks
    case 106:
      return 32;  // CTAs an SM
    case 111:
      return 1024;  // shared bytes that are the system's
    case 120:
      return 1;  // clusters
    default:
      return 1;
  }
}

std::array<std::uint32_t, 3> cluster_of(const LaunchAttribute* attributes, unsigned count) {
  constexpr int kClusterDimension = 4;
  for (unsigned i = 0; i < count; ++i) {
    const auto& cluster = attributes[i].value.cluster;
    if (attributes[i].id == kClusterDimension) return {cluster.x, cluster.y, cluster.z};
  }
  return {};
}

bool dependent_of(const LaunchAttribute* attributes, unsigned count) {
  constexpr int kProgrammaticStreamSerialization = 6;
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].id == kProgrammaticStreamSerialization && attributes[i].value.cluster.x != 0) return true;
  }
  return false;
}

bool cooperative_of(const LaunchAttribute* attributes, unsigned count) {
  constexpr int kCooperative = 2;
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].id == kCooperative && attributes[i].value.cluster.x != 0) return true;
  }
  return false;
}

void* allocate_for_both(State& state, std::size_t bytes) {
  auto& memory = state.device().memory();
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  std::uint64_t at = memory.reserve(static_cast<std::int64_t>(size));
  if (at == 0) return nullptr;
  void* place = mmap(reinterpret_cast<void*>(at), size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  memory.share(at, {static_cast<std::uint8_t*>(place), size});
  return place;
}

bool free_memory(State& state, void* pointer) {
  auto& memory = state.device().memory();
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  std::span<std::uint8_t> place = memory.bytes(at, 0);
  const checker::DeviceMemory::Allocation* of = memory.find(at, 0);
  const std::size_t size = of == nullptr ? 0 : of->bytes.size();
  if (!memory.free(at)) return false;
  if (place.data() == pointer) munmap(pointer, size);
  return true;
}

bool register_host(State& state, void* host, std::size_t bytes) {
  auto& memory = state.device().memory();
  std::uint64_t at = memory.reserve(static_cast<std::int64_t>(bytes));
  if (at == 0) return false;
  memory.share(at, {static_cast<std::uint8_t*>(host), bytes});
  state.registered[host] = {at, bytes};
  return true;
}

bool unregister_host(State& state, void* host) {
  auto found = state.registered.find(host);
  if (found == state.registered.end()) return false;
  state.device().memory().free(found->second.first);
  state.registered.erase(found);
  return true;
}

void* for_kernels(State& state, void* host) {
  if (state.device().memory().find(reinterpret_cast<std::uint64_t>(host), 0) != nullptr) return host;
  auto after = state.registered.upper_bound(host);
  if (after == state.registered.begin()) return nullptr;
  auto [begin, where] = *std::prev(after);
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(host) - static_cast<const char*>(begin));
  return offset < where.second ? reinterpret_cast<void*>(where.first + offset) : nullptr;
}

int copy(State& state, void* to, const void* from, std::size_t bytes) {
  if (state.status() != kSuccess) return state.status();
  if (bytes == 0) return kSuccess;
  auto& memory = state.device().memory();
  const auto count = static_cast<std::int64_t>(bytes);
  const auto into = reinterpret_cast<std::uint64_t>(to), out_of = reinterpret_cast<std::uint64_t>(from);
  std::span<std::uint8_t> on_device = memory.bytes(into, count), from_device = memory.bytes(out_of, count);
  // An address of the device's that no allocation holds is not to be touched.
  if ((on_device.empty() && memory.owns(into)) || (from_device.empty() && memory.owns(out_of)))
    return state.fail(kInvalidValue);
  void* target = on_device.empty() ? to : on_device.data();
  const void* source = from_device.empty() ? from : from_device.data();
  std::memmove(target, source, bytes);
  if (!on_device.empty()) memory.mark_written(into, count);
  return kSuccess;
}

// Rows of bytes; arrays of textures there are none.
int copy(State& state, const CopyBox& box) {
  if (box.from.array != nullptr || box.to.array != nullptr) return state.fail(kNotSupported);
  auto row = [](const CopyBox::Side& of, std::size_t y, std::size_t z) {
    return of.pointer + ((of.z + z) * of.height + of.y + y) * of.pitch + of.x;
  };
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      int error = copy(state, row(box.to, y, z), row(box.from, y, z), box.width);
      if (error != kSuccess) return error;
    }
  }
  return kSuccess;
}

int set(State& state, void* to, std::uint32_t pattern, int width, std::size_t count) {
  auto& memory = state.device().memory();
  const auto at = reinterpret_cast<std::uint64_t>(to);
  const auto bytes = static_cast<std::int64_t>(count) * width;
  std::span<std::uint8_t> place = memory.bytes(at, bytes);
  if (place.empty() && bytes > 0) return state.fail(kInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(&place[i * static_cast<std::size_t>(width)], &pattern, static_cast<std::size_t>(width));
  memory.mark_written(at, bytes);
  return kSuccess;
}

}  // namespace warpcc::standin
