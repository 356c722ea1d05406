#include <doctest/doctest.h>

#include <random>

#include "examples.h"
#include "sass/colour.h"
#include "sass/flow.h"

using namespace warpcc;
using namespace warpcc::sass;
using testing::read_text;

namespace {

// What is read must also print, and read back to the same text. Whether it was read.
bool check(const std::string& text) {
  auto reading = read_text(text);
  if (!reading.program) {
    CHECK(!reading.diagnostics.all().empty());
    for (const Diagnostic& diagnostic : reading.diagnostics.all()) {
      CHECK(diagnostic.where.begin <= diagnostic.where.end);
      CHECK(diagnostic.where.end <= text.size());
    }
    return false;
  }
  liveness(*reading.program);
  std::string printed = print(*reading.program, reading.program->form);
  auto again = read_text(printed);
  INFO(printed);
  INFO(again.complaints());
  REQUIRE(again.program);
  CHECK(print(*again.program, again.program->form) == printed);
  if (reading.program->form == Form::named) colour(*reading.program, 168, reading.diagnostics);
  return true;
}

}  // namespace

TEST_CASE("texts cut anywhere") {
  std::string text = testing::kPair;
  for (std::size_t length = 0; length < text.size(); length += 7) check(text.substr(0, length));
}

TEST_CASE("texts with characters changed, lines dropped, doubled and swapped") {
  const std::string alphabet = "x0.,[]()+-*/%@!|=;:~# \n\tPURZ9\xff";
  std::mt19937 random(7);
  int read = 0;
  auto pair = read_text(testing::kPair);
  REQUIRE(pair.program);
  REQUIRE(colour(*pair.program, 168, pair.diagnostics));
  std::string coloured = print(*pair.program, Form::coloured), both = print(*pair.program, Form::both);
  for (const std::string& example : {std::string(testing::kLoads), std::string(testing::kPair), coloured, both}) {
    for (int round = 0; round < 1000; ++round) {
      std::string text = example;
      int changes = 1 + static_cast<int>(random() % 2);
      for (int i = 0; i < changes; ++i) {
        std::size_t at = random() % text.size();
        switch (random() % 5) {
          case 0:
            text[at] = alphabet[random() % alphabet.size()];
            break;
          case 1:
            text.insert(at, 1, alphabet[random() % alphabet.size()]);
            break;
          case 2:
            text.erase(at, 1 + random() % 8);
            break;
          case 3:
            text.insert(at, text.substr(random() % text.size(), random() % 40));
            break;
          default: {
            std::size_t begin = text.rfind('\n', at);
            if (begin == std::string::npos) break;
            std::size_t end = text.find('\n', begin + 1);
            if (end == std::string::npos) break;
            std::string line = text.substr(begin, end - begin);
            if (random() % 2) text.erase(begin, line.size());
            text.insert(random() % text.size(), line);
          }
        }
      }
      read += check(text);
    }
  }
  CHECK(read > 100);
  CHECK(read < 3000);
}

TEST_CASE("junk") {
  check(std::string(1000, '\0'));
  check(std::string(5000000, 'x'));
  check(std::string(100000, '['));
  std::string lines;
  for (int i = 0; i < 300000; ++i) lines += "no such line of code at all\n";
  check(lines);
  const std::string head = ".kernel k\n.sm sm_90a\n.threads 32\n  MOV x, 0x1\n";
  std::string many = head, names = head, groups = head;
  for (int i = 0; i < 100000; ++i) many += "  IADD3 x, x, 0x1, RZ = (lane + 1)\n";
  for (int i = 0; i < 100000; ++i) names += fmt::format("  MOV x{}, x\n", i);
  for (int i = 0; i < 60; ++i) groups += fmt::format("  MOV x{}.250, x\n", i);
  for (int i = 0; i < 60; ++i) groups += fmt::format("  MOV x, x{}.250\n", i);
  std::string unwritten = head;
  for (int i = 0; i < 16000; ++i) unwritten += fmt::format("  MOV x, y{}\n", i);
  CHECK(!check(unwritten));
  CHECK(read_text(unwritten).diagnostics.all().size() == 50);
  CHECK(check(many));
  CHECK(!check(names));
  CHECK(check(groups));
  check(".kernel k\n.sm sm_90a\n.threads 32\n  MOV " + std::string(3000000, 'n') + ", 0x1\n");
  check(".kernel k\n.sm sm_90a\n.threads 32\n  MOV x, 0x1 = (lane) ; " + std::string(3000000, 'n') + "\n");
}
