// warpcc explain CODE …: what a complaint or a finding means, with an example and how to mend it. The text is
// docs/complaints/, as it is.
#include "driver/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/commands.h"
#include "driver/steps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

constexpr std::string_view kTexts[] = {
#include "complaints.inc"
};

struct Entry {
  llvm::StringRef code;
  llvm::StringRef text;
};

constexpr llvm::StringLiteral kHeading = "### ";
constexpr llvm::StringLiteral kFence = "```";

// Entries begin at a heading of the third level; whatever is outside of an entry is for readers of the whole page.
void add_entries(llvm::StringRef page, std::vector<Entry>& entries) {
  bool fenced = false;
  bool inside = false;
  const char* begin = nullptr;
  auto close = [&](const char* end) {
    if (inside) entries.back().text = llvm::StringRef(begin, static_cast<std::size_t>(end - begin)).trim('\n');
    inside = false;
  };
  for (llvm::StringRef rest = page; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    if (line.starts_with(kFence)) fenced = !fenced;
    if (!fenced && line.starts_with("#")) {
      close(line.data());
      if (line.starts_with(kHeading)) {
        entries.push_back({line.drop_front(kHeading.size()).trim(), {}});
        begin = after.data();
        inside = true;
      }
    }
    rest = after;
  }
  close(page.end());
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (std::string_view page : kTexts) add_entries(page, entries);
  return entries;
}

std::string unescaped(llvm::StringRef cell) {
  std::string words;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (!cell.substr(i).starts_with("\\|")) words += cell[i];
  }
  return words;
}

// A row of a table of two columns: of what is refused and what is right in its place, or of a case and what becomes of
// it.
void print_row(llvm::StringRef row, bool of_refused) {
  auto [first, second] = row.drop_front(2).drop_back(2).split(" | ");
  llvm::StringRef before = of_refused ? "    refused  " : "    ";
  llvm::StringRef between = of_refused ? "\n    right    " : "\n        ";
  llvm::outs() << before << unescaped(first) << between << unescaped(second) << '\n';
}

// For a terminal: code is set in from the left in place of its fences, what warpcc says of it behind a `>`.
void print(const Entry& entry) {
  llvm::outs() << entry.code << "\n\n";
  bool fenced = false, said = false;
  llvm::StringRef head;  // of the table that the line is in
  for (llvm::StringRef rest = entry.text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (line.starts_with(kFence)) {
      fenced = !fenced;
      said = line == "```text";
    } else if (fenced) {
      llvm::outs() << (said ? "    > " : line.empty() ? "" : "    ") << line << '\n';
    } else if (!line.starts_with("| ")) {
      head = "";
      llvm::outs() << line << '\n';
    } else if (head.empty()) {
      head = line;
    } else if (!line.starts_with("| ---")) {
      print_row(line, head == "| refused | right |");
    }
  }
}

// Codes are copied with what stands around them: `[syntax]`, `named barrier:`.
std::string bare(llvm::StringRef word) {
  std::string code = word.trim("[]`: ").str();
  std::replace(code.begin(), code.end(), ' ', '-');
  return code;
}

int run_explain(const Invocation& invocation) {
  std::vector<Entry> entries = all_entries();
  std::vector<const Entry*> wanted;
  for (const std::string& word : invocation.inputs) {
    std::string code = bare(word);
    auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& each) { return each.code == code; });
    if (found == entries.end()) {
      std::vector<std::string_view> codes;
      for (const Entry& entry : entries) codes.push_back(entry.code);
      std::string near = suggestion(code, codes);
      return cannot_run(
          wrong(fmt::format("`{}` is no code of a complaint{}", word,
                            near.empty() ? "; it stands in brackets behind one, as in `[syntax]`" : near)));
    }
    wanted.push_back(&*found);
  }
  for (const Entry* entry : wanted) {
    if (entry != wanted.front()) llvm::outs() << '\n';
    print(*entry);
  }
  return kDone;
}

}  // namespace

std::string explanation(std::string_view code) {
  for (const Entry& entry : all_entries()) {
    if (entry.code == llvm::StringRef(code)) return entry.text.str();
  }
  return "";
}

constinit const Command explain_command{
    "explain",
    "warpcc explain CODE…",
    "says what a complaint or a finding means, with an example, and how to mend it",
    "the code of a complaint",
    {},
    "  warpcc explain still-read\n"
    "  warpcc explain race hang\n",
    run_explain,
    /*several_inputs=*/true,
};

}  // namespace warpcc::driver
