// Element types of buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpcc::layout {

enum class Element : std::uint8_t { f16, bf16, f32, tf32, f8e4m3, f8e5m2, s8, u8, s32, u32, u64 };

int bits(Element element);
inline int bytes(Element element) { return bits(element) / 8; }
std::string_view name(Element element);
std::optional<Element> element_named(std::string_view name);

}  // namespace warpcc::layout
