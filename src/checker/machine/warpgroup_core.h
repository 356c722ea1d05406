// Hopper's tensor core: what one warp does of a warpgroup's MMA, 16 of its 64 rows, decoded from the bits of the
// descriptors (PTX ISA, wgmma.mma_async).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/machine/fault.h"
#include "checker/machine/operand_image.h"
#include "checker/machine/shared_memory.h"
#include "layout/atoms.h"

namespace warpcc::machine {

struct WarpgroupMma {
  std::uint64_t a = 0, b = 0;  // operand descriptors
  layout::Major a_major = layout::Major::k, b_major = layout::Major::k;
  layout::Element ab = layout::Element::f16, d = layout::Element::f32;
  std::optional<layout::Element> b_alone;  // where B's elements are not A's: e4m3 and e5m2
  int n = 0;
  bool accumulate = false;
  bool a_in_registers = false;
  bool negate_a = false, negate_b = false;
  bool sparse = false;  // A holds half of k

  layout::Element b_element() const { return b_alone.value_or(ab); }
  // Registers of D that a lane holds.
  int registers() const { return n / (d == layout::Element::f16 ? 4 : 2); }
};

// Row of the warp's 16 and column of value `index` of a lane (PTX ISA, wgmma: register fragments).
struct FragmentPlace {
  int row, column;
};
constexpr FragmentPlace fragment_place(int lane, int index) {
  return {lane / 4 + index / 2 % 2 * 8, index / 4 * 8 + lane % 4 * 2 + index % 2};
}

// Row of the warp's 16 and k of element `element` of register `index` of A in registers, of `count` elements a register
// (PTX ISA, wgmma: register fragments).
struct OperandPlace {
  int row, k;
};
constexpr OperandPlace operand_place(int lane, int index, int element, int count) {
  return {lane / 4 + index % 2 * 8, lane % 4 * count + element + index / 2 * 4 * count};
}

class WarpgroupCore {
 public:
  struct Ready {
    WarpgroupMma mma;
    const OperandImage* a = nullptr;  // none: in registers
    const OperandImage* b = nullptr;
  };
  // `quarter`: which of the warpgroup's four warps. Checks that the operands have been written and have landed, then
  // counts the MMA among those that have yet to read them.
  // `refused`: the MMA whose operands are not there yet, of which it is told all the same what it reads.
  std::optional<Ready> issue(const WarpgroupMma& mma, int quarter, SharedMemory& shared, Faults& faults,
                             std::optional<Ready>* refused = nullptr);
  // It has read its operands.
  void finish(const Ready& ready, SharedMemory& shared);
  // What it computes: D's registers as [register][lane]; A's four so, where A is in registers; of a sparse A the chunks
  // of the warp's 16 rows (sparsity.h).
  void multiply(const Ready& ready, const SharedMemory& shared, std::uint32_t* registers,
                const std::uint32_t* a_registers = nullptr, const std::uint64_t* chunks = nullptr);

 private:
  OperandImages images_{layout::TensorCore::wgmma};
  std::vector<float> b_;  // gathered as [k][n], kept from MMA to MMA
};

}  // namespace warpcc::machine
