// Floating point beyond sums and products, as SASS and PTX both have it: minima, what is below the least normal number,
// whole numbers of floats (PTX ISA, "Floating Point Instructions", cvt; NaNs and edges as an H200 was seen to have
// them, tests/gpu/ptx.py).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace warpcc::machine {

// To zero of its sign, where it is below the least normal number.
inline float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

template <typename F>
F lesser(F a, F b) {
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

// Of two numbers the less or the greater, -0 being less than 0; a NaN counts as absent.
template <typename F>
F extreme(F a, F b, bool least) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return least ? lesser(a, b) : -lesser(-a, -b);
}

// `rounded`, a number without a fraction, in a type of `width` bits: as near as the type comes. `nan`: what a NaN is.
inline std::uint64_t whole_of(double rounded, int width, bool is_signed, std::uint64_t nan) {
  if (std::isnan(rounded)) return nan;
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  if (is_signed) {
    const double most = std::ldexp(1.0, width - 1);
    if (rounded >= most) return top - 1;
    if (rounded < -most) return std::uint64_t{0} - top;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
  }
  if (rounded >= std::ldexp(1.0, width)) return top - 1 + top;
  return rounded <= 0 ? 0 : static_cast<std::uint64_t>(rounded);
}

}  // namespace warpcc::machine
