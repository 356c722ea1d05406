// Hopper's MMAs: a tile by hand, and what each of their rules says when it is broken.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

std::string gemm() {
  std::ifstream in(WARPCC_SOURCE_DIR "/tests/golden/ptx/hopper-gemm.sass");
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Options with_values() {
  Options options;
  options.values = true;
  return options;
}

constexpr std::string_view kWait = "WARPGROUP.DEPBAR.LE gsb0, 0x1";
constexpr std::string_view kLastWait = "WARPGROUP.DEPBAR.LE gsb0, 0x0";

}  // namespace

#define REPORTS(text, kind, what)          \
  do {                                     \
    Run result = run(text, with_values()); \
    CAPTURE(result.report);                \
    CHECK(result.found(kind, what));       \
  } while (false)

TEST_CASE("the tile is exact, by name and coloured") {
  for (bool coloured : {false, true}) {
    Run result = run(gemm(), with_values(), coloured);
    CAPTURE(result.report);
    CHECK(result.outcome.findings.empty());
    CHECK(result.outcome.values_compared == 8192);
  }
}

TEST_CASE("registers that MMAs share with another value are found, with values and without") {
  for (bool values : {false, true}) {
    std::string text =
        changed(gemm(), "~ MOV k, 0x0\n~ UMOV desc_a.1", "~ MOV k, 0x0\n  MOV other, 0x1\n~ UMOV desc_a.1");
    text = changed(text, "  WARPGROUP.DEPBAR.LE gsb0, 0x1\n", "  MOV other, 0x7\n  WARPGROUP.DEPBAR.LE gsb0, 0x1\n");
    Options options;
    options.values = values;
    Run result = run_in_one_register(text, "other", "acc", options);
    CAPTURE(result.report);
    CHECK(result.found(Kind::colouring, "reads acc.0 as "));
  }
}

TEST_CASE("a fence comes before what touches the registers of an MMA") {
  REPORTS(without(gemm(), "WARPGROUP.ARRIVE", 2), Kind::protocol, "no `mma.fence` comes before this warp's first MMA");
}

TEST_CASE("nobody touches the registers of an MMA under way") {
  REPORTS(without(gemm(), kLastWait), Kind::protocol,
          "reads acc.0, which an MMA under way computes: `mma.wait` comes first");
  REPORTS(changed(gemm(), "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n", "  MOV acc.9, 0x0\n  WARPGROUP.DEPBAR.LE gsb0, 0x0\n"),
          Kind::protocol, "writes acc.9, which an MMA under way computes");
}

TEST_CASE("registers touched since the fence need another") {
  REPORTS(
      changed(gemm(), "  WARPGROUP.ARRIVE ; mma.fence\n  HGMMA.64x128x16.F32 acc, gdesc[desc_a.0], gdesc[desc_b.0], RZ",
              "  WARPGROUP.ARRIVE ; mma.fence\n  MOV acc.5, 0x1\n  HGMMA.64x128x16.F32 acc, gdesc[desc_a.0], "
              "gdesc[desc_b.0], RZ"),
      Kind::protocol, "computes acc.5, which was read or written since the last `mma.fence`");
}

TEST_CASE("an MMA of another shape on the same registers comes behind a fence") {
  const std::string mma = "  HGMMA.64x64x16.F32 acc, gdesc[desc_a.0], gdesc[desc_b.0], acc, UPT\n";
  const std::string wait = "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n";
  auto other_shape = [&](const std::string& before) {
    return changed(gemm(), wait, before + mma + "  WARPGROUP.ARRIVE\n" + wait);
  };
  REPORTS(other_shape(""), Kind::protocol,
          "computes acc.0, which an MMA of another shape, or of other registers, computed since the last `mma.fence`");
  Run fenced = run(other_shape("  WARPGROUP.ARRIVE\n"));
  CAPTURE(fenced.report);
  CHECK(!fenced.found(Kind::protocol, "another shape"));
  // A group that has been waited for is computed.
  Run waited = run(other_shape(wait));
  CAPTURE(waited.report);
  CHECK(!waited.found(Kind::protocol, "another shape"));
}

TEST_CASE("an MMA that reads what is not there yet is a race as well") {
  Run result = run(changed(gemm(), "~ @!waited BRA WAIT_2\n", ""));  // it asks once
  CAPTURE(result.report);
  CHECK(result.found(Kind::memory, "reads A "));
  CHECK(result.found(Kind::race, "sa[0]: the tensor core reads for `HGMMA`, the copy engine fills by `UTMALDG`"));
  CHECK(!result.found(Kind::memory, "which this warp has not written"));
}

TEST_CASE("a stage is handed back when its MMAs have read it") {
  REPORTS(without(gemm(), kWait), Kind::memory, "which an MMA or a store under way has yet to read");
  REPORTS(changed(gemm(), kWait, "WARPGROUP.DEPBAR.LE gsb0, 0x2"), Kind::memory,
          "which an MMA or a store under way has yet to read");
}

TEST_CASE("the order tells a stage that is freed while its group is pending") {
  std::string text = changed(gemm(), kWait, "WARPGROUP.DEPBAR.LE gsb0, 0x2");
  REPORTS(text, Kind::race,
          "sa[0]: the tensor core reads for `HGMMA`, the copy engine fills by `UTMALDG`: nothing orders");
  Run result = run(text);
  CHECK(result.report.find("group 1 of that warp, which is pending: of its groups it has waited for none") !=
        std::string::npos);
  CHECK(result.report.find("to mend: `mma.wait` that covers the MMA's group") != std::string::npos);
  // Where the earlier access was in its work, and the later one.
  CHECK(result.report.find("sb[0][.., 0 +: 16], stage_pos = 0, k = 0\n") != std::string::npos);
  CHECK(result.report.find("stage_full[0], stage_pos = 0, k = 3\n") != std::string::npos);
  CHECK(result.report.find("in order: `UTMALDG`") != std::string::npos);
}

TEST_CASE("what is added to has been computed") {
  REPORTS(changed(gemm(), "RZ, !UPT", "acc, UPT"), Kind::memory, "reads acc.0, which this warp has not written");
  REPORTS(changed(gemm(), "RZ, !UPT", "RZ, UPT"), Kind::protocol, "adds to other registers than it writes");
}

TEST_CASE("operands are held to their tiles") {
  REPORTS(changed(gemm(), "UIMAD desc_a.0, stage_pos, 0x200, 0x40 ", "UIMAD desc_a.0, stage_pos, 0x200, 0x42 ", 2),
          Kind::operand, "A's descriptor");
  REPORTS(changed(gemm(), "UMOV desc_b.1, 0x40000040 ", "UMOV desc_b.1, 0x80000040 "), Kind::operand,
          "a descriptor's high word");
  REPORTS(changed(gemm(), "((128, 1, 16), (64, 8, 512))", "((128, 1, 16), (8, 64, 512))"), Kind::operand, "whose (");
  REPORTS(changed(gemm(), "acc[.., ..]", "acc[.., 0 +: 120]", 8), Kind::operand, "D has 64 rows and 128 columns");
}

TEST_CASE("the four warps of a warpgroup go together") {
  std::string one_apart = changed(gemm(), "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n",
                                  "  UISETP.EQ.U32.XOR third, UPT, warp_index, 0x2, !UPT\n  BRA.U third, PAST\n  "
                                  "WARPGROUP.DEPBAR.LE gsb0, 0x0\nPAST:\n");
  REPORTS(one_apart, Kind::protocol, "of the 36 MMAs, fences and waits that its warpgroup begins");
  REPORTS(changed(gemm(), "desc_a.0, stage_pos, 0x200, 0x40 ", "desc_a.0, warp_index, 0x200, 0x40 ", 2), Kind::protocol,
          "give an MMA different operands");
}

namespace {

// Warpgroups that trade registers: the first gives, the second takes.
std::string trade(std::string_view gives, std::string_view takes, std::string_view before = "") {
  return ".kernel k\n.sm sm_90a\n.threads 256\n.registers 128\n.grid 1 1\n.form named\n.start\n"
         "  S2R tid, SR_TID.X\n  SHF.R.U32.HI warp_lanes, RZ, 0x5, tid\n  R2UR warp_index, warp_lanes\n"
         "  UISETP.GE.U32.AND second, UPT, warp_index, 0x4, UPT\n  BRA.U second, TAKES\n" +
         std::string(before) + "  USETMAXREG.DEALLOC.CTAPOOL " + std::string(gives) +
         "\n  EXIT\nTAKES:\n  USETMAXREG.TRY_ALLOC.CTAPOOL UPT, " + std::string(takes) + "\n  EXIT\n";
}

}  // namespace

TEST_CASE("registers that are given back can be taken") {
  Run result = run(trade("0x18", "0xe8"));
  CAPTURE(result.report);
  CHECK(result.outcome.findings.empty());
  REPORTS(trade("0x18", "0xf0"), Kind::hang,
          "for 240 registers a thread: it has 128, and the CTA's warps have given back");
  REPORTS(trade("0x1c", "0xe0"), Kind::protocol, "asks for 28 registers a thread: 24 to 256 in steps of 8");
  REPORTS(trade("0x88", "0x88"), Kind::protocol, "lowers to 136 registers a thread and has 128");
  REPORTS(trade("0x18", "0x40"), Kind::protocol, "raises to 64 registers a thread and has 128");
  REPORTS(without(trade("0x18", "0xe8"), ".registers"), Kind::protocol, "`.registers`");
  CHECK(run(changed(trade("0x18", "0xe8"), ".registers 128", ".registers 121")).outcome.findings.empty());  // of 128
  REPORTS(changed(trade("0x18", "0xe8"), ".threads 256", ".threads 1024"), Kind::protocol,
          "a CTA of 1024 threads with 128 registers each; an SM has 65536 at most");
}

TEST_CASE("registers that are given back held nothing") {
  std::string before, after;
  for (int i = 0; i < 25; ++i) {
    before += fmt::format("  MOV kept{}, RZ\n", i);
    after += fmt::format("  IADD3 sum{0}, kept{0}, RZ, RZ\n", i);
  }
  auto kernel = [&](std::string_view gives) {
    return changed(trade(gives, "0x80", before), "\n  EXIT\nTAKES", "\n" + after + "  EXIT\nTAKES");
  };
  REPORTS(kernel("0x18"), Kind::protocol, "25 registers of a thread hold values here, and it has 24");
  CHECK(run(kernel("0x20")).outcome.findings.empty());
}

namespace {

// Nothing is found but that lines are held to nothing.
bool right(const Run& result) {
  for (const Finding& finding : result.outcome.findings) {
    if (finding.kind != Kind::not_held) return false;
  }
  return true;
}

// A in registers, all ones, by a B of ones that lanes have written: 64 × 8 of k = 16.
std::string factor(std::string_view before_wait = "", std::string_view before_mma = "", std::string_view a = "left") {
  std::string text =
      ".kernel k\n.sm sm_90a\n.threads 128\n.dynsmem 2048\n.grid 1 1\n.form named\n.start\n"
      "  S2R tid, SR_TID.X\n  IMAD at, tid, 0x4, RZ\n  MOV ones, 0x3c003c00\n  STS [at+0x400], ones\n"
      "  FENCE.VIEW.ASYNC.S\n  BAR.SYNC.DEFER_BLOCKING 0x0\n"
      "  MOV left.0, ones\n  MOV left.1, ones\n  MOV left.2, ones\n  MOV left.3, ones\n"
      "  UMOV desc.0, 0x80040\n  UMOV desc.1, 0x10\n  WARPGROUP.ARRIVE\n";
  return text + std::string(before_mma) + "  HGMMA.64x8x16.F32 d, " + std::string(a) +
         ", gdesc[desc.0], RZ, !UPT, gsb0\n" + std::string(before_wait) +
         "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n  STS [at+0x600], d.0\n  LDS sum, [at+0x600]\n  EXIT\n";
}

}  // namespace

TEST_CASE("A in registers") {
  for (bool coloured : {false, true}) {
    Run result = run(factor(), with_values(), coloured);
    CAPTURE(result.report);
    CHECK(right(result));
  }
  REPORTS(factor("  MOV left.1, 0x0\n"), Kind::protocol,
          "writes left.1, which an MMA under way has as A: `mma.wait` comes first");
  REPORTS(factor("  STS [at+0x600], left.3\n"), Kind::protocol, "reads left.3, which an MMA under way has as A");
  REPORTS(factor("", "  MOV left.1, ones\n"), Kind::protocol,
          "has as A left.1, which was read or written since the last `mma.fence`");
  REPORTS(factor("", "", "RZ"), Kind::protocol, "has no registers as A: four of a lane hold it");
  REPORTS(without(factor(), "MOV left.2"), Kind::memory, "reads left.2, which this warp has not written");
  // Each MMA has one use of a register at a time.
  REPORTS(factor("  WARPGROUP.ARRIVE\n  HGMMA.64x8x16.F32 left, gdesc[desc.0], gdesc[desc.0], RZ, !UPT, gsb0\n"),
          Kind::protocol, "computes left.0, which an MMA under way has as A: `mma.wait` and `mma.fence` come first");
  const std::string done = "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n";
  REPORTS(factor(done + "  HGMMA.64x8x16.F32 left, gdesc[desc.0], gdesc[desc.0], RZ, !UPT, gsb0\n"), Kind::protocol,
          "computes left.0, which an MMA had as A since the last `mma.fence`");
  REPORTS(factor(done + "  HGMMA.64x8x16.F32 e, d, gdesc[desc.0], RZ, !UPT, gsb0\n"), Kind::protocol,
          "has as A d.0, which an MMA computed since the last `mma.fence`");
  REPORTS(factor("  WARPGROUP.ARRIVE\n  HGMMA.64x8x16.F32 e, d, gdesc[desc.0], RZ, !UPT, gsb0\n"), Kind::protocol,
          "has as A d.0, which an MMA under way computes: `mma.wait` and `mma.fence` come first");
}

TEST_CASE("A is read when its MMA is computed: what has its registers by then is found") {
  std::string text = factor("  MOV other, 0x7\n");
  text = changed(text, "  LDS sum", "  STS [at+0x600], other\n  LDS sum");
  for (bool values : {false, true}) {
    Options options;
    options.values = values;
    Run result = run_in_one_register(text, "other", "left", options);
    CAPTURE(result.report);
    CHECK(result.found(Kind::colouring, "reads left.0 as "));
  }
  // The colouring keeps them apart.
  Run result = run(text, with_values(), true);
  CAPTURE(result.report);
  CHECK(right(result));
}
