// PTX ISA, cvt.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "checker/interp/ptx/executor.h"
#include "checker/interp/ptx/real.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker::ptx {

namespace {

bool is_brain(Num type) {
  return type == Num::bf16 || type == Num::bf16x2;
}

double real_of(std::uint64_t bits, Num type, bool ftz = false) {
  const auto low = static_cast<std::uint32_t>(bits);
  switch (type) {
    case Num::f16:
    case Num::bf16:
      return half_to_float(low & 0xffff, type == Num::bf16);
    case Num::f64:
      return std::bit_cast<double>(bits);
    default: {
      const auto value = std::bit_cast<float>(low);
      if (!ftz) return value;
      return std::isnan(value) ? std::bit_cast<float>(kNan) : flushed(value);
    }
  }
}

// The bits of a half.
std::uint32_t half_of(double value, Num type, const Code& code) {
  if (std::isnan(value) && code.from == Num::f64) return is_brain(type) ? 0x7fc0 : 0x7e00;
  if (code.relu && !std::isnan(value) && !(value > 0)) value = 0;
  return narrowed(value, is_brain(type) ? kBrain : kHalf, rounding(code), code.finite);
}

double integral(double value, const Code& code) {
  switch (rounding(code)) {
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::zero:
      return std::trunc(value);
    default:
      return std::nearbyint(value);
  }
}

// Whole numbers, as large as the type holds. NaN: the most negative number, or 0 where neither type has 64 bits.
std::uint64_t whole_of(double value, const Code& code) {
  const int width = bits(code.type);
  std::uint64_t nan = 0;
  if (width == 64 || code.from == Num::f64) {
    nan = std::uint64_t{1} << (width - 1);
    if (is_signed(code.type)) nan = std::uint64_t{0} - nan;
  }
  return machine::whole_of(integral(value, code), width, is_signed(code.type), nan);
}

// 10 bits of fraction: to nearest, ties away from zero or to even; or cut, as a NaN is by those away from zero.
std::uint32_t tf32_of(std::uint32_t word, const Code& code) {
  const auto value = std::bit_cast<float>(word);
  const bool nan = std::isnan(value);
  if (code.relu && !nan && !(value > 0)) word = 0;
  if (nan && !code.add) return kNan & ~0x1fffu;
  const std::uint32_t half = code.to_zero || nan ? 0 : code.add ? 0x1000 : 0xfff + (word >> 13 & 1);
  word = (word + half) & ~0x1fffu;
  return code.finite && (word & 0x7f800000) == 0x7f800000 ? word - 0x2000 : word;
}

std::uint64_t real_of_real(std::uint64_t x, const Code& code) {
  if (code.type == Num::f32 && code.from == Num::bf16 && !code.saturate) return x << 16 & 0xffffffff;
  if (code.type == Num::tf32) return tf32_of(static_cast<std::uint32_t>(x), code);
  double value = real_of(x, code.from, code.ftz);
  if (code.extra) value = integral(value, code);
  if (code.saturate) value = value > 0 ? std::min(value, 1.0) : 0;
  switch (code.type) {
    case Num::f64:
      return std::bit_cast<std::uint64_t>(value);
    case Num::f16:
    case Num::bf16:
      return half_of(value, code.type, code);
    default: {
      if (std::isnan(value) && code.from == Num::f64) return 0x7fc00000;
      const std::uint32_t bits = narrowed(value, kSingle, rounding(code));
      return code.ftz ? std::bit_cast<std::uint32_t>(flushed(std::bit_cast<float>(bits))) : bits;
    }
  }
}

struct Whole {
  bool negative = false;
  std::uint64_t magnitude = 0;
};
Whole whole_in(std::uint64_t x, Num type) {
  const int shift = 64 - bits(type);
  if (!is_signed(type)) return {false, x << shift >> shift};
  const auto value = static_cast<std::int64_t>(x << shift) >> shift;
  return {value < 0,
          value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)};
}

std::uint64_t real_of_whole(std::uint64_t x, const Code& code) {
  const auto [negative, magnitude] = whole_in(x, code.from);
  if (code.type == Num::f64) return std::bit_cast<std::uint64_t>(whole_as_double(negative, magnitude, rounding(code)));
  const double value = whole_to_odd(negative, magnitude);
  return code.type == Num::f32 ? narrowed(value, kSingle, rounding(code)) : half_of(value, code.type, code);
}

std::uint64_t whole_of_whole(std::uint64_t x, const Code& code) {
  const auto [negative, magnitude] = whole_in(x, code.from);
  const int width = bits(code.type);
  std::uint64_t value = negative ? std::uint64_t{0} - magnitude : magnitude;
  if (code.saturate) {
    const std::uint64_t top = std::uint64_t{1} << (width - 1), most = is_signed(code.type) ? top - 1 : top - 1 + top;
    if (negative) {
      value = !is_signed(code.type) ? 0 : std::uint64_t{0} - std::min(magnitude, top);
    } else {
      value = std::min(magnitude, most);
    }
  }
  // A destination that is wider than the type is extended by its sign.
  const int keep = 64 - width;
  return is_signed(code.type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << keep) >> keep)
                              : value << keep >> keep;
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

// Two small numbers, as halves.
std::uint64_t from_small(std::uint64_t words, const Code& code) {
  const int width = code.from == Num::e2m1x2 ? 4 : 8;
  std::uint32_t result = 0;
  for (int part = 0; part < 2; ++part) {
    auto element = static_cast<std::uint32_t>(words >> (width * part) & ((1u << width) - 1));
    float value = machine::to_float(element, small_element(code.from));
    if (code.from == Num::ue8m0x2)
      value = element == 0xff ? std::bit_cast<float>(kNan) : std::ldexp(1.0f, static_cast<int>(element) - 127);
    result |= half_of(value, code.type, code) << (16 * part);
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

// Two whole numbers, each as large as `extra` bits hold, below what was packed before.
std::uint64_t packed(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Code& code) {
  const int width = code.extra, shift = 64 - bits(code.from);
  auto part = [&](std::uint64_t word) {
    std::int64_t value = is_signed(code.from) ? static_cast<std::int64_t>(word << shift) >> shift
                                              : static_cast<std::int64_t>(word << shift >> shift);
    const std::int64_t most = (std::int64_t{1} << (width - is_signed(code.type))) - 1,
                       least = is_signed(code.type) ? -most - 1 : 0;
    return static_cast<std::uint64_t>(std::clamp(value, least, most)) & ((std::uint64_t{1} << width) - 1);
  };
  return (c << (2 * width) | part(a) << width | part(b)) & 0xffffffff;
}

// The first source is the upper half.
std::uint64_t halves_of(std::uint64_t first, std::uint64_t second, const Code& code) {
  return static_cast<std::uint64_t>(half_of(real_of(first, code.from, code.ftz), code.type, code)) << 16 |
         half_of(real_of(second, code.from, code.ftz), code.type, code);
}

}  // namespace

void Executor::convert(const Code& code) {
  Lanes64 from, second{}, third{}, to;
  read64(arg(code, 1), from);
  if (code.count >= 3) read64(arg(code, 2), second);
  if (code.count >= 4) read64(arg(code, 3), third);
  auto each = [&](auto function) {
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = function(from[lane], second[lane]);
  };
  const bool from_pair = small_format(code.from) || code.from == Num::ue8m0x2;
  if (code.unordered) {
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = packed(from[lane], second[lane], third[lane], code);
    return write64(arg(code, 0), to);
  }
  if (small_format(code.type) || code.type == Num::ue8m0x2) {
    each([&](std::uint64_t x, std::uint64_t y) { return to_small_pair(x, y, code); });
  } else if (from_pair) {
    each([&](std::uint64_t x, std::uint64_t) { return from_small(x, code); });
  } else if (code.type == Num::f16x2 || code.type == Num::bf16x2) {
    each([&](std::uint64_t x, std::uint64_t y) { return halves_of(x, y, code); });
  } else if (is_float(code.from)) {
    if (is_float(code.type)) {
      each([&](std::uint64_t x, std::uint64_t) { return real_of_real(x, code); });
    } else {
      each([&](std::uint64_t x, std::uint64_t) { return whole_of(real_of(x, code.from, code.ftz), code); });
    }
  } else if (is_float(code.type)) {
    each([&](std::uint64_t x, std::uint64_t) { return real_of_whole(x, code); });
  } else {
    each([&](std::uint64_t x, std::uint64_t) { return whole_of_whole(x, code); });
  }
  const int width = bits(code.type);
  if (width < 32 && arg(code, 0).bytes == 4 && !(is_signed(code.type) && width < 16)) {
    const std::uint64_t kept = is_signed(code.type) ? 0xffffffff : (std::uint64_t{1} << width) - 1;
    for (std::uint64_t& word : to) word &= kept;
  }
  write64(arg(code, 0), to);
}

}  // namespace warpcc::checker::ptx
