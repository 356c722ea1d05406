// Whatever is read gives a tree or a complaint, soon, and overflows nothing.
#include <chrono>
#include <random>
#include <string_view>

#include "reading.h"

using namespace warpcc;

namespace {

std::string repeated(std::string_view part, int times) {
  std::string text;
  text.reserve(part.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

// A piece of everything.
constexpr std::string_view kProgram = R"(/// doc × of the file
use "lib/umma.wk" as u;
enum Walk { grid, split(ways: int), }
param M: int = 0x10_00;
tune (M) { (1 .. 4) when M > 2 => { depth: 13 } }
require M % 8 == 0 || M is 3, "a \"message\"";
struct Work(p: Plan) { ur row: 0 .. M by 128; regs v: f32[32] in u.ld(32); }
fn pair_d(n: int) -> layout physical = if n == 64 { (64, (n / 2, 2)) : (1, 2) } else { (n) : (1) };
proc each(const p: u.Plan, w: out Work(p), next: consumer(reply), body: block) { match p { split(n) => { body; } _ => { } } }
kernel g(a: global in elem[M, 4], b: global kept u32,) on sm_100a, grid (M, 1), cluster (half: 2) {
  shared s: warps(4) of ring(2) of f32[8, 32] in row_major.swizzle(128);
  pipe stage: ring(depth) carries (s) to half = 0 across half broadcast;
  barrier meet: warpgroups(2) of 4 warps;
  start { on (warp == 0) { prefetch a; } /* comment */ }
  role r(inp: consumer stage in turn(2)) on warps 4 .. 8 at half = 0 registers 24 {
    up x, y[2];
    loop k in 0 .. M by 2 {
      take inp { @!x wait inp.full; load s[.., k +: 4], a, inp.full across half, hint: evict_first; }
      when !x { each(p, w) { mov x, y at (half = 1)[0]; } } else { break when x; }
    }
    turn inp of (M) { fill out { sts.128 v.r[1], -x; } }
  }
  finish { if M > 2 { sync; } else if M > 1 { warpsync; } for i in 0 .. 4 { drain out { } } }
}
)";

void must_be_read(const std::string& text) {
  Reading reading(text);
  bool answered = reading.tree.has_value() != reading.diagnostics.failed();
  CHECK(answered);
  for (const Diagnostic& diagnostic : reading.diagnostics.all()) {
    bool inside = diagnostic.where.begin <= diagnostic.where.end && diagnostic.where.end <= text.size();
    CHECK(inside);
  }
  if (!answered) MESSAGE(text);
}

}  // namespace

TEST_CASE("the program of these tests is one") {
  Reading reading{std::string(kProgram)};
  CHECK(reading.said() == "");
}

TEST_CASE("a text cut anywhere") {
  for (std::size_t at = 0; at < kProgram.size(); ++at) must_be_read(std::string(kProgram.substr(0, at)));
}

TEST_CASE("a text without its beginning") {
  for (std::size_t at = 0; at < kProgram.size(); at += 3) must_be_read(std::string(kProgram.substr(at)));
}

TEST_CASE("bytes changed, dropped and doubled at random") {
  std::mt19937 random(7);
  constexpr std::string_view kLikely = "(){}[];:,.=@!+-*/<>&|_ \n\"019axr\\#\xc3\x80";
  for (int round = 0; round < 4000; ++round) {
    std::string text(kProgram);
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = kLikely[random() % kLikely.size()];
          break;
        case 1:
          text[at] = static_cast<char>(random() % 255 + 1);
          break;
        case 2:
          text.erase(at, 1 + random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    must_be_read(text);
  }
}

TEST_CASE("junk") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += static_cast<char>(random() % 256);
    must_be_read(text);
  }
}

TEST_CASE("brackets nest so deep and no deeper") {
  auto nested = [](int depth) { return "const x = " + repeated("(", depth) + "1" + repeated(")", depth) + ";"; };
  CHECK(Reading(nested(kDeepestNesting)).tree.has_value());
  CHECK(Reading(nested(kDeepestNesting + 1)).said() == "1:211-212 brackets nest more than 200 deep here");
  CHECK(Reading(nested(300'000)).said() == "1:211-212 brackets nest more than 200 deep here");
  CHECK(Reading("const x = " + repeated("(", 300'000)).said() == "1:211-212 brackets nest more than 200 deep here");
  CHECK(Reading("proc f() {" + repeated("loop {", 300'000)).said().find("brackets nest") != std::string::npos);
  CHECK(Reading("proc f() {" + repeated("loop {", 198) + repeated("}", 199)).tree.has_value());
  CHECK(Reading("const x: " + repeated("(", 300'000)).said().find("brackets nest") != std::string::npos);
}

TEST_CASE("chains that make a tree deep without brackets have an end") {
  CHECK(Reading("const x = " + repeated("1 + ", 450) + "1;").tree.has_value());
  CHECK(Reading("proc f() { if a { } " + repeated("else if b { } ", 150) + "}").tree.has_value());
  CHECK(Reading("enum E { a" + repeated(", a", 20'000) + "}").tree.has_value());
  CHECK(Reading("proc f() {" + repeated("mov x, a + b; ", 10'000) + "}").tree.has_value());
  for (std::string_view link : {"1 + ", "- ", "! ", "if ", "match ", "(1) : ", "if a { 1 } else "}) {
    CAPTURE(link);
    CHECK(Reading("const x = " + repeated(link, 100'000) + "1;").said().find("more than 500 links") !=
          std::string::npos);
  }
  for (std::string_view link : {".b", "[1]", " at (b = 1)", " is b"}) {
    CAPTURE(link);
    CHECK(Reading("const x = a" + repeated(link, 100'000) + ";").said().find("more than 500 links") !=
          std::string::npos);
  }
  for (std::string_view link : {"else if b { } ", "else if match b { c => 1 } { } "}) {
    CAPTURE(link);
    CHECK(Reading("proc f() { if a { } " + repeated(link, 100'000) + "}").said().find("more than 500 links") !=
          std::string::npos);
  }
  CHECK(Reading("proc f() { a" + repeated(".b", 100'000) + "; }").said().find("more than 500 links") !=
        std::string::npos);
}

TEST_CASE("long texts are read, or refused, in little time") {
  auto begin = std::chrono::steady_clock::now();
  CHECK(Reading("// " + std::string(10 << 20, 'x')).tree.has_value());
  CHECK(Reading(std::string(10 << 20, ' ')).tree.has_value());
  CHECK(Reading("const " + std::string(10 << 20, 'x') + " = 1;").tree.has_value());
  CHECK(Reading("const " + std::string(10 << 20, 'x') + " 1;").said().size() < 200);
  CHECK(Reading("/*" + std::string(10 << 20, '*')).said() == "1:1-3 this comment is not closed: a `*/` is missing");
  CHECK(Reading(repeated("///\n", 390'000) + "const x = 1;").tree.has_value());
  CHECK(Reading("proc f() {" + repeated("@\n", 100'000) + "}").diagnostics.failed());
  CHECK(Reading("const x = f(" + repeated("1, ", 3'000'000) + "1);").said().find("more than 400000 words") !=
        std::string::npos);
  CHECK(Reading(repeated("\"", 3'000'001)).diagnostics.failed());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}
