#include <fmt/format.h>

#include <algorithm>

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

// Rows follow each other, but never closer than the span of the swizzle (seen on an H200: tests/gpu).
Map laid_down(const Box& box, int element_bits) {
  const std::int64_t pitch = std::max<std::int64_t>(box.extents.back(), box.swizzle_span * 8 / element_bits);
  std::vector<Coordinate> coordinates(box.extents.size());
  std::int64_t stride = 1;
  for (std::size_t c = box.extents.size(); c-- > 0;) {
    coordinates[c].push_back({box.extents[c], stride});
    stride = c + 1 == box.extents.size() ? pitch : stride * box.extents[c];
  }
  return Map(std::move(coordinates));
}

}  // namespace

std::optional<Misfit> box_misfit(const Part& part, const Box& box) {
  if (std::optional<std::string> reason = not_a_part(part)) return Misfit{*reason, {}};
  if (box.extents.size() != part.extents.size())
    return Misfit{fmt::format("a box of {} coordinates for a part of {}", box.extents.size(), part.extents.size()), {}};
  const int element_bits = bits(part.element);
  const Map& map = part.layout.map();
  const std::int64_t start = map(part.start) * element_bits;
  if (start % (128 * 8) != 0)
    return Misfit{fmt::format("it starts {} bytes into its tile: a box starts at multiples of 128", start / 8),
                  part.start};
  // The copy engine lays the box down row after row, then swizzles absolute addresses.
  const Map dense = laid_down(box, element_bits);
  const Swizzle wanted_swizzle = part.layout.swizzle();
  const Swizzle given_swizzle = swizzle_of_span(box.swizzle_span, box.swizzle_atom);
  bool brought = true;
  std::int64_t wanted = 0, given = 0;
  const auto difference = first_difference(part, [&](const auto& index, const auto& coordinate) {
    for (std::size_t c = 0; c < index.size(); ++c) brought = brought && index[c] < box.extents[c];
    if (!brought) return true;
    const std::int64_t image = start + dense(index) * element_bits, place = map(coordinate) * element_bits;
    given = given_swizzle(image / 8);
    wanted = wanted_swizzle(place / 8);
    return given != wanted || image % 8 != place % 8;
  });
  if (!difference) {
    for (std::size_t c = 0; c < box.extents.size(); ++c) {
      if (box.extents[c] <= part.extents[c]) continue;
      std::vector<std::int64_t> beyond = part.start;
      beyond[c] += part.extents[c];
      return Misfit{fmt::format("a box of {} also brings {}, which is not in the part", tuple_text(box.extents),
                                tuple_text(beyond)),
                    beyond};
    }
    return std::nullopt;
  }
  if (!brought)
    return Misfit{fmt::format("a box of {} does not bring {}", tuple_text(box.extents), tuple_text(*difference)),
                  *difference};
  return Misfit{fmt::format("{} lies at byte {} of the tile; the copy engine puts it at byte {}: a box is dense, its "
                            "last coordinate innermost",
                            tuple_text(*difference), wanted, given),
                *difference};
}

BoxResult tensor_map_box(const Part& part) {
  if (std::optional<std::string> reason = not_a_part(part)) return refuse(*reason);
  if (std::optional<std::string> reason = over_the_limits(part)) return refuse(*reason);
  const Swizzle& swizzle = part.layout.swizzle();
  Box box{part.extents, swizzle.span(), 16};
  if (swizzle.bits != 0) box.swizzle_atom = 1 << swizzle.base;
  if (std::optional<Misfit> misfit = box_misfit(part, box)) return {std::nullopt, std::move(*misfit)};
  return {std::move(box), {}};
}

BoxResult largest_box(const Part& part) {
  if (std::optional<std::string> reason = not_a_part(part)) return refuse(*reason);
  Part box = part;
  for (std::int64_t& extent : box.extents) extent = 1;
  BoxResult best;
  for (std::size_t c = part.extents.size(); c-- > 0;) {
    // A row too short for a box is none yet: the largest that is one, or the first refusal of all of it.
    std::optional<BoxResult> found;
    for (std::int64_t extent = part.extents[c]; extent >= 1; --extent) {
      if (part.extents[c] % extent != 0) continue;
      box.extents[c] = extent;
      BoxResult result = tensor_map_box(box);
      if (!found || result.box) found = std::move(result);
      if (found->box) break;
    }
    if (!found || !found->box) return found.value_or(refuse("it has no elements"));
    best = std::move(*found);
  }
  return best;
}

int tensor_map_type(Element element) {
  switch (element) {
    case Element::f16:
      return 6;
    case Element::f32:
      return 7;
    case Element::bf16:
      return 9;
    case Element::tf32:
      return 11;
    case Element::u32:
      return 2;
    case Element::s32:
      return 3;
    case Element::u64:
      return 4;
    default:
      return 0;  // bytes
  }
}

int tensor_map_swizzle(const Box& box) {
  switch (box.swizzle_span) {
    case 32:
      return 1;
    case 64:
      return 2;
    case 128:
      return box.swizzle_atom == 32 ? 4 : box.swizzle_atom == 64 ? 6 : 3;
    default:
      return 0;
  }
}

}  // namespace warpcc::layout
