#include <doctest/doctest.h>

#include <fstream>

#include "examples.h"

using namespace warpcc;
using namespace warpcc::sass;
using testing::read_text;

// The operands' places of the table against what the disassembler prints.
TEST_CASE("lines of the assembler's own output are read, and printed alike") {
  std::ifstream file(WARPCC_SOURCE_DIR "/tests/facts/sass_lines.txt");
  int lines = 0;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with('#')) continue;
    ++lines;
    std::size_t blank = text.find(' ');
    std::string code = text.substr(blank + 1);
    INFO(text);
    // Every register is written first, so that none is read unset.
    std::string program = ".kernel k\n.sm " + text.substr(0, blank) + "\n.threads 32\n";
    std::size_t head = 0;
    for (int i = 0; i < 255; ++i, ++head) program += fmt::format("  MOV R{}, 0x0\n", i);
    for (int i = 0; i < 63; ++i, ++head) program += fmt::format("  UMOV UR{}, 0x0\n", i);
    for (int i = 0; i < 7; ++i, head += 2) {
      program += fmt::format("  ISETP.NE.AND P{0}, PT, R0, RZ, PT\n  UISETP.NE.AND UP{0}, UPT, UR0, URZ, UPT\n", i);
    }
    auto reading = read_text(program + "  " + code + "\n");
    INFO(reading.complaints());
    REQUIRE(reading.program);
    REQUIRE(reading.program->lines.size() == head + 1);
    std::string printed = print_line(*reading.program, reading.program->lines.back(), Form::named).substr(2);
    for (std::size_t reuse; (reuse = code.find(".reuse")) != std::string::npos;) code.erase(reuse, 6);
    CHECK(printed == code);
  }
  CHECK(lines > 400);
}
