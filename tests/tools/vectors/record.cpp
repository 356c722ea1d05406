#include "record.h"

#include <limits>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CRC.h"

namespace warpcc::layout::vectors {
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
    rest_.consume_front("_");  // how CuTe prints a number that it knows when it compiles
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

void leaves(const Tuple& tuple, std::vector<std::int64_t>& extents) {
  if (tuple.leaf) extents.push_back(tuple.number);
  for (const Tuple& part : tuple.parts) leaves(part, extents);
}

std::int64_t product(const Tuple& tuple) {
  std::vector<std::int64_t> extents;
  leaves(tuple, extents);
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

const llvm::json::Object kNoObject;
const llvm::json::Array kNoArray;

}  // namespace

void Record::miss(llvm::StringRef key) const {
  if (missing_.empty()) missing_ = key.str();
}

std::string Record::text(llvm::StringRef key) const {
  const std::optional<llvm::StringRef> text = object_.getString(key);
  if (!text) miss(key);
  return text.value_or("").str();
}

std::int64_t Record::number(llvm::StringRef key) const {
  const std::optional<std::int64_t> number = object_.getInteger(key);
  if (!number) miss(key);
  return number.value_or(0);
}

const llvm::json::Array& Record::array(llvm::StringRef key) const {
  if (const llvm::json::Array* array = object_.getArray(key)) return *array;
  miss(key);
  return kNoArray;
}

std::vector<std::int64_t> Record::numbers(llvm::StringRef key) const {
  std::vector<std::int64_t> numbers;
  for (const llvm::json::Value& value : array(key)) {
    if (!value.getAsInteger()) miss(key);
    numbers.push_back(value.getAsInteger().value_or(0));
  }
  return numbers;
}

std::vector<std::vector<std::int64_t>> Record::rows(llvm::StringRef key) const {
  std::vector<std::vector<std::int64_t>> rows;
  for (const llvm::json::Value& row : array(key)) {
    rows.emplace_back();
    if (!row.getAsArray()) miss(key);
    if (row.getAsArray())
      for (const llvm::json::Value& value : *row.getAsArray()) rows.back().push_back(value.getAsInteger().value_or(0));
  }
  return rows;
}

std::vector<std::string> Record::texts(llvm::StringRef key) const {
  std::vector<std::string> texts;
  if (const llvm::json::Array* array = object_.getArray(key))
    for (const llvm::json::Value& value : *array) texts.push_back(value.getAsString().value_or("").str());
  return texts;
}

std::uint64_t Record::hex(llvm::StringRef key) const {
  return hex_of(text(key));
}

Record Record::object(llvm::StringRef key) const {
  if (const llvm::json::Object* object = object_.getObject(key)) return Record(*object);
  miss(key);
  return Record(kNoObject);
}

std::uint64_t hex_of(llvm::StringRef text) {
  std::uint64_t number = 0;
  if (text.getAsInteger(0, number)) return ~std::uint64_t{0};
  return number;
}

std::optional<Map> cute_layout(llvm::StringRef text, const Map* basis) {
  Reader reader(text);
  Tuple shape, stride;
  if (!reader.read(shape) || !reader.consume(":") || !reader.read(stride) || !reader.done()) return std::nullopt;
  if (shape.leaf != stride.leaf || shape.parts.size() != stride.parts.size()) return std::nullopt;
  std::vector<Coordinate> coordinates;
  if (shape.leaf && !flatten(shape, stride, basis, coordinates.emplace_back())) return std::nullopt;
  for (std::size_t i = 0; i < shape.parts.size(); ++i)
    if (!flatten(shape.parts[i], stride.parts[i], basis, coordinates.emplace_back())) return std::nullopt;
  return Map(std::move(coordinates));
}

std::optional<std::vector<std::int64_t>> cute_shape(llvm::StringRef text, bool by_coordinate) {
  Reader reader(text);
  Tuple shape;
  if (!reader.read(shape) || !reader.done()) return std::nullopt;
  std::vector<std::int64_t> extents;
  if (!by_coordinate || shape.leaf) leaves(shape, extents);
  if (by_coordinate)
    for (const Tuple& part : shape.parts) extents.push_back(product(part));
  return extents;
}

std::int64_t entry(std::span<const std::int64_t> table, std::int64_t at) {
  if (at < 0 || at >= static_cast<std::int64_t>(table.size())) return std::numeric_limits<std::int64_t>::min();
  return table[at];
}

std::uint32_t crc_of(std::span<const std::int64_t> table) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(table.size() * 4);
  for (const std::int64_t word : table)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return llvm::crc32(bytes);
}

std::optional<Element> element_of(llvm::StringRef name) {
  name = name.substr(name.rfind(':') + 1);  // without namespaces
  return llvm::StringSwitch<std::optional<Element>>(name)
      .Cases("f16", "half_t", Element::f16)
      .Cases("bf16", "bfloat16_t", Element::bf16)
      .Cases("f32", "float", Element::f32)
      .Cases("tf32", "tfloat32_t", Element::tf32)
      .Cases("e4m3", "float_e4m3_t", Element::f8e4m3)
      .Cases("e5m2", "float_e5m2_t", Element::f8e5m2)
      .Cases("e2m3", "float_e2m3_t", "float_e2m3_unpacksmem_t", Element::f6e2m3)
      .Cases("e3m2", "float_e3m2_t", "float_e3m2_unpacksmem_t", Element::f6e3m2)
      .Cases("e2m1", "e2m1_mxf4", "float_e2m1_t", "float_e2m1_unpacksmem_t", Element::f4e2m1)
      .Cases("s8", "int8_t", Element::s8)
      .Cases("u8", "uint8_t", Element::u8)
      .Cases("s32", "int32_t", Element::s32)
      .Default(std::nullopt);
}

Element element_of_bits(std::int64_t bits) {
  switch (bits) {
    case 4:
      return Element::f4e2m1;
    case 6:
      return Element::f6e2m3;
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

Swizzle swizzle_of(std::span<const std::int64_t> fields) {
  if (fields.size() != 3 || fields[0] == 0) return {};
  return {
      .bits = static_cast<int>(fields[0]), .base = static_cast<int>(fields[1]), .shift = static_cast<int>(fields[2])};
}

}  // namespace warpcc::layout::vectors
