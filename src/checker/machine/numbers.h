// Elements as bits: conversions between the number formats of the tensor core and float.
#pragma once

#include <cstdint>

#include "layout/element.h"

namespace warpcc::machine {

float f16_to_float(std::uint16_t bits);
std::uint16_t float_to_f16(float value);   // to nearest, ties to even
std::uint16_t float_to_bf16(float value);  // to nearest, ties to even

float to_float(std::uint32_t bits, layout::Element element);
// The bits of a small integer, exact in every element type.
std::uint32_t encode_integer(int value, layout::Element element);

}  // namespace warpcc::machine
