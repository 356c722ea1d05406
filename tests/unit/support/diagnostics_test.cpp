#include "support/diagnostics.h"

#include <doctest/doctest.h>

#include <string>

#include "llvm/Support/raw_ostream.h"

using warpcc::Diagnostics;
using warpcc::FileId;
using warpcc::Message;
using warpcc::Sources;

namespace {

constexpr Message<std::string> bad_name{"bad-name", "`{}` is no name"};
constexpr Message<> plain{"plain", "nothing"};

std::string printed(const Diagnostics& diagnostics, const Sources& sources) {
  std::string text;
  llvm::raw_string_ostream out(text);
  diagnostics.print(out, sources);
  return text;
}

}  // namespace

TEST_CASE("an error shows its place, line, range and notes") {
  Sources sources;
  FileId file = sources.add("k/a.wk", "let x = 1;\n\tlet foo = 2;\n");
  Diagnostics diagnostics;
  CHECK_FALSE(diagnostics.failed());
  diagnostics.error({file, 16, 19}, bad_name, "foo").note({file, 4, 5}, "the first is here");
  CHECK(diagnostics.failed());
  CHECK(printed(diagnostics, sources) ==
        "k/a.wk:2:6: error: `foo` is no name [bad-name]\n"
        "\tlet foo = 2;\n"
        "\t    ^~~\n"
        "k/a.wk:1:5: note: the first is here\n"
        "let x = 1;\n"
        "    ^\n");
}

TEST_CASE("warnings are no failure") {
  Sources sources;
  FileId file = sources.add("a.wk", "x");
  Diagnostics diagnostics;
  diagnostics.warning({file, 0, 1}, plain);
  CHECK_FALSE(diagnostics.failed());
  CHECK(printed(diagnostics, sources) == "a.wk:1:1: warning: nothing [plain]\nx\n^\n");
}

TEST_CASE("order is that of files and places, equal ones once") {
  Sources sources;
  FileId first = sources.add("a.wk", "aa bb");
  FileId second = sources.add("b.wk", "cc");
  Diagnostics diagnostics;
  diagnostics.error({second, 0, 2}, bad_name, "cc");
  diagnostics.error({first, 3, 5}, bad_name, "bb");
  diagnostics.error({first, 0, 2}, bad_name, "aa");
  diagnostics.error({first, 3, 5}, plain);
  diagnostics.error({first, 3, 5}, bad_name, "bb");
  CHECK(printed(diagnostics, sources) ==
        "a.wk:1:1: error: `aa` is no name [bad-name]\naa bb\n^~\n"
        "a.wk:1:4: error: `bb` is no name [bad-name]\naa bb\n   ^~\n"
        "a.wk:1:4: error: nothing [plain]\naa bb\n   ^~\n"
        "b.wk:1:1: error: `cc` is no name [bad-name]\ncc\n^~\n");
}

TEST_CASE("a range of many lines is marked to the end of its first") {
  Sources sources;
  FileId file = sources.add("a.wk", "if {\n  x\n}\n");
  Diagnostics diagnostics;
  diagnostics.error({file, 0, 10}, plain);
  CHECK(printed(diagnostics, sources) == "a.wk:1:1: error: nothing [plain]\nif {\n^~~~\n");
}

TEST_CASE("where the mend is certain, the line stands below as it is then") {
  Sources sources;
  FileId file = sources.add("a.wk", "  let x = 1\n  f (x);\n");
  Diagnostics diagnostics;
  diagnostics.error({file, 11, 11}, plain).insert(file, 11, ";");
  diagnostics.error({file, 16, 17}, bad_name, "f").mend({file, 15, 16}, "").mend({file, 17, 18}, "xs");
  CHECK(printed(diagnostics, sources) ==
        "a.wk:1:12: error: nothing [plain]\n  let x = 1\n           ^\nmended: let x = 1;\n"
        "a.wk:2:5: error: `f` is no name [bad-name]\n  f (x);\n    ^\nmended: f(xs);\n");
}

TEST_CASE("a mend of other lines shows those, and one that breaks a line shows none") {
  Sources sources;
  FileId file = sources.add("a.wk", "one\ntwo\n");
  Diagnostics diagnostics;
  diagnostics.error({file, 0, 3}, plain).mend({file, 4, 7}, "three");
  diagnostics.error({file, 4, 7}, plain).insert(file, 4, "new\n");
  CHECK(printed(diagnostics, sources) ==
        "a.wk:1:1: error: nothing [plain]\none\n^~~\nmended: three\n"
        "a.wk:2:1: error: nothing [plain]\ntwo\n^~~\n");
}

TEST_CASE("the end of the file is a place") {
  Sources sources;
  FileId file = sources.add("a.wk", "abc");
  Diagnostics diagnostics;
  diagnostics.error({file, 3, 3}, plain);
  CHECK(printed(diagnostics, sources) == "a.wk:1:4: error: nothing [plain]\nabc\n   ^\n");
}

TEST_CASE("an empty line is not shown") {
  Sources sources;
  FileId file = sources.add("a.wk", "");
  Diagnostics diagnostics;
  diagnostics.error({file, 0, 0}, plain);
  CHECK(printed(diagnostics, sources) == "a.wk:1:1: error: nothing [plain]\n");
}

TEST_CASE("characters of several bytes take one column of the range") {
  Sources sources;
  FileId file = sources.add("a.wk", "\xc3\xa9 \xc3\xa9\xc3\xa9 x");
  Diagnostics diagnostics;
  diagnostics.error({file, 3, 7}, plain);
  CHECK(printed(diagnostics, sources) == "a.wk:1:4: error: nothing [plain]\n\xc3\xa9 \xc3\xa9\xc3\xa9 x\n  ^~\n");
}

TEST_CASE("long lines are cut around the place") {
  Sources sources;
  std::string text = std::string(100000, '(') + "here" + std::string(100000, ')');
  FileId file = sources.add("a.wk", text);
  Diagnostics diagnostics;
  diagnostics.error({file, 100000, 100004}, plain);
  std::string shown = printed(diagnostics, sources);
  CHECK(shown == "a.wk:1:100001: error: nothing [plain]\n..." + std::string(40, '(') + "here" + std::string(76, ')') +
                     "...\n" + std::string(43, ' ') + "^~~~\n");
}

TEST_CASE("control characters do not reach the terminal") {
  Sources sources;
  FileId file = sources.add("a.wk", "a\x1b[31mb");
  Diagnostics diagnostics;
  diagnostics.error({file, 0, 1}, plain);
  CHECK(printed(diagnostics, sources).find('\x1b') == std::string::npos);
}

TEST_CASE("a flood of errors is counted") {
  Sources sources;
  FileId file = sources.add("a.wk", std::string(1000, 'x'));
  Diagnostics diagnostics;
  for (std::uint32_t i = 0; i < 1000; ++i) diagnostics.error({file, i, i + 1}, plain);
  std::string shown = printed(diagnostics, sources);
  CHECK(shown.ends_with("and 900 more\n"));
}
