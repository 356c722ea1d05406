#include <doctest/doctest.h>

#include "isa/isa.h"

using namespace warpcc::isa;

TEST_CASE("a statement is found as written, on the target") {
  const Statement* add = statement("uiadd3", Target::sm_100a);
  REQUIRE(add);
  CHECK(add->sass == "UIADD3 $0, UPT, UPT, $1, $2, $3");
  CHECK(statement("uiadd3", Target::sm_90a)->sass == "UIADD3 $0, $1, $2, $3");
  REQUIRE(add->slots.size() == 4);
  CHECK(add->slots[0].out);
  CHECK(add->slots[1].takes == (kUR | kImmediate));
  CHECK(add->slots[1].negates);
  CHECK(add->slots[3].optional);
  CHECK(add->slots[3].neutral == 0);
  CHECK(statement("mma.pair", Target::sm_90a) == nullptr);
  CHECK(statement("uiadd") == nullptr);
}

TEST_CASE("a comparison without a type is of signed numbers") {
  CHECK(statement("isetp.ge")->sass == "ISETP.GE.AND $0, PT, $1, $2, PT");
  CHECK(statement("isetp.ge.u32")->sass == "ISETP.GE.U32.AND $0, PT, $1, $2, PT");
}

TEST_CASE("the nearest word") {
  CHECK(nearest_statement("uiad3") == "uiadd3");
  CHECK(nearest_statement("mma.pari") == "mma.pair");
  CHECK(nearest_statement("x!") == "");
}

TEST_CASE("optional operands are the last ones") {
  for (const Statement& row : statements()) {
    INFO(row.word);
    bool optional = false;
    for (const StatementSlot& slot : row.slots) {
      CHECK((slot.optional || !optional));
      optional = slot.optional;
    }
  }
}
