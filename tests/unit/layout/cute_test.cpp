// CuTe's operations on the examples that its documentation explains them by, and where they have no answer. Every
// record of tests/vectors is held by build/tests/vectors.
#include "layout/cute.h"

#include <doctest/doctest.h>

#include <array>

namespace warpcc::layout {
namespace {

std::string strided(llvm::Expected<cute::View> view) {
  if (!view) return "refused: " + llvm::toString(view.takeError());
  const std::optional<Map> map = view->strided();
  return map ? map->text() : "kept";
}

std::string text(llvm::Expected<Map> map) {
  return map ? map->text() : "refused: " + llvm::toString(map.takeError());
}

}  // namespace

TEST_CASE("composition, with what repeats, and past the end of the outer layout") {
  const Map a({{{6, 8}}, {{2, 2}}});
  CHECK(strided(cute::composition(a, Map({{{4, 3}}, {{3, 1}}}))) == "((2, 2), 3) : ((24, 2), 8)");
  CHECK(strided(cute::composition(a, Map({{{4, 3}, {2, 0}}}))) == "((2, 2, 2)) : ((24, 2, 0))");
  CHECK(strided(cute::composition(Map({{{2, 1}}}), Map({{{4, 3}}}))) == "(4) : (3)");
  const std::vector<Map> tilers{Map({{{3, 4}}}), Map({{{8, 2}}})};
  CHECK(strided(cute::composition(Map({{{12, 59}}, {{4, 13}, {8, 1}}}), tilers)) == "(3, (2, 4)) : (236, (26, 1))");
}

TEST_CASE("where CuTe's composition rejects or errs, the view is the function") {
  // 4 is no multiple of 6 and the other way: CuTe's divisibility rules.
  const cute::View kept = cute::composition(Map({{{6, 1}, {4, 8}}}), Map({{{4, 1}}, {{6, 4}}}));
  CHECK_FALSE(kept.strided());
  REQUIRE(kept.composite());
  for (std::int64_t i = 0; i < 24; ++i) CHECK(kept.at(i) == i % 6 + i / 6 * 8);
  // Modes that overlap carry.
  const cute::View overlapping = cute::composition(Map({{{4, 1}, {4, 10}}}), Map({{{4, 1}}, {{4, 1}}}));
  CHECK_FALSE(overlapping.composite());
  CHECK(overlapping.at(15) == 12);
  // A negative stride divides with truncation.
  const cute::View back = cute::composition(Map({{{2, -1}, {4, 512}}}), Map({{{4, -1}}}));
  CHECK(back.at(3) == 1 - 512);
}

TEST_CASE("division and product") {
  const Map a({{{4, 2}}, {{2, 1}}, {{3, 8}}});
  CHECK(strided(cute::logical_divide(a, Map({{{4, 2}}}))) == "((2, 2), (2, 3)) : ((4, 1), (2, 8))");
  const std::vector<Map> by_coordinate = cute::tilers(std::array<std::int64_t, 2>{2, 4});
  CHECK(strided(cute::zipped_divide(Map({{{8, 1}}, {{8, 8}}}), by_coordinate)) == "(2, 4, 4, 2) : (1, 8, 2, 32)");
  CHECK(strided(cute::logical_divide(Map({{{8, 1}}, {{8, 8}}}), by_coordinate)) == "(8, 8) : (1, 8)");
  CHECK(strided(cute::logical_divide(a, Map({{{2, 1}}, {{2, 1}}}))).find("refused: ") == 0);
  CHECK(strided(cute::logical_divide(Map({{{8, 1}}}), by_coordinate)) == "refused: 2 tilers for 1 coordinates");
  const Map block({{{2, 5}}, {{5, 1}}});
  CHECK(strided(cute::logical_product(Map({{{2, 4}, {2, 1}}}), Map({{{6, 1}}}))) ==
        "((2, 2), (2, 3)) : ((4, 1), (2, 8))");
  CHECK(strided(cute::blocked_product(block, Map({{{3, 1}}, {{4, 3}}}))) == "(6, (5, 4)) : (5, (1, 30))");
  CHECK(strided(cute::raked_product(block, Map({{{3, 1}}, {{4, 3}}}))) == "((3, 2), (4, 5)) : ((10, 5), (30, 1))");
  CHECK(strided(cute::tile_to_shape(block, std::array<std::int64_t, 2>{4, 10})) == "(4, (5, 2)) : (5, (1, 20))");
  CHECK(strided(cute::tile_to_shape(block, std::array<std::int64_t, 2>{4, 12})) ==
        "refused: coordinate 1 of the block has 5, which does not divide 12");
}

TEST_CASE("complements, inverses, filters and casts") {
  const auto complement = [](Map map, std::int64_t size) {
    return text(cute::complement(map, std::array<std::int64_t, 1>{size}));
  };
  CHECK(complement(Map({{{4, 2}}}), 24) == "((2, 3)) : ((1, 8))");
  CHECK(complement(Map({{{4, 1}}}), 6) == "(2) : (4)");  // rounded up
  CHECK(complement(Map({{{4, 1}}, {{4, 2}}}), 64).find("refused: ") == 0);
  CHECK(cute::right_inverse(Map({{{4, 2}}, {{2, 1}}})).text() == "((2, 4)) : ((4, 1))");
  CHECK(cute::right_inverse(Map({{{4, 2}}})).text() == "(1) : (0)");
  CHECK(text(cute::left_inverse(Map({{{4, 2}}}))) == "((2, 4)) : ((0, 1))");
  CHECK(text(cute::left_inverse(Map({{{2, 2}, {2, 3}}}))) ==
        "refused: ((2, 2)) : ((2, 3)) has no left inverse with strides: the stride 3 is no multiple of 2");
  CHECK(text(cute::left_inverse(Map({{{4, -1}}}))).find("refused: ") == 0);
  CHECK(cute::filter(Map({{{2, 0}, {4, 1}}, {{3, 0}}})).text() == "(4) : (1)");
  CHECK(cute::nullspace(Map({{{2, 0}, {4, 1}}, {{3, 0}}})).text() == "((2, 3)) : ((1, 8))");
  CHECK(text(cute::upcast(Map({{{8, 1}}, {{4, 16}}}), 4)) == "(2, 4) : (1, 4)");
  CHECK(text(cute::downcast(Map({{{2, 1}}, {{4, 4}}}), 4)) == "(8, 4) : (1, 16)");
  CHECK(text(cute::downcast(Map({{{2, 2}}}), 4)).find("refused: ") == 0);
  CHECK(text(cute::upcast(Map({{{8, 3}}}), 2)) == "refused: the stride 3 and units of 2 do not divide each other");
}

}  // namespace warpcc::layout
