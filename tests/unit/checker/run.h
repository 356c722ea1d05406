// Runs SASS text on the checker, as it is and changed.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::checker::test {

// The contents of a file of tests/unit/checker.
std::string text_of(std::string_view file);

// `text` with the one place `what` replaced; the test fails where there is none, or more than `places`.
std::string changed(std::string text, std::string_view what, std::string_view with, int places = 1);
// Without the lines that hold `what`.
std::string without(std::string text, std::string_view what, int places = 1);
// Without the wait that is held to `barrier`: its test, sleep and branch.
std::string without_wait(std::string text, std::string_view barrier);

struct Run {
  Outcome outcome;
  std::string report;
  bool found(Finding::Kind kind, std::string_view text) const;
};
Run run(const std::string& text, Options options = {}, bool coloured = false);
// Coloured, and `value` then given the register of `other` wherever it stands.
Run run_in_one_register(const std::string& text, std::string_view value, std::string_view other,
                        const Options& options = {});

}  // namespace warpcc::checker::test
