#include "checker/report/findings.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace warpcc::checker {
namespace {

std::uint64_t* counter(Outcome& outcome, Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::operand:
      return &outcome.operands_wrong;
    case Finding::Kind::colouring:
      return &outcome.colouring_changed;
    case Finding::Kind::named_barrier:
      return &outcome.named_barriers_wrong;
    case Finding::Kind::protocol:
      return &outcome.protocol_problems;
    case Finding::Kind::memory:
      return &outcome.memory_problems;
    case Finding::Kind::race:
      return &outcome.races;
    case Finding::Kind::hang:
      return &outcome.hangs;
    case Finding::Kind::range:
      return &outcome.ranges_left;
    case Finding::Kind::coverage:
      return &outcome.coverage_problems;
    case Finding::Kind::values:
      return &outcome.values_wrong;
    case Finding::Kind::not_held:
      return &outcome.not_held;
  }
  return nullptr;
}

// By line the first one of the same statement in the same section.
std::vector<std::uint32_t> first_lines(const sass::Program& program) {
  std::vector<std::uint32_t> result;
  std::map<std::tuple<std::size_t, const isa::Opcode*, std::string_view, std::string_view>, std::uint32_t> seen;
  std::size_t section = 0;
  for (std::uint32_t i = 0; i < program.lines.size(); ++i) {
    while (section + 1 < program.sections.size() && program.sections[section + 1].first_line <= i) ++section;
    const sass::Line& line = program.lines[i];
    result.push_back(
        line.place.empty() ? i : seen.try_emplace({section, line.opcode, line.place, line.comment}, i).first->second);
  }
  return result;
}

}  // namespace

// Of operands and values each line is its own mistake.
Findings::Key Findings::key(Finding::Kind kind, std::uint32_t line) const {
  bool by_statement = kind == Finding::Kind::memory || kind == Finding::Kind::protocol ||
                      kind == Finding::Kind::named_barrier || kind == Finding::Kind::race;
  if (line == kNoLine || !by_statement) return {kind, line};
  if (statements_.empty()) statements_ = first_lines(program_);
  return {kind, statements_[line]};
}

bool Findings::told(Finding::Kind kind, std::uint32_t line) const {
  return line != kNoLine && told_.count(key(kind, line)) > 0;
}

void Findings::add(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details) {
  ++*counter(outcome_, kind);
  const Key once = key(kind, line);
  if (auto found = told_.find(once); line != kNoLine && found != told_.end()) {
    ++found->second.times;
    return;
  }
  if (tell(kind, line, std::move(text), std::move(details)) && line != kNoLine) {
    told_[once] = {outcome_.findings.size() - 1, 1};
  }
}

void Findings::tell_race(std::uint32_t line, std::string text, std::vector<std::string> details, Finding::Race race) {
  if (!races_.insert({race.first, race.then, race.why}).second) return;
  if (tell(Finding::Kind::race, line, std::move(text), std::move(details)))
    outcome_.findings.back().race = std::move(race);
}

void Findings::add_each(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details) {
  ++*counter(outcome_, kind);
  tell(kind, line, std::move(text), std::move(details));
}

bool Findings::tell(Finding::Kind kind, std::uint32_t line, std::string text, std::vector<std::string> details) {
  if (++of_kind_[kind] > options_.most_findings) return false;
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.details = std::move(details);
  if (line != kNoLine) {
    finding.where = program_.lines[line].where;
    finding.place = program_.lines[line].place;
  }
  outcome_.findings.push_back(std::move(finding));
  lines_.push_back(line);
  return true;
}

void Findings::take(Findings& other) {
  Outcome& from = other.outcome_;
  for (std::size_t i = 0; i < from.findings.size(); ++i) {
    Finding& finding = from.findings[i];
    std::uint32_t line = other.lines_[i];
    // Told once a line, or each time.
    auto once = other.told_.find(other.key(finding.kind, line));
    if (finding.race) {
      std::string text = std::move(finding.text);
      tell_race(line, std::move(text), std::move(finding.details), std::move(*finding.race));
      continue;
    }
    if (line == kNoLine || once == other.told_.end() || once->second.finding != i) {
      tell(finding.kind, line, std::move(finding.text), std::move(finding.details));
      continue;
    }
    std::uint64_t times = once->second.times;
    if (auto found = told_.find(key(finding.kind, line)); found != told_.end()) {
      found->second.times += times;
      if (finding.kind == Finding::Kind::not_held) from.not_held -= times;  // lines
    } else if (tell(finding.kind, line, std::move(finding.text), std::move(finding.details))) {
      told_[key(finding.kind, line)] = {outcome_.findings.size() - 1, times};
    }
  }
  outcome_.add_counts(from);
}

void Findings::finish() {
  for (const auto& [key, told] : told_) {
    if (told.times > 1)
      outcome_.findings[told.finding].details.push_back(fmt::format("and {} times more", told.times - 1));
  }
}

}  // namespace warpcc::checker
