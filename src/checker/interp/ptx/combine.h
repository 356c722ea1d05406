// What atomics and reductions make of what was there.
#pragma once

#include <cstdint>

#include "checker/interp/ptx/code.h"

namespace warpcc::checker::ptx {

// 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor, 6 exch, 7 cas, 8 inc, 9 dec (PTX ISA, atom). Of a vector of halves, each.
std::uint64_t combined(int operation, Num type, std::uint64_t old, std::uint64_t b, std::uint64_t c);

}  // namespace warpcc::checker::ptx
