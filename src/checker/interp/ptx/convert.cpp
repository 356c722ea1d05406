// PTX ISA, cvt.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

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

// One step towards zero, where rounding to nearest went away from it.
std::uint32_t bits_of(float value, Num type, bool to_zero = false) {
  const bool brain = type == Num::bf16 || type == Num::bf16x2;
  if (!brain && type != Num::f16 && type != Num::f16x2) return std::bit_cast<std::uint32_t>(value);
  std::uint32_t half = brain ? machine::float_to_bf16(value) : machine::float_to_f16(value);
  if (to_zero && !std::isnan(value)) {
    double back = real_of(half, brain ? Num::bf16 : Num::f16);
    if (std::fabs(back) > std::fabs(static_cast<double>(value))) --half;
  }
  return half;
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

// A format of 8 bits or fewer (OCP 8-bit floating point; OCP microscaling formats): to nearest, ties to even, the
// largest for what is larger. NaN: that of the format, or its largest number.
struct Small {
  int exponent_bits, mantissa_bits, bias;
  double most;
  std::uint32_t largest, nan;
};

std::optional<Small> small_format(Num type) {
  switch (type) {
    case Num::e4m3x2:
      return Small{4, 3, 7, 448, 0x7e, 0x7f};
    case Num::e5m2x2:
      return Small{5, 2, 15, 57344, 0x7b, 0x7f};
    case Num::e2m3x2:
      return Small{2, 3, 1, 7.5, 0x1f, 0x1f};
    case Num::e3m2x2:
      return Small{3, 2, 3, 28, 0x1f, 0x1f};
    case Num::e2m1x2:
      return Small{2, 1, 1, 6, 0x7, 0x7};
    default:
      return {};
  }
}

std::uint32_t to_small(float value, const Small& format, bool relu) {
  const std::uint32_t sign = 1u << (format.exponent_bits + format.mantissa_bits);
  if (std::isnan(value)) return format.nan;
  if (relu && !(value > 0)) return 0;
  std::uint32_t signed_bit = std::signbit(value) ? sign : 0;
  double magnitude = std::fabs(value);
  if (magnitude >= format.most) return signed_bit | format.largest;
  if (magnitude == 0) return signed_bit;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  double unit = std::ldexp(1.0, exponent - format.mantissa_bits);
  auto steps = static_cast<std::uint32_t>(std::nearbyint(magnitude / unit));
  // Steps count from 0 in the subnormal range; a carry moves into the exponent by itself.
  std::uint32_t base = static_cast<std::uint32_t>(exponent + format.bias - 1) << format.mantissa_bits;
  return signed_bit | (exponent == 1 - format.bias && steps < (1u << format.mantissa_bits) ? steps : base + steps);
}

// A power of two, its exponent with a bias of 127; 255 is NaN (PTX ISA, ue8m0).
std::uint32_t to_scale(float value, bool up) {
  if (std::isnan(value)) return 0xff;
  double magnitude = std::fabs(value);
  if (magnitude == 0) return 0;
  int exponent = std::ilogb(magnitude);
  if (up && std::ldexp(1.0, exponent) < magnitude) ++exponent;
  return static_cast<std::uint32_t>(std::clamp(exponent + 127, 0, 254));
}

layout::Element small_element(Num type) {
  switch (type) {
    case Num::e5m2x2:
      return layout::Element::f8e5m2;
    case Num::e2m3x2:
      return layout::Element::f6e2m3;
    case Num::e3m2x2:
      return layout::Element::f6e3m2;
    case Num::e2m1x2:
      return layout::Element::f4e2m1;
    default:
      return layout::Element::f8e4m3;
  }
}

// Two small numbers of `bits`, as wide ones.
std::uint64_t from_small(std::uint64_t words, const Code& code) {
  const int width = code.from == Num::e2m1x2 ? 4 : 8;
  std::uint32_t result = 0;
  for (int part = 0; part < 2; ++part) {
    auto element = static_cast<std::uint32_t>(words >> (width * part) & ((1u << width) - 1));
    float value = code.from == Num::ue8m0x2 ? std::ldexp(1.0f, static_cast<int>(element) - 127)
                                            : machine::to_float(element, small_element(code.from));
    if (code.relu && !(value > 0)) value = 0;
    result |= bits_of(value, code.type) << (16 * part);
  }
  return result;
}

// Two numbers as small ones, the first in the upper half. They come in two registers, or as two halves in one.
std::uint64_t to_small_pair(std::uint64_t x, std::uint64_t second, const Code& code) {
  float high = 0, low = 0;
  if (code.from == Num::f16x2 || code.from == Num::bf16x2) {
    const Num half = code.from == Num::f16x2 ? Num::f16 : Num::bf16;
    high = static_cast<float>(real_of(x >> 16 & 0xffff, half));
    low = static_cast<float>(real_of(x & 0xffff, half));
  } else {
    high = static_cast<float>(real_of(x, code.from));
    low = static_cast<float>(real_of(second, code.from));
  }
  if (code.type == Num::ue8m0x2) return to_scale(high, code.round_up) << 8 | to_scale(low, code.round_up);
  const Small format = *small_format(code.type);
  const int width = code.type == Num::e2m1x2 ? 4 : 8;
  return to_small(high, format, code.relu) << width | to_small(low, format, code.relu);
}

// Two whole numbers, each as large as the type holds, below what was packed before.
std::uint64_t packed(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Code& code) {
  const int width = bits(code.type), shift = 64 - bits(code.from);
  auto part = [&](std::uint64_t word) {
    std::int64_t value = is_signed(code.from) ? static_cast<std::int64_t>(word << shift) >> shift
                                              : static_cast<std::int64_t>(word << shift >> shift);
    const std::int64_t most = (std::int64_t{1} << (width - is_signed(code.type))) - 1,
                       least = is_signed(code.type) ? -most - 1 : 0;
    return static_cast<std::uint64_t>(std::clamp(value, least, most)) & ((std::uint64_t{1} << width) - 1);
  };
  return (c << (2 * width) | part(a) << width | part(b)) & 0xffffffff;
}

}  // namespace

void Executor::convert(const Code& code) {
  Lanes64 from, second{}, to;
  read64(arg(code, 1), from);
  const bool two = code.count >= 3;
  if (two) read64(arg(code, 2), second);
  const int from_width = bits(code.from), to_width = bits(code.type);
  Lanes64 third{};
  if (code.unordered && code.count >= 4) read64(arg(code, 3), third);
  const bool from_pair = small_format(code.from) || code.from == Num::ue8m0x2;
  for (int lane = 0; lane < kLanes; ++lane) {
    std::uint64_t x = from[lane];
    if (code.unordered) {
      to[lane] = packed(x, second[lane], third[lane], code);
    } else if (small_format(code.type) || code.type == Num::ue8m0x2) {
      to[lane] = to_small_pair(x, second[lane], code);
    } else if (code.type == Num::f16x2 || code.type == Num::bf16x2) {
      if (from_pair) {
        to[lane] = from_small(x, code);
      } else {
        // The first source is the upper half.
        float high = static_cast<float>(real_of(x, code.from)),
              low = static_cast<float>(real_of(second[lane], code.from));
        if (code.relu) {
          high = high > 0 ? high : 0;
          low = low > 0 ? low : 0;
        }
        to[lane] = static_cast<std::uint64_t>(bits_of(high, code.type, code.to_zero)) << 16 |
                   bits_of(low, code.type, code.to_zero);
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
          // 10 bits of mantissa: to nearest, ties away from zero or to even; or cut.
          std::uint32_t word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
          std::uint32_t half = code.to_zero ? 0 : code.add ? 0x1000 : 0xfff + (word >> 13 & 1);
          to[lane] = std::isnan(value) ? word : (word + half) & ~0x1fffu;
        } else {
          to[lane] = bits_of(static_cast<float>(value), code.type, code.to_zero && !code.extra);
        }
      }
    } else {
      int shift = 64 - from_width;
      std::int64_t whole = is_signed(code.from) ? static_cast<std::int64_t>(x << shift) >> shift
                                                : static_cast<std::int64_t>(x << shift >> shift);
      if (is_float(code.type)) {
        // Rounded once, from the whole number.
        const bool below = is_signed(code.from) && whole < 0;
        double value = below ? static_cast<double>(whole) : static_cast<double>(static_cast<std::uint64_t>(whole));
        float narrow = below ? static_cast<float>(whole) : static_cast<float>(static_cast<std::uint64_t>(whole));
        to[lane] = code.type == Num::f64 ? std::bit_cast<std::uint64_t>(value) : bits_of(narrow, code.type);
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
    if (!code.unordered && to_width < 32 && arg(code, 0).bytes == 4 && !(is_signed(code.type) && to_width < 16))
      to[lane] &= is_signed(code.type) ? 0xffffffff : (std::uint64_t{1} << to_width) - 1;
  }
  write64(arg(code, 0), to);
}

}  // namespace warpcc::checker::ptx
