#include "sass/read_layout.h"

#include <utility>
#include <vector>

namespace warpcc::sass {

namespace {

llvm::Error failure(const char* words) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), words);
}

constexpr std::size_t kMostModes = 16;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

using Tuple = std::vector<std::vector<std::int64_t>>;

bool read_number(Cursor& at, std::vector<std::int64_t>& into) {
  std::optional<std::int64_t> number = at.number();
  if (!number || *number < -kLargest || *number > kLargest || into.size() == kMostModes) return false;
  into.push_back(*number);
  return true;
}

// `(128, (64, 2))`
bool read_tuple(Cursor& at, Tuple& tuple) {
  if (!at.eat('(')) return false;
  if (at.eat(')')) return true;
  do {
    if (tuple.size() == kMostModes) return false;
    std::vector<std::int64_t>& modes = tuple.emplace_back();
    if (at.eat('(')) {
      if (at.eat(')')) continue;
      do {
        if (!read_number(at, modes)) return false;
      } while (at.eat(','));
      if (!at.eat(')')) return false;
    } else if (!read_number(at, modes)) {
      return false;
    }
  } while (at.eat(','));
  return at.eat(')');
}

}  // namespace

llvm::Expected<layout::Map> read_map(Cursor& at) {
  Tuple shape, strides;
  if (!read_tuple(at, shape)) return failure("a shape is wanted behind the element, as `(128, 64)`");
  if (!at.eat(':') || !read_tuple(at, strides))
    return failure("`:` and strides are wanted behind the shape, as `: (64, 1)`");
  if (shape.size() != strides.size()) return failure("shape and strides differ in their number of coordinates");
  std::vector<layout::Coordinate> coordinates(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].size() != strides[i].size()) return failure("shape and strides are nested differently");
    for (std::size_t j = 0; j < shape[i].size(); ++j) {
      if (shape[i][j] < 0) return failure("an extent is negative");
      bool broadcast = strides[i][j] == 0 && shape[i][j] > 1;
      coordinates[i].push_back({shape[i][j], strides[i][j], broadcast});
    }
  }
  return layout::Map(std::move(coordinates));
}

llvm::Expected<layout::Physical> read_layout(Cursor& at) {
  llvm::Expected<layout::Map> map = read_map(at);
  if (!map) return map.takeError();
  int swizzle = 0;
  if (at.eat_word("swizzle")) {
    std::optional<std::int64_t> span = at.number();
    if (!span || (*span != 32 && *span != 64 && *span != 128)) return failure("a swizzle spans 32, 64 or 128 bytes");
    swizzle = static_cast<int>(*span);
  }
  return layout::Physical::make(std::move(*map), layout::swizzle_of_span(swizzle));
}

}  // namespace warpcc::sass
