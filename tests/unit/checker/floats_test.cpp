// Minima, approximations and whole numbers of floats: results by hand (PTX ISA, min, max, ex2, rcp, tanh, cvt).
#include <fmt/format.h>

#include <cstdint>

#include "run.h"

using namespace warpcc::checker;
using namespace warpcc::checker::test;

namespace {

constexpr std::uint32_t kZero = 0, kMinusZero = 0x80000000, kOne = 0x3f800000, kMinusOne = 0xbf800000,
                        kTwo = 0x40000000, kHalf = 0x3f000000, kInfinity = 0x7f800000, kMinusInfinity = 0xff800000,
                        kQuiet = 0x7fffffff, kSomeNan = 0xffc12345, kDenormal = 1, kMinusDenormal = 0x80000001,
                        kLeast = 0x00800000, kMost = 0x7f7fffff;

// A line whose result is held to a number: the checker tells what it is instead.
std::string line(std::string_view opcode, std::string_view operands, std::uint32_t a, std::uint32_t b,
                 std::uint32_t wanted) {
  return fmt::format("  MOV a, {:#x}\n  MOV b, {:#x}\n  {} result, {} = ({})\n", a, b, opcode, operands,
                     static_cast<std::int32_t>(wanted));
}

void gives(std::string_view opcode, std::string_view operands, std::uint32_t a, std::uint32_t b, std::uint32_t wanted) {
  const std::string head =
      ".kernel k\n.sm sm_100a\n.threads 32\n.dynsmem 0\n.grid 1 1\n.cluster 1\n.form named\n.start\n"
      "  S2R lane, SR_LANEID\n  ISETP.EQ.U32.AND first, PT, lane, 0x0, PT\n";
  Run right = run(head + line(opcode, operands, a, b, wanted) + "  EXIT\n");
  CAPTURE(opcode);
  CAPTURE(operands);
  CAPTURE(a);
  CAPTURE(b);
  CAPTURE(right.report);
  CHECK(right.outcome.findings.empty());
  CHECK(right.outcome.operands_checked > 0);
  Run wrong = run(head + line(opcode, operands, a, b, wanted ^ 1) + "  EXIT\n");
  CHECK(!wrong.outcome.findings.empty());
}

void less(std::uint32_t a, std::uint32_t b, std::uint32_t wanted) {
  gives("FMNMX", "a, b, PT", a, b, wanted);
}
void greater(std::uint32_t a, std::uint32_t b, std::uint32_t wanted) {
  gives("FMNMX", "a, b, !PT", a, b, wanted);
}
void of_one(std::string_view opcode, std::uint32_t a, std::uint32_t wanted) {
  gives(opcode, "a", a, 0, wanted);
}

}  // namespace

TEST_CASE("the less and the greater of two floats") {
  less(kOne, kTwo, kOne);
  greater(kOne, kTwo, kTwo);
  less(kMinusOne, kOne, kMinusOne);
  greater(kMinusOne, kMinusInfinity, kMinusOne);
  less(kInfinity, kMost, kMost);
  // -0 is less than 0, in either order.
  less(kZero, kMinusZero, kMinusZero);
  less(kMinusZero, kZero, kMinusZero);
  greater(kZero, kMinusZero, kZero);
  greater(kMinusZero, kZero, kZero);
  // A NaN counts as absent.
  less(kSomeNan, kOne, kOne);
  greater(kMinusInfinity, kSomeNan, kMinusInfinity);
  less(kSomeNan, kSomeNan, kQuiet);
  // What is below the least normal number is kept.
  less(kDenormal, kLeast, kDenormal);
  greater(kMinusDenormal, kMinusOne, kMinusDenormal);
  // Signs and bars are of the float.
  gives("FMNMX", "-a, b, PT", kOne, kZero, kMinusOne);
  gives("FMNMX", "|a|, b, !PT", kMinusOne, kHalf, kOne);
  gives("FMNMX", "-a, -b, PT", kZero, kMinusZero, kMinusZero);
}

TEST_CASE("each lane chooses the less or the greater") {
  const std::string program =
      ".kernel k\n.sm sm_100a\n.threads 32\n.dynsmem 0\n.grid 1 1\n.cluster 1\n.form named\n.start\n"
      "  S2R lane, SR_LANEID = (lane)\n  ISETP.GE.U32.AND late, PT, lane, 0x10, PT\n  MOV a, 0x3\n  MOV b, 0x2\n"
      "  FMNMX result, a, b, late = (3 - lane / 16)\n  FMNMX other, a, b, !late = (2 + lane / 16)\n  EXIT\n";
  Run result = run(program);
  CAPTURE(result.report);
  CHECK(result.outcome.findings.empty());
  CHECK(result.outcome.operands_checked > 2);
}

TEST_CASE("powers of two") {
  of_one("MUFU.EX2", kZero, kOne);
  of_one("MUFU.EX2", kMinusZero, kOne);
  of_one("MUFU.EX2", kDenormal, kOne);
  of_one("MUFU.EX2", kOne, kTwo);
  of_one("MUFU.EX2", kMinusOne, kHalf);
  of_one("MUFU.EX2", kInfinity, kInfinity);
  of_one("MUFU.EX2", kMinusInfinity, kZero);
  of_one("MUFU.EX2", kSomeNan, kQuiet);
  of_one("MUFU.EX2", 0x43000000, kInfinity);  // 128
  of_one("MUFU.EX2", 0xc2fc0000, kLeast);     // -126
  of_one("MUFU.EX2", 0xc2fe0000, kZero);      // -127: below the least normal number
  gives("MUFU.EX2", "-a", kOne, 0, kHalf);
}

TEST_CASE("reciprocals") {
  of_one("MUFU.RCP", kTwo, kHalf);
  of_one("MUFU.RCP", kMinusOne, kMinusOne);
  of_one("MUFU.RCP", kZero, kInfinity);
  of_one("MUFU.RCP", kMinusZero, kMinusInfinity);
  of_one("MUFU.RCP", kDenormal, kInfinity);
  of_one("MUFU.RCP", kMinusDenormal, kMinusInfinity);
  of_one("MUFU.RCP", kMinusInfinity, kMinusZero);
  of_one("MUFU.RCP", kMost, kZero);  // 2^-128
  of_one("MUFU.RCP", kSomeNan, kQuiet);
}

TEST_CASE("hyperbolic tangents") {
  of_one("MUFU.TANH", kZero, kZero);
  of_one("MUFU.TANH", kMinusZero, kMinusZero);
  of_one("MUFU.TANH", kDenormal, kDenormal);
  of_one("MUFU.TANH", kInfinity, kOne);
  of_one("MUFU.TANH", kMinusInfinity, kMinusOne);
  of_one("MUFU.TANH", 0x42c80000, kOne);  // 100
  of_one("MUFU.TANH", kSomeNan, kQuiet);
}

TEST_CASE("whole numbers of floats") {
  of_one("F2I.TRUNC.NTZ", 0x40600000, 3);           // 3.5
  of_one("F2I.TRUNC.NTZ", 0xc0600000, 0xfffffffd);  // -3.5
  of_one("F2I.TRUNC.NTZ", 0xbf7fffff, 0);           // -0.99…
  of_one("F2I.TRUNC.NTZ", kMinusDenormal, 0);
  of_one("F2I.TRUNC.NTZ", 0x4f000000, 0x7fffffff);  // 2^31
  of_one("F2I.TRUNC.NTZ", 0xcf000000, 0x80000000);  // -2^31
  of_one("F2I.TRUNC.NTZ", kInfinity, 0x7fffffff);
  of_one("F2I.TRUNC.NTZ", kMinusInfinity, 0x80000000);
  of_one("F2I.TRUNC.NTZ", kSomeNan, 0);
  of_one("F2I.U32.TRUNC.NTZ", 0x4f000000, 0x80000000);  // 2^31
  of_one("F2I.U32.TRUNC.NTZ", 0x4f800000, 0xffffffff);  // 2^32
  of_one("F2I.U32.TRUNC.NTZ", kMinusOne, 0);
  of_one("F2I.U32.TRUNC.NTZ", kSomeNan, 0);
}
