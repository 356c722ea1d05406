// Where teams begin in a ring that they hold in turn, and what is counted of them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "elaborate.h"
#include "sema/ranges.h"

using namespace warpcc;

namespace {

std::string program(int teams, int groups, int depth, int stages) {
  return fmt::format(R"(
kernel k(a: global in u32[64, 32], c: global out u32[64]) on sm_100a, grid (1) {{
  shared slots: ring({2}) of u32[4, 32];
  pipe stage: ring({2}) carries (slots);
  start {{
    on (warp == 4 * {1}) {{
      for i in 0 .. {2} {{ @one init stage.full[i]; @one init stage.empty[i]; }}
      fence.init;
    }}
    sync;
  }}
  role loads(out: producer stage) on warp 4 * {1} {{
    grid.wait;
    loop k in 0 .. 8 {{
      fill out {{ wait out.empty; @one expect out.full; load out.slots, a[k * 4 +: 4, ..], out.full; }}
    }}
  }}
  role adds(inp: consumer stage in turn({0})) on warpgroups 0 .. {1} {{
    on (warpgroup / {4} == {0} - 1) {{ sync.arrive inp.next; }}
    turn inp of {3} {{
      sync inp.mine;
      loop j in 0 .. {3} {{ take inp {{ wait inp.full; @one arrive inp.empty; }} }}
      sync.arrive inp.next;
    }}
  }}
}}
)",
                     teams, groups, depth, stages, groups / teams);
}

}  // namespace

TEST_CASE("team i begins i turns in") {
  for (int teams = 2; teams <= 4; ++teams) {
    for (int depth = 1; depth <= 6; ++depth) {
      for (int stages = 1; stages <= 8; ++stages) {
        for (int each = 1; each * teams <= 4; ++each) {
          CAPTURE(teams);
          CAPTURE(depth);
          CAPTURE(stages);
          CAPTURE(each);
          Elaborated made = elaborate_text(program(teams, each * teams, depth, stages));
          REQUIRE(made.kernel);
          Sources sources;
          Diagnostics diagnostics;
          sema::Session session(sources, diagnostics);
          session.kernel = *made.kernel;
          session.place.warps = 4 * each * teams;
          const kernel::End& end = session.kernel.ends.back();
          CHECK(end.teams == teams);
          CHECK(end.stages_a_turn == stages);
          for (int warp = 0; warp < session.place.warps; ++warp) {
            const int before = warp / (4 * each) * stages;
            CHECK(sema::value_at(session, end.first_position, {0, warp, nullptr}) == before % depth);
            CHECK(sema::value_at(session, end.first_odd, {0, warp, nullptr}) == before / depth % 2);
          }
        }
      }
    }
  }
}

TEST_CASE("one team's arrivals are counted, and two teams meet to hand a turn on") {
  Elaborated made = elaborate_text(program(2, 4, 4, 3));
  REQUIRE(made.kernel);
  CHECK(made.kernel->pipes[0].empty.arrivals == 8);
  CHECK(made.kernel->pipes[0].empty.arrivals_why == "8 = 8 warps of one of 2 teams of adds");
  REQUIRE(made.kernel->named_barriers.size() == 1);
  CHECK(made.kernel->named_barriers[0].copies == 2);
  CHECK(made.kernel->named_barriers[0].warps == 16);
}

TEST_CASE("one team hands its turns to nobody") {
  Elaborated made = elaborate_text(program(1, 2, 4, 3));
  REQUIRE(made.kernel);
  CHECK(made.kernel->pipes[0].empty.arrivals == 8);
  CHECK(made.kernel->named_barriers.empty());
}
