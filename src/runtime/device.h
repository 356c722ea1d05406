// The GPU, and whether it can run a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/driver.h"
#include "runtime/manifest.h"

namespace warpcc::runtime {

struct Device {
  cuda::Device handle = 0;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int shared_bytes = 0;  // that a CTA may have
};

Error read_device(const Driver& driver, cuda::Device handle, Device& device);

// Before the cubin is loaded: the target and the shared memory.
Error check_device(const Device& device, const Manifest& manifest);

// How many of the kernel's CTAs the GPU holds at a time.
Error resident_ctas(const Driver& driver, const Device& device, cuda::Function function, const Manifest& manifest,
                    std::int64_t& ctas);
// Whether they are enough.
Error check_resident(const Device& device, const Manifest& manifest, std::int64_t ctas);

}  // namespace warpcc::runtime
