// Which element of a tile each thread's value is, for the tensor core's instructions. Tiles are [rows, columns], rows
// the fastest: A is [M, K], B [N, K], D [M, N].
#pragma once

#include <optional>
#include <string>

#include "layout/atoms.h"
#include "layout/layout.h"

namespace warpcc::layout {

// tcgen05.mma: (CTA, value) -> element. Of a pair each CTA has half the rows, of A and D by M, of B by N.
Map tcgen05_share(int rows, int columns, bool pair);

// wgmma has M = 64 and a warpgroup's 128 threads (PTX ISA, wgmma: register fragments). D, and A where it is in
// registers: (thread, value) -> element. An operand in shared memory every thread has whole: all are at stride 0.
constexpr int kWgmmaRows = 64;
Map wgmma_accumulator(int n);
Map wgmma_register_operand(Element element);
Map wgmma_shared_operand(int rows, int k);
// What is wrong with N, in words for the user.
std::optional<std::string> wgmma_shape_misfit(InstructionDescriptor::Kind kind, int n);

}  // namespace warpcc::layout
