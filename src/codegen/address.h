// From a view to its address as a sum: the layout's strides applied to forms. Exact, or refused.
#pragma once

#include <optional>

#include "codegen/form.h"
#include "codegen/memory.h"

namespace warpcc::codegen {

// The smallest and the largest value of a symbol.
struct Interval {
  std::int64_t low = 0, high = 0;
};

class Addresses {
 public:
  Addresses(const kernel::Kernel& kernel, const Memory& memory) : kernel_(kernel), memory_(memory) {}

  // Warps of the role whose code is derived: the range of `warp`.
  void role_of(int warps) { warps_ = warps; }
  Interval interval(Symbol symbol) const;
  Interval interval(const Form& form) const;

  // Shared memory: bytes from the CTA's shared address 0. Tensor memory: lane × 0x10000 + column from the allocation's
  // first column on. Nothing where the layout is no sum over these coordinates.
  std::optional<Form> of(const Reference& reference) const;
  // Elements from the buffer's first one on; in tensor memory addresses.
  std::optional<Form> elements(const Reference& reference) const;
  // Where the tile of this reference's copy begins.
  Form tile_start(const Reference& reference) const;

 private:
  const kernel::Kernel& kernel_;
  const Memory& memory_;
  int warps_ = 1;
};

}  // namespace warpcc::codegen
