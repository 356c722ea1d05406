#include "layout/promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

namespace warpcc::layout {
namespace {

// A mode and where it stands among the map's modes.
struct Placed {
  Mode mode;
  std::size_t place = 0;
};

// The modes that say something, the smallest stride first.
std::vector<Placed> sorted_by_stride(const std::vector<Mode>& modes) {
  std::vector<Placed> sorted;
  sorted.reserve(modes.size());
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (modes[i].extent > 1) sorted.push_back({modes[i], i});
  std::sort(sorted.begin(), sorted.end(), [](const Placed& a, const Placed& b) {
    const std::int64_t first = std::abs(a.mode.stride), second = std::abs(b.mode.stride);
    return first != second ? first < second : a.place < b.place;
  });
  return sorted;
}

// The coordinate tuple of one index a mode.
std::vector<std::int64_t> to_coordinate(const Map& map, const std::vector<std::int64_t>& indices) {
  std::vector<std::int64_t> tuple;
  std::size_t at = 0;
  for (const Coordinate& coordinate : map.coordinates()) {
    std::int64_t index = 0, below = 1;
    for (const Mode& mode : coordinate) {
      index += indices[at++] * below;
      below *= mode.extent;
    }
    tuple.push_back(index);
  }
  return tuple;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t m) {
  return ((a % m) + m) % m;
}

// x with a * x = 1 modulo m, for coprime a and m.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  __extension__ using Wide = __int128;
  Wide r0 = m, r1 = floor_mod(a, m), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    std::tie(r0, r1) = std::pair(r1, r0 - q * r1);
    std::tie(t0, t1) = std::pair(t1, t0 - q * t1);
  }
  return static_cast<std::int64_t>(((t0 % m) + m) % m);
}

std::int64_t multiply_modulo(std::int64_t a, std::int64_t b, std::int64_t m) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide(a) * b % m);
}

// Two indices collide where their difference d, |d_i| < extent_i, not all 0, has sum d_i * stride_i = 0. The search
// takes the modes from the largest stride down and keeps what the smaller ones must still make up: at most their span,
// and a multiple of their common divisor. Where each stride is at least the span below it, 0 alone is left at each
// step, and the search is linear; where strides interleave, it stays exact.
class CollisionSearch {
 public:
  explicit CollisionSearch(const std::vector<Placed>& ascending) : modes_(ascending.rbegin(), ascending.rend()) {
    const std::size_t n = modes_.size();
    span_.assign(n + 1, 0);
    divisor_.assign(n + 1, 0);
    for (std::size_t i = n; i-- > 0;) {
      span_[i] = span_[i + 1] + (modes_[i].mode.extent - 1) * modes_[i].mode.stride;
      divisor_[i] = std::gcd(divisor_[i + 1], modes_[i].mode.stride);
    }
    difference_.assign(n, 0);
  }

  // Whether a collision was found; its difference then stands in difference().
  bool run() { return descend(0, 0, false); }
  bool gave_up() const { return steps_ > kSteps; }
  const std::vector<Placed>& modes() const { return modes_; }
  const std::vector<std::int64_t>& difference() const { return difference_; }

 private:
  static constexpr int kSteps = 1 << 20;

  bool descend(std::size_t i, std::int64_t rest, bool any) {
    if (i == modes_.size()) return rest == 0 && any;
    if (++steps_ > kSteps) return false;
    const auto [extent, stride, broadcast] = modes_[i].mode;
    const std::int64_t span = span_[i + 1], divisor = divisor_[i + 1];
    // -span <= rest + d * stride <= span, and |d| < extent. Of d and -d one will do, until one is not 0.
    std::int64_t low = std::max(ceil_divide(-span - rest, stride), any ? 1 - extent : std::int64_t{0});
    const std::int64_t high = std::min(floor_divide(span - rest, stride), extent - 1);
    std::int64_t step = 1;
    if (divisor > 1) {
      // d * stride = -rest modulo the divisor.
      const std::int64_t common = std::gcd(stride, divisor);
      if (rest % common != 0) return false;
      step = divisor / common;
      const std::int64_t first =
          step == 1 ? 0 : multiply_modulo(floor_mod(-(rest / common), step), inverse(stride / common, step), step);
      low += floor_mod(first - low, step);
    }
    for (std::int64_t d = low; d <= high; d += step) {
      difference_[i] = d;
      if (descend(i + 1, rest + d * stride, any || d != 0)) return true;
      if (gave_up()) return false;
    }
    difference_[i] = 0;
    return false;
  }

  static std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
  static std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

  std::vector<Placed> modes_;
  std::vector<std::int64_t> span_, divisor_, difference_;
  int steps_ = 0;
};

}  // namespace

std::optional<std::string> too_large(const Map& map) {
  std::int64_t size = 1, reach = 0;
  if (map.offset() < -kLargestValue || map.offset() > kLargestValue)
    return fmt::format("the offset {} is too large", map.offset());
  for (const Mode& mode : map.modes()) {
    if (mode.extent < 0) return fmt::format("an extent of {}: extents are not negative", mode.extent);
    std::int64_t span = 0;
    if (__builtin_mul_overflow(size, std::max<std::int64_t>(mode.extent, 1), &size) || size > kLargestValue)
      return std::string("more than 2^60 elements");
    if (__builtin_mul_overflow(std::max<std::int64_t>(mode.extent - 1, 0), mode.stride, &span) ||
        span < -kLargestValue || span > kLargestValue)
      return fmt::format("an extent of {} with stride {} reaches past 2^60", mode.extent, mode.stride);
    reach += std::abs(span);
    if (reach > kLargestValue) return std::string("it reaches past 2^60");
  }
  return std::nullopt;
}

std::optional<std::string> not_a_bijection(const Map& map) {
  const std::vector<Mode> modes = map.modes();
  for (const Mode& mode : modes) {
    if (mode.extent == 0) return std::string("a layout into logical or thread-value space has no extent of 0");
    if (mode.broadcast) return std::string("a broadcast is possible into physical space only");
    if (mode.extent > 1 && mode.stride < 0) return fmt::format("the stride {} is negative", mode.stride);
  }
  if (map.offset() != 0) return fmt::format("it starts at {}, not at 0", map.offset());
  const std::vector<Placed> sorted = sorted_by_stride(modes);
  std::int64_t covered = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [mode, place] = sorted[i];
    if (mode.stride > covered)
      return fmt::format("it is no bijection onto 0 .. {}: nothing lands on {}", map.size(), covered);
    if (mode.stride < covered) {
      // The modes below reach every value under `covered`, so also this mode's first step.
      std::vector<std::int64_t> step(modes.size(), 0), below(modes.size(), 0);
      step[place] = 1;
      std::int64_t left = mode.stride;
      for (std::size_t j = i; j-- > 0;) {
        below[sorted[j].place] = left / sorted[j].mode.stride;
        left %= sorted[j].mode.stride;
      }
      return fmt::format("it is no bijection onto 0 .. {}: {} and {} both land on {}", map.size(),
                         tuple_text(to_coordinate(map, below)), tuple_text(to_coordinate(map, step)), mode.stride);
    }
    covered *= mode.extent;
  }
  return std::nullopt;
}

std::optional<Collision> find_collision(const std::vector<Mode>& modes) {
  std::vector<Placed> counted;
  for (const Placed& placed : sorted_by_stride(modes)) {
    if (placed.mode.broadcast) continue;
    counted.push_back(placed);
    // Counting an index downwards changes no two indices into one: its stride's sign does not matter.
    counted.back().mode.stride = std::abs(placed.mode.stride);
  }
  const std::vector<std::int64_t> zero(modes.size(), 0);
  for (const Placed& placed : counted) {
    if (placed.mode.stride != 0) break;
    Collision collision{false, zero, zero};
    collision.second[placed.place] = 1;
    return collision;
  }
  CollisionSearch search(counted);
  if (!search.run()) return search.gave_up() ? std::optional(Collision{true, {}, {}}) : std::nullopt;
  Collision collision{false, zero, zero};
  for (std::size_t i = 0; i < search.modes().size(); ++i) {
    const std::size_t place = search.modes()[i].place;
    const std::int64_t d = modes[place].stride < 0 ? -search.difference()[i] : search.difference()[i];
    (d > 0 ? collision.first : collision.second)[place] = std::abs(d);
  }
  return collision;
}

std::optional<std::string> not_alias_free(const Map& map) {
  const std::vector<Mode> modes = map.modes();
  std::int64_t lowest = map.offset();
  for (const Mode& mode : modes) {
    if (mode.extent == 0) return std::nullopt;  // no elements
    if (mode.broadcast && mode.stride != 0)
      return fmt::format("a broadcast has the stride 0, this one {}", mode.stride);
    if (mode.stride < 0) lowest += (mode.extent - 1) * mode.stride;
  }
  if (lowest < 0) return fmt::format("it reaches {}, below the start", lowest);
  const std::optional<Collision> collision = find_collision(modes);
  if (!collision) return std::nullopt;
  if (collision->undecided) return std::string("its strides interleave in too many ways to tell its addresses apart");
  std::vector<std::int64_t> first = to_coordinate(map, collision->first),
                            second = to_coordinate(map, collision->second);
  if (second < first) std::swap(first, second);
  return fmt::format("{} and {} have one address, {}", tuple_text(first), tuple_text(second), map(first));
}

}  // namespace warpcc::layout
