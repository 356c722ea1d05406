// What becomes of a mutant: refused by the types, killed by the checker, equivalent, or alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mutant.h"
#include "sass/program.h"
#include "sema/sema.h"

namespace warpcc::mutants {

// A program under test: a kernel's parameters, and the shapes that it runs at.
struct Subject {
  std::string name;
  std::string kernel;  // the file
  std::vector<Definition> parameters;
  std::vector<std::vector<Definition>> shapes;
  int seeds = 2;     // besides the order that stands
  int launches = 1;  // on the same memory
};

struct Verdict {
  enum class Kind : std::uint8_t { refused, killed, equivalent, survived, broken } kind = Kind::survived;
  std::string by;    // the rule, the check, the reason
  std::string text;  // the complaint
};

// Kernel text at a subject's shape, to its listing; nothing where it is refused, with the verdict.
std::optional<std::string> listing(const Subject& subject, const std::string& file, std::size_t shape, Verdict& why);
// A change of kernel text is made in a copy of its folder, `folder`; `originals` are the listings of the shapes.
Verdict judge_kernel_text(const Subject& subject, const Mutant& mutant, const std::string& folder,
                          const std::vector<std::string>& originals);
Verdict judge_listing(const Subject& subject, const Mutant& mutant);

}  // namespace warpcc::mutants
