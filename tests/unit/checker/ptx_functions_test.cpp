// PTX kernels that call functions, and branch by tables.
#include <doctest/doctest.h>

#include <string>

#include "ptx_trial.h"

using namespace warpcc;
using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// `body`, run by a warp: %rd2 is the address of each lane's word, among zeros.
struct Ran : PtxTrial {
  Ran(const std::string& before, const std::string& body)
      : PtxTrial({.body = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n" + body, .before = before}, 32,
                 Words::kZeros) {
    run();
  }
};

const std::string kTwice =
    ".func (.param .b32 result) twice(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, "
    "%r1;\n"
    "st.param.b32 [result], %r2;\nret;\n}\n";

std::string call(const std::string& what, const char* from, const char* to) {
  return std::string("{\n.param .b32 p0;\n.param .b32 back;\nst.param.b32 [p0], ") + from + ";\ncall.uni (back), " +
         what + ";\nld.param.b32 " + to + ", [back];\n}\n";
}

}  // namespace

TEST_CASE("a function is called and comes back to each place") {
  // Twice four times over; odd lanes from another place.
  Ran ran(kTwice + ".func (.param .b32 result) fourfold(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n" +
              call("twice, (p0)", "%r1", "%r2") + call("twice, (p0)", "%r2", "%r3") +
              "st.param.b32 [result], %r3;\nret;\n}\n",
          "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra ODD;\n" + call("fourfold, (p0)", "%r1", "%r3") +
              "bra STORE;\nODD:\n" + call("twice, (p0)", "%r1", "%r3") + "STORE:\nst.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.word(i) == (i % 2 == 1 ? 2 * i : 4 * i));
}

TEST_CASE("a guarded call, an early return, and an exit from a function") {
  Ran ran(
      ".func (.param .b32 result) below(.param .b32 x) {\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"
      "st.param.b32 [result], 7;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 ret;\nsetp.gt.u32 %p2, %r1, 15;\n@%p2 exit;\n"
      "st.param.b32 [result], 9;\nret;\n}\n",
      "setp.lt.u32 %p3, %r1, 24;\nmov.u32 %r3, 1;\n{\n.param .b32 p0;\n.param .b32 back;\nst.param.b32 [p0], %r1;\n"
      "st.param.b32 [back], 1;\n@%p3 call (back), below, (p0);\n@%p3 ld.param.b32 %r3, [back];\n}\n"
      "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.word(i) == (i < 8 ? 7u : i < 16 ? 9u : i < 24 ? 0u : 1u));
}

TEST_CASE("structures, parameters in registers, and local variables of a function") {
  Ran ran(
      ".func (.reg .b32 %sum) add3(.reg .b32 %a, .param .align 8 .b8 pair[16]) {\n.local .b32 kept;\n.reg .b32 %r<4>;\n"
      "st.local.b32 [kept], %a;\nld.param.b32 %r1, [pair];\nld.param.b32 %r2, [pair+12];\nadd.u32 %r1, %r1, %r2;\n"
      "ld.local.b32 %r3, [kept];\nadd.u32 %sum, %r1, %r3;\nret;\n}\n",
      "{\n.param .align 8 .b8 p1[16];\nst.param.b32 [p1], 100;\nst.param.b32 [p1+12], %r1;\ncall (%r3), add3, (5, "
      "p1);\n}\n"
      "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.word(i) == 105 + i);
}

TEST_CASE("calls through a register, by a table of functions; an alias") {
  Ran ran(kTwice +
              ".func (.param .b32 result) thrice(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"
              "mul.lo.u32 %r2, %r1, 3;\nst.param.b32 [result], %r2;\nret;\n}\n"
              ".func (.param .b32 result) treble(.param .b32 x);\n.alias treble, thrice;\n"
              ".global .align 8 .u64 table[2] = {twice, treble};\n",
          "and.b32 %r2, %r1, 1;\nmov.u64 %rd3, table;\nmul.wide.u32 %rd4, %r2, 8;\nadd.u64 %rd3, %rd3, %rd4;\n"
          "ld.global.u64 %rd5, [%rd3];\n" +
              call("%rd5, (p0), prototype", "%r1", "%r3") +
              "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n" + call("treble, (p0)", "%r3", "%r3") +
              "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.word(i) == 3 * (i % 2 == 1 ? 3 * i : 2 * i));
}

TEST_CASE("what a call may not do is said") {
  const std::string itself =
      ".func down(.param .b32 x) {\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\nsetp.eq.u32 %p1, %r1, "
      "0;\n"
      "@%p1 ret;\nsub.u32 %r2, %r1, 1;\n{\n.param .b32 p0;\nst.param.b32 [p0], %r2;\ncall down, (p0);\n}\nret;\n}\n";
  const std::string into = "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\ncall down, (p0);\n}\n";
  CHECK(Ran(itself, into).says("`down` calls itself: recursion is not taken"));
  CHECK(Ran("", "mov.u64 %rd3, 64;\ncall %rd3, prototype;\nprototype: .callprototype _ ();\n")
            .says("calls 0x40, where no function is"));
  CHECK(Ran(kTwice, "call twice, ();\n").says("calls `twice` with other arguments than it has"));
  CHECK(Ran(".extern .func sing();\n", "call sing;\n").says("calls `sing`, which the machine does not have"));
  CHECK(Ran(".func f() {\nfrob.b32 1;\n}\n", "call f;\n").says("the machine has no `frob.b32`"));
}

TEST_CASE("a branch by a table") {
  const std::string body =
      "targets: .branchtargets A, B, C;\n.reg .b32 %i;\nrem.u32 %i, %r1, LIMIT;\nbrx.idx %i, targets;\n"
      "A:\nmov.u32 %r3, 10;\nbra END;\nB:\nmov.u32 %r3, 20;\nbra END;\nC:\nmov.u32 %r3, 30;\nEND:\n"
      "st.global.u32 [%rd2], %r3;\n";
  auto with = [&](const char* limit) {
    std::string text = body;
    return text.replace(text.find("LIMIT"), 5, limit);
  };
  Ran ran("", with("3"));
  CHECK_MESSAGE(ran.ran, ran.said());
  CHECK(ran.said() == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.word(i) == 10 + 10 * (i % 3));
  CHECK(Ran("", with("4")).says("branches by 3, and the table has 3 labels"));
  CHECK(Ran("", "brx.idx %r1, nowhere;\n").says("`nowhere` is no register, variable or label"));
}
