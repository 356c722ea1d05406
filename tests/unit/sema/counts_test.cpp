// How many arrivals a phase counts, whichever blocks the warps and CTAs hold its stage in.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "elaborate.h"

using namespace warpcc;

namespace {

constexpr const char* kFills =
    "loop k in 0 .. 8 { fill out { wait out.empty; @one expect out.full; load out.tile, a[k * 8 +: 8, ..], out.full; } "
    "}";

// Three warps take (the first holds warps 0 .. 2 of the CTA for the producer).
Elaborated program(const std::string& takes, const std::string& fills = kFills, int ctas = 1) {
  return elaborate_text(fmt::format(R"(
kernel k(a: global in u32[64, 32]) on sm_90a, grid (2), cluster (half: {}) {{
  shared tile: ring(2) of u32[8, 32];
  pipe stage: ring(2) carries (tile);
  start {{
    on (warp == 2) {{ for i in 0 .. 2 {{ @one init stage.full[i]; @one init stage.empty[i]; }} fence.init; }}
    {}
  }}
  role loads(out: producer stage) on warps 0 .. {} {{
    r x;
    mov x, 0;
    grid.wait;
    {}
  }}
  role takes(inp: consumer stage) on warps 2 .. 5 {{
    ur n;
    up some;
    s2ur n, ctaid.x;
    uisetp.ne.u32 some, n, 3;
    {}
  }}
}})",
                                    ctas, ctas == 1 ? "sync;" : "cluster.arrive; cluster.wait;",
                                    fills == kFills ? 1 : 2, fills, takes));
}

std::string empty_of(const Elaborated& made) {
  for (const Diagnostic& each : made.said) MESSAGE(each.text);
  return made.kernel ? made.kernel->pipes[0].empty.arrivals_why : "refused";
}

std::string full_of(const Elaborated& made) {
  for (const Diagnostic& each : made.said) MESSAGE(each.text);
  return made.kernel ? made.kernel->pipes[0].full.arrivals_why : "refused";
}

std::string said(const Elaborated& made) {
  if (made.kernel || made.said.size() != 1) return fmt::format("{} complaints", made.said.size());
  return fmt::format("{} [{}]", made.said[0].text, made.said[0].code);
}

const std::string kOwn = "loop k in 0 .. 8 { take inp { wait inp.full; @one arrive inp.empty; } }";

}  // namespace

TEST_CASE("warps that take in blocks of their own all count") {
  CHECK(empty_of(program(kOwn)) == "3 = 3 warps of takes");
  CHECK(empty_of(program("on (warp == 0) { " + kOwn + " } on (warp == 1) { " + kOwn + " }")) == "2 = 2 warps of takes");
  CHECK(empty_of(program("on (warp < 2) { " + kOwn + " } on (warp == 2) { " + kOwn + " }")) == "3 = 3 warps of takes");
  CHECK(empty_of(program("on (warp == 0) { " + kOwn +
                         " } on (warp == 1) { loop k in 0 .. 8 { take inp { wait inp.full; arrive inp.empty; } } }")) ==
        "33 = 33 of takes");
}

TEST_CASE("warps that come to several blocks of others count once") {
  const std::string first = "take inp { wait inp.full; @one arrive inp.empty; } ";
  const std::string rest = "loop k in 1 .. 8 { take inp { wait inp.full; @one arrive inp.empty; } }";
  CHECK(empty_of(program(first + "on (warp == 0) { " + rest + " } on (warp > 0) { " + rest + " }")) ==
        "3 = 3 warps of takes");
}

TEST_CASE("CTAs that take in blocks of their own count each for their barriers") {
  CHECK(empty_of(program("on (half == 0) { " + kOwn + " } on (half == 1) { " + kOwn + " }", kFills, 2)) ==
        "3 = 3 warps of takes");
  const Elaborated other =
      program("on (half == 0) { " + kOwn + " } on (half == 1 && warp == 0) { " + kOwn + " }", kFills, 2);
  CHECK(said(other) == "`empty` of `stage` gets 3 arrivals a phase in one CTA and 1 in another [signals-differ]");
}

TEST_CASE("warps that fill in blocks of their own all count") {
  auto fills = [](int warp) {
    return fmt::format(
        "on (warp == {}) {{ loop k in 0 .. 8 {{ fill out {{ wait out.empty; sts out.tile[{}, lane], x; warpsync; @one "
        "arrive out.full; }} }} }} ",
        warp, warp);
  };
  CHECK(full_of(program(kOwn, fills(0) + fills(1))) == "2 = 2 warps of loads");
  const std::string by_load = fmt::format("on (warp == 0) {{ {0} }} on (warp == 1) {{ {0} }}", kFills);
  CHECK(said(program(kOwn, by_load)) ==
        "the full barrier of `stage` is expected by 2 warps: one of them is to [expected-twice]");
}

TEST_CASE("every cluster counts alike") {
  auto takes = [](int cluster, const std::string& arrive) {
    return fmt::format(
        "on (cluster_id == {}) {{ loop k in 0 .. 8 {{ take inp {{ wait inp.full; {} inp.empty; }} }} }} ", cluster,
        arrive);
  };
  CHECK(empty_of(program(takes(0, "@one arrive") + takes(1, "@one arrive"))) == "3 = 3 warps of takes");
  CHECK(said(program(takes(0, "@one arrive") + takes(1, "arrive"))) ==
        "`empty` of `stage` gets 96 arrivals a phase in cluster 1 and 3 in others [signals-differ]");
  CHECK(
      said(program("loop k in 0 .. 8 { take inp { wait inp.full; @(one && cluster_id / 2 == 0 && cluster_id % 2 == 0) "
                   "arrive inp.empty; } }")) ==
      "warp 0 of `takes` takes a stage of `stage` and does not release it: every warp does [warp-silent]");
}

TEST_CASE("CTAs and clusters fill in blocks of their own") {
  auto fills = [](const std::string& place, int rows) {
    return fmt::format(
        "on (warp == 0 && {}) {{ loop k in 0 .. 8 {{ fill out {{ wait out.empty; @one expect out.full; load out.tile[0 "
        "+: {}, ..], a[k * 8 +: {}, ..], out.full; }} }} }} ",
        place, rows, rows);
  };
  CHECK(full_of(program(kOwn, fills("half == 0", 8) + fills("half == 1", 8), 2)) == "1 = 1 warp of loads");
  CHECK(full_of(program(kOwn, fills("cluster_id == 0", 8) + fills("cluster_id == 1", 8))) == "1 = 1 warp of loads");
  CHECK(said(program(kOwn, fills("half == 0", 8) + fills("half == 1", 4), 2)) ==
        "rows 4 .. 8 of `tile` at half = 1 are loaded by nobody; `expect` waits for them [not-loaded]");
  CHECK(said(program(kOwn, fills("cluster_id == 0", 8) + fills("cluster_id == 1", 4))) ==
        "rows 4 .. 8 of `tile` are loaded by nobody; `expect` waits for them [not-loaded]");
  CHECK(said(program(kOwn, fills("half == 0", 8), 2)) ==
        "`full` of `stage` at half = 1 is signalled by nobody [unsignalled]");
}

TEST_CASE("a release of the stage held on and one of the stage held are of two phases") {
  CHECK(empty_of(program("loop k in 0 .. 4 { take inp { wait inp.full; } take inp { wait inp.full; @one arrive "
                         "inp.last.empty; @one arrive inp.empty; } }")) == "3 = 3 warps of takes");
  CHECK(empty_of(program("loop k in 0 .. 4 { take inp { wait inp.full; } take inp { wait inp.full; on (warp >= 0) { "
                         "@one arrive inp.last.empty; } @one arrive inp.empty; } }")) == "3 = 3 warps of takes");
}

TEST_CASE("two releases of stages held on, one after the other, are of two phases") {
  CHECK(empty_of(program("for k in 0 .. 8 { take inp { wait inp.full; } @one arrive inp.last.empty; }")) ==
        "3 = 3 warps of takes");
  CHECK(
      empty_of(program("on (warp == 0) { loop k in 0 .. 8 { take inp { wait inp.full; } @one arrive inp.last.empty; } "
                       "}")) == "1 = 1 warp of takes");
}

TEST_CASE("every phase counts alike") {
  CHECK(said(program("on (warp == 0) { " + kOwn +
                     " } on (warp == 1) { loop k in 0 .. 7 { take inp { wait inp.full; @one arrive inp.empty; } } take "
                     "inp { wait inp.full; arrive inp.empty; } }")) ==
        "the blocks of `inp` signal `empty` 32 times here and 1 times elsewhere: a barrier counts the same in every "
        "phase [signals-differ]");
  CHECK(said(program("loop k in 0 .. 8 { take inp { wait inp.full; when some { @one arrive inp.empty; } else { arrive "
                     "inp.empty; } } }")) ==
        "the branches of this `when` signal the stage of `inp` otherwise: a barrier counts the same in every phase "
        "[signals-differ]");
  const std::string filled = "wait out.empty; sts out.tile[0, lane], x; warpsync; ";
  CHECK(
      said(program(kOwn,
                   "loop k in 0 .. 4 { fill out { " + filled +
                       "on (half == 0) { @one arrive out.full; } } fill out { " + filled +
                       "on (half == 1) { @one arrive out.full; } } }",
                   2)) ==
      "the blocks of `out` signal `full` at half = 0 0 times here and 2 times elsewhere: a barrier counts the same in "
      "every phase [signals-differ]");
}

TEST_CASE("not every block announces bytes") {
  const std::string stored =
      "fill out { wait out.empty; on (warp == 0) { sts out.tile[0, lane], x; warpsync; @one arrive out.full; } } ";
  const Elaborated made = program(kOwn, stored +
                                            "fill out { wait out.empty; @(one && warp == 0) expect out.full; on (warp "
                                            "== 0) { load out.tile, a[0 +: 8, ..], out.full; } }");
  CHECK(full_of(made) == "1 = 1 warp of loads");
  CHECK((made.kernel && made.kernel->pipes[0].full.bytes == 1024));
  const std::string by_both =
      "fill out { wait out.empty; @one expect out.full; load out.tile[warp * 4 +: 4, ..], a[warp * 4 +: 4, ..], "
      "out.full; }";
  CHECK(said(program(kOwn, "fill out { wait out.empty; sts out.tile[0, lane], x; warpsync; @one arrive out.full; } " +
                               by_both)) ==
        "the full barrier of `stage` is expected by 2 warps: one of them is to [expected-twice]");
}

TEST_CASE("a warp releases late what it has taken") {
  CHECK(said(program(
            "loop k in 0 .. 8 { take inp { wait inp.full; } on (warp == 0) { @one arrive inp.last.empty; } }")) ==
        "warp 1 of `takes` takes a stage of `stage` and does not release it: every warp does [warp-silent]");
  CHECK(said(program(
            "loop k in 0 .. 8 { on (warp == 0) { take inp { wait inp.full; } } @one arrive inp.last.empty; }")) ==
        "warp 1 of `takes` holds on to no stage of `stage` here: what a warp releases it has taken itself "
        "[nothing-held]");
}
