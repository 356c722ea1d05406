#include "sema/eval.h"

#include <algorithm>

#include "sema/foreign.h"
#include "sema/modules.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> undeclared_near{"undeclared", "`{}` is not declared; there is `{}`"};
constexpr Message<std::string> undeclared{"undeclared", "`{}` is not declared"};
constexpr Message<std::string, std::string> undeclared_foreign{"undeclared", "`{}` is not declared: {}"};
constexpr Message<std::string, std::string> not_constant_integer{"not-constant",
                                                                 "{} is an integer known at compile time; {}"};
constexpr Message<std::string, std::string> not_constant_boolean{"not-constant",
                                                                 "{} is true or false at compile time; {}"};
constexpr Message<std::string, std::string, std::string> wrong_type{"wrong-type", "{} is of type `{}`; {}"};
constexpr Message<std::string> when_not_if{"if-at-run-time", "an `if` is resolved at compile time; {}"};
constexpr Message<std::string> no_arm{"no-arm", "no arm of this `match` has the form {}"};
constexpr Message<std::string, std::string> register_without_range{
    "no-range", "`{}` has no range, and a coordinate needs one: declare it `{}`"};
constexpr Message<std::string> not_an_index{"not-an-index", "a coordinate is an index value; {}"};
constexpr Message<std::string> not_a_fact{
    "not-a-fact", "a fact is `one`, `inside`, or a comparison of fixed indices with a constant; {}"};

std::string is_a(std::string_view text, const Value& value, const kernel::Kernel& kernel) {
  return fmt::format("`{}` is {}", text, describe(value, kernel));
}

}  // namespace

// ---- Names

int case_named(const tree::Enum& of, std::string_view name) {
  for (std::size_t i = 0; i < of.cases.size(); ++i) {
    if (of.cases[i].name.text == name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<Value> Evaluator::find(std::string_view name, SourceRange where, Scope& scope) {
  std::optional<Value> value = look_up(name, where, scope);
  if (value) session_.means(where, *value);
  return value;
}

std::optional<Value> Evaluator::look_up(std::string_view name, SourceRange where, Scope& scope) {
  if (const Scope::Binding* binding = scope.find(name)) {
    if (auto* of = binding->value.get<AxisRef>()) return axis(of->axis);
    if (auto* of = binding->value.get<BufferRef>()) return buffer(of->id, where);
    if (auto* of = binding->value.get<NamedBarrierRef>()) return named_barrier(of->id, where);
    return binding->value;
  }
  if (const Value* item = modules_->item(scope.module(), name, where)) return *item;

  struct Known {
    std::string_view name;
    Builtin is;
  };
  static constexpr Known kKnown[] = {
      {"min", Builtin::min},
      {"max", Builtin::max},
      {"ceil_div", Builtin::ceil_div},
      {"log2", Builtin::log2},
      {"bytes", Builtin::bytes},
      {"compose", Builtin::compose},
      {"complement", Builtin::complement},
      {"divide", Builtin::divide},
      {"product", Builtin::product},
      {"row_major", Builtin::row_major},
      {"col_major", Builtin::col_major},
      {"k_major", Builtin::k_major},
      {"mn_major", Builtin::mn_major},
      {"lane", Builtin::lane},
      {"warp", Builtin::warp},
      {"warpgroup", Builtin::warpgroup},
      {"cluster_id", Builtin::cluster_id},
      {"one", Builtin::one},
      {"inside", Builtin::inside},
      {"target", Builtin::target},
  };
  for (const Known& known : kKnown) {
    if (known.name == name) return at_place(known.is);
  }
  if (std::optional<layout::Element> element = layout::element_named(name)) {
    return Type{.kind = Type::Kind::element, .element = *element};
  }
  if (std::optional<isa::Target> target = isa::target_named(name)) return *target;
  constexpr std::pair<std::string_view, Type::Kind> kTypes[] = {{"int", Type::Kind::integer},
                                                                {"bool", Type::Kind::boolean},
                                                                {"string", Type::Kind::string},
                                                                {"type", Type::Kind::type},
                                                                {"index", Type::Kind::index}};
  for (auto [known, kind] : kTypes) {
    if (known == name) return Type{.kind = kind};
  }
  return std::nullopt;
}

Value Evaluator::name(std::string_view name, SourceRange where, Scope& scope, const Type* expected) {
  if (expected && expected->kind == Type::Kind::enum_) {
    if (const int which = case_named(*expected->enum_.tree, name); which >= 0) {
      Value value = bare_case(expected->enum_, which, where);
      session_.means(where, value);
      return value;
    }
  }
  if (std::optional<Value> value = find(name, where, scope)) return *value;
  if (std::optional<std::string> known = foreign(name)) {
    session_.error(where, undeclared_foreign, std::string(name), *known);
    return Bad{};
  }
  std::string_view nearest;
  std::size_t least = name.size() / 2 + 1;
  for (const Scope* at = &scope; at && name.size() <= 64; at = at->parent()) {
    for (const Scope::Binding& binding : at->bindings()) {
      const std::size_t distance =
          llvm::StringRef(name).edit_distance(binding.name, true, static_cast<unsigned>(least));
      if (distance < least) least = distance, nearest = binding.name;
    }
  }
  if (nearest.empty()) nearest = modules_->nearest(scope.module(), name);
  if (nearest.empty()) {
    session_.error(where, undeclared, std::string(name));
  } else {
    Diagnostic& said = session_.error(where, undeclared_near, std::string(name), std::string(nearest));
    // One letter apart, in a name of some length: nothing else was meant.
    if (name.size() >= 4 && llvm::StringRef(name).edit_distance(nearest) == 1) said.mend(where, std::string(nearest));
  }
  return Bad{};
}

Value Evaluator::at_place(Builtin builtin) {
  using Atom = kernel::Atom;
  auto index = [&](Atom::Kind kind) -> Value {
    const Atom atom{kind, 0};
    // Outside of code there is no warp whose number it could be.
    if (session_.place.kind == Place::Kind::outside) return kernel::Index{0, {{atom, 1}}};
    if (interval(session_, atom).constant()) return kernel::Index{};
    return kernel::Index{0, {{atom, 1}}};
  };
  switch (builtin) {
    case Builtin::lane:
      return index(Atom::Kind::lane);
    case Builtin::warp:
      return index(Atom::Kind::warp);
    case Builtin::warpgroup:
      return index(Atom::Kind::warpgroup);
    case Builtin::cluster_id:
      return index(Atom::Kind::cluster_id);
    case Builtin::one:
      return kernel::Facts{.one = true};
    case Builtin::inside:
      return kernel::Facts{.inside = true};
    case Builtin::target:
      return session_.kernel.target;
    default:
      return builtin;
  }
}

Value Evaluator::axis(int axis) {
  for (const kernel::Pin& pin : session_.place.at) {
    if (pin.axis == axis) return kernel::Index{pin.at, {}};
  }
  if (session_.kernel.axes[axis].extent == 1) return kernel::Index{};
  return kernel::Index{0, {{{kernel::Atom::Kind::axis, axis}, 1}}};
}

Value Evaluator::path(const tree::Path& path, Scope& scope) {
  Value value = name(path.names.front().text, path.names.front().where, scope);
  SourceRange where = path.names.front().where;
  for (std::size_t i = 1; i < path.names.size(); ++i) {
    value = member(value, path.names[i], where);
    where.end = path.names[i].where.end;
  }
  return value;
}

// ---- Expressions

Value Evaluator::eval(const tree::Expr& expr, Scope& scope, const Type* expected) {
  using E = tree::Expr;
  const Deeper deeper(session_, expr.where);
  if (!deeper.ok() || !session_.step(expr.where)) return Bad{};
  if (auto* integer = std::get_if<E::Integer>(&expr.is)) return integer->value;
  if (auto* boolean = std::get_if<E::Boolean>(&expr.is)) return boolean->value;
  if (auto* string = std::get_if<E::String>(&expr.is)) return Text{string->value};
  if (auto* identifier = std::get_if<E::Identifier>(&expr.is))
    return name(identifier->name, expr.where, scope, expected);
  if (auto* tuple = std::get_if<E::Tuple>(&expr.is)) {
    auto elements = std::make_shared<std::vector<Value>>();
    const bool typed =
        expected && expected->kind == Type::Kind::tuple && expected->elements.size() == tuple->elements.size();
    for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
      elements->push_back(eval(*tuple->elements[i], scope, typed ? &expected->elements[i] : nullptr));
      if (elements->back().bad()) return Bad{};
    }
    return Tuple{elements};
  }
  if (auto* layout_expr = std::get_if<E::Layout>(&expr.is)) return layout(*layout_expr, expr.where, scope);
  if (auto* an_if = std::get_if<E::If>(&expr.is)) return if_(*an_if, scope, expected);
  if (auto* a_match = std::get_if<E::Match>(&expr.is)) return match(*a_match, expr.where, scope, expected);
  if (auto* is = std::get_if<E::Is>(&expr.is)) {
    const Value value = eval(*is->value, scope);
    if (value.bad()) return Bad{};
    Scope binds(scope);
    const std::optional<bool> same = matches(*is->pattern, value, binds);
    return same ? Value(*same) : Value(Bad{});
  }
  if (auto* op = std::get_if<E::UnaryOp>(&expr.is)) return unary(*op, expr.where, scope);
  if (auto* op = std::get_if<E::BinaryOp>(&expr.is)) return binary(*op, expr.where, scope);
  if (auto* of = std::get_if<E::Member>(&expr.is)) {
    const Value value = eval(*of->of, scope);
    return value.bad() ? value : member(value, of->name, of->of->where);
  }
  if (auto* a_call = std::get_if<E::Call>(&expr.is)) return call(*a_call, expr.where, scope, expected);
  if (auto* a_view = std::get_if<E::View>(&expr.is)) return view(*a_view, expr.where, scope);
  if (auto* at = std::get_if<E::At>(&expr.is)) return elsewhere(*at, scope);
  return Bad{};
}

Value Evaluator::typed(const tree::Expr& expr, Scope& scope, const Type& type, std::string_view what) {
  Value value = eval(expr, scope, &type);
  if (value.bad()) return value;
  if (conforms(value, type)) return settle(value, type, expr.where) ? value : Value(Bad{});
  session_.error(expr.where, wrong_type, std::string(what), show(type),
                 is_a(session_.one_line(expr.where), value, session_.kernel));
  return Bad{};
}

std::optional<std::int64_t> Evaluator::integer(const tree::Expr& expr, Scope& scope, std::string_view what) {
  const Value value = eval(expr, scope);
  if (auto* integer = value.get<std::int64_t>()) return *integer;
  if (auto* index = value.get<kernel::Index>(); index && index->is_constant()) return index->constant;
  if (!value.bad()) {
    session_.error(expr.where, not_constant_integer, std::string(what),
                   is_a(session_.one_line(expr.where), value, session_.kernel));
  }
  return std::nullopt;
}

std::optional<bool> Evaluator::boolean(const tree::Expr& expr, Scope& scope, std::string_view what) {
  const Value value = eval(expr, scope);
  if (auto* boolean = value.get<bool>()) return *boolean;
  if (!value.bad()) {
    session_.error(expr.where, not_constant_boolean, std::string(what),
                   is_a(session_.one_line(expr.where), value, session_.kernel));
  }
  return std::nullopt;
}

Value Evaluator::if_(const tree::Expr::If& expr, Scope& scope, const Type* expected) {
  const Value condition = eval(*expr.condition, scope);
  if (condition.bad()) return Bad{};
  if (auto* known = condition.get<bool>()) return eval(*known ? *expr.then : *expr.otherwise, scope, expected);
  session_.error(expr.condition->where, when_not_if,
                 is_a(session_.one_line(expr.condition->where), condition, session_.kernel));
  return Bad{};
}

Value Evaluator::match(const tree::Expr::Match& expr, SourceRange where, Scope& scope, const Type* expected) {
  const Value value = eval(*expr.value, scope);
  if (value.bad()) return Bad{};
  for (const tree::MatchArm& arm : expr.arms) {
    Scope binds(scope);
    const std::optional<bool> same = matches(*arm.pattern, value, binds);
    if (!same) return Bad{};
    if (*same) return eval(*arm.value, binds, expected);
  }
  session_.error(expr.value->where, no_arm, show(value));
  return Bad{};
}

// ---- Coordinates and facts

std::optional<kernel::Index> Evaluator::index(const Value& value, SourceRange where) {
  if (value.bad()) return std::nullopt;
  if (auto* integer = value.get<std::int64_t>()) return kernel::Index{*integer, {}};
  if (auto* index = value.get<kernel::Index>()) return *index;
  if (auto* counter = value.get<CounterRef>()) {
    return kernel::Index{0, {{{kernel::Atom::Kind::counter, static_cast<std::int32_t>(counter->id)}, 1}}};
  }
  if (auto* ref = value.get<RegisterRef>(); ref && (ref->file == isa::File::r || ref->file == isa::File::ur)) {
    const kernel::Register& reg = session_.kernel[ref->operand.id];
    if (!reg.range) {
      session_
          .error(where, register_without_range, reg.name, fmt::format("{} {}: 0 .. n", isa::word(ref->file), reg.name))
          .note(reg.declared, "declared here");
      return std::nullopt;
    }
    return kernel::Index{
        0, {{{kernel::Atom::Kind::reg, static_cast<std::int32_t>(ref->operand.id)}, ref->operand.negated ? -1 : 1}}};
  }
  session_.error(where, not_an_index, is_a(session_.one_line(where), value, session_.kernel));
  return std::nullopt;
}

std::optional<kernel::Index> Evaluator::index(const tree::Expr& expr, Scope& scope) {
  return index(eval(expr, scope), expr.where);
}

std::optional<kernel::Facts> Evaluator::facts(const tree::Expr& expr, Scope& scope, std::optional<bool>& known) {
  const Value value = eval(expr, scope);
  if (value.bad()) return std::nullopt;
  if (auto* boolean = value.get<bool>()) {
    known = *boolean;
    return kernel::Facts{};
  }
  if (auto* facts = value.get<kernel::Facts>()) return *facts;
  session_.error(expr.where, not_a_fact, is_a(session_.one_line(expr.where), value, session_.kernel));
  return std::nullopt;
}

}  // namespace warpcc::sema
