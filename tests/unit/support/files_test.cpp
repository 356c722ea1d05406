#include "support/files.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "llvm/Support/FileSystem.h"
#include "scratch.h"

using warpcc::OutputFile;
using warpcc::write_whole;

namespace {
std::string error_of(const std::vector<OutputFile>& files) {
  llvm::Error error = write_whole(files);
  return error ? llvm::toString(std::move(error)) : "";
}
}  // namespace

TEST_CASE("all files are written, and nothing beside them") {
  Scratch scratch;
  scratch.write("a", "old");
  CHECK(error_of({{scratch / "a", "one"}, {scratch / "b", std::string("t\0wo", 4)}}) == "");
  CHECK(scratch.read("a") == "one");
  CHECK(scratch.read("b") == std::string("t\0wo", 4));
  CHECK(scratch.count() == 2);
}

TEST_CASE("none is written where one has no place") {
  Scratch scratch;
  scratch.write("a", "old");
  llvm::sys::fs::create_directory(scratch / "dir");
  CHECK(error_of({{scratch / "a", "one"}, {scratch / "dir", "two"}}) ==
        "cannot write `" + (scratch / "dir") + "`: it is a directory");
  CHECK(error_of({{scratch / "a", "one"}, {scratch / "no/b", "two"}}) ==
        "cannot write `" + (scratch / "no/b") + "`: No such file or directory");
  CHECK(scratch.read("a") == "old");
  CHECK(scratch.count() == 2);
}

TEST_CASE("a device is written where it is") {
  CHECK(error_of({{"/dev/null", "gone"}}) == "");
  llvm::sys::fs::file_status status;
  REQUIRE_FALSE(llvm::sys::fs::status("/dev/null", status));
  CHECK(status.type() == llvm::sys::fs::file_type::character_file);
  CHECK(error_of({{"/dev/full", "lost"}}) == "cannot write `/dev/full`: No space left on device");
}

TEST_CASE("a full device among the outputs takes the others back") {
  Scratch scratch;
  scratch.write("a", "old");
  CHECK(error_of({{scratch / "a", "one"}, {scratch / "b", "two"}, {"/dev/full", "lost"}}) != "");
  CHECK(scratch.read("a") == "old");
  CHECK(scratch.count() == 1);
}

TEST_CASE("a symbolic link stays one") {
  Scratch scratch;
  scratch.write("real", "old");
  REQUIRE_FALSE(llvm::sys::fs::create_link(scratch / "real", scratch / "link"));
  CHECK(error_of({{scratch / "link", "new"}}) == "");
  CHECK(scratch.read("real") == "new");
  CHECK(llvm::sys::fs::is_symlink_file(scratch / "link"));
  CHECK(scratch.count() == 2);
}
