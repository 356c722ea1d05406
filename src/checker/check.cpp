#include "checker/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "checker/header.h"
#include "checker/interp/interpreter.h"
#include "checker/machine/place_history.h"
#include "checker/occupancy.h"
#include "checker/product.h"
#include "checker/report/findings.h"
#include "checker/report/recollections.h"

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

void Outcome::add_counts(const Outcome& other) {
  for (auto count :
       {&Outcome::operands_checked, &Outcome::operands_wrong, &Outcome::colouring_changed,
        &Outcome::named_barriers_wrong, &Outcome::protocol_problems, &Outcome::memory_problems, &Outcome::races,
        &Outcome::ranges_left, &Outcome::hangs, &Outcome::coverage_problems, &Outcome::elements_covered,
        &Outcome::values_compared, &Outcome::values_wrong, &Outcome::not_held, &Outcome::instructions})
    this->*count += other.*count;
  clusters_run += other.clusters_run;
  if (other.aborted != Aborted::no) aborted = other.aborted;
  for (const std::string& note : other.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

namespace {

// Some shares of a launch, on a thread of their own.
struct Part {
  Options options;
  Outcome outcome;
  Findings findings;
  Interpreter interpreter;
  bool ended = true;

  Part(const sass::Program& program, const Options& from)
      : options(from), findings(program, options, outcome), interpreter(program, options, outcome, findings) {
    options.most_findings = INT32_MAX;  // which of them are told is decided where all come together
  }
};

// Clusters that run apart: on all cores, with the same outcome as on one.
bool launch_apart(const sass::Program& program, const Options& options, const Shares& shares, Interpreter& interpreter,
                  Findings& findings, std::int64_t& began) {
  std::size_t count = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                          : std::max(1u, std::thread::hardware_concurrency());
  count = std::max<std::size_t>(1, std::min(count, shares.list.size()));
  if (options.launches > 1 || options.order_table || options.trace || options.places || options.effects ||
      !options.without.empty() || !interpreter.code().runs_apart())
    count = 1;  // the memory is one
  bool ended = true;
  auto run = [&](Interpreter& on, std::size_t part, bool& came_to_end) {
    std::size_t from = shares.list.size() * part / count, to = shares.list.size() * (part + 1) / count;
    for (std::size_t i = from; i < to; ++i) came_to_end = on.launch(shares, i) && came_to_end;
  };
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) {
    parts.push_back(std::make_unique<Part>(program, options));
    threads.emplace_back([&run, i, part = parts.back().get()] { run(part->interpreter, i, part->ended); });
  }
  run(interpreter, 0, ended);
  for (std::thread& thread : threads) thread.join();
  began += interpreter.began();
  for (auto& part : parts) {
    ended = ended && part->ended;
    began += part->interpreter.began();
    interpreter.take_memory(part->interpreter);
    findings.take(part->findings);
  }
  return ended;
}

}  // namespace

namespace {

// A run that found races is repeated, up to this length, to tell where the earlier access of each was in its work.
constexpr std::uint64_t kMostToRepeat = 20'000'000;

std::vector<std::uint8_t> bytes_of(const machine::GlobalBuffer& buffer) {
  auto size = static_cast<std::size_t>(layout::bytes(buffer.element()));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(buffer.elements()) * size);
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    std::uint32_t bits = buffer.load(static_cast<std::int64_t>(i / size));
    for (std::size_t byte = 0; byte < size && byte < 4; ++byte)
      bytes[i + byte] = static_cast<std::uint8_t>(bits >> (8 * byte));
  }
  return bytes;
}

void run_launches(const sass::Program& program, const Options& options, LaunchPlan plan, std::int64_t clusters,
                  Interpreter& interpreter, Outcome& outcome, Findings& findings) {
  auto compare = [&](int launch, bool ended, std::int64_t began) {
    if (options.values)
      compare_with_product(program, interpreter.globals(), ended && began == clusters, launch, outcome, findings);
  };
  if (!interpreter.code().polls) {
    plan.shares = share_out(plan.chosen, plan.all, interpreter.code().asks_for_work, clusters,
                            room_for(program.cluster), options.seed);
  }
  if (options.launches > 1 && interpreter.code().waits_for_grid) {
    interpreter.launch_overlapping(std::move(plan), options.launches, compare);
    return;
  }
  for (int launch = 0; launch < options.launches; ++launch) {
    if (launch > 0) interpreter.begin_launch();
    std::int64_t began = 0;
    bool ended = true;
    if (interpreter.code().polls) {
      ended = interpreter.launch(plan.chosen, plan.all);
      began = interpreter.began();
    } else {
      ended = launch_apart(program, options, plan.shares, interpreter, findings, began);
    }
    compare(launch, ended, began);
    if (!ended) return;
  }
}

Outcome check_once(const sass::Program& program, const Options& options) {
  Outcome outcome;
  Findings findings(program, options, outcome);
  if (std::string why = unrunnable(program); !why.empty()) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine, "cannot run: " + why);
    return outcome;
  }
  if (options.places) *options.places = {};
  if (options.effects) options.effects->clear();
  Interpreter interpreter(program, options, outcome, findings);
  if (outcome.failed()) return outcome;  // a tensor map that the copy engine refuses
  std::int64_t clusters = program.grid[0] / program.cluster * program.grid[1] * program.grid[2];
  if (options.coverage) {
    if (clusters > kMostClusters) {
      findings.add(Finding::Kind::coverage, Findings::kNoLine,
                   fmt::format("cannot run all {} clusters of the grid, more than {}", clusters, kMostClusters));
      return outcome;
    }
    constexpr std::int64_t kMostElements = std::int64_t{1} << 34;  // a bit each
    for (const machine::GlobalBuffer& buffer : interpreter.globals()) {
      if (buffer.elements() <= kMostElements) continue;
      findings.add(Finding::Kind::coverage, Findings::kNoLine,
                   fmt::format("cannot follow {} elements of {}, more than {}", buffer.elements(),
                               program.buffers[buffer.number()].name, kMostElements));
      return outcome;
    }
    Cover cover;
    interpreter.cover(share_out(chosen(Options::Clusters::all, {}, clusters), true, interpreter.code().asks_for_work,
                                clusters, std::max<std::int64_t>(1, options.sms / program.cluster), options.seed),
                      cover);
    findings.finish();
    return outcome;
  }
  // Right, and slower than it looks; with --strict it is a finding.
  if (Crowd crowd = crowded(program, interpreter.code(), options.sms); !crowd.text.empty()) {
    if (options.strict) {
      findings.add(Finding::Kind::protocol, crowd.line, std::move(crowd.text), std::move(crowd.details));
    } else {
      outcome.notes.push_back(std::move(crowd.text));
    }
  }
  Options::Clusters which = options.clusters;
  if (which == Options::Clusters::first_and_last && interpreter.code().polls) {
    which = Options::Clusters::all;
    outcome.notes.push_back(fmt::format("clusters wait for what others write: all {} are run", clusters));
  }
  if (which == Options::Clusters::all && clusters > kMostClusters) {
    findings.add(Finding::Kind::protocol, Findings::kNoLine,
                 fmt::format("cannot run all {} clusters of the grid, more than {}; `--clusters LIST` names some",
                             clusters, kMostClusters));
    return outcome;
  }
  run_launches(program, options, {chosen(which, options.list, clusters), which == Options::Clusters::all, {}}, clusters,
               interpreter, outcome, findings);
  if (options.memory) {
    options.memory->clear();
    for (const machine::GlobalBuffer& buffer : interpreter.globals()) options.memory->push_back(bytes_of(buffer));
  }
  if (options.order_table) outcome.ordered = interpreter.ordered();
  outcome.unordered = interpreter.unordered();
  findings.finish();
  outcome.not_held_fails = options.require_held && outcome.not_held > 0;
  return outcome;
}

}  // namespace

Outcome check(const sass::Program& program, const Options& options) {
  Outcome outcome = check_once(program, options);
  Recollections wanted = recollections_wanted(outcome);
  if (wanted.empty() || !options.without.empty() || outcome.instructions > kMostToRepeat) return outcome;
  Options again = options;
  again.recollections = &wanted;
  again.order_table = true;
  again.trace = nullptr;
  again.memory = nullptr;
  again.places = nullptr;
  again.effects = nullptr;
  tell_recollections(outcome, wanted, check_once(program, again).ordered, program);
  return outcome;
}

Outcome check_schedules(const sass::Program& program, const Options& options, int schedules) {
  Options each = options;
  Outcome outcome;
  for (int i = 0; i < schedules; ++i) {
    each.seed = options.seed + static_cast<std::uint64_t>(i);
    Outcome one = check(program, each);
    bool failed = one.failed();
    if (!failed && i > 0) {
      outcome.add_counts(one);
      continue;
    }
    outcome = std::move(one);
    if (!failed) continue;
    outcome.notes.push_back(each.seed == 0 ? fmt::format("under the usual schedule, the first of {}", schedules)
                                           : fmt::format("under schedule {} of {}; `--seed {}` runs it alone", i + 1,
                                                         schedules, each.seed));
    return outcome;
  }
  outcome.notes.push_back(fmt::format("{} schedules, counts of all together", schedules));
  return outcome;
}

}  // namespace warpcc::checker
