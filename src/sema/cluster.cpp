// Who signals whom in a cluster: docs/language.md, sections 6 and 7.
#include <algorithm>

#include "sema/kernel.h"

namespace warpcc::kernel {
namespace {

const Pin* pin_of(const std::vector<Pin>& pins, int axis) {
  auto pin = std::find_if(pins.begin(), pins.end(), [&](const Pin& p) { return p.axis == axis; });
  return pin == pins.end() ? nullptr : &*pin;
}

}  // namespace

std::vector<std::int64_t> place(const Kernel& kernel, int rank) {
  std::vector<std::int64_t> place;
  for (const Axis& axis : kernel.axes) {
    place.push_back(rank % axis.extent);
    rank /= axis.extent;
  }
  return place;
}

int rank(const Kernel& kernel, const std::vector<std::int64_t>& place) {
  int rank = 0;
  for (std::size_t i = kernel.axes.size(); i-- > 0;) rank = rank * kernel.axes[i].extent + static_cast<int>(place[i]);
  return rank;
}

bool holds(const Kernel& kernel, const Pipe& pipe, Side side, int rank) {
  const std::vector<std::int64_t> at = place(kernel, rank);
  const std::vector<Pin>& pins = side == Side::producer ? pipe.from : pipe.to;
  return std::all_of(pins.begin(), pins.end(), [&](const Pin& pin) { return at[pin.axis] == pin.at; });
}

// A signal goes from one side's CTA to every CTA that holds the other side and agrees with it on the axes that neither
// side is pinned on: along a pinned axis one CTA serves all. What a consumer frees is filled by all producers along
// `across` together.
std::uint32_t reached(const Kernel& kernel, const Pipe& pipe, BarrierOperand::Kind barrier, int from) {
  const bool to_consumers = barrier == BarrierOperand::Kind::full;
  if (!holds(kernel, pipe, to_consumers ? Side::producer : Side::consumer, from)) return 0;
  const std::vector<std::int64_t> here = place(kernel, from);
  std::uint32_t mask = 0;
  for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
    if (!holds(kernel, pipe, to_consumers ? Side::consumer : Side::producer, rank)) continue;
    const std::vector<std::int64_t> there = place(kernel, rank);
    bool serves = true;
    for (int axis = 0; axis < static_cast<int>(kernel.axes.size()); ++axis) {
      const bool free = pin_of(pipe.from, axis) || pin_of(pipe.to, axis) || (!to_consumers && pipe.across == axis);
      serves = serves && (free || here[axis] == there[axis]);
    }
    if (serves) mask |= 1u << rank;
  }
  return mask;
}

}  // namespace warpcc::kernel
