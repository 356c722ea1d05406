#include "checker/report/json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace warpcc::checker {
namespace {

void print_counts(const Outcome& outcome, llvm::json::OStream& out) {
  const std::pair<llvm::StringRef, std::uint64_t> counts[] = {
      {"operands_checked", outcome.operands_checked},
      {"operands_wrong", outcome.operands_wrong},
      {"colouring_changed", outcome.colouring_changed},
      {"named_barriers_wrong", outcome.named_barriers_wrong},
      {"protocol_problems", outcome.protocol_problems},
      {"memory_problems", outcome.memory_problems},
      {"races", outcome.races},
      {"coverage_problems", outcome.coverage_problems},
      {"elements_covered", outcome.elements_covered},
      {"ranges_left", outcome.ranges_left},
      {"hangs", outcome.hangs},
      {"values_compared", outcome.values_compared},
      {"values_wrong", outcome.values_wrong},
      {"lines_not_held", outcome.not_held},
      {"instructions", outcome.instructions},
      {"clusters", static_cast<std::uint64_t>(outcome.clusters_run)},
  };
  out.attributeObject("counts", [&] {
    for (const auto& [what, count] : counts) out.attribute(what, count);
  });
}

void print_strings(llvm::StringRef what, const std::vector<std::string>& strings, llvm::json::OStream& out) {
  out.attributeArray(what, [&] {
    for (const std::string& text : strings) out.value(llvm::json::fixUTF8(text));
  });
}

void print_finding(const Finding& finding, llvm::json::OStream& out, const Sources* sources) {
  bool is_in_text = sources && finding.where.end > finding.where.begin;
  out.object([&] {
    std::string kind(name(finding.kind));
    std::replace(kind.begin(), kind.end(), ' ', '-');
    out.attribute("kind", kind);
    out.attribute("text", llvm::json::fixUTF8(finding.text));
    print_strings("details", finding.details, out);
    if (!finding.place.empty()) out.attribute("place", llvm::json::fixUTF8(finding.place));
    if (!is_in_text) return;
    Position at = sources->position(finding.where.file, finding.where.begin);
    out.attribute("file", llvm::json::fixUTF8(sources->path(finding.where.file)));
    out.attribute("line", at.line);
    out.attribute("column", at.column);
  });
}

}  // namespace

void print_json(const Outcome& outcome, llvm::json::OStream& out, const Sources* sources) {
  out.object([&] {
    out.attribute("failed", outcome.failed());
    print_counts(outcome, out);
    out.attributeArray("findings", [&] {
      for (const Finding& finding : outcome.findings) print_finding(finding, out, sources);
    });
    print_strings("notes", outcome.notes, out);
  });
}

}  // namespace warpcc::checker
