// A driver that records what it is asked for. Its GPU's memory is the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/driver.h"

namespace fake {

namespace cuda = warpcc::runtime::cuda;

struct Encoded {
  cuda::TensorMapType type;
  std::uint64_t address = 0;
  std::vector<std::uint64_t> extents, strides;
  std::vector<std::uint32_t> box;
  cuda::Swizzle swizzle;
};

struct Launched {
  cuda::LaunchConfig config;
  std::vector<cuda::LaunchAttribute> attributes;
  std::vector<void*> parameters;  // as given: how many there are the kernel knows
};

struct State {
  // What the GPU is.
  int devices = 1;
  int major = 9, minor = 0, multiprocessors = 132, shared_bytes = 232448;
  int blocks = 1, clusters = 66;
  bool has_current = false;
  // Which call fails, by name, and as what.
  std::string fails;
  cuda::Result failure = 2;
  // What has happened.
  std::vector<std::string> calls;
  std::vector<Encoded> encoded;
  std::vector<Launched> launches;
  std::vector<std::pair<cuda::Address, std::size_t>> memory;  // not given back yet
  int contexts = 0;                                           // entered and not left
  int modules = 0, retained = 0;
  // What a launch does.
  std::function<void(void** parameters)> kernel = [](void**) {};
  std::size_t parameter_count = 0;

  int count(const std::string& call) const;
};

// One at a time: the driver's functions have no other way to it.
State& state();
// A new machine.
State& begin();
warpcc::runtime::Driver driver();

}  // namespace fake
