// Launches that overlap: what the second does too early shows in memory, and as a race, whichever comes first.
#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;
using Kind = Finding::Kind;

namespace {

// A CTA lets the next launch begin, counts one up, and takes its time between reading and writing.
constexpr std::string_view kCount = R"(.kernel k
.sm sm_100a
.threads 32
.dynsmem 1024
.param count 0
.grid 2 1
.cluster 1 mate:1
.form named
.buffer count global param count u32 (2) : (1) kept
.start
  S2UR id, SR_CTAID.X
  ELECT one, URZ, PT
  LDC.64 base, c[0x0][0x380] = addr.lo count[0]
  MOV place, id
  IMAD.WIDE.U32 at, place, 0x4, base
  PREEXIT
  ACQBULK
  LDG.E seen, [at.64] = count[id]
  IADD3 more, PT, PT, seen, 0x1, RZ
  UMOV i, 0x0
LOOP:
  UIADD3 i, UPT, UPT, i, 0x1, URZ
  UISETP.NE.U32.AND again, UPT, i, 0x80, UPT
  BRA.U again, LOOP
  WARPSYNC.ALL
  @one STG.E [at.64], more = count[id]
  EXIT
)";

std::string hasty() {
  return without(std::string(kCount), "ACQBULK");
}

Options launches(int count, std::uint64_t seed, std::vector<std::vector<std::uint8_t>>* memory) {
  Options options;
  options.clusters = Options::Clusters::all;
  options.launches = count;
  options.seed = seed;
  options.memory = memory;
  return options;
}

// What cluster `which` has counted.
int counted(const std::vector<std::vector<std::uint8_t>>& memory, std::size_t which) {
  return memory.at(0).at(4 * which);
}

}  // namespace

TEST_CASE("a launch that waits for the one before sees all that it has done") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::vector<std::vector<std::uint8_t>> memory;
    Run result = run(std::string(kCount), launches(3, seed, &memory));
    CAPTURE(result.report);
    CHECK(result.outcome.findings.size() == static_cast<std::size_t>(result.outcome.not_held));
    CHECK(result.outcome.clusters_run == 6);
    CHECK(counted(memory, 0) == 3);
    CHECK(counted(memory, 1) == 3);
  }
}

TEST_CASE("a launch that does not wait begins early: what it reads is old, what it writes is lost") {
  std::vector<std::vector<std::uint8_t>> memory;
  run(hasty(), launches(2, 0, &memory));
  CHECK(counted(memory, 0) == 1);
  CHECK(counted(memory, 1) == 1);
  // In order it begins after the other has ended, and the race is told all the same.
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Run result = run(hasty(), launches(2, seed, &memory));
    CAPTURE(result.report);
    CHECK(result.found(Kind::race, "in the kernel before, is read by `LDG` before that has ended"));
    CHECK(result.found(Kind::race, "in the kernel before, is written by `STG` before that has ended"));
    CHECK(result.found(Kind::race, "launch 1, cluster "));
    CHECK(result.found(Kind::race, "launch 2, cluster "));
    CHECK(result.found(Kind::protocol, "has waited for the grid before"));
    if (seed == 1) CHECK(counted(memory, 0) == 2);
    lost += counted(memory, 0) < 2 ? 1 : 0;
  }
  CHECK(lost > 5);
  CHECK(lost < 20);
}

TEST_CASE("a launch begins once every CTA of the one before has let it, or has exited") {
  // One that lets it at its end alone has written by then.
  std::string late = changed(changed(hasty(), "  PREEXIT\n", ""), "  EXIT\n", "  PREEXIT\n  EXIT\n");
  std::vector<std::vector<std::uint8_t>> memory;
  run(late, launches(2, 0, &memory));
  CHECK(counted(memory, 0) == 2);
  // Of two clusters one is late.
  std::string one = changed(changed(hasty(), "  PREEXIT\n",
                                    "  UISETP.NE.U32.AND late, UPT, id, URZ, UPT\n  BRA.U late, ON\n  PREEXIT\nON:\n"),
                            "  EXIT\n", "  PREEXIT\n  EXIT\n");
  run(one, launches(2, 0, &memory));
  CHECK(counted(memory, 0) == 2);
  CHECK(counted(memory, 1) == 2);
  // Whoever exits lets it begin as well.
  std::string exits = changed(hasty(), "  PREEXIT\n",
                              "  UISETP.NE.U32.AND on, UPT, id, URZ, UPT\n  BRA.U !on, ON\n  EXIT\nON:\n  PREEXIT\n");
  run(exits, launches(2, 0, &memory));
  CHECK(counted(memory, 0) == 1);
}

TEST_CASE("without PREEXIT launches follow each other, and what does not wait is told") {
  std::vector<std::vector<std::uint8_t>> memory;
  std::string text = without(std::string(kCount), "PREEXIT");
  Run right = run(text, launches(2, 0, &memory));
  CAPTURE(right.report);
  CHECK(right.outcome.races == 0);
  CHECK(counted(memory, 0) == 2);
  run(without(text, "ACQBULK"), launches(2, 0, &memory));
  CHECK(counted(memory, 0) == 2);
}

TEST_CASE("a launch that hangs is told, and the next, which waits for it, is not") {
  std::string text =
      changed(std::string(kCount), "  UMOV i, 0x0\n",
              "WAIT:\n  LDG.E.STRONG.GPU now, [at.64] = count[id]\n  ISETP.NE.U32.AND never, PT, now, 0x9, PT\n"
              "  VOTEU.ALL waits, never\n  BRA.U waits, WAIT\n  UMOV i, 0x0\n");
  Run result = run(text, launches(2, 0, nullptr));
  CAPTURE(result.report);
  CHECK(result.outcome.hangs == 2);
  CHECK(result.found(Kind::hang, "waits for count[0], which holds 0"));
  CHECK(!result.found(Kind::hang, "the grid before"));
}

TEST_CASE("a machine that is full starts the next launch as CTAs exit") {
  std::string many = changed(changed(std::string(kCount), ".grid 2 1", ".grid 148 1"), "u32 (2)", "u32 (148)");
  std::vector<std::vector<std::uint8_t>> memory;
  Run result = run(many, launches(2, 0, &memory));
  CAPTURE(result.report);
  CHECK(result.outcome.races == 0);
  CHECK(result.outcome.clusters_run == 296);
  CHECK(counted(memory, 147) == 2);
}
