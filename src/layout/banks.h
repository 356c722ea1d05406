// What one access of a warp costs: banks of shared memory, sectors of global memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace warpcc::layout {

// Shared memory is 32 banks of 4 bytes; a bank gives one word at a time, to all lanes that ask for it.
constexpr int kBanks = 32;
constexpr int kBankBytes = 4;

// The byte address of each lane's access; none where a lane does not take part.
using LaneAddresses = std::span<const std::optional<std::int64_t>>;

// How often shared memory is asked for an access of 4, 8 or 16 bytes a lane: `passes` as it is, `least` without
// conflicts. Lanes are served 32, 16 or 8 at a time, so that a pass moves at most 128 bytes; within one, lanes that
// want other words of one bank wait for each other (CUDA C++ Programming Guide, shared memory).
struct BankPasses {
  int passes = 0, least = 0;
  // The most words of one bank within one group of lanes, and that bank.
  int ways = 0, bank = 0;

  bool conflicts() const { return passes > least; }
  friend bool operator==(const BankPasses&, const BankPasses&) = default;
};
BankPasses bank_passes(LaneAddresses lanes, int lane_bytes);

// The sectors of 32 bytes of global memory that an access touches, and the fewest that hold as many bytes.
struct Sectors {
  int touched = 0, least = 0;
};
Sectors sectors(LaneAddresses lanes, int lane_bytes);

}  // namespace warpcc::layout
