// Flags that are seen as they were: where the schedule has it so, a warp's first load of a flag gets what it was before
// this launch wrote it.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

// CTA 0 stores a number and raises a flag; CTA 1 waits until the flag has reached a number, and adds to what is there.
// The flag counts over all launches.
constexpr std::string_view kFlag = R"(.kernel k
.sm sm_100a
.threads 32
.dynsmem 1024
.param data 0
.param flag 8
.grid 2 1
.cluster 1 mate:1
.form named
.buffer data global param data f32 (1) : (1)
.buffer flag global param flag u32 (1) : (1) kept
.start
  S2UR id, SR_CTAID.X
  ELECT one, URZ, PT
  LDC.64 data_at, c[0x0][0x380]
  LDC.64 flag_at, c[0x0][0x388]
  MOV number, 0x3f800000
  MOV more, 0x1
  UISETP.NE.U32.AND second, UPT, id, 0x0, UPT
  BRA.U second, WAIT
  @one STG.E [data_at.64], number
  MEMBAR.ALL.GPU
  WARPSYNC.ALL
  @one REDG.E.ADD.STRONG.GPU [flag_at.64], more
  EXIT
WAIT:
  LDG.E.STRONG.GPU seen, [flag_at.64]
  ISETP.GE.AND reached, PT, seen, GOAL, PT
  VOTEU.ALL all, reached
  BRA.U !all, WAIT
  MEMBAR.ALL.GPU
  @one REDG.E.ADD.F32.FTZ.RN.STRONG.GPU [data_at.64], number
  EXIT
)";

Run waiting_for(std::string_view goal, std::uint64_t seed) {
  Options options;
  options.clusters = Options::Clusters::all;
  options.seed = seed;
  return run(changed(std::string(kFlag), "GOAL", goal), options);
}

}  // namespace

TEST_CASE("who waits for the flag to be raised is in order, whatever its first load sees") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Run result = waiting_for("0x1", seed);
    CAPTURE(result.report);
    CHECK(result.outcome.races == 0);
    CHECK(result.outcome.hangs == 0);
  }
}

TEST_CASE("who takes a flag for raised that may not be is found where the load sees what it was") {
  Run usual = waiting_for("0x0", 0);
  CAPTURE(usual.report);
  CHECK(usual.outcome.races == 0);  // the other CTA happens to come first
  Run old = waiting_for("0x0", 2);
  CAPTURE(old.report);
  CHECK(old.found(Kind::race, "data[0]"));
}
