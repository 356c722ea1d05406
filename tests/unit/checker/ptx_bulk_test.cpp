// PTX kernels that reduce by bulk copies.
#include <doctest/doctest.h>

#include <string>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// Shared memory holds 32 words of 3 from its start on; `then` comes after.
std::string threes(const std::string& then) {
  return "mov.u32 %r2, smem;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\nmov.u32 %r5, 3;\nst.shared.u32 [%r4], "
         "%r5;\nsetp.ne.u32 %p1, %r1, 0;\nmov.u32 %r6, %ctaid.x;\nsetp.eq.u32 %p2, %r6, 0;\n"
         "fence.proxy.async;\nbar.warp.sync -1;\n" +
         then;
}

std::string reduce(const char* operation) {
  return std::string("@%p1 bra REDUCED;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.") + operation +
         " [%rd1], [%r2], 128;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nREDUCED:\n";
}

// By two CTAs.
std::string said_of(const std::string& body, std::uint32_t* first = nullptr) {
  PtxTrial trial({.body = threes(body), .target = "sm_90a"});
  trial.launch.grid = {2, 1, 1};
  trial.run();
  REQUIRE_MESSAGE(trial.ran, trial.said());
  if (first != nullptr) *first = trial.word(5);
  return trial.said();
}

}  // namespace

TEST_CASE("bulk reductions of several CTAs, and atomics, do not disturb each other") {
  std::uint32_t value = 0;
  CHECK(said_of(reduce("add.u32"), &value) == "");
  CHECK(value == 5 + 2 * 3);
  CHECK(said_of(reduce("min.u32"), &value) == "");
  CHECK(value == 3);
  // Each lane adds to its word too.
  CHECK(said_of(
            "cvt.u64.u32 %rd2, %r3;\nadd.u64 %rd2, %rd1, %rd2;\nred.global.add.u32 [%rd2], 100;\n" + reduce("add.u32"),
            &value) == "");
  CHECK(value == 5 + 200 + 2 * 3);
  CHECK(said_of("cvt.u64.u32 %rd2, %r3;\nadd.u64 %rd2, %rd1, %rd2;\nmov.f32 %f1, 0f00000000;\n"
                "red.global.add.f32 [%rd2], %f1;\n" +
                reduce("add.f32")) == "");
}

TEST_CASE("a bulk reduction and a plain access of another CTA are a race") {
  for (const char* plain : {"@%p2 st.global.u32 [%rd1+20], 7;\n", "@%p2 ld.global.u32 %r7, [%rd1+20];\n"})
    CHECK(said_of(plain + reduce("add.u32")).find("nothing orders them") != std::string::npos);
  // Sums of floats and exchanges do not commute.
  CHECK(said_of("@%p2 atom.global.exch.b32 %r7, [%rd1+20], 7;\n" + reduce("add.f32")).find("nothing orders them") !=
        std::string::npos);
}

TEST_CASE("a bulk reduction into shared memory tells its mbarrier") {
  const std::string body =
      "add.u32 %r9, %r2, 512;\nadd.u32 %r8, %r2, 1024;\nadd.u32 %r7, %r8, %r3;\n@%p3 bra FILLED;\n"
      "st.shared.u32 [%r7], %r3;\nFILLED:\n@!%p1 mbarrier.init.shared.b64 [%r9], 1;\nfence.proxy.async;\n"
      "fence.mbarrier_init.release.cluster;\nbar.warp.sync -1;\n@%p1 bra WAIT;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 128;\n"
      "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r8], [%r2], 128, "
      "[%r9];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [%r9], 0;\n@!%p4 bra WAIT;\n"
      "ld.shared.u32 %r10, [%r7];\ncvt.u64.u32 %rd2, %r3;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r10;\n";
  PtxTrial trial({.body = threes("setp.ne.u32 %p3, %r1, %r1;\n" + body), .target = "sm_90a"});
  REQUIRE_MESSAGE(trial.run().clean(), trial.said());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(trial.word(i) == 4 * i + 3);
  PtxTrial unwritten({.body = threes("setp.eq.u32 %p3, %r1, %r1;\n" + body), .target = "sm_90a"});
  CHECK(unwritten.run().says("reduces into shared memory at 0x800, which nothing has written"));
}
