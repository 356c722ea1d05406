// What the deciders share: a part that is whole, and walks over its coordinates.
#pragma once

#include <optional>
#include <string>

#include "layout/atoms.h"

namespace warpcc::layout {

// What is wrong with a part before any encoding is asked: its rank, that it leaves its tile, or that it is larger than
// all of a CTA's shared or tensor memory, so that no walk over its coordinates is long.
std::optional<std::string> not_a_part(const Part& part);

// The first coordinate of the tile in the part, last coordinate fastest, at which `differs` is true; its argument is
// the index within the part and the coordinate of the tile.
template <typename Differs>
std::optional<std::vector<std::int64_t>> first_difference(const Part& part, Differs&& differs) {
  std::vector<std::int64_t> index(part.extents.size(), 0);
  std::vector<std::int64_t> coordinate = part.start;
  for (const std::int64_t extent : part.extents)
    if (extent == 0) return std::nullopt;
  for (;;) {
    if (differs(index, coordinate)) return coordinate;
    std::size_t at = index.size();
    for (;;) {
      if (at == 0) return std::nullopt;
      --at;
      if (++index[at] < part.extents[at]) break;
      index[at] = 0;
      coordinate[at] = part.start[at];
    }
    coordinate[at] = part.start[at] + index[at];
  }
}

}  // namespace warpcc::layout
