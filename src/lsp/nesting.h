// What encloses a place of a text, found by brackets and separators without parsing it: it may be half typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpcc::lsp {

struct Span {
  std::uint32_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  bool has(std::uint32_t place) const { return begin <= place && place <= end; }
  friend bool operator==(const Span&, const Span&) = default;
};

// A pair of brackets around the place, and what of its inside the place is in; none: it is between two.
struct Level {
  char bracket = 0;  // `(`, `[`, `{`; 0: none, the whole text
  Span whole;        // with the brackets; what is left open reaches to the end of what encloses it
  Span inside;
  std::optional<Span> statement;  // item, member or statement with its `;` or block; in `(` and `[` there are none
  std::optional<Span> part;       // what stands between commas
};

struct Nesting {
  std::optional<Span> literal;  // the string or comment that the place is in
  std::vector<Level> levels;    // from the inside; the last is the text
};

Nesting nesting_at(std::string_view text, std::uint32_t place);

}  // namespace warpcc::lsp
