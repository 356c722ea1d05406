// Programs as their listings, for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "build.h"
#include "codegen/codegen.h"
#include "llvm/Support/raw_ostream.h"
#include "sass/text.h"

namespace warpcc::test {

struct Generated {
  std::optional<sass::Program> program;
  std::string said;  // the complaints, as printed
};

inline Generated generate(const kernel::Kernel& kernel) {
  Sources sources;
  sources.add("none.wk", "");
  Diagnostics diagnostics;
  Generated made;
  made.program = warpcc::generate(kernel, sources, diagnostics);
  llvm::raw_string_ostream out(made.said);
  diagnostics.print(out, sources);
  return made;
}

inline sass::Program program_of(const kernel::Kernel& kernel) {
  Generated made = generate(kernel);
  INFO(made.said);
  REQUIRE(made.program);
  return std::move(*made.program);
}

// The lines of a section without labels: mark and code, as the listing has them, held and comments left out.
std::vector<std::string> code_of(const sass::Program& program, std::string_view section);
// Those between the label and the branch back to it, both left out and the branch included.
std::vector<std::string> loop_of(const sass::Program& program, std::string_view section, std::string_view counter);

}  // namespace warpcc::test
