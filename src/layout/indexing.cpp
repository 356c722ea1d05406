#include "layout/indexing.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpcc::layout {
namespace {

// A mode of one coordinate and the interval of the coordinate's index that it covers. The last goes on without an end.
struct Place {
  std::int64_t begin = 1, end = 0;
  Mode mode;
  std::int64_t reached = 0;  // the most that the sum has within the mode, in its steps of `begin`
};

class CoordinateCut {
 public:
  explicit CoordinateCut(const Map& map, int coordinate) : modes_({map.coordinates()[coordinate]}) {
    std::int64_t begin = 1;
    const Map merged = canonical(modes_);
    for (const Mode& mode : merged.coordinates()[0]) {
      places_.push_back({begin, begin * mode.extent, mode});
      begin *= mode.extent;
    }
  }

  bool is_affine() const { return places_.size() == 1; }

  // The layout's value at the constant. Its digits count for the carries.
  std::int64_t constant(std::int64_t value) {
    if (is_affine()) return value * places_[0].mode.stride;
    std::int64_t sum = 0;
    for (Place& place : places_) {
      const std::int64_t digit = &place == &places_.back() ? value : value % place.mode.extent;
      sum += digit * place.mode.stride;
      place.reached += digit;
      value = &place == &places_.back() ? 0 : value / place.mode.extent;
    }
    return sum;
  }

  // The pieces of a digit, or what is in the way.
  std::optional<std::string> cut(const Digit& digit, Coordinate& pieces) {
    if (is_affine() || digit.extent == 1) {
      pieces.push_back({digit.extent, digit.step * places_[0].mode.stride});
      return std::nullopt;
    }
    if (digit.step < 1) return fmt::format("{} counts in steps of {}", digit.name, digit.step);
    std::int64_t low = digit.step;
    const std::int64_t end = digit.step * digit.extent;
    while (low < end) {
      Place& place = holding(low);
      const std::int64_t high = &place == &places_.back() ? end : std::min(end, place.end);
      if (low % place.begin != 0) return misfit(digit, place.begin);
      if (high < end && (high % low != 0 || end % high != 0)) return misfit(digit, high);
      const std::int64_t extent = high < end ? high / low : (end - low) / low + 1;
      pieces.push_back({extent, low / place.begin * place.mode.stride});
      place.reached += (extent - 1) * (low / place.begin);
      low = high;
    }
    return std::nullopt;
  }

  // The boundary over which the sum of all digits carries.
  std::optional<std::string> carry() const {
    for (std::size_t i = 0; i + 1 < places_.size(); ++i)
      if (places_[i].reached >= places_[i].mode.extent)
        return fmt::format("the sum of its indices carries over the boundary at {} of {}", places_[i].end,
                           modes_.text());
    return std::nullopt;
  }

  int boundaries() const { return static_cast<int>(places_.size()) - 1; }

 private:
  Place& holding(std::int64_t value) {
    for (Place& place : places_)
      if (value < place.end) return place;
    return places_.back();
  }

  std::string misfit(const Digit& digit, std::int64_t boundary) const {
    return fmt::format("{} runs over 0 .. {} in steps of {}, and the stride of {} changes at {}, which does not fit it",
                       digit.name, digit.step * digit.extent, digit.step, modes_.text(), boundary);
  }

  Map modes_;
  std::vector<Place> places_;
};

// The indices' sums, and each taken apart at the layout's boundaries.
Arithmetic composite_arithmetic(const Map& map, const std::vector<IndexSum>& sums) {
  std::vector<Coordinate> digits;
  for (const IndexSum& sum : sums)
    for (const Digit& digit : sum.digits) digits.push_back({{digit.extent, digit.step}});
  const Arithmetic inner = Emission(Map(std::move(digits))).arithmetic(), outer = Emission(map).arithmetic();
  return {inner.multiplies + outer.multiplies, inner.divisions + outer.divisions, inner.remainders + outer.remainders,
          inner.shifts + outer.shifts};
}

}  // namespace

Form Indexed::form() const {
  return strided ? Emission(*strided).form() : Form::composite;
}

std::string Indexed::why() const {
  if (!strided) return obstacle;
  std::string splits;
  for (int c = 0; c < strided->rank(); ++c)
    if (const std::size_t modes = strided->coordinates()[c].size(); modes > 1)
      splits +=
          fmt::format("{}{} is split in {}", splits.empty() ? "" : ", ", names[static_cast<std::size_t>(c)], modes);
  return splits.empty() ? Emission(*strided).why() : splits;
}

Indexed indexed(const Map& map, const std::vector<IndexSum>& sums) {
  Indexed result;
  std::vector<Coordinate> coordinates;
  std::int64_t offset = map.offset();
  for (int c = 0; c < map.rank() && result.obstacle.empty(); ++c) {
    CoordinateCut coordinate(map, c);
    offset += coordinate.constant(sums[static_cast<std::size_t>(c)].constant);
    for (const Digit& digit : sums[static_cast<std::size_t>(c)].digits) {
      Coordinate& pieces = coordinates.emplace_back();
      result.names.push_back(digit.name);
      if (std::optional<std::string> obstacle = coordinate.cut(digit, pieces)) {
        result.obstacle = *obstacle;
        break;
      }
      if (pieces.empty()) pieces.push_back({});
    }
    if (result.obstacle.empty()) result.obstacle = coordinate.carry().value_or("");
  }
  if (result.obstacle.empty()) {
    result.strided = canonical(Map(std::move(coordinates), offset));
    result.arithmetic = Emission(*result.strided).arithmetic();
  } else {
    result.arithmetic = composite_arithmetic(map, sums);
  }
  return result;
}

}  // namespace warpcc::layout
