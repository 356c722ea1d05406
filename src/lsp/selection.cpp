// What a selection grows to, step by step: by words, commas, statements and brackets, for the text may be half typed.
#include "lsp/nesting.h"
#include "lsp/requests.h"
#include "lsp/words.h"

namespace warpcc::lsp {
namespace {

// The names with dots between them that the place is in: `inp.full`, no range's `0 .. 4`.
Span path_at(std::string_view text, Span word) {
  while (word.begin > 1 && text[word.begin - 1] == '.' && is_word(text[word.begin - 2]))
    word.begin = word_at(text, word.begin - 2).begin;
  while (word.end + 1 < text.size() && text[word.end] == '.' && is_word(text[word.end + 1]))
    word.end = word_at(text, word.end + 1).end;
  return word;
}

// Each holds the one before it, the first the place.
class Growth {
 public:
  explicit Growth(std::uint32_t place) : last_{place, place} {}

  void add(Span span) {
    if (span.begin > last_.begin || span.end < last_.end || span == last_) return;
    all_.push_back(span);
    last_ = span;
  }
  const std::vector<Span>& all() const { return all_; }

 private:
  Span last_;
  std::vector<Span> all_;
};

Span trimmed(std::string_view text, Span span) {
  auto is_blank = [&](std::uint32_t at) { return text[at] == ' ' || text[at] == '\n' || text[at] == '\r'; };
  while (span.begin < span.end && is_blank(span.begin)) ++span.begin;
  while (span.begin < span.end && is_blank(span.end - 1)) --span.end;
  return span;
}

json::Value grown(const Text& text, std::uint32_t place) {
  const std::string_view all = text.str();
  const Nesting nesting = nesting_at(all, place);
  const Word word = word_at(all, place);
  Growth growth(place);
  growth.add({word.begin, word.end});
  if (!word.empty()) growth.add(path_at(all, {word.begin, word.end}));
  if (nesting.literal) growth.add(*nesting.literal);
  for (const Level& level : nesting.levels) {
    // The first part of a statement is a keyword or an opcode with one operand, and one with a block ends a head:
    // nothing that one selects.
    const bool selected =
        level.part &&
        (!level.statement || (level.part->begin != level.statement->begin && all[level.part->end - 1] != '}'));
    if (selected) growth.add(*level.part);
    if (level.statement) growth.add(*level.statement);
    growth.add(trimmed(all, level.inside));
    growth.add(level.whole);
  }
  json::Value made = nullptr;
  for (auto span = growth.all().rbegin(); span != growth.all().rend(); ++span) {
    json::Object step{{"range", range_in(text, span->begin, span->end)}};
    if (made.getAsObject()) step["parent"] = std::move(made);
    made = std::move(step);
  }
  if (!made.getAsObject()) made = json::Object{{"range", range_in(text, place, place)}};
  return made;
}

}  // namespace

Answer selection_ranges(const Request& request) {
  constexpr std::size_t kMost = 100;  // an editor's cursors
  const json::Array* positions = request.params.getArray("positions");
  if (!positions || positions->size() > kMost) return bad_params("`positions` is a list of places");
  json::Array all;
  for (const json::Value& each : *positions) {
    const std::optional<Place> place = read_place(&each);
    if (!place) return bad_params("a position is a line and a character, from 0");
    all.push_back(grown(request.document.text, request.document.text.offset(*place)));
  }
  return json::Value(std::move(all));
}

}  // namespace warpcc::lsp
