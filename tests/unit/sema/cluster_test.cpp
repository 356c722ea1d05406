// Who signals whom: the table of docs/language.md, section 7, in a cluster of two halves by four bands.
#include <doctest/doctest.h>

#include "sema/kernel.h"

using namespace warpcc::kernel;

TEST_CASE("the pipes of a pair GEMM in a cluster of bands") {
  Kernel kernel;
  kernel.axes = {{"half", 2}, {"band", 4}};
  REQUIRE(kernel.cluster_ctas() == 8);
  CHECK(rank(kernel, {1, 2}) == 5);
  CHECK(place(kernel, 5) == std::vector<std::int64_t>{1, 2});
  using Kind = BarrierOperand::Kind;

  Pipe stage;
  stage.to = {{0, 0}};
  stage.across = 1;
  CHECK(holds(kernel, stage, Side::producer, 5));
  CHECK_FALSE(holds(kernel, stage, Side::consumer, 5));
  CHECK(reached(kernel, stage, Kind::empty, 4) == 0xff);  // both halves, all bands
  CHECK(reached(kernel, stage, Kind::full, 5) == 0x10);   // the leader of the pair
  CHECK(reached(kernel, stage, Kind::empty, 5) == 0);     // the odd half consumes nothing
  stage.across.reset();
  CHECK(reached(kernel, stage, Kind::empty, 4) == 0x30);

  Pipe accumulator;
  accumulator.from = {{0, 0}};
  CHECK(reached(kernel, accumulator, Kind::empty, 5) == 0x10);  // the leader
  CHECK(reached(kernel, accumulator, Kind::full, 4) == 0x30);   // both CTAs

  Pipe answer;
  answer.from = {{0, 0}, {1, 0}};
  answer.broadcast = true;
  CHECK(reached(kernel, answer, Kind::empty, 7) == 0x01);  // the first CTA
  CHECK(reached(kernel, answer, Kind::full, 0) == 0xff);   // every CTA

  const Pipe own;
  for (int cta = 0; cta < 8; ++cta) CHECK(reached(kernel, own, Kind::full, cta) == 1u << cta);
}
