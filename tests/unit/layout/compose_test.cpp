#include "layout/compose.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>

#include "random_maps.h"

namespace warpcc::layout {
namespace {

using Memory = Layout<Space::logical, Space::physical>;

template <typename T>
T made(Map map) {
  llvm::Expected<T> layout = T::make(std::move(map));
  REQUIRE(static_cast<bool>(layout));
  return *layout;
}

template <typename Outer, typename Inner>
auto composed(const Outer& outer, const Inner& inner) {
  auto composite = compose(outer, inner);
  return std::move(*composite);
}

bool equal(const Map& a, const Map& b) {
  if (a.shape() != b.shape()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (a.at(i) != b.at(i)) return false;
  return true;
}

// Whether f on [0, size) is strided over some refinement: its first mode must run as far as the steps stay equal, or to
// a divisor of that; tried out, with the rest by recursion.
bool strided_somehow(const std::function<std::int64_t(std::int64_t)>& f, std::int64_t size) {
  if (size == 1) return true;
  for (std::int64_t extent = size; extent > 1; --extent) {
    if (size % extent != 0) continue;
    bool fits = true;
    for (std::int64_t i = 0; i < size && fits; ++i) fits = f(i) == f(i % extent * 1) + f(i / extent * extent) - f(0);
    for (std::int64_t i = 0; i < extent && fits; ++i) fits = f(i) - f(0) == i * (f(1) - f(0));
    if (fits && strided_somehow([&](std::int64_t i) { return f(i * extent); }, size / extent)) return true;
  }
  return false;
}

// Whether the composite is a sum of functions of its coordinates, each of which is strided over a refinement.
bool strided_somehow(const Composite& composite) {
  const Map& inner = composite.inner();
  std::vector<std::int64_t> origin(inner.rank(), 0);
  const std::int64_t start = composite(origin);
  std::vector<std::function<std::int64_t(std::int64_t)>> along;
  for (int c = 0; c < inner.rank(); ++c)
    along.push_back([&composite, c, rank = inner.rank()](std::int64_t i) {
      std::vector<std::int64_t> index(rank, 0);
      index[c] = i;
      return composite(index);
    });
  for (std::int64_t i = 0; i < inner.size(); ++i) {
    std::int64_t sum = start, left = i;
    for (int c = 0; c < inner.rank(); ++c) {
      sum += along[c](left % inner.extent(c)) - start;
      left /= inner.extent(c);
    }
    if (sum != composite.at(i)) return false;
  }
  for (int c = 0; c < inner.rank(); ++c)
    if (!strided_somehow(along[c], inner.extent(c))) return false;
  return true;
}

// A layout can be composed with one more; a restriction or a layout into physical space cannot.
template <typename Outer, typename Inner>
constexpr bool kComposable = requires(const Outer& outer, const Inner& inner) { compose(outer, inner); };
static_assert(kComposable<Memory, Logical>);
static_assert(kComposable<Memory, ThreadValue>);
static_assert(kComposable<Physical, ThreadValue>);
static_assert(!kComposable<Memory, Memory>);
static_assert(!kComposable<Logical, Memory>);
static_assert(!kComposable<Logical, Physical>);
static_assert(!kComposable<ThreadValue, Logical>);
static_assert(!kComposable<Memory, Restricted>);
static_assert(!kComposable<Restricted, Logical>);

}  // namespace

TEST_CASE("composition is the function, and the decision is right both ways") {
  RandomMaps random(2);
  int strided = 0, kept = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::int64_t size = round % 2 == 0 ? random.between(1, 96) : 12 * random.between(1, 8);
    const Map outer = random.padded(size), inner = random.bijection(size);
    CAPTURE(outer.text());
    CAPTURE(inner.text());
    const Composition<Space::logical, Space::physical> composite = composed(made<Memory>(outer), made<Logical>(inner));
    for (std::int64_t i = 0; i < size; ++i) REQUIRE(composite.at(i) == outer.at(inner.at(i)));
    const Decision& decision = composite.decision();
    CHECK(decision.strided.has_value() != decision.obstacle.has_value());
    if (decision.strided) {
      ++strided;
      CHECK(decision.strided->shape() == inner.shape());
      for (std::int64_t i = 0; i < size; ++i) REQUIRE(decision.strided->at(i) == outer.at(inner.at(i)));
      CHECK(canonical(*decision.strided) == *decision.strided);
      CHECK(composite.strided().has_value());
      CHECK(composite.divisions() <= composite.divisions_undecided());
    } else {
      ++kept;
      CHECK_FALSE(strided_somehow(composite));
      CHECK_FALSE(composite.strided().has_value());
      const Obstacle& obstacle = *decision.obstacle;
      const Mode& digit = obstacle.digit;
      CHECK(obstacle.boundary > digit.stride);
      CHECK(obstacle.boundary < digit.stride * digit.extent);
      const Coordinate& coordinate = obstacle.inner.coordinates()[obstacle.coordinate];
      CHECK(std::find(coordinate.begin(), coordinate.end(), digit) != coordinate.end());
    }
  }
  MESSAGE(strided << " strided, " << kept << " kept");
  CHECK(strided > 1000);
  CHECK(kept > 500);
}

TEST_CASE("equal functions over a shape have equal forms, different ones different forms") {
  RandomMaps random(3);
  int equals = 0;
  for (int round = 0; round < 4000; ++round) {
    const Map map = random.any(random.between(1, 96));
    const Map other = random.respelled(map);
    CAPTURE(map.text());
    CAPTURE(other.text());
    REQUIRE(equal(map, other));
    CHECK(canonical(map) == canonical(other));
    CHECK(equal(canonical(map), map));
    CHECK(equal(canonical(flattened(map)), flattened(map)));
    // Of one shape, so that equality is up to the strides.
    const Map neighbour = random.any(map.size());
    if (neighbour.shape() != map.shape()) continue;
    CHECK((canonical(map) == canonical(neighbour)) == equal(map, neighbour));
    equals += equal(map, neighbour);
  }
  CHECK(equals > 0);
}

TEST_CASE("beside a broadcast the outer layout counts modulo") {
  const auto strided = [](const Map& outer, const Map& inner) {
    const Decision decision = decide(outer, inner);
    return decision.strided ? decision.strided->text() : decision.obstacle->text();
  };
  const Mode broadcast{52, 0, true};
  // 13 and 52 leave 1 when divided by 3: 2 × (i mod 3).
  CHECK(strided(Map({{{3, 2}}, {broadcast}}), Map({{{4, 13}, {13, 1}, {3, 52}}})) == "((3, 52)) : ((2, broadcast))");
  // Without the broadcast they cut nothing.
  CHECK(strided(Map({{{3, 2}}, {{52, 100}}}), Map({{{4, 13}, {13, 1}, {3, 52}}})).find("is no strided layout") !=
        std::string::npos);
  // Two runs, of which the lower comes round.
  CHECK(strided(Map({{{2, 42}}, {{21, 0, true}}, {{2, 1}}}), Map({{{3, 7}, {7, 1}, {4, 21}}})) ==
        "((2, 21, 2)) : ((42, broadcast, 1))");
  // 5 leaves 2: 0, 2, 1 are no even steps.
  CHECK(!decide(Map({{{3, 2}}, {{5, 0, true}}}), Map({{{3, 5}, {5, 1}}})).strided);
}

TEST_CASE("a broadcast is not merged with what is none") {
  const Map map({{{4, 0, true}, {2, 0}}});
  CHECK(canonical(map) == map);
  CHECK(canonical(Map({{{4, 0, true}, {2, 0, true}}})) == Map({{{8, 0, true}}}));
}

TEST_CASE("composition is associative") {
  RandomMaps random(4);
  int compared = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::int64_t size = random.between(1, 64);
    const Memory h = made<Memory>(random.padded(size));
    const Logical g = made<Logical>(random.bijection(size)), f = made<Logical>(random.bijection(size));
    const auto hg = composed(h, g);
    const auto gf = composed(g, f);
    const auto hg_layout = hg.strided();
    const auto gf_layout = gf.strided();
    if (!hg_layout || !gf_layout) continue;
    const auto left = composed(*hg_layout, f);
    const auto right = composed(h, *gf_layout);
    for (std::int64_t i = 0; i < size; ++i) CHECK(left.at(i) == right.at(i));
    CHECK(left.decision().strided == right.decision().strided);
    ++compared;
  }
  CHECK(compared > 200);
}

TEST_CASE("where a cut does not divide, the obstacle says so") {
  const auto composite = composed(made<Memory>(Map({{{6, 1}}, {{4, 8}}})), made<Logical>(Map({{{4, 1}}, {{6, 4}}})));
  REQUIRE(composite.decision().obstacle);
  CHECK(
      composite.decision().obstacle->text() ==
      "((6, 4)) : ((1, 8)) after (4, 6) : (1, 4) is no strided layout: coordinate 1 of the inner one runs over 4 .. 24 "
      "in steps of 4, and the outer one's stride changes at 6, which does not divide it");
  // 64 rows of 64, the columns in two halves that lie apart: one split.
  const auto split =
      composed(made<Memory>(Map({{{64, 32}}, {{32, 1}, {2, 4096}}})), made<Logical>(Map({{{64, 64}}, {{64, 1}}})));
  REQUIRE(split.decision().strided);
  CHECK(split.decision().strided->text() == "((32, 2), 64) : ((1, 4096), 32)");
  CHECK(split.divisions() == 2);
  const auto rows = composed(made<Memory>(Map({{{64, 32}}, {{32, 1}, {2, 4096}}})), made<Logical>(Map({{{4096, 1}}})));
  REQUIRE(rows.decision().strided);
  CHECK(rows.decision().strided->text() == "((64, 32, 2)) : ((32, 1, 4096))");
  CHECK(rows.divisions() == 4);
}

TEST_CASE("composing needs that the inner layout lands on all of the outer one") {
  auto composite = compose(made<Memory>(Map({{{8, 1}}})), made<Logical>(Map({{{4, 1}}})));
  REQUIRE_FALSE(static_cast<bool>(composite));
  CHECK(llvm::toString(composite.takeError()) ==
        "the inner layout (4) : (1) does not land exactly on the outer one's coordinates: it has 4 elements, and (8) : "
        "(1) "
        "has 8");
}

TEST_CASE("a swizzled layout after a fragment is its bytes") {
  llvm::Expected<Physical> tile = Physical::make(Map({{{16, 32}}, {{32, 1}}}), swizzle_of_span(128));
  REQUIRE(static_cast<bool>(tile));
  // Lane t holds row t % 16, value v; lanes 16 and up columns 16 and up.
  const ThreadValue fragment = made<ThreadValue>(Map({{{16, 1}, {2, 256}}, {{16, 16}}}));
  const auto composite = composed(*tile, fragment);
  REQUIRE(composite.decision().strided);
  CHECK(composite.decision().strided->text() == "((16, 2), 16) : ((32, 16), 1)");
  for (std::int64_t t = 0; t < 32; ++t)
    for (std::int64_t v = 0; v < 16; ++v) {
      const std::array<std::int64_t, 2> index{t, v}, element{t % 16, t / 16 * 16 + v};
      CHECK(composite.byte(index, 32) == tile->byte(element, 32));
    }
}

TEST_CASE("a restriction is the layout at its fixed coordinates") {
  RandomMaps random(5);
  for (int round = 0; round < 500; ++round) {
    const std::int64_t size = random.between(1, 64);
    const Composite composite(random.padded(size), random.bijection(size));
    std::vector<std::optional<std::int64_t>> fixed;
    for (int c = 0; c < composite.inner().rank(); ++c)
      fixed.push_back(random.one_in(2) ? std::optional(random.between(0, composite.inner().extent(c) - 1))
                                       : std::nullopt);
    const Restricted slice(composite, fixed);
    const Restricted inner_slice(composite.inner(), fixed);
    const std::vector<std::int64_t> shape = slice.shape();
    CHECK(inner_slice.shape() == shape);
    const Map counting = col_major(shape);
    for (std::int64_t i = 0; i < counting.size(); ++i) {
      std::vector<std::int64_t> free, whole;
      std::int64_t left = i;
      for (const std::int64_t extent : shape) {
        free.push_back(left % extent);
        left /= extent;
      }
      std::size_t at = 0;
      for (const auto& value : fixed) whole.push_back(value ? *value : free[at++]);
      CHECK(slice(free) == composite(whole));
      CHECK(inner_slice(free) == composite.inner()(whole));
    }
  }
}

TEST_CASE("a complement fills what is left") {
  RandomMaps random(6);
  int filled = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t size = random.between(1, 96);
    // Some modes of a bijection: the others are a complement, so there is one.
    const Map whole = random.bijection(size);
    Coordinate some;
    for (const Mode& mode : whole.modes())
      if (random.one_in(2)) some.push_back(mode);
    if (some.empty()) some.push_back({});
    const Map part({some});
    const std::optional<Map> rest = complement(part, size);
    CAPTURE(part.text());
    REQUIRE(rest);
    std::vector<Coordinate> both = part.coordinates();
    both.push_back(rest->coordinates()[0]);
    CHECK(made<Logical>(Map(both)).size() == size);
    filled += rest->size() > 1;
  }
  CHECK(filled > 500);
  CHECK_FALSE(complement(Map({{{4, 1}}, {{4, 2}}}), 64));
  CHECK_FALSE(complement(Map({{{4, 1}}, {{2, 6}}}), 12));
  CHECK_FALSE(complement(Map({{{4, 1}}}), 6));
  CHECK_FALSE(complement(Map({{{4, 0}}}), 4));
  CHECK_FALSE(complement(Map({{{4, 4}}}), 8));
}

// How often the decision pays: composites of a dense bijection with a padded memory layout, as a kernel has them.
TEST_CASE("most composites are strided, and divide less") {
  RandomMaps random(7);
  int strided = 0, divisions = 0, undecided = 0;
  for (int round = 0; round < 600; ++round) {
    const std::int64_t size = 12 * random.between(1, 20);
    const Composite composite(random.padded(size), random.bijection(size));
    strided += composite.decision().strided.has_value();
    divisions += composite.divisions();
    undecided += composite.divisions_undecided();
  }
  MESSAGE("of 600 composites " << strided << " are strided over a refinement; " << divisions
                               << " divisions and remainders instead of " << undecided);
  CHECK(strided > 400);
  CHECK(divisions < undecided);
}

}  // namespace warpcc::layout
