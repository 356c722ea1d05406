// In which order things happen that may happen in any: which warps go on, and when asynchronous work is done.
#pragma once

#include <cstdint>
#include <numeric>

namespace warpcc::machine {

struct Schedule {
  // late: asynchronous work is done when no warp can go on; early: as soon as it is begun; any: at random.
  enum class Work : std::uint8_t { late, early, any };
  Work work = Work::late;
  // When a launch that may begin before the one before it has ended does: as soon as it may; after that has ended; at
  // some time.
  enum class NextGrid : std::uint8_t { early, after, any };
  NextGrid next_grid = NextGrid::early;
  bool varied = false;     // warps take turns of random lengths
  bool old_flags = false;  // the first load of a flag by a warp sees what it was before this launch wrote it
  // Warps that go on only where no other can: one of every CTA, a CTA, or one alone; -1: none.
  int held_warp = -1, held_cta = -1;

  bool holds(int cta, int warp) const {
    return (held_warp >= 0 || held_cta >= 0) && (held_warp < 0 || held_warp == warp) &&
           (held_cta < 0 || held_cta == cta);
  }

  // 0: the usual one, work late. 1: in order, work early. Others: against the program, some of its warps or a CTA held
  // back, or at random.
  static Schedule of(std::uint64_t seed, int ctas, int warps) {
    Schedule schedule;
    if (seed == 0) return schedule;
    schedule.work = seed % kRoundOfWork == 1 ? Work::early : seed % kRoundOfWork == 3 ? Work::any : Work::late;
    schedule.varied = seed > 1;
    schedule.old_flags = seed % 2 == 0;
    if (schedule.work != Work::late) schedule.next_grid = seed % kRoundOfWork == 1 ? NextGrid::after : NextGrid::any;
    if (seed == 1 || seed % 3 == 0) return schedule;
    if (seed % 3 == 1 || ctas == 1) schedule.held_warp = held(seed / 3, warps);
    if (seed % 3 == 2 && ctas > 1) schedule.held_cta = held(seed / 3, ctas);
    return schedule;
  }

 private:
  static constexpr std::uint64_t kRoundOfWork = 4;

  // One after the other; one further on where `work`, which goes round by fours, would meet the same ones again.
  static int held(std::uint64_t turn, int count) {
    auto many = static_cast<std::uint64_t>(count);
    return static_cast<int>((turn + turn / std::lcm(kRoundOfWork, many)) % many);
  }
};

}  // namespace warpcc::machine
