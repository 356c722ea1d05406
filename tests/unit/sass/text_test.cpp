#include <doctest/doctest.h>

#include "examples.h"

using namespace warpcc;
using namespace warpcc::sass;
using testing::read_text;

namespace {

// A text with this line of code, and what the reader says about it.
std::string said_of(std::string line, std::string target = "sm_100a") {
  std::string text = ".kernel k\n.sm " + target +
                     "\n.threads 32\n.cluster 2 half:2\n.buffer sa shared 0x400 x2 f16 (8, 64) : (64, 1)\n";
  text += ".mbar full 0x8000 x2 arrivals 1\n.tmap a 64 64 2 8 64 0\n";
  text += "  MOV x, 0x1\n  UMOV u, 0x1\n  UMOV d.0, 0x1\n  UMOV d.1, 0x1\n";
  return read_text(text + line + "\n").complaints();
}
bool says(const std::string& text, std::string_view part) {
  bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

}  // namespace

TEST_CASE("what is read is printed with the same bytes") {
  for (const char* example : {testing::kLoads, testing::kPair}) {
    auto reading = read_text(example);
    INFO(reading.complaints());
    REQUIRE(reading.program);
    CHECK(print(*reading.program, reading.program->form) == example);
  }
}

TEST_CASE("the parts of a line") {
  auto reading = read_text(testing::kLoads);
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  const Line* load = nullptr;
  for (const Line& line : program.lines) {
    if (line.opcode->op == isa::Op::UTMALDG && !load) load = &line;
  }
  REQUIRE(load);
  CHECK(load->mark == Mark::program);
  CHECK(load->comment == "load out.sa, …");
  REQUIRE(load->held.size() == 3);
  CHECK(print_view(program, load->held[1].views[0]) == "a[w.row +: 128, k * 64 +: 64]");
  CHECK(load->operands[0].kind == Operand::Kind::vector);
  CHECK(program[load->operands[0].reg.value].width == 4);
  CHECK(program[load->operands[0].reg.value].align == 4);
  CHECK(program.maps[static_cast<std::size_t>(load->operands[1].number)].name == "a");
  CHECK(program.lines[13].place == "gemm.wk:12");
  CHECK(program.lines[13].comment == "loop k in begin .. 64");
  CHECK(program.mbarriers[1].why == "4 warps of one of 2 teams of consumers");
  CHECK(program.buffers[5].copies[0].stride == 2 * 16 * 32 * 4);
  CHECK(program.sections[0].holds == std::vector<std::string>{"stage.producer"});
}

TEST_CASE("odd spacing, comments and line ends are read") {
  auto plain = read_text(".kernel k\n.sm sm_90a\n.threads 32\n~ MOV x, 0x1\n  MOV y, x\n");
  auto odd = read_text(
      "# a text\r\n.threads   0x20 ; 32\r\n.sm sm_90a\r\n\r\n .kernel k\r\n~MOV   x ,1;\r\n\tMOV y,x.reuse ;\r\n");
  REQUIRE(plain.program);
  INFO(odd.complaints());
  REQUIRE(odd.program);
  CHECK(print(*odd.program, Form::named) == print(*plain.program, Form::named));
}

TEST_CASE("plain registers are their own names") {
  const char* text =
      ".kernel k\n.sm sm_90a\n.threads 32\n.dynsmem 0\n.grid 1 1\n.cluster 1\n.mbarriers 0\n.form named\n"
      "  MOV R4, 0x1\n  MOV R5, R4\n  STS.64 [R4+0x8], R4\n";
  auto reading = read_text(text);
  INFO(reading.complaints());
  REQUIRE(reading.program);
  CHECK(print(*reading.program, Form::named) == text);
  CHECK(reading.program->values.empty());
}

TEST_CASE("opcodes that are not there") {
  CHECK(
      says(said_of("  UIAD3 u, UPT, UPT, u, u, u"), "12:3: no opcode `UIAD3`; `UIADD3` is near [sass-unknown-opcode]"));
  CHECK(says(said_of("  UTMALDG.6D [u], [map_a]"), "`UTMALDG` has no form `.6D`; it has `.1D`"));
  CHECK(says(said_of("  UIADD3.Y u, UPT, UPT, u, u, u"), "`UIADD3` has no form `.Y`; it has none, `.64`, `.X` ["));
  CHECK(says(said_of("  LDTM.x2 v, tmem[u]", "sm_90a"),
             "`LDTM.x2` is an instruction of sm_100a; this text is for sm_90a"));
  CHECK(says(said_of("  MOV.CLUSTER x, x"), "`.CLUSTER` stands on an arrival"));
}

TEST_CASE("operands of the wrong kind") {
  CHECK(says(said_of("  UIADD3 u, UPT, UPT, x, u, URZ"),
             "12:23: `x` is a general register (`r`); a uniform register (`ur`) is wanted here"));
  CHECK(says(said_of("  S2UR u, 0x5"), "12:11: operand 2 of `S2UR` takes a special register; this is `0x5` ["));
  CHECK(says(said_of("  IMAD x, 0x5, x, x"), "operand 2 of `IMAD` takes a general register (`r`)"));
  CHECK(says(said_of("  IMAD x, -x, x, x"), "`IMAD` does not negate this operand"));
  CHECK(says(said_of("  LDS x, tmem[u]"), "operand 2 of `LDS` takes a shared address `[x+0x10]`"));
  CHECK(says(said_of("  MOV x"), "`MOV` takes 2 operands; 1 are given"));
  CHECK(says(said_of("  MOV x, x, x"), "`MOV` takes 2 operands; more are given"));
  CHECK(says(said_of("  MOV x, 0x100000000"), "an immediate has 32 bits"));
  CHECK(says(said_of("  MOV x,"), "an operand is wanted here"));
}

TEST_CASE("a guard is a predicate of who executes the line") {
  CHECK(says(said_of("  ELECT one, URZ, PT\n  @one UMOV u, 0x1"),
             "13:4: `one` is a predicate (`p`); a uniform predicate (`up`) is wanted here"));
  CHECK(says(said_of("  @UP0 MOV x, 0x1"), "12:4: the guard of `MOV` is a predicate (`p`)"));
  CHECK(says(said_of("  @+ MOV x, 0x1"), "12:4: a predicate is wanted behind `@`"));
}

TEST_CASE("names of nothing") {
  CHECK(says(said_of("  MOV x, nobody"), "12:10: `nobody` is read and never written"));
  CHECK(says(said_of("  MOV stage_pos, x\n  MOV x, stage_poss"),
             "`stage_poss` is read and never written; `stage_pos` is near"));
  CHECK(says(said_of("AGAIN:\n  BRA AGAIM"), "no label `AGAIM` in this text; `AGAIN` is near"));
  CHECK(says(said_of("  MOV x, x = (haalf + 1)"), "no axis and no fixed index"));
  CHECK(says(said_of("  MOV x, x = ful[0]"), "a word of this name; `full` is near"));
  CHECK(says(said_of("  MOV x, R9"), "`R9` is read and never written"));
  CHECK(says(said_of("  BRA AWAY"), "12:7: no label `AWAY` in this text"));
  CHECK(says(said_of("END:"), "no line of code follows the label `END`"));
  CHECK(says(said_of("  UTMALDG.2D [u], [map_b]"), "no `.tmap` line declares `b`"));
  CHECK(says(said_of("  MOV x, x = (y + 1)"), "12:15: `y` names nothing"));
  CHECK(says(said_of("  MOV x, x = sc[0]"), "`sc` names nothing"));
  CHECK(says(said_of("  MOV x, x = bytes full"), "no `.pipe` line declares it"));
  CHECK(says(said_of("  MOV x, x = mask sa"), "a mask is of a pipe's barrier"));
  CHECK(says(said_of("  MOV x, x = sa at (band = 0)[0]"), "the cluster has no axis `band`"));
  CHECK(says(said_of("  MOV x, x = sa at (half = 2)[0]"), "the axis `half` goes from 0 to 1"));
  CHECK(says(said_of("  MOV x, x = sa[0][1]"), "`sa` has 2 coordinates; 1 are given"));
  CHECK(says(said_of("  MOV x, x = (x / u)"), "a divisor is a constant above 0"));
}

TEST_CASE("groups that are not aligned, registers that are not there") {
  CHECK(says(said_of("  UMOV UR5, 0x1\n  UMOV UR6, 0x1\n  SYNCS.EXCH.64 URZ, [u], UR5"),
             "`UR5` begins a group of 2 registers: its number is a multiple of 2"));
  CHECK(says(said_of("  SYNCS.EXCH.64 URZ, [u], d.1"), "`d.1` begins a group of 2 registers"));
  CHECK(says(said_of("  UMOV UR80, 0x1"), "a warp has 80 registers of this kind on sm_100a, up to `UR79`"));
}

TEST_CASE("header lines that are wrong") {
  auto said = [](std::string line) {
    return read_text(".kernel k\n.sm sm_90a\n.threads 32\n.cluster 2 half:2\n" + line + "\n  EXIT\n").complaints();
  };
  CHECK(says(said(".threds 32"), "5:1: no header line `.threds`"));
  CHECK(says(said(".threads 64"), "a second `.threads` line"));
  CHECK(says(said(".grid 0 1"), "a number of CTAs from 1 to 2147483647 is wanted here"));
  CHECK(says(said(".buffer a global map a f16 (4, 4) : (4, 1)"), "no `.tmap` line declares `a`"));
  CHECK(says(said(".buffer a shared 0x400 f17 (4, 4) : (4, 1)"), "an element type, as `f16`, is wanted here"));
  CHECK(says(said(".buffer a shared 0x400 f16 (4, 4) : (4)"), "shape and strides differ"));
  CHECK(says(said(".buffer a shared 0x400 f16 (1099511627776, 2) : (1, 1099511627776)"),
             "a smaller buffer is wanted here"));
  CHECK(says(said(".buffer a shared 0x400 x65536 by 1099511627776 f16 (4) : (1)"), "a smaller buffer is wanted here"));
  CHECK(says(said(".word w 0x400\n.word w 0x404"), "`w` is declared already"));
  CHECK(says(said(".pipe p x2 f e"), "no `.mbar` line declares `f`"));
  CHECK(says(said(".mbar f 0x400 x2 arrivals 1\n.mbarriers 3"),
             "the `.mbar` lines declare 2 mbarriers, this line says 3"));
  CHECK(says(said(".start\n.word w 0x400"), "`.word` belongs to the header"));
  CHECK(says(said(".role r warps 3 .. 3"), "a range of warps from 0 to 32 is wanted here"));
  CHECK(says(read_text(".kernel k\n.threads 32\n  EXIT\n").complaints(), "the header has no `.sm` line"));
  CHECK(says(read_text("").complaints(), "the header has no `.kernel` line"));
}

TEST_CASE("expressions keep their shape") {
  for (const char* expr : {"a + b * 2", "(a + b) * 2", "a - (b - 1)", "a - b - 1", "a * 2 / 3 % 5", "half == 0 && one",
                           "!(a < 1)", "a + -3", "(half + 2 * a) / 4"}) {
    auto reading =
        read_text(std::string(".kernel k\n.sm sm_90a\n.threads 32\n.cluster 2 half:2\n  MOV a, 0x1\n  MOV b, a = (") +
                  expr + ")\n");
    INFO(reading.complaints());
    REQUIRE(reading.program);
    CHECK(print_expr(*reading.program, reading.program->lines[1].held[0].expr) == expr);
  }
}

TEST_CASE("expressions that are too deep or too long are refused") {
  CHECK(says(said_of("  MOV x, x = (" + std::string(100000, '(') + "1"), "too long or too deep"));
  CHECK(says(said_of("  MOV x, x = (" + std::string(100000, '!') + "1)"), "a shorter expression"));
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  CHECK(says(said_of("  MOV x, x = (" + sum + ")"), "too long or too deep"));
}

TEST_CASE("Hopper's MMA over a fragment") {
  const std::string head =
      ".kernel k\n.sm sm_90a\n.threads 128\n.dynsmem 4096\n.grid 1 1\n.cluster 1\n.mbarriers 0\n.form named\n"
      ".buffer sa shared 0x400 f16 (64, 16) : (16, 1)\n.buffer sb shared 0xc00 f16 (16, 16) : (16, 1)\n";
  const std::string fragment =
      ".fragment acc f32 (128, 16) ((4, 8, 4), (2, 2, 2, 2)) : ((256, 1, 16), (128, 8, 1024, 64))\n";
  const std::string code = "  UMOV a.0, 0x1\n  UMOV a.1, 0x1\n  UMOV b.0, 0x1\n  UMOV b.1, 0x1\n  WARPGROUP.ARRIVE\n";
  const std::string mma =
      "  HGMMA.64x16x16.F32 acc.8, gdesc[a.0], gdesc[b.0].tnspB, RZ, !UPT, gsb0 = acc[64 +: 64, ..], sa, sb\n";
  auto reading = read_text(head + fragment + code + mma + "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n");
  INFO(reading.complaints());
  REQUIRE(reading.program);
  const Program& program = *reading.program;
  CHECK(print(program, Form::named) == head + fragment + code + mma + "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n");
  REQUIRE(program.fragments.size() == 1);
  CHECK(program[program.fragments[0].value].width == 16);
  const Line& line = program.lines[5];
  CHECK(line.operands[0].reg.part == 8);
  CHECK_FALSE(line.operands[1].transposed);
  CHECK(line.operands[2].transposed);
  CHECK(line.held[0].views[0].fragment == 0);

  // A in registers.
  const std::string left = ".fragment left f16 (64, 16) ((4, 8, 4), (2, 2, 2)) : ((128, 1, 16), (64, 8, 512))\n";
  const std::string loaded = "  MOV left.0, 0x0\n  MOV left.1, 0x0\n  MOV left.2, 0x0\n  MOV left.3, 0x0\n";
  const std::string with_left = head + fragment + left + loaded + code +
                                "  HGMMA.64x16x16.F32 acc.8, left, gdesc[b.0], RZ, !UPT, gsb0 = acc[64 +: 64, ..], "
                                "left[.., ..], sb\n  WARPGROUP.DEPBAR.LE gsb0, 0x0\n";
  auto second = read_text(with_left);
  INFO(second.complaints());
  REQUIRE(second.program);
  CHECK(print(*second.program, Form::named) == with_left);
  CHECK((*second.program)[second.program->fragments[1].value].width == 4);

  auto said = [&](const std::string& more) { return read_text(head + more).complaints(); };
  CHECK(says(said(fragment + left + loaded + code + "  HGMMA.64x16x16.F32 acc, left.2, gdesc[b.0], RZ, !UPT\n"),
             "`left.2` begins a group of 4 registers"));
  CHECK(says(said(fragment + code + "  @P0 WARPGROUP.ARRIVE\n"), "is for all lanes of a warpgroup's four warps"));
  CHECK(says(said(fragment + code + "  WARPGROUP.DEPBAR.LE SB0, 0x0\n"), "takes the groups of MMAs `gsb0`"));
  CHECK(says(said(fragment + code + "  HGMMA.64x12x16.F32 acc, gdesc[a.0], gdesc[b.0], RZ, !UPT\n"),
             "`HGMMA` has no form `.64x12x16.F32`"));
  CHECK(says(said(fragment + code + "  HGMMA.64x16x16.F32 acc.2, gdesc[a.0], gdesc[b.0], RZ, !UPT\n"),
             "`acc.2` begins a group of 8 registers"));
  CHECK(says(said(fragment + code + "  MOV x, 0x1 = acc[0]\n"), "`acc` has 2 coordinates; 1 are given"));
  CHECK(says(said(".fragment acc f32 (64, 16) ((4, 8, 4), (2, 2, 2)) : ((256, 1, 16), (128, 8, 1024))\n"),
             "no bijection"));
  CHECK(says(said(".fragment acc f32 (64, 16) ((4, 8, 4), (2, 2)) : ((128, 1, 16), (64, 8))\n"),
             "a layout from the threads of a warp or a warpgroup"));
  CHECK(says(said(".fragment acc f32 64\n"), "the tile's extents, as `(64, 128)`"));
  CHECK(says(said(".fragment acc f32 (512, 128) ((4, 8, 4), (512)) : ((1, 4, 32), (128))\n"),
             "no more than 255 registers"));
}
