// Elements as bits: conversions between the number formats of the tensor core and float.
#pragma once

#include <bit>
#include <cstdint>

#include "layout/element.h"

namespace warpcc::machine {

// A NaN that arithmetic gives has these bits, and 0x7fff as a half: an H200 (tests/gpu).
inline constexpr std::uint32_t kNan = 0x7fffffff;
inline std::uint32_t float_bits(float value) {
  return value != value ? kNan : std::bit_cast<std::uint32_t>(value);
}

float f16_to_float(std::uint16_t bits);
std::uint16_t float_to_f16(float value);   // to nearest, ties to even
std::uint16_t float_to_bf16(float value);  // to nearest, ties to even

float to_float(std::uint32_t bits, layout::Element element);
// The bits of a small integer, exact in every element type.
std::uint32_t encode_integer(int value, layout::Element element);

}  // namespace warpcc::machine
