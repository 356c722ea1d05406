// The listings that the rules of language.md, section 13, must give.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "build.h"
#include "codegen/codegen.h"
#include "llvm/Support/raw_ostream.h"
#include "sass/text.h"

using namespace warpcc;

namespace {

std::string listing(const kernel::Kernel& kernel) {
  Sources sources;
  sources.add("none.wk", "");
  Diagnostics diagnostics;
  auto program = generate(kernel, sources, diagnostics);
  std::string said;
  llvm::raw_string_ostream out(said);
  diagnostics.print(out, sources);
  INFO(said);
  REQUIRE(program);
  return sass::print(*program, sass::Form::named);
}

}  // namespace

TEST_CASE("the listing of the pair GEMM") {
  std::string text = listing(test::gemm({}));
  if (std::getenv("WARPCC_SHOW")) llvm::outs() << text;
  CHECK(text.find("UTCHMMA.2CTA") != std::string::npos);
}

TEST_CASE("the listing of 256 x 256") {
  std::string text = listing(test::gemm({4, 1, 256, 256, 128, true}));
  if (std::getenv("WARPCC_SHOW_256")) llvm::outs() << text;
  CHECK(text.find("UTCHMMA.2CTA") != std::string::npos);
}
