#include <fmt/format.h>

#include "layout/atoms.h"
#include "layout/part.h"

namespace warpcc::layout {
namespace {

BoxResult refuse(std::string reason, std::vector<std::int64_t> coordinate = {}) {
  return {std::nullopt, {std::move(reason), std::move(coordinate)}};
}

// cuTensorMapEncodeTiled: the limits of a box.
std::optional<std::string> over_the_limits(const Part& part) {
  if (part.extents.empty() || part.extents.size() > 5)
    return fmt::format("a box has 1 to 5 coordinates, not {}", part.extents.size());
  for (const std::int64_t extent : part.extents)
    if (extent < 1 || extent > 256) return fmt::format("an extent of {}: a box has 1 to 256", extent);
  const std::int64_t row_bits = part.extents.back() * bits(part.element);
  if (row_bits % 128 != 0)
    return fmt::format("a row of {} elements of {}: the rows of a box are multiples of 16 bytes", part.extents.back(),
                       name(part.element));
  const Swizzle& swizzle = part.layout.swizzle();
  if (swizzle != swizzle_of_span(swizzle.span(), 1 << swizzle.base)) return std::string("no box has this swizzle");
  if (swizzle.bits != 0 && row_bits / 8 > swizzle.span())
    return fmt::format("a row of {} bytes: with swizzle {} a box's rows have at most {}", row_bits / 8, swizzle.span(),
                       swizzle.span());
  return std::nullopt;
}

}  // namespace

BoxResult tensor_map_box(const Part& part) {
  if (std::optional<std::string> reason = not_a_part(part)) return refuse(*reason);
  if (std::optional<std::string> reason = over_the_limits(part)) return refuse(*reason);
  const int element_bits = bits(part.element);
  const Map& map = part.layout.map();
  const Swizzle& swizzle = part.layout.swizzle();
  const std::int64_t start = map(part.start) * element_bits;
  if (start % (128 * 8) != 0)
    return refuse(fmt::format("it starts {} bytes into its tile: a box starts at multiples of 128", start / 8),
                  part.start);
  // The copy engine lays the box down densely, then swizzles absolute addresses.
  const Map dense = row_major(part.extents);
  std::int64_t wanted = 0, given = 0;
  const auto difference = first_difference(part, [&](const auto& index, const auto& coordinate) {
    const std::int64_t image = start + dense(index) * element_bits, place = map(coordinate) * element_bits;
    given = swizzle(image / 8);
    wanted = swizzle(place / 8);
    return given != wanted || image % 8 != place % 8;
  });
  if (difference)
    return refuse(fmt::format("{} lies at byte {} of the tile; the copy engine puts it at byte {}: a box is dense, its "
                              "last coordinate innermost",
                              tuple_text(*difference), wanted, given),
                  *difference);
  Box box{part.extents, swizzle.span(), 16};
  if (swizzle.bits != 0) box.swizzle_atom = 1 << swizzle.base;
  return {std::move(box), {}};
}

}  // namespace warpcc::layout
