#include "layout/indexing.h"

#include <doctest/doctest.h>

#include <vector>

#include "random_maps.h"

namespace warpcc::layout {
namespace {

const Map kHalves({{{8, 4}}, {{4, 1}, {2, 32}}});  // (8, (4, 2)) : (4, (1, 32))

TEST_CASE("a sum of indices over coordinates of one mode is affine, whatever its steps") {
  const Indexed at = indexed(Map({{{64, 100}}, {{64, 1}}}), {{3, {{"k", 7, 5}}}, {0, {{"lane", 32, 3}, {"i", 8, 1}}}});
  REQUIRE(at.strided);
  CHECK(at.strided->text() == "(7, 32, 8) : (500, 3, 1) + 300");
  CHECK(at.form() == Form::affine);
}

TEST_CASE("an index is cut where the layout's modes end") {
  const Indexed at = indexed(kHalves, {{0, {{"row", 8, 1}}}, {0, {{"column", 8, 1}}}});
  REQUIRE(at.strided);
  CHECK(*at.strided == kHalves);
  CHECK(at.form() == Form::one_split);
  CHECK(at.why() == "column is split in 2");
}

TEST_CASE("a constant counts for its digits") {
  const Indexed upper = indexed(kHalves, {{2, {}}, {4, {{"i", 4, 1}}}});
  REQUIRE(upper.strided);
  CHECK(upper.strided->text() == "(4) : (1) + 40");
  const Indexed across = indexed(kHalves, {{0, {}}, {2, {{"i", 4, 1}}}});
  CHECK(!across.strided);
  CHECK(across.form() == Form::composite);
  CHECK(across.why() == "the sum of its indices carries over the boundary at 4 of ((4, 2)) : ((1, 32))");
}

TEST_CASE("what does not fit is named") {
  CHECK(indexed(kHalves, {{0, {}}, {0, {{"lane", 2, 3}}}}).why() ==
        "lane runs over 0 .. 6 in steps of 3, and the stride of ((4, 2)) : ((1, 32)) changes at 4, which does not fit "
        "it");
  CHECK(indexed(kHalves, {{0, {}}, {7, {{"k", 2, -4}}}}).why() == "k counts in steps of -4");
  // Sums of two indices that alone would fit.
  CHECK(!indexed(kHalves, {{0, {}}, {0, {{"i", 4, 1}, {"j", 2, 2}}}}).strided);
}

TEST_CASE("random sums: where there is a strided form it is the function") {
  int strided = 0, kept = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    RandomMaps random(seed);
    const Map map = random.padded(random.between(1, 120));
    std::vector<IndexSum> sums;
    std::vector<std::int64_t> extents;
    for (int c = 0; c < map.rank(); ++c) {
      IndexSum sum;
      std::int64_t left = map.extent(c) - 1;
      sum.constant = random.between(0, left);
      left -= sum.constant;
      while (left > 0 && !random.one_in(3)) {
        const std::int64_t step = random.between(1, left), extent = random.between(1, left / step + 1);
        sum.digits.push_back({"x", extent, step});
        extents.push_back(extent);
        left -= (extent - 1) * step;
      }
      sums.push_back(std::move(sum));
    }
    const Indexed at = indexed(map, sums);
    ++(at.strided ? strided : kept);
    if (!at.strided) continue;
    std::vector<std::int64_t> digits(extents.size(), 0);
    for (bool more = true; more;) {
      std::vector<std::int64_t> index;
      std::size_t digit = 0;
      for (const IndexSum& sum : sums) {
        index.push_back(sum.constant);
        for (const Digit& of : sum.digits) index.back() += digits[digit++] * of.step;
      }
      REQUIRE((*at.strided)(digits) == map(index));
      more = false;
      for (std::size_t i = 0; i < digits.size() && !more; ++i) {
        more = ++digits[i] < extents[i];
        if (!more) digits[i] = 0;
      }
    }
  }
  CHECK(strided > 1000);
  CHECK(kept > 200);
}

}  // namespace
}  // namespace warpcc::layout
