// Vector clocks: what an agent (a warp, a tensor core's queue, a copy engine) knows to have happened. Every agent
// carries one, and barriers hand them on from those that arrive to those that wait.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llvm/ADT/SmallVector.h"

namespace warpcc::machine {

class Clock {
 public:
  Clock() = default;
  explicit Clock(std::size_t agents) : times_(agents, 0) {}

  void tick(std::size_t agent) { ++times_[agent]; }
  std::uint32_t at(std::size_t agent) const { return agent < times_.size() ? times_[agent] : 0; }

  // From here on the owner knows all that `other` knows.
  void join(const Clock& other) {
    if (times_.size() < other.times_.size()) times_.resize(other.times_.size(), 0);
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
      if (other.times_[i] > times_[i]) times_[i] = other.times_[i];
    }
  }
  void clear() { times_.assign(times_.size(), 0); }

  // Whether the event that `agent` did at its time `time` happened before the present of the owner.
  bool covers(std::size_t agent, std::uint32_t time) const { return at(agent) >= time; }

 private:
  llvm::SmallVector<std::uint32_t, 24> times_;
};

}  // namespace warpcc::machine
