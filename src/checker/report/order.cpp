#include "checker/report/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "llvm/Support/raw_ostream.h"

namespace warpcc::checker {
namespace {

// `mma.pair out.acc… (gemm.wk:141)`: a statement's lines are one.
std::string statement(const sass::Program& program, std::uint32_t line) {
  if (line == kNoLine) return "";
  const sass::Line& which = program.lines[line];
  std::string text(which.comment.empty() ? std::string(which.opcode->name) : which.comment);
  constexpr std::size_t kMost = 48;
  if (text.size() > kMost) text = text.substr(0, text.find_last_of(" ,", kMost)) + " …";
  return fmt::format("`{}`{}", text,
                     which.place.empty() ? fmt::format(" (program line {})", line + 1) : " " + which.place);
}

std::string by(const sass::Program& program, const OrderedPair& pair) {
  std::string text;
  if (pair.release == kNoLine && pair.acquire == kNoLine) {
    text = "the order of the program";
  } else if (pair.acquire == kNoLine) {
    text = statement(program, pair.release);
  } else {
    text = statement(program, pair.release) + " → " + statement(program, pair.acquire);
  }
  if (pair.fence != kNoLine) text += ", with " + statement(program, pair.fence);
  return text;
}

std::string kind(const OrderedPair& pair) {
  return fmt::format("{}, then {}", pair.first_writes ? "written" : "read", pair.then_writes ? "written" : "read");
}

struct Row {
  std::string kind;
  std::uint64_t count = 0;
};
using Rows = std::map<std::tuple<std::string, std::string, std::string, std::string>, Row>;

// By buffer, first, then, and what orders them.
Rows rows_of(const std::vector<OrderedPair>& pairs, const sass::Program& program) {
  Rows rows;
  for (const OrderedPair& pair : pairs) {
    Row& row = rows[{pair.buffer, statement(program, pair.first), statement(program, pair.then), by(program, pair)}];
    row.kind = kind(pair);
    row.count += pair.count;
  }
  return rows;
}

bool among(std::uint32_t line, const std::vector<std::uint32_t>& lines) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string buffer_of(const std::string& place) {
  std::size_t of = place.rfind(" of ");
  std::string name = of == std::string::npos ? place : place.substr(of + 4);
  return name.substr(0, name.find_first_of("[,"));
}

std::string order_text(const OrderedPair& pair, const sass::Program& program) {
  return fmt::format("{} → {}, by {}", statement(program, pair.first), statement(program, pair.then),
                     by(program, pair));
}

void print_order(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out) {
  std::string buffer, pair;
  for (const auto& [key, row] : rows_of(outcome.ordered, program)) {
    const auto& [its, first, then, how] = key;
    if (its != buffer) out << its << '\n';
    std::string both = fmt::format("  {}  →  {}   ({})\n", first, then, row.kind);
    if (its != buffer || both != pair) out << both;
    buffer = its;
    pair = both;
    out << fmt::format("  {:>10}  by {}\n", row.count, how);
  }
  if (outcome.ordered.empty()) out << "no two accesses could disturb each other\n";
}

void print_order_dot(const Outcome& outcome, const sass::Program& program, llvm::raw_ostream& out) {
  out << "digraph order {\n  node [shape=box, fontname=monospace];\n  edge [fontname=monospace];\n";
  for (const auto& [key, row] : rows_of(outcome.ordered, program)) {
    const auto& [buffer, first, then, how] = key;
    out << fmt::format("  \"{}\" -> \"{}\" [label=\"{}: {}\\nby {}\"];\n", escaped(first), escaped(then),
                       escaped(buffer), row.count, escaped(how));
  }
  out << "}\n";
}

void print_why(const Outcome& outcome, const Outcome& without, const sass::Program& program,
               const std::vector<std::uint32_t>& lines, llvm::raw_ostream& out) {
  // Derived lines belong to their statement: its own line speaks for all.
  auto own = std::find_if(lines.begin(), lines.end(), [&](std::uint32_t line) {
    return program.lines[line].mark == sass::Mark::program && !program.lines[line].comment.empty();
  });
  std::string what = statement(program, own == lines.end() ? lines.front() : *own);
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> lost;
  for (const UnorderedPair& pair : without.unordered) {
    lost[{buffer_of(pair.place), statement(program, pair.first), statement(program, pair.then)}] += pair.count;
  }
  std::map<std::string, std::uint64_t> others;  // that are not of two accesses
  for (const Finding& finding : without.findings) {
    if (finding.kind == Finding::Kind::not_held) continue;
    bool of_two = finding.kind == Finding::Kind::race && !finding.details.empty() &&
                  finding.details.front().rfind("first: ", 0) == 0;
    if (!of_two) ++others[finding.text];
  }
  if (!lost.empty() || !others.empty()) {
    out << what << " is needed. Without it" << (lost.empty() ? ":\n" : " nothing orders\n");
    for (const auto& [key, count] : lost) {
      out << fmt::format("  {:>10}  {}: {}  →  {}\n", count, std::get<0>(key), std::get<1>(key), std::get<2>(key));
    }
    for (const auto& [text, count] : others) out << fmt::format("  {:>10}  {}\n", count, text);
    return;
  }
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> its;
  for (const OrderedPair& pair : outcome.ordered) {
    if (among(pair.release, lines) || among(pair.acquire, lines) || among(pair.fence, lines))
      its[{pair.buffer, statement(program, pair.first), statement(program, pair.then)}] += pair.count;
  }
  if (its.empty()) {
    out << what << " orders no two accesses that could disturb each other.\n";
    return;
  }
  out << what << " orders nothing alone. What it orders, others do as well:\n";
  Rows rows = rows_of(without.ordered, program);
  for (const auto& [key, count] : its) {
    const auto& [buffer, first, then] = key;
    out << fmt::format("  {:>10}  {}: {}  →  {}\n", count, buffer, first, then);
    for (const auto& [other, row] : rows) {
      if (std::tie(std::get<0>(other), std::get<1>(other), std::get<2>(other)) != std::tie(buffer, first, then))
        continue;
      out << fmt::format("  {:>10}  by {}\n", "", std::get<3>(other));
    }
  }
}

}  // namespace warpcc::checker
