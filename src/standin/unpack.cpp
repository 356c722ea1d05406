#include "standin/unpack.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"

namespace warpcc::standin {

// LZ4 block format: a token (lengths of literals and of a match, four bits each, 15 going on in bytes of 255), the
// literals, how far back the match lies. The last sequence has no match.
std::optional<std::string> unpack_lz4(std::span<const std::uint8_t> packed, std::size_t size) {
  std::string text;
  text.reserve(size);
  std::size_t at = 0;
  auto length = [&](std::size_t count) -> std::optional<std::size_t> {
    if (count < 15) return count;
    std::uint8_t more = 255;
    while (more == 255) {
      if (at >= packed.size()) return {};
      more = packed[at++];
      count += more;
    }
    return count;
  };
  while (at < packed.size()) {
    const std::uint8_t token = packed[at++];
    std::optional<std::size_t> literals = length(token >> 4);
    if (!literals || *literals > packed.size() - at || *literals > size - text.size()) return {};
    text.append(reinterpret_cast<const char*>(packed.data()) + at, *literals);
    at += *literals;
    if (at == packed.size()) break;
    if (packed.size() - at < 2) return {};
    const std::size_t back = packed[at] | static_cast<std::size_t>(packed[at + 1]) << 8;
    at += 2;
    std::optional<std::size_t> match = length(token & 15);
    if (!match || back == 0 || back > text.size() || *match + 4 > size - text.size()) return {};
    for (std::size_t i = 0; i < *match + 4; ++i) text += text[text.size() - back];
  }
  if (text.size() != size) return {};
  return text;
}

std::optional<std::string> unpack_zstd(std::span<const std::uint8_t> packed, std::size_t size) {
  if (!llvm::compression::zstd::isAvailable()) return {};
  llvm::SmallVector<std::uint8_t, 0> text;
  if (llvm::Error error = llvm::compression::zstd::decompress({packed.data(), packed.size()}, text, size)) {
    llvm::consumeError(std::move(error));
    return {};
  }
  return std::string(text.begin(), text.end());
}

}  // namespace warpcc::standin
