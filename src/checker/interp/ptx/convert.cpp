// PTX ISA, cvt.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "checker/interp/ptx/executor.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker::ptx {

namespace {

double real_of(std::uint64_t bits, Num type) {
  switch (type) {
    case Num::f16:
      return machine::f16_to_float(static_cast<std::uint16_t>(bits));
    case Num::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    case Num::f64:
      return std::bit_cast<double>(bits);
    default:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
}

std::uint32_t bits_of(float value, Num type) {
  switch (type) {
    case Num::f16:
    case Num::f16x2:
      return machine::float_to_f16(value);
    case Num::bf16:
    case Num::bf16x2:
      return machine::float_to_bf16(value);
    default:
      return std::bit_cast<std::uint32_t>(value);
  }
}

// Whole numbers, as large as the type holds; NaN is 0.
std::uint64_t whole_of(double value, Num type, const Code& code) {
  double rounded = code.round_down ? std::floor(value)
                   : code.round_up ? std::ceil(value)
                   : code.to_zero  ? std::trunc(value)
                                   : std::nearbyint(value);
  if (std::isnan(rounded)) return 0;
  int width = bits(type);
  if (is_signed(type)) {
    double most = std::ldexp(1.0, width - 1);
    if (rounded >= most) return static_cast<std::uint64_t>((std::int64_t{1} << (width - 1)) - 1);
    if (rounded < -most) return static_cast<std::uint64_t>(std::int64_t{-1} << (width - 1));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
  }
  double most = std::ldexp(1.0, width);
  if (rounded >= most) return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return rounded <= 0 ? 0 : static_cast<std::uint64_t>(rounded);
}

// e4m3 and e5m2 (OCP 8-bit floating point), to nearest, ties to even, the largest for what is larger.
std::uint32_t to_f8(float value, bool e5m2) {
  const int exponent_bits = e5m2 ? 5 : 4, mantissa_bits = e5m2 ? 2 : 3, bias = (1 << (exponent_bits - 1)) - 1;
  std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return 0x7f;
  double magnitude = std::fabs(value), most = e5m2 ? 57344 : 448;
  if (magnitude >= most) return sign | (e5m2 ? 0x7b : 0x7e);
  if (magnitude == 0) return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double unit = std::ldexp(1.0, exponent - mantissa_bits);
  auto steps = static_cast<std::uint32_t>(std::nearbyint(magnitude / unit));
  // Steps count from 0 in the subnormal range; a carry moves into the exponent by itself.
  std::uint32_t base = static_cast<std::uint32_t>(exponent + bias - 1) << mantissa_bits;
  return sign | (exponent == 1 - bias && steps < (1u << mantissa_bits) ? steps : base + steps);
}

}  // namespace

void Executor::convert(const Code& code) {
  Lanes64 from, second{}, to;
  read64(arg(code, 1), from);
  const bool two = code.count >= 3;
  if (two) read64(arg(code, 2), second);
  const int from_width = bits(code.from), to_width = bits(code.type);
  for (int lane = 0; lane < kLanes; ++lane) {
    std::uint64_t x = from[lane];
    if (code.type == Num::e4m3x2 || code.type == Num::e5m2x2) {
      // The first source is the upper half.
      bool wide = code.type == Num::e5m2x2;
      to[lane] = to_f8(static_cast<float>(real_of(x, code.from)), wide) << 8 |
                 to_f8(static_cast<float>(real_of(second[lane], code.from)), wide);
    } else if (code.type == Num::f16x2 || code.type == Num::bf16x2) {
      if (code.from == Num::e4m3x2 || code.from == Num::e5m2x2) {
        auto element = code.from == Num::e4m3x2 ? layout::Element::f8e4m3 : layout::Element::f8e5m2;
        std::uint32_t low = bits_of(machine::to_float(static_cast<std::uint32_t>(x & 0xff), element), code.type);
        std::uint32_t high = bits_of(machine::to_float(static_cast<std::uint32_t>(x >> 8 & 0xff), element), code.type);
        to[lane] = high << 16 | low;
      } else {
        float high = static_cast<float>(real_of(x, code.from)),
              low = static_cast<float>(real_of(second[lane], code.from));
        if (code.relu) {
          high = high > 0 ? high : 0;
          low = low > 0 ? low : 0;
        }
        to[lane] = static_cast<std::uint64_t>(bits_of(high, code.type)) << 16 | bits_of(low, code.type);
      }
    } else if (is_float(code.from)) {
      double value = real_of(x, code.from);
      if (!is_float(code.type)) {
        to[lane] = whole_of(value, code.type, code);
      } else {
        if (code.extra) {
          value = code.round_down ? std::floor(value)
                  : code.round_up ? std::ceil(value)
                  : code.to_zero  ? std::trunc(value)
                                  : std::nearbyint(value);
        }
        if (code.saturate && code.type != Num::tf32) value = value > 0 ? std::min(value, 1.0) : 0;
        if (code.relu && !(value > 0)) value = 0;
        if (code.type == Num::f64) {
          to[lane] = std::bit_cast<std::uint64_t>(value);
        } else if (code.type == Num::tf32) {
          // 10 bits of mantissa, to nearest, ties away from zero.
          std::uint32_t word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
          to[lane] = std::isnan(value) ? word : (word + 0x1000) & ~0x1fffu;
        } else {
          to[lane] = bits_of(static_cast<float>(value), code.type);
        }
      }
    } else {
      int shift = 64 - from_width;
      std::int64_t whole = is_signed(code.from) ? static_cast<std::int64_t>(x << shift) >> shift
                                                : static_cast<std::int64_t>(x << shift >> shift);
      if (is_float(code.type)) {
        double value = is_signed(code.from) || whole >= 0 ? static_cast<double>(whole)
                                                          : static_cast<double>(static_cast<std::uint64_t>(whole));
        to[lane] =
            code.type == Num::f64 ? std::bit_cast<std::uint64_t>(value) : bits_of(static_cast<float>(value), code.type);
      } else {
        if (code.saturate) {
          bool negative = is_signed(code.from) && whole < 0;
          std::int64_t most = is_signed(code.type)
                                  ? (std::int64_t{1} << (to_width - 1)) - 1
                                  : static_cast<std::int64_t>((std::uint64_t{1} << (to_width - 1)) * 2 - 1);
          if (to_width < 64) {
            std::int64_t least = is_signed(code.type) ? -most - 1 : 0;
            whole = negative ? std::max(whole, least) : std::min(whole, most);
          }
        }
        to[lane] = static_cast<std::uint64_t>(whole);
        // A destination that is wider than the type is extended by its sign.
        int keep = 64 - to_width;
        to[lane] = is_signed(code.type)
                       ? static_cast<std::uint64_t>(static_cast<std::int64_t>(to[lane] << keep) >> keep)
                       : to[lane] << keep >> keep;
      }
    }
    if (to_width < 32 && arg(code, 0).bytes == 4 && !(is_signed(code.type) && to_width < 16))
      to[lane] &= is_signed(code.type) ? 0xffffffff : (std::uint64_t{1} << to_width) - 1;
  }
  write64(arg(code, 0), to);
}

}  // namespace warpcc::checker::ptx
