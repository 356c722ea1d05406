#include "standin/device.h"

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
  return {1, 1, 1};
}

bool dependent_of(const LaunchAttribute* attributes, unsigned count) {
  constexpr int kProgrammaticStreamSerialization = 6;
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].id == kProgrammaticStreamSerialization && attributes[i].value.cluster.x != 0) return true;
  }
  return false;
}

int copy(State& state, void* to, const void* from, std::size_t bytes) {
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
