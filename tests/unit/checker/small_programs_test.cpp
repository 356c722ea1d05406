// Programs of a few lines, each wrong in one way.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

// A cluster of two CTAs of two warps, a barrier and 64 words of shared memory.
std::string program(std::string_view code, int arrivals = 1) {
  std::string text =
      ".kernel k\n.sm sm_100a\n.threads 64\n.dynsmem 1024\n.grid 2 1\n.cluster 2 half:2\n.form named\n"
      ".buffer words shared 0x400 u32 (64) : (1)\n.mbar bar 0x600 arrivals " +
      std::to_string(arrivals) +
      "\n.bar meet 1 threads 64\n.start\n"
      "  S2R tid, SR_TID.X\n  SHF.R.U32.HI warp_lanes, RZ, 0x5, tid\n  R2UR warp_index, warp_lanes = (warp)\n"
      "  S2UR rank, SR_CgaCtaId = (half)\n  USHF.L.U32 window, rank, 0x18, URZ\n  ELECT one, URZ, PT\n"
      "  UISETP.EQ.U32.AND first, UPT, warp_index, URZ, UPT\n  UISETP.EQ.U32.AND even, UPT, rank, URZ, UPT\n";
  return text + std::string(code) + "END:\n  EXIT\n";
}

constexpr std::string_view kInit =
    "  BRA.U !first, MEET\n  UMOV counts.0, 0x1ffffe\n  UMOV counts.1, 0x7ffff800\n"
    "  @one SYNCS.EXCH.64 URZ, [window+0x600], counts = bar\n  NOP\nMEET:\n  MEMBAR.ALL.GPU\n  UCGABAR_ARV\n  "
    "UCGABAR_WAIT\n";

std::string with_barrier(std::string_view code) {
  return program(std::string(kInit) + std::string(code));
}

}  // namespace

#define REPORTS(text, kind, what)    \
  do {                               \
    Run result = run(text);          \
    CAPTURE(result.report);          \
    CHECK(result.found(kind, what)); \
  } while (false)

TEST_CASE("nothing wrong") {
  Run result = run(with_barrier(""));
  CAPTURE(result.report);
  CHECK(result.outcome.findings.empty());
}

TEST_CASE("a CTA that has left cannot be signalled") {
  std::string late = "  BRA.U even, END\n  BRA.U !first, END\n";
  for (int i = 0; i < 200; ++i) late += "  NOP\n";
  late +=
      "  ULOP3.LUT leader, window, 0xfeffffff, URZ, 0xc0, !UPT\n  @one SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, "
      "[leader+0x600], RZ = bar at (half = 0)\n";
  REPORTS(with_barrier(late), Kind::protocol, "arrives at bar[0] of CTA 0, which has exited");
}

TEST_CASE("more arrivals than a barrier counts") {
  std::string open =
      "  BRA.U !first, END\n  MOV bytes, 0x100\n  @one SYNCS.ARRIVE.TRANS64 RZ, [window+0x600], bytes = bar\n"
      "  @one SYNCS.ARRIVE.TRANS64.A1T0 RZ, [window+0x600], RZ = bar\n";
  REPORTS(with_barrier(open), Kind::protocol, "bar[0] gets more arrivals than the 1 it counts on in a phase");
  REPORTS(with_barrier(open), Kind::protocol,
          "leaves bar[0] in the middle of phase 0: 0 of 1 arrivals to come, 256 bytes");
}

TEST_CASE("named barriers") {
  std::string_view both = "  BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 = meet\n";
  CHECK(run(program(both)).outcome.findings.empty());
  REPORTS(program("  BRA.U first, END\n  BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 = meet\n"), Kind::hang,
          "CTA 0 warp 1 waits on named barrier 1: 32 of 64 threads have arrived");
  REPORTS(program("  BRA.U first, END\n  BAR.ARV 0x1, 0x40 = meet\n"), Kind::named_barrier,
          "leaves named barrier 1 (`meet`) with 32 of 64 threads arrived");
  REPORTS(program("  BAR.SYNC.DEFER_BLOCKING 0x1, 0x20 = meet\n"), Kind::operand,
          "reaches named barrier 1 for 32 threads, held to meet, which is 1 for 64");
  REPORTS(program("  BAR.ARV 0x1, 0x40\n  BRA.U first, END\n  BAR.ARV 0x1, 0x60\n"), Kind::named_barrier, "");
  REPORTS(program("  BRA.U first, WAITS\n  BAR.ARV 0x0, 0x40\n  BRA END\nWAITS:\n  BAR.SYNC.DEFER_BLOCKING 0x0\n"),
          Kind::named_barrier, "waits at barrier 0 without saying how many threads come, and `BAR.ARV` arrives there");
  CHECK(run(program("  BRA.U first, WAITS\n  BAR.ARV 0x0, 0x40\n  BRA END\nWAITS:\n  BAR.SYNC.DEFER_BLOCKING 0x0, "
                    "0x40\n"))
            .outcome.findings.empty());
}

TEST_CASE("the cluster's barrier") {
  REPORTS(program("  UCGABAR_WAIT\n"), Kind::protocol, "waits for the cluster's barrier and has not arrived at it");
  std::string_view parted =
      "  BRA.U even, WAITS\nSPIN:\n  BAR.SYNC.DEFER_BLOCKING 0x2, 0x60\nWAITS:\n  UCGABAR_ARV\n  UCGABAR_WAIT\n";
  REPORTS(program(parted), Kind::hang, "CTA 0 warp 0 waits on the cluster's barrier: 2 warps have not arrived");
}

TEST_CASE("shared memory") {
  std::string_view store = "  S2R lane, SR_LANEID = (lane)\n  IMAD at, lane, 0x4, window\n";
  auto after = [&](std::string_view code) { return program(std::string(store) + std::string(code)); };
  CHECK(run(after("  BRA.U !first, END\n  STS [at+0x400], lane = words[lane]\n  LDS back, [at+0x400] = words[lane]\n"))
            .outcome.findings.empty());
  REPORTS(after("  STS [at+0x404], lane = words[lane]\n"), Kind::operand, "reaches 0x404, held to words[0] at 0x400");
  REPORTS(after("  LDS back, [at+0x400] = words[lane]\n"), Kind::memory,
          "reads shared address 0x400 (words[0]), which nothing has written");
  REPORTS(after("  STS [at+0x7fc], lane\n"), Kind::memory, "of 4 bytes: 0x400 .. 0x800 is this CTA's");
  REPORTS(after("  MOV both.0, lane\n  MOV both.1, lane\n  STS.64 [at+0x404], both.0\n"), Kind::memory,
          "no multiple of its 8 bytes");
  REPORTS(with_barrier("  BRA.U !first, END\n  @one STS [window+0x600], tid\n"), Kind::protocol,
          "touches bar[0], a live barrier, as data");
}

TEST_CASE("a register is read after it is written") {
  std::string_view skipped = "  BRA.U !first, AFTER\n  UMOV x, 0x1\nAFTER:\n";
  CHECK(run(program(std::string(skipped) + "  BRA.U !first, END\n  UIADD3 y, UPT, UPT, x, 0x1, URZ\n"))
            .outcome.findings.empty());
  REPORTS(program(std::string(skipped) + "  UIADD3 y, UPT, UPT, x, 0x1, URZ\n"), Kind::memory,
          "reads x, which this warp has not written (start, CTA 0 warp 1)");
  REPORTS(program("  @one MOV x, 0x1\n  IADD3 y, PT, PT, x, 0x1, RZ\n"), Kind::memory,
          "reads x, which this warp has not written");
  REPORTS(program("  BRA.U first, AFTER\n  UISETP.EQ.U32.AND u, UPT, rank, URZ, UPT\nAFTER:\n  BRA.U u, END\n"),
          Kind::memory, "reads u, which this warp has not written (start, CTA 0 warp 0)");
}

TEST_CASE("one lane initialises a barrier") {
  std::string all(kInit);
  all.replace(all.find("@one"), 4, "");
  REPORTS(program(all), Kind::protocol, "bar[0] is initialised by 32 lanes: one is to (`@one`)");
}

TEST_CASE("what never ends is found") {
  REPORTS(program("SPIN:\n  UIADD3 spun, UPT, UPT, warp_index, 0x1, URZ\n  BRA SPIN\n"), Kind::hang, "runs for ever");
}

TEST_CASE("headers that nothing can run") {
  REPORTS(changed(program(""), ".threads 64", ".threads 65"), Kind::protocol, "it takes whole warps");
  REPORTS(changed(program(""), ".grid 2 1", ".grid 3 1"), Kind::protocol, "is no number of whole clusters of 2");
}
