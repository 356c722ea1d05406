// What the order of accesses and of phases says of small PTX kernels.
#include <doctest/doctest.h>

#include "ptx_trial.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// Warp 0 waits for the phases of an mbarrier; lane 32 arrives, two phases in step with it, then `ahead` at once.
std::string phases(int ahead) {
  const std::string arrive = "@%p3 mbarrier.arrive.shared::cta.b64 _, [%r2];\n";
  auto wait = [](const std::string& name, const std::string& parity) {
    return name + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], " + parity + ";\n@!%p4 bra " + name + ";\n";
  };
  std::string many;
  for (int i = 0; i < ahead; ++i) many += arrive;
  return "mov.u32 %r2, smem;\nsetp.ge.u32 %p1, %r1, 32;\nsetp.eq.u32 %p2, %r1, 0;\nsetp.eq.u32 %p3, %r1, 32;\n"
         "@%p2 mbarrier.init.shared::cta.b64 [%r2], 1;\nbar.sync 0;\n@%p1 bra ARRIVES;\n" +
         wait("FIRST", "0") + "bar.sync 0;\n" + wait("SECOND", "1") + "bar.sync 0;\nbar.sync 0;\n" +
         wait("THIRD", "0") + "bra END;\nARRIVES:\n" + arrive + "bar.sync 0;\n" + arrive + "bar.sync 0;\n" + many +
         "bar.sync 0;\nEND:";
}

}  // namespace

TEST_CASE("a wait that passes for a later phase of the same parity") {
  PtxTrial right({phases(1)}, 64);
  CHECK(right.run().clean());
  CAPTURE(right.said());
  PtxTrial ahead({phases(3)}, 64);
  ahead.run();
  CAPTURE(ahead.said());
  CHECK(ahead.says("for phase 2, and passes for phase 4, of the same parity: 2 phases have completed that nobody"));
  PtxTrial stuck({phases(2)}, 64);
  stuck.run();
  CAPTURE(stuck.said());
  CHECK(stuck.says("waits at the mbarrier at "));  // and hangs
}

namespace {

// Two multiplications on registers that they share, 8 columns and then 16, and what stands between them.
std::string multiplications(const std::string& between) {
  return "mov.u32 %r2, smem;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r2, %r3;\nmov.u32 %r4, 0;\n"
         "st.shared.u32 [%r3], %r4;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
         "shr.u32 %r9, %r2, 4;\nand.b32 %r9, %r9, 0x3fff;\nor.b32 %r9, %r9, 0x80000;\nmov.u32 %r10, 16;\n"
         "mov.b64 %rd2, {%r9, %r10};\nsetp.ne.u32 %p1, %r1, %r1;\nsetp.eq.u32 %p2, %r1, %r1;\n"
         "wgmma.fence.sync.aligned;\n"
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r4, %r4, %r4}, %rd2, %p1, 1, "
         "1, 0;\n" +
         between +
         "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r4, %r4, %r4, "
         "%r4}, %rd2, %p1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
         "mul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};";
}

}  // namespace

TEST_CASE("wgmma of another shape on the same registers comes behind a fence") {
  PtxTrial without({multiplications(""), "sm_90a"}, 128);
  without.run();
  CAPTURE(without.said());
  CHECK(without.says("computes registers of which a wgmma.mma_async of another shape, or with others beside them"));
  PtxTrial fenced({multiplications("wgmma.fence.sync.aligned;\n"), "sm_90a"}, 128);
  CHECK(fenced.run().clean());
  CAPTURE(fenced.said());
}

namespace {

// B comes by a copy; `wait` stands before it is multiplied.
std::string loaded(const std::string& wait) {
  return "mov.u32 %r2, smem;\nadd.u32 %r3, %r2, 1024;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p2, %r1, 0;\n"
         "@%p2 mbarrier.init.shared::cta.b64 [%r3], 1;\n@%p2 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
         "@!%p2 bra WAIT;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 512, [%r3];\nWAIT:\n" +
         wait +
         "shr.u32 %r9, %r2, 4;\nand.b32 %r9, %r9, 0x3fff;\nor.b32 %r9, %r9, 0x80000;\nmov.u32 %r10, 16;\n"
         "mov.b64 %rd2, {%r9, %r10};\nsetp.ne.u32 %p1, %r1, %r1;\nwgmma.fence.sync.aligned;\n"
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r4, %r4, %r4}, %rd2, %p1, 1, "
         "1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;";
}

}  // namespace

TEST_CASE("a wgmma that reads what has not landed is told to the order as well") {
  PtxTrial right({loaded("mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r3], 0;\n@!%p4 bra WAIT;\n"), "sm_90a"}, 128);
  CHECK(right.run().clean());
  CAPTURE(right.said());
  PtxTrial early({loaded(""), "sm_90a"}, 128);
  early.run();
  CAPTURE(early.said());
  CHECK(early.says("reads B "));
  CHECK(early.says("nothing orders them"));
}

namespace {

std::string allocates(const std::string& before) {
  return "mov.u32 %r2, smem;\n" + before +
         "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r2], 32;\n"
         "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nld.shared.u32 %r3, [%r2];\n"
         "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
         "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r3, 32;";
}

std::string said_of_pair(const std::string& body, bool strict) {
  PtxTrial trial({body});
  trial.launch.grid = trial.launch.cluster = {2, 1, 1};
  Options options;
  options.strict = strict;
  trial.run(options);
  CHECK(trial.ran);
  return trial.said();
}

}  // namespace

TEST_CASE("a pair's allocation before its other CTA has begun, with --strict") {
  const std::string met = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  CHECK(said_of_pair(allocates(""), true)
            .find("allocates tensor memory of a pair before its other CTA is known to have begun") !=
        std::string::npos);
  CHECK(said_of_pair(allocates(""), false) == "");
  CHECK(said_of_pair(allocates(met), true) == "");
}

TEST_CASE("a barrier is initialised for the copy engine that signals it") {
  auto said = [](const std::string& fence) {
    PtxTrial trial(
        {"mov.u32 %r2, smem;\nadd.u32 %r3, %r2, 1024;\nsetp.eq.u32 %p2, %r1, 0;\n@!%p2 bra READY;\n"
         "mbarrier.init.shared::cta.b64 [%r3], 1;\n" +
             fence +
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 512, [%r3];\n"
             "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [%r3], 0;\n@!%p4 bra WAIT;\nREADY:",
         "sm_90a"});
    Options options;
    options.strict = true;
    trial.run(options);
    return trial.said();
  };
  CHECK(said("").find("without a fence after its initialisation") != std::string::npos);
  CHECK(said("fence.mbarrier_init.release.cluster;\n").find("its initialisation") == std::string::npos);
  CHECK(said("fence.proxy.async;\n").find("its initialisation") == std::string::npos);
}
