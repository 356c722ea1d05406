#include "layout/compose.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/merge.h"
#include "layout/promise.h"

namespace warpcc::layout {
namespace {

Coordinate merged(const Coordinate& coordinate) {
  Coordinate modes;
  append_all(modes, coordinate);
  if (modes.empty()) modes.push_back({});
  return modes;
}

int splits(const Map& map) {
  int count = 0;
  for (const Coordinate& coordinate : map.coordinates()) count += static_cast<int>(coordinate.size()) - 1;
  return count;
}

Map restricted(const Map& map, Restricted::Fixed fixed) {
  std::vector<Coordinate> free;
  std::vector<std::int64_t> origin;
  for (int c = 0; c < map.rank(); ++c) {
    origin.push_back(fixed[c].value_or(0));
    if (!fixed[c]) free.push_back(map.coordinates()[c]);
  }
  return Map(std::move(free), map(origin));
}

}  // namespace

Map canonical(const Map& map) {
  std::vector<Coordinate> coordinates;
  if (map.size() == 0) {
    for (const std::int64_t extent : map.shape()) coordinates.push_back({Mode{extent, 0}});
    return Map(std::move(coordinates));
  }
  for (const Coordinate& coordinate : map.coordinates()) coordinates.push_back(merged(coordinate));
  return Map(std::move(coordinates), map.offset());
}

Map flattened(const Map& map) {
  return Map({map.modes()}, map.offset());
}

namespace {

// The modes that say something, the smallest stride first.
std::vector<Mode> ascending(const Map& map) {
  std::vector<Mode> modes;
  for (const Mode& mode : map.modes())
    if (mode.extent > 1) modes.push_back(mode);
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  return modes;
}

}  // namespace

std::optional<Map> complement(const Map& map, std::int64_t size) {
  if (map.offset() != 0 || size < 1) return std::nullopt;
  Coordinate gaps;
  std::int64_t covered = 1;
  for (const Mode& mode : ascending(map)) {
    if (mode.stride < covered || mode.stride % covered != 0) return std::nullopt;
    if (mode.stride > covered) gaps.push_back({mode.stride / covered, covered});
    if (mode.extent > size / mode.stride) return std::nullopt;
    covered = mode.stride * mode.extent;
  }
  if (size % covered != 0) return std::nullopt;
  if (size > covered) gaps.push_back({size / covered, covered});
  return Map({merged(gaps)});
}

std::string why_no_complement(const Map& map, std::int64_t size) {
  const std::string head = fmt::format("no layout completes {} to 0 .. {}: ", map.text(), size);
  if (map.offset() != 0) return head + fmt::format("it starts at {}", map.offset());
  std::int64_t covered = 1;
  for (const Mode& mode : ascending(map)) {
    if (mode.stride < covered)
      return head + fmt::format("its mode of {} in steps of {} begins among the {} that smaller steps cover",
                                mode.extent, mode.stride, covered);
    if (mode.stride % covered != 0) return head + fmt::format("{} do not divide the step of {}", covered, mode.stride);
    if (mode.extent > size / mode.stride) return head + fmt::format("it reaches {}", (mode.extent - 1) * mode.stride);
    covered = mode.stride * mode.extent;
  }
  return head + fmt::format("the {} that it covers do not divide that", covered);
}

Composite::Composite(Map outer, Map inner)
    : outer_(std::move(outer)), inner_(std::move(inner)), decision_(decide(outer_, inner_)) {}

int Composite::divisions() const {
  return decision_.strided ? 2 * splits(*decision_.strided) : divisions_undecided();
}

int Composite::divisions_undecided() const {
  return 2 * (splits(canonical(inner_)) + splits(canonical(flattened(outer_))));
}

llvm::Error not_composable(const Map& outer, const Map& inner) {
  std::optional<std::string> reason = too_large(inner);
  if (!reason) reason = not_a_bijection(inner);
  if (!reason && inner.size() != outer.size())
    reason = fmt::format("it has {} elements, and {} has {}", inner.size(), outer.text(), outer.size());
  if (!reason) return llvm::Error::success();
  return llvm::make_error<llvm::StringError>(
      fmt::format("the inner layout {} does not land exactly on the outer one's coordinates: {}", inner.text(),
                  *reason),
      llvm::inconvertibleErrorCode());
}

Restricted::Restricted(const Map& map, Fixed fixed) : inner_(restricted(map, fixed)) {}

Restricted::Restricted(const Composite& composite, Fixed fixed)
    : outer_(composite.outer()), inner_(restricted(composite.inner(), fixed)) {
  if (!composite.decision().strided) return;
  outer_.reset();
  inner_ = restricted(*composite.decision().strided, fixed);
}

}  // namespace warpcc::layout
