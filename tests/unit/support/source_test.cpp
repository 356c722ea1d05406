#include "support/source.h"

#include <doctest/doctest.h>

#include <string>

#include "llvm/Support/FileSystem.h"
#include "scratch.h"

using warpcc::FileId;
using warpcc::SourceRange;
using warpcc::Sources;

TEST_CASE("positions count lines and bytes from one") {
  Sources sources;
  FileId file = sources.add("dir/a.wk", "ab\n\ncd");
  CHECK(sources.position(file, 0).line == 1);
  CHECK(sources.position(file, 1).column == 2);
  CHECK(sources.position(file, 2).line == 1);
  CHECK(sources.position(file, 3).line == 2);
  CHECK(sources.position(file, 5).line == 3);
  CHECK(sources.position(file, 5).column == 2);
  CHECK(sources.position(file, 99).column == 3);
  CHECK(sources.place({file, 4, 5}) == "a.wk:3");
}

TEST_CASE("lines come without their ends") {
  Sources sources;
  FileId file = sources.add("a.wk", "one\r\ntwo\n");
  CHECK(sources.line(file, 1) == "one");
  CHECK(sources.line(file, 2) == "two");
  CHECK(sources.line(file, 3) == "");
  CHECK(sources.line(file, 4) == "");
  CHECK(sources.line(file, 0) == "");
}

TEST_CASE("ranges outside the text are cut to it") {
  Sources sources;
  FileId file = sources.add("a.wk", "hello");
  CHECK(sources.text(SourceRange{file, 1, 3}) == "el");
  CHECK(sources.text(SourceRange{file, 3, 99}) == "lo");
  CHECK(sources.text(SourceRange{file, 99, 100}) == "");
}

TEST_CASE("views stay good while files are added") {
  Sources sources;
  std::string_view first = sources.text(sources.add("a", "x"));
  for (int i = 0; i < 1000; ++i) sources.add("b", "y");
  CHECK(first == "x");
}

namespace {
std::string load_error(const std::string& path) {
  Sources sources;
  llvm::Expected<FileId> file = sources.load(path);
  if (file) return "";
  return llvm::toString(file.takeError());
}
}  // namespace

TEST_CASE("load refuses what is no text, in words") {
  Scratch scratch;
  CHECK(load_error(scratch / "none.wk") == "cannot read `" + (scratch / "none.wk") + "`: No such file or directory");
  CHECK(load_error(scratch.path()) == "cannot read `" + scratch.path() + "`: it is a directory");
  scratch.write("nul", std::string("a\nb\0c", 5));
  CHECK(load_error(scratch / "nul") == "`" + (scratch / "nul") + "` is no text: there is a NUL byte in line 2");
  scratch.write("latin", "// caf\xe9\n");
  CHECK(load_error(scratch / "latin") == "`" + (scratch / "latin") + "` is not UTF-8: byte 0xe9 in line 1");
  scratch.write("cut", "// caf\xc3");
  CHECK(load_error(scratch / "cut").find("not UTF-8: byte 0xc3") != std::string::npos);
  CHECK(load_error("/dev/zero") == "cannot read `/dev/zero`: it is larger than 64 MB");
}

TEST_CASE("load takes text and drops a byte order mark") {
  Scratch scratch;
  scratch.write("good", "\xef\xbb\xbf// \xc3\xa9\n");
  Sources sources;
  llvm::Expected<FileId> file = sources.load(scratch / "good");
  REQUIRE(static_cast<bool>(file));
  CHECK(sources.text(*file) == "// \xc3\xa9\n");
  CHECK(sources.path(*file) == scratch / "good");
}
