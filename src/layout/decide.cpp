// Whether a composite is a strided layout: the cuts, and what a broadcast in the outer layout adds to them.
#include <fmt/format.h>

#include <algorithm>

#include "layout/compose.h"
#include "layout/indexing.h"
#include "layout/merge.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::layout {
namespace {

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

// ---- broadcasts

std::int64_t multiply_modulo(std::int64_t a, std::int64_t b, std::int64_t modulus) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide(a) * b % modulus);
}

// Neighbouring modes of the outer map that move, between such as do not: what the composite adds for them depends on
// the index modulo `end` alone.
struct Run {
  std::int64_t end = 1;
  Coordinate modes;  // the first is all below that does not move
};

std::vector<Run> runs_of(const Map& outer) {
  Coordinate modes;
  for (const Coordinate& coordinate : outer.coordinates()) append_all(modes, coordinate);
  std::vector<Run> runs;
  std::int64_t begin = 1;
  bool open = false;
  for (const Mode& mode : modes) {
    if (mode.stride != 0) {
      if (!open) runs.push_back({begin, {{begin, 0}}});
      runs.back().modes.push_back(mode);
      runs.back().end = begin * mode.extent;
    }
    open = mode.stride != 0;
    begin *= mode.extent;
  }
  return runs;
}

// The modes of one coordinate of the inner map as indices modulo `modulus`: steps taken modulo it, neighbours merged
// where they go on from each other so, and a mode that comes round cut where it begins again. None where it does not
// begin again at 0.
std::optional<Coordinate> modulo(const Coordinate& inner, std::int64_t modulus) {
  Coordinate merged, cut;
  for (const Mode& mode : inner) {
    if (mode.extent == 1) continue;
    const std::int64_t step = mode.stride % modulus;
    if (!merged.empty() && step == multiply_modulo(merged.back().extent, merged.back().stride, modulus))
      merged.back().extent *= mode.extent;
    else
      merged.push_back({mode.extent, step});
  }
  for (const Mode& mode : merged) {
    const bool stays = mode.stride == 0 || mode.extent - 1 <= (modulus - 1) / mode.stride;
    if (stays) {
      cut.push_back(mode);
      continue;
    }
    const std::int64_t round = modulus / mode.stride;
    if (modulus % mode.stride != 0 || mode.extent % round != 0) return std::nullopt;
    cut.push_back({round, mode.stride});
    cut.push_back({mode.extent / round, 0});
  }
  return cut;
}

// What one run adds to the composite, over the inner map's shape.
std::optional<std::vector<Coordinate>> added_by(const Run& run, const Map& inner) {
  std::vector<Coordinate> parts;
  IndexSum sum;
  std::int64_t most = 0;
  for (const Coordinate& coordinate : inner.coordinates()) {
    std::optional<Coordinate> part = modulo(coordinate, run.end);
    if (!part) return std::nullopt;
    for (const Mode& mode : *part) {
      if (mode.stride == 0) continue;
      sum.digits.push_back({"", mode.extent, mode.stride});
      most += (mode.extent - 1) * mode.stride;
      if (most >= run.end) return std::nullopt;  // the sum of the coordinates comes round
    }
    parts.push_back(std::move(*part));
  }
  const Indexed at = indexed(Map({run.modes}), {sum});
  if (!at.strided) return std::nullopt;
  std::vector<Coordinate> added;
  std::size_t next = 0;
  for (const Coordinate& part : parts) {
    Coordinate& modes = added.emplace_back();
    for (const Mode& mode : part) {
      if (mode.stride == 0)
        append(modes, mode);
      else
        append_all(modes, at.strided->coordinates()[next]);
      next += mode.stride != 0;
    }
  }
  return added;
}

// What one step at index `at` adds, which is where a mode of the coordinate begins or inside one.
std::int64_t step_at(const Coordinate& coordinate, std::int64_t at) {
  std::int64_t begin = 1;
  for (const Mode& mode : coordinate) {
    if (at < begin * mode.extent) return at / begin * mode.stride;
    begin *= mode.extent;
  }
  return 0;
}

// The sum of strided functions of one coordinate, where the places at which their modes begin divide each other.
std::optional<Coordinate> sum_of(std::int64_t extent, const std::vector<const Coordinate*>& functions, bool broadcast) {
  std::vector<std::int64_t> places{1, extent};
  for (const Coordinate* function : functions) {
    std::int64_t begin = 1;
    for (const Mode& mode : *function) places.push_back(begin *= mode.extent);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  Coordinate sum;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    if (places[i + 1] % places[i] != 0) return std::nullopt;
    Mode mode{places[i + 1] / places[i], 0, false};
    for (const Coordinate* function : functions) mode.stride += step_at(*function, places[i]);
    mode.broadcast = broadcast && mode.stride == 0;
    append(sum, mode);
  }
  if (sum.empty()) sum.push_back({});
  return sum;
}

// The composite as a strided map where the outer one has modes that do not move. Of the others each run counts the
// index modulo something, and an inner map whose cuts fail may still count that evenly: i mod 3, after 13 and 52.
std::optional<Map> strided_beside_broadcasts(const Map& outer, const Map& inner) {
  const std::vector<Run> runs = runs_of(outer);
  std::vector<std::vector<Coordinate>> added;
  for (const Run& run : runs) {
    std::optional<std::vector<Coordinate>> of_run = added_by(run, inner);
    if (!of_run) return std::nullopt;
    added.push_back(std::move(*of_run));
  }
  const std::vector<Mode> modes = outer.modes();
  const bool marked = std::any_of(modes.begin(), modes.end(), [](const Mode& mode) { return mode.broadcast; });
  std::vector<Coordinate> coordinates;
  for (int c = 0; c < inner.rank(); ++c) {
    std::vector<const Coordinate*> functions;
    for (const std::vector<Coordinate>& of_run : added) functions.push_back(&of_run[static_cast<std::size_t>(c)]);
    std::optional<Coordinate> sum = sum_of(inner.extent(c), functions, marked);
    if (!sum) return std::nullopt;
    coordinates.push_back(std::move(*sum));
  }
  return Map(std::move(coordinates), outer.offset());
}

bool has_broadcast(const Map& map) {
  for (const Coordinate& coordinate : map.coordinates())
    for (const Mode& mode : coordinate)
      if (mode.stride == 0 && mode.extent > 1) return true;
  return false;
}

}  // namespace

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
      if (const std::optional<std::int64_t> boundary = cut(digit, pieces)) {
        if (has_broadcast(outer))
          if (std::optional<Map> strided = strided_beside_broadcasts(outer, inner)) return {std::move(strided), {}};
        return {std::nullopt, Obstacle{canonical(flattened(outer)), canonical(inner),
                                       static_cast<int>(coordinates.size()) - 1, digit, *boundary}};
      }
    if (pieces.empty()) pieces.push_back({});
  }
  return {Map(std::move(coordinates), outer.offset()), std::nullopt};
}

}  // namespace warpcc::layout
