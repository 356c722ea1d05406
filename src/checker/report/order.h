// What orders what, in words: the table of `warpcc hb`, its graph, and what one line orders.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/check.h"

namespace warpcc::checker {

// By buffer: which statements' accesses are ordered, by which, and how many pairs were seen.
void print_order(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out);
// The same as a graph of the statements (Graphviz).
void print_order_dot(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out);
// What the `lines` order: `without` is the outcome of a run in which they order nothing.
void print_why(const Outcome& outcome, const Outcome& without, const sass::Program& program,
               const std::vector<std::uint32_t>& lines, llvm::raw_ostream& out);

}  // namespace warpcc::checker
