// warpcc explain CODE …: what a complaint or a finding means, with an example and how to mend it. The text is
// docs/complaints/, as it is.
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

constexpr llvm::StringLiteral kRefusedAndRight = "| refused | right |";

// A row of an entry's table of what is refused and what stands right in its place.
void print_row(llvm::StringRef row) {
  auto [refused, right] = row.drop_front(2).drop_back(2).split(" | ");
  auto unescaped = [](llvm::StringRef cell) {
    std::string words;
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (!cell.substr(i).starts_with("\\|")) words += cell[i];
    }
    return words;
  };
  llvm::outs() << "    refused  " << unescaped(refused) << "\n    right    " << unescaped(right) << '\n';
}

// For a terminal: code is set in from the left in place of its fences.
void print(const Entry& entry) {
  llvm::outs() << entry.code << "\n\n";
  bool fenced = false;
  bool in_rows = false;
  for (llvm::StringRef rest = entry.text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    in_rows = line == kRefusedAndRight || (in_rows && line.starts_with("|"));
    if (line.starts_with(kFence)) {
      fenced = !fenced;
    } else if (in_rows) {
      if (line != kRefusedAndRight && !line.starts_with("| ---")) print_row(line);
    } else {
      llvm::outs() << (fenced && !line.empty() ? "    " : "") << line << '\n';
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
