// What both of CUDA's interfaces say of the device and do with its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "standin/state.h"

namespace warpcc::standin {

// CUDA runtime API, cudaDeviceAttr; the driver's CUdevice_attribute has the same numbers.
int attribute(const State& state, int which);

// What a launch may say beside its dimensions (CUDA driver API, CUlaunchAttribute).
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
std::array<std::uint32_t, 3> cluster_of(const LaunchAttribute* attributes, unsigned count);
// Whether they let the grid start before the one before it has ended (programmatic stream serialization).
bool dependent_of(const LaunchAttribute* attributes, unsigned count);

// Copies between host and device: an address tells whose it is. Sets bytes, `pattern` of `width` bytes again and again.
int copy(State& state, void* to, const void* from, std::size_t bytes);
int set(State& state, void* to, std::uint32_t pattern, int width, std::size_t count);

}  // namespace warpcc::standin
