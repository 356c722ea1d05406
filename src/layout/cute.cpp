#include "layout/cute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

namespace warpcc::layout::cute {
namespace {

llvm::Error refused(std::string reason) {
  return llvm::make_error<llvm::StringError>(std::move(reason), llvm::inconvertibleErrorCode());
}

bool moves(const Mode& mode) {
  return mode.extent > 1 && mode.stride != 0;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

bool has_elements(const Map& map) {
  const std::vector<Mode> modes = map.modes();
  return !modes.empty() && std::all_of(modes.begin(), modes.end(), [](const Mode& mode) { return mode.extent > 0; });
}

// The coordinate with its last mode made longer, so that `inner` stays inside, and so that there is a complement where
// there can be one: to a multiple of what the largest mode of `inner` covers.
Coordinate reaching(Coordinate outer, const std::vector<Mode>& inner) {
  if (outer.empty()) outer.push_back({});
  std::int64_t above = 0, below = 0, covered = 1;
  for (const Mode& mode : inner) {
    if (!moves(mode)) continue;
    const std::int64_t reach = (mode.extent - 1) * mode.stride;
    (reach > 0 ? above : below) += std::abs(reach);
    covered = std::max(covered, mode.extent * std::abs(mode.stride));
  }
  const std::int64_t reach = 1 + std::max(above, below);
  Mode& last = outer.back();
  const std::int64_t before = extent(outer) / last.extent;
  const std::int64_t step = std::lcm(before, covered) / before;
  last.extent = ceil_divide(std::max(ceil_divide(reach, before), last.extent), step) * step;
  return outer;
}

Map reaching(const Map& outer, const std::vector<Mode>& inner) {
  std::vector<Coordinate> coordinates = outer.coordinates();
  if (coordinates.empty()) coordinates.push_back({});
  Coordinate all;
  for (const Coordinate& coordinate : coordinates) all.insert(all.end(), coordinate.begin(), coordinate.end());
  const Mode last = reaching(std::move(all), inner).back();
  if (coordinates.back().empty()) coordinates.back().push_back({});
  coordinates.back().back() = last;
  return Map(std::move(coordinates), outer.offset());
}

// One step of `inner` taken as `step` steps.
Coordinate scaled(const std::vector<Mode>& inner, std::int64_t step) {
  Coordinate modes;
  for (const Mode& mode : inner) modes.push_back({mode.extent, mode.stride * step});
  if (modes.empty()) modes.push_back({});
  return modes;
}

Coordinate joined(Coordinate first, const Coordinate& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Several inner maps for each coordinate of an outer one; `inner[c]` are those of coordinate c. The view of them: all
// of a coordinate's joined to one, or each for itself, the first of every coordinate before the second.
enum class Order { by_coordinate, zipped };

View arranged(const Map& outer, const std::vector<std::vector<Coordinate>>& inner, Order order) {
  std::vector<Coordinate> coordinates, steps;
  std::vector<std::vector<Coordinate>> parts;
  std::int64_t step = 1;
  for (int c = 0; c < outer.rank(); ++c) {
    std::vector<Mode> all;
    for (const Coordinate& part : inner[c]) all.insert(all.end(), part.begin(), part.end());
    coordinates.push_back(reaching(outer.coordinates()[c], all));
    parts.emplace_back();
    for (const Coordinate& part : inner[c]) parts.back().push_back(scaled(part, step));
    step *= extent(coordinates.back());
  }
  std::vector<Coordinate> result;
  if (order == Order::by_coordinate) {
    for (const std::vector<Coordinate>& of_coordinate : parts) {
      Coordinate whole;
      for (const Coordinate& part : of_coordinate) whole = joined(std::move(whole), part);
      result.push_back(std::move(whole));
    }
  } else {
    for (std::size_t i = 0; i < parts.front().size(); ++i)
      for (const std::vector<Coordinate>& of_coordinate : parts)
        if (i < of_coordinate.size()) result.push_back(of_coordinate[i]);
  }
  return View(Map(std::move(coordinates), outer.offset()), Map(std::move(result)));
}

llvm::Error not_tilers(const Map& a, Tilers tilers) {
  if (tilers.empty() || static_cast<int>(tilers.size()) > a.rank())
    return refused(fmt::format("{} tilers for {} coordinates", tilers.size(), a.rank()));
  for (const Map& tiler : tilers)
    for (const Mode& mode : tiler.modes())
      if (mode.extent < 1 || mode.stride < 0)
        return refused(fmt::format("the tiler {} has a negative stride or an empty mode", tiler.text()));
  return llvm::Error::success();
}

// A coordinate of which nothing is tiled: all of it is the rest.
Coordinate whole(std::int64_t extent) {
  return {{extent, 1}};
}

llvm::Expected<View> divide(const Map& a, Tilers tilers, Order order) {
  if (llvm::Error error = not_tilers(a, tilers)) return error;
  std::vector<std::vector<Coordinate>> inner;
  for (int c = 0; c < a.rank(); ++c) {
    const Map coordinate({a.coordinates()[c]});
    if (c >= static_cast<int>(tilers.size())) {
      inner.push_back({{{1, 0}}, whole(coordinate.size())});
      continue;
    }
    llvm::Expected<Map> rest = complement(tilers[c], canonical(coordinate).shape());
    if (!rest) return rest.takeError();
    inner.push_back({tilers[c].modes(), rest->modes()});
  }
  return arranged(a, inner, order);
}

// The modes of `a` and then those of its complement, as many as `b` reaches, in one coordinate.
llvm::Expected<Map> with_complement(const Map& a, const Map& b) {
  llvm::Expected<Map> rest = complement(a, std::vector<std::int64_t>{a.size() * b.span()});
  if (!rest) return rest.takeError();
  return Map({joined(a.modes(), rest->modes())}, a.offset());
}

llvm::Expected<View> product(const Map& a, Tilers tilers, Order order) {
  if (llvm::Error error = not_tilers(a, tilers)) return error;
  std::vector<Coordinate> outer;
  std::vector<std::vector<Coordinate>> inner;
  for (int c = 0; c < a.rank(); ++c) {
    const Map coordinate({a.coordinates()[c]});
    const std::int64_t size = coordinate.size();
    if (c >= static_cast<int>(tilers.size())) {
      outer.push_back(a.coordinates()[c]);
      inner.push_back({whole(size), {{1, 0}}});
      continue;
    }
    llvm::Expected<Map> both = with_complement(coordinate, tilers[c]);
    if (!both) return both.takeError();
    outer.push_back(both->coordinates()[0]);
    inner.push_back({whole(size), scaled(tilers[c].modes(), size)});
  }
  return arranged(Map(std::move(outer), a.offset()), inner, order);
}

// a's coordinate beside b's, as many as the longer one has.
llvm::Expected<View> interleaved_product(const Map& a, const Map& b, bool block_first) {
  llvm::Expected<Map> outer = with_complement(a, b);
  if (!outer) return outer.takeError();
  std::vector<Coordinate> coordinates;
  std::int64_t below = 1;
  for (int c = 0; c < std::max(a.rank(), b.rank()); ++c) {
    Coordinate block{{1, 0}}, repeated{{1, 0}};
    if (c < a.rank()) {
      block = {{a.extent(c), below}};
      below *= a.extent(c);
    }
    if (c < b.rank()) repeated = scaled(b.coordinates()[c], a.size());
    coordinates.push_back(block_first ? joined(block, repeated) : joined(repeated, block));
  }
  return View(std::move(*outer), Map(std::move(coordinates)));
}

// Where the modes of the coalesced map stand as linear indices.
struct Placed {
  Mode mode;
  std::int64_t index = 1;
};
std::vector<Placed> placed_modes(const Map& map) {
  std::vector<Placed> placed;
  std::int64_t index = 1;
  for (const Mode& mode : map.modes()) {
    placed.push_back({mode, index});
    index *= mode.extent;
  }
  return placed;
}

}  // namespace

View::View(Map outer, Map inner) : outer_(reaching(outer, inner.modes())), inner_(std::move(inner)) {}

Map View::moving() const {
  std::vector<Coordinate> coordinates;
  for (const Mode& mode : inner_.modes())
    if (moves(mode)) coordinates.push_back({mode});
  return Map(std::move(coordinates));
}

std::optional<Composite> View::composite() const {
  const Map inner = moving();
  Coordinate modes = inner.modes();
  if (modes.empty()) modes.push_back({});
  const std::optional<Map> rest = layout::complement(Map({std::move(modes)}), outer_.size());
  if (!rest || inner_.offset() != 0) return std::nullopt;
  std::vector<Coordinate> coordinates = inner.coordinates();
  coordinates.push_back(rest->coordinates()[0]);
  return Composite(outer_, Map(std::move(coordinates)));
}

std::optional<Map> View::strided() const {
  // Of a part at 0 the complement need not be cut; but then it is no longer sure that each mode begins at a multiple of
  // what lies below in outer's mode that it begins in.
  if (!composite()) return std::nullopt;
  const Map inner = moving();
  const std::vector<Placed> outer = placed_modes(canonical(flattened(outer_)));
  for (const Mode& mode : inner.modes())
    for (const Placed& placed : outer)
      if (placed.index <= mode.stride && mode.stride < placed.index * placed.mode.extent &&
          mode.stride % placed.index != 0)
        return std::nullopt;
  const Decision decision = decide(outer_, inner);
  if (!decision.strided) return std::nullopt;
  // The pieces of each moving mode go where it stood; what repeats is put back.
  std::vector<Coordinate> coordinates;
  std::size_t at = 0;
  for (const Coordinate& coordinate : inner_.coordinates()) {
    Coordinate& modes = coordinates.emplace_back();
    for (const Mode& mode : coordinate)
      modes = joined(std::move(modes), moves(mode) ? decision.strided->coordinates()[at++] : Coordinate{mode});
  }
  return canonical(Map(std::move(coordinates), outer_.offset()));
}

std::vector<Map> tilers(std::span<const std::int64_t> extents) {
  std::vector<Map> all;
  for (const std::int64_t extent : extents) all.push_back(Map({{{extent, 1}}}));
  return all;
}

View composition(const Map& a, const Map& b) {
  return View(a, b);
}

llvm::Expected<View> composition(const Map& a, Tilers tilers) {
  if (llvm::Error error = not_tilers(a, tilers)) return error;
  std::vector<std::vector<Coordinate>> inner;
  for (const Map& tiler : tilers) inner.push_back({tiler.modes()});
  std::vector<Coordinate> hit = a.coordinates();
  hit.resize(tilers.size());
  return arranged(Map(std::move(hit), a.offset()), inner, Order::by_coordinate);
}

View with_shape(const Map& a, std::span<const std::int64_t> shape) {
  return View(a, col_major(shape));
}

llvm::Expected<Map> complement(const Map& a, std::span<const std::int64_t> cotarget) {
  if (!has_elements(a)) return refused("it has no elements");
  std::vector<Mode> modes;
  for (const Mode& mode : a.modes()) {
    if (mode.stride < 0) return refused(fmt::format("{} has a negative stride", a.text()));
    if (moves(mode)) modes.push_back(mode);
  }
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& x, const Mode& y) { return x.stride < y.stride; });
  Coordinate gaps;
  std::int64_t covered = 1;
  for (const Mode& mode : modes) {
    if (mode.stride < covered)
      return refused(fmt::format("{} has no complement: the mode {}:{} begins inside what smaller strides cover, {}",
                                 a.text(), mode.extent, mode.stride, covered));
    gaps.push_back({mode.stride / covered, covered});
    covered = mode.stride * mode.extent;
  }
  // A cotarget of several extents is filled from its first on.
  std::int64_t filled = covered, stride = covered;
  for (const std::int64_t extent : cotarget) {
    const std::int64_t repetitions = ceil_divide(extent, filled);
    gaps.push_back({repetitions, stride});
    stride *= repetitions;
    filled = ceil_divide(filled, std::max<std::int64_t>(extent, 1));
  }
  return canonical(Map({std::move(gaps)}));
}

llvm::Expected<View> logical_divide(const Map& a, const Map& tiler) {
  llvm::Expected<Map> rest = complement(tiler, Map({canonical(flattened(a)).modes()}).shape());
  if (!rest) return rest.takeError();
  return View(a, Map({tiler.modes(), rest->modes()}));
}

llvm::Expected<View> logical_divide(const Map& a, Tilers tilers) {
  return divide(a, tilers, Order::by_coordinate);
}

llvm::Expected<View> zipped_divide(const Map& a, Tilers tilers) {
  return divide(a, tilers, Order::zipped);
}

llvm::Expected<View> logical_product(const Map& a, const Map& b) {
  llvm::Expected<Map> outer = with_complement(a, b);
  if (!outer) return outer.takeError();
  return View(std::move(*outer), Map({whole(a.size()), scaled(b.modes(), a.size())}));
}

llvm::Expected<View> logical_product(const Map& a, Tilers tilers) {
  return product(a, tilers, Order::by_coordinate);
}

llvm::Expected<View> zipped_product(const Map& a, Tilers tilers) {
  return product(a, tilers, Order::zipped);
}

llvm::Expected<View> blocked_product(const Map& a, const Map& b) {
  return interleaved_product(a, b, true);
}

llvm::Expected<View> raked_product(const Map& a, const Map& b) {
  return interleaved_product(a, b, false);
}

llvm::Expected<View> tile_to_shape(const Map& block, std::span<const std::int64_t> shape, bool last_first) {
  if (block.rank() > static_cast<int>(shape.size())) return refused("the block has more coordinates than the shape");
  std::vector<std::int64_t> repetitions;
  for (std::size_t c = 0; c < shape.size(); ++c) {
    const std::int64_t extent = static_cast<int>(c) < block.rank() ? block.extent(static_cast<int>(c)) : 1;
    if (extent < 1 || shape[c] % extent != 0)
      return refused(fmt::format("coordinate {} of the block has {}, which does not divide {}", c, extent, shape[c]));
    repetitions.push_back(shape[c] / extent);
  }
  return blocked_product(block, last_first ? row_major(repetitions) : col_major(repetitions));
}

Map right_inverse(const Map& a) {
  const std::vector<Placed> modes = placed_modes(canonical(flattened(a)));
  Coordinate inverse;
  for (std::int64_t reached = 1;;) {
    const auto next = std::find_if(modes.begin(), modes.end(), [&](const Placed& placed) {
      return moves(placed.mode) && placed.mode.stride == reached;
    });
    if (next == modes.end()) break;
    inverse.push_back({next->mode.extent, next->index});
    reached *= next->mode.extent;
  }
  return canonical(Map({std::move(inverse)}));
}

llvm::Expected<Map> left_inverse(const Map& a) {
  std::vector<Placed> modes = placed_modes(canonical(flattened(a)));
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Placed& x, const Placed& y) { return x.mode.stride < y.mode.stride; });
  if (modes.front().mode.stride < 0) return refused(fmt::format("{} has a negative stride", a.text()));
  // The values below a mode's stride are the indices of the mode before, and what is between repeats nothing.
  Coordinate inverse;
  std::int64_t index = 0, covered = 1;
  for (const Placed& placed : modes) {
    if (placed.mode.stride == 0) continue;
    if (placed.mode.stride % covered != 0)
      return refused(fmt::format("{} has no left inverse with strides: the stride {} is no multiple of {}", a.text(),
                                 placed.mode.stride, covered));
    const std::int64_t run = placed.mode.stride / covered;
    inverse.push_back({run, index});
    covered *= run;
    index = placed.index;
  }
  inverse.push_back({modes.back().mode.extent, index});
  return canonical(Map({std::move(inverse)}));
}

Map filter_zeros(const Map& a) {
  std::vector<Coordinate> coordinates;
  for (const Coordinate& coordinate : a.coordinates()) {
    Coordinate& modes = coordinates.emplace_back();
    for (const Mode& mode : coordinate) modes.push_back(mode.stride == 0 ? Mode{} : mode);
  }
  return Map(std::move(coordinates), a.offset());
}

Map filter(const Map& a) {
  return canonical(flattened(filter_zeros(a)));
}

Map nullspace(const Map& a) {
  Coordinate zeros;
  for (const Placed& placed : placed_modes(a))
    if (placed.mode.stride == 0) zeros.push_back({placed.mode.extent, placed.index});
  return canonical(Map({std::move(zeros)}));
}

llvm::Expected<Map> upcast(const Map& a, std::int64_t factor) {
  if (factor < 1) return refused(fmt::format("units of {} elements", factor));
  std::vector<Coordinate> coordinates;
  for (const Coordinate& coordinate : a.coordinates()) {
    Coordinate& modes = coordinates.emplace_back();
    for (const Mode& mode : coordinate) {
      const std::int64_t stride = std::abs(mode.stride);
      if (stride % factor != 0 && factor % stride != 0)
        return refused(fmt::format("the stride {} and units of {} do not divide each other", mode.stride, factor));
      const std::int64_t unit = stride == 0 ? 1 : ceil_divide(factor, stride), step = ceil_divide(stride, factor);
      modes.push_back({ceil_divide(mode.extent, unit), mode.stride < 0 ? -step : step});
    }
  }
  return Map(std::move(coordinates));
}

llvm::Expected<Map> downcast(const Map& a, std::int64_t factor) {
  if (factor < 1) return refused(fmt::format("units of {} elements", factor));
  const std::vector<Mode> all = a.modes();
  if (std::none_of(all.begin(), all.end(), [](const Mode& mode) { return mode.stride == 1; }))
    return refused(
        fmt::format("no mode of {} has neighbouring elements, which smaller units would be put between", a.text()));
  std::vector<Coordinate> coordinates;
  for (const Coordinate& coordinate : a.coordinates()) {
    Coordinate& modes = coordinates.emplace_back();
    for (const Mode& mode : coordinate)
      modes.push_back(std::abs(mode.stride) == 1 ? Mode{mode.extent * factor, mode.stride}
                                                 : Mode{mode.extent, mode.stride * factor});
  }
  return Map(std::move(coordinates));
}

}  // namespace warpcc::layout::cute
