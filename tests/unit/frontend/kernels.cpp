// The programs that ship are read.
#include <doctest/doctest.h>

#include <string>

#include "frontend/parse.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace warpcc;

TEST_CASE("every kernel and every library file is read") {
  std::error_code error;
  int read = 0;
  for (llvm::sys::fs::recursive_directory_iterator at(WARPCC_SOURCE_DIR "/kernels", error), end; at != end && !error;
       at.increment(error)) {
    if (llvm::sys::path::extension(at->path()) != ".wk") continue;
    Sources sources;
    Diagnostics diagnostics;
    llvm::Expected<FileId> file = sources.load(at->path());
    REQUIRE(static_cast<bool>(file));
    std::optional<tree::File> tree = parse(*file, sources, diagnostics);
    std::string said;
    llvm::raw_string_ostream out(said);
    diagnostics.print(out, sources);
    CHECK_MESSAGE(tree.has_value(), out.str());
    ++read;
  }
  CHECK(read > 0);
}
