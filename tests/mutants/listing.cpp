#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>

#include "mutant.h"

namespace warpcc::mutants {
namespace {

struct Line {
  enum class Kind { header, label, section, code } kind = Kind::header;
  char mark = ' ';
  std::string guard, opcode, operands, held, comment;
};

std::string_view next_word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t end = std::min(text.find(' '), text.size());
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

Line parsed(std::string_view text) {
  Line line;
  if (text.starts_with(".start") || text.starts_with(".role") || text.starts_with(".finish")) {
    line.kind = Line::Kind::section;
    return line;
  }
  if (text.starts_with('.') || text.empty()) return line;
  if (text[0] != ' ' && text[0] != '+' && text[0] != '~') {
    line.kind = Line::Kind::label;
    return line;
  }
  line.kind = Line::Kind::code;
  line.mark = text[0];
  text.remove_prefix(1);
  if (std::size_t at = text.find(" ; "); at != std::string_view::npos) {
    line.comment = text.substr(at + 3);
    text = text.substr(0, at);
  }
  if (std::size_t at = text.find(" = "); at != std::string_view::npos) {
    line.held = text.substr(at + 3);
    text = text.substr(0, at);
  }
  std::string_view rest = text;
  std::string_view word = next_word(rest);
  if (word.starts_with('@')) {
    line.guard = word;
    word = next_word(rest);
  }
  line.opcode = word;
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  line.operands = rest;
  return line;
}

// What the checks are about: barriers, waits, copies, MMAs, fences, memory; not the arithmetic between.
bool synchronises(const Line& line) {
  static constexpr std::array kOpcodes = {
      "SYNCS",        "UTCBAR",       "FENCE",          "MEMBAR",  "WARPSYNC", "BAR",       "UCGABAR_ARV",
      "UCGABAR_WAIT", "UTMACMDFLUSH", "DEPBAR",         "CCTL",    "ACQBULK",  "PREEXIT",   "NOP",
      "UTCATOMSWS",   "UVIRTCOUNT",   "UTMALDG",        "UTMASTG", "UTMAREDG", "UTCHMMA",   "UTCQMMA",
      "UTCIMMA",      "LDTM",         "STTM",           "STS",     "LDS",      "STG",       "LDG",
      "REDG",         "UTMACCTL",     "UGETNEXTWORKID", "ELECT",   "HGMMA",    "WARPGROUP", "USETMAXREG"};
  std::string_view name = std::string_view(line.opcode).substr(0, line.opcode.find('.'));
  return std::find(kOpcodes.begin(), kOpcodes.end(), name) != kOpcodes.end();
}

bool branches(const Line& line) {
  return line.opcode.starts_with("BRA") || line.opcode == "EXIT";
}

// `stage_pos/UR15` and `UR15`: names without their parts, and the hardware's registers.
void each_register(std::string_view operands, auto function) {
  std::string word;
  auto end = [&] {
    std::size_t slash = word.find('/');
    std::string name = word.substr(0, std::min(word.find('.'), slash));
    if (!name.empty()) function(name, slash == std::string::npos ? std::string() : word.substr(slash + 1));
    word.clear();
  };
  for (char c : operands) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                  c == '/' || (c == '@' && !word.empty());
    letter ? void(word += c) : end();
  }
  end();
}

// Every hardware register of a value, by its name: an instruction names a group by its first alone.
using Groups = std::map<std::string, std::set<std::string>>;

std::set<std::string> registers(const Line& line, const Groups& groups) {
  std::set<std::string> all;
  each_register(line.guard + " " + line.operands, [&](const std::string& name, const std::string& hardware) {
    if (auto group = groups.find(name); group != groups.end()) {
      all.insert(group->second.begin(), group->second.end());
    } else if (!hardware.empty()) {
      all.insert(hardware);
    }
  });
  return all;
}

// What an instruction gives a value to: its first operand, where that is no address.
std::set<std::string> results(const Line& line, const Groups& groups) {
  Line first = line;
  first.guard.clear();
  first.operands = line.operands.substr(0, line.operands.find(','));
  if (first.operands.find('[') != std::string::npos) return {};
  return registers(first, groups);
}

// The one gives nothing that the other takes or gives.
bool apart(const Line& gives, const Line& takes, const Groups& groups) {
  std::set<std::string> taken = registers(takes, groups);
  std::set<std::string> given = results(gives, groups);
  return std::none_of(given.begin(), given.end(), [&](const std::string& name) { return taken.count(name) > 0; });
}

// Two instructions, one of which does nothing but compute, and neither gives what the other one takes or gives: their
// order is no matter.
bool commute(const Line& a, const Line& b, const Groups& groups) {
  if (branches(a) || branches(b)) return false;
  if (synchronises(a) && synchronises(b)) return false;
  return apart(a, b, groups) && apart(b, a, groups);
}

bool is_any_of(const Line& line, std::initializer_list<std::string_view> opcodes) {
  return std::any_of(opcodes.begin(), opcodes.end(),
                     [&](std::string_view opcode) { return line.opcode.starts_with(opcode); });
}

constexpr const char* kNextGrid = "it changes nothing but when the next grid starts";

// What an arrival may be put behind: it tells of that as well then. None of these waits for a warp, which might wait
// for the arrival.
bool waits_for_nobody(const Line& line) {
  return is_any_of(line, {"STG", "STS", "LDG", "LDS", "LDTM", "DEPBAR", "CCTL", "FENCE", "UTMASTG", "UTMAREDG",
                          "UTMACMDFLUSH", "WARPGROUP.DEPBAR"});
}

// Why two neighbours in another order are the same program; empty: it is not known.
std::string order_is_no_matter(const Line& a, const Line& b, const Groups& groups) {
  if (is_any_of(a, {"UTMACCTL"}) || is_any_of(b, {"UTMACCTL"})) return "a prefetch changes nothing but the time";
  if (commute(a, b, groups)) return "they share no register, and one of them only computes";
  if (is_any_of(a, {"PREEXIT"}) || is_any_of(b, {"PREEXIT"})) return kNextGrid;
  if (is_any_of(b, {"ACQBULK"})) return "the grid before, which waits for nobody here, is waited for earlier";
  if (is_any_of(a, {"DEPBAR"}) && is_any_of(b, {"DEPBAR"})) return "both wait, for different things";
  if (is_any_of(a, {"SYNCS.ARRIVE"}) && waits_for_nobody(b) && apart(b, a, groups))
    return "the arrival tells of more: what it passes waits for nobody";
  for (std::string_view both : {"SYNCS.EXCH", "UTMALDG", "STS", "STG"}) {
    if (a.opcode.starts_with(both) && b.opcode.starts_with(both) && a.held != b.held)
      return "both do the same, at different places, and neither waits for the other";
  }
  return {};
}

// Why a line done twice does what it does once.
std::string once_is_twice(const Line& line) {
  if (is_any_of(line, {"UTMACCTL"})) return "a prefetch changes nothing but the time";
  if (is_any_of(line, {"UTMACMDFLUSH"}))
    return "a group of no stores more: who leaves the newest groups waits for more";
  if (is_any_of(line, {"HGMMA", "UTCHMMA"}) && line.operands.find("!UPT") != std::string::npos)
    return "what it begins anew it begins anew twice";
  if (is_any_of(line, {"WARPSYNC", "FENCE", "MEMBAR", "DEPBAR", "CCTL", "NOP", "ACQBULK", "PREEXIT", "UVIRTCOUNT",
                       "WARPGROUP", "USETMAXREG"}))
    return "what is waited for or fenced once is so the second time";
  if (is_any_of(line, {"LDS", "LDG", "LDTM", "ELECT", "STS", "STG", "SYNCS.PHASECHK"}))
    return "the same value, read or written twice";
  return {};
}

// Groups of lines that only mean something together: a wait is its test, its sleep and its branch.
std::size_t group_end(const std::vector<Line>& lines, std::size_t at) {
  std::size_t end = at + 1;
  if (lines[at].opcode.find(".TRYWAIT") == std::string::npos) return end;
  while (end < lines.size() && end < at + 3 && lines[end].kind == Line::Kind::code &&
         (lines[end].opcode.starts_with("NANOSLEEP") || lines[end].opcode.starts_with("BRA")))
    ++end;
  return end;
}

class Maker {
 public:
  explicit Maker(const std::string& text) : text_(lines_of(text)) {
    for (const std::string& line : text_) {
      lines_.push_back(parsed(line));
      if (lines_.back().kind != Line::Kind::code) continue;
      each_register(lines_.back().operands, [&](const std::string& name, const std::string& hardware) {
        if (!hardware.empty()) groups_[name].insert(hardware);
      });
    }
  }

  std::vector<Mutant> run() {
    choose_copies();
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (lines_[at].kind == Line::Kind::header) header(at);
      if (lines_[at].kind == Line::Kind::code && chosen_[at]) code(at);
    }
    return std::move(all_);
  }

 private:
  // The first two and the last of the copies of a statement.
  void choose_copies() {
    std::map<std::string, std::vector<std::size_t>> copies;
    std::string section;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (lines_[at].kind == Line::Kind::section) section = text_[at];
      if (lines_[at].kind != Line::Kind::code) continue;
      copies[section + lines_[at].opcode + lines_[at].guard + lines_[at].comment].push_back(at);
    }
    chosen_.assign(text_.size(), false);
    for (const auto& [statement, places] : copies) {
      for (std::size_t i = 0; i < places.size(); ++i) chosen_[places[i]] = i < 2 || i + 1 == places.size();
    }
  }

  void add(std::string change, std::size_t at, std::vector<std::string> changed, std::string equal_to = {}) {
    Mutant mutant;
    mutant.change = std::move(change);
    const Line& line = lines_[at];
    mutant.statement =
        line.kind == Line::Kind::code
            ? fmt::format("{}{}{} {}", line.guard, line.guard.empty() ? "" : " ", line.opcode, line.operands)
            : text_[at];
    mutant.place = fmt::format("line {}{}{}", at + 1, line.comment.empty() ? "" : ": ", line.comment);
    mutant.text = joined(changed);
    mutant.equal_to = std::move(equal_to);
    all_.push_back(std::move(mutant));
  }
  void with_line(std::string change, std::size_t at, std::string text, std::string equal_to = {}) {
    std::vector<std::string> changed = text_;
    changed[at] = std::move(text);
    add(std::move(change), at, std::move(changed), std::move(equal_to));
  }
  std::string replaced(std::size_t at, std::string_view from, std::string_view to, std::size_t begin = 0) const {
    std::string line = text_[at];
    line.replace(line.find(from, begin), from.size(), to);
    return line;
  }

  std::string dropped_is_no_matter(const Line& line) const {
    if (is_any_of(line, {"UTMACCTL", "PREEXIT", "UVIRTCOUNT"}))
      return "it changes nothing but the time: of a load, of the next grid's start, of another kernel's allocation";
    // That somebody who reaches global memory knows of such a wait is asked on every path (docs/checker.md, 9).
    if (is_any_of(line, {"ACQBULK"}) && std::count_if(lines_.begin(), lines_.end(), [](const Line& other) {
                                          return is_any_of(other, {"ACQBULK"});
                                        }) > 1)
      return "who reaches global memory has heard of another wait for the grid before, on every path";
    // What each MMA's registers need a fence for is asked of each (docs/checker.md, 13).
    if (is_any_of(line, {"WARPGROUP.ARRIVE"})) return "nothing but MMAs of one shape has touched the registers since";
    return {};
  }

  void header(std::size_t at) {
    if (!text_[at].starts_with(".tmap")) return;
    // .tmap name extents… element bytes, box…, swizzle
    std::vector<std::string> words;
    std::string_view rest = text_[at];
    while (!rest.empty()) {
      if (std::string_view word = next_word(rest); !word.empty()) words.emplace_back(word);
    }
    for (std::size_t i = 2; i < words.size(); ++i) {
      std::int64_t number = 0;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), number);
      std::set<std::int64_t> others = {number / 2, number * 2};
      if (i + 1 == words.size()) others = {0, 32, 64, 128};
      others.erase(number);
      for (std::int64_t other : others) {
        std::vector<std::string> changed = words;
        changed[i] = fmt::format("{}", other);
        with_line(fmt::format("{} for {}", other, number), at, fmt::format("{}", fmt::join(changed, " ")));
      }
    }
  }

  void code(std::size_t at) {
    const Line& line = lines_[at];
    std::size_t end = group_end(lines_, at);
    bool part_of_wait = line.opcode.starts_with("NANOSLEEP") || (at > 0 && lines_[at].opcode.starts_with("BRA") &&
                                                                 lines_[at - 1].opcode.starts_with("NANOSLEEP"));
    if (synchronises(line)) {
      std::vector<std::string> dropped = text_, doubled = text_;
      auto begin = text_.begin() + static_cast<std::ptrdiff_t>(at),
           stop = text_.begin() + static_cast<std::ptrdiff_t>(end);
      dropped.erase(dropped.begin() + (begin - text_.begin()), dropped.begin() + (stop - text_.begin()));
      add("drop", at, std::move(dropped), dropped_is_no_matter(line));
      if (end == at + 1) {
        doubled.insert(doubled.begin() + (begin - text_.begin()), text_[at]);
        add("double", at, std::move(doubled), once_is_twice(line));
      }
    }
    if (!part_of_wait) swap_with_next(at, end);
    guards(at);
    modifiers(at);
    if (synchronises(line) || line.mark != '~' || line.opcode.starts_with("MOV") || line.opcode.starts_with("UISETP") ||
        line.opcode.starts_with("ISETP") || line.opcode.starts_with("UIADD3") || line.opcode.starts_with("LOP3"))
      numbers(at);
  }

  void swap_with_next(std::size_t at, std::size_t end) {
    if (end >= lines_.size() || lines_[end].kind != Line::Kind::code || branches(lines_[end]) || branches(lines_[at]))
      return;
    if (!synchronises(lines_[at]) && !synchronises(lines_[end])) return;
    std::size_t last = group_end(lines_, end);
    if (end - at > 1 || last - end > 1) return;  // a wait's label stands before it: dropping it is the same
    std::vector<std::string> changed = text_;
    std::swap(changed[at], changed[end]);
    std::string equal_to = order_is_no_matter(lines_[at], lines_[end], groups_);
    if (equal_to.empty() && is_any_of(lines_[at], {"ACQBULK"})) equal_to = dropped_is_no_matter(lines_[at]);
    add(fmt::format("swap with `{} {}`", lines_[end].opcode, lines_[end].operands), at, std::move(changed),
        std::move(equal_to));
  }

  void guards(std::size_t at) {
    const Line& line = lines_[at];
    if (line.guard.empty() || line.opcode.starts_with("NANOSLEEP")) return;
    with_line("without its guard", at, replaced(at, line.guard + " ", ""));
    std::string turned = line.guard[1] == '!' ? "@" + line.guard.substr(2) : "@!" + line.guard.substr(1);
    with_line("its guard turned round", at, replaced(at, line.guard, turned));
  }

  void modifiers(std::size_t at) {
    struct Change {
      std::string_view from, to;
    };
    static constexpr Change kChanges[] = {
        {".2CTA", ""},      {".MULTICAST", ""},          {".RED", ""},        {".A1T0", ""},
        {".BROADCAST", ""}, {"UTMASTG", "UTMAREDG.ADD"}, {".STRONG.GPU", ""}, {"BAR.SYNC.DEFER_BLOCKING", "BAR.ARV"},
    };
    for (const Change& change : kChanges) {
      if (lines_[at].opcode.find(change.from) == std::string::npos) continue;
      bool of_no_bytes = change.from == ".A1T0" && lines_[at].operands.ends_with(", RZ");
      with_line(fmt::format("`{}` for `{}`", change.to, change.from), at, replaced(at, change.from, change.to),
                of_no_bytes ? "it arrives and expects 0 bytes more, which is an arrival" : "");
    }
  }

  // Immediates and offsets: one more, one less, another bit.
  void numbers(std::size_t at) {
    const Line& line = lines_[at];
    if (is_any_of(line, {"NANOSLEEP", "UVIRTCOUNT"})) return;
    std::size_t begin = text_[at].find(line.opcode) + line.opcode.size();
    std::size_t stop = std::min({text_[at].find(" = "), text_[at].find(" ; "), text_[at].size()});
    const std::string& text = text_[at];
    bool descriptor = line.held.starts_with("desc") || line.held.starts_with("idesc");
    bool address = line.operands.find('[') != std::string::npos;
    bool logic = line.opcode.find("LOP3") != std::string::npos;
    // What a line is held to is asked each time that it runs.
    std::string equal_to = line.mark == '+' && !line.held.empty() ? "it is held to a value, and had it each time" : "";
    for (std::size_t i = text.find("0x", begin); i != std::string::npos && i < stop; i = text.find("0x", i + 2)) {
      std::uint64_t number = 0;
      auto [rest, error] = std::from_chars(&text[i + 2], text.data() + stop, number, 16);
      if (error != std::errc()) continue;
      std::size_t after = static_cast<std::size_t>(rest - text.data());
      std::set<std::uint64_t> others;
      bool in_address = address && text.find(']', i) < stop && text.rfind('[', i) > begin;
      if (in_address) {
        others = {number + 8, number + 128};
        if (number >= 8) others.insert(number - 8);
      } else if (descriptor) {
        for (int bit : {0, 4, 6, 7, 10, 13, 14, 15, 16, 17, 23, 24, 29, 30, 31})
          others.insert((number ^ std::uint64_t{1} << bit) & 0xffffffff);
      } else if (logic && (number == 0xc0 || number == 0x3c || number == 0x80 || number == 0x8)) {
        if (number != 0x8) others = {0xfc};  // and, or their difference, to or; the second result of PLOP3 is nobody's
      } else if (number == 0x80000000) {
        others = {0};
      } else {
        others = {number + 1};
        if (number > 0 && !logic) others.insert(number - 1);
        if (number > 1 && line.opcode != "DEPBAR.LE") others.insert({number * 2, number / 2});
        if (number > 0 && line.opcode != "DEPBAR.LE") others.insert(0);
      }
      others.erase(number);
      bool leaves_some = is_any_of(line, {"DEPBAR.LE", "WARPGROUP.DEPBAR"});
      for (std::uint64_t other : others)
        with_line(fmt::format("{:#x} for {:#x}", other, number), at,
                  text.substr(0, i) + fmt::format("{:#x}", other) + text.substr(after),
                  leaves_some && other < number ? "it waits for more than it must" : equal_to);
    }
    // A parity's beginning.
    if (line.opcode == "MOV" && line.operands.find("parity") != std::string::npos && line.operands.ends_with(", RZ"))
      with_line("0x80000000 for RZ", at, replaced(at, ", RZ", ", 0x80000000", begin));
    if (line.opcode.starts_with("UTC") && line.operands.ends_with(", UPT"))
      with_line("!UPT for UPT", at, replaced(at, ", UPT", ", !UPT", begin));
  }

  std::vector<std::string> text_;
  std::vector<Line> lines_;
  Groups groups_;
  std::vector<bool> chosen_;
  std::vector<Mutant> all_;
};

}  // namespace

std::vector<Mutant> of_listing(const std::string& text) {
  return Maker(text).run();
}

}  // namespace warpcc::mutants
