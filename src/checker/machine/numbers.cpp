#include "checker/machine/numbers.h"

#include <bit>

namespace warpcc::machine {

using layout::Element;

float f16_to_float(std::uint16_t bits) {
  std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  std::uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::uint16_t float_to_f16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds to more than 65504
  if (magnitude < 0x38800000) {                       // below 2^-14: a multiple of 2^-24
    float scaled = std::bit_cast<float>(magnitude) * 0x1p24f + 0x1p23f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) & 0x7ff));
  }
  std::uint32_t rounded = magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

std::uint16_t float_to_bf16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

namespace {

// The formats of 8 bits and fewer: sign, exponent, fraction (OCP 8-bit floating point; OCP microscaling formats).
struct SmallFormat {
  int exponent_bits, fraction_bits, bias;
};
constexpr SmallFormat kE4M3{4, 3, 7}, kE5M2{5, 2, 15}, kE2M3{2, 3, 1}, kE3M2{3, 2, 3}, kE2M1{2, 1, 1};

float to_float(std::uint32_t bits, SmallFormat format) {
  int exponent = static_cast<int>(bits >> format.fraction_bits & ((1u << format.exponent_bits) - 1));
  int fraction = static_cast<int>(bits & ((1u << format.fraction_bits) - 1));
  int scale = (exponent == 0 ? 1 : exponent) - format.bias - format.fraction_bits;
  auto value = static_cast<float>(exponent == 0 ? fraction : fraction + (1 << format.fraction_bits));
  for (; scale > 0; --scale) value *= 2;
  for (; scale < 0; ++scale) value /= 2;
  return bits >> (format.exponent_bits + format.fraction_bits) & 1 ? -value : value;
}

std::uint32_t encode(int value, SmallFormat format) {
  if (value == 0) return 0;
  auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  int exponent = std::bit_width(magnitude) - 1;
  std::uint32_t fraction = (magnitude << format.fraction_bits >> exponent) & ((1u << format.fraction_bits) - 1);
  std::uint32_t sign = value < 0 ? 1u << (format.exponent_bits + format.fraction_bits) : 0;
  return sign | static_cast<std::uint32_t>(exponent + format.bias) << format.fraction_bits | fraction;
}

}  // namespace

float to_float(std::uint32_t bits, Element element) {
  switch (element) {
    case Element::f16:
      return f16_to_float(static_cast<std::uint16_t>(bits));
    case Element::bf16:
      return std::bit_cast<float>(bits << 16);
    case Element::f32:
      return std::bit_cast<float>(bits);
    case Element::tf32:
      return std::bit_cast<float>(bits & 0xffffe000);  // the tensor core reads 10 bits of fraction
    case Element::f8e4m3:
      if ((bits & 0x7f) == 0x7f) return std::bit_cast<float>(0x7fffffffu);  // its one NaN; it has no infinity
      return to_float(bits, kE4M3);
    case Element::f8e5m2:  // the upper byte of a half
      return f16_to_float(static_cast<std::uint16_t>(bits << 8));
    case Element::f6e2m3:
      return to_float(bits, kE2M3);
    case Element::f6e3m2:
      return to_float(bits, kE3M2);
    case Element::f4e2m1:
      return to_float(bits, kE2M1);
    case Element::s8:
      return static_cast<float>(static_cast<std::int8_t>(bits));
    case Element::u8:
      return static_cast<float>(static_cast<std::uint8_t>(bits));
    case Element::s32:
      return static_cast<float>(static_cast<std::int32_t>(bits));
    case Element::u32:
    case Element::u64:
      return static_cast<float>(bits);
  }
  return 0;
}

std::uint32_t encode_integer(int value, Element element) {
  switch (element) {
    case Element::f16:
      return float_to_f16(static_cast<float>(value));
    case Element::bf16:
      return float_to_bf16(static_cast<float>(value));
    case Element::f32:
    case Element::tf32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Element::f8e4m3:
      return encode(value, kE4M3);
    case Element::f8e5m2:
      return encode(value, kE5M2);
    case Element::f6e2m3:
      return encode(value, kE2M3);
    case Element::f6e3m2:
      return encode(value, kE3M2);
    case Element::f4e2m1:
      return encode(value, kE2M1);
    case Element::s8:
    case Element::u8:
      return static_cast<std::uint8_t>(value);
    case Element::s32:
    case Element::u32:
    case Element::u64:
      return static_cast<std::uint32_t>(value);
  }
  return 0;
}

}  // namespace warpcc::machine
