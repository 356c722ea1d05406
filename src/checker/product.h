// What a kernel has stored, against a plain product.
#pragma once

#include <vector>

#include "checker/check.h"
#include "checker/machine/global_memory.h"
#include "checker/report/findings.h"

namespace warpcc::checker {

// C = A · Bᵀ: C is the one matrix that has been stored to, A and B the first two others; where their shapes do not fit,
// a note says that there is nothing to compare with. Every stored element of C is compared with the product in double
// precision, computed from the input function alone. `whole`: every element must have been stored. `launch` counts from
// 0.
void compare_with_product(const sass::Program& program, const std::vector<machine::GlobalBuffer>& globals, bool whole,
                          int launch, Outcome& outcome, Findings& findings);

}  // namespace warpcc::checker
