// Clusters that have to do with each other: flags in global memory, and work that is handed out.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

// A grid of clusters of one warp. All but the last wait for the flag that the last one raises.
constexpr std::string_view kFlags = R"(.kernel k
.sm sm_100a
.threads 32
.dynsmem 1024
.param flag 0
.grid 4 1
.cluster 1 mate:1
.form named
.buffer flag global param flag u32 (4) : (1) kept
.start
  S2UR id, SR_CTAID.X
  ELECT one, URZ, PT
  LDC.64 base, c[0x0][0x380] = addr.lo flag[0]
  MOV more, 0x1
  UISETP.NE.U32.AND waits, UPT, id, 0x3, UPT
  BRA.U waits, WAIT
  @one REDG.E.ADD.STRONG.GPU [base.64], more = flag[0]
  BRA END
WAIT:
  LDG.E.STRONG.GPU seen, [base.64] = flag[0]
  ISETP.GE.AND reached, PT, seen, 0x1, PT
  VOTEU.ALL all, reached
  BRA.U !all, WAIT
END:
  EXIT
)";

// The same where each raises the flag and waits until all have.
std::string meeting() {
  return changed(std::string(kFlags), "  BRA.U waits, WAIT\n", "");
}
std::string meeting_of(std::string_view clusters, std::string_view of) {
  std::string text =
      changed(changed(meeting(), "  BRA END\n", ""), ".grid 4 1", ".grid " + std::string(clusters) + " 1");
  return changed(text, "seen, 0x1", "seen, " + std::string(of));
}

// Clusters 0 and 3 of four take the other two.
constexpr std::string_view kWork = R"(.kernel k
.sm sm_100a
.threads 32
.dynsmem 1024
.grid 4 1
.cluster 1 mate:1
.form named
.buffer reply shared 0x400 u32 (4) : (1)
.mbar bar 0x600 arrivals 1 bytes 16
.value first ur 1 .. 3
.start
  S2UR rank, SR_CgaCtaId = (mate)
  USHF.L.U32 window, rank, 0x18, URZ
  ELECT one, URZ, PT
  UMOV counts.0, 0x1ffffe
  UMOV counts.1, 0x7ffff800
  @one SYNCS.EXCH.64 URZ, [window+0x600], counts = bar
  NOP
  MOV bytes, 0x10
  MOV parity, 0x0
  UMOV asked, 0x0
  UIADD3 to, UPT, UPT, window, 0x400, URZ
  UIADD3 signals, UPT, UPT, window, 0x600, URZ
ASK:
  WARPSYNC.ALL
  @one SYNCS.ARRIVE.TRANS64 RZ, [window+0x600], bytes = bar
  UGETNEXTWORKID.SELFCAST [to], [signals] = reply, bar
WAIT:
  SYNCS.PHASECHK.TRANS64.TRYWAIT waited, [window+0x600], parity = bar
  @!waited BRA WAIT
  LOP3.LUT parity, parity, 0x80000000, RZ, 0x3c, !PT
  LDS.128 word, [window+0x400] = reply[0 +: 4]
  R2UR took, word.2
  UIADD3 asked, UPT, UPT, asked, 0x1, URZ
  UISETP.NE.U32.AND more, UPT, took, URZ, UPT
  BRA.U !more, END
  R2UR first, word.0
  BRA.U more, ASK
END:
  EXIT
)";

// Each cluster stores to the same element.
constexpr std::string_view kSame = R"(.kernel k
.sm sm_100a
.threads 32
.dynsmem 1024
.param c 0
.grid 4 1
.cluster 1 mate:1
.form named
.buffer c global param c u32 (64) : (1)
.start
  ACQBULK
  LDC.64 base, c[0x0][0x380] = addr.lo c[0]
  S2R lane, SR_LANEID = (lane)
  IMAD.WIDE.U32 to, lane, 0x4, base
  STG.E [to.64], lane = c[lane]
  PREEXIT
  EXIT
)";

Options all() {
  Options options;
  options.clusters = Options::Clusters::all;
  return options;
}
Options some(std::vector<std::int64_t> which) {
  Options options;
  options.clusters = Options::Clusters::list;
  options.list = std::move(which);
  return options;
}

}  // namespace

#define SILENT(text, options)                                                                     \
  do {                                                                                            \
    for (std::uint64_t seed = 0; seed < 20; ++seed) {                                             \
      Options with = options;                                                                     \
      with.seed = seed;                                                                           \
      Run result = run(text, with);                                                               \
      CAPTURE(seed);                                                                              \
      CAPTURE(result.report);                                                                     \
      CHECK(result.outcome.findings.size() == static_cast<std::size_t>(result.outcome.not_held)); \
    }                                                                                             \
  } while (false)

#define REPORTS(text, options, kind, what) \
  do {                                     \
    Run result = run(text, options);       \
    CAPTURE(result.report);                \
    CHECK(result.found(kind, what));       \
  } while (false)

TEST_CASE("a flag is waited for, in any order of clusters") {
  SILENT(std::string(kFlags), Options{});
  SILENT(meeting_of("4", "0x4"), Options{});
  Run result = run(std::string(kFlags));
  CHECK(result.outcome.clusters_run == 4);
  CHECK(result.report.find("clusters wait for what others write: all 4 are run") != std::string::npos);
}

TEST_CASE("a flag that nobody raises") {
  REPORTS(std::string(kFlags), some({0, 1}), Kind::hang, "waits for flag[0], which holds 0 and which nothing changes");
  REPORTS(std::string(kFlags), some({0, 1}), Kind::hang,
          "2 clusters are not run; where they are waited for: --clusters all");
  REPORTS(changed(std::string(kFlags), "seen, 0x1", "seen, 0x2"), Options{}, Kind::hang,
          "CTA 0 warp 0 waits for flag[0], which holds 1");
  REPORTS(changed(std::string(kFlags), "seen, 0x1", "seen, 0x2"), Options{}, Kind::hang,
          "flag is written by `REDG`, executed 1 times in all clusters");
}

TEST_CASE("what is found does not depend on how many threads look for it") {
  std::string one;
  for (int threads : {1, 2, 3, 4}) {
    Options options = all();
    options.threads = threads;
    Run result = run(std::string(kSame), options);
    CAPTURE(result.report);
    CHECK(result.outcome.races == 6);
    CHECK(result.found(Kind::race, "c[0 +: 32]: is written by `STG`, is written by `STG`: by two clusters"));
    if (one.empty()) one = result.report;
    CHECK(result.report == one);
  }
}

TEST_CASE("two launches, of which the second begins before the first has ended") {
  Options twice = some({0});
  twice.launches = 2;
  Run right = run(std::string(kSame), twice);
  CAPTURE(right.report);
  CHECK(right.outcome.races == 0);
  Run early = run(without(std::string(kSame), "ACQBULK"), twice);
  CAPTURE(early.report);
  CHECK(early.outcome.races == 1);
  CHECK(early.found(Kind::race, "is written by `STG` in the kernel before, is written by `STG` before that has ended"));
  CHECK(early.found(Kind::protocol, "reaches global memory before this warp"));
  CHECK(early.report.find("to mend: `grid.wait` before this, in this warp or in one that it hears from") !=
        std::string::npos);
  // Where neither is there, kernels follow each other.
  CHECK(run(without(without(std::string(kSame), "ACQBULK"), "PREEXIT"), twice).outcome.findings.empty());
}

TEST_CASE("a cluster without work") {
  std::string idle = changed(std::string(kSame), "  STG.E",
                             "  S2UR id, SR_CTAID.X\n  UISETP.NE.U32.AND no, UPT, id, 0x0, "
                             "UPT\n  BRA.U no, END\n  STG.E");
  idle = changed(idle, "  PREEXIT\n", "END:\n  PREEXIT\n");
  REPORTS(idle, all(), Kind::coverage,
          "cluster 1 stores nothing inside of a buffer: the grid has more clusters than there is work");
}

TEST_CASE("a machine holds 148 CTAs") {
  SILENT(meeting_of("200", "0x64"), all());
  REPORTS(meeting_of("200", "0xc8"), all(), Kind::hang, "52 clusters have not started: the machine holds 148 at once");
}

TEST_CASE("kept memory stays from launch to launch") {
  std::string text = changed(meeting_of("4", "0x4"), "ISETP.GE.AND", "ISETP.EQ.U32.AND");
  Options twice;
  CHECK(run(text, twice).outcome.hangs == 0);
  twice.launches = 2;
  REPORTS(text, twice, Kind::hang, "waits for flag[0], which holds 8");
}

TEST_CASE("lanes reach declared buffers alone") {
  std::string text =
      changed(std::string(kFlags), "LDG.E.STRONG.GPU seen, [base.64]", "LDG.E.STRONG.GPU seen, [base.64+0x10]");
  REPORTS(text, Options{}, Kind::memory, "outside every buffer");
}

TEST_CASE("work is handed out, each cluster once") {
  SILENT(std::string(kWork), Options{});
  SILENT(std::string(kWork), some({0, 3}));
  SILENT(changed(std::string(kWork), "ur 1 .. 3", "ur 0 .. 4"), all());
  // Of five, one more is there to be had.
  REPORTS(changed(std::string(kWork), ".grid 4 1", ".grid 5 1"), Options{}, Kind::range, "writes 3 to first");
}

TEST_CASE("requests for work") {
  std::string text(kWork);
  REPORTS(changed(text, "  BRA.U !more, END\n", "  UISETP.NE.U32.AND more, UPT, asked, 0x5, UPT\n  BRA.U !more, END\n"),
          Options{}, Kind::protocol, "asks for work after a request has failed");
  REPORTS(changed(text, "  @!waited BRA WAIT\n", ""), Options{}, Kind::memory, "still under way");
  REPORTS(without(text, "SYNCS.ARRIVE.TRANS64 RZ"), Options{}, Kind::hang,
          "16 bytes have landed that nobody has expected");
  REPORTS(changed(text, "window, 0x400, URZ", "window, 0x410, URZ"), Options{}, Kind::operand,
          "reaches shared address 0x410, held to reply at 0x400");
  REPORTS(changed(text, "window, 0x400, URZ", "window, 0x408, URZ"), Options{}, Kind::memory, "not 16 aligned bytes");
  REPORTS(changed(text, "window, 0x600, URZ", "window, 0x608, URZ"), Options{}, Kind::protocol,
          "its answer lands on a barrier at 0x608 of CTA 0, which nothing has initialised");
}
