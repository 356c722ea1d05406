// Whom an instruction reaches in its cluster, as seen by all CTAs that run it (language.md, sections 6 and 7).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/form.h"
#include "sema/kernel.h"

namespace warpcc::codegen {

// The ranks of the CTAs that run code pinned `at`, under facts about the cluster's axes.
std::vector<int> running(const kernel::Kernel& kernel, const std::vector<kernel::Pin>& at, const kernel::Facts& facts);

struct Reach {
  enum class Kind : std::uint8_t {
    own,    // this CTA's barrier
    other,  // one CTA's: this one's but for the axes that are pinned
    several,
  };
  Kind kind = Kind::own;
  std::vector<kernel::Pin> at;
};
Reach reach(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
            const std::vector<int>& from);

// The CTAs that are reached, one a lane: `count` along `axes`, which follow each other in the rank (sema has seen to
// that); `at`: those axes at 0, and what is pinned beside.
struct Each {
  std::vector<kernel::Pin> at;
  std::vector<int> axes;
  int count = 1;
};
Each each_reached(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
                  const std::vector<int>& from);

// The mask of CTAs: `constant` << `shift`, an index of axes; `by_rank`: the shift is the CTA's rank.
struct Mask {
  std::uint32_t constant = 0;
  Form shift;
  bool by_rank = false;
  bool only_own = false;  // this CTA and no other, for all
};
Mask mask_of(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
             const std::vector<int>& from);
// The CTAs that differ from this one along the axis only.
Mask mask_across(const kernel::Kernel& kernel, int axis, const std::vector<int>& from);

}  // namespace warpcc::codegen
