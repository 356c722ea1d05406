// CuTe's composition and coalesce out of our operations, on the records of layout_ops.json.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "layout/compose.h"
#include "vectors.h"

namespace warpcc::layout {
namespace {

// CuTe takes a linear coordinate past the end of `a` along its last mode; we compose with all of a layout. So the last
// mode is made longer, to a multiple of `covered` that holds `reach` values.
std::optional<Map> reaching(const Map& a, std::int64_t covered, std::int64_t reach) {
  std::vector<Coordinate> coordinates = a.coordinates();
  if (coordinates.empty() || coordinates.back().empty()) return std::nullopt;
  Mode& last = coordinates.back().back();
  const std::int64_t below = a.size() / last.extent;
  const std::int64_t step = std::lcm(below, covered) / below;
  const std::int64_t wanted = std::max((reach + below - 1) / below, last.extent);
  last.extent = (wanted + step - 1) / step * step;
  return Map(std::move(coordinates));
}

// a(b(c)) with b completed to a bijection by its complement, at 0 of what was added. Modes of stride 0 are CuTe's way
// to repeat; they are left out and put back. Where b has no complement it is no part of a bijection, as when its modes
// overlap; then there is the function alone.
struct Reproduced {
  Map outer;
  std::vector<std::int64_t> table;
  bool composed = false;
  std::optional<Map> strided;
};

std::vector<std::int64_t> table_of(const Map& map) {
  std::vector<std::int64_t> table;
  for (std::int64_t i = 0; i < map.size(); ++i) table.push_back(map.at(i));
  return table;
}

bool repeats(const Mode& mode) {
  return mode.extent > 1 && mode.stride == 0;
}
bool moves(const Mode& mode) {
  return mode.extent > 1 && mode.stride != 0;
}

// The strided composite over b's shape: the pieces of each moving mode in its place, and the repeating ones put back.
Map put_back(const Map& pieces, const Map& b) {
  std::vector<Coordinate> coordinates;
  std::size_t at = 0;
  for (const Coordinate& coordinate : b.coordinates()) {
    Coordinate& modes = coordinates.emplace_back();
    for (const Mode& mode : coordinate) {
      if (repeats(mode)) modes.push_back(mode);
      if (!moves(mode)) continue;
      const Coordinate& piece = pieces.coordinates()[at++];
      modes.insert(modes.end(), piece.begin(), piece.end());
    }
  }
  return canonical(Map(std::move(coordinates), pieces.offset()));
}

std::optional<Reproduced> reproduce(const Map& a, const Map& b) {
  std::vector<Coordinate> inner;
  Coordinate moving;
  std::int64_t reach = 1, covered = 1;
  for (const Mode& mode : b.modes()) {
    if (mode.stride < 0) return std::nullopt;
    if (!moves(mode)) continue;
    moving.push_back(mode);
    inner.push_back({mode});
    reach += (mode.extent - 1) * mode.stride;
    covered = std::max(covered, mode.extent * mode.stride);
  }
  if (moving.empty()) moving.push_back({});
  const std::optional<Map> outer = reaching(a, covered, reach);
  if (!outer) return std::nullopt;
  Reproduced result{*outer, {}, false, std::nullopt};
  const std::optional<Map> rest = complement(Map({moving}), outer->size());
  if (!rest) {
    for (std::int64_t i = 0; i < b.size(); ++i) result.table.push_back(outer->at(b.at(i)));
    return result;
  }
  inner.push_back(rest->coordinates()[0]);
  REQUIRE_FALSE(static_cast<bool>(not_composable(*outer, Map(inner))));
  const Composite composite(*outer, Map(inner));
  std::vector<std::optional<std::int64_t>> fixed(inner.size());
  fixed.back() = 0;
  const Restricted slice(composite, fixed);
  for (std::int64_t i = 0; i < b.size(); ++i) {
    std::vector<std::int64_t> index;
    std::int64_t left = i;
    for (const Mode& mode : b.modes()) {
      if (moves(mode)) index.push_back(left % mode.extent);
      left /= mode.extent;
    }
    result.table.push_back(slice(index));
  }
  result.composed = true;
  if (composite.decision().strided) result.strided = put_back(*composite.decision().strided, b);
  return result;
}

// The record's table, at all linear coordinates or at those in `idx`.
bool agrees(const llvm::json::Object& record, llvm::StringRef key, const std::vector<std::int64_t>& table) {
  const std::vector<std::int64_t> idx = ints_of(record, "idx"), expected = ints_of(record, key);
  if (idx.empty() && expected.size() != table.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::int64_t at = idx.empty() ? static_cast<std::int64_t>(i) : idx[i];
    if (at >= static_cast<std::int64_t>(table.size()) || table[at] != expected[i]) return false;
  }
  return true;
}

struct Counts {
  int strided = 0, kept = 0, function = 0, corrected = 0, answered = 0, refused = 0;

  void count(const Reproduced& result) { ++(result.strided ? strided : result.composed ? kept : function); }
};

// A tiler: a composition for each leading coordinate of `a`, the first the fastest.
void compare_tiler(const llvm::json::Object& record, const Map& a, const llvm::json::Array& tilers, Counts& counts) {
  std::vector<std::int64_t> table{0};
  Reproduced whole{a, {}, true, a};
  for (std::size_t c = 0; c < tilers.size(); ++c) {
    const std::optional<Map> tiler = cute_layout(*tilers[c].getAsString());
    REQUIRE(tiler);
    const std::optional<Reproduced> part = reproduce(Map({a.coordinates()[c]}), *tiler);
    REQUIRE(part);
    if (!part->strided) whole.strided.reset();
    if (!part->composed) whole.composed = false;
    std::vector<std::int64_t> longer;
    for (const std::int64_t outer : part->table)
      for (const std::int64_t inner : table) longer.push_back(outer + inner);
    table = std::move(longer);
  }
  if (agrees(record, "table", table)) return counts.count(whole);
  // These records do not say where CuTe is wrong: it may be where modes of a tiler overlap, as ours is the function.
  CHECK_FALSE(whole.composed);
  ++counts.corrected;
}

void compare_composition(const llvm::json::Object& record, Counts& counts) {
  const std::optional<Map> a = cute_layout(text_of(record, "a"));
  REQUIRE(a);
  if (const llvm::json::Array* tilers = record.getArray("b")) return compare_tiler(record, *a, *tilers, counts);
  const std::optional<Map> b = cute_layout(text_of(record, "b"), &*a);
  REQUIRE(b);
  const std::optional<Reproduced> result = reproduce(*a, *b);
  if (!result) {
    ++counts.refused;
    return;
  }
  if (result->strided) CHECK(table_of(*result->strided) == result->table);
  if (record.get("rejected")) {
    for (std::int64_t i = 0; i < b->size(); ++i) CHECK(result->table[i] == result->outer.at(b->at(i)));
    ++counts.answered;
  } else if (!record.getBoolean("post").value_or(true)) {
    CHECK(agrees(record, "ab_table", result->table));
    ++counts.corrected;
  } else {
    CHECK(agrees(record, "table", result->table));
    counts.count(*result);
  }
}

}  // namespace

TEST_CASE("CuTe's composition, out of complement, composition and restriction") {
  Counts counts;
  int records_seen = 0;
  for (const llvm::json::Object& record : records("layout_ops")) {
    if (text_of(record, "op") != "composition") continue;
    CAPTURE(text_of(record, "id"));
    compare_composition(record, counts);
    ++records_seen;
  }
  MESSAGE("composition: of " << records_seen << " records " << counts.strided << " strided, " << counts.kept
                             << " kept as composites, " << counts.function
                             << " functions of an inner layout that is no part of a bijection; where CuTe is wrong "
                             << counts.corrected << " and where it rejects " << counts.answered << " right; skipped "
                             << counts.refused << " that have negative strides");
  CHECK(counts.strided >= 193);
  CHECK(records_seen - counts.refused >= 263);
}

TEST_CASE("CuTe's coalesce is our canonical form") {
  int compared = 0;
  for (const llvm::json::Object& record : records("layout_ops")) {
    if (text_of(record, "op") != "coalesce") continue;
    CAPTURE(text_of(record, "id"));
    const std::optional<Map> a = cute_layout(text_of(record, "a"));
    const std::optional<Map> theirs = cute_layout(text_of(record, "r"));
    REQUIRE((a && theirs));
    // With a profile each coordinate is coalesced on its own; without, all of it.
    const bool by_coordinate = record.get("b") != nullptr;
    const Map ours = canonical(by_coordinate ? *a : flattened(*a));
    CHECK(agrees(record, "table", table_of(ours)));
    // Ours is never longer, and the same where CuTe's strides are all known.
    const Map spelled = by_coordinate ? *theirs : flattened(*theirs);
    CHECK(ours.modes().size() <= spelled.modes().size());
    CHECK(ours == canonical(spelled));
    ++compared;
  }
  MESSAGE("coalesce: " << compared << " compared");
  CHECK(compared >= 79);
}

}  // namespace warpcc::layout
