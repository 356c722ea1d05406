// Floating point as the GPU has it: how results are rounded, what NaNs become, what of numbers below the least normal
// one. PTX ISA, "Floating Point Instructions" and cvt; NaNs and edges are as an H200 was seen to have them
// (tests/gpu/ptx.py).
#pragma once

#include <cstdint>

#include "checker/interp/ptx/code.h"
#include "checker/machine/numbers.h"
#include "checker/machine/reals.h"

namespace warpcc::checker::ptx {

enum class Rounding : std::uint8_t { nearest, zero, down, up };
inline Rounding rounding(const Code& code) {
  return code.round_down ? Rounding::down
         : code.round_up ? Rounding::up
         : code.to_zero  ? Rounding::zero
                         : Rounding::nearest;
}

using machine::kNan;
inline constexpr std::uint32_t kHalfNan = 0x7fff;

struct Format {
  int exponent_bits, fraction_bits;
};
inline constexpr Format kSingle{8, 23}, kHalf{5, 10}, kBrain{8, 7};

float half_to_float(std::uint32_t bits, bool brain);
using machine::flushed;
float flushed_half(float value);  // of a half

// The bits of `value` in a narrower format, rounded once; `finite`: what is too large is the largest number. NaNs are
// kNan and kHalfNan.
std::uint32_t narrowed(double value, Format format, Rounding rounding, bool finite = false);

// A whole number as a double, rounded; or so that rounding it once more, to a narrower format, is as good as once.
double whole_as_double(bool negative, std::uint64_t magnitude, Rounding rounding);
double whole_to_odd(bool negative, std::uint64_t magnitude);

}  // namespace warpcc::checker::ptx
