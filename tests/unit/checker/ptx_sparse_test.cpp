// PTX kernels that multiply sparse matrices, and matrices in fragments. What they leave is worked out by hand from the
// PTX ISA.
#include <doctest/doctest.h>

#include <string>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// A is of ones; B[k, n] = k, of 32 k. Of the first four chunks of each row elements 0 and 1 are stored, and 0 and 2 of
// the last four; of rows 8 .. 15 of each sixteen 2 and 3, then 1 and 2. A row of D is the sum of their k.
constexpr std::uint32_t kUpper = (1 + 9 + 17 + 25) + (16 + 18 + 20 + 22 + 24 + 26 + 28 + 30),
                        kLower = (5 + 13 + 21 + 29) + (17 + 18 + 21 + 22 + 25 + 26 + 29 + 30);

// %r10 .. %r13: of B what a lane of mma.m16n8k32 has.
const std::string kRegistersOfB = [] {
  std::string text = "and.b32 %r3, %r1, 3;\nshl.b32 %r3, %r3, 1;\n";
  for (int i = 0; i < 4; ++i) {
    text += "cvt.rn.f16.u32 %h1, %r3;\nadd.u32 %r4, %r3, 1;\ncvt.rn.f16.u32 %h2, %r4;\nmov.b32 %r" +
            std::to_string(10 + i) + ", {%h1, %h2};\nadd.u32 %r3, %r3, 8;\n";
  }
  return text;
}();

// %r5: the chunks, in lanes `first` and the next of each four; elsewhere others.
std::string chunks(int first) {
  return "and.b32 %r6, %r1, 3;\nmov.u32 %r5, 0x44444444;\nsetp.eq.u32 %p2, %r6, " + std::to_string(first) +
         ";\n@%p2 mov.u32 %r5, 0xeeee4444;\nsetp.eq.u32 %p2, %r6, " + std::to_string(first + 1) +
         ";\n@%p2 mov.u32 %r5, 0x99998888;\n";
}

// Floats %f1 .. %f4 of each thread, as whole numbers, from byte 12288 on.
const std::string kShowFloats =
    "cvt.rzi.u32.f32 %r20, %f1;\ncvt.rzi.u32.f32 %r21, %f2;\ncvt.rzi.u32.f32 %r22, %f3;\ncvt.rzi.u32.f32 %r23, %f4;\n"
    "shl.b32 %r15, %r1, 4;\ncvt.u64.u32 %rd4, %r15;\nadd.u64 %rd4, %rd1, %rd4;\n"
    "st.global.v4.u32 [%rd4+12288], {%r20, %r21, %r22, %r23};\n";

void check_floats(PtxTrial& trial, std::uint32_t threads) {
  REQUIRE_MESSAGE(trial.run().clean(), trial.said());
  for (std::uint32_t i = 0; i < 4 * threads; ++i) CHECK(trial.word(3072 + i) == (i % 4 < 2 ? kUpper : kLower));
}

// B of 8 columns and 32 k in shared memory from byte 1024 on, groups of 8 × 8 one after the other; by 128 threads.
const std::string kSharedB =
    "shr.u32 %r3, %r1, 5;\nshl.b32 %r3, %r3, 3;\nand.b32 %r4, %r1, 3;\nshl.b32 %r4, %r4, 1;\nadd.u32 %r3, %r3, %r4;\n"
    "cvt.rn.f16.u32 %h1, %r3;\nadd.u32 %r3, %r3, 1;\ncvt.rn.f16.u32 %h2, %r3;\nmov.u32 %r2, smem;\n"
    "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r2;\nst.shared.v2.b16 [%r4+1024], {%h1, %h2};\n"
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n";

}  // namespace

TEST_CASE("mma.sp: a lane pair tells where the stored elements lie") {
  for (int selector : {0, 1}) {
    PtxTrial trial(
        {.body = kRegistersOfB + chunks(2 * selector) +
                 "mov.u32 %r7, 0x3c003c00;\nmov.f32 %f5, 0f00000000;\n"
                 "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                 "{%r7, %r7, %r7, %r7}, {%r10, %r11, %r12, %r13}, {%f5, %f5, %f5, %f5}, %r5, " +
                 std::to_string(selector) + ";\n" + kShowFloats,
         .target = "sm_90a"},
        32, Words::kZeros);
    check_floats(trial, 32);
  }
}

TEST_CASE("mma.sp: one lane of four tells of 16 k, all of 64") {
  // 16 k: rows 0 .. 7 have elements 0 and 1, the others 2 and 3, of chunks of four.
  PtxTrial narrow(
      {.body = kRegistersOfB +
               "and.b32 %r6, %r1, 3;\nsetp.eq.u32 %p2, %r6, 3;\nselp.b32 %r5, 0xeeee4444, 0x99999999, %p2;\n"
               "mov.u32 %r7, 0x3c003c00;\nmov.f32 %f5, 0f00000000;\n"
               "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r7, %r7}, "
               "{%r10, %r11}, {%f5, %f5, %f5, %f5}, %r5, 3;\n" +
               kShowFloats,
       .target = "sm_90a"},
      32, Words::kZeros);
  REQUIRE_MESSAGE(narrow.run().clean(), narrow.said());
  for (std::uint32_t i = 0; i < 128; ++i)
    CHECK(narrow.word(3072 + i) == (i % 4 < 2 ? 1u + 9 + 17 + 25 : 5u + 13 + 21 + 29));
  // 64 k of bytes, B[k, n] = k: rows 0 .. 7 by lanes 0 and 2, the others by 1 and 3.
  std::string body =
      "and.b32 %r3, %r1, 3;\nshl.b32 %r3, %r3, 2;\nmul.lo.u32 %r4, %r3, 0x01010101;\n"
      "add.u32 %r10, %r4, 0x03020100;\nadd.u32 %r11, %r10, 0x10101010;\nadd.u32 %r12, %r11, 0x10101010;\n"
      "add.u32 %r13, %r12, 0x10101010;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
      "selp.b32 %r5, 0x44444444, 0xeeeeeeee, %p2;\nmov.u32 %r7, 0x01010101;\nmov.u32 %r8, 0;\n"
      "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r20, %r21, %r22, %r23}, {%r7, %r7, %r7, %r7}, "
      "{%r10, %r11, %r12, %r13}, {%r8, %r8, %r8, %r8}, %r5, 0;\n";
  PtxTrial wide({.body = body + kShowFloats.substr(kShowFloats.find("shl.b32 %r15")), .target = "sm_90a"}, 32,
                Words::kZeros);
  REQUIRE_MESSAGE(wide.run().clean(), wide.said());
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(wide.word(3072 + i) == (i % 4 < 2 ? 976 : 1040));
}

TEST_CASE("wgmma.mma_async.sp") {
  for (int selector : {0, 1}) {
    PtxTrial trial(
        {.body = kSharedB + chunks(2 * selector) +
                 "mov.u32 %r7, 0x3c003c00;\nadd.u32 %r8, %r2, 1024;\nshr.u32 %r8, %r8, 4;\n"
                 "or.b32 %r8, %r8, 0x80000;\nmov.u32 %r9, 0;\nmov.b64 %rd2, {%r8, %r9};\n"
                 "setp.ne.u32 %p3, %r9, 0;\nwgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r7, %r7, %r7, %r7}, "
                 "%rd2, %r5, " +
                 std::to_string(selector) +
                 ", %p3, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + kShowFloats,
         .target = "sm_90a"},
        128, Words::kZeros);
    check_floats(trial, 128);
  }
}

namespace {

// Columns 0 .. of tensor memory are %r16's; `filled` fills them, then thread 0 issues `work` and commits to the
// mbarrier at %r9. Afterwards each thread shows columns 0, 1, 2 and 3 of its lane, in %r20 .. %r23.
std::string with_tensor_memory(const std::string& filled, const std::string& work, const std::string& show) {
  return "mov.u32 %r2, smem;\nadd.u32 %r9, %r2, 512;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.lt.u32 %p4, %r1, 32;\n"
         "@!%p1 mbarrier.init.shared.b64 [%r9], 1;\nfence.mbarrier_init.release.cluster;\n@!%p4 bra ALLOCATED;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 64;\nALLOCATED:\nbar.sync 0;\n"
         "ld.shared.u32 %r16, [%r2];\nand.b32 %r14, %r1, 96;\nshl.b32 %r14, %r14, 16;\nadd.u32 %r14, %r14, %r16;\n" +
         filled +
         "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n@%p1 bra ISSUED;\n"
         "tcgen05.fence::after_thread_sync;\n" +
         work +
         "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r9];\nISSUED:\nbar.warp.sync -1;\n"
         "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra WAIT;\n"
         "tcgen05.fence::after_thread_sync;\n"
         "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r20, %r21, %r22, %r23}, [%r14];\ntcgen05.wait::ld.sync.aligned;\n" +
         show +
         "shl.b32 %r15, %r1, 4;\ncvt.u64.u32 %rd4, %r15;\nadd.u64 %rd4, %rd1, %rd4;\n"
         "st.global.v4.u32 [%rd4+8192], {%r20, %r21, %r22, %r23};\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
         "@!%p4 ret;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r16, 64;\n";
}

// A of ones in shared memory from byte 2048 on: 128 rows of 16 that are stored.
const std::string kSharedA =
    "mov.u32 %r7, 0x3c003c00;\nshl.b32 %r4, %r1, 5;\nadd.u32 %r4, %r4, %r2;\n"
    "st.shared.v4.u32 [%r4+2048], {%r7, %r7, %r7, %r7};\nst.shared.v4.u32 [%r4+2064], {%r7, %r7, %r7, %r7};\n";

}  // namespace

TEST_CASE("tcgen05.mma.sp: what lies where stands in tensor memory, in the column that the selector says") {
  // Lanes of the first eight of each sixteen have k of 0 .. 15, the others the rest.
  const std::string filled =
      "and.b32 %r6, %r1, 8;\nsetp.eq.u32 %p3, %r6, 0;\n"
      "selp.b32 %r5, 0xeeee4444, 0x99998888, %p3;\nmov.u32 %r6, 0x44444444;\n"
      "add.u32 %r17, %r14, 32;\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%r17], {COLUMNS};\n" +
      kSharedA + kSharedB;
  const std::string work =
      "add.u32 %r10, %r2, 2048;\nshr.u32 %r10, %r10, 4;\nor.b32 %r10, %r10, 0x80000;\nmov.u32 %r12, 0x4010;\n"
      "mov.b64 %rd10, {%r10, %r12};\nadd.u32 %r11, %r2, 1024;\nshr.u32 %r11, %r11, 4;\nor.b32 %r11, %r11, 0x80000;\n"
      "mov.b64 %rd11, {%r11, %r12};\nadd.u32 %r17, %r16, 32;\nsetp.ne.u32 %p5, %r1, 0;\nmov.u32 %r13, IDESC;\n"
      "tcgen05.mma.sp.cta_group::1.kind::f16 [%r16], %rd10, %rd11, [%r17], %r13, %p5;\n";
  auto text = [&](const char* columns, const char* descriptor) {
    std::string body = with_tensor_memory(
        filled, work,
        "mov.b32 %f1, %r20;\ncvt.rzi.u32.f32 %r20, %f1;\nmov.b32 %f1, %r21;\ncvt.rzi.u32.f32 %r21, %f1;\n"
        "mov.b32 %f1, %r22;\ncvt.rzi.u32.f32 %r22, %f1;\nmov.b32 %f1, %r23;\ncvt.rzi.u32.f32 %r23, %f1;\n");
    body.replace(body.find("COLUMNS"), 7, columns);
    body.replace(body.find("IDESC"), 5, descriptor);
    return PtxText{.body = body};
  };
  const std::pair<const char*, const char*> kCases[] = {{"%r5, %r6", "0x08020014"}, {"%r6, %r5", "0x08020015"}};
  for (const auto& [columns, descriptor] : kCases) {
    PtxTrial trial(text(columns, descriptor), 128, Words::kZeros);
    REQUIRE_MESSAGE(trial.run().clean(), trial.said());
    for (std::uint32_t i = 0; i < 512; ++i) CHECK(trial.word(2048 + i) == (i / 4 % 16 < 8 ? kUpper : kLower));
  }
  // A descriptor of a dense A, or a selector of a third column, is none of this instruction.
  for (const char* descriptor : {"0x08020010", "0x08020016"})
    CHECK(PtxTrial(text("%r5, %r6", descriptor), 128, Words::kZeros).run().says("is no MMA of one CTA"));
  // What nothing has written.
  PtxText unwritten = text("%r5, %r6", "0x08020014");
  unwritten.body.replace(unwritten.body.find("%r14, 32"), 8, "%r14, 48");
  CHECK(PtxTrial(unwritten, 128, Words::kZeros).run().says("reads what lies where in A from column 32"));
}

TEST_CASE("tcgen05.mma.sp of bytes and of 32 bits") {
  struct Case {
    const char *kind, *descriptor;
    const char *a, *b;           // %r7: four bytes of A; %r8: word t of B, of groups of eight columns and 16 bytes of k
    const char* columns;         // %r5, %r6: of the metadata
    std::uint32_t upper, lower;  // of rows 0 .. 7 of each sixteen, of 8 .. 15
  };
  const Case kCases[] = {
      // B is 1, 2, 4, 8 and so on: of the first eight chunks 0 and 1 are stored, then 2 and 3; in lanes 8 .. 15 of each
      // sixteen, which are these rows, 1 and 2, then 0 and 1.
      {"f8f6f4", "0x08020014", "mov.u32 %r7, 0x38383838;\n", "mov.u32 %r8, 0x50484038;\n",
       "selp.b32 %r5, 0x44444444, 0x99999999, %p3;\nselp.b32 %r6, 0xeeeeeeee, 0x44444444, %p3;\n", 8 * 3 + 8 * 12,
       8 * 6 + 8 * 3},
      // B[k, n] = k: of each two the first or the second; of k of 8 .. 15 the first.
      {"tf32", "0x08020914", "mov.u32 %r7, 0x3f800000;\n",
       "shr.u32 %r8, %r1, 5;\nshl.b32 %r8, %r8, 2;\nand.b32 %r4, %r1, 3;\nadd.u32 %r8, %r8, %r4;\n"
       "cvt.rn.f32.u32 %f1, %r8;\nmov.b32 %r8, %f1;\n",
       "selp.b32 %r5, 0xeeee4444, 0x44444444, %p3;\nmov.u32 %r6, -1;\n", (0 + 2 + 4 + 6) + (8 + 10 + 12 + 14),
       (1 + 3 + 5 + 7) + (8 + 10 + 12 + 14)}};
  for (const Case& each : kCases) {
    const std::string filled =
        std::string(each.a) + each.b +
        "shl.b32 %r4, %r1, 5;\nadd.u32 %r4, %r4, %r2;\nst.shared.v4.u32 [%r4+2048], {%r7, %r7, %r7, %r7};\n"
        "st.shared.v4.u32 [%r4+2064], {%r7, %r7, %r7, %r7};\nshl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r2;\n"
        "st.shared.u32 [%r4+1024], %r8;\nfence.proxy.async.shared::cta;\nand.b32 %r6, %r1, 8;\n"
        "setp.eq.u32 %p3, %r6, 0;\n" +
        each.columns + "add.u32 %r17, %r14, 32;\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%r17], {%r5, %r6};\n";
    const std::string work =
        "add.u32 %r10, %r2, 2048;\nshr.u32 %r10, %r10, 4;\nor.b32 %r10, %r10, 0x80000;\nmov.u32 %r12, 0x4010;\n"
        "mov.b64 %rd10, {%r10, %r12};\nadd.u32 %r11, %r2, 1024;\nshr.u32 %r11, %r11, 4;\nor.b32 %r11, %r11, 0x80000;\n"
        "mov.b64 %rd11, {%r11, %r12};\nadd.u32 %r17, %r16, 32;\nsetp.ne.u32 %p5, %r1, 0;\nmov.u32 %r13, " +
        std::string(each.descriptor) + ";\ntcgen05.mma.sp.cta_group::1.kind::" + each.kind +
        " [%r16], %rd10, %rd11, [%r17], %r13, %p5;\n";
    PtxTrial trial({.body = with_tensor_memory(filled, work,
                                               "mov.b32 %f1, %r20;\ncvt.rzi.u32.f32 %r20, %f1;\nmov.b32 %f1, %r23;\n"
                                               "cvt.rzi.u32.f32 %r23, %f1;\n")},
                   128, Words::kZeros);
    REQUIRE_MESSAGE(trial.run().clean(), trial.said());
    INFO(each.kind);
    for (std::uint32_t lane = 0; lane < 128; ++lane) {
      CHECK(trial.word(2048 + 4 * lane) == (lane % 16 < 8 ? each.upper : each.lower));
      CHECK(trial.word(2051 + 4 * lane) == (lane % 16 < 8 ? each.upper : each.lower));
    }
  }
}

TEST_CASE("the CTAs of a pair allocate together") {
  auto said = [](const char* who) {
    PtxTrial trial(
        {.body = std::string("mov.u32 %r2, smem;\nmov.u32 %r6, %ctaid.x;\n") + who +
                 "@%p2 bra NONE;\ntcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r2], 64;\n"
                 "ld.shared.u32 %r3, [%r2];\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                 "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r3, 64;\nNONE:\n"},
        32, Words::kZeros);
    trial.launch.grid = trial.launch.cluster = {2, 1, 1};
    return trial.run().said();
  };
  CHECK(said("setp.gt.u32 %p2, %r6, 1;\n") == "");
  for (const char* alone : {"setp.eq.u32 %p2, %r6, 0;\n", "setp.eq.u32 %p2, %r6, 1;\n"})
    CHECK(said(alone).find("waits for the pair's other CTA to allocate tensor memory") != std::string::npos);
}

TEST_CASE("tcgen05.shift moves rows within each quarter of the lanes, and four rows are copied behind it") {
  const std::string filled =
      "add.u32 %r20, %r1, 1000;\nadd.u32 %r21, %r1, 2000;\nmov.u32 %r22, 7;\nmov.u32 %r23, 8;\n"
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r14], "
      "{%r20, %r21, %r22, %r23, %r20, %r20, %r20, %r20};\n";
  PtxTrial trial({.body = with_tensor_memory(filled, "tcgen05.shift.cta_group::1.down [%r16];\n", "")}, 128,
                 Words::kZeros);
  REQUIRE_MESSAGE(trial.run().clean(), trial.said());
  for (std::uint32_t lane = 0; lane < 128; ++lane) {
    const std::uint32_t from = lane % 32 == 31 ? lane : lane + 1;
    CHECK(trial.word(2048 + 4 * lane) == 1000 + from);
    CHECK(trial.word(2049 + 4 * lane) == 2000 + from);
  }
  CHECK(PtxTrial({.body = with_tensor_memory(filled,
                                             "add.u32 %r17, %r16, 0x100000;\n"
                                             "tcgen05.shift.cta_group::1.down [%r17];\n",
                                             "")},
                 128, Words::kZeros)
            .run()
            .says("shifts rows from lane 16 on, which is no multiple of 32"));
  // Rows of 32 bytes, two groups of 16 bytes 128 apart: thread t writes word t.
  const std::string rows = filled +
                           "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r2;\nst.shared.u32 [%r4+1024], %r1;\n"
                           "fence.proxy.async.shared::cta;\n";
  const std::string copied =
      "tcgen05.shift.cta_group::1.down [%r16];\nadd.u32 %r10, %r2, 1024;\nshr.u32 %r10, %r10, 4;\n"
      "or.b32 %r10, %r10, 0x80000;\nmov.u32 %r12, 0x4010;\nmov.b64 %rd10, {%r10, %r12};\n"
      "add.u32 %r17, %r16, 0x1f0000;\ntcgen05.cp.cta_group::1.4x256b [%r17], %rd10;\n";
  PtxTrial behind({.body = with_tensor_memory(rows, copied, "")}, 128, Words::kZeros);
  REQUIRE_MESSAGE(behind.run().clean(), behind.said());
  for (std::uint32_t lane = 0; lane < 128; ++lane) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t shifted = 1000 * (i + 1) + lane + 1;
      CHECK(behind.word(2048 + 4 * lane + i) == (lane % 32 == 31 ? 4 * (lane / 32) + i : shifted));
    }
  }
}

TEST_CASE("tcgen05.cp gives small elements a byte each") {
  // Every 16 bytes begin with 0x76543210 0xfedcba98.
  const std::string filled =
      "shl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r2;\nmov.u32 %r5, 0x76543210;\nmov.u32 %r6, 0xfedcba98;\n"
      "mov.u32 %r7, -1;\nst.shared.v4.u32 [%r4+1024], {%r5, %r6, %r7, %r7};\nfence.proxy.async.shared::cta;\n";
  auto copied = [](const char* how) {
    return std::string(
               "add.u32 %r10, %r2, 1024;\nshr.u32 %r10, %r10, 4;\nor.b32 %r10, %r10, 0x80000;\nmov.u32 %r12, 0x4008;\n"
               "mov.b64 %rd10, {%r10, %r12};\ntcgen05.cp.cta_group::1.128x128b") +
           how + " [%r16], %rd10;\n";
  };
  struct Case {
    const char* how;
    std::uint32_t words[4];
  };
  // Of 4 bits in bits 2 .. 5; of 6 bits the lower: 0x10, 0x08, 0x03, 0x15 are those of 0x543210.
  const Case kCases[] = {{"", {0x76543210, 0xfedcba98, 0xffffffff, 0xffffffff}},
                         {".b8x16.b4x16_p64", {0x0c080400, 0x1c181410, 0x2c282420, 0x3c383430}},
                         {".b8x16.b6x16_p32", {0x15030810, 0x2e292136, 0x3f3f3b1c, 0x3f3f3f3f}}};
  for (const Case& each : kCases) {
    PtxTrial trial({.body = with_tensor_memory(filled, copied(each.how), "")}, 128, Words::kZeros);
    REQUIRE_MESSAGE(trial.run().clean(), trial.said());
    INFO(each.how);
    for (std::uint32_t i = 0; i < 512; ++i) CHECK(trial.word(2048 + i) == each.words[i % 4]);
  }
}

TEST_CASE("wmma: fragments are loaded, multiplied and stored") {
  // Bytes of words that hold their index: A[r, 4j] = 4r + j, and so B's columns; zeros else.
  PtxTrial trial({.body = "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r10, %r11}, [%rd1], 16;\n"
                          "wmma.load.b.sync.aligned.col.m16n16k16.global.u8 {%r12, %r13}, [%rd1];\nmov.u32 %r3, 5;\n"
                          "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 "
                          "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%r10, %r11}, {%r12, %r13}, "
                          "{%r3, %r3, %r3, %r3, %r3, %r3, %r3, %r3};\n"
                          "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%rd1+8192], "
                          "{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, 20;\n",
                  .target = "sm_90a"});
  REQUIRE_MESSAGE(trial.run().clean(), trial.said());
  for (std::uint32_t r = 0; r < 16; ++r) {
    for (std::uint32_t n = 0; n < 16; ++n) CHECK(trial.word(2048 + 20 * r + n) == 64 * r * n + 24 * (r + n) + 14 + 5);
  }
  CHECK(PtxTrial({.body = "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r10}, [%rd1];\n", .target = "sm_90a"})
            .run()
            .says("the machine has no `wmma.load.a.sync.aligned.row.m8n8k32.global.s4`"));
}

TEST_CASE("wmma: halves and floats") {
  // Ones times ones, and 0.5; stored column by column as halves.
  PtxTrial trial({.body = "mov.u32 %r7, 0x3c003c00;\nmov.f32 %f1, 0f3F000000;\n"
                          "wmma.mma.sync.aligned.row.col.m32n8k16.f16.f32 {%r20, %r21, %r22, %r23}, "
                          "{%r7, %r7, %r7, %r7, %r7, %r7, %r7, %r7}, {%r7, %r7, %r7, %r7, %r7, %r7, %r7, %r7}, "
                          "{%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};\nmov.u32 %r2, smem;\n"
                          "wmma.store.d.sync.aligned.col.m32n8k16.shared.f16 [%r2], {%r20, %r21, %r22, %r23};\n"
                          "bar.warp.sync -1;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r4, %r2, %r3;\nld.shared.v4.u32 {%r10, "
                          "%r11, %r12, %r13}, "
                          "[%r4];\ncvt.u64.u32 %rd4, %r3;\nadd.u64 %rd4, %rd1, %rd4;\n"
                          "st.global.v4.u32 [%rd4], {%r10, %r11, %r12, %r13};\n",
                  .target = "sm_90a"},
                 32, Words::kZeros);
  REQUIRE_MESSAGE(trial.run().clean(), trial.said());
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(trial.word(i) == 0x4c204c20);  // 16.5
}
