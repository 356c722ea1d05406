// The tensors of a call, against what the kernel was compiled for, and their tensor maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/driver.h"
#include "runtime/manifest.h"

namespace warpcc::runtime {

// One tensor as it is in memory.
struct Placed {
  cuda::Address address = 0;
  std::vector<std::int64_t> strides;  // elements
};

// In the order of the manifest's tensors. Every one is given, once, and fits.
Error place_tensors(const Manifest& manifest, std::span<const warpcc_tensor> given, std::vector<Placed>& placed);

Error encode(const Driver& driver, const Manifest& manifest, const TensorMap& map, const std::vector<Placed>& placed,
             cuda::TensorMap& encoded);

}  // namespace warpcc::runtime
