#include <fmt/format.h>

#include <array>

#include "layout/atoms.h"

namespace warpcc::layout {
namespace {

using Kind = InstructionDescriptor::Kind;

// The codes of A's and B's formats by kind, and of D's (PTX ISA, tcgen05: instruction descriptor).
struct Format {
  Kind kind;
  Element element;
  std::uint32_t code;
};
constexpr std::array kFormats{
    Format{Kind::f16, Element::f16, 0},       Format{Kind::f16, Element::bf16, 1},
    Format{Kind::tf32, Element::tf32, 2},     Format{Kind::f8f6f4, Element::f8e4m3, 0},
    Format{Kind::f8f6f4, Element::f8e5m2, 1}, Format{Kind::f8f6f4, Element::f6e2m3, 3},
    Format{Kind::f8f6f4, Element::f6e3m2, 4}, Format{Kind::f8f6f4, Element::f4e2m1, 5},
    Format{Kind::i8, Element::u8, 0},         Format{Kind::i8, Element::s8, 1},
};
constexpr std::array kResults{Element::f16, Element::f32, Element::s32};

std::uint32_t code_of(Element element) {
  for (const Format& format : kFormats)
    if (format.element == element) return format.code;
  return 0;
}

std::optional<Element> format_of(Kind kind, std::uint32_t code) {
  for (const Format& format : kFormats)
    if (format.kind == kind && format.code == code) return format.element;
  return std::nullopt;
}

std::optional<Kind> kind_of(Element element) {
  for (const Format& format : kFormats)
    if (format.element == element) return format.kind;
  return std::nullopt;
}

std::uint32_t result_code(Element element) {
  for (std::uint32_t code = 0; code < kResults.size(); ++code)
    if (kResults[code] == element) return code;
  return 0;
}

bool has_result(Kind kind, Element d) {
  if (kind == Kind::i8) return d == Element::s32;
  return d == Element::f32 || (d == Element::f16 && kind != Kind::tf32);
}

}  // namespace

std::uint32_t InstructionDescriptor::encode() const {
  const auto field = [](std::uint32_t value, int at, int width) { return (value & ((1u << width) - 1)) << at; };
  return field(static_cast<std::uint32_t>(sparsity_selector), 0, 2) | field(sparse, 2, 1) | field(saturate, 3, 1) |
         field(result_code(d), 4, 2) | field(code_of(a), 7, 3) | field(code_of(b), 10, 3) | field(negate_a, 13, 1) |
         field(negate_b, 14, 1) | field(a_major == Major::mn, 15, 1) | field(b_major == Major::mn, 16, 1) |
         field(static_cast<std::uint32_t>(n) >> 3, 17, 6) | field(static_cast<std::uint32_t>(m) >> 4, 24, 5) |
         field(static_cast<std::uint32_t>(max_shift), 30, 2);
}

std::optional<InstructionDescriptor> InstructionDescriptor::decode(std::uint32_t bits, Kind kind) {
  const auto field = [bits](int at, int width) { return bits >> at & ((1u << width) - 1); };
  if (field(6, 1) != 0 || field(23, 1) != 0 || field(29, 1) != 0) return std::nullopt;
  const std::optional<Element> a = format_of(kind, field(7, 3)), b = format_of(kind, field(10, 3));
  if (!a || !b || field(4, 2) >= kResults.size() || !has_result(kind, kResults[field(4, 2)])) return std::nullopt;
  InstructionDescriptor descriptor;
  descriptor.a = *a;
  descriptor.b = *b;
  descriptor.d = kResults[field(4, 2)];
  descriptor.sparsity_selector = static_cast<int>(field(0, 2));
  descriptor.sparse = field(2, 1) != 0;
  descriptor.saturate = field(3, 1) != 0;
  descriptor.negate_a = field(13, 1) != 0;
  descriptor.negate_b = field(14, 1) != 0;
  descriptor.a_major = field(15, 1) != 0 ? Major::mn : Major::k;
  descriptor.b_major = field(16, 1) != 0 ? Major::mn : Major::k;
  descriptor.n = static_cast<int>(field(17, 6) << 3);
  descriptor.m = static_cast<int>(field(24, 5) << 4);
  descriptor.max_shift = static_cast<int>(field(30, 2));
  const bool integer = kind == Kind::i8;
  if (descriptor.m == 0 || descriptor.n == 0 || (descriptor.saturate && !integer) ||
      ((descriptor.negate_a || descriptor.negate_b) && integer))
    return std::nullopt;
  return descriptor;
}

namespace {

// The codes of A's and B's formats: mxf8f6f4 has those of f8f6f4, the four-bit kinds have one.
std::optional<std::uint32_t> scaled_code(BlockScaledDescriptor::Kind kind, Element element) {
  if (kind != BlockScaledDescriptor::Kind::mxf8f6f4)
    return element == Element::f4e2m1 ? std::optional<std::uint32_t>(1) : std::nullopt;
  return kind_of(element) == Kind::f8f6f4 ? std::optional(code_of(element)) : std::nullopt;
}

std::optional<Element> scaled_format(BlockScaledDescriptor::Kind kind, std::uint32_t code) {
  if (kind == BlockScaledDescriptor::Kind::mxf8f6f4) return format_of(Kind::f8f6f4, code);
  return code == 1 ? std::optional(Element::f4e2m1) : std::nullopt;
}

}  // namespace

std::uint32_t BlockScaledDescriptor::encode() const {
  const auto field = [](std::uint32_t value, int at, int width) { return (value & ((1u << width) - 1)) << at; };
  return field(sparse, 2, 1) | field(static_cast<std::uint32_t>(b_scale_byte), 4, 2) |
         field(scaled_code(kind, a).value_or(0), 7, 3) | field(scaled_code(kind, b).value_or(0), 10, 3) |
         field(negate_a, 13, 1) | field(negate_b, 14, 1) | field(a_major == Major::mn, 15, 1) |
         field(b_major == Major::mn, 16, 1) | field(static_cast<std::uint32_t>(n) >> 3, 17, 6) |
         field(scale == Scale::ue8m0, 23, 1) | field(static_cast<std::uint32_t>(m) >> 4, 24, 5) |
         field(static_cast<std::uint32_t>(a_scale_byte), 29, 2);
}

std::optional<BlockScaledDescriptor> BlockScaledDescriptor::decode(std::uint32_t bits, Kind kind) {
  const auto field = [bits](int at, int width) { return bits >> at & ((1u << width) - 1); };
  const std::optional<Element> a = scaled_format(kind, field(7, 3)), b = scaled_format(kind, field(10, 3));
  if (field(0, 2) != 0 || field(3, 1) != 0 || field(6, 1) != 0 || field(31, 1) != 0 || !a || !b) return std::nullopt;
  BlockScaledDescriptor descriptor;
  descriptor.kind = kind;
  descriptor.a = *a;
  descriptor.b = *b;
  descriptor.scale = field(23, 1) != 0 ? Scale::ue8m0 : Scale::ue4m3;
  descriptor.a_major = field(15, 1) != 0 ? Major::mn : Major::k;
  descriptor.b_major = field(16, 1) != 0 ? Major::mn : Major::k;
  descriptor.negate_a = field(13, 1) != 0;
  descriptor.negate_b = field(14, 1) != 0;
  descriptor.m = static_cast<int>(field(24, 5) << 4);
  descriptor.n = static_cast<int>(field(17, 6) << 3);
  descriptor.sparse = field(2, 1) != 0;
  descriptor.a_scale_byte = static_cast<int>(field(29, 2));
  descriptor.b_scale_byte = static_cast<int>(field(4, 2));
  // Kind mxf4nvf4 alone has scales of e4m3.
  if (descriptor.m == 0 || descriptor.n == 0 || (descriptor.scale == Scale::ue4m3 && kind != Kind::mxf4nvf4))
    return std::nullopt;
  return descriptor;
}

std::optional<Kind> mma_kind(Element a, Element b) {
  const std::optional<Kind> kind = kind_of(a);
  return kind == kind_of(b) ? kind : std::nullopt;
}

int mma_k(Kind kind) {
  switch (kind) {
    case Kind::f16:
      return 16;
    case Kind::tf32:
      return 8;
    case Kind::f8f6f4:
    case Kind::i8:
      return 32;
  }
  return 0;
}

std::optional<std::string> mma_shape_misfit(Kind kind, int m, int n, bool pair) {
  if (pair && m != 128 && m != 256)
    return fmt::format("M = {}: a pair's MMA has M = 128 or 256, so its A has 64 or 128 rows in each CTA", m);
  if (!pair && m != 64 && m != 128) return fmt::format("M = {}: an MMA of one CTA has M = 64 or 128", m);
  const bool integer = kind == Kind::i8;
  const int step = pair ? (integer ? 32 : 16) : (integer ? 16 : 8);
  const bool small = integer && !pair && (n == 8 || n == 24);
  if (n >= step && n <= 256 && n % step == 0) return std::nullopt;
  if (small) return std::nullopt;
  return fmt::format("N = {}: {} has N = {} to 256 in steps of {}", n, pair ? "a pair's MMA" : "an MMA of one CTA",
                     integer && !pair ? 8 : step, step);
}

}  // namespace warpcc::layout
