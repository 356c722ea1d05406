// How the clusters of a launch are shared out, where none of them waits for what another one writes: each share runs
// by itself, its clusters one after the other, on any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpcc::checker {

// Clusters that the GPU holds at once that the checker stands for: it has a CTA on each of 148 SMs.
inline std::int64_t room_for(std::int64_t cluster) {
  return std::max<std::int64_t>(1, 148 / cluster);
}

// Which clusters can be had: of a grid those that are not chosen, in order, or all; with a seed in an order that it
// chooses.
class Free {
 public:
  Free() = default;
  // `without`: in order.
  Free(std::int64_t clusters, std::vector<std::int64_t> without, std::uint64_t seed);

  std::int64_t count() const { return count_; }
  // Number `i` of them.
  std::int64_t operator[](std::int64_t i) const;

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> without_;
  std::int64_t first_ = 0, step_ = 1;  // number i of the order is number first_ + i * step_, around
};

// A cluster that starts first, and which of the free ones are its to take: next, next + stride, …
struct Share {
  std::int64_t first = 0;
  std::int64_t next = 0, stride = 1;
};

struct Shares {
  std::vector<Share> list;
  Free free;
  bool starts_free = false;  // what of a share nobody asks for starts as a cluster of its own
};

// The clusters `chosen` run, which are the whole grid if `all`. `asks`: work is handed out. `room`: clusters that the
// machine holds.
Shares share_out(const std::vector<std::int64_t>& chosen, bool all, bool asks, std::int64_t clusters, std::int64_t room,
                 std::uint64_t seed);

}  // namespace warpcc::checker
