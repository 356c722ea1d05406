// Colouring: every named value of a program gets its registers, never a spill.
#pragma once

#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

// Gives every value its first register (Value::colour) and every operand its number. Where a file does not suffice it reports, at the
// point of greatest pressure, how many registers are live there, which values, and the limit; and returns false. `limit_r` is the ceiling
// of general registers a thread.
bool colour(Program& program, int limit_r, Diagnostics& diagnostics);

}  // namespace warpcc::sass
