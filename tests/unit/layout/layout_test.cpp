#include "layout/layout.h"

#include <doctest/doctest.h>

#include <set>

#include "layout/element.h"
#include "random_maps.h"

namespace warpcc::layout {
namespace {

template <typename T>
std::string error_of(llvm::Expected<T> value) {
  if (value) return {};
  return llvm::toString(value.takeError());
}

bool is_bijection(const Map& map) {
  std::set<std::int64_t> values;
  for (std::int64_t i = 0; i < map.size(); ++i) values.insert(map.at(i));
  return map.size() == 0 || (static_cast<std::int64_t>(values.size()) == map.size() && *values.begin() == 0 &&
                             *values.rbegin() == map.size() - 1);
}

bool is_alias_free(const Map& map) {
  std::set<std::int64_t> values;
  for (std::int64_t i = 0; i < map.size(); ++i)
    if (map.at(i) < 0 || !values.insert(map.at(i)).second) return false;
  return true;
}

// The first two tuples in `(0, 2) and (1, 0) have one address, 2`.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> two_tuples(llvm::StringRef text) {
  const auto next = [&text] {
    std::vector<std::int64_t> tuple;
    text = text.split('(').second;
    do {
      std::int64_t number = 0;
      text = text.ltrim();
      if (text.consumeInteger(10, number)) break;
      tuple.push_back(number);
    } while (text.consume_front(","));
    return tuple;
  };
  std::vector<std::int64_t> first = next();
  return {std::move(first), next()};
}

}  // namespace

TEST_CASE("elements have names and sizes") {
  CHECK(bits(Element::f16) == 16);
  CHECK(bytes(Element::u64) == 8);
  CHECK(bits(Element::f4e2m1) == 4);
  CHECK(element_named("f8e4m3") == Element::f8e4m3);
  CHECK_FALSE(element_named("f4e2m1"));
  CHECK_FALSE(element_named("half"));
  for (const Element element : {Element::f16, Element::bf16, Element::tf32, Element::s8, Element::u64})
    CHECK(element_named(name(element)) == element);
}

TEST_CASE("a map's value, shape, span and text") {
  const Map map({{{64, 1}, {2, 4096}}, {{8, 64}}}, 5);
  CHECK(map.shape() == std::vector<std::int64_t>{128, 8});
  CHECK(map.size() == 1024);
  CHECK(map(std::vector<std::int64_t>{65, 3}) == 5 + 1 + 4096 + 3 * 64);
  CHECK(map.at(65 + 128 * 3) == 5 + 1 + 4096 + 3 * 64);
  CHECK(map.span() == 5 + 63 + 4096 + 7 * 64 + 1);
  CHECK(map.text() == "((64, 2), 8) : ((1, 4096), 64) + 5");
  CHECK(Map({{{32, 1}}, {{4, 0, true}}}).text() == "(32, 4) : (1, broadcast)");
  CHECK(row_major(std::vector<std::int64_t>{4, 3, 2}).text() == "(4, 3, 2) : (6, 2, 1)");
  CHECK(col_major(std::vector<std::int64_t>{4, 3, 2}).text() == "(4, 3, 2) : (1, 4, 12)");
}

TEST_CASE("swizzles are the hardware's and permute their pattern") {
  CHECK(swizzle_of_span(128) == Swizzle{.bits = 3, .base = 4, .shift = 3});
  CHECK(swizzle_of_span(128, 32) == Swizzle{.bits = 2, .base = 5, .shift = 2});
  CHECK(swizzle_of_span(0) == Swizzle{});
  CHECK(swizzle_of_span(48) == Swizzle{});
  CHECK(swizzle_of_span(64, 32) == Swizzle{});
  for (const auto& [span, atom] : {std::pair{32, 16}, {64, 16}, {128, 16}, {128, 32}, {128, 64}}) {
    const Swizzle swizzle = swizzle_of_span(span, atom);
    CHECK(swizzle.span() == span);
    std::set<std::int64_t> images;
    for (std::int64_t byte = 0; byte < swizzle.pattern(); ++byte) {
      images.insert(swizzle(byte));
      CHECK(swizzle(byte) / span == byte / span);
      CHECK(swizzle(swizzle.pattern() + byte) == swizzle.pattern() + swizzle(byte));
    }
    CHECK(static_cast<std::int64_t>(images.size()) == swizzle.pattern());
    CHECK(*images.rbegin() == swizzle.pattern() - 1);
    CHECK(swizzle(swizzle.pattern() - span) != swizzle.pattern() - span);  // its last row is moved
  }
}

TEST_CASE("what a layout promises agrees with enumeration") {
  RandomMaps random(1);
  int bijections = 0, alias_free = 0;
  const int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t size = random.between(1, 96);
    const Map map = round % 3 == 0 ? random.any(size) : round % 3 == 1 ? random.bijection(size) : random.padded(size);
    CAPTURE(map.text());
    const std::string logical = error_of(Logical::make(map));
    // A negative stride is refused into logical space also where it reaches all of [0, N): an offset is needed for
    // that.
    CHECK(logical.empty() == is_bijection(map));
    const std::string physical = error_of(Physical::make(map));
    CHECK(physical.empty() == is_alias_free(map));
    bijections += logical.empty();
    alias_free += physical.empty();
    if (llvm::StringRef(physical).contains("have one address")) {
      // The two that it names do collide.
      const auto [first, second] =
          two_tuples(llvm::StringRef(physical).drop_front(std::string("the layout ").size() + map.text().size()));
      REQUIRE(first.size() == static_cast<std::size_t>(map.rank()));
      CHECK(first != second);
      CHECK(map(first) == map(second));
    }
  }
  MESSAGE(rounds << " layouts, " << bijections << " bijections, " << alias_free << " alias-free");
  CHECK(bijections > 1000);
  CHECK(alias_free > 2000);
  CHECK(alias_free < rounds - 500);
}

TEST_CASE("interleaved strides are told apart exactly") {
  CHECK(error_of(Physical::make(Map({{{3, 2}}, {{2, 3}}}))).empty());
  CHECK(error_of(Physical::make(Map({{{4, 2}}, {{3, 3}}}))) ==
        "the layout (4, 3) : (2, 3): (0, 2) and (3, 0) have one address, 6");
  // Far too large to enumerate.
  const std::int64_t big = std::int64_t{1} << 20;
  CHECK(error_of(Physical::make(Map({{{big + 1, 2 * big + 1}}, {{2 * big + 2, big}}}))).find("have one address") !=
        std::string::npos);
  CHECK(error_of(Physical::make(Map({{{big, 2 * big + 1}}, {{2 * big + 2, big}}}))).empty());
  // 20 extents of 2 whose strides' subset sums are all different, but interleave.
  std::vector<Coordinate> powers;
  for (int i = 0; i < 20; ++i) powers.push_back({Mode{2, (std::int64_t{1} << 24) - (std::int64_t{1} << i)}});
  const std::string text = error_of(Physical::make(Map(powers)));
  CHECK((text.empty() || text.find("have one address") != std::string::npos ||
         text.find("interleave in too many ways") != std::string::npos));
}

TEST_CASE("layouts that break their promise, in words") {
  CHECK(error_of(Logical::make(Map({{{4, 1}}, {{4, 8}}}))) ==
        "the layout (4, 4) : (1, 8): it is no bijection onto 0 .. 16: nothing lands on 4");
  CHECK(error_of(Logical::make(Map({{{4, 1}}, {{4, 2}}}))) ==
        "the layout (4, 4) : (1, 2): it is no bijection onto 0 .. 16: (2, 0) and (0, 1) both land on 2");
  CHECK(error_of(Logical::make(Map({{{4, 1}}}, 3))) == "the layout (4) : (1) + 3: it starts at 3, not at 0");
  CHECK(error_of(Logical::make(Map({{{4, 0, true}}}))) ==
        "the layout (4) : (broadcast): a broadcast is possible into physical space only");
  CHECK(error_of(ThreadValue::make(Map({{{4, -1}}}))) == "the layout (4) : (-1): the stride -1 is negative");
  CHECK(error_of(Physical::make(Map({{{4, 0}}}))) == "the layout (4) : (0): (0) and (1) have one address, 0");
  CHECK(error_of(Physical::make(Map({{{4, -1}}}))) == "the layout (4) : (-1): it reaches -3, below the start");
  CHECK(error_of(Physical::make(Map({{{4, -1}}}, 3))).empty());
  CHECK(error_of(Physical::make(Map({{{4, 1}}, {{32, 0, true}}}))).empty());
  CHECK(error_of(Physical::make(Map({{{4, 1}}, {{32, 1, true}}}))) ==
        "the layout (4, 32) : (1, broadcast): a broadcast has the stride 0, this one 1");
  CHECK(error_of(Physical::make(Map({{{0, 1}}, {{5, 0}}}))).empty());
  CHECK_FALSE(error_of(Logical::make(Map({{{0, 1}}}))).empty());
  CHECK(error_of(Physical::make(Map({{{-2, 1}}}))) ==
        "the layout (-2) : (1): an extent of -2: extents are not negative");
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(error_of(Physical::make(Map({{{huge, 1}}, {{huge, huge}}}))).find("more than 2^60") != std::string::npos);
  CHECK(error_of(Physical::make(row_major(std::vector<std::int64_t>{2, huge, huge}))).find("2^60") !=
        std::string::npos);
  CHECK(error_of(Physical::make(Map({{{4, INT64_MIN}}}))).find("past 2^60") != std::string::npos);
  CHECK(error_of(Physical::make(Map({{{4, 1}}}, INT64_MIN))).find("offset") != std::string::npos);
  CHECK(error_of(Physical::make(Map({{{4, 1}}}), Swizzle{.bits = 3, .base = 4, .shift = 2})).find("no permutation") !=
        std::string::npos);
}

TEST_CASE("bytes of a swizzled tile") {
  llvm::Expected<Physical> tile = Physical::make(Map({{{128, 64}}, {{64, 1}}}), swizzle_of_span(128));
  REQUIRE(static_cast<bool>(tile));
  CHECK(tile->bytes(16) == 16384);
  CHECK(tile->byte(std::vector<std::int64_t>{1, 0}, 16) == 128 + 16);
  CHECK(tile->byte(std::vector<std::int64_t>{9, 63}, 16) == 9 * 128 + (126 ^ 16));
  // A narrow tile may have its last element moved to the end of the row.
  llvm::Expected<Physical> narrow = Physical::make(Map({{{8, 64}}, {{8, 1}}}), swizzle_of_span(128));
  REQUIRE(static_cast<bool>(narrow));
  CHECK(narrow->bytes(16) == 1024);
  llvm::Expected<Physical> padded = Physical::make(Map({{{4, 5}}, {{4, 1}}}));
  REQUIRE(static_cast<bool>(padded));
  CHECK(padded->bytes(32) == (3 * 5 + 4) * 4);
  llvm::Expected<Physical> empty = Physical::make(Map({{{0, 64}}, {{64, 1}}}));
  REQUIRE(static_cast<bool>(empty));
  CHECK(empty->bytes(16) == 0);
}

}  // namespace warpcc::layout
