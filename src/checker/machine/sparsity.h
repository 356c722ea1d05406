// Structured sparsity of A: half of each row is stored, and for each chunk of the row four bits say which half (PTX
// ISA, "Sparse matrix storage" of mma.sp, wgmma.mma_async.sp and tcgen05.mma.sp).
#pragma once

#include <array>
#include <cstdint>

#include "layout/element.h"

namespace warpcc::machine {

enum class Granularity : std::uint8_t {
  one_of_two,     // 32-bit elements
  two_of_four,    // elements of 8 and of 16 bits, and smaller ones of which each has a byte
  pairs_of_eight  // elements of 4 bits, two in a byte
};
Granularity granularity_of(layout::Element element, bool packed = false);

// A row of `count` elements as stored, among zeros in `row`, twice as long. Bits of `chunks`, four a chunk, the first
// lowest. Indices that the ISA calls undefined are taken as they are.
void spread_row(const float* stored, int count, std::uint64_t chunks, Granularity granularity, float* row);

// The chunks of a warp's 16 rows, where each lane's register holds some (PTX ISA, matrix fragments for mma.sp;
// wgmma.mma_async.sp: sparsity metadata): those of rows of `count` stored elements of `width` bits. `selector`: which
// lanes of each four, where not all are needed.
std::array<std::uint64_t, 16> chunks_of_rows(const std::uint32_t* lanes, int count, int width, int selector);

}  // namespace warpcc::machine
