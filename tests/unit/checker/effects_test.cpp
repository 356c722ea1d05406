// What a warp does beside computing: by it two programs are told to do the same.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

// Two warps meet twice; each waits for the other by an mbarrier, and stores what it has counted.
constexpr std::string_view kMeet = R"(.kernel k
.sm sm_100a
.threads 64
.dynsmem 1024
.param out 0
.grid 2 1
.cluster 1 mate:1
.form named
.buffer out global param out u32 (4) : (1)
.mbar met 0x408 x1 arrivals 2
.start
  S2R tid, SR_TID.X
  S2UR id, SR_CTAID.X
  SHF.R.U32.HI warp_lanes, RZ, 0x5, tid
  R2UR warp_index, warp_lanes
  ELECT one, URZ, PT
  UISETP.NE.U32.AND second, UPT, warp_index, 0x0, UPT
  UMOV base, 0x408
  UMOV counts.0, 0x1ffffc
  UMOV counts.1, 0x7ffff000
  MOV parity, RZ
  MOV unused, 0x7
  BRA.U second, MEET
  @one SYNCS.EXCH.64 URZ, [base], counts
MEET:
  BAR.SYNC.DEFER_BLOCKING 0x0
  @one SYNCS.ARRIVE.TRANS64.A1T0 RZ, [base], RZ
WAIT:
  SYNCS.PHASECHK.TRANS64.TRYWAIT waited, [base], parity
  @!waited NANOSLEEP.SYNCS 0xc350
  @!waited BRA WAIT
  LDC.64 place, c[0x0][0x380]
  UIMAD number, id, 0x2, warp_index
  MOV index, number
  IMAD.WIDE.U32 at, index, 0x4, place
  UMOV i, 0x0
LOOP:
  UIADD3 i, UPT, UPT, i, 0x1, URZ
  UISETP.NE.U32.AND again, UPT, i, 0x8, UPT
  BRA.U again, LOOP
  MOV counted, i
  FENCE.VIEW.ASYNC.S
  @one STG.E [at.64], counted
  EXIT
)";

WarpEffects effects_of(const std::string& text, std::uint64_t seed = 0) {
  WarpEffects effects;
  Options options;
  options.clusters = Options::Clusters::all;
  options.seed = seed;
  options.effects = &effects;
  Run result = run(text, options);
  CAPTURE(result.report);
  CHECK(!result.outcome.failed());
  CHECK(effects.size() == 4);
  return effects;
}

}  // namespace

TEST_CASE("what a program does is the same each time, in any order") {
  WarpEffects once = effects_of(std::string(kMeet));
  for (std::uint64_t seed = 0; seed < 4; ++seed) CHECK(effects_of(std::string(kMeet), seed) == once);
}

TEST_CASE("what only computes, or is done twice, is nobody else's matter") {
  WarpEffects once = effects_of(std::string(kMeet));
  auto same = [&](std::string_view what, std::string_view with) {
    CHECK(effects_of(changed(std::string(kMeet), what, with)) == once);
  };
  same("MOV unused, 0x7", "MOV unused, 0x8");
  same("  MOV unused, 0x7\n", "");
  same("UMOV i, 0x0", "UMOV i, 0x8\n  UMOV i, 0x0");
  same("  FENCE.VIEW.ASYNC.S\n", "  FENCE.VIEW.ASYNC.S\n  FENCE.VIEW.ASYNC.S\n");
}

TEST_CASE("another operand, another wait, or one less, is seen") {
  WarpEffects once = effects_of(std::string(kMeet));
  auto differs = [&](std::string_view what, std::string_view with) {
    WarpEffects other = effects_of(changed(std::string(kMeet), what, with));
    CHECK(other != once);
    return other;
  };
  differs("i, 0x8, UPT", "i, 0x9, UPT");  // what is stored
  differs("  FENCE.VIEW.ASYNC.S\n", "");
  differs("  FENCE.VIEW.ASYNC.S\n", "  FENCE.VIEW.ASYNC.G\n");
  differs("  @!waited BRA WAIT\n", "");
  // Of one warp's alone.
  WarpEffects other = differs("UIMAD number, id, 0x2, warp_index",
                              "UIMAD number, id, 0x2, warp_index\n  UISETP.NE.U32.AND last, UPT, number, 0x3, UPT\n"
                              "  BRA.U last, PAST\n  FENCE.VIEW.ASYNC.G\nPAST:");
  int unlike = 0;
  for (const auto& [warp, effects] : once) unlike += other.at(warp) != effects;
  CHECK(unlike == 1);
}
