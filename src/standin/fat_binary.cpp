#include "standin/fat_binary.h"

#include <cstdint>
#include <cstring>

namespace warpcc::standin {

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kMagic = 0xba55ed50;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;  // by LZ4, by Zstandard

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
  std::uint64_t flags;
};

std::optional<std::string> from_fat(const void* data, std::string& why) {
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != kMagic) {
    why = "the module is no fat binary";
    return {};
  }
  const auto* at = static_cast<const std::uint8_t*>(data) + header.header_bytes;
  const std::uint8_t* end = at + header.bytes;
  bool compressed = false;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.bytes > static_cast<std::uint64_t>(end - at) - entry.header_bytes)
      break;
    if (entry.kind == kPtx) {
      if (entry.flags & kCompressed) {
        compressed = true;
      } else {
        std::string text(reinterpret_cast<const char*>(at) + entry.header_bytes, entry.bytes);
        // It is padded with zeros.
        return text.substr(0, text.find('\0'));
      }
    }
    at += entry.header_bytes + entry.bytes;
  }
  why = compressed ? "the program's PTX is compressed: compile it with `nvcc -no-compress`"
                   : "the program has no PTX: compile it with `nvcc -gencode arch=compute_100a,code=compute_100a`, or "
                     "compute_90a";
  return {};
}

}  // namespace

std::optional<std::string> ptx_of(const void* wrapper, std::string& why) {
  Wrapper text;
  std::memcpy(&text, wrapper, sizeof text);
  if (text.magic != kWrapperMagic) {
    why = "the module is no fat binary";
    return {};
  }
  return from_fat(text.data, why);
}

std::optional<std::string> ptx_of_image(const void* image, std::string& why) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kMagic) return from_fat(image, why);
  if (magic == kWrapperMagic) return ptx_of(image, why);
  if (magic == 0x464c457f) {
    why = "the module is machine code; the machine runs PTX";
    return {};
  }
  return std::string(static_cast<const char*>(image));
}

}  // namespace warpcc::standin
