#include "layout/banks.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warpcc::layout {
namespace {

// The units of so many bytes that the lanes' accesses lie in, each once.
std::vector<std::int64_t> units(LaneAddresses lanes, int lane_bytes, int unit) {
  std::vector<std::int64_t> all;
  for (const std::optional<std::int64_t>& address : lanes)
    if (address)
      for (std::int64_t at = *address / unit; at <= (*address + lane_bytes - 1) / unit; ++at) all.push_back(at);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

BankPasses bank_passes(LaneAddresses lanes, int lane_bytes) {
  BankPasses result;
  const std::size_t together = static_cast<std::size_t>(kBanks * kBankBytes / std::max(lane_bytes, kBankBytes));
  for (std::size_t first = 0; first < lanes.size(); first += together) {
    std::array<int, kBanks> words{};
    for (const std::int64_t word :
         units(lanes.subspan(first, std::min(together, lanes.size() - first)), lane_bytes, kBankBytes))
      ++words[static_cast<std::size_t>(word % kBanks)];
    const auto most = std::max_element(words.begin(), words.end());
    if (*most == 0) continue;
    result.passes += *most;
    ++result.least;
    if (*most > result.ways) {
      result.ways = *most;
      result.bank = static_cast<int>(most - words.begin());
    }
  }
  return result;
}

Sectors sectors(LaneAddresses lanes, int lane_bytes) {
  constexpr int kSector = 32;
  const auto bytes = static_cast<int>(units(lanes, lane_bytes, 1).size());
  return {static_cast<int>(units(lanes, lane_bytes, kSector).size()), (bytes + kSector - 1) / kSector};
}

}  // namespace warpcc::layout
