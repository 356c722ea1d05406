#include "layout/part.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpcc::layout {
namespace {

// Tensor memory and the tensor core's shared addresses have 256 KB.
constexpr std::int64_t kLargestBits = std::int64_t{8} << 18;

bool larger_than_memory(const Part& part) {
  std::int64_t size = bits(part.element);
  for (const std::int64_t extent : part.extents)
    if (extent != 0 && (size *= std::min(extent, kLargestBits + 1)) > kLargestBits) return true;
  return false;
}

}  // namespace

std::optional<std::string> not_a_part(const Part& part) {
  const std::vector<std::int64_t> shape = part.layout.map().shape();
  if (part.start.size() != shape.size() || part.extents.size() != shape.size())
    return fmt::format("a part of {} coordinates of the tile {}", part.extents.size(), tuple_text(shape));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (part.start[i] < 0 || part.extents[i] < 0 || part.start[i] > shape[i] - part.extents[i])
      return fmt::format("coordinate {} of the part is {} +: {}, and the tile is {}", i, part.start[i], part.extents[i],
                         tuple_text(shape));
  if (larger_than_memory(part))
    return fmt::format("{} elements of {} are more than a CTA's memory holds", tuple_text(part.extents),
                       name(part.element));
  return std::nullopt;
}

}  // namespace warpcc::layout
