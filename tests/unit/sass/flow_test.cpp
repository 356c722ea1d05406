#include "sass/flow.h"

#include <doctest/doctest.h>

#include "examples.h"

using namespace warpcc::sass;
using testing::read_text;

namespace {

constexpr const char* kHead = ".kernel k\n.sm sm_100a\n.threads 32\n.tmap a 64 64 2 8 64 0\n";

ValueId named(const Program& program, std::string_view name) {
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    if (program.values[i].name == name) return static_cast<ValueId>(i);
  }
  return ValueId::none;
}

}  // namespace

TEST_CASE("where a line may go on") {
  auto reading = read_text(std::string(kHead) + R"(  MOV x, 0x1
AGAIN:
  ISETP.NE.AND p, PT, x, RZ, PT
  @p BRA AGAIN
  UISETP.NE.AND u, UPT, URZ, URZ, UPT
  BRA.U !u, AGAIN
  @p EXIT
  BRA END
END:
  EXIT
)");
  INFO(reading.complaints());
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  using Lines = std::vector<std::size_t>;
  CHECK(successors(program, 0) == Lines{1});
  CHECK(successors(program, 2) == Lines{3, 1});
  CHECK(successors(program, 4) == Lines{5, 1});
  CHECK(successors(program, 5) == Lines{6});
  CHECK(successors(program, 6) == Lines{7});
  CHECK(successors(program, 7).empty());
}

TEST_CASE("registers that a line reads and writes, groups whole") {
  auto reading = read_text(std::string(kHead) + R"(  UMOV v.0, 0x1
  UMOV v.1, 0x1
  UMOV v.2, 0x1
  UMOV v.3, 0x1
  LDTM.x4 t, tmem[v.0+0x4]
  ELECT p, URZ, PT
  @p STS.128 [t.1], t.0
  UTMALDG.2D [v], [map_a]
  UTCHMMA gdesc[v.0], gdesc[v.2], tmem[v.1], tmem[v.0], idesc[v.1], !UPT
)");
  INFO(reading.complaints());
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  auto load = accesses(program.lines[4]);
  REQUIRE(load.size() == 2);
  CHECK((load[0].written && load[0].width == 4 && load[0].whole));
  CHECK((!load[1].written && load[1].width == 1));
  auto store = accesses(program.lines[6]);
  REQUIRE(store.size() == 3);  // the guard, the address, the value
  CHECK(store[2].width == 4);
  auto copy = accesses(program.lines[7]);
  REQUIRE(copy.size() == 1);
  CHECK(copy[0].width == 4);
  auto multiply = accesses(program.lines[8]);
  REQUIRE(multiply.size() == 5);
  CHECK(multiply[0].width == 2);
  CHECK(multiply[1].reg.part == 2);
  CHECK(multiply[4].width == 1);
}

TEST_CASE("a guarded write ends nothing, a whole one does") {
  auto reading = read_text(std::string(kHead) + R"(  MOV x, 0x1
  ELECT p, URZ, PT
  @p MOV x, 0x2
  MOV y, x
  MOV x, 0x3
  MOV z, x
  MOV z, y
)");
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  Liveness live = liveness(program);
  ValueId x = named(program, "x"), y = named(program, "y"), z = named(program, "z");
  CHECK(!live.live_before(0, x));
  CHECK(live.live_before(1, x));
  CHECK(live.live_before(2, x));
  CHECK(live.live_before(3, x));
  CHECK(!live.live_before(4, x));
  CHECK(live.live_before(5, x));
  CHECK(live.live_before(6, y));
  CHECK(!live.live_before(6, z));
}

TEST_CASE("a group written part by part is live from its first part on, not before") {
  auto reading = read_text(std::string(kHead) + R"(  UMOV u, 0x5
AGAIN:
  UMOV w, u
  UMOV v.0, w
  UMOV v.1, 0x1
  SYNCS.EXCH.64 URZ, [u], v
  BRA AGAIN
)");
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  Liveness live = liveness(program);
  ValueId v = named(program, "v");
  CHECK(!live.live_before(0, v));
  CHECK(!live.live_before(1, v));
  CHECK(!live.live_before(2, v));
  CHECK(live.live_before(3, v));
  CHECK(live.live_before(4, v));
  CHECK(!live.live_before(5, v));
}

TEST_CASE("A of a warpgroup's MMA is live until a wait covers its group") {
  auto reading = read_text(R"(.kernel k
.sm sm_90a
.threads 128
  MOV a.0, 0x1
  MOV a.1, 0x1
  MOV a.2, 0x1
  MOV a.3, 0x1
  UMOV b.0, 0x1
  UMOV b.1, 0x1
  WARPGROUP.ARRIVE
  HGMMA.64x8x16.F32 d, a, gdesc[b.0], RZ, !UPT, gsb0
  HGMMA.64x8x16.F32 e, gdesc[b.0], gdesc[b.0], RZ, !UPT, gsb0
  WARPGROUP.DEPBAR.LE gsb0, 0x2
  WARPGROUP.DEPBAR.LE gsb0, 0x1
  WARPGROUP.DEPBAR.LE gsb0, 0x0
)");
  INFO(reading.complaints());
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  Liveness live = liveness(program);
  ValueId a = named(program, "a"), b = named(program, "b");
  CHECK(live.live_before(7, a));
  CHECK(live.live_before(9, a));
  CHECK(live.live_before(10, a));
  CHECK(!live.live_before(11, a));
  CHECK(live.live_before(8, b));
  CHECK(!live.live_before(9, b));
}
