// What addresses and coordinates are made of: sums of multiples of symbols, and views whose every coordinate is such a
// sum.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sema/kernel.h"

namespace warpcc::codegen {

// What is known at some binding time: kernel::Atom's kinds, the position of an end in its ring, and that of the stage
// that it holds on (`END.last`).
struct Symbol {
  enum class Kind : std::uint8_t { lane, warp, warpgroup, cluster_id, axis, divided, counter, position, last, reg };
  Kind kind = Kind::lane;
  std::int32_t id = 0;  // axis, kernel::divided, CounterId, EndId, RegisterId
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

Symbol symbol_of(const kernel::Atom& atom);

struct Form {
  std::int64_t constant = 0;
  std::vector<std::pair<Symbol, std::int64_t>> terms;  // sorted by symbol, each once, no factor 0

  bool is_constant() const { return terms.empty(); }
  std::int64_t factor_of(Symbol symbol) const;
  void add(Symbol symbol, std::int64_t factor);

  friend bool operator==(const Form&, const Form&) = default;
};
Form operator+(Form left, const Form& right);
Form operator*(Form left, std::int64_t factor);
inline Form form_of(std::int64_t constant) {
  return {constant, {}};
}
inline Form form_of(Symbol symbol, std::int64_t factor = 1) {
  return {0, {{symbol, factor}}};
}
// Only the terms that `keep` wants; the constant too, or 0.
template <typename Keep>
Form filter(const Form& form, bool keep_constant, Keep keep) {
  Form kept;
  if (keep_constant) kept.constant = form.constant;
  for (const auto& term : form.terms) {
    if (keep(term.first)) kept.terms.push_back(term);
  }
  return kept;
}
// `symbol` replaced by a form.
Form substitute(const Form& form, Symbol symbol, const Form& by);
// For keys of tables.
std::string text(const Form& form);

// One coordinate of a view.
struct Coordinate {
  Form from;
  std::int64_t extent = 1;
  bool picked = false;
};

// A buffer, or the barriers of a pipe, at coordinates.
struct Reference {
  enum class Of : std::uint8_t { buffer, full, empty };
  Of of = Of::buffer;
  kernel::BufferId buffer = kernel::BufferId::none;
  kernel::PipeId pipe = kernel::PipeId::none;
  std::vector<Form> copies;  // slowest first; the ring's position among them; of barriers: the stage
  std::vector<Coordinate> coordinates;
  std::vector<kernel::Pin> at;  // another CTA's
  // Of several CTAs, one a lane: along these axes, which are pinned at 0 above and follow each other in the rank, lane
  // i means the i-th.
  std::vector<int> each;
};
template <typename Change>
Reference changed(Reference reference, Change change) {
  for (Form& copy : reference.copies) copy = change(copy);
  for (Coordinate& coordinate : reference.coordinates) coordinate.from = change(coordinate.from);
  return reference;
}

}  // namespace warpcc::codegen
