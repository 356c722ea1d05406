// mbarriers (PTX ISA, mbarrier): a phase completes when no arrivals and no bytes are to come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/machine/fault.h"

namespace warpcc::machine {

class MBarrier {
 public:
  static constexpr std::int64_t kMostArrivals = (1 << 20) - 1;
  static constexpr std::int64_t kMostBytes = (1 << 20) - 1;

  // `what` names the barrier in faults.
  void init(std::int64_t arrivals, const std::string& what, Faults& faults);
  void invalidate(const std::string& what, Faults& faults);
  bool live() const { return live_; }

  // Each answers whether the phase completed.
  bool arrive(std::int64_t count, const std::string& what, Faults& faults);
  bool expect(std::int64_t bytes, const std::string& what, Faults& faults);
  bool land(std::int64_t bytes, const std::string& what, Faults& faults);
  bool drop(std::int64_t count, const std::string& what, Faults& faults);

  // Whether the phase of this parity is the one before the present.
  bool passed(int parity) const { return static_cast<int>(phase_ & 1) != parity; }

  std::uint64_t phase() const { return phase_; }
  std::int64_t expected() const { return expected_; }
  std::int64_t pending() const { return pending_; }
  std::int64_t bytes() const { return bytes_; }
  // In the present phase: bytes expected, and bytes that have come.
  std::int64_t announced() const { return bytes_ + landed_; }
  std::int64_t landed() const { return landed_; }
  bool between_phases() const { return pending_ == expected_ && bytes_ == 0; }

 private:
  bool usable(const std::string& what, const char* how, Faults& faults);
  bool turn();

  bool live_ = false;
  std::uint64_t phase_ = 0;
  std::int64_t expected_ = 0, pending_ = 0, bytes_ = 0, landed_ = 0;
};

// The named barriers of a CTA (PTX ISA, bar): 16, counted in threads, a warp arriving as 32.
class NamedBarrier {
 public:
  // Warp `warp` arrives, saying that `threads` take part in all. Answers whether this completed the barrier; then
  // `waiting` has the warps to wake, those that came by sync.
  bool arrive(int warp, int threads, bool sync, const std::string& what, Faults& faults, std::vector<int>& waiting);
  // From now on `threads` take part in the phase that is open: others have exited. The same answer.
  bool shrink(int threads, std::vector<int>& waiting);

  bool open() const { return !arrived_.empty(); }
  int arrived() const { return static_cast<int>(arrived_.size()) * 32; }
  int threads() const { return threads_; }

 private:
  bool complete(std::vector<int>& waiting);

  int threads_ = 0;
  std::vector<int> arrived_, waiting_;
};

// The barrier of a cluster (PTX ISA, barrier.cluster). Warps that have exited count as arrived.
class ClusterBarrier {
 public:
  explicit ClusterBarrier(int warps)
      : arrived_(static_cast<std::size_t>(warps), false), exited_(static_cast<std::size_t>(warps), false) {}

  void arrive(int warp, Faults& faults);
  void exit(int warp);
  // Whether the barrier that `warp` arrived at last has completed.
  bool passed(int warp) const {
    return !arrived_[static_cast<std::size_t>(warp)] || exited_[static_cast<std::size_t>(warp)];
  }
  std::uint64_t generation() const { return generation_; }
  int missing() const;

 private:
  void complete_if_all();

  std::vector<bool> arrived_, exited_;
  std::uint64_t generation_ = 0;
};

}  // namespace warpcc::machine
