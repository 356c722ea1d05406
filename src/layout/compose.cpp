#include "layout/compose.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/promise.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::layout {
namespace {

// One more mode behind others: nothing where its extent is 1, a longer last one where it goes on where that ends.
template <typename Modes>
void append(Modes& modes, const Mode& mode) {
  if (mode.extent == 1) return;
  if (!modes.empty() && modes.back().broadcast == mode.broadcast &&
      mode.stride == modes.back().stride * modes.back().extent)
    modes.back().extent *= mode.extent;
  else
    modes.push_back(mode);
}

template <typename Modes>
void append_all(Modes& modes, const Coordinate& coordinate) {
  for (const Mode& mode : coordinate) append(modes, mode);
}

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

// A mode of the outer map and the interval [begin, begin × extent) of the linear index that it covers.
struct Interval {
  std::int64_t begin = 1;
  Mode mode;

  std::int64_t end() const { return begin * mode.extent; }
};

// Layouts of so many modes are decided without an allocation but for the result's.
constexpr unsigned kUsualModes = 16;

// Cuts one digit of the inner map at the boundaries of the outer one.
class Cut {
 public:
  explicit Cut(const Map& outer) {
    llvm::SmallVector<Mode, kUsualModes> modes;
    for (const Coordinate& coordinate : outer.coordinates()) append_all(modes, coordinate);
    if (modes.empty()) modes.push_back({});
    std::int64_t begin = 1;
    for (const Mode& mode : modes) {
      intervals_.push_back({begin, mode});
      begin *= mode.extent;
    }
  }

  // The digit's pieces, or the boundary that does not divide it.
  std::optional<std::int64_t> operator()(const Mode& digit, Coordinate& pieces) const {
    const std::int64_t end = digit.stride * digit.extent;
    std::int64_t low = digit.stride;
    if (low < 1 || end > intervals_.back().end()) return end;  // no bijection: no caller's, but nothing to divide by
    const Interval* at = holding(low);
    for (; low < end; ++at) {
      const std::int64_t high = std::min(end, at->end());
      if (high % low != 0 || end % high != 0) return high;
      append(pieces, {high / low, low / at->begin * at->mode.stride, at->mode.broadcast});
      low = high;
    }
    return std::nullopt;
  }

 private:
  // The interval that `value` is in, by halves without a branch on the comparison, which nothing predicts.
  const Interval* holding(std::int64_t value) const {
    const Interval* first = intervals_.begin();
    for (std::size_t left = intervals_.size(); left > 1;) {
      const std::size_t half = left / 2;
      first = first[half].begin <= value ? first + half : first;
      left -= half;
    }
    return first;
  }

  llvm::SmallVector<Interval, kUsualModes> intervals_;
};

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

std::optional<Map> complement(const Map& map, std::int64_t size) {
  std::vector<Mode> modes;
  for (const Mode& mode : map.modes())
    if (mode.extent > 1) modes.push_back(mode);
  if (map.offset() != 0 || size < 1) return std::nullopt;
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  Coordinate gaps;
  std::int64_t covered = 1;
  for (const Mode& mode : modes) {
    if (mode.stride < covered || mode.stride % covered != 0) return std::nullopt;
    if (mode.stride > covered) gaps.push_back({mode.stride / covered, covered});
    if (mode.extent > size / mode.stride) return std::nullopt;
    covered = mode.stride * mode.extent;
  }
  if (size % covered != 0) return std::nullopt;
  if (size > covered) gaps.push_back({size / covered, covered});
  return Map({merged(gaps)});
}

std::string Obstacle::text() const {
  return fmt::format(
      "{} after {} is no strided layout: coordinate {} of the inner one runs over {} .. {} in steps of {}, and the "
      "outer one's stride changes at {}, which does not divide it",
      outer.text(), inner.text(), coordinate, digit.stride, digit.stride * digit.extent, digit.stride, boundary);
}

Decision decide(const Map& outer, const Map& inner) {
  const Cut cut(outer);
  std::vector<Coordinate> coordinates;
  coordinates.reserve(inner.coordinates().size());
  llvm::SmallVector<Mode, kUsualModes> digits;
  for (const Coordinate& coordinate : inner.coordinates()) {
    digits.clear();
    append_all(digits, coordinate);
    Coordinate& pieces = coordinates.emplace_back();
    for (const Mode& digit : digits)
      if (const std::optional<std::int64_t> boundary = cut(digit, pieces))
        return {std::nullopt, Obstacle{canonical(flattened(outer)), canonical(inner),
                                       static_cast<int>(coordinates.size()) - 1, digit, *boundary}};
    if (pieces.empty()) pieces.push_back({});
  }
  return {Map(std::move(coordinates), outer.offset()), std::nullopt};
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
