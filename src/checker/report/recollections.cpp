#include "checker/report/recollections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "checker/report/order.h"

namespace warpcc::checker {
namespace {

// What orders the same two statements at other times; else what orders one of them with others in the same buffer.
std::vector<std::string> neighbours(const Finding::Race& race, const std::vector<OrderedPair>& ordered,
                                    const sass::Program& program) {
  constexpr std::size_t kMost = 3;
  std::string buffer = buffer_of(race.buffer);
  auto same = [&](std::uint32_t a, std::uint32_t b) {
    const sass::Line &one = program.lines[a], &other = program.lines[b];
    return a == b || (!one.place.empty() && one.place == other.place && one.comment == other.comment);
  };
  std::map<std::string, std::uint64_t> found;  // by statements
  auto collect = [&](auto wanted) {
    for (const OrderedPair& pair : ordered) {
      if (pair.buffer == buffer && pair.acquire != kNoLine && wanted(pair))
        found[order_text(pair, program)] += pair.count;
    }
  };
  collect([&](const OrderedPair& pair) { return same(pair.first, race.first) && same(pair.then, race.then); });
  if (found.empty()) {
    collect([&](const OrderedPair& pair) {
      return same(pair.first, race.first) || same(pair.then, race.first) || same(pair.first, race.then) ||
             same(pair.then, race.then);
    });
  }
  std::vector<std::pair<std::uint64_t, std::string>> most;
  for (const auto& [text, count] : found) most.emplace_back(count, text);
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (most.size() > kMost) most.resize(kMost);
  std::vector<std::string> result;
  for (const auto& [count, text] : most)
    result.push_back(fmt::format("in order: {} ({})", text, count == 1 ? "once" : fmt::format("{} times", count)));
  return result;
}

}  // namespace

Recollections recollections_wanted(const Outcome& outcome) {
  Recollections wanted;
  for (const Finding& finding : outcome.findings) {
    if (!finding.race) continue;
    for (const auto& [detail, at] : finding.race->told_later) wanted[at] = "";
  }
  return wanted;
}

void tell_recollections(Outcome& outcome, const Recollections& recollections, const std::vector<OrderedPair>& ordered,
                        const sass::Program& program) {
  for (Finding& finding : outcome.findings) {
    if (!finding.race) continue;
    for (const auto& [detail, at] : finding.race->told_later) {
      auto found = recollections.find(at);
      if (found == recollections.end() || found->second.empty()) continue;
      finding.details[detail] += ": " + found->second;
    }
    auto before_last = finding.details.end();
    if (!finding.details.empty() && finding.details.back().rfind("to mend: ", 0) == 0) --before_last;
    std::vector<std::string> in_order = neighbours(*finding.race, ordered, program);
    finding.details.insert(before_last, in_order.begin(), in_order.end());
  }
}

}  // namespace warpcc::checker
