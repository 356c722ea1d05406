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
// Zeros where they name none.
std::array<std::uint32_t, 3> cluster_of(const LaunchAttribute* attributes, unsigned count);
// Whether they let the grid start before the one before it has ended (programmatic stream serialization).
bool dependent_of(const LaunchAttribute* attributes, unsigned count);
bool cooperative_of(const LaunchAttribute* attributes, unsigned count);

// Memory that the host and kernels reach at one address: pinned and managed memory. Null, where there is none left.
void* allocate_for_both(State& state, std::size_t bytes);
bool free_memory(State& state, void* pointer);
// Memory of the host's that kernels are to reach, and where they do; null: nowhere.
bool register_host(State& state, void* host, std::size_t bytes);
bool unregister_host(State& state, void* host);
void* for_kernels(State& state, void* host);

// Copies between host and device: an address tells whose it is. Sets bytes, `pattern` of `width` bytes again and again.
int copy(State& state, void* to, const void* from, std::size_t bytes);
// CUDA runtime API, cudaMemcpy3DParms: arrays, positions and pitched pointers of both sides, the extent, the kind.
struct CopyBox {
  struct Side {
    const void* array;
    std::size_t x, y, z;
    char* pointer;
    std::size_t pitch, width, height;
  };
  Side from, to;
  std::size_t width, height, depth;
  int kind;
};
int copy(State& state, const CopyBox& box);
int set(State& state, void* to, std::uint32_t pattern, int width, std::size_t count);

}  // namespace warpcc::standin
