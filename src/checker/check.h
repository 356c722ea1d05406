// The host checker: runs a SASS program on a model of the machine and says what is wrong (docs/checker.md).
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/report/trace.h"
#include "sass/program.h"

namespace llvm {
class raw_ostream;
}

namespace warpcc::machine {
class PlaceHistory;
}

namespace warpcc::checker {

// One execution of a line: in which launch and cluster, and how often the line had run there, this time included.
struct Occurrence {
  int launch = 0;
  std::int64_t cluster = 0;
  std::uint32_t line = 0, time = 0;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};
// What executions reached, and where in its work their warp was: filled by a run for the keys that it is given.
using Recollections = std::map<Occurrence, std::string>;

// What each warp of a run does beside computing, as a number: its accesses, waits, signals, copies and MMAs one after
// the other, with the operands that they had. Where all warps of two programs that are alike but for some lines have
// the same, these lines make no difference in that run.
struct WarpOf {
  int launch = 0;
  std::int64_t cluster = 0;
  int warp = 0;  // in the cluster
  friend auto operator<=>(const WarpOf&, const WarpOf&) = default;
};
using WarpEffects = std::map<WarpOf, std::uint64_t>;

struct Options {
  enum class Clusters : std::uint8_t { first_and_last, all, list };
  Clusters clusters = Clusters::first_and_last;
  std::vector<std::int64_t> list;
  bool values = false;        // compute, and compare C with the plain product
  bool require_held = false;  // lines that are held to nothing are errors
  int most_findings = 20;     // of one kind, then counted
  bool coverage = false;      // instead: what all clusters of the grid store, of coordinates and control alone
  std::int64_t sms = 148;     // of the GPU: what must be resident at once
  int launches = 1;           // on the same memory; each begins as early as the one before and the schedule let it
  std::int64_t most_instructions = 200'000'000;  // of a cluster over one piece of work, before it is given up
  int threads = 0;                               // 0: as many as there are cores; what is found is the same
  bool order_table = false;                      // remember what orders what
  std::vector<std::uint32_t> without;            // lines that order nothing: what would follow if they were not there
  Recollections* recollections = nullptr;        // to fill
  Trace* trace = nullptr;                        // filled with what happens when
  bool strict = false;                           // also what the documents ask for and libraries leave out
  // Filled, where it is given, with what the last launch leaves in global memory: the bytes of each buffer.
  std::vector<std::vector<std::uint8_t>>* memory = nullptr;
  machine::PlaceHistory* places = nullptr;  // to fill, too, with what is done to each place of it
  WarpEffects* effects = nullptr;           // to fill, by the warps that come to their end
  const std::atomic<bool>* stop = nullptr;  // once set the run ends soon, and what it found is not all
  std::uint64_t seed = 0;                   // which schedule (machine/schedule.h); 0: the usual one
};

// Something wrong. Text for people: one line that says what, and lines of detail.
struct Finding {
  enum class Kind : std::uint8_t {
    operand,
    colouring,
    named_barrier,
    protocol,
    memory,
    race,
    hang,
    range,
    coverage,
    values,
    not_held
  };
  Kind kind = Kind::operand;
  std::string text;
  std::vector<std::string> details;
  SourceRange where;  // of the line in the text read, or of the statement
  std::string place;  // `gemm.wk:141`

  // Of a race: the buffer, the two lines, and the details that end in what an execution reached.
  struct Race {
    std::string buffer;
    std::uint32_t first = 0, then = 0;
    int why = 0;  // a race is told once for two lines and this
    std::vector<std::pair<std::size_t, Occurrence>> told_later;
  };
  std::optional<Race> race;
};

// Two accesses that could disturb each other, of the same lines: how often they were ordered, and by which lines.
// Lines are indices of Program::lines; kNoLine where there is none: nothing but the program's order.
inline constexpr std::uint32_t kNoLine = 0xffffffff;
struct OrderedPair {
  std::string buffer;
  std::uint32_t first = 0, then = 0;
  std::uint32_t release = kNoLine, acquire = kNoLine, fence = kNoLine;
  bool first_writes = false, then_writes = false;
  std::uint64_t count = 0;
};
struct UnorderedPair {
  std::string place;
  std::uint32_t first = 0, then = 0;
  std::uint64_t count = 0;
};

struct Outcome {
  std::uint64_t operands_checked = 0;
  std::uint64_t operands_wrong = 0;
  std::uint64_t colouring_changed = 0;
  std::uint64_t named_barriers_wrong = 0;
  std::uint64_t protocol_problems = 0;
  std::uint64_t memory_problems = 0;
  std::uint64_t races = 0;  // two accesses to one place that nothing orders
  std::uint64_t ranges_left = 0;
  std::uint64_t hangs = 0;
  // How a kernel of PTX has ended itself, if it has.
  enum class Aborted : std::uint8_t { no, trap, assertion } aborted = Aborted::no;
  std::uint64_t coverage_problems = 0;
  std::uint64_t elements_covered = 0;  // of the output, stored once
  std::uint64_t values_compared = 0, values_wrong = 0;
  std::uint64_t not_held = 0;  // lines
  bool not_held_fails = false;
  std::uint64_t instructions = 0;  // warp-instructions executed
  std::int64_t clusters_run = 0;
  std::vector<OrderedPair> ordered;      // where they are asked for
  std::vector<UnorderedPair> unordered;  // of the races, those that are of the same lines as one
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what is no mistake but worth a word

  bool failed() const;
  // The counts of another part of the same check, and its notes; not its findings.
  void add_counts(const Outcome& other);
};

Outcome check(const sass::Program& program, const Options& options);
// The same under as many schedules, of the seeds from Options::seed on, until one finds something: that one's outcome;
// else the counts of all.
Outcome check_schedules(const sass::Program& program, const Options& options, int schedules);

// "operand", "named barrier" …: what a finding is of.
std::string_view name(Finding::Kind kind);

// `338986 operands checked, 0 wrong, 0 changed by the colouring; …`, then the findings. With `sources` a finding's
// place is that of its line in the text that was read.
void print(const Outcome& outcome, llvm::raw_ostream& out, const Sources* sources = nullptr);

}  // namespace warpcc::checker
