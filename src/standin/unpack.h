// What nvcc packs the PTX of fat binaries with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warpcc::standin {

// Each: nothing, where the bytes are not such, or not `size` come of them.
std::optional<std::string> unpack_lz4(std::span<const std::uint8_t> packed, std::size_t size);
std::optional<std::string> unpack_zstd(std::span<const std::uint8_t> packed, std::size_t size);

}  // namespace warpcc::standin
