// Mends that are certain.
#include <fmt/format.h>

#include <algorithm>

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
