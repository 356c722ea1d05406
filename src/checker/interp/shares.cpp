#include "checker/interp/shares.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpcc::checker {
namespace {

// SplitMix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Free::Free(std::int64_t clusters, std::vector<std::int64_t> without, std::uint64_t seed)
    : count_(clusters - static_cast<std::int64_t>(without.size())), without_(std::move(without)) {
  if (seed == 0 || count_ < 2) return;
  auto below = [&](std::uint64_t x) {
    return static_cast<std::int64_t>(mixed(x) % static_cast<std::uint64_t>(count_));
  };
  first_ = below(seed);
  step_ = 1 + below(~seed);
  while (std::gcd(step_, count_) != 1) ++step_;  // 1 + count_ at the latest
}

std::int64_t Free::operator[](std::int64_t i) const {
  // Steps around, without a product that overflows: the machine counts clusters below 2^31.
  std::int64_t at = (first_ + i % count_ * (step_ % count_) % count_) % count_;
  for (std::int64_t taken : without_) {
    if (taken > at) break;
    ++at;
  }
  return at;
}

Shares share_out(const std::vector<std::int64_t>& chosen, bool all, bool asks, std::int64_t clusters, std::int64_t room,
                 std::uint64_t seed) {
  Shares shares;
  if (!asks) {
    for (std::int64_t cluster : chosen) shares.list.push_back({cluster, 0, 1});
    return shares;
  }
  if (!all) {
    shares.free = Free(clusters, chosen, seed);
    auto stride = static_cast<std::int64_t>(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      shares.list.push_back({chosen[i], static_cast<std::int64_t>(i), stride});
    return shares;
  }
  // Who asks for work gets it on any machine, and before others have started: a few pieces each, where there are so
  // many. With a seed on machines of any size.
  room = std::min(room, clusters / 4 + 1);
  if (seed != 0) room = 1 + static_cast<std::int64_t>(mixed(seed + 1) % static_cast<std::uint64_t>(room));
  shares.free = Free(clusters, {}, seed);
  shares.starts_free = true;
  for (std::int64_t i = 0; i < room; ++i) shares.list.push_back({shares.free[i], i + room, room});
  return shares;
}

}  // namespace warpcc::checker
