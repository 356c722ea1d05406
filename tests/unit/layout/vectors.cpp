#include "vectors.h"

#include <doctest/doctest.h>

#include "llvm/Support/CRC.h"
#include "llvm/Support/MemoryBuffer.h"

namespace warpcc::layout {
namespace {

// A nested tuple of numbers; a number may be a step along a coordinate, the outermost index last: `1@0@2`.
struct Tuple {
  std::vector<Tuple> parts;
  bool leaf = false;
  std::int64_t number = 0;
  std::vector<std::int64_t> path;
};

class Reader {
 public:
  explicit Reader(llvm::StringRef text) : rest_(text) {}

  bool read(Tuple& tuple) {
    rest_ = rest_.ltrim();
    if (!rest_.consume_front("(")) return read_number(tuple);
    do {
      if (!read(tuple.parts.emplace_back())) return false;
      rest_ = rest_.ltrim();
    } while (rest_.consume_front(","));
    return rest_.consume_front(")");
  }
  bool consume(llvm::StringRef text) { return rest_.consume_front(text); }
  bool done() const { return rest_.empty(); }

 private:
  bool read_number(Tuple& tuple) {
    tuple.leaf = true;
    if (rest_.consumeInteger(10, tuple.number)) return false;
    while (rest_.consume_front("@"))
      if (rest_.consumeInteger(10, tuple.path.emplace_back())) return false;
    return true;
  }

  llvm::StringRef rest_;
};

// How far one step along the path is on the linear index of `basis`.
std::optional<std::int64_t> step_along(const Map& basis, const std::vector<std::int64_t>& path) {
  if (path.size() > 2 || path.back() >= basis.rank()) return std::nullopt;
  std::int64_t step = 1;
  for (int c = 0; c < path.back(); ++c) step *= basis.extent(c);
  const Coordinate& modes = basis.coordinates()[path.back()];
  if (path.size() == 1) return step;
  if (path[0] >= static_cast<std::int64_t>(modes.size())) return std::nullopt;
  for (int m = 0; m < path[0]; ++m) step *= modes[m].extent;
  return step;
}

bool flatten(const Tuple& shape, const Tuple& stride, const Map* basis, Coordinate& modes) {
  if (shape.leaf != stride.leaf || shape.parts.size() != stride.parts.size()) return false;
  for (std::size_t i = 0; i < shape.parts.size(); ++i)
    if (!flatten(shape.parts[i], stride.parts[i], basis, modes)) return false;
  if (!shape.leaf) return true;
  std::int64_t step = stride.number;
  if (!stride.path.empty()) {
    const std::optional<std::int64_t> along = basis ? step_along(*basis, stride.path) : std::nullopt;
    if (!along) return false;
    step *= *along;
  }
  modes.push_back({shape.number, step});
  return true;
}

}  // namespace

std::vector<llvm::json::Object> records(const std::string& name) {
  const std::string path = std::string(WARPCC_SOURCE_DIR) + "/tests/vectors/" + name + ".json";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  REQUIRE_MESSAGE(static_cast<bool>(buffer), path);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  REQUIRE_MESSAGE(static_cast<bool>(value), path);
  std::vector<llvm::json::Object> all;
  for (llvm::json::Value& record : *value->getAsArray()) all.push_back(std::move(*record.getAsObject()));
  return all;
}

std::optional<Map> cute_layout(llvm::StringRef text, const Map* basis) {
  Reader reader(text);
  Tuple shape, stride;
  if (!reader.read(shape) || !reader.consume(":") || !reader.read(stride) || !reader.done()) return std::nullopt;
  if (shape.leaf != stride.leaf || shape.parts.size() != stride.parts.size()) return std::nullopt;
  std::vector<Coordinate> coordinates;
  if (shape.leaf) {
    if (!flatten(shape, stride, basis, coordinates.emplace_back())) return std::nullopt;
  }
  for (std::size_t i = 0; i < shape.parts.size(); ++i)
    if (!flatten(shape.parts[i], stride.parts[i], basis, coordinates.emplace_back())) return std::nullopt;
  return Map(std::move(coordinates));
}

std::string text_of(const llvm::json::Object& record, llvm::StringRef key) {
  return record.getString(key).value_or("").str();
}

std::int64_t int_of(const llvm::json::Object& record, llvm::StringRef key) {
  const std::optional<std::int64_t> number = record.getInteger(key);
  REQUIRE_MESSAGE(number.has_value(), text_of(record, "id") << " " << key.str());
  return *number;
}

std::vector<std::int64_t> ints_of(const llvm::json::Object& record, llvm::StringRef key) {
  std::vector<std::int64_t> numbers;
  if (const llvm::json::Array* array = record.getArray(key))
    for (const llvm::json::Value& value : *array) numbers.push_back(value.getAsInteger().value_or(-1));
  return numbers;
}

std::uint64_t hex_of(llvm::StringRef text) {
  std::uint64_t number = 0;
  const bool failed = text.getAsInteger(0, number);
  REQUIRE_MESSAGE(!failed, text.str());
  return number;
}

std::uint64_t hex_of(const llvm::json::Object& record, llvm::StringRef key) {
  return hex_of(text_of(record, key));
}

std::uint32_t crc_of(const std::vector<std::int64_t>& table) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(table.size() * 4);
  for (const std::int64_t word : table)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return llvm::crc32(bytes);
}

Element element_of_bits(std::int64_t bits) {
  switch (bits) {
    case 4:
      return Element::f4e2m1;
    case 8:
      return Element::f8e4m3;
    case 32:
      return Element::f32;
    case 64:
      return Element::u64;
    default:
      return Element::f16;
  }
}

Swizzle swizzle_of(const std::vector<std::int64_t>& fields) {
  REQUIRE(fields.size() == 3);
  if (fields[0] == 0) return {};
  return {
      .bits = static_cast<int>(fields[0]), .base = static_cast<int>(fields[1]), .shift = static_cast<int>(fields[2])};
}

}  // namespace warpcc::layout
