#include "standin/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <span>

#include "standin/unpack.h"

namespace warpcc::standin {

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr std::uint64_t kMostText = std::uint64_t{1} << 31;

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  void* more;
};
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // behind the header
};
struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // behind its header
  std::uint32_t compressed_bytes, options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_offset, name_bytes;
  std::uint64_t flags, zero;
  std::uint64_t unpacked_bytes;
};

std::optional<std::string> text_of(const Entry& entry, const std::uint8_t* payload) {
  std::string text;
  if (entry.flags & (kLz4 | kZstd)) {
    if (entry.compressed_bytes > entry.bytes || entry.unpacked_bytes > kMostText) return {};
    const std::span<const std::uint8_t> packed(payload, entry.compressed_bytes);
    std::optional<std::string> unpacked =
        entry.flags & kLz4 ? unpack_lz4(packed, entry.unpacked_bytes) : unpack_zstd(packed, entry.unpacked_bytes);
    if (!unpacked) return {};
    text = std::move(*unpacked);
  } else {
    text.assign(reinterpret_cast<const char*>(payload), entry.bytes);
  }
  // It is padded with zeros.
  return text.substr(0, text.find('\0'));
}

// Of several texts, that for the newest GPU which is none newer than `architecture`.
std::optional<std::string> from_fat(const void* data, std::uint32_t architecture, std::string& why) {
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != kMagic) {
    why = "the module is no fat binary";
    return {};
  }
  const auto* at = static_cast<const std::uint8_t*>(data) + header.header_bytes;
  const std::uint8_t* end = at + header.bytes;
  std::optional<Entry> best;
  const std::uint8_t* payload = nullptr;
  std::string others;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.bytes > static_cast<std::uint64_t>(end - at) - entry.header_bytes)
      break;
    if (entry.kind == kPtx && entry.architecture <= architecture) {
      if (!best || best->architecture < entry.architecture) {
        best = entry;
        payload = at + entry.header_bytes;
      }
    } else {
      others += (others.empty() ? "" : ", ") +
                std::string(entry.kind == kPtx ? "PTX for sm_" : "machine code for sm_") +
                std::to_string(entry.architecture);
    }
    at += entry.header_bytes + entry.bytes;
  }
  if (best) {
    std::optional<std::string> text = text_of(*best, payload);
    if (!text) why = "the program's PTX cannot be unpacked: compile it with `nvcc -no-compress`";
    return text;
  }
  const std::string target = "compute_" + std::to_string(architecture) + "a";
  why = "the program has no PTX for this GPU" + (others.empty() ? "" : " (it has " + others + ")") +
        ": compile it with `nvcc -gencode arch=" + target + ",code=" + target + "`";
  return {};
}

}  // namespace

std::optional<std::string> ptx_of(const void* wrapper, int architecture, std::string& why) {
  Wrapper text;
  std::memcpy(&text, wrapper, sizeof text);
  if (text.magic != kWrapperMagic) {
    why = "the module is no fat binary";
    return {};
  }
  return from_fat(text.data, static_cast<std::uint32_t>(architecture), why);
}

std::optional<std::string> ptx_of_image(const void* image, int architecture, std::string& why) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kMagic) return from_fat(image, static_cast<std::uint32_t>(architecture), why);
  if (magic == kWrapperMagic) return ptx_of(image, architecture, why);
  if (magic == 0x464c457f) {
    why = "the module is machine code; the machine runs PTX";
    return {};
  }
  return std::string(static_cast<const char*>(image));
}

}  // namespace warpcc::standin
