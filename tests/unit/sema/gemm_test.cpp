// The kernels that ship, elaborated: what codegen is handed.
#include <doctest/doctest.h>

#include <array>

#include "llvm/Support/raw_ostream.h"
#include "sema/print.h"
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
  REQUIRE(kernel->pipes.size() == 3);
  CHECK(kernel->pipes[2].depth == 0);  // tiles are taken by stride: nobody asks for more
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

TEST_CASE("the loading loop of gemm.wk, every coordinate an index") {
  const std::optional<kernel::Kernel> kernel = compile("/kernels/gemm.wk");
  REQUIRE(kernel);
  const std::string text = kernel::text(*kernel);
  INFO(text);
  CHECK(text.find("    loop k in 0 .. 32 by 1\n"
                  "      fill out\n"
                  "        wait out.empty\n"
                  "        @(one && half == 0) expect out.full\n"
                  "        load out.sa[0 +: 64, 0 +: 64], a[w.row + half * 64 +: 64, k * 64 +: 64], out.full\n"
                  "        load out.sb[0 +: 128, 0 +: 64], b[w.col + half * 128 +: 128, k * 64 +: 64], out.full\n") !=
        std::string::npos);
}

TEST_CASE("the MMAs of gemm.wk: shapes and descriptors are read off their operands") {
  const std::optional<kernel::Kernel> kernel = compile("/kernels/gemm.wk", {{"elem", "bf16"}});
  REQUIRE(kernel);
  const std::string text = kernel::text(*kernel);
  CHECK(text.find("mma.pair out.acc[0 +: 128, 0 +: 128], inp.sb[0 +: 128, 16 +: 16], inp.sa[0 +: 64, 16 +: 16], true  "
                  "[m 256 n 128 k 16 idesc 0x10200490]") != std::string::npos);
}

TEST_CASE("gemm.wk at sizes with tails, few clusters and one tile") {
  for (const auto& [m, n, k] : {std::array{"1000", "520", "264"}, std::array{"512", "776", "1096"},
                                std::array{"1", "4", "8"}, std::array{"16384", "16384", "16384"}}) {
    CHECK(compile("/kernels/gemm.wk", {{"M", m}, {"N", n}, {"K", k}, {"sms", "6"}}));
  }
}
