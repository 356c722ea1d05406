// Single instructions lifted, each held to its PTX and assembled where a ptxas is found.
#include "ptx/lift.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "sass/text.h"

using namespace warpcc;

namespace {

constexpr std::string_view kHeader = R"(.kernel k
.sm {}
.threads 128
.dynsmem 4096
.tmap a 64 64 2 8 64 128
.param flags 0
.grid 2 1
.cluster 2 half:2
.mbarriers 1
.form named
)";

// Plain registers that the cases read.
constexpr std::string_view kSet = R"(  S2R R0, SR_TID.X
  S2R R1, SR_LANEID
  S2R R2, SR_CTAID.X
  S2R R3, SR_CTAID.Y
  S2UR UR4, SR_CTAID.X
  S2UR UR5, SR_CTAID.Y
  S2UR UR6, SR_CTAID.Z
  S2UR UR7, SR_CgaCtaId
  ISETP.NE.U32.AND P0, PT, R0, 0x5, PT
  ISETP.NE.U32.AND P1, PT, R1, 0x5, PT
  UISETP.NE.U32.AND UP0, UPT, UR4, 0x5, UPT
  UISETP.NE.U32.AND UP1, UPT, UR5, 0x5, UPT
)";

struct Result {
  std::string text;  // empty: refused
  std::string complaints;
};

Result lift(std::string_view lines, std::string_view target = "sm_100a", bool set = true) {
  Sources sources;
  Diagnostics diagnostics;
  std::string text = fmt::format(fmt::runtime(kHeader), target) + ".start\n" + std::string(set ? kSet : "") +
                     std::string(lines) + "  EXIT\n";
  FileId file = sources.add("case.sass", text);
  Result result;
  if (auto program = sass::read(file, sources, diagnostics)) {
    if (auto ptx = ptx::lift(*program, diagnostics)) result.text = *ptx;
  }
  llvm::raw_string_ostream out(result.complaints);
  diagnostics.print(out, sources);
  return result;
}

const std::string& ptxas() {
  static const std::string kPath = ptx::find_ptxas("", WARPCC_SOURCE_DIR "/build/bin/warpcc").path;
  return kPath;
}

void check_assembles(const std::string& text, isa::Target target = isa::Target::sm_100a) {
  if (ptxas().empty()) return;
  auto assembled = ptx::assemble(ptxas(), text, target);
  if (!assembled) {
    FAIL(llvm::toString(assembled.takeError()) << text);
    return;
  }
  CHECK(assembled->spill_loads == 0);
  CHECK(assembled->log.find("warning") == std::string::npos);
  CHECK(!assembled->cubin.empty());
}

// The lines lift to text that holds this, and it assembles.
void lifts_to(std::string_view sass, std::string_view ptx, isa::Target target = isa::Target::sm_100a) {
  CAPTURE(sass);
  Result result = lift(sass, isa::name(target));
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK_MESSAGE(result.text.find(ptx) != std::string::npos, "wanted ", ptx, " in ", result.text);
  check_assembles(result.text, target);
}

void refused(std::string_view sass, std::string_view code, isa::Target target = isa::Target::sm_100a) {
  CAPTURE(sass);
  Result result = lift(sass, isa::name(target));
  CHECK(result.text.empty());
  CHECK_MESSAGE(result.complaints.find(code) != std::string::npos, result.complaints);
}

}  // namespace

TEST_CASE("templates of the table") {
  lifts_to("  UIMAD UR20, UR4, 0x18, UR5\n", "mad.lo.u32 %UR20, %UR4, 0x18, %UR5;");
  lifts_to("  USHF.R.U32.HI UR20, URZ, 0x4, UR4\n", "shr.u32 %UR20, %UR4, 4;");
  lifts_to("  ULOP3.LUT UR20, UR4, 0xfeffffff, URZ, 0xc0, !UPT\n", "and.b32 %UR20, %UR4, 0xfeffffff;");
  lifts_to("  LOP3.LUT R20, R1, R2, RZ, 0xfc, !PT\n", "or.b32 %R20, %R1, %R2;");
  lifts_to("  LOP3.LUT R20, R0, R1, R2, 0xfc, !PT\n", "lop3.b32 %R20, %R0, %R1, %R2, 0xfc;");
  lifts_to("  USEL UR20, UR4, UR5, !UP0\n", "selp.b32 %UR20, %UR4, %UR5, !%UP0;");
  lifts_to("  USEL UR20, UR4, UR5, UPT\n", "mov.pred %q0, 1;\n  selp.b32 %UR20, %UR4, %UR5, %q0;");
  lifts_to("  IMAD.MOV.U32 R20, RZ, RZ, UR4\n", "mov.b32 %R20, %UR4;");
  lifts_to("  IMAD R20, R0, R1, -R2\n", "neg.s32 %t0, %R2;\n  mad.lo.u32 %R20, %R0, %R1, %t0;");
  lifts_to("  FADD R20, R0, -R1\n", "neg.f32 %t0, %R1;\n  add.rn.f32 %R20, %R0, %t0;");
  lifts_to("  F2FP.F16.F32.PACK_AB R20, R0, RZ\n", "cvt.rn.f16x2.f32 %R20, %R0, 0f00000000;");
  lifts_to("  S2R R20, SR_CgaCtaId\n", "mov.u32 %R20, %cluster_ctarank;");
  lifts_to("  R2UR UR20, R0\n", "mov.b32 %UR20, %R0;");
  lifts_to("  WARPSYNC.ALL\n", "bar.warp.sync 0xffffffff;");
  lifts_to("  ACQBULK\n  PREEXIT\n", "griddepcontrol.wait;\n  griddepcontrol.launch_dependents;");
  lifts_to("  @P0 EXIT\n", "@%P0 ret;");
}

TEST_CASE("an operand without a place in PTX must be the constant register") {
  refused("  USHF.L.U32 UR20, UR4, 0x2, UR5\n", "operands-not-lifted");
}

TEST_CASE("additions") {
  lifts_to("  UIADD3 UR20, UPT, UPT, UR4, 0x1, URZ\n", "add.u32 %UR20, %UR4, 1;");
  lifts_to("  UIADD3 UR20, UPT, UPT, UR4, -0x7, URZ\n", "add.u32 %UR20, %UR4, -7;");
  lifts_to("  UIADD3 UR20, UPT, UPT, -UR4, 0x100, URZ\n", "sub.u32 %UR20, 0x100, %UR4;");
  lifts_to("  IADD3 R20, PT, PT, R0, UR4, -R1\n", "add.u32 %t0, %R0, %UR4;\n  sub.u32 %R20, %t0, %R1;");
  lifts_to("  IADD3 R20, PT, PT, RZ, RZ, RZ\n", "mov.b32 %R20, 0;");
  lifts_to("  IADD3 R20, P2, PT, R0, R1, RZ\n  IADD3.X R21, PT, PT, R2, R3, RZ, P2, !PT\n",
           "add.u32 %t0, %R0, %R1;\n  setp.lt.u32 %P2, %t0, %R0;\n  mov.b32 %R20, %t0;\n"
           "  selp.b32 %t1, 1, 0, %P2;\n  add.u32 %t2, %R2, %R3;\n  add.u32 %R21, %t2, %t1;");
  lifts_to("  UIMAD.WIDE.U32 UR20, UR4, 0x24924925, URZ\n  UIADD3 UR22, UPT, UPT, UR20, UR21, URZ\n",
           "mul.wide.u32 %d0, %UR4, 0x24924925;\n  mov.b64 {%UR20, %UR21}, %d0;");
  lifts_to("  ULEA UR20, UR4, UR5, 0x3\n", "mad.lo.u32 %UR20, %UR4, 0x8, %UR5;");
}

TEST_CASE("comparisons and predicates") {
  lifts_to("  ISETP.LT.U32.AND P2, PT, R0, 0x1f, PT\n  @P2 EXIT\n", "setp.lt.u32 %P2, %R0, 0x1f;");
  lifts_to("  ISETP.LT.OR P2, PT, R0, R1, !P0\n  @P2 EXIT\n", "setp.lt.or.s32 %P2, %R0, %R1, !%P0;");
  lifts_to("  PLOP3.LUT P2, PT, PT, PT, UP0, 0x80, 0x8\n  @P2 EXIT\n", "mov.pred %P2, %UP0;");
  lifts_to("  PLOP3.LUT P2, PT, PT, P0, UP0, 0x80, 0x8\n  @P2 EXIT\n", "and.pred %P2, %P0, %UP0;");
  lifts_to("  PLOP3.LUT P2, PT, P1, P0, UP0, 0x80, 0x8\n  @P2 EXIT\n",
           "and.pred %q0, %P1, %P0;\n  and.pred %P2, %q0, %UP0;");
  lifts_to("  PLOP3.LUT P2, PT, PT, P0, !P1, 0x80, 0x8\n  @P2 EXIT\n", "and.pred %P2, %P0, !%P1;");
  lifts_to("  PLOP3.LUT P2, PT, P0, PT, UP0, 0xae, 0xea\n  @P2 EXIT\n", "or.pred %P2, !%P0, %UP0;");
  lifts_to("  PLOP3.LUT P2, PT, P0, P1, UP0, 0x96, 0x0\n  @P2 EXIT\n", "lop3.b32 %t3, %t0, %t1, %t2, 0x96;");
  lifts_to("  PLOP3.LUT P2, PT, PT, PT, PT, 0x8, 0x80\n  @P2 EXIT\n", "mov.pred %P2, 0;");
}

TEST_CASE("a guarded write of a uniform register is a selection") {
  lifts_to("  @UP0 UIADD3 UR4, UPT, UPT, UR4, 0x1, URZ\n  UIADD3 UR20, UPT, UPT, UR4, 0x0, URZ\n",
           "add.u32 %t0, %UR4, 1;\n  selp.b32 %UR4, %t0, %UR4, %UP0;");
  lifts_to("  @!UP0 UIADD3 UR4, UPT, UPT, UR4, 0x1, URZ\n  UIADD3 UR20, UPT, UPT, UR4, 0x0, URZ\n",
           "add.u32 %t0, %UR4, 1;\n  selp.b32 %UR4, %UR4, %t0, %UP0;");
  lifts_to(
      "  @UP0 UIADD3 UR4, UPT, UPT, UR4, 0x1, URZ\n  @!UP0 UIADD3 UR4, UPT, UPT, UR4, -0x7, URZ\n"
      "  UIADD3 UR20, UPT, UPT, UR4, 0x0, URZ\n",
      "add.u32 %t0, %UR4, 1;\n  add.u32 %t1, %UR4, -7;\n  selp.b32 %UR4, %t0, %t1, %UP0;");
  // Another register, or the same guard: two selections.
  lifts_to(
      "  @UP0 UMOV UR4, 0x1\n  @!UP0 UMOV UR5, UR4\n  UIADD3 UR20, UPT, UPT, UR4, UR5, URZ\n",
      "mov.b32 %t0, 1;\n  selp.b32 %UR4, %t0, %UR4, %UP0;\n  mov.b32 %t1, %UR4;\n  selp.b32 %UR5, %UR5, %t1, %UP0;");
  // A predicate beside the register is no matter of a selection.
  lifts_to("  @UP0 UIADD3 UR4, UP2, UPT, UR4, UR5, URZ\n  @UP2 UMOV UR4, 0x0\n  UIADD3 UR20, UPT, UPT, UR4, 0x1, URZ\n",
           "add.u32 %t0, %UR4, %UR5;\n  @%UP0 setp.lt.u32 %UP2, %t0, %UR4;\n  @%UP0 mov.b32 %UR4, %t0;");
  lifts_to("  @P0 MOV R0, 0x1\n  STS [R1], R0\n", "@%P0 mov.b32 %R0, 1;");
}

TEST_CASE("waits") {
  std::string wait =
      "WAIT:\n  SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [UR4+0x18], R20\n  @!P2 NANOSLEEP.SYNCS 0xc350\n  @!P2 BRA WAIT\n";
  lifts_to("  MOV R20, 0x80000000\n" + wait,
           "mov.b32 %R20, 1;\n$WAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %P2, [%UR4+24], %R20, 50000;\n  @!%P2 "
           "bra $WAIT;");
  // Not only a parity: bit 31 is brought down.
  lifts_to("  LDS R20, [R0]\n" + wait, "shr.u32 %t0, %R20, 31;");
  lifts_to("  SYNCS.PHASECHK.TRANS64 P2, [UR4], RZ\n  @P2 EXIT\n",
           "mbarrier.test_wait.parity.shared::cta.b64 %P2, [%UR4], 0;");
  refused("  NANOSLEEP.SYNCS 0xc350\n", "sleep-without-wait");
}

TEST_CASE("a parity is held in bit 0") {
  lifts_to(
      "  MOV R20, RZ\nLOOP:\n  SYNCS.PHASECHK.TRANS64 P2, [UR4], R20\n  @!P0 LOP3.LUT R20, R20, 0x80000000, RZ, 0x3c, "
      "!PT\n"
      "  @P2 BRA LOOP\n",
      "selp.b32 %t0, 0, 1, %P0;\n  xor.b32 %R20, %R20, %t0;");
}

TEST_CASE("arrivals") {
  lifts_to("  @P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\n", "@%P0 mbarrier.arrive.shared::cta.b64 _, [%UR4];");
  lifts_to("  SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], RZ\n", "mbarrier.arrive.shared::cluster.b64 _, [%UR4];");
  lifts_to("  SYNCS.ARRIVE.TRANS64.RED.A1T0.CLUSTER RZ, [UR4], RZ\n",
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%UR4];");
  lifts_to("  SYNCS.ARRIVE.TRANS64 RZ, [UR4+0x8], R0\n", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%UR4+8], %R0;");
  lifts_to("  SYNCS.ARRIVE.TRANS64.ART0 RZ, [UR4], R0\n", "mbarrier.arrive.shared::cta.b64 _, [%UR4], %R0;");
}

TEST_CASE("an mbarrier's counts") {
  lifts_to("  UMOV UR20, 0x1ffff8\n  UMOV UR21, 0x7fffe000\n  @P0 SYNCS.EXCH.64 URZ, [UR4], UR20\n",
           "@%P0 mbarrier.init.shared::cta.b64 [%UR4], 4;");
  lifts_to("  SYNCS.EXCH.64 URZ, [UR4], UR6\n",
           "shr.u32 %t0, %UR6, 1;\n  sub.u32 %t1, 0x100000, %t0;\n  mbarrier.init.shared::cta.b64 [%UR4], %t1;");
}

TEST_CASE("barriers and fences") {
  lifts_to("  MEMBAR.ALL.GPU\n  UCGABAR_ARV\n  UCGABAR_WAIT\n",
           "barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;");
  lifts_to("  UCGABAR_ARV\n", "barrier.cluster.arrive.relaxed.aligned;");
  lifts_to("  MEMBAR.ALL.GPU\n", "fence.acq_rel.gpu;");
  lifts_to("  BAR.SYNC.DEFER_BLOCKING 0x0\n", "bar.sync 0;");
  lifts_to("  BAR.ARV 0x1, 0x80\n", "bar.arrive 1, 0x80;");
  lifts_to("  NOP\n", "fence.mbarrier_init.release.cluster;");
  lifts_to("  FENCE.VIEW.ASYNC.S\n", "fence.proxy.async.shared::cta;");
  lifts_to("  DEPBAR.LE SB0, 0x1\n", "cp.async.bulk.wait_group.read 1;");
  lifts_to("  DEPBAR.LE SB0, 0x0\n  CCTL.IVALL\n", "cp.async.bulk.wait_group 0;");
  lifts_to("  DEPBAR.LE SB1, 0x0\n", "tcgen05.wait::ld.sync.aligned;");
}

TEST_CASE("memory") {
  lifts_to("  LDS R20, [UR4+0x10]\n  STS [R0+0x4], R20\n",
           "ld.shared.b32 %R20, [%UR4+16];\n  st.shared.b32 [%R0+4], %R20;");
  lifts_to("  STS.128 [R0], R0\n", "st.shared.v4.b32 [%R0], {%R0, %R1, %R2, %R3};");
  lifts_to("  LDCU.64 UR20, c[0x0][0x380]\n  STG.E desc[UR6][R0.64+0x8], R0\n", "ld.param.b32 %UR21, [param_flags+4];");
  lifts_to("  STG.E desc[UR6][R0.64+0x8], R2\n", "mov.b64 %d0, {%R0, %R1};\n  st.global.b32 [%d0+8], %R2;");
}

TEST_CASE("the copy engine: for the elected lane, a guard as a branch") {
  std::string vector = "  UMOV UR20, UR4\n  UMOV UR21, UR5\n  UMOV UR22, 0x0\n  UMOV UR23, UR6\n";
  lifts_to(vector + "  UTMALDG.2D [UR20], [map_a]\n",
           "@%elected cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%UR20], "
           "[%map_a, {%UR22, %UR23}], [%UR21];");
  lifts_to(vector + "  UTMALDG.2D.MULTICAST.2CTA [UR20], [map_a], UR7\n",
           "cvt.u16.u32 %h0, %UR7;\n  @%elected "
           "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
           ".multicast::cluster.cta_group::2 [%UR20], [%map_a, {%UR22, %UR23}], [%UR21], %h0;");
  lifts_to(vector + "  @UP0 UTMASTG.2D [UR20], [map_a]\n  UTMACMDFLUSH\n",
           "@!%UP0 bra $skip_1;\n  @%elected cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map_a, "
           "{%UR21, %UR22}], "
           "[%UR20];\n$skip_1:\n  cp.async.bulk.commit_group;");
  lifts_to(vector + "  UTMAREDG.2D.ADD [UR20], [map_a]\n",
           "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group");
  lifts_to("  UTMACCTL.PF [map_a]\n", "@%elected prefetch.tensormap [%map_a];");
}

namespace {

constexpr std::string_view kDescriptors =
    "  UMOV UR8, UR4\n  UMOV UR9, 0x40004040\n  UMOV UR10, UR5\n  UMOV UR11, 0x40004040\n"
    "  UMOV UR12, 0x0\n  UMOV UR13, {}\n";

std::string with_idesc(std::string_view idesc, std::string_view lines) {
  return fmt::format(fmt::runtime(kDescriptors), idesc) + std::string(lines);
}

}  // namespace

TEST_CASE("the tensor core") {
  lifts_to(
      with_idesc("0x10200010", "  UTCHMMA.2CTA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR12], idesc[UR13], !UP0\n"),
      "@%elected tcgen05.mma.cta_group::2.kind::f16 [%UR6], %d0, %d1, %UR13, !%UP0;");
  lifts_to(with_idesc("0x8200910", "  UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR12], idesc[UR13], UPT\n"),
           "@%elected tcgen05.mma.cta_group::1.kind::tf32 [%UR6], %d0, %d1, %UR13, 1;");
  lifts_to(with_idesc("0x8200010", "  UTCIMMA gdesc[UR8], gdesc[UR10], tmem[UR6+0x80], tmem[UR12], idesc[UR13], UPT\n"),
           "tcgen05.mma.cta_group::1.kind::i8 [%UR6+128], %d0, %d1, %UR13, 1;");
  refused(with_idesc("UR6", "  UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR12], idesc[UR13], UPT\n"),
          "mma-kind-unknown");
  lifts_to("  UTCBAR.2CTA.MULTICAST [UR4], URZ, UR5\n",
           "cvt.u16.u32 %h0, %UR5;\n  @%elected "
           "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster"
           ".b64 [%UR4], %h0;");
  lifts_to("  UTCBAR [UR4], URZ\n",
           "@%elected tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%UR4];");
  lifts_to(
      "  UTCATOMSWS.2CTA.FIND_AND_SET.ALIGN [UR4], 0x8\n  UVIRTCOUNT.DEALLOC.SMPOOL 0x80\n  UTCATOMSWS.AND UR6, 0x8\n",
      "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%UR4], 256;\n"
      "  tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
  lifts_to("  LDTM.x2 R20, tmem[UR4+0x20]\n  DEPBAR.LE SB1, 0x0\n  STS [R0], R21\n",
           "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%R20, %R21}, [%UR4+32];\n  tcgen05.wait::ld.sync.aligned;");
}

TEST_CASE("tensor memory is fenced where it changes hands") {
  Result result = lift(
      "  LDTM.x2 R20, tmem[UR4]\n  DEPBAR.LE SB1, 0x0\n  @P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ\n"
      "  BAR.SYNC.DEFER_BLOCKING 0x0\n  LDTM.x2 R20, tmem[UR4]\n  DEPBAR.LE SB1, 0x0\n  STS [R0], R21\n");
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK(result.text.find("tcgen05.fence::before_thread_sync;\n  @%P0 mbarrier.arrive") != std::string::npos);
  CHECK(result.text.find("bar.sync 0;\n  tcgen05.fence::after_thread_sync;\n  tcgen05.ld") != std::string::npos);
}

TEST_CASE("a program for one CTA and for a pair is refused") {
  refused("  UTCBAR.2CTA [UR4], URZ\n  UTCBAR [UR4], URZ\n", "mixed-cta-groups");
  Result result = lift("  UTCBAR.2CTA [UR4], URZ\n  UTCBAR [UR4], URZ\n");
  CHECK(result.complaints.find("`UTCBAR` and `UTCBAR.2CTA`") != std::string::npos);
}

TEST_CASE("a warpgroup's MMA, in place") {
  constexpr isa::Target kHopper = isa::Target::sm_90a;
  constexpr std::string_view kFence = "  WARPGROUP.ARRIVE\n", kWait = "  WARPGROUP.DEPBAR.LE gsb0, 0x0\n";
  auto lifts = [&](std::string_view opcode, std::string_view rest, std::string_view ptx) {
    lifts_to(fmt::format("{}  {} R20, gdesc[UR4]{}\n{}  STS.128 [R2], R20\n", kFence, opcode, rest, kWait), ptx,
             kHopper);
  };
  lifts("HGMMA.64x8x16.F32", ", gdesc[UR6], RZ, !UPT, gsb0",
        "wgmma.fence.sync.aligned;\n  mov.b64 %d0, {%UR4, %UR5};\n  mov.b64 %d1, {%UR6, %UR7};\n"
        "  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%R20, %R21, %R22, %R23}, %d0, %d1, 0, 1, 1, 0, 0;\n"
        "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;");
  // What it adds to is the register that it leaves, though the text writes it twice.
  lifts("HGMMA.64x8x16.F32", ", gdesc[UR6], RZ, !UPT\n  HGMMA.64x8x16.F32 R20, gdesc[UR4], gdesc[UR6], R20, UP1, gsb0",
        "{%R20, %R21, %R22, %R23}, %d2, %d3, %UP1, 1, 1, 0, 0;");
  // So it is where nothing reads a part of what it leaves.
  lifts_to(fmt::format("{}  HGMMA.64x8x16.F32 R20, gdesc[UR4], gdesc[UR6], RZ, !UPT\n"
                       "  HGMMA.64x8x16.F32 R20, gdesc[UR4], gdesc[UR6], R20, UPT, gsb0\n{}  STS [R2], R21\n",
                       kFence, kWait),
           "m64n8k16.f32.f16.f16 {%R20, %R21, %R22, %R23}, %d2, %d3, 1, 1, 1, 0, 0;", kHopper);
  lifts("HGMMA.64x16x16.F32.BF16", ".tnspA, gdesc[UR6].tnspB, RZ, !UPT, gsb0",
        "m64n16k16.f32.bf16.bf16 {%R20, %R21, %R22, %R23, %R24, %R25, %R26, %R27}, %d0, %d1, 0, 1, 1, 1, 1;");
  lifts("HGMMA.64x16x8.F32.TF32", ", gdesc[UR6], RZ, !UPT, gsb0", "m64n16k8.f32.tf32.tf32 {%R20, ");
  lifts("HGMMA.64x16x16.F16", ", gdesc[UR6], RZ, !UPT, gsb0",
        "m64n16k16.f16.f16.f16 {%R20, %R21, %R22, %R23}, %d0, %d1, 0, 1, 1, 0, 0;");
  lifts("IGMMA.64x8x32.S8.S8", ", gdesc[UR6], RZ, !UPT, gsb0",
        "m64n8k32.s32.s8.s8 {%R20, %R21, %R22, %R23}, %d0, %d1, 0;");
  lifts("QGMMA.64x8x32.F32.E4M3.E4M3", ", gdesc[UR6], RZ, !UPT, gsb0",
        "m64n8k32.f32.e4m3.e4m3 {%R20, %R21, %R22, %R23}, %d0, %d1, 0, 1, 1;");
  // A in registers: its four, and no major of its own.
  const std::string four = "  MOV R28, 0x0\n  MOV R29, 0x0\n  MOV R30, 0x0\n  MOV R31, 0x0\n";
  auto lifts_a = [&](std::string_view opcode, std::string_view rest, std::string_view ptx) {
    lifts_to(fmt::format("{}{}  {} R20, R28, gdesc[UR4]{}\n{}  STS.128 [R2], R20\n", four, kFence, opcode, rest, kWait),
             ptx, kHopper);
  };
  lifts_a("HGMMA.64x8x16.F32", ".tnspB, RZ, !UPT, gsb0",
          "mov.b64 %d0, {%UR4, %UR5};\n  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%R20, %R21, %R22, %R23}, "
          "{%R28, %R29, %R30, %R31}, %d0, 0, 1, 1, 1;\n  wgmma.commit_group.sync.aligned;");
  lifts_a("HGMMA.64x8x8.F32.TF32", ", RZ, !UPT, gsb0", "{%R28, %R29, %R30, %R31}, %d0, 0, 1, 1;");
  lifts_a("IGMMA.64x8x32.S8.S8", ", RZ, !UPT, gsb0", "{%R28, %R29, %R30, %R31}, %d0, 0;");
  refused("  HGMMA.64x8x16.F32 R20, RZ, gdesc[UR6], RZ, !UPT, gsb0\n", "operands-not-lifted", kHopper);
  const std::string add = "  MOV R24, 0x0\n  MOV R25, 0x0\n  MOV R26, 0x0\n  MOV R27, 0x0\n";
  refused(add + "  HGMMA.64x8x16.F32 R20, gdesc[UR4], gdesc[UR6], R24, UPT, gsb0\n", "operands-not-lifted", kHopper);
  refused("  HGMMA.64x8x16.F32 R20, gdesc[UR4], gdesc[UR6], RZ, UPT, gsb0\n", "operands-not-lifted", kHopper);
  refused("  QGMMA.64x8x32.F32.E4M3.E4M3 R20, gdesc[UR4].tnspA, gdesc[UR6], RZ, !UPT, gsb0\n", "operands-not-lifted",
          kHopper);
}

TEST_CASE("what later kernels need") {
  lifts_to("TAKE:\n  USETMAXREG.TRY_ALLOC.CTAPOOL UP2, 0xe8\n  BRA.U !UP2, TAKE\n",
           "setmaxnreg.inc.sync.aligned.u32 0xe8;\n  mov.pred %UP2, 1;\n  @!%UP2 bra $TAKE;");
  lifts_to(
      "  UGETNEXTWORKID.BROADCAST [UR4], [UR5]\n",
      "@%elected clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all"
      ".b128 [%UR4], [%UR5];");
  lifts_to("  F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R20, R0, R1, RZ\n  STS [R2], R20\n",
           "cvt.rn.satfinite.e4m3x2.f32 %h0, %R0, %R1;\n  cvt.u32.u16 %R20, %h0;");
  lifts_to("  SHFL.IDX PT, R20, R0, RZ, 0x1f\n  STS [R2], R20\n", "shfl.sync.idx.b32 %R20, %R0, 0, 0x1f, 0xffffffff;");
  lifts_to("  VOTE.ANY P2, P0\n  @P2 EXIT\n", "vote.sync.any.pred %P2, %P0, 0xffffffff;");
  lifts_to("  REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR6][R2.64], R0\n",
           "red.relaxed.gpu.global.add.v4.f32 [%d0], {%R0, %R1, %R2, %R3};");
}

TEST_CASE("Hopper: additions without carries, its parameter block") {
  Result result = lift("  S2R R0, SR_TID.X\n  IADD3 R1, R0, 0x5, RZ\n  ULDC.64 UR4, c[0x0][0x210]\n  STS [R0], R1\n",
                       "sm_90a", false);
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK(result.text.find(".target sm_90a") != std::string::npos);
  CHECK(result.text.find("add.u32 %R1, %R0, 5;") != std::string::npos);
  CHECK(result.text.find("ld.param.b32 %UR4, [param_flags+0];") != std::string::npos);
  check_assembles(result.text, isa::Target::sm_90a);
}

TEST_CASE("loops are not unrolled") {
  Result result = lift(
      "  UMOV UR20, 0x0\nLOOP:\n  UIADD3 UR20, UPT, UPT, UR20, 0x1, URZ\n  UISETP.LT.U32.AND UP2, UPT, UR20, UR4, UPT\n"
      "  BRA.U UP2, LOOP\n");
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK(result.text.find("$LOOP:\n  .pragma \"nounroll\";\n") != std::string::npos);
  CHECK(result.text.find("@%UP2 bra $LOOP;") != std::string::npos);
  check_assembles(result.text);
}

TEST_CASE("one register, several values: a PTX register each") {
  Result result = lift(
      "  UMOV UR20, 0x1\n  UIADD3 UR21, UPT, UPT, UR20, UR4, URZ\n  UMOV UR20, 0x2\n"
      "  UIADD3 UR22, UPT, UPT, UR20, UR21, URZ\n");
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK(result.text.find("mov.b32 %UR20, 1;") != std::string::npos);
  CHECK(result.text.find("mov.b32 %UR20_2, 2;") != std::string::npos);
  CHECK(result.text.find("add.u32 %UR22, %UR20_2, %UR21;") != std::string::npos);
}

TEST_CASE("writes that reach one read share a PTX register; a guarded write keeps what was there") {
  Result result = lift(
      "  UMOV UR20, 0x1\n  BRA.U UP0, MEET\n  UMOV UR20, 0x2\nMEET:\n  UIADD3 UR21, UPT, UPT, UR20, UR4, URZ\n"
      "  MOV R20, 0x3\n  @P0 MOV R20, 0x4\n  STS [R1], R20\n");
  REQUIRE_MESSAGE(!result.text.empty(), result.complaints);
  CHECK(result.text.find("mov.b32 %UR20, 1;") != std::string::npos);
  CHECK(result.text.find("mov.b32 %UR20, 2;") != std::string::npos);
  CHECK(result.text.find("mov.b32 %R20, 3;\n  @%P0 mov.b32 %R20, 4;\n  st.shared.b32 [%R1], %R20;") !=
        std::string::npos);
  CHECK(result.text.find("_2") == std::string::npos);
}

TEST_CASE("by name and coloured the same text") {
  std::string named =
      "  S2UR at, SR_CTAID.X\n  UIADD3 next@at, UPT, UPT, at, 0x1, URZ\n  UIADD3 at, UPT, UPT, next@at, at, URZ\n"
      "  UMOV pair.0, at\n  UMOV pair.1, next@at\n  SYNCS.EXCH.64 URZ, [at], pair\n";
  std::string coloured =
      "  S2UR at/UR4, SR_CTAID.X\n  UIADD3 next@at/UR5, UPT, UPT, UR4, 0x1, URZ\n  UIADD3 at/UR4, UPT, UPT, UR5, UR4, "
      "URZ\n"
      "  UMOV pair.0/UR6, UR4\n  UMOV pair.1/UR7, UR5\n  SYNCS.EXCH.64 URZ, [UR4], UR6\n";
  Result by_name = lift(named, "sm_100a", false);
  Result by_register = lift(coloured, "sm_100a", false);
  REQUIRE_MESSAGE(!by_name.text.empty(), by_name.complaints);
  CHECK(by_name.text.find("add.u32 %ur_at_2, %ur_next$at, %ur_at;") != std::string::npos);
  CHECK(by_name.text == by_register.text);
}
