// Element types of buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpcc::layout {

// The last three are operands of the tensor core that share bytes; no buffer holds them yet, so that element_named does
// not know them and bytes() is 0.
enum class Element : std::uint8_t {
  f16,
  bf16,
  f32,
  tf32,
  f8e4m3,
  f8e5m2,
  s8,
  u8,
  s32,
  u32,
  u64,
  f6e2m3,
  f6e3m2,
  f4e2m1
};

int bits(Element element);
inline int bytes(Element element) {
  return bits(element) / 8;
}
std::string_view name(Element element);
// The element that a buffer can be declared of.
std::optional<Element> element_named(std::string_view name);

}  // namespace warpcc::layout
