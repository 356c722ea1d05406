#include "sema/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpcc::sema {
namespace {

constexpr Message<> too_many_steps{"too-much-work",
                                   "compile-time evaluation takes too long: more than 5,000,000 steps"};
constexpr Message<> too_many_visits{
    "too-much-work",
    "the paths through this kernel take too long to walk: it has too many instructions in loops in loops"};
constexpr Message<int> too_deep{"too-deep", "expressions, blocks and calls nest more than {} deep here"};

constexpr std::size_t kMostNotes = 8;

}  // namespace

Diagnostic& Session::with_calls(Diagnostic& diagnostic) const {
  std::size_t said = 0;
  for (auto entered = chain.rbegin(); entered != chain.rend() && said < kMostNotes; ++entered, ++said) {
    diagnostic.note(entered->where, fmt::format("in `{}`, called here", entered->name));
  }
  return diagnostic;
}

Diagnostic& Session::with_calls(Diagnostic& diagnostic, kernel::CallId call) const {
  std::size_t said = 0;
  while (call != kernel::CallId::none && said++ < kMostNotes) {
    const kernel::Call& entered = kernel.calls[static_cast<std::size_t>(call)];
    diagnostic.note(entered.where, fmt::format("in `{}`, called here", entered.proc));
    call = entered.caller;
  }
  return diagnostic;
}

std::string Session::one_line(SourceRange where) const {
  const std::string_view text = sources.text(where);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size() - 1);
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
    } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\n' && text[i] != '\r') {
      out += text[i];
      continue;
    }
    if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) out.pop_back();
  return out;
}

std::string Session::line_of(SourceRange where) const {
  return std::to_string(sources.position(where.file, where.begin).line);
}

bool Session::step(SourceRange where) {
  if (diagnostics.all().size() >= kMostComplaints) return false;
  if (++steps <= kMostSteps) return true;
  if (!exhausted_) error(where, too_many_steps);
  exhausted_ = true;
  return false;
}

bool Session::visit() {
  if (++visits <= kMostVisits) return true;
  if (!std::exchange(exhausted_, true))
    error(kernel.roles.empty() ? SourceRange{} : kernel.roles[0].where, too_many_visits);
  return false;
}

Deeper::Deeper(Session& session, SourceRange where) : session_(session), ok_(++session.depth <= Session::kDeepest) {
  if (!ok_) session.error(where, too_deep, Session::kDeepest);
}

}  // namespace warpcc::sema
