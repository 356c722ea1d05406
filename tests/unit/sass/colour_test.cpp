#include "sass/colour.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "examples.h"
#include "sass/flow.h"

using namespace warpcc;
using namespace warpcc::sass;
using testing::read_text;

namespace {

constexpr const char* kHead = ".kernel k\n.sm sm_100a\n.threads 32\n.tmap a 64 64 2 8 64 0\n";

// Runs every path of up to `steps` lines that a random walk finds, by name and by register, and counts the reads that
// differ. It knows nothing of liveness: a register that was given away too early holds another value's mark.
int differing_reads(const Program& program, unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::map<std::pair<int, int>, int> by_name, by_register;  // marks
  int differ = 0, mark = 0;
  std::size_t at = 0;
  for (int step = 0; step < steps && at < program.lines.size(); ++step) {
    auto touched = accesses(program.lines[at]);
    for (bool written : {false, true}) {
      for (const Access& access : touched) {
        if (access.written != written) continue;
        if (written && !access.whole && random() % 2) continue;  // its guard is false
        ++mark;
        for (int n = 0; n < access.width; ++n) {
          std::pair name{static_cast<int>(access.reg.value), access.reg.part + n};
          std::pair hardware{static_cast<int>(access.reg.file), access.reg.number + n};
          if (written) {
            by_name[name] = by_register[hardware] = mark * 256 + n;
          } else if (by_name.contains(name)) {
            differ += by_name[name] != by_register[hardware];
          }
        }
      }
    }
    auto next = successors(program, at);
    if (next.empty()) break;
    at = next[random() % next.size()];
  }
  return differ;
}

int differing_reads(const Program& program) {
  int differ = 0;
  for (unsigned seed = 0; seed < 50; ++seed) differ += differing_reads(program, seed, 500);
  return differ;
}

// A program of random groups, guards and branches.
std::string random_text(unsigned seed) {
  std::mt19937 random(seed);
  std::string text = kHead;
  int widths[] = {1, 1, 1, 1, 2, 4};
  constexpr int kValues = 40;
  auto width = [&](int value) { return widths[value % 6]; };
  auto name = [&](int value, int part) {
    return fmt::format("v{}{}", value, width(value) > 1 ? fmt::format(".{}", part) : "");
  };
  auto any = [&] {
    int value = static_cast<int>(random() % kValues);
    return name(value, static_cast<int>(random()) & (width(value) - 1));
  };
  for (int value = 0; value < kValues; ++value) {
    for (int part = 0; part < width(value); ++part) text += fmt::format("  UMOV {}, 0x1\n", name(value, part));
  }
  text += "  UISETP.NE.AND q, UPT, URZ, URZ, UPT\n";
  for (int line = 0; line < 150; ++line) {
    if (line % 10 == 0) text += fmt::format("L{}:\n", line / 10);
    int value = static_cast<int>(random() % kValues);
    switch (random() % 8) {
      case 0:
        text += fmt::format("  BRA.U q, L{}\n", random() % 15);
        break;
      case 1:
        text += fmt::format("  @q UIADD3 {}, UPT, UPT, {}, {}, URZ\n", any(), any(), any());
        break;
      case 2:
        if (width(value) == 2) text += fmt::format("  SYNCS.EXCH.64 URZ, [{}], {}\n", any(), fmt::format("v{}", value));
        if (width(value) == 4) text += fmt::format("  UTMALDG.2D [v{}], [map_a]\n", value);
        break;
      case 3:
        if (width(value) == 2) text += fmt::format("  UIMAD.WIDE.U32 v{}, {}, {}, URZ\n", value, any(), any());
        break;
      case 4:
        text += fmt::format("  UMOV {}, 0x5\n", any());
        break;
      default:
        text += fmt::format("  UIMAD {}, {}, {}, {}\n", any(), any(), any(), any());
    }
  }
  return text + "  EXIT\n";
}

}  // namespace

TEST_CASE("no two values that are needed share a register") {
  for (const char* example : {testing::kLoads, testing::kPair}) {
    auto reading = read_text(example);
    REQUIRE(reading.program);
    REQUIRE(colour(*reading.program, 168, reading.diagnostics));
    CHECK(differing_reads(*reading.program) == 0);
  }
  int coloured = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    auto reading = read_text(random_text(seed));
    INFO(reading.complaints());
    REQUIRE(reading.program);
    if (!colour(*reading.program, 168, reading.diagnostics)) continue;
    ++coloured;
    CHECK(differing_reads(*reading.program) == 0);
    for (const Value& value : reading.program->values) CHECK((value.colour < 0 || value.colour % value.align == 0));
  }
  CHECK(coloured > 10);
}

TEST_CASE("values that are never live together share registers") {
  auto reading = read_text(std::string(kHead) + "  UMOV a, 0x1\n  UMOV b, a\n  UMOV c, b\n  UMOV d, c\n  UMOV e, d\n");
  REQUIRE(reading.program);
  REQUIRE(colour(*reading.program, 168, reading.diagnostics));
  for (const Value& value : reading.program->values) CHECK(value.colour == 0);
}

TEST_CASE("groups are aligned") {
  auto reading = read_text(testing::kPair);
  REQUIRE(reading.program);
  REQUIRE(colour(*reading.program, 168, reading.diagnostics));
  for (const Value& value : reading.program->values) {
    CHECK(value.colour >= 0);
    CHECK(value.colour % alignment(value.file, value.width) == 0);
  }
}

TEST_CASE("a program read from its named text gets the same registers") {
  auto first = read_text(testing::kPair);
  REQUIRE(first.program);
  REQUIRE(colour(*first.program, 168, first.diagnostics));
  for (Form form : {Form::named, Form::coloured, Form::both}) {
    auto again = read_text(print(*first.program, form));
    INFO(again.complaints());
    REQUIRE(again.program);
    CHECK(print(*again.program, form) == print(*first.program, form));
    if (form == Form::named) REQUIRE(colour(*again.program, 168, again.diagnostics));
    CHECK(print(*again.program, Form::coloured) == print(*first.program, Form::coloured));
  }
}

TEST_CASE("plain registers of the text are left alone") {
  auto reading = read_text(std::string(kHead) + "  UMOV UR0, 0x1\n  UMOV a, 0x1\n  UMOV b, a\n  UMOV b, UR0\n");
  REQUIRE(reading.program);
  REQUIRE(colour(*reading.program, 168, reading.diagnostics));
  CHECK(reading.program->values[0].colour == 1);
}

TEST_CASE("what does not fit is said at the point of greatest pressure") {
  std::string text = std::string(kHead) + ".role busy warps 0 .. 1\n";
  for (int i = 0; i < 8; ++i) text += fmt::format("  ELECT p{}, URZ, PT\n", i);
  text += "  EXIT\n";
  std::string uses;
  for (int i = 0; i < 8; ++i) uses += fmt::format("  @p{} MOV x, 0x1\n", i);
  text.insert(text.size() - 7, uses);
  auto reading = read_text(text);
  INFO(reading.complaints());
  REQUIRE(reading.program);
  CHECK(!colour(*reading.program, 168, reading.diagnostics));
  CHECK(reading.complaints() ==
        "14:1: role `busy`: 8 predicates (`p`) are live here, and 7 are all there are: p0, p1, p2, p3, p4, p5, p6, p7 "
        "[registers-do-not-fit]\n");
}

TEST_CASE("big groups are named with their size") {
  std::string text =
      std::string(kHead) + "  UMOV u, 0x1\n  LDTM.x32 v, tmem[u]\n  LDTM.x16 w, tmem[u]\n  STS [v.0], w.0\n  EXIT\n";
  auto reading = read_text(text);
  REQUIRE(reading.program);
  CHECK(!colour(*reading.program, 40, reading.diagnostics));
  CHECK(reading.complaints().find("48 registers (`r`) are live here, and 40 are all there are: v[32], w[16]") !=
        std::string::npos);
}
