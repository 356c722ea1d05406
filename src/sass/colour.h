// Colouring: every named value of a program gets its registers, never a spill.
#pragma once

#include <algorithm>

#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::sass {

// What the program says, or what its threads leave: a scheduler's 16384 registers, shared by every fourth warp, in
// steps of 8, at most 255.
inline int register_ceiling(const Program& program) {
  // What a role takes for itself (`registers n`) is more than the kernel's share.
  int taken = 0;
  for (const Line& line : program.lines) {
    if (line.opcode && line.opcode->op == isa::Op::USETMAXREG)
      taken = std::max(taken, static_cast<int>(line.operands.back().number));
  }
  int warps_a_scheduler = (program.threads + 127) / 128;
  int left = warps_a_scheduler > 0 ? 16384 / 32 / warps_a_scheduler / 8 * 8 : 255;
  return std::min(std::max(program.registers.value_or(left), taken), 255);
}

// Gives every value its first register (Value::colour) and every operand its number. Where a file does not suffice it
// reports, at the point of greatest pressure, how many registers are live there, which values, and the limit; and
// returns false. `limit_r` is the ceiling of general registers a thread.
bool colour(Program& program, int limit_r, Diagnostics& diagnostics);

}  // namespace warpcc::sass
