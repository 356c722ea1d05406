#include "checker/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checker/header.h"
#include "checker/interp/interpreter.h"
#include "checker/product.h"
#include "checker/report/findings.h"

namespace warpcc::checker {
namespace {

// Beyond, running them all takes days.
constexpr std::int64_t kMostClusters = 1 << 20;

std::vector<std::int64_t> chosen(Options::Clusters how, const std::vector<std::int64_t>& list, std::int64_t clusters) {
  std::set<std::int64_t> which;
  switch (how) {
    case Options::Clusters::first_and_last:
      which = {0, clusters - 1};
      break;
    case Options::Clusters::all:
      for (std::int64_t i = 0; i < clusters; ++i) which.insert(which.end(), i);
      break;
    case Options::Clusters::list:
      for (std::int64_t i : list) {
        if (i >= 0 && i < clusters) which.insert(i);
      }
      break;
  }
  return {which.begin(), which.end()};
}

}  // namespace

bool Outcome::failed() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.kind != Finding::Kind::not_held; }) ||
         not_held_fails;
}

Outcome check(const sass::Program& program, const Options& options) {
  Outcome outcome;
  Findings findings(program, options, outcome);
  if (std::string why = unrunnable(program); !why.empty()) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine, "cannot run: " + why);
    return outcome;
  }
  Interpreter interpreter(program, options, outcome, findings);
  if (outcome.failed()) return outcome;  // a tensor map that the copy engine refuses
  std::int64_t clusters = program.grid[0] / program.cluster * program.grid[1] * program.grid[2];
  Options::Clusters which = options.clusters;
  if (which == Options::Clusters::first_and_last && interpreter.polls()) {
    which = Options::Clusters::all;
    outcome.notes.push_back(fmt::format("clusters wait for what others write: all {} are run", clusters));
  }
  if (which == Options::Clusters::all && clusters > kMostClusters) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine,
                 fmt::format("cannot run all {} clusters of the grid, more than {}; `--clusters LIST` names some",
                             clusters, kMostClusters));
    return outcome;
  }
  for (int launch = 0; launch < options.launches; ++launch) {
    if (launch > 0) interpreter.begin_launch();
    bool ended = interpreter.launch(chosen(which, options.list, clusters), which == Options::Clusters::all);
    if (options.values) {
      bool whole = ended && interpreter.started() + interpreter.handed_out() == clusters;
      compare_with_product(program, interpreter.globals(), whole, launch, outcome, findings);
    }
    if (!ended) break;
  }
  findings.finish();
  outcome.not_held_fails = options.require_held && outcome.not_held > 0;
  return outcome;
}

}  // namespace warpcc::checker
