// What is said of a race, of SASS and of PTX alike.
#pragma once

#include "checker/order/access.h"

namespace warpcc::checker {

// What an access does, before the statement or the opcode that does it: `is written by`, `the copy engine reads for`.
const char* does(const order::Entry& entry);
// What is wrong between two accesses, but for a missing fence of proxies, which each instruction set names its own way.
const char* apart(order::Why why);

}  // namespace warpcc::checker
