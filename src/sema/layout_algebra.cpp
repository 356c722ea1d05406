// Operations on layouts as values: compose, complement, divide, product, and a layout at coordinates. The algebra is
// layout's (docs/layouts.md); here are the types of what is given and what is said where there is no answer.
#include <algorithm>

#include "layout/compose.h"
#include "sema/eval.h"

namespace warpcc::sema {
namespace {

using E = tree::Expr;
using Kind = Type::Kind;

constexpr Message<> out_of_physical{"out-of-physical",
                                    "nothing maps out of a physical index: `compose` wants a logical layout inside"};
constexpr Message<std::string> wants_layout{"wrong-argument", "a layout is wanted; {}"};
constexpr Message<std::string> no_shape{
    "no-shape", "`{}` takes its shape from the declaration that it stands in: here a layout is written out"};
constexpr Message<std::string> restricted_operand{
    "restricted", "`{}` is restricted, some of its coordinates are fixed: settle the whole view before slicing it"};
constexpr Message<std::string, std::string> kept_operand{
    "no-strides", "`{}` is a function without strides, which is evaluated and not composed again: {}"};
constexpr Message<> two_of_threads{
    "threads-twice", "the outer layout maps threads and values; the inner one lands on elements, not on threads"};
constexpr Message<std::string> not_dense{"not-dense", "{}"};
constexpr Message<std::string> no_completion{"no-complement", "{}"};
constexpr Message<std::string, int, std::size_t> too_many_tilers{"wrong-count",
                                                                 "`{}` has {} coordinates; {} tilers are given"};
constexpr Message<std::string> tiler_kind{
    "wrong-argument", "a tiler is a layout, a number of elements, or a tuple of these, one a coordinate; {}"};
constexpr Message<> complement_size{"wrong-argument", "a complement is to at least 1 and at most 2^40 elements"};
constexpr Message<std::string, std::size_t, std::size_t> coordinate_count{
    "wrong-count", "the layout `{}` takes {} coordinates; {} are given"};
constexpr Message<> coordinate_range{"layout-coordinate",
                                     "a coordinate of a layout is one index or `..`: a range of indices is no layout"};
constexpr Message<std::int64_t, std::size_t, std::int64_t> coordinate_outside{
    "out-of-range", "{} lies outside of coordinate {}, of {}"};
constexpr Message<> swizzled_value{"swizzle",
                                   "a swizzle permutes bytes: a swizzled layout has places only once it has elements"};

constexpr std::int64_t kLargestComplement = std::int64_t{1} << 40;

Value made(LayoutDescription description) {
  return LayoutRef(std::make_shared<LayoutDescription>(std::move(description)));
}

// The composite as a value: strided where it is.
Value composed(LayoutDescription description, layout::Map outer, layout::Map inner) {
  layout::Composite composite(std::move(outer), std::move(inner));
  description.map = composite.decision().strided ? *composite.decision().strided : layout::Map();
  if (!composite.decision().strided) description.kept = std::make_shared<layout::Composite>(std::move(composite));
  return made(std::move(description));
}

layout::Coordinate scaled(const layout::Coordinate& modes, std::int64_t step) {
  layout::Coordinate result;
  for (const layout::Mode& mode : modes) result.push_back({mode.extent, mode.stride * step});
  return result;
}

}  // namespace

LayoutRef Evaluator::layout_operand(const tree::Expr& expr, Scope& scope) {
  const Value value = eval(expr, scope);
  if (value.bad()) return nullptr;
  const std::string text = session_.one_line(expr.where);
  auto* layout = value.get<LayoutRef>();
  auto* builtin = value.get<Builtin>();
  const bool order = builtin && *builtin >= Builtin::row_major && *builtin <= Builtin::mn_major;
  if (order || (layout && (*layout)->order != LayoutDescription::Order::given)) {
    session_.error(expr.where, no_shape, text);
    return nullptr;
  }
  if (!layout) {
    session_.error(expr.where, wants_layout, fmt::format("`{}` is {}", text, describe(value, session_.kernel)));
    return nullptr;
  }
  if ((*layout)->restricted) {
    session_.error(expr.where, restricted_operand, text);
    return nullptr;
  }
  if ((*layout)->kept) {
    session_.error(expr.where, kept_operand, text, (*layout)->kept->decision().obstacle->text());
    return nullptr;
  }
  return *layout;
}

Value Evaluator::compose(const E::Call& call, SourceRange where, Scope& scope) {
  // What lies inside is looked at first: a physical layout there is wrong whatever its shape.
  const tree::Expr& inner_expr = *call.arguments[1].value;
  const Value given = eval(inner_expr, scope);
  if (auto* layout = given.get<LayoutRef>();
      layout && ((*layout)->says == Kind::layout_physical || (*layout)->swizzle_span != 0)) {
    session_.error(inner_expr.where, out_of_physical);
    return Bad{};
  }
  const LayoutRef outer = layout_operand(*call.arguments[0].value, scope);
  const LayoutRef inner = outer ? layout_operand(inner_expr, scope) : nullptr;
  if (!inner) return Bad{};
  if (outer->says == Kind::layout_tv && inner->says == Kind::layout_tv) {
    session_.error(where, two_of_threads);
    return Bad{};
  }
  if (llvm::Error error = layout::not_composable(outer->map, inner->map)) {
    session_.error(inner_expr.where, not_dense, llvm::toString(std::move(error)));
    return Bad{};
  }
  LayoutDescription result;
  result.swizzle_span = outer->swizzle_span;
  const bool of_threads = inner->says == Kind::layout_tv;
  result.says = of_threads && outer->says != Kind::layout_physical ? Kind::layout_tv : outer->says;
  result.of_threads = of_threads || outer->of_threads;
  return composed(std::move(result), outer->map, inner->map);
}

Value Evaluator::complement(const E::Call& call, SourceRange where, Scope& scope) {
  const LayoutRef layout = layout_operand(*call.arguments[0].value, scope);
  if (!layout) return Bad{};
  const std::optional<std::int64_t> size = integer(*call.arguments[1].value, scope, "the size of a complement");
  if (!size) return Bad{};
  if (*size < 1 || *size > kLargestComplement) {
    session_.error(call.arguments[1].value->where, complement_size);
    return Bad{};
  }
  std::optional<layout::Map> rest = layout::complement(layout->map, *size);
  if (!rest) {
    session_.error(where, no_completion, layout::why_no_complement(layout->map, *size));
    return Bad{};
  }
  LayoutDescription result;
  result.map = std::move(*rest);
  return made(std::move(result));
}

std::optional<layout::Map> Evaluator::tiler(const Value& value, SourceRange where) {
  if (auto* extent = value.get<std::int64_t>(); extent && *extent >= 1 && *extent <= kLargestComplement)
    return layout::Map({{{*extent, 1}}});
  auto* layout = value.get<LayoutRef>();
  if (layout && (*layout)->order == LayoutDescription::Order::given && !(*layout)->restricted && !(*layout)->kept &&
      (*layout)->swizzle_span == 0)
    return (*layout)->map;
  session_.error(where, tiler_kind,
                 fmt::format("`{}` is {}", session_.one_line(where), describe(value, session_.kernel)));
  return std::nullopt;
}

// The tiler's coordinates first, then which of the tiles: of a tuple all tilers' coordinates, then all rests.
Value Evaluator::divide(const E::Call& call, SourceRange where, Scope& scope) {
  const LayoutRef of = layout_operand(*call.arguments[0].value, scope);
  if (!of) return Bad{};
  const tree::Expr& tiler_expr = *call.arguments[1].value;
  const Value given = eval(tiler_expr, scope);
  if (given.bad()) return Bad{};
  std::vector<layout::Map> tilers;
  std::vector<std::int64_t> sizes{of->map.size()};
  if (auto* tuple = given.get<Tuple>()) {
    sizes = of->map.shape();
    if (tuple->elements->size() > sizes.size()) {
      session_.error(tiler_expr.where, too_many_tilers, session_.one_line(call.arguments[0].value->where),
                     of->map.rank(), tuple->elements->size());
      return Bad{};
    }
    for (const Value& element : *tuple->elements) {
      std::optional<layout::Map> one = tiler(element, tiler_expr.where);
      if (!one) return Bad{};
      tilers.push_back(std::move(*one));
    }
  } else if (std::optional<layout::Map> one = tiler(given, tiler_expr.where)) {
    tilers.push_back(std::move(*one));
  }
  if (tilers.empty()) return Bad{};
  std::vector<layout::Coordinate> tiles, rests;
  std::int64_t step = 1;
  for (std::size_t c = 0; c < sizes.size(); step *= sizes[c], ++c) {
    if (c >= tilers.size()) {
      rests.push_back({{sizes[c], step}});
      continue;
    }
    const std::optional<layout::Map> rest = layout::complement(tilers[c], sizes[c]);
    if (!rest) {
      session_.error(where, no_completion, layout::why_no_complement(tilers[c], sizes[c]));
      return Bad{};
    }
    for (const layout::Coordinate& coordinate : tilers[c].coordinates()) tiles.push_back(scaled(coordinate, step));
    rests.push_back(scaled(rest->coordinates()[0], step));
  }
  tiles.insert(tiles.end(), rests.begin(), rests.end());
  LayoutDescription result;
  result.swizzle_span = of->swizzle_span;
  result.says = of->says;
  result.of_threads = of->of_threads;
  return composed(std::move(result), of->map, layout::Map(std::move(tiles)));
}

// The coordinates of the first, then those of the second, which says where its repetitions lie.
Value Evaluator::product(const E::Call& call, SourceRange where, Scope& scope) {
  const LayoutRef block = layout_operand(*call.arguments[0].value, scope);
  const LayoutRef repeated = block ? layout_operand(*call.arguments[1].value, scope) : nullptr;
  if (!repeated) return Bad{};
  std::int64_t size = 0;
  const bool fits = !__builtin_mul_overflow(block->map.size(), repeated->map.size(), &size);
  const std::optional<layout::Map> rest =
      fits && size <= kLargestComplement ? layout::complement(block->map, size) : std::nullopt;
  if (!rest) {
    session_.error(where, no_completion, layout::why_no_complement(block->map, fits ? size : 0));
    return Bad{};
  }
  if (llvm::Error error = layout::not_composable(*rest, repeated->map)) {
    session_.error(call.arguments[1].value->where, not_dense, llvm::toString(std::move(error)));
    return Bad{};
  }
  const layout::Composite places(*rest, repeated->map);
  if (!places.decision().strided) {
    session_.error(where, not_dense, places.decision().obstacle->text());
    return Bad{};
  }
  LayoutDescription result = *block;
  std::vector<layout::Coordinate> coordinates = block->map.coordinates();
  const std::vector<layout::Coordinate>& more = places.decision().strided->coordinates();
  coordinates.insert(coordinates.end(), more.begin(), more.end());
  result.map = layout::Map(std::move(coordinates), block->map.offset());
  return made(std::move(result));
}

Value Evaluator::layout_at(const LayoutRef& of, const tree::Expr::View& view, SourceRange where, Scope& scope) {
  if (of->order != LayoutDescription::Order::given) {
    session_.error(view.of->where, no_shape, session_.one_line(view.of->where));
    return Bad{};
  }
  if (of->swizzle_span != 0) {
    session_.error(where, swizzled_value);
    return Bad{};
  }
  const layout::Map& over = of->kept ? of->kept->inner() : of->map;
  LayoutDescription result = *of;
  if (!of->restricted) result.fixed.assign(static_cast<std::size_t>(over.rank()), std::nullopt);
  std::vector<std::size_t> free;
  for (std::size_t c = 0; c < result.fixed.size(); ++c)
    if (!result.fixed[c]) free.push_back(c);
  if (view.coords.size() != free.size()) {
    session_.error(where, coordinate_count, session_.one_line(view.of->where), free.size(), view.coords.size());
    return Bad{};
  }
  bool whole = false;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const tree::Coord& coord = view.coords[i];
    whole |= coord.whole;
    if (coord.whole) continue;
    if (coord.extent) {
      session_.error(coord.where, coordinate_range);
      return Bad{};
    }
    const std::optional<std::int64_t> index = integer(*coord.from, scope, "a coordinate of a layout");
    if (!index) return Bad{};
    const std::int64_t extent = over.extent(static_cast<int>(free[i]));
    if (*index < 0 || *index >= extent) {
      session_.error(coord.where, coordinate_outside, *index, free[i], extent);
      return Bad{};
    }
    result.fixed[free[i]] = *index;
  }
  if (whole) {
    result.restricted = true;
    return made(std::move(result));
  }
  std::vector<std::int64_t> index;
  for (const std::optional<std::int64_t>& at : result.fixed) index.push_back(*at);
  return of->kept ? (*of->kept)(index) : of->map(index);
}

}  // namespace warpcc::sema
