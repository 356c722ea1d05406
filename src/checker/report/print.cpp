#include <fmt/format.h>

#include <string_view>

#include "checker/check.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::checker {

std::string_view name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::operand:
      return "operand";
    case Finding::Kind::colouring:
      return "colouring";
    case Finding::Kind::named_barrier:
      return "named barrier";
    case Finding::Kind::protocol:
      return "protocol";
    case Finding::Kind::memory:
      return "memory";
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::hang:
      return "hang";
    case Finding::Kind::range:
      return "range";
    case Finding::Kind::coverage:
      return "coverage";
    case Finding::Kind::values:
      return "values";
    case Finding::Kind::not_held:
      return "not held";
  }
  return "";
}

namespace {

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

void print(const Outcome& outcome, llvm::raw_ostream& out, const Sources* sources) {
  out << fmt::format("{}, {} wrong, {} changed by the colouring; {}; {}; {}; {}; {}; {}",
                     plural(outcome.operands_checked, "operand checked", "operands checked"), outcome.operands_wrong,
                     outcome.colouring_changed,
                     plural(outcome.named_barriers_wrong, "named-barrier problem", "named-barrier problems"),
                     plural(outcome.protocol_problems, "protocol problem", "protocol problems"),
                     plural(outcome.memory_problems, "memory problem", "memory problems"),
                     plural(outcome.races, "race", "races"), plural(outcome.ranges_left, "range left", "ranges left"),
                     plural(outcome.hangs, "hang", "hangs"));
  if (outcome.elements_covered > 0 || outcome.coverage_problems > 0)
    out << fmt::format("; {}, {}", plural(outcome.elements_covered, "element stored", "elements stored"),
                       plural(outcome.coverage_problems, "problem of coverage", "problems of coverage"));
  if (outcome.values_compared > 0 || outcome.values_wrong > 0)
    out << fmt::format("; {}, {} wrong", plural(outcome.values_compared, "value compared", "values compared"),
                       outcome.values_wrong);
  out << fmt::format("  ({}, {})\n", plural(static_cast<std::uint64_t>(outcome.clusters_run), "cluster", "clusters"),
                     plural(outcome.instructions, "instruction", "instructions"));
  if (outcome.not_held > 0) out << "not held to anything: " << plural(outcome.not_held, "line", "lines") << "\n";
  for (const Finding& finding : outcome.findings) {
    std::string place = finding.place;
    if (sources && finding.where.end > finding.where.begin) place = sources->place(finding.where);
    if (!place.empty()) out << place << ": ";
    out << name(finding.kind) << ": " << finding.text << "\n";
    for (const std::string& detail : finding.details) out << "    " << detail << "\n";
  }
  for (const std::string& note : outcome.notes) out << "note: " << note << "\n";
}

}  // namespace warpcc::checker
