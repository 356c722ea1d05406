#include "lsp/paths.h"

#include <doctest/doctest.h>

#include <fstream>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace warpcc;

namespace {

struct Folder {
  Folder() { llvm::sys::fs::createUniqueDirectory("paths", at); }
  ~Folder() { llvm::sys::fs::remove_directories(at); }
  std::string path(const std::string& name) const { return std::string(at) + "/" + name; }
  void file(const std::string& name) const { std::ofstream(path(name)) << "\n"; }
  llvm::SmallString<128> at;
};

std::vector<std::string> names(std::string_view typed, const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  for (const lsp::PathEntry& entry : lsp::module_paths(typed, folders)) all.push_back(entry.name);
  return all;
}

}  // namespace

TEST_CASE("modules and folders that a half-typed path leads to") {
  Folder own, other;
  llvm::sys::fs::create_directory(own.path("lib"));
  own.file("gemm.wk");
  own.file("notes.txt");
  own.file(".hidden.wk");
  own.file("lib/tiles.wk");
  other.file("gemm.wk");
  other.file("flags.wk");
  const std::vector<std::string> folders{std::string(own.at), std::string(other.at)};

  CHECK(names("", folders) == std::vector<std::string>{"flags.wk", "gemm.wk", "lib/"});
  CHECK(names("lib/ti", folders) == std::vector<std::string>{"tiles.wk"});
  CHECK(names("nowhere/", folders).empty());
  CHECK(names("", {"/does/not/exist"}).empty());
}
