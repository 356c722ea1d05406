// What the checker counts, remembers and shares out.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "checker/coverage.h"
#include "checker/interp/shares.h"
#include "checker/interp/verdicts.h"
#include "checker/machine/counters.h"
#include "run.h"

namespace warpcc::checker::test {

TEST_CASE("counters in planes count as 64 numbers would") {
  machine::Counters counters;
  std::array<int, 64> numbers{};
  std::uint64_t state = 1;
  for (int step = 0; step < 4000; ++step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t mask = state ^ state >> 21;
    bool add = step % 3 != 2;
    add ? counters.add(mask) : counters.remove(mask);
    std::uint64_t above = 0;
    for (int i = 0; i < 64; ++i) {
      int& number = numbers[static_cast<std::size_t>(i)];
      if (mask >> i & 1) number = add ? number + 1 : std::max(0, number - 1);
      above |= static_cast<std::uint64_t>(number > 0) << i;
    }
    REQUIRE(counters.above_zero() == above);
  }
  for (int step = 0; step < 4000; ++step) counters.remove(~std::uint64_t{0});
  CHECK(counters.above_zero() == 0);
}

TEST_CASE("a verdict is for the very key") {
  Verdicts verdicts;
  for (std::uint32_t i = 1; i < 1500; ++i) {
    std::uint32_t key[3] = {i, i * 7, ~i};
    REQUIRE(!verdicts.passed(key));
    if (i % 2 == 0) verdicts.remember(key);
    CHECK(verdicts.passed(key) == (i % 2 == 0));
    key[2] ^= 1;
    REQUIRE(!verdicts.passed(key));
  }
}

TEST_CASE("every cluster is in one share") {
  for (std::uint64_t seed : {0, 1, 2, 99}) {
    for (std::int64_t clusters : {1, 2, 7, 74, 75, 1000}) {
      for (bool all : {false, true}) {
        std::vector<std::int64_t> chosen;
        if (all) {
          for (std::int64_t i = 0; i < clusters; ++i) chosen.push_back(i);
        } else {
          chosen = {0};
          if (clusters > 1) chosen.push_back(clusters - 1);
        }
        Shares shares = share_out(chosen, all, true, clusters, 74, seed);
        std::multiset<std::int64_t> met;
        for (const Share& share : shares.list) {
          met.insert(share.first);
          for (std::int64_t i = share.next; i < shares.free.count(); i += share.stride) met.insert(shares.free[i]);
        }
        CHECK(static_cast<std::int64_t>(met.size()) == clusters);
        CHECK(std::set<std::int64_t>(met.begin(), met.end()).size() == met.size());
        CHECK(*met.begin() == 0);
        CHECK(*met.rbegin() == clusters - 1);
      }
    }
  }
}

TEST_CASE("elements that are stored, and stored again") {
  Written written(200);
  CHECK(written.store(0, 64) == -1);
  CHECK(written.store(70, 100) == -1);
  CHECK(written.first_missing(0) == 64);
  CHECK(written.missing() == 200 - 164);
  CHECK(written.store(60, 8) == 60);
  CHECK(written.store(66, 10) == 66);  // of 60 .. 68, which were stored
  CHECK(written.store(170, 1000) == -1);
  CHECK(written.first_missing(100) == -1);
  CHECK(written.store(199, 1) == 199);
}

TEST_CASE("what is found does not depend on the number of threads") {
  std::string text = changed(text_of("small_gemm.sass"), ".grid 2 1", ".grid 8 1");
  for (const std::string& of : {text, without(text, "SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [s_free]")}) {
    std::string first;
    for (int threads : {1, 2, 3, 8}) {
      Options options;
      options.clusters = Options::Clusters::all;
      options.values = true;
      options.threads = threads;
      Outcome outcome = run(of, options).outcome;
      // All clusters store the same tile here: how many pairs of them race is another matter.
      std::string what = std::to_string(outcome.operands_checked) + ' ' + std::to_string(outcome.hangs) + ' ' +
                         std::to_string(outcome.values_compared) + ' ' + std::to_string(outcome.instructions);
      for (const Finding& finding : outcome.findings) {
        if (finding.kind == Finding::Kind::race) continue;
        what += '\n' + finding.text;
        for (const std::string& detail : finding.details) what += '\n' + detail;
      }
      if (first.empty()) first = what;
      CHECK(what == first);
    }
  }
}

}  // namespace warpcc::checker::test
