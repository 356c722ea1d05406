// Memory by bytes as the order of accesses sees it: what each place remembers, as accesses of all sizes part it.
#include "checker/order/flat.h"

#include <doctest/doctest.h>

using namespace warpcc::order;

namespace {

struct Machine {
  History history;
  Flat memory;
  Conflicts conflicts;

  // Nothing is ordered: which earlier lines the access meets.
  std::vector<std::uint32_t> meets(std::uint32_t line, Use use, std::uint64_t begin, std::uint64_t bytes) {
    Entry entry;
    entry.epoch = {Agent::of(AgentKind::lanes, false, line), 1};
    entry.use = use;
    entry.line = line;
    entry.who = line;
    auto unordered = [](const Entry&) { return Why::unordered; };
    Step step(history, entry, unordered, conflicts);
    memory.access(begin, bytes, step);
    std::vector<std::uint32_t> lines;
    for (const Conflict& conflict : conflicts) lines.push_back(conflict.first.line);
    conflicts.clear();
    return lines;
  }
};

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a place remembers its last write, and who has read since") {
  Machine machine;
  CHECK(machine.meets(1, Use::write, 0, 4096).empty());
  CHECK(machine.meets(2, Use::read, 1024, 16) == Lines{1});
  CHECK(machine.meets(3, Use::read, 1024, 2) == Lines{1});
  CHECK(machine.meets(4, Use::write, 1026, 2) == Lines{2, 1});
  CHECK(machine.meets(5, Use::write, 1024, 2) == Lines{3, 2, 1});
  CHECK(machine.meets(6, Use::read, 1028, 4) == Lines{1});
}

TEST_CASE("what is written at once is one again") {
  Machine machine;
  for (std::uint32_t at = 0; at < 1024; at += 4) machine.meets(at / 4, Use::write, at, 4);
  CHECK(machine.meets(1000, Use::write, 0, 1024).size() == 256);
  CHECK(machine.meets(1001, Use::read, 0, 1024) == Lines{1000});
}

TEST_CASE("sums do not disturb each other, a read of a sum is disturbed") {
  Machine machine;
  CHECK(machine.meets(1, Use::add, 0, 64).empty());
  CHECK(machine.meets(2, Use::add, 32, 64).empty());
  CHECK(machine.meets(3, Use::read, 48, 16) == Lines{2, 1});
}

TEST_CASE("of many readers the newest are remembered, and always the write") {
  Machine machine;
  machine.meets(1, Use::write, 0, 16);
  for (std::uint32_t i = 0; i < 500; ++i) CHECK(machine.meets(100 + i, Use::read, 0, 16) == Lines{1});
  Lines met = machine.meets(2, Use::write, 0, 16);
  CHECK(met.size() <= History::kLongest + 1);
  CHECK(met.front() == 599);
  CHECK(met.back() == 1);
}

TEST_CASE("units of a page, as a mask") {
  Machine machine;
  machine.meets(1, Use::write, 2048, 1024);
  Entry entry;
  entry.epoch = {Agent::of(AgentKind::queue, false, 7), 1};
  entry.line = 7;
  auto unordered = [](const Entry&) { return Why::unordered; };
  Step step(machine.history, entry, unordered, machine.conflicts);
  machine.memory.access_units(2048, 0b101, step);
  CHECK(machine.conflicts.size() == 1);
  machine.conflicts.clear();
  CHECK(machine.meets(2, Use::write, 2048 + 16, 16) == Lines{1});
  CHECK(machine.meets(3, Use::write, 2048 + 32, 16) == Lines{7, 1});
}
