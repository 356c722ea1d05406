// What atomics and reductions make of what was there.
#pragma once

#include <cstdint>
#include <span>

#include "checker/interp/ptx/code.h"
#include "checker/order/access.h"

namespace warpcc::checker::ptx {

// 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor, 6 exch, 7 cas, 8 inc, 9 dec (PTX ISA, atom). Of a vector of halves, each.
std::uint64_t combined(int operation, Num type, std::uint64_t old, std::uint64_t b, std::uint64_t c);

// The same of neighbouring elements: what is at `to` with what is at `from`.
void combine(int operation, Num type, std::span<std::uint8_t> to, const std::uint8_t* from);

// What a reduction does to a place, for the order: sums of floats commute with each other, other reductions with all
// that is atomic (PTX ISA, cp.reduce.async.bulk: each element's is relaxed, of the scope of the GPU).
inline order::Use use_of_reduction(int operation, Num type) {
  return operation == 0 && is_float(type) ? order::Use::add : order::Use::strong_write;
}

}  // namespace warpcc::checker::ptx
