// The kernels that ship, elaborated: what codegen is handed.
#include <doctest/doctest.h>

#include "llvm/Support/raw_ostream.h"
#include "sema/sema.h"

using namespace warpcc;

namespace {

std::optional<kernel::Kernel> compile(const std::string& path, std::vector<Definition> definitions = {}) {
  Sources sources;
  Diagnostics diagnostics;
  llvm::Expected<FileId> file = sources.load(std::string(WARPCC_SOURCE_DIR) + path);
  REQUIRE(bool(file));
  std::optional<kernel::Kernel> kernel = elaborate(*file, {std::move(definitions), {}}, sources, diagnostics);
  diagnostics.print(llvm::errs(), sources);
  return kernel;
}

}  // namespace

TEST_CASE("the counts of gemm.wk") {
  const std::optional<kernel::Kernel> kernel = compile("/kernels/gemm.wk");
  REQUIRE(kernel);
  REQUIRE(kernel->pipes.size() == 2);
  CHECK(kernel->pipes[0].full.arrivals == 1);
  CHECK(kernel->pipes[0].full.bytes == 49152);
  CHECK(kernel->pipes[0].full.bytes_why == "49152 = (8192 of sa + 16384 of sb) × 2 halves");
  CHECK(kernel->pipes[0].empty.arrivals_why == "1 = 1 warp of mma");
  CHECK(kernel->pipes[1].full.arrivals == 1);
  CHECK(kernel->pipes[1].empty.arrivals_why == "8 = 4 warps of stores × 2 halves");
  CHECK(kernel->pairs);
  CHECK(kernel->threads == 256);
  CHECK(kernel->grid[0] == 148);
}
