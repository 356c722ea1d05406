// What a second run tells of races: where the earlier of two accesses was in its work, and what orders others of the
// same buffer.
#pragma once

#include <vector>

#include "checker/check.h"

namespace warpcc::checker {

// The executions that the outcome's races speak of.
Recollections recollections_wanted(const Outcome& outcome);
// `ordered`: the pairs of the same run that are in order.
void tell_recollections(Outcome& outcome, const Recollections& recollections, const std::vector<OrderedPair>& ordered,
                        const sass::Program& program);

}  // namespace warpcc::checker
