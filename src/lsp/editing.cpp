// What changes a text: formatting, and mends that are certain.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/format.h"
#include "lsp/diagnostics.h"
#include "lsp/requests.h"

namespace warpcc::lsp {
namespace {

json::Object text_edit(json::Value range, std::string words) {
  return json::Object{{"range", std::move(range)}, {"newText", json::fixUTF8(words)}};
}

// What an edit does, in words for a menu.
std::string title(const Sources& sources, const Edit& edit) {
  const std::string_view before = sources.text(edit.where);
  auto shown = [](std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
    const std::size_t end = text.find_last_not_of(" \n") + 1;
    return fmt::format("`{}`", begin < end ? text.substr(begin, end - begin) : text);
  };
  if (before.empty()) return "insert " + shown(edit.words);
  if (edit.words.empty()) return "remove " + shown(before);
  return fmt::format("replace {} by {}", shown(before), shown(edit.words));
}

bool overlap(Place begin, Place end, const Place& from, const Place& to) {
  return !(end < from) && !(to < begin);
}

}  // namespace

// One edit, as small as it can be: what is before and behind it stays where it is on the screen.
Answer formatting(const Request& request) {
  const Text& text = request.document.text;
  Sources sources;
  Diagnostics unsaid;
  const FileId file = sources.add(request.document.path, text.str());
  const std::optional<std::string> made = format(file, sources, unsaid);
  if (!made) return failed("the text has a syntax error: it is formatted when that is mended");
  if (*made == text.str()) return json::Value(json::Array{});
  std::uint32_t first = 0, before_end = text.lines();
  const Text now(*made);
  std::uint32_t now_end = now.lines();
  while (first < std::min(before_end, now_end) && text.line(first) == now.line(first)) ++first;
  while (before_end > first && now_end > first && text.line(before_end - 1) == now.line(now_end - 1))
    --before_end, --now_end;
  const std::uint32_t begin = text.offset({first, 0});
  const std::uint32_t end = before_end == text.lines() ? text.size() : text.offset({before_end, 0});
  const std::uint32_t now_begin = now.offset({first, 0});
  const std::uint32_t now_stop = now_end == now.lines() ? now.size() : now.offset({now_end, 0});
  return json::Value(
      json::Array{text_edit(range_in(text, begin, end), now.str().substr(now_begin, now_stop - now_begin))});
}

Answer code_actions(const Request& request) {
  const Document& document = request.document;
  const json::Object* range = request.params.getObject("range");
  const std::optional<Place> from = range ? read_place(range->get("start")) : std::nullopt;
  const std::optional<Place> to = range ? read_place(range->get("end")) : std::nullopt;
  if (!from || !to) return bad_params("`range` is two places");
  const Analysis& analysis = *document.newest;
  json::Array all;
  for (const Diagnostic* said : in_order(analysis.diagnostics.all())) {
    if (said->edits.empty() || said->where.file != Analysis::kMain) continue;
    const Place begin = place_in(analysis.sources, said->where.file, said->where.begin);
    const Place end = place_in(analysis.sources, said->where.file, said->where.end);
    if (!overlap(begin, end, *from, *to)) continue;
    json::Object changes;
    for (const Edit& edit : said->edits) {
      const std::string uri =
          edit.where.file == Analysis::kMain ? document.uri : uri_of(analysis.sources.path(edit.where.file));
      json::Value& edits = changes.try_emplace(uri, json::Array{}).first->second;
      edits.getAsArray()->push_back(text_edit(range_in(analysis.sources, edit.where), edit.words));
    }
    all.push_back(json::Object{{"title", title(analysis.sources, said->edits.front())},
                               {"kind", "quickfix"},
                               {"isPreferred", true},
                               {"diagnostics", json::Array{to_json(document, analysis, *said)}},
                               {"edit", json::Object{{"changes", std::move(changes)}}}});
  }
  return json::Value(std::move(all));
}

}  // namespace warpcc::lsp
