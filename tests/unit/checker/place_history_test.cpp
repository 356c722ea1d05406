// What is done to each place of global memory, as two runs are compared by it.
#include "checker/machine/place_history.h"

#include <doctest/doctest.h>

using warpcc::machine::PlaceHistory;
using Use = PlaceHistory::Use;

TEST_CASE("runs that do the same to each place in the same order are the same, wherever it lies") {
  PlaceHistory one, other;
  one.note(Use::read, 0, 64);
  one.note(Use::write, 16, 16);
  other.note(Use::read, 1 << 20, 32);
  other.note(Use::write, (1 << 20) + 16, 16);
  other.note(Use::read, (1 << 20) + 32, 32);
  CHECK(one.compare(0, other, 1 << 20, 64).places == 0);
}

TEST_CASE("another order, another number or another use is a difference") {
  PlaceHistory one, order, number, use;
  one.note(Use::read, 0, 16);
  one.note(Use::write, 0, 16);
  order.note(Use::write, 0, 16);
  order.note(Use::read, 0, 16);
  number.note(Use::read, 0, 16);
  number.note(Use::read, 0, 16);
  number.note(Use::write, 0, 16);
  use.note(Use::read, 0, 16);
  use.note(Use::add, 0, 16);
  for (const PlaceHistory* other : {&order, &number, &use}) CHECK(one.compare(0, *other, 0, 16).places == 1);
  PlaceHistory::Difference differ = one.compare(0, order, 0, 64);
  CHECK(differ.byte == 0);
  CHECK(differ.here == "written last, of 2 accesses");
  CHECK(differ.there == "read last, of 2 accesses");
}

TEST_CASE("flags are compared with nothing") {
  PlaceHistory one, other;
  one.leave_out(32, 4);
  other.note(Use::read, 32, 4);
  CHECK(one.compare(0, other, 0, 64).places == 0);
}
