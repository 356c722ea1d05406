// The text as `warpcc fmt` writes it: all of it, the lines that are selected, or what has just been closed.
#include <algorithm>
#include <iterator>

#include "frontend/format.h"
#include "lsp/nesting.h"
#include "lsp/requests.h"

namespace warpcc::lsp {
namespace {

std::optional<Text> formatted(const Document& document) {
  Sources sources;
  Diagnostics unsaid;
  const FileId file = sources.add(document.path, document.text.str());
  std::optional<std::string> made = format(file, sources, unsaid);
  if (!made) return std::nullopt;
  return Text(std::move(*made));
}

// Lines, from the first on, before the end.
struct Lines {
  std::uint32_t first = 0, end = 0;
};

// How many characters stand before each line that are no blanks.
std::vector<std::uint32_t> counts(const Text& text) {
  std::vector<std::uint32_t> all{0};
  for (std::uint32_t i = 0; i < text.lines(); ++i) {
    const std::string_view line = text.line(i);
    const auto count =
        std::count_if(line.begin(), line.end(), [](char c) { return c != ' ' && c != '\t' && c != '\f'; });
    all.push_back(all.back() + static_cast<std::uint32_t>(count));
  }
  return all;
}

// What becomes of which lines. Formatting changes blanks alone: where as many characters that are none have gone by in
// both at a line's end, both are in step again, and what is between two such places is one change.
class Changes {
 public:
  Changes(const Text& before, const Text& now) : before_(before), now_(now) {
    const std::vector<std::uint32_t> old_counts = counts(before), new_counts = counts(now);
    std::uint32_t i = 0, j = 0;
    while (i < before.lines() && j < now.lines()) {
      std::uint32_t i_end = i + 1, j_end = j + 1;
      auto ends = [&] { return i_end == before.lines() || j_end == now.lines(); };
      while (!ends() && old_counts[i_end] == old_counts[i]) ++i_end;  // empty lines belong to the next that is none
      while (!ends() && new_counts[j_end] == new_counts[j]) ++j_end;
      while (!ends() && old_counts[i_end] != new_counts[j_end])
        ++(old_counts[i_end] < new_counts[j_end] ? i_end : j_end);
      if (ends()) i_end = before.lines(), j_end = now.lines();
      change({i, i_end}, {j, j_end});
      i = i_end;
      j = j_end;
    }
  }

  // Those that have to do with these lines.
  json::Array within(Lines lines) const {
    json::Array all;
    for (const auto& [old, made] : all_) {
      if (old.first >= lines.end || std::max(old.end, old.first + 1) <= lines.first) continue;
      all.push_back(json::Object{
          {"range", range_in(before_, start(before_, old.first), start(before_, old.end))},
          {"newText",
           json::fixUTF8(std::string_view(now_.str())
                             .substr(start(now_, made.first), start(now_, made.end) - start(now_, made.first)))}});
    }
    return all;
  }

 private:
  struct Change {
    Lines before, now;
  };

  static std::uint32_t start(const Text& text, std::uint32_t line) { return text.offset({line, 0}); }

  bool same(std::uint32_t i, std::uint32_t j) const {
    const bool i_is_last = i + 1 == before_.lines(), j_is_last = j + 1 == now_.lines();
    return before_.line(i) == now_.line(j) && i_is_last == j_is_last;
  }

  void change(Lines old, Lines made) {
    while (old.first < old.end && made.first < made.end && same(old.first, made.first)) ++old.first, ++made.first;
    while (old.first < old.end && made.first < made.end && same(old.end - 1, made.end - 1)) --old.end, --made.end;
    const bool nothing =
        start(before_, old.first) == start(before_, old.end) && start(now_, made.first) == start(now_, made.end);
    if (!nothing) all_.push_back({old, made});
  }

  const Text& before_;
  const Text& now_;
  std::vector<Change> all_;
};

Answer format_lines(const Request& request, Lines lines) {
  const std::optional<Text> made = formatted(request.document);
  if (!made) return failed("the text has a syntax error: it is formatted when that is mended");
  return json::Value(Changes(request.document.text, *made).within(lines));
}

}  // namespace

Answer formatting(const Request& request) {
  return format_lines(request, {0, request.document.text.lines()});
}

Answer range_formatting(const Request& request) {
  const json::Object* range = request.params.getObject("range");
  const std::optional<Place> from = range ? read_place(range->get("start")) : std::nullopt;
  const std::optional<Place> to = range ? read_place(range->get("end")) : std::nullopt;
  if (!from || !to) return bad_params("`range` is two places");
  // A selection of whole lines ends where the next line begins.
  const bool before_line = to->character == 0 && to->line > from->line;
  return format_lines(request, {from->line, before_line ? to->line : to->line + 1});
}

// Behind `;` its statement, behind `}` what it closes. While the text cannot be read nothing is changed, and nothing
// said: that is how one types.
Answer on_type_formatting(const Request& request) {
  const Text& text = request.document.text;
  const std::optional<llvm::StringRef> typed = request.params.getString("ch");
  const bool known = typed && (*typed == ";" || *typed == "}");
  if (!known || request.offset == 0 || text.str()[request.offset - 1] != typed->front()) return nullptr;
  // Of the place before the `}` the innermost level is what it closes, the next where the statement is.
  const Nesting nesting = nesting_at(text.str(), request.offset - 1);
  const std::size_t at = *typed == "}" ? 1 : 0;
  if (nesting.literal || at >= nesting.levels.size() || !nesting.levels[at].statement) return nullptr;
  const std::optional<Text> made = formatted(request.document);
  if (!made) return nullptr;
  const std::uint32_t first = text.place(nesting.levels[at].statement->begin).line;
  return json::Value(Changes(text, *made).within({first, text.place(request.offset).line + 1}));
}

}  // namespace warpcc::lsp
