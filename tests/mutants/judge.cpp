#include "judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "codegen/codegen.h"
#include "frontend/parse.h"
#include "sass/colour.h"
#include "sass/text.h"
#include "support/diagnostics.h"

namespace warpcc::mutants {
namespace {

// A mutant that runs longer is taken to run for ever.
constexpr std::int64_t kMostInstructions = 3'000'000;

Verdict refused(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity == Severity::error)
      return {Verdict::Kind::refused, std::string(diagnostic.code), diagnostic.text};
  }
  return {Verdict::Kind::broken, "no program and no reason", ""};
}

std::optional<sass::Program> compiled(const Subject& subject, const std::string& path, std::size_t shape,
                                      Sources& sources, Verdict& why) {
  Diagnostics diagnostics;
  auto file = sources.load(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    why = {Verdict::Kind::broken, "cannot read " + path, ""};
    return {};
  }
  CompileOptions options;
  options.definitions = subject.parameters;
  for (const Definition& definition : subject.shapes[shape]) options.definitions.push_back(definition);
  auto tree = parse(*file, sources, diagnostics);
  if (tree && !diagnostics.failed()) {
    auto kernel = elaborate(*file, options, sources, diagnostics);
    if (kernel && !diagnostics.failed()) {
      auto program = generate(*kernel, sources, diagnostics);
      if (program && !diagnostics.failed()) return program;
    }
  }
  why = refused(diagnostics);
  return {};
}

// Lines without what is said beside them: comments and places.
std::string bare(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    std::string_view code = line;
    code = code.substr(0, code.find(" ; "));
    while (code.ends_with(' ')) code.remove_suffix(1);
    (out += code) += '\n';
  }
  return out;
}

std::string launch_of(const sass::Program& program) {
  return fmt::format("{} CTAs in clusters of {}, {} threads of {} registers, {} bytes", fmt::join(program.grid, " x "),
                     program.cluster, program.threads, program.registers.value_or(0), program.dynamic_shared);
}

struct Order {
  int seed = 0;
  bool strict = false, values = true;
};

std::optional<Verdict> killed_in_order(const sass::Program& program, const Subject& subject, Order order,
                                       checker::WarpEffects* effects = nullptr) {
  checker::Options options;
  options.strict = order.strict;
  options.clusters = checker::Options::Clusters::all;
  options.values = order.values;
  options.threads = 1;
  options.launches = subject.launches;
  options.most_instructions = kMostInstructions;
  options.seed = static_cast<std::uint64_t>(order.seed);
  options.effects = effects;
  checker::Outcome outcome = checker::check(program, options);
  for (const checker::Finding& finding : outcome.findings) {
    if (finding.kind == checker::Finding::Kind::not_held) continue;
    std::string by(checker::name(finding.kind));
    if (order.seed > 0) by += " (another order)";
    if (order.strict) by += " (--strict)";
    return Verdict{Verdict::Kind::killed, std::move(by), finding.text};
  }
  for (const std::string& note : outcome.notes) {
    if (note.find("still to be read") != std::string::npos) return Verdict{Verdict::Kind::killed, "a note", note};
  }
  return {};
}

// Nothing where no check finds anything; then `behaviour` is the program's.
std::optional<Verdict> killed(const sass::Program& program, const Subject& subject, Behaviour& behaviour) {
  behaviour = {launch_of(program), {}};
  checker::Options coverage;
  coverage.coverage = true;
  for (const checker::Finding& finding : checker::check(program, coverage).findings)
    return Verdict{Verdict::Kind::killed, fmt::format("{} (coverage)", checker::name(finding.kind)), finding.text};
  // With what the documents ask for and libraries leave out: a finding may be of that alone.
  auto strict = killed_in_order(program, subject, {0, true, true}, &behaviour.runs.emplace_back());
  if (strict) {
    if (auto found = killed_in_order(program, subject, {})) return found;
  }
  for (int seed = 1; seed <= subject.seeds; ++seed) {
    if (auto found = killed_in_order(program, subject, {seed, false, false}, &behaviour.runs.emplace_back()))
      return found;
  }
  return strict;
}

// What survives, or is to be argued for, has gone through these too.
std::optional<Verdict> killed_in_more_orders(const sass::Program& program, const Subject& subject) {
  for (int seed = 1; seed <= subject.seeds_of_survivors; ++seed) {
    if (auto found = killed_in_order(program, subject, {seed, false, seed == 1})) return found;
  }
  return {};
}

constexpr const char* kSameEffects = "each warp does the same, with the same operands, in all orders that were tried";

}  // namespace

std::optional<Original> original(const Subject& subject, const std::string& file, std::size_t shape, Verdict& why) {
  Sources sources;
  auto program = compiled(subject, file, shape, sources, why);
  if (!program) return {};
  Original original{sass::print(*program, sass::Form::both), {}};
  if (auto found = killed(*program, subject, original.behaviour)) {
    why = *found;
    return {};
  }
  return original;
}

Verdict judge_kernel_text(const Subject& subject, const Mutant& mutant, const std::string& folder,
                          const std::vector<Original>& originals) {
  std::string path = folder + "/" + mutant.file, before;
  {
    std::ifstream in(path);
    before.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::ofstream(path) << mutant.text;
  Verdict verdict{Verdict::Kind::equivalent, "the same instructions", ""};
  for (std::size_t shape = 0; shape < subject.shapes.size(); ++shape) {
    Sources sources;
    Verdict why;
    auto program = compiled(subject, folder + "/" + subject.kernel, shape, sources, why);
    if (!program) {
      verdict = why;
      break;
    }
    if (bare(sass::print(*program, sass::Form::both)) == bare(originals[shape].listing)) continue;
    Behaviour behaviour;
    if (auto found = killed(*program, subject, behaviour)) {
      verdict = *found;
      break;
    }
    if (behaviour != originals[shape].behaviour) {
      verdict = {};
      if (!mutant.equal_to.empty()) continue;
      if (auto found = killed_in_more_orders(*program, subject)) {
        verdict = *found;
        break;
      }
    } else if (verdict.kind == Verdict::Kind::equivalent) {
      verdict.by = kSameEffects;
    }
  }
  std::ofstream(path) << before;
  if (verdict.kind == Verdict::Kind::survived && !mutant.equal_to.empty())
    return {Verdict::Kind::equivalent, mutant.equal_to, ""};
  return verdict;
}

Verdict judge_listing(const Subject& subject, const Mutant& mutant, const Original& original) {
  Sources sources;
  Diagnostics diagnostics;
  FileId file = sources.add("mutant.sass", mutant.text);
  auto program = sass::read(file, sources, diagnostics);
  if (!program || diagnostics.failed()) return refused(diagnostics);
  Behaviour behaviour;
  if (auto found = killed(*program, subject, behaviour)) return *found;
  if (behaviour == original.behaviour) return {Verdict::Kind::equivalent, kSameEffects, ""};
  if (!mutant.equal_to.empty()) return {Verdict::Kind::equivalent, mutant.equal_to, ""};
  return killed_in_more_orders(*program, subject).value_or(Verdict{});
}

}  // namespace warpcc::mutants
