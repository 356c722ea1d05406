#include "run.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "llvm/Support/raw_ostream.h"
#include "sass/colour.h"
#include "sass/text.h"

namespace warpcc::checker::test {

std::string text_of(std::string_view file) {
  std::ifstream in(WARPCC_SOURCE_DIR "/tests/unit/checker/" + std::string(file));
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string changed(std::string text, std::string_view what, std::string_view with, int places) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
    ++found;
  }
  std::string looked_for(what);
  CAPTURE(looked_for);
  REQUIRE(found == places);
  return text;
}

std::string without(std::string text, std::string_view what, int places) {
  std::string result;
  int found = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(what) != std::string::npos) {
      ++found;
    } else {
      result += line + "\n";
    }
  }
  std::string looked_for(what);
  CAPTURE(looked_for);
  REQUIRE(found == places);
  return result;
}

std::string without_wait(std::string text, std::string_view barrier) {
  std::string result;
  int found = 0, drop = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    bool is_wait =
        line.find("PHASECHK") != std::string::npos && line.find(" = " + std::string(barrier)) != std::string::npos;
    if (is_wait) {
      ++found;
      drop = 3;
    }
    if (drop > 0) {
      --drop;
    } else {
      result += line + "\n";
    }
  }
  std::string looked_for(barrier);
  CAPTURE(looked_for);
  REQUIRE(found == 1);
  return result;
}

bool Run::found(Finding::Kind kind, std::string_view text) const {
  return std::any_of(outcome.findings.begin(), outcome.findings.end(), [&](const Finding& finding) {
    if (finding.kind != kind) return false;
    return finding.text.find(text) != std::string::npos ||
           std::any_of(finding.details.begin(), finding.details.end(),
                       [&](const std::string& detail) { return detail.find(text) != std::string::npos; });
  });
}

namespace {

sass::Program program_of(const std::string& text, Sources& sources) {
  Diagnostics diagnostics;
  FileId file = sources.add("test.sass", text);
  std::optional<sass::Program> program = sass::read(file, sources, diagnostics);
  std::string said;
  llvm::raw_string_ostream out(said);
  diagnostics.print(out, sources);
  CAPTURE(said);
  REQUIRE(program);
  return *std::move(program);
}

Run run(const sass::Program& program, const Sources& sources, const Options& options) {
  Run result;
  result.outcome = check(program, options);
  llvm::raw_string_ostream report(result.report);
  print(result.outcome, report, &sources);
  return result;
}

}  // namespace

Run run(const std::string& text, Options options, bool coloured) {
  Sources sources;
  Diagnostics diagnostics;
  sass::Program program = program_of(text, sources);
  if (coloured) REQUIRE(sass::colour(program, 255, diagnostics));
  return run(program, sources, options);
}

Run run_in_one_register(const std::string& text, std::string_view value, std::string_view other,
                        const Options& options) {
  Sources sources;
  Diagnostics diagnostics;
  sass::Program program = program_of(text, sources);
  REQUIRE(sass::colour(program, 255, diagnostics));
  auto named = [&](std::string_view name) {
    auto found = std::find_if(program.values.begin(), program.values.end(),
                              [&](const sass::Value& v) { return v.name == name; });
    REQUIRE(found != program.values.end());
    return static_cast<sass::ValueId>(found - program.values.begin());
  };
  sass::ValueId from = named(value), to = named(other);
  for (sass::Line& line : program.lines) {
    for (sass::Operand& operand : line.operands) {
      if (operand.reg.value == from) operand.reg.number = program[to].colour;
    }
  }
  return run(program, sources, options);
}

}  // namespace warpcc::checker::test
