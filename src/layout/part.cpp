#include "layout/part.h"

#include <fmt/format.h>

namespace warpcc::layout {

std::optional<std::string> not_a_part(const Part& part) {
  const std::vector<std::int64_t> shape = part.layout.map().shape();
  if (part.start.size() != shape.size() || part.extents.size() != shape.size())
    return fmt::format("a part of {} coordinates of the tile {}", part.extents.size(), tuple_text(shape));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (part.start[i] < 0 || part.extents[i] < 0 || part.start[i] > shape[i] - part.extents[i])
      return fmt::format("coordinate {} of the part is {} +: {}, and the tile is {}", i, part.start[i], part.extents[i],
                         tuple_text(shape));
  return std::nullopt;
}

}  // namespace warpcc::layout
