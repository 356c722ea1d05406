// The listings that the rules of language.md, section 13, must give.
#include <algorithm>
#include <cstdlib>

#include "listing.h"

using namespace warpcc;

namespace {

long count(const std::vector<std::string>& lines, std::string_view start) {
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); });
}

bool has(const std::vector<std::string>& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("the 256 x 256 main loop is the 45 lines of the reference") {
  sass::Program program = test::program_of(test::gemm({4, 1, 256, 256, 128, true}));
  std::vector<std::string> loop = test::loop_of(program, "mma", "k");
  const std::vector<std::string> expected = {
      "~ IADD3 k, PT, PT, k, 0x1, RZ",
      "~ ISETP.LT.U32.AND k_more, PT, k, 0x7f, PT",
      "~ UISETP.NE.U32.AND stage_stays, UPT, stage_pos, 0x3, UPT",
      "+ UIMAD stage_bar@stage, stage_pos, 0x8, stage_bar",
      "+ UIMAD sb_desc@stage, stage_pos, 0x800, sb_desc",
      "+ UIMAD sa_desc@stage, stage_pos, 0x400, sa_desc",
      "+ UIMAD stage_empty@stage, stage_pos, 0x8, stage_empty",
      "  UISETP.NE.U32.AND accumulate, UPT, first, URZ, UPT",
      "~ @landed BRA READY_1",
      "  SYNCS.PHASECHK.TRANS64.TRYWAIT waited, [stage_bar@stage], stage_parity",
      "~ @!waited NANOSLEEP.SYNCS 0xc350",
      "~ @!waited BRA WAIT_4",
      "+ UIADD3 desc_b0.0, UPT, UPT, sa_desc@stage, 0x0, URZ",
      "+ UIADD3 desc_a0.0, UPT, UPT, sb_desc@stage, 0x0, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a0.0], gdesc[desc_b0.0], tmem[acc], tmem[zero_idesc.0], idesc[zero_idesc.1], "
      "accumulate",
      "+ UIADD3 desc_b1.0, UPT, UPT, sa_desc@stage, 0x2, URZ",
      "+ UIADD3 desc_a1.0, UPT, UPT, sb_desc@stage, 0x2, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a1.0], gdesc[desc_b1.0], tmem[acc], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "+ UIADD3 desc_b0.0, UPT, UPT, sa_desc@stage, 0x4, URZ",
      "+ UIADD3 desc_a0.0, UPT, UPT, sb_desc@stage, 0x4, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a0.0], gdesc[desc_b0.0], tmem[acc], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "+ UIADD3 desc_b1.0, UPT, UPT, sa_desc@stage, 0x6, URZ",
      "+ UIADD3 desc_a1.0, UPT, UPT, sb_desc@stage, 0x6, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a1.0], gdesc[desc_b1.0], tmem[acc], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "+ UIADD3 desc_b0.0, UPT, UPT, sa_desc@stage, 0x0, URZ",
      "+ UIADD3 desc_a0.0, UPT, UPT, sb_desc@stage, 0x400, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a0.0], gdesc[desc_b0.0], tmem[acc_1], tmem[zero_idesc.0], idesc[zero_idesc.1], "
      "accumulate",
      "+ UIADD3 desc_b1.0, UPT, UPT, sa_desc@stage, 0x2, URZ",
      "+ UIADD3 desc_a1.0, UPT, UPT, sb_desc@stage, 0x402, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a1.0], gdesc[desc_b1.0], tmem[acc_1], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "+ UIADD3 desc_b0.0, UPT, UPT, sa_desc@stage, 0x4, URZ",
      "+ UIADD3 desc_a0.0, UPT, UPT, sb_desc@stage, 0x404, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a0.0], gdesc[desc_b0.0], tmem[acc_1], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "+ UIADD3 desc_b1.0, UPT, UPT, sa_desc@stage, 0x6, URZ",
      "+ UIADD3 desc_a1.0, UPT, UPT, sb_desc@stage, 0x406, URZ",
      "  UTCHMMA.2CTA gdesc[desc_a1.0], gdesc[desc_b1.0], tmem[acc_1], tmem[zero_idesc.0], idesc[zero_idesc.1], UPT",
      "  UMOV first, 0x1",
      "  UTCBAR.2CTA.MULTICAST [stage_empty@stage], URZ, stage_mask",
      "~ PLOP3.LUT stage_stays_p, PT, PT, PT, stage_stays, 0x80, 0x8",
      "~ @stage_stays UIADD3 stage_pos, UPT, UPT, stage_pos, 0x1, URZ",
      "~ @!stage_stays UIADD3 stage_pos, UPT, UPT, stage_pos, -0x3, URZ",
      "~ @!stage_stays_p LOP3.LUT stage_parity, stage_parity, 0x80000000, RZ, 0x3c, !PT",
      "+ UIMAD stage_bar@stage, stage_pos, 0x8, stage_bar",
      "  SYNCS.PHASECHK.TRANS64 landed, [stage_bar@stage], stage_parity",
      "~ @k_more BRA LOOP_5",
  };
  REQUIRE(loop.size() == expected.size());
  for (std::size_t i = 0; i < loop.size(); ++i) CHECK(loop[i] == expected[i]);
}

TEST_CASE("the 128 x 128 main loop: 30 lines, 8 of the program") {
  sass::Program program = test::program_of(test::gemm({}));
  std::vector<std::string> loop = test::loop_of(program, "mma", "k");
  CHECK(loop.size() == 30);
  CHECK(count(loop, "  ") == 8);   // a comparison, a wait, four MMAs, a move, a commit
  CHECK(count(loop, "+ ") == 12);  // four multiply-adds, two words an MMA
  CHECK(count(loop, "~ ") == 10);
  CHECK(has(test::code_of(program, "mma"), "+ UIMAD acc@accumulator, accumulator_pos, 0x80, acc"));
}

TEST_CASE("the loading warp's loop: an induction, four multiply-adds, vectors whose last register is set outside") {
  sass::Program program = test::program_of(test::gemm({}));
  std::vector<std::string> loop = test::loop_of(program, "loads", "k");
  const std::vector<std::string> expected = {
      "~ IADD3 k, PT, PT, k, 0x1, RZ",
      "~ ISETP.LT.U32.AND k_more, PT, k, 0x1f, PT",
      "+ UIADD3 k_at, UPT, UPT, k_at, 0x40, URZ",
      "~ UISETP.NE.U32.AND stage_stays, UPT, stage_pos, 0x7, UPT",
      "+ UIMAD stage_bar@stage, stage_pos, 0x8, stage_bar",
      "+ UIMAD leader_stage_bar@stage, stage_pos, 0x8, leader_stage_bar",
      "+ UIMAD sa@stage, stage_pos, 0x2000, sa",
      "+ UIMAD sb@stage, stage_pos, 0x4000, sb",
      "  SYNCS.PHASECHK.TRANS64.TRYWAIT waited, [stage_bar@stage+0x40], stage_parity",
      "~ @!waited NANOSLEEP.SYNCS 0xc350",
      "~ @!waited BRA WAIT_1",
      "  @one_half_is_0 SYNCS.ARRIVE.TRANS64 RZ, [stage_bar@stage], stage_bytes",
      "+ UMOV load_a.0, sa@stage",
      "+ UMOV load_a.1, leader_stage_bar@stage",
      "+ UMOV load_a.2, k_at",
      "  UTMALDG.2D.2CTA [load_a], [map_a]",
      "+ UMOV load_b.0, sb@stage",
      "+ UMOV load_b.1, leader_stage_bar@stage",
      "+ UMOV load_b.2, k_at",
      "  UTMALDG.2D.2CTA [load_b], [map_b]",
      "~ PLOP3.LUT stage_stays_p, PT, PT, PT, stage_stays, 0x80, 0x8",
      "~ @stage_stays UIADD3 stage_pos, UPT, UPT, stage_pos, 0x1, URZ",
      "~ @!stage_stays UIADD3 stage_pos, UPT, UPT, stage_pos, -0x7, URZ",
      "~ @!stage_stays_p LOP3.LUT stage_parity, stage_parity, 0x80000000, RZ, 0x3c, !PT",
      "~ @k_more BRA LOOP_2",
  };
  CHECK(loop == expected);
  std::vector<std::string> code = test::code_of(program, "loads");
  CHECK(has(code, "+ UIADD3 load_a.3, UPT, UPT, a_row_base, w.row, URZ"));
  CHECK(has(code, "+ UMOV k_at, -0x40"));
  CHECK(has(code, "+ ULOP3.LUT leader_stage_bar, stage_bar, 0xfeffffff, URZ, 0xc0, !UPT"));
}

TEST_CASE("what a role stores from is addressed once: a register a lane, offsets in the instruction") {
  sass::Program program = test::program_of(test::gemm({}));
  std::vector<std::string> code = test::code_of(program, "stores");
  CHECK(has(code, "  STS [staging_at+0x780], v.31"));
  CHECK(has(code, "+ UIADD3 store_c1.0, UPT, UPT, staging, 0x400, URZ"));
  CHECK(count(code, "+ IMAD staging_at") == 1);
  CHECK(count(code, "+ UIADD3 store_c0.1") == 1);  // the column: where w.col is written
  CHECK(has(code, "  @one SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [leader_accumulator_bar@accumulator+0x10], RZ"));
  CHECK(has(code, "  LDTM.x32 v, tmem[acc@accumulator+0x60]"));
}

TEST_CASE("every derived line is held to something, every line that reaches memory too") {
  sass::Program program = test::program_of(test::gemm({}));
  using Kind = sass::Operand::Kind;
  for (const sass::Line& line : program.lines) {
    INFO(sass::print_line(program, line, sass::Form::named));
    bool reaches = line.mark == sass::Mark::derived;
    for (const sass::Operand& operand : line.operands) {
      reaches = reaches || operand.kind == Kind::shared || operand.kind == Kind::gdesc ||
                operand.kind == Kind::tensor || (operand.kind == Kind::vector && line.opcode->name != "UTMACCTL");
    }
    CHECK(line.held.empty() == !reaches);
  }
}

TEST_CASE("the text of a program is read back as it was written") {
  for (const test::GemmShape& shape :
       {test::GemmShape{}, test::GemmShape{4, 1, 256, 256, 128, true}, test::GemmShape{1, 1, 128, 64, 1, false}}) {
    sass::Program program = test::program_of(test::gemm(shape));
    for (sass::Form form : {sass::Form::named, sass::Form::coloured, sass::Form::both}) {
      std::string text = sass::print(program, form);
      Sources sources;
      Diagnostics diagnostics;
      auto read = sass::read(sources.add("k.sass", text), sources, diagnostics);
      std::string said;
      llvm::raw_string_ostream out(said);
      diagnostics.print(out, sources);
      INFO(said);
      REQUIRE(read);
      CHECK(sass::print(*read, form) == text);
    }
  }
}

TEST_CASE("show") {
  if (std::getenv("WARPCC_SHOW")) llvm::outs() << sass::print(test::program_of(test::gemm({})), sass::Form::named);
}
