#include "lsp/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/layout_report.h"
#include "support/words.h"

namespace warpcc::lsp {
namespace {

constexpr std::size_t kMostLines = 24;  // of a listing in a hover

std::string bullet(const std::string& text) {
  return "- " + text + "\n";
}

std::string code(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}\n```\n", language, text);
}

std::string subject_facts(const report::LayoutSubject& subject) {
  std::string out = code("wk", subject.head);
  for (const std::string& fact : subject.facts) out += bullet(fact);
  return out;
}

std::string register_facts(const kernel::Register& reg) {
  if (reg.fragment) return subject_facts(report::layout_subject(reg));
  std::string out;
  if (reg.range)
    out += bullet(fmt::format("an index register: {} .. {} by {}", reg.range->begin, reg.range->end, reg.range->step));
  return out;
}

std::string cta_text(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::Side side) {
  const std::vector<kernel::Pin>& pins = side == kernel::Side::producer ? pipe.from : pipe.to;
  std::string out;
  for (const kernel::Pin& pin : pins)
    out += fmt::format("{}{} = {}", out.empty() ? "at " : ", ", kernel.axes[static_cast<std::size_t>(pin.axis)].name,
                       pin.at);
  return out.empty() ? "in every CTA" : out;
}

std::string pipe_facts(const kernel::Kernel& kernel, const kernel::Pipe& pipe) {
  std::string out = bullet(counted(static_cast<std::uint64_t>(pipe.depth), "stage"));
  for (const kernel::BufferId id : pipe.carries)
    out += bullet(fmt::format("carries `{}`: {}", kernel[id].name, tile_text(kernel[id].element, kernel[id].shape)));
  for (const kernel::Side side : {kernel::Side::producer, kernel::Side::consumer}) {
    const bool produces = side == kernel::Side::producer;
    std::string who;
    for (const kernel::Role& role : kernel.roles) {
      for (const kernel::EndId end : role.ends) {
        if (&kernel[kernel[end].pipe] == &pipe && kernel[end].side == side)
          who += fmt::format("{}`{}`", who.empty() ? "" : ", ", role.name);
      }
    }
    out += bullet(fmt::format("{}: {} {}", produces ? "filled by" : "taken by", who.empty() ? "nobody" : who,
                              cta_text(kernel, pipe, side)));
  }
  if (pipe.depth == 0) return out;
  return out + "- full: " + signal_facts(pipe.full) + "\n- empty: " + signal_facts(pipe.empty) + "\n";
}

std::string barrier_facts(const kernel::Kernel& kernel, const sema::Meaning& meaning) {
  const kernel::Pipe& pipe = kernel[meaning.pipe];
  const kernel::Signal& signal = meaning.full ? pipe.full : pipe.empty;
  return bullet(fmt::format("the {} barrier of a stage of `{}`", meaning.full ? "full" : "empty", pipe.name)) +
         bullet("a phase: " + signal_facts(signal)) +
         bullet(fmt::format("lives {}",
                            cta_text(kernel, pipe, meaning.full ? kernel::Side::consumer : kernel::Side::producer)));
}

std::string end_facts(const kernel::Kernel& kernel, const kernel::End& end) {
  const bool produces = end.side == kernel::Side::producer;
  std::string out =
      bullet(fmt::format("the {}'s end of `{}`: waits for `{}`, signals `{}`", produces ? "producer" : "consumer",
                         kernel[end.pipe].name, produces ? "empty" : "full", produces ? "full" : "empty"));
  if (end.teams > 1)
    out += bullet(fmt::format("held in turn by {} teams, {} a turn", end.teams,
                              counted(static_cast<std::uint64_t>(end.stages_a_turn), "stage")));
  return out + pipe_facts(kernel, kernel[end.pipe]);
}

std::string kernel_facts(const kernel::Kernel& kernel, const sema::Meaning& meaning) {
  if (meaning.full || meaning.empty) return barrier_facts(kernel, meaning);
  if (meaning.end != kernel::EndId::none) return end_facts(kernel, kernel[meaning.end]);
  if (meaning.pipe != kernel::PipeId::none) return pipe_facts(kernel, kernel[meaning.pipe]);
  if (meaning.buffer != kernel::BufferId::none) return subject_facts(report::layout_subject(kernel[meaning.buffer]));
  if (meaning.reg != kernel::RegisterId::none) return register_facts(kernel[meaning.reg]);
  if (meaning.counter != kernel::CounterId::none) {
    const kernel::Range& range = kernel[meaning.counter].range;
    return bullet(fmt::format("counts in a register: {} .. {} by {}", range.begin, range.end, range.step));
  }
  if (meaning.barrier != kernel::BarrierId::none) {
    const kernel::NamedBarrier& barrier = kernel[meaning.barrier];
    return bullet(fmt::format("{} meet at it", counted(static_cast<std::uint64_t>(barrier.warps), "warp")));
  }
  return "";
}

// `n` lines of a text from line `first` on.
std::string_view lines_of_text(std::string_view text, std::uint32_t first, std::uint32_t end) {
  std::size_t begin = 0;
  for (std::uint32_t line = 0; line < first; ++line) begin = text.find('\n', begin) + 1;
  std::size_t stop = begin;
  for (std::uint32_t line = first; line < end && stop < text.size(); ++line) stop = text.find('\n', stop) + 1;
  return text.substr(begin, stop > begin ? stop - begin - 1 : 0);
}

// The listing's lines of these lines of the program.
std::string excerpt(const Listing& listing, const std::vector<std::size_t>& lines, bool one_each) {
  std::string out;
  std::size_t shown = 0;
  for (const std::size_t at : lines) {
    const std::uint32_t first = listing.begins[at];
    const std::uint32_t end = one_each ? first + 1 : listing.begins[at + 1];
    if (first == end) continue;
    if (++shown > kMostLines) return out + fmt::format("… {} lines in all", lines.size());
    std::string_view text = lines_of_text(listing.text, first, end);
    if (one_each) text = text.substr(0, text.find(" ; "));
    while (text.ends_with(' ')) text.remove_suffix(1);
    out.append(text).push_back('\n');
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace

std::string tile_text(layout::Element element, const std::vector<std::int64_t>& shape) {
  std::string out(layout::name(element));
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "[" : ", ") + std::to_string(shape[i]);
  return shape.empty() ? out : out + "]";
}

std::string signal_facts(const kernel::Signal& signal) {
  std::string out = signal.arrivals_why.empty() ? counted(static_cast<std::uint64_t>(signal.arrivals), "arrival")
                                                : "arrivals " + signal.arrivals_why;
  if (signal.bytes != 0) {
    const bool says = !signal.bytes_why.empty();
    out += says ? "; bytes " + signal.bytes_why : fmt::format("; {} bytes", signal.bytes);
  }
  return out;
}

std::string facts_of(const Analysis& analysis, const sema::Meaning& meaning) {
  std::string out = meaning.kind;
  if (!meaning.values.empty()) {
    std::string values;
    for (const std::string& value : meaning.values) values += (values.empty() ? "`" : ", `") + value + "`";
    out += (meaning.coordinate ? ": " : " = ") + values + (meaning.more ? " …" : "");
  }
  out += "\n";
  if (meaning.bounds && meaning.bounds->first != meaning.bounds->second)
    out += bullet(fmt::format("from {} to {}", meaning.bounds->first, meaning.bounds->second));
  if (meaning.shape && meaning.buffer != kernel::BufferId::none && analysis.kernel && !meaning.shape->empty())
    out += bullet("extents: " + tile_text((*analysis.kernel)[meaning.buffer].element, *meaning.shape));
  if (analysis.kernel) out += "\n" + kernel_facts(*analysis.kernel, meaning);
  return out;
}

std::optional<SourceRange> statement_at(const Analysis& analysis, FileId file, std::uint32_t offset) {
  if (!analysis.program) return std::nullopt;
  std::optional<SourceRange> best;
  for (const sass::Line& line : analysis.program->lines) {
    const SourceRange& where = line.where;
    if (where.file != file || where.begin > offset || where.end < offset || where.begin == where.end) continue;
    if (!best || where.end - where.begin < best->end - best->begin) best = where;
  }
  return best;
}

std::string lines_of_statement(const Analysis& analysis, FileId file, std::uint32_t offset) {
  const std::optional<SourceRange> where = statement_at(analysis, file, offset);
  if (!where) return "";
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < analysis.program->lines.size(); ++i) {
    if (analysis.program->lines[i].where == *where) lines.push_back(i);
  }
  std::string out;
  if (const Listing* sass = analysis.sass()) out += code("sass", excerpt(*sass, lines, true));
  if (const Listing* ptx = analysis.ptx()) {
    if (const std::string text = excerpt(*ptx, lines, false); !text.empty()) out += code("ptx", text);
  }
  return out;
}

}  // namespace warpcc::lsp
