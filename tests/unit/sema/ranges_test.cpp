// What an index may be, seen through the views that are refused and the kernels that come out.
#include "sema/ranges.h"

#include <doctest/doctest.h>

#include "elaborate.h"
#include "sema/print.h"

using namespace warpcc;

namespace {

sema::Interval of(const sema::Session& session, const kernel::Index& index) {
  return sema::interval(session, index).value();
}

kernel::Index atom(kernel::Atom::Kind kind, std::int32_t id = 0) {
  return {0, {{{kind, id}, 1}}};
}

bool inside(const std::string& coordinate) {
  return elaborate_statements("r x; mov x, 0; sts staging[0][" + coordinate + ", lane], x;").kernel.has_value();
}

}  // namespace

TEST_CASE("intervals: sums and multiples keep bounds and steps") {
  Sources sources;
  Diagnostics diagnostics;
  sema::Session session(sources, diagnostics);
  session.place.warps = 4;
  session.kernel.registers_declared.push_back({.name = "row",
                                               .file = isa::File::ur,
                                               .count = 1,
                                               .range = kernel::Range{0, 1000, 128},
                                               .fragment = {},
                                               .shape = {},
                                               .element = {},
                                               .declared = {}});
  const kernel::Index row = atom(kernel::Atom::Kind::reg), warp = atom(kernel::Atom::Kind::warp),
                      lane = atom(kernel::Atom::Kind::lane);

  CHECK(of(session, row).hi == 896);
  CHECK(of(session, row + warp * 32).hi == 992);
  CHECK(of(session, row + warp * 32).step == 32);
  CHECK(of(session, row * -1).lo == -896);
  CHECK(of(session, row + kernel::Index{4, {}}).multiple_of(4));
  CHECK_FALSE(of(session, row + kernel::Index{2, {}}).multiple_of(4));
  CHECK_FALSE(sema::interval(session, row * (std::int64_t{1} << 60)));

  // lane / 8 is 0 .. 3; warp / 4 is 0; (warp * 32 + lane) / 32 is warp.
  CHECK(of(session, sema::divided(session, lane, 8, false)).hi == 3);
  CHECK(of(session, sema::divided(session, lane, 8, true)).hi == 7);
  CHECK(sema::divided(session, warp, 4, false) == kernel::Index{});
  CHECK(sema::divided(session, warp, 4, true) == warp);
  CHECK(sema::divided(session, warp * 32 + lane, 32, false) == warp);
  CHECK(sema::divided(session, warp * 32 + lane, 32, true) == lane);

  using Is = kernel::Compare::Is;
  CHECK(sema::decide(session, {lane, Is::lt, 32}) == true);
  CHECK(sema::decide(session, {lane, Is::eq, 32}) == false);
  CHECK(sema::decide(session, {lane * 4, Is::ne, 6}) == true);
  CHECK_FALSE(sema::decide(session, {lane, Is::gt, 30}));
}

TEST_CASE("views lie inside for every value of the ranges") {
  CHECK(inside("7"));
  CHECK_FALSE(inside("8"));
  CHECK_FALSE(inside("-1"));
  CHECK(inside("half * 4 + warp"));
  CHECK_FALSE(inside("half * 8"));
  CHECK(inside("lane / 4"));
  CHECK_FALSE(inside("lane / 3"));
  CHECK(inside("lane % 8"));
  CHECK_FALSE(inside("lane % 9"));
  CHECK(inside("7 - lane / 4"));
  CHECK_FALSE(inside("lane * 0x4000000000000000"));
}

TEST_CASE("loops: whether they run, as the ranges prove") {
  auto text = [](const std::string& statements) {
    const Elaborated result = elaborate_statements(statements);
    REQUIRE(result.kernel);
    return kernel::text(*result.kernel);
  };
  CHECK(text("loop k in 0 .. 3 { warpsync; }").find("loop k in 0 .. 3 by 1\n") != std::string::npos);
  CHECK(text("loop k in 3 .. 3 { warpsync; }").find("loop k") == std::string::npos);
  CHECK(text("ur n: 0 .. 4; umov n, 2; loop k in 0 .. n { warpsync; }").find("(may not run)") != std::string::npos);
  CHECK(text("ur n: 1 .. 4; umov n, 2; loop k in 0 .. n { warpsync; }").find("(may not run)") == std::string::npos);
}
