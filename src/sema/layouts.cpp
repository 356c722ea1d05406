// Layout expressions: `(shape) : (strides)`, nested; the orders that take their shape from the declaration; swizzles.
#include <algorithm>

#include "sema/eval.h"

namespace warpcc::sema {
namespace {

using E = tree::Expr;

constexpr Message<std::string> not_congruent{
    "layout-shape", "shape and strides of a layout nest alike; `{}` does not nest as its shape"};
constexpr Message<> extent_range{"layout-shape", "an extent of a layout is at least 1 and at most 2^31"};
constexpr Message<> stride_range{"layout-shape", "a stride of a layout is at least 0 and at most 2^40"};
constexpr Message<std::string> swizzle_span{"swizzle", "a swizzle spans 32, 64 or 128 bytes; {}"};
constexpr Message<std::string> not_a_layout{"not-a-layout", "a layout is wanted; {}"};
constexpr Message<std::string, std::string> other_shape{"layout-shape", "the layout is of {}; it stands by {}"};
constexpr Message<std::string> no_layout{"layout-broken", "{}"};
constexpr Message<std::string, std::string> other_space{"layout-space", "{} layout is wanted; {}"};
constexpr Message<std::string> no_strides{
    "no-strides", "a layout without strides is no place for elements; it is evaluated alone: {}"};
constexpr Message<> no_thread_value{"layout-shape", "a thread-value layout is of (threads, values)"};
constexpr Message<std::int64_t, std::string, std::int64_t> other_size{
    "layout-shape", "the layout reaches {} values; a tile of {} has {}"};

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::int64_t kLargestStride = std::int64_t{1} << 40;

}  // namespace

bool Evaluator::modes(const E& shape, const E& strides, Scope& scope, layout::Coordinate& into) {
  auto* shapes = std::get_if<E::Tuple>(&shape.is);
  auto* stride_list = std::get_if<E::Tuple>(&strides.is);
  if (shapes || stride_list) {
    if (!shapes || !stride_list || shapes->elements.size() != stride_list->elements.size()) {
      session_.error(strides.where, not_congruent, session_.one_line(strides.where));
      return false;
    }
    for (std::size_t i = 0; i < shapes->elements.size(); ++i) {
      if (!modes(*shapes->elements[i], *stride_list->elements[i], scope, into)) return false;
    }
    return true;
  }
  const std::optional<std::int64_t> extent = integer(shape, scope, "an extent");
  const std::optional<std::int64_t> stride = extent ? integer(strides, scope, "a stride") : std::nullopt;
  if (!stride) return false;
  if (*extent < 1 || *extent > kLargestExtent) {
    session_.error(shape.where, extent_range);
    return false;
  }
  if (*stride < 0 || *stride > kLargestStride) {
    session_.error(strides.where, stride_range);
    return false;
  }
  into.push_back({*extent, *stride});
  return true;
}

Value Evaluator::layout(const E::Layout& expr, SourceRange where, Scope& scope) {
  std::vector<layout::Coordinate> coordinates;
  auto* shapes = std::get_if<E::Tuple>(&expr.shape->is);
  auto* strides = std::get_if<E::Tuple>(&expr.strides->is);
  if (!shapes || !strides) {
    coordinates.emplace_back();
    if (!modes(*expr.shape, *expr.strides, scope, coordinates.back())) return Bad{};
  } else {
    if (shapes->elements.size() != strides->elements.size()) {
      session_.error(expr.strides->where, not_congruent, session_.one_line(expr.strides->where));
      return Bad{};
    }
    for (std::size_t i = 0; i < shapes->elements.size(); ++i) {
      coordinates.emplace_back();
      if (!modes(*shapes->elements[i], *strides->elements[i], scope, coordinates.back())) return Bad{};
    }
  }
  auto made = std::make_shared<LayoutDescription>();
  made->map = layout::Map(std::move(coordinates));
  return LayoutRef(made);
}

Value Evaluator::swizzled(const Value& of, const E::Call& call, SourceRange where, Scope& scope) {
  auto made = std::make_shared<LayoutDescription>();
  if (auto* layout = of.get<LayoutRef>()) {
    *made = **layout;
  } else {
    const Builtin order = *of.get<Builtin>();
    if (order < Builtin::row_major || order > Builtin::mn_major) {
      session_.error(where, not_a_layout,
                     fmt::format("`{}` is {}", session_.one_line(call.callee->where), describe(of, session_.kernel)));
      return Bad{};
    }
    const bool last = order == Builtin::row_major || order == Builtin::k_major;
    made->order = last ? LayoutDescription::Order::last_fastest : LayoutDescription::Order::first_fastest;
  }
  const std::optional<std::int64_t> span = call.arguments.size() == 1 && !call.arguments[0].name
                                               ? integer(*call.arguments[0].value, scope, "a swizzle's span")
                                               : std::nullopt;
  if (!span || (*span != 32 && *span != 64 && *span != 128)) {
    if (span || call.arguments.size() != 1)
      session_.error(where, swizzle_span, span ? fmt::format("this says {}", *span) : "`.swizzle(128)`");
    return Bad{};
  }
  made->swizzle_span = static_cast<int>(*span);
  made->says = Type::Kind::layout_physical;
  return LayoutRef(made);
}

std::optional<layout::Map> Evaluator::map_of(const Value& value, const std::vector<std::int64_t>& shape,
                                             SourceRange where) {
  auto* builtin = value.get<Builtin>();
  auto* layout = value.get<LayoutRef>();
  if (builtin && *builtin >= Builtin::row_major && *builtin <= Builtin::mn_major) {
    const bool last = *builtin == Builtin::row_major || *builtin == Builtin::k_major;
    return last ? layout::row_major(shape) : layout::col_major(shape);
  }
  if (!layout) {
    session_.error(where, not_a_layout,
                   fmt::format("`{}` is {}", session_.one_line(where), describe(value, session_.kernel)));
    return std::nullopt;
  }
  if ((*layout)->order == LayoutDescription::Order::last_fastest) return layout::row_major(shape);
  if ((*layout)->order == LayoutDescription::Order::first_fastest) return layout::col_major(shape);
  if ((*layout)->kept) {
    session_.error(where, no_strides, (*layout)->kept->decision().obstacle->text());
    return std::nullopt;
  }
  return (*layout)->map;
}

bool Evaluator::wants_space(const Value& value, Type::Kind kind, SourceRange where) {
  auto* layout = value.get<LayoutRef>();
  if (!layout) return true;
  const bool physical = kind == Type::Kind::layout_physical;
  const bool other = (*layout)->says != Type::Kind::any && (*layout)->says != kind;
  if (!other && !(*layout)->restricted && !(physical && (*layout)->of_threads)) return true;
  session_.error(where, other_space, physical ? "a physical" : "a thread-value",
                 fmt::format("`{}` is {}{}", session_.one_line(where), describe(value, session_.kernel),
                             (*layout)->of_threads && physical ? " of threads and values" : ""));
  return false;
}

bool Evaluator::settle(Value& value, const Type& type, SourceRange where) {
  auto* layout = value.get<LayoutRef>();
  if (!layout || type.kind < Type::Kind::layout_logical || type.kind > Type::Kind::layout_physical) return true;
  auto said = std::make_shared<LayoutDescription>(**layout);
  said->says = type.kind;
  const bool written_out = said->order == LayoutDescription::Order::given && !said->kept;
  if (written_out && (*layout)->says == Type::Kind::any) {
    llvm::Error broken = type.kind == Type::Kind::layout_physical ? layout::Physical::make(said->map).takeError()
                                                                  : layout::Logical::make(said->map).takeError();
    if (broken) {
      session_.error(where, no_layout, llvm::toString(std::move(broken)));
      return false;
    }
  }
  value = LayoutRef(said);
  return true;
}

std::optional<layout::Physical> Evaluator::physical(const Value& value, const std::vector<std::int64_t>& shape,
                                                    SourceRange where) {
  if (value.bad() || !wants_space(value, Type::Kind::layout_physical, where)) return std::nullopt;
  std::optional<layout::Map> map = map_of(value, shape, where);
  if (!map) return std::nullopt;
  if (map->shape() != shape) {
    session_.error(where, other_shape, layout::tuple_text(map->shape()), layout::tuple_text(shape));
    return std::nullopt;
  }
  auto* layout = value.get<LayoutRef>();
  llvm::Expected<layout::Physical> made =
      layout::Physical::make(std::move(*map), layout::swizzle_of_span(layout ? (*layout)->swizzle_span : 0));
  if (!made) {
    session_.error(where, no_layout, llvm::toString(made.takeError()));
    return std::nullopt;
  }
  return std::move(*made);
}

std::optional<layout::ThreadValue> Evaluator::thread_value(const Value& value, const std::vector<std::int64_t>& shape,
                                                           SourceRange where) {
  if (value.bad() || !wants_space(value, Type::Kind::layout_tv, where)) return std::nullopt;
  std::optional<layout::Map> map = map_of(value, shape, where);
  if (!map) return std::nullopt;
  if (map->rank() != 2) {
    session_.error(where, no_thread_value);
    return std::nullopt;
  }
  std::int64_t size = 1;
  for (std::int64_t extent : shape) size *= extent;
  if (map->size() != size) {
    session_.error(where, other_size, map->size(), layout::tuple_text(shape), size);
    return std::nullopt;
  }
  llvm::Expected<layout::ThreadValue> made = layout::ThreadValue::make(std::move(*map));
  if (!made) {
    session_.error(where, no_layout, llvm::toString(made.takeError()));
    return std::nullopt;
  }
  return std::move(*made);
}

}  // namespace warpcc::sema
