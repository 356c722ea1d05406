#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>

#include "mutant.h"

namespace warpcc::mutants {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) (text += line) += '\n';
  return text;
}

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ')) text.remove_suffix(1);
  return text;
}

// The line's code without its comment.
std::string_view code_of(std::string_view line) {
  return trimmed(line.substr(0, line.find("//")));
}

std::size_t indent(std::string_view line) {
  return line.find_first_not_of(' ') == std::string_view::npos ? line.size() : line.find_first_not_of(' ');
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') || c == '.';
}

// What cannot be a statement of a role: declarations, and what opens and closes blocks.
constexpr std::array kNotStatements = {
    "use",   "param", "require", "const",  "let",  "regs",   "r",      "ur",      "p",    "up", "tune", "kernel",
    "proc",  "role",  "start",   "finish", "enum", "struct", "shared", "tensor",  "pipe", "if", "for",  "loop",
    "match", "on",    "when",    "fill",   "take", "drain",  "named",  "barrier", "else", "}"};

std::string_view first_word(std::string_view code) {
  std::size_t end = 0;
  while (end < code.size() && is_letter(code[end])) ++end;
  return code.substr(0, std::max<std::size_t>(end, 1));
}

// One statement on one line.
bool is_statement(std::string_view code) {
  if (code.empty() || code.back() != ';' || code.find('{') != std::string_view::npos) return false;
  std::string_view word = first_word(code);
  for (std::string_view other : kNotStatements) {
    if (word == other) return false;
  }
  return word.front() != '(' && word.front() != '_';
}

// Words of code, and the first: what a statement that computes gives its value to.
struct Statement {
  std::string_view word;        // what it does
  std::string to;               // … its first operand
  std::set<std::string> names;  // … all of them
  bool computes = false;        // registers from registers: no memory, no barrier
  bool may_be_twice = false;    // done twice at once it does what it does once
};

Statement parsed(std::string_view code) {
  static constexpr std::array kWaits = {"wait",       "warpsync",   "fence.",    "prefetch",  "ld.wait", "grid.",
                                        "store.wait", "probe",      "ld.tensor", "lds",       "ldg",     "sts",
                                        "stg",        "relinquish", "break",     "mma.fence", "mma.wait"};
  Statement statement;
  std::string_view rest = code;
  if (rest.starts_with('@')) rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  statement.word = first_word(rest);
  std::string name;
  auto end = [&] {
    if (!name.empty() && statement.to.empty() && name != statement.word) statement.to = name;
    if (!name.empty()) statement.names.insert(name);
    name.clear();
  };
  std::size_t operands = 0;
  for (char c : rest) is_letter(c) ? void(name += c) : end();
  end();
  std::string_view after = rest.substr(statement.word.size());
  for (std::size_t at = after.find(statement.to); at != std::string_view::npos; at = after.find(statement.to, at + 1)) {
    bool whole = (at == 0 || !is_letter(after[at - 1])) &&
                 (at + statement.to.size() >= after.size() || !is_letter(after[at + statement.to.size()]));
    operands += whole;
  }
  statement.computes = (statement.word.starts_with('u') && statement.word != "use") || statement.word == "s2ur" ||
                       statement.word == "r2ur" || statement.word == "mov" || statement.word.starts_with("iadd") ||
                       statement.word.starts_with("imad") || statement.word.starts_with("isetp");
  statement.may_be_twice = (statement.computes && operands == 1) ||
                           std::any_of(kWaits.begin(), kWaits.end(),
                                       [&](std::string_view wait) { return statement.word.starts_with(wait); });
  return statement;
}

constexpr const char* kNextGrid = "it changes nothing but when the next grid starts";

// Why two statements in another order are the same program.
std::string order_is_no_matter(std::string_view a, std::string_view b) {
  Statement one = parsed(a), other = parsed(b);
  if (one.word == "prefetch" || other.word == "prefetch") return "a prefetch changes nothing but the time";
  if (one.word == "grid.launch" || other.word == "grid.launch") return kNextGrid;
  if (other.word == "grid.wait") return "the grid before, which waits for nobody here, is waited for earlier";
  if (one.word == other.word && (one.word == "load" || one.word == "init" || one.word == "pipes.set_up"))
    return "both do the same, at different places, and neither waits for the other";
  bool apart = (!one.computes || other.names.count(one.to) == 0) && (!other.computes || one.names.count(other.to) == 0);
  return (one.computes || other.computes) && apart ? "one of them only computes, and not what the other one takes" : "";
}

// Why a program without a statement is the same, where no check finds anything.
std::string dropped_is_no_matter(std::string_view word, std::string_view text) {
  if (word == "prefetch" || word.starts_with("relinquish"))
    return "it changes nothing but the time: of a load, of another kernel's allocation";
  if (word == "grid.launch") return kNextGrid;
  // That somebody who reaches global memory knows of a wait for the grid before is asked on every path; what each MMA's
  // registers need a fence for, of each MMA (docs/checker.md, 9 and 13).
  if (word == "grid.wait" && text.find(word) != text.rfind(word))
    return "who reaches global memory has heard of another wait for the grid before, on every path";
  if (word == "mma.fence") return "nothing but MMAs of one shape has touched the registers since";
  return {};
}

struct Maker {
  const std::string& file;
  const std::vector<std::string>& lines;
  std::vector<Mutant>& all;

  void add(std::string change, std::size_t at, std::vector<std::string> changed, std::string equal_to = {}) const {
    Mutant mutant;
    mutant.change = std::move(change);
    mutant.statement = std::string(code_of(lines[at]));
    mutant.place = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at + 1);
    mutant.file = file;
    mutant.text = joined(changed);
    mutant.equal_to = std::move(equal_to);
    all.push_back(std::move(mutant));
  }
  void with_line(std::string change, std::size_t at, std::string line, std::string equal_to = {}) const {
    std::vector<std::string> changed = lines;
    changed[at] = std::move(line);
    add(std::move(change), at, std::move(changed), std::move(equal_to));
  }
};

// Every whole number of the code, one more and one less.
void change_numbers(const Maker& maker, std::size_t at) {
  const std::string& line = maker.lines[at];
  std::size_t end = code_of(line).size() + indent(line);
  std::string_view word = first_word(code_of(line));
  bool leaves_some = word.starts_with("store.wait") || word == "mma.wait";  // so many of the newest groups
  for (std::size_t i = indent(line); i < end; ++i) {
    if (line[i] < '0' || line[i] > '9' || (i > 0 && is_letter(line[i - 1]))) continue;
    std::size_t last = i;
    while (last < end && is_letter(line[last])) ++last;
    std::int64_t number = 0;
    auto [rest, error] = std::from_chars(&line[i], &line[0] + last, number);
    if (error != std::errc() || rest != &line[0] + last) continue;
    for (std::int64_t other : {number + 1, number - 1}) {
      if (other < 0) continue;
      const bool leaves_less = i >= 2 && line.compare(i - 2, 2, "- ") == 0 ? other > number : other < number;
      maker.with_line(fmt::format("{} for {}", other, number), at,
                      line.substr(0, i) + fmt::format("{}", other) + line.substr(last),
                      leaves_some && leaves_less ? "it waits for more than it must" : "");
    }
    i = last;
  }
}

struct Words {
  std::string_view from, to;
};
// Guards, masks, ends, forms and orders.
constexpr Words kWords[] = {
    {"@one ", ""},
    {"@!one ", "@one "},
    {"@owns ", ""},
    {"@owns ", "@!owns "},
    {"@!owns ", "@owns "},
    {"@!owns ", ""},
    {"@(inside) ", ""},
    {"@!landed ", ""},
    {"@!landed ", "@landed "},
    {"half == 0", "half == 1"},
    {" && half == 0", ""},
    {"one && ", ""},
    {" across band", ""},
    {" at half = 0", ""},
    {" to half = 0", ""},
    {" from half = 0", ""},
    {" broadcast", ""},
    {"half = 0", "half = 1"},
    {".pair ", " "},
    {".each ", " "},
    {".relaxed", ""},
    {".read ", " "},
    {".add ", " "},
    {"store ", "store.add "},
    {"arrive ", "expect "},
    {"expect ", "arrive "},
    {".full", ".empty"},
    {".empty", ".full"},
    {"true", "false"},
    {"false", "true"},
    {".strong", ""},
    {"store.commit", "store.wait.read 0"},
    {"fence.async", "fence.gpu"},
    {"fence.gpu", "fence.async"},
    {"early", "late"},
    {"swizzle(128)", "swizzle(64)"},
    {" + half *", " + (1 - half) *"},
    {"row ", "col "},
    {"begin", "end"},
    {".lt.", ".le."},
    {".ge.", ".gt."},
    {".eq.", ".ne."},
    {".ne.", ".eq."},
    {"warps 4 .. 8", "warps 4 .. 7"},
    {"on warp 0", "on warp 3"},
};

}  // namespace

std::vector<Mutant> of_kernel_text(const std::string& file, const std::string& text) {
  std::vector<Mutant> all;
  std::vector<std::string> lines = lines_of(text);
  Maker maker{file, lines, all};
  bool in_body = false;  // of a kernel or a procedure: what stands before are choices
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::string_view code = code_of(lines[at]);
    std::string_view word = first_word(code);
    if (word == "kernel" || word == "proc") in_body = true;
    if (!in_body || code.empty() || word == "require" || code.starts_with("///")) continue;
    if (is_statement(code)) {
      std::vector<std::string> dropped = lines, doubled = lines;
      dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(at));
      std::string unneeded = dropped_is_no_matter(word, text);
      maker.add("drop", at, std::move(dropped), unneeded);
      doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
      maker.add("double", at, std::move(doubled),
                parsed(code).may_be_twice ? "done twice at once it does what it does once"
                : word == "store.commit"  ? "a group of no stores more: who leaves the newest groups waits for more"
                                          : "");
      // Later by one, and by as many as its block still has.
      std::string equal_to = "each that it passes only computes, or it does";
      for (std::size_t to = at + 1; to < lines.size(); ++to) {
        std::string_view other = code_of(lines[to]);
        if (other.empty()) continue;
        if (indent(lines[to]) != indent(lines[at]) || !is_statement(other)) break;
        std::vector<std::string> moved = lines;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(at));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), lines[at]);
        std::string why = order_is_no_matter(code, other);
        if (why.empty() && word == "grid.wait") why = unneeded;
        equal_to = why.empty() ? "" : equal_to.empty() ? "" : why;
        maker.add(fmt::format("move behind `{}`", other), at, std::move(moved), equal_to);
      }
    }
    change_numbers(maker, at);
    for (const Words& words : kWords) {
      std::size_t found = lines[at].find(words.from);
      if (found == std::string::npos || found >= indent(lines[at]) + code.size()) continue;
      std::string changed = lines[at];
      changed.replace(found, words.from.size(), words.to);
      maker.with_line(fmt::format("`{}` for `{}`", trimmed(words.to), trimmed(words.from)), at, std::move(changed),
                      words.from == ".read " ? "it waits for the stores to be written, not only read" : "");
    }
  }
  return all;
}

}  // namespace warpcc::mutants
