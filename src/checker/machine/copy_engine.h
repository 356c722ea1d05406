// The copy engine: boxes of a tensor map between global and shared memory (PTX ISA, cp.async.bulk.tensor).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/machine/fault.h"
#include "checker/machine/global_memory.h"
#include "checker/machine/shared_memory.h"
#include "layout/layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace warpcc::machine {

inline constexpr int kMostDimensions = 5;
using Coordinates = std::array<std::int64_t, kMostDimensions>;  // as the instruction has them: innermost first

struct TensorMap {
  std::string name;
  int buffer = -1;                    // index of the global buffer
  std::vector<std::int64_t> extents;  // innermost first
  std::vector<std::int64_t> box;
  int element_bytes = 2;
  layout::Swizzle swizzle;
  std::vector<std::int64_t> valid = {};  // of the extents, what holds something; empty: all

  int rank() const { return static_cast<int>(extents.size()); }
  std::int64_t row_bytes() const { return box[0] * element_bytes; }
  std::int64_t box_rows() const;
  // The whole box, whatever of it lies in the tensor: what a barrier is told.
  std::int64_t box_bytes() const { return row_bytes() * box_rows(); }
  // How far the rows of a box are apart in shared memory: what they hold, but no less than the span of the swizzle.
  // Seen on an H200 (tests/gpu); the bytes between are not written, and no barrier is told of them.
  std::int64_t pitch() const { return std::max<std::int64_t>(row_bytes(), swizzle.span()); }
  bool dense() const { return pitch() == row_bytes(); }
  // From the first byte to past the last, of shared memory.
  std::int64_t shared_bytes() const { return pitch() * box_rows(); }
  // Where byte `at` of the box, counted without what lies between rows, lies when the box starts at `start`: the
  // swizzle is applied to absolute addresses.
  std::uint32_t place(std::uint32_t start, std::int64_t at) const {
    std::int64_t along = dense() ? at : at / row_bytes() * pitch() + at % row_bytes();
    return static_cast<std::uint32_t>(swizzle(static_cast<std::int64_t>(start) + along));
  }
};

// Faults of a box: rank, box and alignment rules of the encoding. Once a map.
void check_map(const TensorMap& map, Faults& faults);
// Faults of an access: alignment of the shared address, the first coordinate's multiple of 16 bytes, a store's negative
// start. Answers whether the access can go on.
bool check_access(const TensorMap& map, const Coordinates& start, std::uint32_t shared_start,
                  const SharedMemory& shared, bool store, Faults& faults);

// The elements of a box that lie in the tensor, those of a row together: function(first, count).
void for_each_span(const TensorMap& map, const Coordinates& start,
                   llvm::function_ref<void(std::int64_t, std::int64_t)> function);
// Elements outside the tensor are zeros.
void load_box(const TensorMap& map, const GlobalBuffer& global, const Coordinates& start, std::uint32_t shared_start,
              SharedMemory& shared);
// Which units of a box that has landed hold something valid: elements outside the tensor do, they are zeros.
void mark_valid(const TensorMap& map, const Coordinates& start, std::uint32_t shared_start, SharedMemory& shared);
// A store reads the box first, and writes it at some time after.
std::vector<std::uint32_t> read_box(const TensorMap& map, std::uint32_t shared_start, const SharedMemory& shared);
// Elements outside the tensor are dropped. `add` adds to what is there, as the elements are.
void write_box(const TensorMap& map, GlobalBuffer& global, const Coordinates& start,
               const std::vector<std::uint32_t>& elements, bool add, int launch = 0);

}  // namespace warpcc::machine
