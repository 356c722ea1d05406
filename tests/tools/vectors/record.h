// Reads records of tests/vectors (tests/vectors/README.md): fields, layouts in CuTe's spelling, tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/element.h"
#include "layout/layout.h"
#include "llvm/Support/JSON.h"

namespace warpcc::layout::vectors {

// One record. A field that is missing or of another type is read as 0 or empty, and named by missing().
class Record {
 public:
  explicit Record(const llvm::json::Object& object) : object_(object) {}

  bool has(llvm::StringRef key) const { return object_.get(key) != nullptr; }
  std::string text(llvm::StringRef key) const;
  std::int64_t number(llvm::StringRef key) const;
  bool flag(llvm::StringRef key, bool otherwise = false) const { return object_.getBoolean(key).value_or(otherwise); }
  std::vector<std::int64_t> numbers(llvm::StringRef key) const;
  std::vector<std::vector<std::int64_t>> rows(llvm::StringRef key) const;
  // A list of texts; empty where the field is something else.
  std::vector<std::string> texts(llvm::StringRef key) const;
  // A number written as text, `0x40004040`.
  std::uint64_t hex(llvm::StringRef key) const;
  Record object(llvm::StringRef key) const;
  const llvm::json::Array& array(llvm::StringRef key) const;

  const std::string& missing() const { return missing_; }

 private:
  void miss(llvm::StringRef key) const;

  const llvm::json::Object& object_;
  mutable std::string missing_;
};

std::uint64_t hex_of(llvm::StringRef text);

// A layout in CuTe's spelling, `((8,16),64):((64,512),1)`; each mode of the outermost tuple is a coordinate, its own
// nesting flattened. A stride `2@1` is 2 steps along coordinate 1 of `basis`, where one is given. None for anything
// else.
std::optional<Map> cute_layout(llvm::StringRef text, const Map* basis = nullptr);
// The extents of a shape, `(2,(3,4))`, flattened; with `by_coordinate` one for each entry of the outermost tuple.
std::optional<std::vector<std::int64_t>> cute_shape(llvm::StringRef text, bool by_coordinate = false);

// The entry, or a number that is in no table.
std::int64_t entry(std::span<const std::int64_t> table, std::int64_t at);
// CRC-32 (zlib) of the table as little-endian 32-bit words.
std::uint32_t crc_of(std::span<const std::int64_t> table);

// The element by the name that the records use, `e4m3`, or CuTe does, `float_e4m3_t`.
std::optional<Element> element_of(llvm::StringRef name);
// Any element of so many bits, and the swizzle given as (bits, base, shift).
Element element_of_bits(std::int64_t bits);
Swizzle swizzle_of(std::span<const std::int64_t> fields);

}  // namespace warpcc::layout::vectors
