// What a warp does beside computing, as one number: its accesses, waits, signals, copies and MMAs one after the other,
// each with the operands that it had. Two programs of which every warp has the same number do the same.
#pragma once

#include <cstdint>
#include <vector>

namespace warpcc::checker {

class Effects {
 public:
  // `again` does nothing where it is done twice in a row: a wait, a fence, a load.
  void add(std::uint64_t effect, bool again) {
    settle();
    note(effect, again);
  }
  // A load of a flag, or a comparison with it. Of a loop that polls, its last time round counts: how often it goes
  // round is the other warps' matter.
  void add_polled(std::uint32_t line, std::uint64_t effect) {
    std::erase_if(polled_, [&](const Polled& one) { return one.line == line; });
    polled_.push_back({line, effect});
  }
  std::uint64_t all() {
    settle();
    return all_;
  }

  // SplitMix64's mixing (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
  static constexpr std::uint64_t mixed(std::uint64_t into, std::uint64_t what) {
    std::uint64_t x = (into ^ what) + 0x9e3779b97f4a7c15u + (into << 6);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

 private:
  struct Polled {
    std::uint32_t line;
    std::uint64_t effect;
  };
  void settle() {
    for (const Polled& one : polled_) note(one.effect, true);
    polled_.clear();
  }
  void note(std::uint64_t effect, bool again) {
    if (again && effect == last_) return;
    last_ = effect;
    all_ = mixed(all_, effect);
  }

  std::uint64_t last_ = 0, all_ = 0;
  std::vector<Polled> polled_;  // since the last other effect
};

}  // namespace warpcc::checker
