// This file is compiled for other roundings than to nearest (src/CMakeLists.txt): arithmetic stands under RoundingMode.
#include "checker/interp/ptx/real.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "checker/interp/ptx/compute.h"

namespace warpcc::checker::ptx {

namespace {

// The processor rounds so, while this lives.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) : set_(rounding != Rounding::nearest) {
    if (set_)
      std::fesetround(rounding == Rounding::zero   ? FE_TOWARDZERO
                      : rounding == Rounding::down ? FE_DOWNWARD
                                                   : FE_UPWARD);
  }
  ~RoundingMode() {
    if (set_) std::fesetround(FE_TONEAREST);
  }
  RoundingMode(const RoundingMode&) = delete;

 private:
  bool set_;
};

template <typename F>
F nan() {
  return std::numeric_limits<F>::quiet_NaN();
}

// min and max; a NaN counts as absent, or wins.
template <typename F>
F extreme(F a, F b, const Code& code) {
  const bool a_is_none = std::isnan(a), b_is_none = std::isnan(b);
  if ((a_is_none && b_is_none) || (code.unordered && (a_is_none || b_is_none))) return nan<F>();
  return machine::extreme(a, b, code.op == Op::min);
}

template <typename F>
F extreme_of_magnitudes(F a, F b, const Code& code) {
  const F result = extreme(std::fabs(a), std::fabs(b), code);
  return std::isnan(result) ? result : std::copysign(result, std::signbit(a) != std::signbit(b) ? F{-1} : F{1});
}

// a · b + c of doubles that hold no more than 24 bits, so that rounding it to a half is as good as rounding once: what
// is between two doubles is the one whose last bit is set.
double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double of_c = sum - product, lost = (product - (sum - of_c)) + (c - of_c);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost != 0 && (bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : std::uint64_t{0} - 1;
  return std::bit_cast<double>(bits);
}

// Division that is near (PTX ISA, div): by a number above 2^126 it is 0.
template <typename F>
F approximate_quotient(F a, F b) {
  if (std::fabs(b) > static_cast<F>(0x1p126) && std::isfinite(b))
    return !std::isfinite(a) ? nan<F>() : std::copysign(F{0}, std::signbit(a) != std::signbit(b) ? F{-1} : F{1});
  return a / b;
}

template <typename F>
F real(const Code& code, F a, F b, F c) {
  F result = 0;
  switch (code.op) {
    case Op::add:
      result = a + b;
      break;
    case Op::sub:
      result = a - b;
      break;
    case Op::mul_lo:
      result = a * b;
      break;
    case Op::fma:
      result = std::fma(a, b, c);
      break;
    case Op::div:
      result = code.extra ? approximate_quotient(a, b) : a / b;
      break;
    case Op::neg:
      return std::isnan(a) ? a + a : -a;  // a NaN that would signal does no longer
    case Op::abs:
      return std::fabs(a);
    case Op::min:
    case Op::max:
      if (code.multicast) return extreme_of_magnitudes(a, b, code);
      result = extreme(a, b, code);
      if (code.count > 3) result = extreme(result, c, code);
      break;
    case Op::rcp:
      result = 1 / a;
      break;
    case Op::sqrt:
      result = std::sqrt(a);
      break;
    case Op::rsqrt:
      result = 1 / std::sqrt(a);
      break;
    case Op::ex2:
      result = std::exp2(a);
      break;
    case Op::lg2:
      result = std::log2(a);
      break;
    case Op::tanh:
      result = std::tanh(a);
      break;
    case Op::sin:
      result = std::sin(a);
      break;
    case Op::cos:
      result = std::cos(a);
      break;
    default:
      break;
  }
  if (code.saturate) result = result > 0 ? std::min<F>(result, 1) : 0;
  if (code.relu && !std::isnan(result) && !(result > 0)) result = 0;
  return result;
}

std::uint32_t single_bits(const Code& code, float a, float b, float c) {
  if (code.op == Op::copysign) return std::bit_cast<std::uint32_t>(std::copysign(b, a));
  if (code.ftz) {
    a = flushed(a);
    b = flushed(b);
    c = flushed(c);
  }
  const float result = real<float>(code, a, b, c);
  return machine::float_bits(code.ftz ? flushed(result) : result);
}

// Halves are computed as doubles, in which sums and products of theirs are exact, or near enough (fma_to_odd).
std::uint32_t half_bits(const Code& code, std::uint32_t a, std::uint32_t b, std::uint32_t c, bool brain) {
  const Format format = brain ? kBrain : kHalf;
  // What a load beyond a tensor's edge leaves makes the product 0 (PTX ISA, fma, .oob).
  if (code.add && code.op == Op::fma && ((a & 0xffff) == 0xffff || (b & 0xffff) == 0xffff)) return 0;
  auto operand = [&](std::uint32_t bits) {
    const float value = half_to_float(bits & 0xffff, brain);
    return code.ftz && !brain ? flushed_half(value) : value;
  };
  const double x = operand(a), y = operand(b), z = operand(c);
  double result = 0;
  if (code.op == Op::fma) {
    result = fma_to_odd(x, y, z);
    if (code.saturate) result = result > 0 ? std::min(result, 1.0) : 0;
    if (code.relu && !std::isnan(result) && !(result > 0)) result = 0;
  } else {
    result = real<double>(code, x, y, z);
  }
  const std::uint32_t bits = narrowed(result, format, Rounding::nearest);
  return code.ftz && !brain && (bits & 0x7c00) == 0 ? bits & 0x8000 : bits;
}

std::uint32_t real_bits(const Code& code, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  switch (code.type) {
    case Num::f16:
    case Num::bf16:
      return half_bits(code, a, b, c, code.type == Num::bf16);
    case Num::f16x2:
    case Num::bf16x2: {
      const bool brain = code.type == Num::bf16x2;
      return half_bits(code, a, b, c, brain) | half_bits(code, a >> 16, b >> 16, c >> 16, brain) << 16;
    }
    default: {
      // Halves that are added to floats come first.
      auto operand = [&](std::uint32_t bits, bool half) {
        return half ? half_to_float(bits & 0xffff, code.from == Num::bf16) : std::bit_cast<float>(bits);
      };
      const bool mixed = code.from == Num::f16 || code.from == Num::bf16;
      return single_bits(code, operand(a, mixed), operand(b, mixed && code.op == Op::fma), std::bit_cast<float>(c));
    }
  }
}

// rcp and rsqrt of doubles that are approximate have 20 bits of fraction, and no numbers below the least normal one.
std::uint64_t double_bits(const Code& code, double a, double b, double c) {
  if (code.op == Op::copysign) return std::bit_cast<std::uint64_t>(std::copysign(b, a));
  if (!code.ftz) return std::bit_cast<std::uint64_t>(real<double>(code, a, b, c));
  auto flush = [](double x) { return std::fabs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : x; };
  return std::bit_cast<std::uint64_t>(flush(real<double>(code, flush(a), b, c))) & ~std::uint64_t{0xffffffff};
}

// To nearest; by way of a float for halves, which is rounded to odd, so that they are rounded once.
std::uint32_t nearest(double value, Format format) {
  auto single = static_cast<float>(value);
  if (format.fraction_bits == kSingle.fraction_bits) return std::bit_cast<std::uint32_t>(single);
  if (!std::isinf(single) && static_cast<double>(single) != value) {
    auto bits = std::bit_cast<std::uint32_t>(single);
    if (std::fabs(static_cast<double>(single)) > std::fabs(value)) --bits;
    single = std::bit_cast<float>(bits | 1);
  }
  return format.fraction_bits == kBrain.fraction_bits ? machine::float_to_bf16(single) : machine::float_to_f16(single);
}

}  // namespace

float half_to_float(std::uint32_t bits, bool brain) {
  return brain ? std::bit_cast<float>(bits << 16) : machine::f16_to_float(static_cast<std::uint16_t>(bits));
}

float flushed_half(float value) {
  return std::fabs(value) < 0x1p-14f ? std::copysign(0.0f, value) : value;
}

std::uint32_t narrowed(double value, Format format, Rounding rounding, bool finite) {
  const int width = 1 + format.exponent_bits + format.fraction_bits;
  if (rounding == Rounding::nearest && !finite && !std::isnan(value)) return nearest(value, format);
  const std::uint32_t sign = std::signbit(value) ? 1u << (width - 1) : 0;
  if (std::isnan(value)) return width == 32 ? kNan : kHalfNan;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const bool away = sign ? rounding == Rounding::down : rounding == Rounding::up;
  const std::uint32_t too_large = sign | (finite || (rounding != Rounding::nearest && !away) ? infinity - 1 : infinity);
  if (std::isinf(value)) return finite ? sign | (infinity - 1) : sign | infinity;
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  if (exponent > bias) return too_large;
  // In units of the last place, which is exact.
  const double steps = std::ldexp(magnitude, format.fraction_bits - exponent), whole = std::floor(steps);
  const double rest = steps - whole;
  const bool odd = std::fmod(whole, 2) != 0;
  const bool up = rounding == Rounding::nearest ? rest > 0.5 || (rest == 0.5 && odd) : away && rest > 0;
  // A carry moves into the exponent by itself; below the least normal number, so does the missing leading one.
  const std::uint32_t bits = (static_cast<std::uint32_t>(exponent + bias - 1) << format.fraction_bits) +
                             static_cast<std::uint32_t>(whole) + (up ? 1 : 0);
  return bits >= infinity ? too_large : sign | bits;
}

namespace {

// Bits of a whole number beyond those that a double holds.
int surplus(std::uint64_t magnitude) {
  return 11 - std::min(11, std::countl_zero(magnitude));
}

double scaled(bool negative, std::uint64_t kept, int by) {
  const double result = std::ldexp(static_cast<double>(kept), by);
  return negative ? -result : result;
}

}  // namespace

double whole_as_double(bool negative, std::uint64_t magnitude, Rounding rounding) {
  const int more = surplus(magnitude);
  const std::uint64_t unit = std::uint64_t{1} << more, lost = magnitude & (unit - 1), kept = magnitude >> more;
  const bool up = rounding == Rounding::nearest ? 2 * lost > unit || (2 * lost == unit && (kept & 1) != 0)
                                                : lost != 0 && rounding == (negative ? Rounding::down : Rounding::up);
  return scaled(negative, kept + (up ? 1 : 0), more);
}

double whole_to_odd(bool negative, std::uint64_t magnitude) {
  const int more = surplus(magnitude);
  const bool lost = (magnitude & ((std::uint64_t{1} << more) - 1)) != 0;
  return scaled(negative, magnitude >> more | (lost ? 1 : 0), more);
}

void Executor::real_arithmetic(const Code& code, int sources) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  RoundingMode mode(rounding(code));
  if (code.type == Num::f64) {
    return compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) {
      return double_bits(code, std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c));
    });
  }
  if (code.type == Num::f32x2) {
    return compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) {
      auto part = [&](int shift) {
        auto value = [shift](U64 bits) { return std::bit_cast<float>(static_cast<U32>(bits >> shift)); };
        return static_cast<U64>(single_bits(code, value(a), value(b), value(c))) << shift;
      };
      return part(0) | part(32);
    });
  }
  // The common operations in loops of their own, which the compiler makes vectors of.
  const bool plain = code.type == Num::f32 && code.from == Num::f32 && !code.saturate && !code.relu && !code.ftz;
  auto run = [&](auto function) {
    compute<U32>(code, sources, [&](U32 a, U32 b, U32, U32) {
      return machine::float_bits(function(std::bit_cast<float>(a), std::bit_cast<float>(b)));
    });
  };
  if (plain && code.op == Op::add) return run([](float a, float b) { return a + b; });
  if (plain && code.op == Op::sub) return run([](float a, float b) { return a - b; });
  if (plain && code.op == Op::mul_lo) return run([](float a, float b) { return a * b; });
  compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) { return real_bits(code, a, b, c); });
}

}  // namespace warpcc::checker::ptx
