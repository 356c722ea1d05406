#include "layout/banks.h"

#include <doctest/doctest.h>

#include <vector>

#include "layout/layout.h"

namespace warpcc::layout {
namespace {

using Lanes = std::vector<std::optional<std::int64_t>>;

// Lane i at `step` × i.
Lanes strided(std::int64_t step, int lanes = 32) {
  Lanes all;
  for (int lane = 0; lane < lanes; ++lane) all.emplace_back(lane * step);
  return all;
}

TEST_CASE("words of other banks, or one word, take one pass") {
  CHECK(bank_passes(strided(4), 4) == BankPasses{1, 1, 1, 0});
  CHECK(bank_passes(strided(0), 4) == BankPasses{1, 1, 1, 0});
  CHECK(bank_passes(strided(132), 4) == BankPasses{1, 1, 1, 0});  // a padded column
}

TEST_CASE("words of one bank take a pass each") {
  CHECK(bank_passes(strided(128), 4) == BankPasses{32, 1, 32, 0});
  CHECK(bank_passes(strided(8), 4) == BankPasses{2, 1, 2, 0});
  const BankPasses shifted = bank_passes(Lanes{4, 132, 260, 8}, 4);
  CHECK(shifted == BankPasses{3, 1, 3, 1});
  CHECK(shifted.conflicts());
}

TEST_CASE("wide accesses go by halves and by quarters of a warp") {
  CHECK(bank_passes(strided(8), 8) == BankPasses{2, 2, 1, 0});
  CHECK(bank_passes(strided(16), 16) == BankPasses{4, 4, 1, 0});
  // Eight rows of 128 bytes, 16 bytes of each: all at one place, or permuted by the swizzle.
  CHECK(bank_passes(strided(128), 16).passes == 32);
  Lanes swizzled;
  const Swizzle swizzle = swizzle_of_span(128);
  for (int lane = 0; lane < 32; ++lane) swizzled.emplace_back(swizzle(lane * 128));
  CHECK(bank_passes(swizzled, 16) == BankPasses{4, 4, 1, 0});
}

TEST_CASE("lanes that take no part cost nothing") {
  Lanes lanes(32);
  CHECK(bank_passes(lanes, 4) == BankPasses{});
  lanes[7] = 128;
  lanes[9] = 256;
  CHECK(bank_passes(lanes, 4) == BankPasses{2, 1, 2, 0});
}

TEST_CASE("sectors") {
  CHECK(sectors(strided(4), 4).touched == 4);
  CHECK(sectors(strided(4), 4).least == 4);
  CHECK(sectors(strided(4096), 4).touched == 32);
  CHECK(sectors(strided(4096), 4).least == 4);
  CHECK(sectors(strided(0), 4).least == 1);
}

}  // namespace
}  // namespace warpcc::layout
