#include "checker/report/recollections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "checker/report/order.h"

namespace warpcc::checker {
namespace {

// What orders the same two statements at other times; else what orders one of them with others in the same buffer.
std::vector<const OrderedPair*> neighbours(const Finding::Race& race, const std::vector<OrderedPair>& ordered) {
  constexpr std::size_t kMost = 3;
  std::vector<const OrderedPair*> found;
  std::string buffer = buffer_of(race.buffer);
  auto collect = [&](auto wanted) {
    for (const OrderedPair& pair : ordered) {
      if (pair.buffer == buffer && pair.acquire != kNoLine && wanted(pair)) found.push_back(&pair);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const OrderedPair* a, const OrderedPair* b) { return a->count > b->count; });
    if (found.size() > kMost) found.resize(kMost);
  };
  collect([&](const OrderedPair& pair) { return pair.first == race.first && pair.then == race.then; });
  if (found.empty()) {
    collect([&](const OrderedPair& pair) {
      return pair.first == race.first || pair.then == race.first || pair.first == race.then || pair.then == race.then;
    });
  }
  return found;
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
    std::vector<std::string> in_order;
    for (const OrderedPair* pair : neighbours(*finding.race, ordered))
      in_order.push_back("in order: " + order_text(*pair, program));
    finding.details.insert(before_last, in_order.begin(), in_order.end());
  }
}

}  // namespace warpcc::checker
