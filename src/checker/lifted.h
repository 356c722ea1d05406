// Translation validation: the PTX that a program was lifted to, run on the same machine with the same inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/check.h"
#include "checker/machine/place_history.h"
#include "ptx_text/program.h"

namespace warpcc::checker {

// What the program's own run was asked for (Options::memory, Options::places).
struct ProgramRun {
  std::vector<std::vector<std::uint8_t>> memory;
  machine::PlaceHistory places;
};

// Runs the PTX's kernel over the whole grid and compares what it leaves in each buffer of global memory with what the
// program has left there when all of its clusters had run, bit for bit; and in which order it does what to each place.
// What is wrong with the PTX itself is found as with anybody's. Adds to `outcome`.
void compare_lifted(const sass::Program& program, const ProgramRun& run, const ptx_text::Module& module,
                    Outcome& outcome);

}  // namespace warpcc::checker
