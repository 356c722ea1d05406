// What becomes of a mutant: refused by the types, killed by the checker, equivalent, or alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"
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
  int seeds = 2;                // orders besides the usual one, without values
  int seeds_of_survivors = 40;  // … for what survives those
  int launches = 1;             // on the same memory
};

struct Verdict {
  enum class Kind : std::uint8_t { refused, killed, equivalent, survived, broken } kind = Kind::survived;
  std::string by;    // the rule, the check, the reason
  std::string text;  // the complaint
};

// What a program does when it runs: how it is launched, and in each order that is tried the effects of its warps.
struct Behaviour {
  std::string launch;
  std::vector<checker::WarpEffects> runs;
  friend bool operator==(const Behaviour&, const Behaviour&) = default;
};

// The program that mutants are made of, at one shape.
struct Original {
  std::string listing;
  Behaviour behaviour;
};

// Kernel text at a subject's shape; nothing where it is refused, or fails, with the verdict.
std::optional<Original> original(const Subject& subject, const std::string& file, std::size_t shape, Verdict& why);
// A change of kernel text is made in a copy of its folder, `folder`; `originals` are of the subject's shapes.
Verdict judge_kernel_text(const Subject& subject, const Mutant& mutant, const std::string& folder,
                          const std::vector<Original>& originals);
// … and of the listing of the first shape.
Verdict judge_listing(const Subject& subject, const Mutant& mutant, const Original& original);

}  // namespace warpcc::mutants
