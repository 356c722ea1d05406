// Reads tests/vectors: records of layouts and encodings that other people's code computed (tests/vectors/README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/atoms.h"
#include "layout/layout.h"
#include "llvm/Support/JSON.h"

namespace warpcc::layout {

// The records of tests/vectors/NAME.json, each an object. Fails the test where it cannot be read.
std::vector<llvm::json::Object> records(const std::string& name);

// A layout in CuTe's spelling, `((8,16),64):((64,512),1)`; each mode of the outermost tuple is a coordinate, its own
// nesting flattened. A stride `2@1` is 2 steps along coordinate 1 of `basis`, where one is given. None for anything
// else.
std::optional<Map> cute_layout(llvm::StringRef text, const Map* basis = nullptr);

std::string text_of(const llvm::json::Object& record, llvm::StringRef key);
std::int64_t int_of(const llvm::json::Object& record, llvm::StringRef key);
std::vector<std::int64_t> ints_of(const llvm::json::Object& record, llvm::StringRef key);
// A number written as text, `0x4000404000010000`.
std::uint64_t hex_of(llvm::StringRef text);
std::uint64_t hex_of(const llvm::json::Object& record, llvm::StringRef key);

// CRC-32 (zlib) of the table as little-endian 32-bit words.
std::uint32_t crc_of(const std::vector<std::int64_t>& table);

// Any element of so many bits, and the swizzle given as (bits, base, shift).
Element element_of_bits(std::int64_t bits);
Swizzle swizzle_of(const std::vector<std::int64_t>& fields);

}  // namespace warpcc::layout
