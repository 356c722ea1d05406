// PTX kernels that call functions, and branch by tables.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "checker/device.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx_text/parse.h"

using namespace warpcc;
using namespace warpcc::checker;

namespace {

struct Ran {
  bool ran = false;
  std::string said;
  std::vector<std::uint32_t> words;
};

// Runs `body` by a warp; the kernel's parameter is the address of 64 words of zeros in %rd1. `before`: what the module
// declares before the kernel.
Ran run(const std::string& before, const std::string& body) {
  Ran result;
  Sources sources;
  Diagnostics diagnostics;
  Outcome outcome;
  auto say = [&] {
    llvm::raw_string_ostream stream(result.said);
    diagnostics.print(stream, sources);
    for (const Finding& finding : outcome.findings) result.said += finding.text + "\n";
  };
  auto module = ptx_text::parse(
      sources.add("k.ptx",
                  ".version 9.0\n.target sm_100a\n.address_size 64\n" + before +
                      "\n.entry k(.param .u64 out) {\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
                      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                      "add.u64 %rd2, %rd1, %rd2;\n" +
                      body + "\nret;\n}\n"),
      sources, diagnostics);
  if (!module) {
    say();
    return result;
  }
  Device device;
  std::uint64_t out = device.memory().allocate(256);
  device.memory().mark_written(out, 256);
  PtxLaunch launch;
  launch.module = &*module;
  launch.kernel = module->entry("k");
  launch.block = {32, 1, 1};
  launch.params.resize(1);
  launch.params[0].resize(8);
  std::memcpy(launch.params[0].data(), &out, 8);
  result.ran = device.launch(launch, {}, outcome, diagnostics);
  say();
  result.words.resize(64);
  std::memcpy(result.words.data(), device.memory().bytes(out, 256).data(), 256);
  return result;
}

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
  Ran ran =
      run(kTwice + ".func (.param .b32 result) fourfold(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n" +
              call("twice, (p0)", "%r1", "%r2") + call("twice, (p0)", "%r2", "%r3") +
              "st.param.b32 [result], %r3;\nret;\n}\n",
          "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra ODD;\n" + call("fourfold, (p0)", "%r1", "%r3") +
              "bra STORE;\nODD:\n" + call("twice, (p0)", "%r1", "%r3") + "STORE:\nst.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said);
  CHECK(ran.said == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.words[i] == (i % 2 == 1 ? 2 * i : 4 * i));
}

TEST_CASE("a guarded call, an early return, and an exit from a function") {
  Ran ran = run(
      ".func (.param .b32 result) below(.param .b32 x) {\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"
      "st.param.b32 [result], 7;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 ret;\nsetp.gt.u32 %p2, %r1, 15;\n@%p2 exit;\n"
      "st.param.b32 [result], 9;\nret;\n}\n",
      "setp.lt.u32 %p3, %r1, 24;\nmov.u32 %r3, 1;\n{\n.param .b32 p0;\n.param .b32 back;\nst.param.b32 [p0], %r1;\n"
      "st.param.b32 [back], 1;\n@%p3 call (back), below, (p0);\n@%p3 ld.param.b32 %r3, [back];\n}\n"
      "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said);
  CHECK(ran.said == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.words[i] == (i < 8 ? 7u : i < 16 ? 9u : i < 24 ? 0u : 1u));
}

TEST_CASE("structures, parameters in registers, and local variables of a function") {
  Ran ran = run(
      ".func (.reg .b32 %sum) add3(.reg .b32 %a, .param .align 8 .b8 pair[16]) {\n.local .b32 kept;\n.reg .b32 %r<4>;\n"
      "st.local.b32 [kept], %a;\nld.param.b32 %r1, [pair];\nld.param.b32 %r2, [pair+12];\nadd.u32 %r1, %r1, %r2;\n"
      "ld.local.b32 %r3, [kept];\nadd.u32 %sum, %r1, %r3;\nret;\n}\n",
      "{\n.param .align 8 .b8 p1[16];\nst.param.b32 [p1], 100;\nst.param.b32 [p1+12], %r1;\ncall (%r3), add3, (5, "
      "p1);\n}\n"
      "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said);
  CHECK(ran.said == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.words[i] == 105 + i);
}

TEST_CASE("calls through a register, by a table of functions; an alias") {
  Ran ran = run(kTwice +
                    ".func (.param .b32 result) thrice(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"
                    "mul.lo.u32 %r2, %r1, 3;\nst.param.b32 [result], %r2;\nret;\n}\n"
                    ".func (.param .b32 result) treble(.param .b32 x);\n.alias treble, thrice;\n"
                    ".global .align 8 .u64 table[2] = {twice, treble};\n",
                "and.b32 %r2, %r1, 1;\nmov.u64 %rd3, table;\nmul.wide.u32 %rd4, %r2, 8;\nadd.u64 %rd3, %rd3, %rd4;\n"
                "ld.global.u64 %rd5, [%rd3];\n" +
                    call("%rd5, (p0), prototype", "%r1", "%r3") +
                    "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
                    call("treble, (p0)", "%r3", "%r3") + "st.global.u32 [%rd2], %r3;\n");
  CHECK_MESSAGE(ran.ran, ran.said);
  CHECK(ran.said == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.words[i] == 3 * (i % 2 == 1 ? 3 * i : 2 * i));
}

TEST_CASE("what a call may not do is said") {
  const std::string itself =
      ".func down(.param .b32 x) {\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\nsetp.eq.u32 %p1, %r1, "
      "0;\n"
      "@%p1 ret;\nsub.u32 %r2, %r1, 1;\n{\n.param .b32 p0;\nst.param.b32 [p0], %r2;\ncall down, (p0);\n}\nret;\n}\n";
  const std::string into = "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\ncall down, (p0);\n}\n";
  CHECK(run(itself, into).said.find("`down` calls itself: recursion is not taken") != std::string::npos);
  CHECK(run("", "mov.u64 %rd3, 64;\ncall %rd3, prototype;\nprototype: .callprototype _ ();\n")
            .said.find("calls 0x40, where no function is") != std::string::npos);
  CHECK(run(kTwice, "call twice, ();\n").said.find("calls `twice` with other arguments than it has") !=
        std::string::npos);
  CHECK(run(".extern .func sing();\n", "call sing;\n").said.find("calls `sing`, which the machine does not have") !=
        std::string::npos);
  CHECK(run(".func f() {\nfrob.b32 1;\n}\n", "call f;\n").said.find("the machine has no `frob.b32`") !=
        std::string::npos);
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
  Ran ran = run("", with("3"));
  CHECK_MESSAGE(ran.ran, ran.said);
  CHECK(ran.said == "");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(ran.words[i] == 10 + 10 * (i % 3));
  CHECK(run("", with("4")).said.find("branches by 3, and the table has 3 labels") != std::string::npos);
  CHECK(run("", "brx.idx %r1, nowhere;\n").said.find("`nowhere` is no register, variable or label") !=
        std::string::npos);
}
