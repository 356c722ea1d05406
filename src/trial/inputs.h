// What a kernel is tried on: integers in [-3, 3], a function of the tensor and the element's index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/manifest.h"

namespace warpcc::trial {

// An element of tensor `number` of the manifest. With seed 0 what `warpcc check --values` computes with.
int input(std::uint32_t number, std::uint64_t index, std::uint64_t seed);

// Whether elements of this type can be made.
bool can_make(warpcc_element element);

// All of a tensor, dense.
std::vector<std::byte> make_input(const runtime::Tensor& tensor, std::uint32_t number, std::uint64_t seed);

// What it takes, dense.
std::uint64_t bytes_of(const runtime::Tensor& tensor);

}  // namespace warpcc::trial
