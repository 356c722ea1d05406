#include <algorithm>
#include <functional>

#include "check.h"
#include "layout/cute.h"

namespace warpcc::layout::vectors {
namespace {

using Table = std::vector<std::int64_t>;

// CuTe's value at a linear index: the last mode goes on past its extent. Written without ours, to hold ours against.
std::int64_t value_at(const Map& map, std::int64_t linear) {
  const std::vector<Mode> modes = map.modes();
  std::int64_t value = 0;
  for (std::size_t i = 0; i + 1 < modes.size(); ++i) {
    value += linear % modes[i].extent * modes[i].stride;
    linear /= modes[i].extent;
  }
  return modes.empty() ? 0 : value + linear * modes.back().stride;
}

Table table_of(const Map& map) {
  Table table;
  for (std::int64_t i = 0; i < map.size(); ++i) table.push_back(map.at(i));
  return table;
}

// What we make of a record: a table, and where it comes from a view the table by enumeration, or why there is none.
struct Ours {
  Table table, enumerated;
  std::string refused;
  bool strided = true;   // over a refinement, and the strided form has the same table
  bool composed = true;  // as our composite, not the function alone
  std::string broken;    // what of ours contradicts itself
};

Ours refusal(llvm::Error error) {
  Ours ours;
  ours.refused = llvm::toString(std::move(error));
  return ours;
}

// Of more elements no table is made.
constexpr std::int64_t kMostElements = std::int64_t{1} << 26;
bool too_many(const std::vector<Mode>& modes) {
  std::int64_t size = 1;
  for (const Mode& mode : modes)
    if (__builtin_mul_overflow(size, std::max<std::int64_t>(mode.extent, 1), &size) || size > kMostElements)
      return true;
  return false;
}
Ours too_large() {
  Ours ours;
  ours.refused = "it has too many elements to compare";
  return ours;
}

Ours ours_of(const Map& map) {
  if (too_many(map.modes())) return too_large();
  return {table_of(map), {}, {}, true, true, {}};
}
Ours ours_of(llvm::Expected<Map> map) {
  return map ? ours_of(*map) : refusal(map.takeError());
}

// The view at every index, by the definition alone: the indices of outer's coordinates, each on its own.
Table enumerate(const cute::View& view) {
  Table table;
  const Map& outer = view.outer();
  for (std::int64_t i = 0; i < view.size(); ++i) {
    std::int64_t left = value_at(view.inner(), i), value = 0;
    for (int c = 0; c < outer.rank(); ++c) {
      const bool last = c + 1 == outer.rank();
      value += value_at(Map({outer.coordinates()[c]}), last ? left : left % outer.extent(c));
      left /= outer.extent(c);
    }
    table.push_back(value);
  }
  return table;
}

Ours ours_of(const cute::View& view) {
  if (too_many(view.inner().modes())) return too_large();
  Ours ours;
  for (std::int64_t i = 0; i < view.size(); ++i) ours.table.push_back(view.at(i));
  ours.enumerated = enumerate(view);
  if (ours.enumerated != ours.table) ours.broken = "the view is not its definition";
  ours.composed = view.composite().has_value();
  const std::optional<Map> strided = view.strided();
  ours.strided = strided.has_value();
  if (strided && (strided->shape() != view.inner().shape() || table_of(*strided) != ours.table))
    ours.broken = "the strided form is another function";
  return ours;
}
Ours ours_of(llvm::Expected<cute::View> view) {
  return view ? ours_of(*view) : refusal(view.takeError());
}

// The record's operands.
struct Operands {
  Map a;
  std::optional<Map> b;               // a layout
  std::vector<Map> tilers;            // or one for each coordinate
  std::vector<std::int64_t> shape;    // or extents, flattened
  std::vector<std::int64_t> extents;  // the same by coordinate
  bool by_coordinate = false;
};

std::optional<Operands> operands_of(const Record& record) {
  Operands operands;
  const std::optional<Map> a = cute_layout(record.text("a"));
  if (!a) return std::nullopt;
  operands.a = *a;
  const std::vector<std::string> list = record.texts("b");
  for (const std::string& text : list) {
    const std::optional<Map> tiler = cute_layout(text);
    if (!tiler) return std::nullopt;
    operands.tilers.push_back(*tiler);
  }
  operands.by_coordinate = !list.empty();
  if (operands.by_coordinate || !record.has("b")) return operands;
  const std::string b = record.text("b");
  operands.b = cute_layout(b, &operands.a);
  if (operands.b) return operands;
  const auto shape = cute_shape(b), extents = cute_shape(b, true);
  if (!shape) return std::nullopt;
  operands.shape = *shape;
  operands.extents = *extents;
  // An extent alone tiles all of `a`, several a coordinate each.
  operands.by_coordinate = b.front() == '(';
  operands.tilers = cute::tilers(*extents);
  if (!operands.by_coordinate) operands.b = operands.tilers.front();
  return operands;
}

bool has_elements(const Operands& operands) {
  const auto none = [](const Map& map) {
    const std::vector<Mode> modes = map.modes();
    return std::any_of(modes.begin(), modes.end(), [](const Mode& mode) { return mode.extent < 1; });
  };
  return !none(operands.a) && !(operands.b && none(*operands.b)) &&
         std::none_of(operands.tilers.begin(), operands.tilers.end(), none) &&
         std::all_of(operands.shape.begin(), operands.shape.end(), [](std::int64_t extent) { return extent > 0; });
}

using Operation = std::function<Ours(const Operands&)>;

Ours no_operand() {
  Ours ours;
  ours.broken = "its operand is of another kind";
  return ours;
}

// An operation with one layout or one for each coordinate.
template <typename Whole, typename ByCoordinate>
Operation tiled(Whole whole, ByCoordinate by_coordinate) {
  return [=](const Operands& o) {
    if (o.by_coordinate) return ours_of(by_coordinate(o.a, o.tilers));
    return o.b ? ours_of(whole(o.a, *o.b)) : no_operand();
  };
}
template <typename Whole>
Operation binary(Whole whole) {
  return [=](const Operands& o) { return o.b ? ours_of(whole(o.a, *o.b)) : no_operand(); };
}
template <typename Unary>
Operation unary(Unary operation) {
  return [=](const Operands& o) { return ours_of(operation(o.a)); };
}
template <typename Cast>
Operation cast(Cast operation) {
  return [=](const Operands& o) { return o.shape.size() == 1 ? ours_of(operation(o.a, o.shape[0])) : no_operand(); };
}

Operation operation_named(llvm::StringRef name) {
  const auto composition = [](const Map& a, const auto& b) { return cute::composition(a, b); };
  const auto divide = [](const Map& a, const auto& b) { return cute::logical_divide(a, b); };
  const auto zipped_divide = [](const Map& a, const auto& b) { return cute::zipped_divide(a, b); };
  const auto product = [](const Map& a, const auto& b) { return cute::logical_product(a, b); };
  const auto zipped_product = [](const Map& a, const auto& b) { return cute::zipped_product(a, b); };
  if (name == "composition") return tiled(composition, composition);
  if (name == "logical_divide") return tiled(divide, divide);
  if (name == "zipped_divide" || name == "tiled_divide" || name == "flat_divide") return tiled(divide, zipped_divide);
  if (name == "logical_product") return tiled(product, product);
  if (name == "zipped_product" || name == "tiled_product" || name == "flat_product")
    return tiled(product, zipped_product);
  if (name == "blocked_product") return binary(cute::blocked_product);
  if (name == "raked_product") return binary(cute::raked_product);
  if (name == "right_inverse") return unary(cute::right_inverse);
  if (name == "left_inverse") return unary(cute::left_inverse);
  if (name == "filter") return unary(cute::filter);
  if (name == "filter_zeros") return unary(cute::filter_zeros);
  if (name == "nullspace") return unary(cute::nullspace);
  if (name == "flatten") return unary(flattened);
  if (name == "upcast") return cast(cute::upcast);
  if (name == "downcast") return cast(cute::downcast);
  if (name == "with_shape") return [](const Operands& o) { return ours_of(cute::with_shape(o.a, o.shape)); };
  if (name == "tile_to_shape") return [](const Operands& o) { return ours_of(cute::tile_to_shape(o.a, o.extents)); };
  if (name == "complement") return [](const Operands& o) { return ours_of(cute::complement(o.a, o.shape)); };
  // With a profile each coordinate is coalesced on its own; without, all of it.
  if (name == "coalesce")
    return [](const Operands& o) { return ours_of(canonical(o.shape.empty() ? flattened(o.a) : o.a)); };
  return {};
}

// The record's table, at all linear coordinates or at those in `idx`; with `prefix` ours may go on.
bool agrees(const Record& record, llvm::StringRef key, const Table& table, bool prefix = false) {
  const std::vector<std::int64_t> expected = record.numbers(key);
  const std::vector<std::int64_t> idx = record.has("idx") ? record.numbers("idx") : std::vector<std::int64_t>{};
  const std::int64_t size = static_cast<std::int64_t>(table.size());
  if (prefix ? record.number("size") > size : record.number("size") != size) return false;
  if (idx.empty() ? !prefix && expected.size() != table.size() : expected.size() != idx.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::int64_t at = idx.empty() ? static_cast<std::int64_t>(i) : idx[i];
    if (at < 0 || at >= size || table[at] != expected[i]) return false;
  }
  return true;
}

// What the record says holds of the inverse: whether our own has it too.
std::string broken_law(const Record& record, const Map& a, const Table& r) {
  const auto value = [&](std::int64_t i) {
    return i >= 0 && i < static_cast<std::int64_t>(r.size()) ? r[i] : std::int64_t{-1};
  };
  if (record.flag("post") && record.text("op") == "right_inverse")
    for (std::size_t i = 0; i < r.size(); ++i)
      if (value_at(a, r[i]) != static_cast<std::int64_t>(i)) return "a(r(i)) = i does not hold";
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (record.flag("post_strict") && value(a.at(i)) != i) return "r(a(i)) = i does not hold";
    if (record.flag("post_aba") && value_at(a, value(a.at(i))) != a.at(i)) return "a(r(a(i))) = a(i) does not hold";
  }
  return {};
}

std::string form(const Ours& ours) {
  return ours.strided ? "strided over a refinement" : ours.composed ? "kept as a composite" : "a function alone";
}

}  // namespace

Verdict check_layout_op(const Record& record) {
  const std::string op = record.text("op");
  const Operation operation = operation_named(op);
  if (!operation) return Verdict::differs("no operation " + op);
  const std::optional<Operands> operands = operands_of(record);
  if (!operands) return Verdict::differs("its operands cannot be read");
  if (too_many(operands->a.modes()) || (operands->b && too_many(operands->b->modes())))
    return Verdict::differs(op + ": an operand has too many elements to compare");
  if (!has_elements(*operands)) return Verdict::refused(op + ": an operand has no elements");
  const Ours ours = operation(*operands);
  if (!ours.broken.empty()) return Verdict::differs(op + ": " + ours.broken);
  if (!ours.refused.empty()) {
    if (record.has("rejected")) return Verdict::refused(op + ", as CuTe does: " + record.text("rejected"));
    // An answer with an extent below 0 is no layout.
    if (record.number("size") < 0) return Verdict::refused(op + ": CuTe's answer has a negative extent");
    return Verdict::differs(op + " is refused: " + ours.refused);
  }
  if (record.has("rejected")) {
    if (ours.enumerated.empty()) return Verdict::differs(op + ": CuTe rejects it, and ours is not enumerated");
    return Verdict::agrees(op + " that CuTe rejects: the function, by enumeration, " + form(ours));
  }
  if (!record.flag("post", true) && record.has("ab_table")) {
    if (agrees(record, "ab_table", ours.table)) return Verdict::agrees(op + " that CuTe gets wrong: ab_table");
    return Verdict::differs(op + ": another table than ab_table");
  }
  // With extents known only at run time CuTe leaves some of it out.
  const bool run_time = !record.flag("static", true);
  if (agrees(record, "table", ours.table, run_time && (op == "right_inverse" || op == "left_inverse"))) {
    if (const std::string law = broken_law(record, operands->a, ours.table); !law.empty())
      return Verdict::differs(op + ": " + law);
    return Verdict::agrees(form(ours));
  }
  // Records of other operations do not say where CuTe's composition is wrong: where the inner modes overlap, or are not
  // cut, so that no layout, and not CuTe's either, is the function.
  if (!ours.strided && !ours.enumerated.empty())
    return Verdict::agrees(op + " without a layout: not CuTe's table, the function, by enumeration");
  return Verdict::differs(op + ": another table");
}

}  // namespace warpcc::layout::vectors
