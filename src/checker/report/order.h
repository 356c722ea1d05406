// What orders what, in words: the table of `warpcc hb`, its graph, and what one line orders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/check.h"

namespace warpcc::checker {

// `sa` of `part of sa[3]`: pairs are told by buffer.
std::string buffer_of(const std::string& place);
// A pair in a line: `load …` → `mma …`, by `load …` → `wait …`.
std::string order_text(const OrderedPair& pair, const sass::Program& program);
// By buffer: which statements' accesses are ordered, by which, and how many pairs were seen.
void print_order(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out);
// The same as a graph of the statements (Graphviz).
void print_order_dot(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out);
// What the `lines` order: `without` is the outcome of a run in which they order nothing.
void print_why(const Outcome& outcome, const Outcome& without, const sass::Program& program,
               const std::vector<std::uint32_t>& lines, llvm::raw_ostream& out);

}  // namespace warpcc::checker
