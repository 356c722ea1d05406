#include "ptx_text/parse.h"

#include <doctest/doctest.h>

#include <string>

#include "llvm/Support/raw_ostream.h"

using namespace warpcc;
using namespace warpcc::ptx_text;

namespace {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  std::optional<Module> module;

  explicit Parsed(std::string text) { module = parse(sources.add("k.ptx", std::move(text)), sources, diagnostics); }
  std::string said() const {
    std::string out;
    llvm::raw_string_ostream stream(out);
    diagnostics.print(stream, sources);
    return out;
  }
  const Function& function() const { return *module->entry("k"); }
  const Instruction& at(std::size_t i) const { return function().instructions[i]; }
  const Operand& operand(std::size_t i, std::size_t j) const { return function().operands[at(i).first + j]; }
  const Operand& part(const Operand& of, std::size_t j) const { return function().parts[of.index + j]; }
  std::string_view opcode(std::size_t i) const { return module->opcodes[at(i).opcode].text; }
};

std::string kernel(std::string body) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n"
         ".extern .shared .align 128 .b8 smem[];\n"
         ".global .align 8 .b8 text[3] = {104, 105, 0};\n"
         ".visible .entry k(.param .align 128 .b8 map[128], .param .u32 n)\n"
         ".maxntid 384, 1, 1\n.reqnctapercluster 2, 1, 1\n{\n"
         ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n" +
         std::move(body) + "\n}\n";
}

}  // namespace

TEST_CASE("an instruction's words and operands") {
  Parsed k(kernel(
      "@!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+8], %r4;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, -3}], [%r3];\n"
      "elect.sync %r1|%p1, 0xffffffff;\n"
      "mov.b32 %r1, smem+16;\n"
      "mul.f32 %r1, %r2, 0f3F800000;\n"
      "mov.u32 %r1, %tid.y;\nret;"));
  REQUIRE_MESSAGE(k.module, k.said());
  CHECK(k.module->target == "sm_90a");
  CHECK(k.function().most_threads[0] == 384);
  CHECK(k.function().cluster[0] == 2);
  CHECK(k.function().params.size() == 2);
  CHECK(k.function().params[0].bytes == 128);
  CHECK(k.module->variables[0].bytes == 0);
  CHECK(k.module->variables[1].initial == std::vector<std::uint8_t>{104, 105, 0});

  CHECK(k.opcode(0) == "mbarrier.try_wait.parity.shared::cta.b64");
  CHECK(k.module->opcodes[k.at(0).opcode].words.size() == 5);
  CHECK(k.at(0).guard_negated);
  CHECK(k.function().register_names[k.at(0).guard] == "%p1");
  CHECK(k.operand(0, 1).kind == Operand::Kind::address);
  CHECK(k.operand(0, 1).value == 8);
  CHECK(k.function().register_names[k.part(k.operand(0, 1), 0).index] == "%r3");

  const Operand& box = k.operand(1, 1);
  REQUIRE(box.kind == Operand::Kind::tensor);
  const Operand& coordinates = k.part(box, 1);
  REQUIRE(coordinates.count == 2);
  CHECK(k.part(coordinates, 1).value == -3);

  REQUIRE(k.operand(2, 0).kind == Operand::Kind::pair);
  CHECK(k.function().register_names[k.part(k.operand(2, 0), 1).index] == "%p1");
  CHECK(k.operand(2, 1).value == 0xffffffff);
  CHECK(k.operand(3, 1).kind == Operand::Kind::variable);
  CHECK(k.operand(3, 1).value == 16);
  CHECK(k.operand(4, 2).value == 0x3f800000);
  CHECK(k.operand(5, 1).kind == Operand::Kind::special);
  CHECK(k.operand(5, 1).part == 1);
}

TEST_CASE("the same names in many blocks") {
  std::string wait =
      "{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%r1], %r2;\n"
      "@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}\n";
  Parsed k(kernel(wait + wait + "ret;"));
  REQUIRE_MESSAGE(k.module, k.said());
  REQUIRE(k.function().instructions.size() == 7);
  CHECK(k.operand(1, 0).index == 3);
  CHECK(k.operand(2, 0).index == 0);
  CHECK(k.operand(4, 0).index == 6);
  CHECK(k.operand(5, 0).index == 3);
  CHECK(k.operand(0, 0).index != k.operand(3, 0).index);
}

TEST_CASE("a call's frame") {
  Parsed k(
      ".version 9.0\n.target sm_90a\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".entry k() {\n.reg .b32 %r<2>;\n{\n.param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\n"
      "st.param.b64 [param0], 5;\ncall.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r1, [retval0];\n}\n"
      "{\n.param .b64 param0;\nst.param.b64 [param0+0], 1;\n}\nret;\n}\n");
  REQUIRE_MESSAGE(k.module, k.said());
  CHECK(k.operand(1, 0).kind == Operand::Kind::list);
  CHECK(k.operand(1, 1).kind == Operand::Kind::function);
  CHECK(k.operand(1, 2).count == 2);
  CHECK(k.function().variables.size() == 4);
  CHECK(k.part(k.operand(3, 0), 0).index == 3);
}

TEST_CASE("a variable that holds another's address") {
  Parsed k(
      ".version 9.0\n.target sm_90a\n.address_size 64\n.global .align 1 .b8 s[2] = {65, 0};\n"
      ".global .align 8 .u64 p[2] = {generic(s)+1, 7};\n.entry k() { ret; }\n");
  REQUIRE_MESSAGE(k.module, k.said());
  REQUIRE(k.module->variables[1].relocations.size() == 1);
  CHECK(k.module->variables[1].relocations[0].offset == 1);
  CHECK(k.module->variables[1].relocations[0].generic);
  CHECK(k.module->variables[1].initial[8] == 7);
}

TEST_CASE("a part of a mangled name finds the entry, if it is of one alone") {
  Parsed k(".version 9.0\n.target sm_90a\n.address_size 64\n.entry _Z4gemmv() { ret; }\n.entry _Z4fillv() { ret; }\n");
  REQUIRE_MESSAGE(k.module, k.said());
  CHECK(k.module->entry("gemm") == &k.module->functions[0]);
  CHECK(k.module->entry("_Z4") == nullptr);
}

TEST_CASE("what is no PTX is said with its place") {
  auto said = [](std::string text) {
    Parsed parsed(std::move(text));
    CHECK(!parsed.module);
    return parsed.said();
  };
  CHECK(said("").find("no `.version`") != std::string::npos);
  CHECK(said(kernel("mov.b32 %r9, 1;")).find("`%r9` is no register that is declared") != std::string::npos);
  CHECK(said(kernel("bra NOWHERE;")).find("`NOWHERE` is no register, variable or label") != std::string::npos);
  CHECK(said(kernel("mov.b32 %r1, [%r2;")).find("`]` is wanted here") != std::string::npos);
  CHECK(said(kernel("@%r1 mov.b32 %r1, 1;")).find("`%r1` is no predicate register") != std::string::npos);
  CHECK(said(kernel(".reg .b32 %q<4000000000>;")).find("registers are not taken") != std::string::npos);
  CHECK(said(kernel(".shared .b8 x[999999999999];")).find("2 GiB") != std::string::npos);
  CHECK(said(kernel(std::string(100000, '{'))).find("blocks more than 64 deep are not taken") != std::string::npos);
  CHECK(said(kernel("mov.b32 %r1, " + std::string(100000, '{'))).find("operands more than 8 deep are not taken") !=
        std::string::npos);
  CHECK(said(".version 9.0\n.entry k() { ret;").find("a `}` is missing") != std::string::npos);
  CHECK(said(kernel("A:\nA:\nret;")).find("`A` is defined already") != std::string::npos);
  CHECK(said(kernel("mov.b32 %r1, \"x\";")).find("an operand is wanted") != std::string::npos);
  // Cut anywhere, a text ends in a complaint or is whole.
  std::string whole = kernel("mov.b32 %r1, {%r2, %r3};\ncall.uni (x), k, (y);\n.loc 1 2 3\nret;");
  for (std::size_t n = 0; n < whole.size(); ++n) Parsed cut(whole.substr(0, n));
}
