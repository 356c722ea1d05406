// Translation validation: the PTX that a program was lifted to, run on the same machine with the same inputs.
#pragma once

#include <vector>

#include "checker/check.h"
#include "checker/machine/global_memory.h"
#include "checker/report/findings.h"
#include "ptx_text/program.h"
#include "support/diagnostics.h"

namespace warpcc::checker {

// Runs the one entry of `module` over the whole grid and compares what it leaves in each buffer of global memory with
// `globals`, which the program has left there when all of its clusters had run. What is wrong with the PTX itself is
// found as with anybody's. `diagnostics`: what the machine cannot run.
void compare_lifted(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals,
                    const ptx_text::Module& module, const Options& options, Outcome& outcome, Findings& findings,
                    Diagnostics& diagnostics);

}  // namespace warpcc::checker
