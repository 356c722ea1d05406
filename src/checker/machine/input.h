// The contents of global memory before a kernel runs: integers in [-3, 3], a function of the buffer and the element's
// index alone.
#pragma once

#include <cstdint>

namespace warpcc::machine {

// SplitMix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom number generators), folded to seven values.
inline int input(std::uint32_t buffer, std::uint64_t index) {
  std::uint64_t x = index + (static_cast<std::uint64_t>(buffer) + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<int>(((x >> 32) * 7) >> 32) - 3;
}

}  // namespace warpcc::machine
