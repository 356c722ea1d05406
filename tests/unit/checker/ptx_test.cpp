// PTX kernels on the machine: what they leave in memory, and what is said of those that are wrong.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

struct Trial : PtxTrial {
  explicit Trial(const std::string& body, std::uint32_t threads = 32, std::uint32_t grid = 1, std::uint32_t cluster = 1,
                 std::optional<TensorMapFields> map = {})
      : PtxTrial({.body = body, .target = "sm_90a", .map = map}, threads) {
    launch.grid = {grid, 1, 1};
    launch.cluster = {cluster, 1, 1};
  }
};

}  // namespace

TEST_CASE("lanes part and meet again") {
  // Every lane counts down from its index, then all add their sums by shuffles.
  Trial trial(
      "mov.u32 %r2, %r1;\nmov.u32 %r3, 0;\nLOOP:\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nadd.u32 %r3, %r3, %r2;\n"
      "sub.u32 %r2, %r2, 1;\nbra LOOP;\nDONE:\nmov.u32 %r4, 16;\nSUM:\nshfl.sync.bfly.b32 %r5, %r3, %r4, 31, "
      "0xffffffff;\n"
      "add.u32 %r3, %r3, %r5;\nshr.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra SUM;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;");
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  for (std::uint32_t lane : {0u, 7u, 31u}) CHECK(trial.word(lane) == 5456);  // the sum of i (i + 1) / 2 below 32
}

TEST_CASE("arithmetic of all widths") {
  Trial trial(
      "mov.u32 %r2, 0xfffffff9;\nmov.u32 %r3, 2;\ndiv.s32 %r4, %r2, %r3;\nst.global.u32 [%rd1], %r4;\n"
      "rem.s32 %r4, %r2, %r3;\nst.global.u32 [%rd1+4], %r4;\nmul.hi.u32 %r4, %r2, %r2;\nst.global.u32 [%rd1+8], %r4;\n"
      "bfe.s32 %r4, %r2, 4, 8;\nst.global.u32 [%rd1+12], %r4;\nprmt.b32 %r4, %r2, %r3, 0x5410;\nst.global.u32 "
      "[%rd1+16], %r4;\n"
      "shr.s32 %r4, %r2, 40;\nst.global.u32 [%rd1+20], %r4;\nmov.b64 %rd4, {%r2, %r3};\nshr.u64 %rd4, %rd4, "
      "31;\ncvt.u32.u64 %r4, %rd4;\nst.global.u32 [%rd1+24], %r4;\n"
      "cvt.rn.f16.f32 %h1, 0f3FC00000;\nadd.f16 %h2, %h1, %h1;\ncvt.f32.f16 %f1, %h2;\ncvt.rzi.s32.f32 %r4, "
      "%f1;\nst.global.u32 [%rd1+28], %r4;\n"
      "lop3.b32 %r4, %r2, %r3, 0xff, 0x96;\nst.global.u32 [%rd1+32], %r4;\nselp.b32 %r4, 5, 6, %p1;\nst.global.u32 "
      "[%rd1+36], %r4;\n"
      "bfi.b32 %r4, %r3, %r2, 8, 4;\nst.global.u32 [%rd1+40], %r4;\nclz.b32 %r4, %r3;\nst.global.u32 [%rd1+44], %r4;\n"
      "cvt.s32.s8 %r4, %r2;\nst.global.u32 [%rd1+48], %r4;\nmov.u32 %r5, 200;\ncvt.sat.s8.s32 %r4, %r5;\nst.global.u32 "
      "[%rd1+52], %r4;");
  trial.launch.block = {1, 1, 1};
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  const std::uint32_t expected[] = {
      0xfffffffd, 0xffffffff, 0xfffffff2, 0xffffffff, 0x0002fff9, 0xffffffff, 5, 3, 0xfffffff9 ^ 2 ^ 0xff,
      6,          0xfffff2f9, 30,         0xfffffff9, 127};
  for (std::uint32_t i = 0; i < std::size(expected); ++i) CHECK_MESSAGE(trial.word(i) == expected[i], i);
}

TEST_CASE("a box of a tensor map, swizzled, behind an mbarrier, and back") {
  // 64 rows of 128 bytes: 16 of 16 words; the box is 8 rows.
  TensorMapFields map;
  map.element_bytes = 4;
  map.extents = {32, 20};
  map.strides = {128};
  map.box = {32, 8};
  map.swizzle_span = 128;
  Trial trial(
      "setp.ne.u32 %p1, %r1, 0;\nmov.u32 %r2, smem;\nadd.u32 %r3, %r2, 16384;\n@%p1 bra WAIT;\n"
      "mbarrier.init.shared::cta.b64 [%r3], 1;\nfence.mbarrier_init.release.cluster;\n"
      "mov.u64 %rd2, map;\ncvta.param.u64 %rd3, %rd2;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd3, {0, 16}], "
      "[%r3];\n"
      "WAIT:\nbar.warp.sync 0xffffffff;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra "
      "AGAIN;\n"
      // Row 1, chunk 0 of the box lies in chunk 1 of its row.
      "ld.shared.u32 %r4, [%r2+144];\n@%p1 bra END;\nst.global.u32 [%rd1+8192], %r4;\n"
      "ld.shared.u32 %r5, [%r2+512];\nst.global.u32 [%rd1+8196], %r5;\n"
      "fence.proxy.async.shared::cta;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {0, 0}], "
      "[%r2];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:",
      32, 1, 1, map);
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  CHECK(trial.word(2048) == 17 * 32);
  CHECK(trial.word(2049) == 0);  // row 20 is outside: zeros
  CHECK(trial.word(33) == 17 * 32 + 1);
}

TEST_CASE("CTAs of a cluster reach each other's shared memory") {
  Trial trial(
      "mov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, smem;\nadd.u32 %r4, %r2, 7;\nst.shared.u32 [%r3], %r4;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nxor.b32 %r5, %r2, 1;\nmapa.shared::cluster.u32 "
      "%r6, %r3, %r5;\n"
      "ld.shared::cluster.u32 %r7, [%r6];\nmov.u32 %r8, %ctaid.x;\nmul.wide.u32 %rd2, %r8, 4;\nadd.u64 %rd3, %rd1, "
      "%rd2;\nst.global.u32 [%rd3], %r7;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
      32, 4, 2);
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  CHECK(trial.word(0) == 8);
  CHECK(trial.word(1) == 7);
  CHECK(trial.word(2) == 8);
}

TEST_CASE("matrices of 8 by 8 go to shared memory and come back transposed") {
  Trial trial(
      "mov.u32 %r2, smem;\nand.b32 %r3, %r1, 7;\nshl.b32 %r4, %r3, 4;\nadd.u32 %r5, %r2, %r4;\nshl.b32 %r6, %r1, "
      "17;\nshl.b32 %r7, %r1, 1;\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, 0x10000;\n"
      "stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [%r5], {%r6};\n"
      "ldmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 {%r8}, [%r5];\n"
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r8;");
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  CHECK(trial.word(0) == (8u << 16 | 0u));  // (0, 0) and (1, 0): element i is 8 · row + column
  CHECK(trial.word(31) == (63u << 16 | 55u));
}

TEST_CASE("what is wrong is said") {
  Trial outside("mov.u64 %rd2, 4;\nld.global.u32 %r2, [%rd2];");
  outside.run();
  CHECK(outside.outcome.memory_problems > 0);

  Trial unwritten("ld.global.u32 %r2, [%rd1+8192];");
  unwritten.run();
  CHECK(unwritten.says("nothing has written"));

  Trial hang(
      "mov.u32 %r2, smem;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [%r2], 2;\nbar.sync 0;\n"
      "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r2];\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], "
      "0;\n@!%p2 bra AGAIN;");
  hang.run();
  CHECK(hang.outcome.hangs == 1);
  CHECK_MESSAGE(hang.says("1 of 2 arrivals to come"), hang.said());

  Trial unknown("mov.u32 %r2, 0;\nvadd4.u32.u32.u32 %r2, %r2, %r2, %r2;");
  unknown.run();
  CHECK(!unknown.ran);
  CHECK(unknown.says("the machine has no `vadd4"));

  Trial huge("");
  huge.launch.block = {2048, 1, 1};
  huge.run();
  CHECK(huge.says("1024 are the most"));
}

TEST_CASE("a tensor map outlives what CUTLASS clears in it") {
  TensorMapFields map;
  map.address = 0x10'0000'2000;
  map.extents = {64, 64};
  map.strides = {128};
  map.box = {64, 64};
  auto bytes = encode(map);
  bytes[10] &= 0xdf;  // bit 21 of the second word
  auto read = decode_tensor_map(bytes);
  REQUIRE(read);
  CHECK(read->address == map.address);
  CHECK(read->box == map.box);
}

TEST_CASE("a dependent launch may reach what the grid before has left alone") {
  Trial trial(
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];\n"
      "st.global.u32 [%rd2+8192], %r2;");
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  const std::uint64_t other = trial.device.memory().allocate(4096 * 4);
  trial.device.memory().mark_written(other, 4096 * 4);
  trial.launch.dependent = true;
  std::memcpy(trial.launch.params[0].data(), &other, 8);
  trial.run();
  CHECK_MESSAGE(trial.clean(), trial.said());
  trial.run();  // now the grid before has written there
  CHECK(trial.outcome.protocol_problems > 0);
}

namespace {

// Three launches, the last two of which begin early: the first and the last add to the same words, the one between to
// others, and does `between` before.
std::string said_of_chain(const std::string& between, const std::string& load = "ld.global.u32", bool strict = false) {
  const std::string text = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n";
  const std::string adds = load + " %r2, [%rd2];\nst.global.u32 [%rd2+8192], %r2;\n";
  Trial first(text + adds), second(text + between + adds), third(text + "griddepcontrol.wait;\n" + adds);
  Options options;
  options.strict = strict;
  first.run(options);
  const std::uint64_t other = first.device.memory().allocate(4096 * 4);
  first.device.memory().mark_written(other, 4096 * 4);
  for (Trial* each : {&second, &third}) {
    each->launch.dependent = true;
    each->launch.params = first.launch.params;
    if (each == &second) std::memcpy(each->launch.params[0].data(), &other, 8);
    REQUIRE(first.device.launch(each->launch, options, first.outcome, first.diagnostics));
  }
  return first.said();
}

}  // namespace

TEST_CASE("a launch that has waited knows of the grids that the one before has waited for") {
  CHECK(said_of_chain("griddepcontrol.wait;\n") == "");
  CHECK(said_of_chain("").find("reaches global memory that launch 1 has written: launch 2, which this one has waited "
                               "for, may end before it") != std::string::npos);
}

TEST_CASE("what a grid before writes is not read by .nc, with --strict") {
  const char* const wait = "griddepcontrol.wait;\n";
  CHECK(said_of_chain(wait, "ld.global.nc.u32") == "");
  CHECK(said_of_chain(wait, "ld.global.u32", true) == "");
  // The last launch is an ordinary one after the next before, which has waited.
  CHECK(said_of_chain("", "ld.global.nc.u32", true).find("reads by .nc what launch 1 has written") !=
        std::string::npos);
}
