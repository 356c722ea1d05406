// The parts by themselves: sums of symbols, addresses from layouts, who reaches whom, names.
#include <doctest/doctest.h>

#include "build.h"
#include "codegen/address.h"
#include "codegen/cluster.h"
#include "codegen/names.h"

using namespace warpcc;
using namespace warpcc::codegen;

namespace {

constexpr Symbol kLaneOf{Symbol::Kind::lane, 0};
constexpr Symbol kWarpOf{Symbol::Kind::warp, 0};
constexpr Symbol kCounter{Symbol::Kind::counter, 0};

kernel::Kernel cluster(int halves, int bands) {
  test::Builder b("cluster");
  b.kernel.axes = {{"half", halves}, {"band", bands}};
  return std::move(b.kernel);
}

}  // namespace

TEST_CASE("a form keeps each symbol once, and none with factor 0") {
  Form form = form_of(kCounter, 64) + form_of(kLaneOf, 4) + form_of(8);
  CHECK(form.factor_of(kCounter) == 64);
  CHECK(form.terms.front().first == kLaneOf);
  form = form + form_of(kLaneOf, -4);
  CHECK(form.terms.size() == 1);
  CHECK(form * 2 == form_of(kCounter, 128) + form_of(16));
  CHECK(form * 0 == Form{});
  CHECK(substitute(form, kCounter, form_of(kWarpOf, 2) + form_of(-1)) == form_of(kWarpOf, 128) + form_of(8 - 64));
}

TEST_CASE("an address is the layout at forms: strides, copies, elements") {
  kernel::Kernel gemm = test::gemm({});
  Diagnostics diagnostics;
  auto memory = place_memory(gemm, diagnostics);
  REQUIRE(memory);
  Addresses addresses(gemm, *memory);
  addresses.role_of(4);
  Reference staging;
  staging.buffer = kernel::BufferId{5};
  staging.copies = {form_of(kWarpOf), form_of(1)};
  staging.coordinates = {{form_of(3), 1, true}, {form_of(kLaneOf), 1, true}};
  CHECK(addresses.of(staging) ==
        form_of(memory->buffers[5].place + 1024 + 3 * 128) + form_of(kWarpOf, 2048) + form_of(kLaneOf, 4));
}

TEST_CASE("an address over a coordinate of two modes is a sum only where no carry crosses") {
  test::Builder b("halves");
  // 64 rows; 128 columns, the second half 64 lanes further down.
  b.buffer("acc", kernel::MemorySpace::tensor, {}, layout::Element::f32, {64, 128},
           {{{64, 0x10000}}, {{64, 1}, {2, 64 * 0x10000}}});
  b.counter("k", 4);
  Diagnostics diagnostics;
  auto memory = place_memory(b.kernel, diagnostics);
  REQUIRE(memory);
  CHECK(memory->allocated_columns == 64);
  Addresses addresses(b.kernel, *memory);
  Reference acc;
  acc.buffer = kernel::BufferId{0};
  auto at = [&](Form column) {
    acc.coordinates = {{Form{}, 32, false}, {std::move(column), 16, false}};
    return addresses.of(acc);
  };
  CHECK(at(form_of(80)) == form_of(64 * 0x10000 + 16));
  CHECK(at(form_of(kCounter, 16)) == form_of(kCounter, 16));            // stays below 64
  CHECK(at(form_of(kCounter, 64)) == form_of(kCounter, 64 * 0x10000));  // whole steps of the second mode
  CHECK(!at(form_of(kCounter, 32)));                                    // 0, 32, 64, 96: crosses
  CHECK(!at(form_of(kCounter, 16) + form_of(32)));
}

TEST_CASE("whom signals reach in a cluster of pairs") {
  kernel::Kernel gemm = cluster(2, 2);
  kernel::Pipe stage;
  stage.depth = 4;
  stage.to = {{0, 0}};
  stage.across = 1;
  using Kind = kernel::BarrierOperand::Kind;
  std::vector<int> all = running(gemm, {}, {}), leaders = running(gemm, {{0, 0}}, {});
  CHECK(all == std::vector{0, 1, 2, 3});
  CHECK(leaders == std::vector{0, 2});
  Reach full = reach(gemm, stage, Kind::full, all);
  CHECK(full.kind == Reach::Kind::other);
  REQUIRE(full.at.size() == 1);
  CHECK(full.at[0].axis == 0);
  CHECK(full.at[0].at == 0);
  kernel::Facts leader;
  leader.compares = {test::compare(test::of(kernel::Atom::Kind::axis), kernel::Compare::Is::eq, 0)};
  CHECK(reach(gemm, stage, Kind::full, running(gemm, {}, leader)).kind == Reach::Kind::own);
  CHECK(reach(gemm, stage, Kind::empty, leaders).kind == Reach::Kind::several);

  Mask empty = mask_of(gemm, stage, Kind::empty, leaders);
  CHECK(empty.constant == 0xf);
  CHECK(empty.shift.is_constant());
  CHECK(!empty.only_own);

  kernel::Pipe accumulator;
  accumulator.from = {{0, 0}};
  Mask pair = mask_of(gemm, accumulator, Kind::full, leaders);
  CHECK(pair.constant == 0x3);
  CHECK(pair.by_rank);

  Mask bands = mask_across(gemm, 1, all);
  CHECK(bands.constant == 0x5);
  CHECK(!bands.by_rank);
  CHECK(bands.shift == form_of(Symbol{Symbol::Kind::axis, 0}));
}

TEST_CASE("a commit of one CTA to itself needs no mask") {
  kernel::Kernel alone = cluster(1, 1);
  CHECK(mask_of(alone, kernel::Pipe{}, kernel::BarrierOperand::Kind::empty, {0}).only_own);
}

TEST_CASE("names are shared between roles, never within one, and never a register's") {
  sass::Program program;
  Names names(program);
  names.reserve("lane");
  auto name = [&](Reg reg) { return program[reg.value].name; };
  Reg first = names.make("row", kUniform), second = names.make("row", kUniform);
  CHECK(name(first) == "row");
  CHECK(name(second) == "row_1");
  CHECK(name(names.make("R4", kLane)) == "R4_");
  CHECK(name(names.make("lane", kLane)) == "lane_1");
  CHECK(name(names.make("lane", kLane, true)) == "lane");
  names.next_role();
  CHECK(names.make("row", kUniform) == first);
  CHECK(name(names.make("row", kLane)) == "row_2");  // of another file: another value
  ValueKind ranged = kUniform;
  ranged.range = {0, 8, 1};
  CHECK(name(names.make("row", ranged)) == "row_3");
}
