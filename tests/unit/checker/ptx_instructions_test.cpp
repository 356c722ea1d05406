// Instructions of PTX, a line each: what they leave, worked out by hand from the PTX ISA.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// Runs `body` by one CTA of `threads`, among words of zeros; it is silent. The first 1024 words then.
std::vector<std::uint32_t> run(const std::string& body, std::uint32_t threads, const char* target = "sm_100a") {
  PtxTrial trial({.body = body, .target = target}, threads, Words::kZeros);
  trial.run();
  REQUIRE_MESSAGE(trial.clean(), trial.said());
  std::vector<std::uint32_t> words(1024);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = trial.word(static_cast<std::int64_t>(i));
  return words;
}

struct Line {
  std::string text;  // leaves its result in %r9
  std::uint32_t result;
};

// One thread: %r2 = 0xfffffff9, %r3 = 2, %r4 = 0x80ff7f01, %f1 = 1.5, %f2 = -0.25, %rd2 = 0xffffffff_00000001.
void check(const std::vector<Line>& lines) {
  std::string body =
      "mov.u32 %r2, 0xfffffff9;\nmov.u32 %r3, 2;\nmov.u32 %r4, 0x80ff7f01;\nmov.f32 %f1, 0f3FC00000;\n"
      "mov.f32 %f2, 0fBE800000;\nmov.b32 %r5, 1;\nmov.b32 %r6, 0xffffffff;\nmov.b64 %rd2, {%r5, %r6};\n";
  for (std::size_t i = 0; i < lines.size(); ++i)
    body += lines[i].text + "\nst.global.u32 [%rd1+" + std::to_string(4 * i) + "], %r9;\n";
  std::vector<std::uint32_t> words = run(body, 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i].text);
    CHECK(words[i] == lines[i].result);
  }
}

}  // namespace

TEST_CASE("sums with carries") {
  check({{"add.cc.u32 %r9, %r2, 8;", 1},
         {"addc.u32 %r9, %r3, 0;", 3},  // 2 + the carry
         {"sub.cc.u32 %r9, %r3, 3;", 0xffffffff},
         {"subc.u32 %r9, %r3, 0;", 1},  // 2 - the borrow
         {"mad.lo.cc.u32 %r9, %r2, %r3, 14;", 0},
         {"madc.hi.u32 %r9, %r2, %r3, 0;", 2}});  // 1 + the carry
}

TEST_CASE("whole numbers that few use") {
  check({{"sad.s32 %r9, %r2, %r3, 1;", 10},
         {"sad.u32 %r9, %r3, 5, 1;", 4},
         {"mul24.lo.s32 %r9, %r2, %r3;", 0xfffffff2},
         {"mul24.hi.u32 %r9, 0x800000, 0x800000;", 0x40000000},
         {"dp4a.s32.s32 %r9, %r4, 0x01010101, 5;", 5 - 128 - 1 + 127 + 1},
         {"dp4a.u32.u32 %r9, %r4, 0x01010101, 5;", 5 + 128 + 255 + 127 + 1},
         {"dp2a.lo.s32.s32 %r9, %r4, 0x00000201, 0;", 0x7f01 + 2 * (0x80ff - 0x10000) + 0u},
         {"bmsk.clamp.b32 %r9, 4, 8;", 0xff0},
         {"szext.clamp.s32 %r9, 0xff, 8;", 0xffffffff},
         {"cnot.b32 %r9, %r3;", 0},
         {"bfind.u32 %r9, 0x10000;", 16},
         {"bfind.shiftamt.u32 %r9, 0x10000;", 15},
         {"add.u16x2 %r9, 0xffff0001, 0x00010001;", 2},
         {"max.s16x2 %r9, 0xffff0001, 0x00010000;", 0x00010001},
         {"slct.b32.s32 %r9, 7, 8, %r2;", 8},
         {"set.lt.u32.s32 %r9, %r2, %r3;", 0xffffffff},
         {"set.lt.f32.s32 %r9, %r3, %r2;", 0}});
}

TEST_CASE("bytes by the modes of prmt") {
  check({{"prmt.b32.f4e %r9, 0x33221100, 0x77665544, 1;", 0x44332211},
         {"prmt.b32.b4e %r9, 0x33221100, 0x77665544, 1;", 0x66770011},
         {"prmt.b32.rc8 %r9, 0x33221100, 0, 2;", 0x22222222},
         {"prmt.b32.ecl %r9, 0x33221100, 0, 1;", 0x33221111},
         {"prmt.b32.ecr %r9, 0x33221100, 0, 2;", 0x22221100},
         {"prmt.b32.rc16 %r9, 0x33221100, 0, 1;", 0x33223322}});
}

TEST_CASE("floats: rounding, pairs, halves beside floats") {
  check({{"add.rz.f32 %f3, 0f3F800000, 0f33FFFFFF; mov.b32 %r9, %f3;", 0x3f800000},
         {"add.rp.f32 %f3, 0f3F800000, 0f33000000; mov.b32 %r9, %f3;", 0x3f800001},
         {"add.ftz.f32 %f3, 0f00000001, 0f00000001; mov.b32 %r9, %f3;", 0},
         {"add.f32 %f3, 0f00000001, 0f00000001; mov.b32 %r9, %f3;", 2},
         {"mov.b64 %rd3, {%f1, %f2}; fma.rn.f32x2 %rd3, %rd3, %rd3, %rd3; mov.b64 {%r9, %r8}, %rd3;", 0x40700000},
         {"mov.b32 %r9, %r8;", 0xbe400000},  // 0.0625 - 0.25
         {"cvt.rn.f16.f32 %h1, %f1; add.f32.f16 %f3, %h1, %f2; mov.b32 %r9, %f3;", 0x3fa00000},
         {"cvt.rn.bf16.f32 %h1, %f1; fma.rn.f32.bf16 %f3, %h1, %h1, %f2; mov.b32 %r9, %f3;", 0x40000000},
         {"min.f32 %f3, %f1, %f2, 0fC0000000; mov.b32 %r9, %f3;", 0xc0000000},
         {"max.xorsign.abs.f32 %f3, %f1, %f2; mov.b32 %r9, %f3;", 0xbfc00000},
         {"testp.subnormal.f32 %p1, 0f00000001; selp.b32 %r9, 1, 0, %p1;", 1},
         {"testp.finite.f32 %p1, 0f7F800000; selp.b32 %r9, 1, 0, %p1;", 0},
         // 1 + 2^-10 + 2^-11 - 2^-31: a float on the way would make a tie of it
         {"mov.b16 %h1, 0x3c01; mov.b16 %h2, 0x0ffe; fma.rn.f16 %h3, %h1, %h2, %h1; mov.b32 %r9, {%h3, %h3};",
          0x3c013c01}});
}

TEST_CASE("roundings, ends of ranges, NaNs: as an H200 has them") {
  check({{"sub.sat.s32 %r9, 0x80000000, 1;", 0x80000000},
         {"mad.hi.sat.s32 %r9, 0x7fffffff, 0x7fffffff, 0x7fffffff;", 0x7fffffff},
         {"min.relu.s32 %r9, %r2, 5;", 0},
         {"cvt.rz.f32.u32 %f3, 0x01ffffff;\nmov.b32 %r9, %f3;", 0x4bffffff},
         {"cvt.rz.f16.u32 %h1, 0x10000;\ncvt.u32.u16 %r9, %h1;", 0x7bff},
         {"cvt.rp.bf16.f32 %h1, 0f3F800001;\ncvt.u32.u16 %r9, %h1;", 0x3f81},
         {"cvt.rn.satfinite.f16.f32 %h1, 0f7F800000;\ncvt.u32.u16 %r9, %h1;", 0x7bff},
         {"cvt.sat.u32.u64 %r9, 0x8000000000000001;", 0xffffffff},
         {"mov.b16 %h1, 0x7fff;\ncvt.rn.f16x2.e4m3x2 %r9, %h1;", 0x7fff7fff},
         {"cvt.rni.s64.f32 %rd3, 0f7FC00000;\nshr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r9, %rd3;", 0x80000000},
         {"add.rm.f32 %f3, 0f3F800000, 0fA0000000;\nmov.b32 %r9, %f3;", 0x3f7fffff},
         {"add.rn.f32 %f3, 0f7F800000, 0fFF800000;\nmov.b32 %r9, %f3;", 0x7fffffff},
         {"fma.rz.f64 %rd3, 0d3FF0000000000000, 0d3FF0000000000000, 0dBC00000000000000;\ncvt.u32.u64 %r9, %rd3;", ~0u},
         {"max.xorsign.abs.f32 %f3, 0f7FC00000, 0fBF800000;\nmov.b32 %r9, %f3;", 0xbf800000},
         {"testp.normal.f32 %p2, 0f00000000;\nselp.b32 %r9, 1, 0, %p2;", 1},
         // The lower halves answer first: 2 < 1, 1 < 2.
         {"mov.b32 %r10, 0x3c004000;\nmov.b32 %r11, 0x40003c00;\nsetp.lt.f16x2 %p2|%p3, %r10, %r11;\n"
          "selp.b32 %r9, 1, 0, %p2;\n@%p3 add.u32 %r9, %r9, 2;",
          2},
         {"set.lt.f16x2.f16x2 %r9, %r10, %r11;", 0x3c000000}});
}

TEST_CASE("conversions to and from small numbers") {
  check({{"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2; mov.b32 %r9, {%h1, %h1};", 0x3ca83ca8},
         {"cvt.rn.f16x2.e4m3x2 %r9, %h1;", 0x3e00b400},
         {"cvt.rn.satfinite.e4m3x2.f16x2 %h1, %r9; mov.b32 %r9, {%h1, %h1};", 0x3ca83ca8},
         {"cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, 0f42000000; cvt.u32.u8 %r9, %b1;", 0x37},
         {"cvt.rn.f16x2.e2m1x2 %r9, %b1;", 0x3e004600},
         {"cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2; mov.b32 %r9, {%h1, %h1};", 0x0c220c22},
         {"cvt.rp.satfinite.ue8m0x2.f32 %h1, %f1, 0f40000000; mov.b32 %r9, {%h1, %h1};", 0x80808080},
         {"cvt.rn.bf16x2.ue8m0x2 %r9, %h1;", 0x40004000},
         {"cvt.rz.f16.f32 %h1, 0f3F801FFF; mov.b32 %r9, {%h1, %h1};", 0x3c003c00},
         {"cvt.rn.f16.f32 %h1, 0f3F801FFF; mov.b32 %r9, {%h1, %h1};", 0x3c013c01},
         {"cvt.rna.tf32.f32 %r9, 0f3F801000;", 0x3f802000},
         {"cvt.rn.tf32.f32 %r9, 0f3F801000;", 0x3f800000},
         {"cvt.pack.sat.u8.s32.b32 %r9, 300, %r2, 0x1234;", 0x1234ff00},
         {"cvt.rn.f32.u64 %f3, %rd2; mov.b32 %r9, %f3;", 0x5f800000}});
}

TEST_CASE("what a warp computes together") {
  std::vector<std::uint32_t> words =
      run("redux.sync.add.s32 %r2, %r1, 0xffffffff;\nredux.sync.max.u32 %r3, %r1, 0xffffffff;\n"
          "and.b32 %r4, %r1, 3;\nmatch.any.sync.b32 %r5, %r4, 0xffffffff;\n"
          "match.all.sync.b32 %r6|%p1, %r3, 0xffffffff;\nmov.u32 %r10, 0;\n@%p1 mov.u32 %r10, 1;\n"
          "cvt.rn.f32.u32 %f1, %r1;\nmov.b32 %r11, %f1;\nredux.sync.min.f32 %r12, %r11, 0xffffffff;\n"
          // A matrix of 8 by 8: element (row, column) is 8 row + column.
          "shl.b32 %r13, %r1, 1;\nadd.u32 %r14, %r13, 1;\nshl.b32 %r14, %r14, 16;\nor.b32 %r13, %r13, %r14;\n"
          "movmatrix.sync.aligned.m8n8.trans.b16 %r15, %r13;\n"
          "mul.wide.u32 %rd2, %r1, 32;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.v4.u32 [%rd3], {%r2, %r3, %r5, %r6};\n"
          "st.global.v4.u32 [%rd3+16], {%r10, %r12, %r15, %r15};",
          32);
  for (std::uint32_t lane : {0u, 5u, 31u}) {
    const std::uint32_t* of = &words[lane * 8];
    CHECK(of[0] == 496);
    CHECK(of[1] == 31);
    CHECK(of[2] == 0x11111111u << lane % 4);
    CHECK(of[3] == 0xffffffff);
    CHECK(of[4] == 1);
    CHECK(of[5] == 0);
    const std::uint32_t row = lane / 4, column = lane % 4 * 2;  // of the transposed one
    CHECK(of[6] == ((column * 8 + row) | ((column + 1) * 8 + row) << 16));
  }
}

TEST_CASE("mma.sync: A of ones in a row, B of its column's number") {
  // A[row, k] = row, B[k, column] = column + 1 where k = 0 and 0 else; C = 1: D[row, column] = row · (column + 1) + 1.
  const std::string setup =
      "shr.u32 %r2, %r1, 2;\nand.b32 %r3, %r1, 3;\n"  // the lane's group and place in it
      "cvt.rn.f32.u32 %f1, %r2;\nadd.u32 %r4, %r2, 8;\ncvt.rn.f32.u32 %f2, %r4;\nadd.u32 %r5, %r2, 1;\n"
      "cvt.rn.f32.u32 %f3, %r5;\nsetp.eq.u32 %p1, %r3, 0;\n@!%p1 mov.f32 %f3, 0f00000000;\nmov.f32 %f4, 0f3F800000;\n";
  const std::string store =
      "mul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.v4.f32 [%rd3], {%f5, %f6, %f7, %f8};";
  auto expect = [](const std::vector<std::uint32_t>& words) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        std::uint32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        float wanted = static_cast<float>(row * (column + 1) + 1), got = 0;
        std::memcpy(&got, &words[lane * 4 + i], 4);
        CHECK(got == wanted);
      }
    }
  };
  // f16: both halves of a register are neighbours in k; only the lower counts, B's upper half is 0.
  expect(run(setup +
                 "cvt.rn.f16x2.f32 %r6, %f1, %f1;\ncvt.rn.f16x2.f32 %r7, %f2, %f2;\n"
                 "mov.f32 %f5, 0f00000000;\ncvt.rn.f16x2.f32 %r8, %f5, %f3;\nmov.u32 %r9, 0;\n"
                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r6, %r7, %r6, %r7}, "
                 "{%r8, %r9}, {%f4, %f4, %f4, %f4};\n" +
                 store,
             32));
  expect(run(setup +
                 "mov.b32 %r6, %f1;\nmov.b32 %r7, %f2;\nmov.b32 %r8, %f3;\nmov.u32 %r9, 0;\n"
                 "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f5, %f6, %f7, %f8}, {%r6, %r7, %r6, %r7}, "
                 "{%r8, %r9}, {%f4, %f4, %f4, %f4};\n" +
                 store,
             32));
}

TEST_CASE("mma.sync reads no register that nothing has written") {
  const std::string sums = "mov.f32 %f5, 0f00000000;\nmov.f32 %f6, %f5;\nmov.f32 %f7, %f5;\nmov.f32 %f8, %f5;\n",
                    operands = "mov.u32 %r6, 0;\nmov.u32 %r8, 0;\n",
                    multiply =
                        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f5, %f6, %f7, %f8}, {%r6, %r6, %r6, "
                        "%r6}, {%r8, %r8}, {%f5, %f6, %f7, %f8};\n";
  CHECK(PtxTrial({sums + operands + multiply}).run().clean());
  CHECK(PtxTrial({operands + multiply}).run().says("adds to a register that nothing has written"));
  CHECK(PtxTrial({sums + multiply}).run().says("multiplies a register that nothing has written"));
}

TEST_CASE("mma.sync of small whole numbers, of bits and of f64") {
  const std::string begin = "mov.u32 %r6, -1;\nmov.u32 %r7, 0x77777777;\nmov.u32 %r8, 0xff;\nmov.u32 %r9, 5;\n";
  auto show = [](const char* where) {
    return std::string(
               "shl.b32 %r2, %r1, 3;\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.v2.b32 [%rd2+") +
           where + "], {%r20, %r23};\n";
  };
  struct Case {
    const char* shape;
    const char* b;
    std::uint32_t sum;
  };
  const Case kCases[] = {{"m16n8k64.row.col.s32.s4.s4.s32", "%r7", 5u - 64 * 7},
                         {"m16n8k64.row.col.s32.u4.s4.s32", "%r7", 5 + 64 * 7 * 15},
                         {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", "%r8", 5 + 64},
                         {"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "%r8", 5 + 192}};
  for (const Case& each : kCases) {
    const std::string b = each.b;
    std::vector<std::uint32_t> words =
        run(begin + "mma.sync.aligned." + each.shape + " {%r20, %r21, %r22, %r23}, {%r6, %r6, %r6, %r6}, {" + b + ", " +
                b + "}, {%r9, %r9, %r9, %r9};\n" + show("0"),
            32, "sm_90a");
    INFO(each.shape);
    for (std::size_t i = 0; i < 64; ++i) CHECK(words[i] == each.sum);
  }
  // Eight rows have one register of A.
  std::vector<std::uint32_t> words = run(
      begin + "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r20, %r23}, {%r6}, {%r7}, {%r9, %r9};\n" + show("0"),
      32, "sm_90a");
  for (std::size_t i = 0; i < 64; ++i) CHECK(words[i] == 5u - 16 * 0x77);
  // A[r, t] = 4r + t, of B row 2 is of ones: D[r, n] = 4r + 2 + a half, as twice that.
  words =
      run(".reg .f64 %d<6>;\ncvt.rn.f64.u32 %d1, %r1;\nand.b32 %r3, %r1, 3;\nsetp.eq.u32 %p1, %r3, 2;\n"
          "selp.f64 %d2, 0d3FF0000000000000, 0d0000000000000000, %p1;\nmov.f64 %d3, 0d3FE0000000000000;\n"
          "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4, %d5}, {%d1}, {%d2}, {%d3, %d3};\n"
          "add.f64 %d4, %d4, %d4;\nadd.f64 %d5, %d5, %d5;\ncvt.rzi.u32.f64 %r20, %d4;\ncvt.rzi.u32.f64 %r23, %d5;\n" +
              show("0"),
          32, "sm_90a");
  for (std::size_t i = 0; i < 64; ++i) CHECK(words[i] == 2 * (4 * (i / 8) + 2) + 1);
}

TEST_CASE("shapes that no mma.sync has") {
  for (const char* shape : {"m16n8k12.row.col.f32.f16.f16.f32", "m16n8k99999999999999.row.col.f32.f16.f16.f32",
                            "m8n8k16.row.col.f32.f16.f16.f32", "m16n8k256.row.col.s32.b1.b1.s32"}) {
    PtxTrial trial({.body = std::string("mma.sync.aligned.") + shape +
                            " {%f5, %f6, %f7, %f8}, {%r6, %r7, %r6, %r7}, {%r8, %r9}, {%f4, %f4, %f4, %f4};\n"},
                   32);
    INFO(shape);
    CHECK(trial.run().says("the machine has no `mma.sync.aligned."));
  }
}

TEST_CASE("wgmma with A in registers") {
  // A[row, k] = row of the warp's 16 where k = 0; B[column, 0] = 1 + column % 2, in rows of 32 bytes without a swizzle.
  std::vector<std::uint32_t> words = run(
      "mov.u32 %r2, smem;\n"
      // B: 8 columns × 16 k of f16, core matrices of 8 × 16 bytes: element (n, 0) at n · 16.
      "setp.ge.u32 %p1, %r1, 64;\n@%p1 bra SKIP;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r3, %r2, %r3;\n"
      "and.b32 %r4, %r1, 3;\nshr.u32 %r5, %r1, 2;\nand.b32 %r5, %r5, 1;\nmov.u32 %r6, 0;\nsetp.lt.u32 %p2, %r1, 32;\n"
      "setp.eq.and.u32 %p2, %r4, 0, %p2;\nsetp.eq.u32 %p3, %r5, 0;\nselp.b32 %r7, 0x3c00, 0x4000, %p3;\n"
      "@%p2 mov.u32 %r6, %r7;\nst.shared.u32 [%r3], %r6;\nSKIP:\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "shr.u32 %r3, %r1, 2;\nand.b32 %r3, %r3, 7;\nand.b32 %r4, %r1, 3;\ncvt.rn.f32.u32 %f1, %r3;\nadd.u32 %r5, %r3, "
      "8;\n"
      "cvt.rn.f32.u32 %f2, %r5;\nmov.f32 %f3, 0f00000000;\nsetp.eq.u32 %p1, %r4, 0;\n@!%p1 mov.f32 %f1, %f3;\n"
      "@!%p1 mov.f32 %f2, %f3;\ncvt.rn.f16x2.f32 %r6, %f3, %f1;\ncvt.rn.f16x2.f32 %r7, %f3, %f2;\nmov.u32 %r8, 0;\n"
      // start, leading 128 bytes, stride 256 bytes
      "shr.u32 %r9, %r2, 4;\nand.b32 %r9, %r9, 0x3fff;\nor.b32 %r9, %r9, 0x80000;\nmov.u32 %r10, 16;\n"
      "mov.b64 %rd2, {%r9, %r10};\nsetp.ne.u32 %p1, %r1, %r1;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, {%r6, %r7, %r8, %r8}, %rd2, %p1, 1, -1, "
      "0;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.v4.f32 [%rd3], {%f5, %f6, %f7, %f8};",
      128, "sm_90a");
  for (std::uint32_t thread = 0; thread < 128; ++thread) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint32_t row = thread % 32 / 4 + i / 2 * 8, column = thread % 4 * 2 + i % 2;
      float got = 0;
      std::memcpy(&got, &words[thread * 4 + i], 4);
      CHECK(got == -static_cast<float>(row * (1 + column % 2)));
    }
  }
}

TEST_CASE("reserved shared memory is a library's that asks for it") {
  const char* body =
      "mov.u32 %r2, %reserved_smem_offset_1;\nmov.u32 %r3, 7;\nst.shared.u32 [%r2], %r3;\nld.shared.u32 %r4, [%r2];\n"
      "mov.u32 %r5, %reserved_smem_offset_end;\nst.global.v2.u32 [%rd1], {%r4, %r5};\n";
  std::vector<std::uint32_t> words = run(body, 1);
  CHECK(words[0] == 7);
  CHECK(words[1] == 0x400);
  PtxTrial unasked({.body = "mov.u32 %r3, 7;\nst.shared.u32 [512], %r3;\n"}, 1);
  CHECK(unasked.run().says("memory"));
}

// Lanes 0 to 15 and 16 to 31 are at the same instruction, each half with members of its own.
TEST_CASE("lanes of several groups at one instruction") {
  const char* body =
      "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\nshr.u32 %r3, %r1, 4;\nadd.u32 %r3, %r3, 1;\n"
      "redux.sync.add.u32 %r4, %r3, %r2;\nsetp.eq.u32 %p2, %r3, 1;\nvote.sync.any.pred %p3, %p2, %r2;\n"
      "selp.b32 %r5, 1, 0, %p3;\nmatch.any.sync.b32 %r6, %r1, %r2;\nmatch.all.sync.b32 %r7|%p4, %r3, %r2;\n"
      "mul.lo.u32 %r8, %r1, 16;\nmul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd2, %rd1, %rd2;\n"
      "st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};\n";
  std::vector<std::uint32_t> words = run(body, 32);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const bool low = lane < 16;
    CHECK(words[4 * lane] == (low ? 16 : 32));
    CHECK(words[4 * lane + 1] == (low ? 1 : 0));
    CHECK(words[4 * lane + 2] == 1u << lane);
    CHECK(words[4 * lane + 3] == (low ? 0xffff : 0xffff0000));
  }
}

// One half's members are all here, the other's come later: the first goes on without them.
TEST_CASE("members that come later hold back their own alone") {
  const char* body =
      "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\nmov.u32 %r4, 0;\n"
      "setp.ge.u32 %p2, %r1, 24;\n@%p2 bra LATER;\nbra MEET;\n"
      "MEET:\nredux.sync.add.u32 %r4, %r1, %r2;\nbra END;\n"
      "LATER:\nredux.sync.add.u32 %r4, %r1, %r2;\n"
      "END:\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r4;\n";
  PtxTrial trial({.body = body}, 32, Words::kZeros);
  trial.run();
  CHECK(trial.outcome.hangs > 0);
}
