// Which elements of the output all clusters of a grid store: of boxes and rows, a bit an element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sass/program.h"

namespace warpcc::checker {

// The elements of one buffer, as they lie in memory.
class Written {
 public:
  explicit Written(std::int64_t elements)
      : once_(static_cast<std::size_t>((elements + 63) / 64), 0), elements_(elements) {}

  // [first, first + count), clipped to the buffer. Answers the first that was stored to before; -1: none.
  std::int64_t store(std::int64_t first, std::int64_t count);
  bool stored(std::int64_t element) const { return once_[static_cast<std::size_t>(element / 64)] >> element % 64 & 1; }
  std::int64_t elements() const { return elements_; }
  // The first that nobody has stored to, from `from` on; -1: none.
  std::int64_t first_missing(std::int64_t from) const;
  std::int64_t missing() const;

 private:
  std::vector<std::uint64_t> once_;
  std::int64_t elements_;
};

// `c[8192, 256]`, of a buffer that lies in memory in order.
std::string element_text(const sass::Buffer& buffer, std::int64_t element);

}  // namespace warpcc::checker
