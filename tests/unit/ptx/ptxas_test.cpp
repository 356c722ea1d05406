// Finding ptxas and running it, with stand-ins for it in a folder of the test's own.
#include <doctest/doctest.h>

#include <cstdlib>

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx/lift.h"

using namespace warpcc;
namespace fs = llvm::sys::fs;

namespace {

class Folder {
 public:
  Folder() {
    REQUIRE(!fs::createUniqueDirectory("warpcc-test", path_));
    // The search's settings come from the test alone.
    for (const char* name : {"WARPCC_PTXAS", "CUDA_HOME", "CUDA_PATH"}) unsetenv(name);
    setenv("PATH", "/usr/bin:/bin", 1);
  }
  ~Folder() { fs::remove_directories(path_); }

  std::string script(llvm::StringRef name, llvm::StringRef text) const {
    std::string file = at(name);
    fs::create_directories(llvm::sys::path::parent_path(file));
    std::error_code error;
    llvm::raw_fd_ostream out(file, error);
    REQUIRE(!error);
    out << "#!/bin/sh\n" << text;
    out.close();
    fs::setPermissions(file, fs::all_all);
    return file;
  }
  std::string at(llvm::StringRef name) const { return (path_ + "/" + name).str(); }

 private:
  llvm::SmallString<128> path_;
};

std::string words(llvm::Expected<ptx::Assembled> result) {
  REQUIRE(!result);
  return llvm::toString(result.takeError());
}

}  // namespace

TEST_CASE("what is named is taken or refused") {
  Folder folder;
  std::string there = folder.script("ptxas", "");
  CHECK(ptx::find_ptxas(there, "/nowhere/warpcc").path == there);
  ptx::Ptxas missing = ptx::find_ptxas(folder.at("no"), "/nowhere/warpcc");
  CHECK(missing.path.empty());
  CHECK(missing.looked_in == std::vector<std::string>{folder.at("no")});
  setenv("WARPCC_PTXAS", folder.at("no").c_str(), 1);
  setenv("CUDA_HOME", folder.at("cuda").c_str(), 1);
  folder.script("cuda/bin/ptxas", "");
  CHECK(ptx::find_ptxas("", "/nowhere/warpcc").path.empty());
  unsetenv("WARPCC_PTXAS");
}

TEST_CASE("the order of the search") {
  Folder folder;
  std::string on_path = folder.script("path/ptxas", "");
  setenv("PATH", folder.at("path").c_str(), 1);
  CHECK(ptx::find_ptxas("", folder.at("build/bin/warpcc")).path == on_path);
  std::string wheel = folder.script(".venv/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas", "");
  CHECK(ptx::find_ptxas("", folder.at("build/bin/warpcc")).path == wheel);
  std::string second = folder.script("cuda-path/bin/ptxas", "");
  setenv("CUDA_PATH", folder.at("cuda-path").c_str(), 1);
  CHECK(ptx::find_ptxas("", folder.at("build/bin/warpcc")).path == second);
  std::string first = folder.script("cuda-home/bin/ptxas", "");
  setenv("CUDA_HOME", folder.at("cuda-home").c_str(), 1);
  CHECK(ptx::find_ptxas("", folder.at("build/bin/warpcc")).path == first);
}

TEST_CASE("what was looked through is told") {
  Folder folder;
  ptx::Ptxas found = ptx::find_ptxas("", folder.at("bin/warpcc"));
  if (found.path == "/usr/local/cuda/bin/ptxas") return;  // this machine has one
  CHECK(found.path.empty());
  REQUIRE(found.looked_in.size() >= 2);
  CHECK(found.looked_in[found.looked_in.size() - 2] == "ptxas on PATH");
  CHECK(found.looked_in.back() == "/usr/local/cuda/bin/ptxas");
}

TEST_CASE("the text goes in, the cubin comes back, and -v is read") {
  Folder folder;
  std::string ptxas = folder.script("ptxas",
                                    "echo \"$@\" > \"$(dirname $0)/arguments\"\n"
                                    "cat > \"$5\"\n"
                                    "echo 'ptxas info    : 0 bytes gmem' >&2\n"
                                    "echo '    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads' >&2\n"
                                    "echo 'ptxas info    : Used 38 registers, used 1 barriers' >&2\n");
  auto result = ptx::assemble(ptxas, "the text", isa::Target::sm_100a);
  REQUIRE_MESSAGE(static_cast<bool>(result), llvm::toString(result.takeError()));
  CHECK(result->cubin == "the text");
  CHECK(result->registers == 38);
  CHECK(result->spill_stores == 16);
  CHECK(result->spill_loads == 24);
  CHECK(result->log.find("0 bytes gmem") != std::string::npos);
}

TEST_CASE("a failure carries ptxas's own words") {
  Folder folder;
  std::string text = words(ptx::assemble(folder.script("ptxas", "echo 'line 3; error: no such thing' >&2\nexit 255\n"),
                                         "x", isa::Target::sm_100a));
  CHECK(text.find("exit code 255") != std::string::npos);
  CHECK(text.find("line 3; error: no such thing") != std::string::npos);
  CHECK(words(ptx::assemble(folder.script("silent", "exit 0\n"), "x", isa::Target::sm_100a)).find("no cubin") !=
        std::string::npos);
  CHECK(words(ptx::assemble(folder.at("missing"), "x", isa::Target::sm_100a)).find("did not run") != std::string::npos);
  CHECK(words(ptx::assemble(folder.script("killed", "kill -9 $$\n"), "x", isa::Target::sm_100a)).find("did not run") !=
        std::string::npos);
}

TEST_CASE("temporary files are gone afterwards") {
  Folder folder;
  setenv("TMPDIR", folder.at("tmp").c_str(), 1);
  fs::create_directories(folder.at("tmp"));
  (void)ptx::assemble(folder.script("ptxas", "cat > \"$5\"\n"), "x", isa::Target::sm_100a).get();
  llvm::consumeError(ptx::assemble(folder.script("fails", "exit 1\n"), "x", isa::Target::sm_100a).takeError());
  std::error_code error;
  CHECK(fs::directory_iterator(folder.at("tmp"), error) == fs::directory_iterator());
  unsetenv("TMPDIR");
}

TEST_CASE("a program that ptxas has changed is none") {
  Folder folder;
  auto said = [&](const std::string& log) {
    std::string ptxas = folder.script("ptxas", "echo '" + log + "' >&2\nfor last; do :; done\necho cubin > $last\n");
    llvm::Expected<ptx::Assembled> result = ptx::assemble(ptxas, "", isa::Target::sm_90a);
    return result ? std::string() : llvm::toString(result.takeError());
  };
  CHECK(said("ptxas info    : Used 90 registers").empty());
  std::string serialised = said(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ill "
      "formed "
      "pipeline stage in the function");
  CHECK(serialised.find("another program than was written:") != std::string::npos);
  CHECK(serialised.find("(C7510)") != std::string::npos);
  CHECK(
      said("ptxas info    : (C7508) setmaxnreg ignored to maintain minimum register requirement").find("setmaxnreg") !=
      std::string::npos);
}
