#include "lsp/text.h"

#include <doctest/doctest.h>

using namespace warpcc::lsp;

TEST_CASE("places count UTF-16 code units") {
  const Text text("a\u00e9\U0001f600b\nsecond\r\nlast");
  CHECK(text.lines() == 3);
  CHECK(text.place(0) == Place{0, 0});
  CHECK(text.offset({0, 1}) == 1);
  CHECK(text.offset({0, 2}) == 3);  // two bytes of é
  CHECK(text.offset({0, 4}) == 7);  // a pair of units, four bytes
  CHECK(text.offset({0, 3}) == 3);  // within the pair
  CHECK(text.place(7) == Place{0, 4});
  CHECK(text.offset({0, 99}) == 8);
  CHECK(text.line(1) == "second");
  CHECK(text.offset({1, 99}) == 15);  // before the carriage return
  CHECK(text.offset({7, 0}) == text.size());
  CHECK(text.place(1000) == Place{2, 4});
}

TEST_CASE("edits") {
  Text text("one\ntwo\nthree");
  text.replace(text.offset({0, 3}), text.offset({1, 3}), "\n\n");
  CHECK(text.str() == "one\n\n\nthree");
  CHECK(text.lines() == 4);
  text.replace(100, 50, "!");
  CHECK(text.str() == "one\n\n\nthree!");
}

TEST_CASE("what has moved between two versions") {
  const Moves moves("let x = 1; rest", "let xyz = 1; rest");
  CHECK(moves.to_now(4) == 4u);
  CHECK(moves.to_now(5) == 5u);
  CHECK(moves.to_now(6) == 8u);
  CHECK(moves.to_before(8) == 6u);
  CHECK(!moves.to_before(6));
  CHECK(moves.near(6) == 5);
  CHECK(!moves.same());
  const Moves gone("abcdef", "af");
  CHECK(!gone.to_now(3));
  CHECK(gone.to_now(5) == 1u);
  CHECK(Moves("same", "same").to_before(99) == 99u);
}
