#include "lsp/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "lsp/facts.h"
#include "lsp/symbols.h"
#include "lsp/words.h"
#include "report/kernel_walk.h"
#include "report/layout_report.h"

namespace warpcc::lsp {
namespace {

llvm::Error no_program(const Document& document) {
  if (document.newest && document.newest->is_module)
    return failed("this file holds no kernel: it is compiled where it is used");
  return failed("the kernel has errors, and there is no program yet");
}

// Which lines of a listing each line of the document has become: neighbours together.
json::Array line_map(const Sight& sight, const Text& text, const Listing& listing, bool one_each) {
  json::Array all;
  std::optional<std::uint32_t> source;
  std::uint32_t first = 0, last = 0;
  auto end_run = [&] {
    if (source) all.push_back(json::Object{{"source", *source}, {"first", first}, {"last", last}});
    source.reset();
  };
  const std::vector<sass::Line>& lines = sight->program->lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const SourceRange where = lines[i].where;
    const std::uint32_t begin = listing.begins[i];
    const std::uint32_t end = one_each ? begin + 1 : listing.begins[i + 1];
    if (begin == end) continue;
    const std::optional<SourceRange> now =
        where.end > where.begin ? sight.to_now({where.file, where.begin, where.begin}) : std::nullopt;
    if (!now) {
      end_run();
      continue;
    }
    const std::uint32_t line = text.place(now->begin).line;
    if (source != line || begin > last + 1) {
      end_run();
      source = line;
      first = begin;
    }
    last = end - 1;
  }
  end_run();
  return all;
}

Answer listing(const Request& request, bool as_ptx) {
  const Sight sight(request.document, request.document.accepted);
  if (!sight) return no_program(request.document);
  const Listing* made = as_ptx ? sight->ptx() : sight->sass();
  if (!made) return failed("the program has no PTX");
  return json::Object{{"text", json::fixUTF8(made->text)},
                      {"map", line_map(sight, request.document.text, *made, !as_ptx)}};
}

json::Value lens(std::uint32_t line, llvm::StringRef title, llvm::StringRef command, const std::string& uri) {
  return json::Object{
      {"range", to_json({line, 0}, {line, 0})},
      {"command", json::Object{{"title", title}, {"command", command}, {"arguments", json::Array{uri, line}}}}};
}

// ---- Why a wait waits

using Barrier = kernel::BarrierOperand;

const Barrier* barrier_of(const kernel::Instruction& it) {
  for (const kernel::Operand& operand : it.operands) {
    if (auto* barrier = std::get_if<Barrier>(&operand)) return barrier;
  }
  return nullptr;
}

bool same_barrier(const Barrier& a, const Barrier& b) {
  if (a.is_named() != b.is_named()) return false;
  return a.is_named() ? a.named == b.named : a.pipe == b.pipe && a.kind == b.kind;
}

bool waits(isa::Does does) {
  return does == isa::Does::wait || does == isa::Does::probe || does == isa::Does::sync;
}

// The statements that have to do with a barrier, each once: `gemm.wk:124  load …`.
std::vector<std::string> who(const Analysis& analysis, const Barrier& barrier, bool waiting) {
  std::vector<std::string> all;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  report::KernelWalk walk(*analysis.kernel);
  walk.each_instruction([&](const kernel::Instruction& each) {
    const Barrier* of = barrier_of(each);
    if (!of || !same_barrier(*of, barrier) || waits(each.op->does) != waiting || each.op->does == isa::Does::init)
      return;
    if (!seen.emplace(static_cast<std::uint32_t>(each.where.file), each.where.begin).second) return;
    all.push_back(fmt::format("{}  {}", analysis.sources.place(each.where), each.text));
  });
  return all;
}

std::string list(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& each : all) out += "  " + each + "\n";
  return out.empty() ? "  nobody\n" : out;
}

std::string why_named(const Analysis& analysis, const Barrier& barrier) {
  if (barrier.named == kernel::BarrierId::none) return "There is one team: nobody to wait for.\n";
  const kernel::NamedBarrier& of = (*analysis.kernel)[barrier.named];
  return fmt::format("`{}` is a named barrier: {} warps meet at it.\n\nWaits:\n{}\nComes and does not wait:\n{}",
                     of.name, of.warps, list(who(analysis, barrier, true)), list(who(analysis, barrier, false)));
}

std::string why_signal(const Analysis& analysis, const Barrier& barrier) {
  const kernel::Pipe& pipe = (*analysis.kernel)[barrier.pipe];
  const bool full = barrier.kind == Barrier::Kind::full;
  const kernel::Signal& signal = full ? pipe.full : pipe.empty;
  std::string out =
      fmt::format("`{}.{}`: a stage of `{}` {}.\n\n", pipe.name, full ? "full" : "empty", pipe.name,
                  full ? "has been filled: its consumer may read it" : "has been read: its producer may fill it again");
  out += "A phase ends with " + signal_facts(signal) + ".\n";
  if (!full) out += fmt::format("The first {} waits do not wait: the stages are free.\n", pipe.depth);
  return out + "\nSignals:\n" + list(who(analysis, barrier, false)) + "\nWaits:\n" + list(who(analysis, barrier, true));
}

// The instruction at a line of the document, that has a barrier.
std::optional<Barrier> barrier_at(const Sight& sight, const Text& text, std::uint32_t line) {
  std::optional<Barrier> found;
  bool waiting = false;
  report::KernelWalk walk(*sight->kernel);
  walk.each_instruction([&](const kernel::Instruction& each) {
    const Barrier* barrier = barrier_of(each);
    const std::optional<SourceRange> now = barrier ? sight.to_now(each.where) : std::nullopt;
    if (!now || text.place(now->begin).line != line || (found && (waiting || !waits(each.op->does)))) return;
    found = *barrier;
    waiting = waits(each.op->does);
  });
  return found;
}

}  // namespace

Answer expand(const Request& request) {
  return listing(request, false);
}

Answer ptx(const Request& request) {
  return listing(request, true);
}

Answer layout(const Request& request) {
  const Sight sight(request.document, request.document.accepted);
  if (!sight) return no_program(request.document);
  const Word word = word_at(request.document.text.str(), request.offset);
  const std::optional<std::uint32_t> begin = sight.to_analysis(word.begin);
  const sema::Meaning* meaning = begin ? sight->meanings.at(Analysis::kMain, *begin) : nullptr;
  const kernel::Kernel& kernel = *sight->kernel;
  const bool fragment = meaning && meaning->reg != kernel::RegisterId::none && kernel[meaning->reg].fragment;
  if (!meaning || (meaning->buffer == kernel::BufferId::none && !fragment))
    return failed("there is no buffer, view or fragment here");
  for (const report::LayoutSubject& subject : report::layout_subjects(kernel, sight->sources)) {
    const bool is = fragment ? subject.fragment == &kernel[meaning->reg] : subject.buffer == &kernel[meaning->buffer];
    if (!is) continue;
    llvm::Expected<layout::Picture> picture = report::layout_picture(subject);
    if (!picture) return failed(llvm::toString(picture.takeError()));
    return json::Object{{"svg", json::fixUTF8(layout::svg(std::span(&*picture, 1)))},
                        {"text", json::fixUTF8(report::layout_text(subject, sight->sources))}};
  }
  return failed("nothing is known of it");
}

Answer why(const Request& request) {
  const Sight sight(request.document, request.document.accepted);
  if (!sight) return no_program(request.document);
  const std::optional<Barrier> barrier =
      barrier_at(sight, request.document.text, request.document.text.place(request.offset).line);
  if (!barrier) return failed("no statement with a barrier stands here");
  return json::Object{
      {"text", json::fixUTF8(barrier->is_named() ? why_named(*sight, *barrier) : why_signal(*sight, *barrier))}};
}

Answer code_lenses(const Request& request) {
  json::Array all;
  const std::string& uri = request.document.uri;
  const Sight parsed(request.document, request.document.parsed);
  if (parsed && parsed->names) {
    for (const Declaration& each : parsed->names->declarations()) {
      const std::optional<SourceRange> now = each.kind == NameKind::kernel ? parsed.to_now(each.where) : std::nullopt;
      if (!now) continue;
      const std::uint32_t line = request.document.text.place(now->begin).line;
      all.push_back(lens(line, "check", "warpcc.check", uri));
      all.push_back(lens(line, "expand", "warpcc.expand", uri));
      all.push_back(lens(line, "PTX", "warpcc.ptx", uri));
    }
  }
  const Sight accepted(request.document, request.document.accepted);
  if (!accepted) return json::Value(std::move(all));
  std::set<std::uint32_t> lines;
  report::KernelWalk walk(*accepted->kernel);
  walk.each_instruction([&](const kernel::Instruction& each) {
    const std::optional<SourceRange> now =
        each.op->does == isa::Does::wait ? accepted.to_now(each.where) : std::nullopt;
    if (now) lines.insert(request.document.text.place(now->begin).line);
  });
  for (const std::uint32_t line : lines) all.push_back(lens(line, "why this wait", "warpcc.why", uri));
  return json::Value(std::move(all));
}

}  // namespace warpcc::lsp
