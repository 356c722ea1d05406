#include "codegen/cluster.h"

#include <algorithm>
#include <bit>

namespace warpcc::codegen {

namespace {

bool holds(const kernel::Compare& compare, const std::vector<std::int64_t>& place) {
  std::int64_t left = compare.left.constant;
  for (const kernel::Term& term : compare.left.terms) {
    if (term.atom.kind != kernel::Atom::Kind::axis) return true;  // says nothing about the cluster
    left += term.factor * place[static_cast<std::size_t>(term.atom.id)];
  }
  return kernel::holds(left, compare.is, compare.right);
}

// One constant and one shift that give every CTA its mask: the shift is the rank with some axes left out.
Mask common(const kernel::Kernel& kernel, const std::vector<int>& from, const std::vector<std::uint32_t>& masks) {
  Mask mask;
  mask.only_own = true;
  for (std::size_t i = 0; i < from.size(); ++i) mask.only_own = mask.only_own && masks[i] == 1u << from[i];
  std::size_t axes = kernel.axes.size(), all = (std::size_t{1} << axes) - 1;
  // None first, then the rank itself, which every role has at hand.
  std::vector<std::size_t> subsets{0, all};
  for (std::size_t subset = 1; subset < all; ++subset) subsets.push_back(subset);
  for (std::size_t subset : subsets) {
    std::optional<std::uint32_t> constant;
    bool fits = true;
    for (std::size_t i = 0; i < from.size() && fits; ++i) {
      std::vector<std::int64_t> place = kernel::place(kernel, from[i]);
      std::int64_t shift = 0, stride = 1;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        if (subset >> axis & 1) shift += place[axis] * stride;
        stride *= kernel.axes[axis].extent;
      }
      std::uint32_t low = masks[i] >> shift;
      fits = low << shift == masks[i] && (!constant || *constant == low);
      constant = low;
    }
    if (!fits) continue;
    mask.constant = constant.value_or(0);
    mask.by_rank = subset == all && subset != 0;
    std::int64_t stride = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (subset >> axis & 1 && kernel.axes[axis].extent > 1)
        mask.shift.add({Symbol::Kind::axis, static_cast<std::int32_t>(axis)}, stride);
      stride *= kernel.axes[axis].extent;
    }
    return mask;
  }
  return mask;
}

}  // namespace

std::vector<int> running(const kernel::Kernel& kernel, const std::vector<kernel::Pin>& at, const kernel::Facts& facts) {
  std::vector<int> ranks;
  for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
    std::vector<std::int64_t> place = kernel::place(kernel, rank);
    bool runs = std::all_of(at.begin(), at.end(), [&](const kernel::Pin& pin) {
      return place[static_cast<std::size_t>(pin.axis)] == pin.at;
    });
    for (const kernel::Compare& compare : facts.compares) runs = runs && holds(compare, place);
    if (runs) ranks.push_back(rank);
  }
  return ranks;
}

Reach reach(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
            const std::vector<int>& from) {
  Reach reach;
  bool own = true;
  std::vector<std::vector<std::int64_t>> here, there;
  for (int rank : from) {
    std::uint32_t mask = kernel::reached(kernel, pipe, barrier, rank);
    own = own && mask == 1u << rank;
    if (!std::has_single_bit(mask)) {
      reach.kind = Reach::Kind::several;
      return reach;
    }
    here.push_back(kernel::place(kernel, rank));
    there.push_back(kernel::place(kernel, std::countr_zero(mask)));
  }
  if (own) return reach;
  reach.kind = Reach::Kind::other;
  for (std::size_t axis = 0; axis < kernel.axes.size(); ++axis) {
    bool same = true;
    for (std::size_t i = 0; i < here.size(); ++i) same = same && here[i][axis] == there[i][axis];
    if (!same) reach.at.push_back({static_cast<int>(axis), there.front()[axis]});
  }
  return reach;
}

Each each_reached(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
                  const std::vector<int>& from) {
  Each each;
  for (std::size_t axis = 0; axis < kernel.axes.size(); ++axis) {
    bool all = false, own = true;
    std::int64_t there = 0;
    for (int rank : from) {
      std::uint32_t mask = kernel::reached(kernel, pipe, barrier, rank);
      if (mask == 0) continue;
      std::int64_t first = kernel::place(kernel, std::countr_zero(mask))[axis];
      std::int64_t last = kernel::place(kernel, std::bit_width(mask) - 1)[axis];
      all = all || first != last;
      own = own && first == kernel::place(kernel, rank)[axis];
      there = first;
    }
    if (all) {
      each.axes.push_back(static_cast<int>(axis));
      each.count *= kernel.axes[axis].extent;
    }
    if (all || !own) each.at.push_back({static_cast<int>(axis), all ? 0 : there});
  }
  return each;
}

Mask mask_of(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::BarrierOperand::Kind barrier,
             const std::vector<int>& from) {
  std::vector<std::uint32_t> masks;
  for (int rank : from) masks.push_back(kernel::reached(kernel, pipe, barrier, rank));
  return common(kernel, from, masks);
}

Mask mask_across(const kernel::Kernel& kernel, int axis, const std::vector<int>& from) {
  std::vector<std::uint32_t> masks;
  for (int rank : from) {
    std::vector<std::int64_t> place = kernel::place(kernel, rank);
    std::uint32_t mask = 0;
    for (int i = 0; i < kernel.axes[static_cast<std::size_t>(axis)].extent; ++i) {
      place[static_cast<std::size_t>(axis)] = i;
      mask |= 1u << kernel::rank(kernel, place);
    }
    masks.push_back(mask);
  }
  return common(kernel, from, masks);
}

}  // namespace warpcc::codegen
