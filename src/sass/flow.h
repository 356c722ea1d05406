// Control flow and liveness of a SASS program: what colouring, the lift and the reader's checks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sass/program.h"

namespace warpcc::sass {

// The lines that may follow `line`; a guarded branch has two, EXIT without a guard none.
std::vector<std::size_t> successors(const Program& program, std::size_t line);

struct Access {
  Reg reg;             // the first register of the group
  std::uint8_t width;  // registers
  bool written;
  bool whole;  // a write that always happens, and keeps nothing: not guarded, no MMA that adds to its own registers
};
// Registers that a line reads and writes, operands and guard, addresses' registers included; constants left out.
std::vector<Access> accesses(const Line& line);

// What the number of a group's first register is a multiple of: pairs 2, more 4, the longer vectors of the copy
// engine 8.
std::uint8_t alignment(isa::File file, int width);

// For each line, the values live before it, as bits by ValueId: 64 a word, `words` words a line. Live is what was
// written on some path to the line and is read on some path from it; of a group, any part.
struct Liveness {
  std::size_t words = 0;
  std::vector<std::uint64_t> before;
  bool live_before(std::size_t line, ValueId value) const {
    auto bit = static_cast<std::size_t>(value);
    return before[line * words + bit / 64] >> (bit % 64) & 1;
  }
};
Liveness liveness(const Program& program);

}  // namespace warpcc::sass
