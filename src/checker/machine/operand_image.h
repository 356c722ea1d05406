// Operands of the tensor core in shared memory, decoded from the bits of their descriptors, and the products of their
// rows.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/machine/fault.h"
#include "checker/machine/shared_memory.h"
#include "layout/atoms.h"

namespace warpcc::machine {

// Where the elements of an operand lie in shared memory: [row * k + i], and the 16-byte units that they touch, 64
// together.
struct OperandImage {
  int rows = 0, k = 0;
  int element_bytes = 2;  // 0: elements of fewer than 8 bits
  layout::Element element = layout::Element::f16;
  std::vector<std::uint32_t> addresses;
  std::vector<std::uint8_t> shifts;  // of elements that share bytes: the first bit
  struct Units {
    std::uint32_t offset;  // of the block of shared memory
    std::uint64_t mask;    // of its units
  };
  std::vector<Units> units;
  bool inside = false;

  // Why an MMA cannot read it now, `at 0x480, which nothing has written`; empty: it can.
  std::string unreadable(const SharedMemory& shared) const;
  // One more MMA, one less, that has yet to read it.
  void add_reader(SharedMemory& shared) const;
  void remove_reader(SharedMemory& shared) const;
  float value(int index, const SharedMemory& shared) const;
};

class OperandImages {
 public:
  explicit OperandImages(layout::TensorCore core) : core_(core) {}

  // Rows [first_row, first_row + rows) of what a descriptor's bits describe; null where they describe nothing, or
  // something outside the kernel's memory: that is a fault of `operand`. Elements of fewer than 8 bits lie 16 in each
  // 16 bytes, from the first on; or, `packed`, 32. `twice`: of what a sparse MMA consumes of B, 64 bytes of k.
  const OperandImage* find(std::uint64_t bits, int first_row, int rows, layout::Element element, layout::Major major,
                           const SharedMemory& shared, Faults& faults, const char* operand, bool packed = false,
                           bool twice = false);

 private:
  layout::TensorCore core_;
  std::unordered_map<std::uint64_t, OperandImage> images_;
};

// c[n] += a[k] · bt[k × n].
void multiply_row(const float* a, const float* bt, int k, int n, float* c);

}  // namespace warpcc::machine
