// Calls of the compile-time kind: builtin functions, `fn`, an enum's cases with what they carry, structs of values.
#include <algorithm>
#include <bit>
#include <limits>

#include "sema/eval.h"
#include "sema/modules.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

using E = tree::Expr;

constexpr Message<std::string> not_callable{"not-callable", "{} and cannot be called"};
constexpr Message<std::string> proc_is_no_value{"not-callable",
                                                "`{}` is a proc: its call is a statement and has no value"};
constexpr Message<std::string, std::string, std::string> argument_count{"wrong-count", "`{}` takes {}; {} given"};
constexpr Message<std::string> no_names{"wrong-arguments", "the arguments of `{}` have no names"};
constexpr Message<std::string> at_least_one{"wrong-count", "`{}` takes at least one argument"};
constexpr Message<std::string> positive{"wrong-argument", "`{}` wants a number greater than 0"};
constexpr Message<std::string, std::string, std::string> unknown_field{"no-field", "`{}` has no field `{}`: it has {}"};
constexpr Message<std::string, std::string> field_missing{"no-field", "`{}` needs a value for `{}`"};
constexpr Message<std::string, std::string> field_twice{"field-twice", "`{}` is given a value for `{}` twice"};
constexpr Message<std::string> fields_are_named{"wrong-arguments", "a `{}` is made by naming its fields"};
constexpr Message<std::string, std::string> is_a_bundle{"wrong-arguments",
                                                        "`{}` is a bundle of registers: `regs NAME: {}`"};
constexpr Message<std::string, std::string, std::string> case_carries{"wrong-count", "`{}` carries {}; {} given"};
constexpr Message<std::string> no_size{"wrong-argument", "`bytes` is of an element type, such as `f16`; this is `{}`"};
constexpr Message<std::string, std::string, std::string> wrong_result{"wrong-type",
                                                                      "`{}` gives a value of type `{}`; this is {}"};

std::string fields_of(const tree::Struct& of) {
  std::string all;
  for (const tree::Typed& field : of.fields) all += (all.empty() ? "`" : ", `") + field.name.text + "`";
  return all;
}

// `split(runs, order)`
std::string case_text(const tree::EnumCase& of) {
  std::string names;
  for (const tree::Typed& each : of.payload) names += (names.empty() ? "" : ", ") + each.name.text;
  return names.empty() ? of.name.text : of.name.text + "(" + names + ")";
}

}  // namespace

Value Evaluator::bare_case(const EnumRef& of, int which, SourceRange where) {
  const tree::EnumCase& it = of.tree->cases[which];
  if (it.payload.empty()) return Case{of, which, nullptr};
  session_.error(where, case_carries, case_text(it), counted(it.payload.size(), "value"), there_are(0))
      .note(it.name.where, "declared here");
  return Bad{};
}

Value Evaluator::make_case(const EnumRef& of, int which, const E::Call& call, SourceRange where, Scope& scope) {
  const tree::EnumCase& it = of.tree->cases[which];
  if (it.payload.size() != call.arguments.size()) {
    session_
        .error(where, case_carries, case_text(it), counted(it.payload.size(), "value"),
               there_are(call.arguments.size()))
        .note(it.name.where, "declared here");
    return Bad{};
  }
  auto payload = std::make_shared<std::vector<Value>>();
  for (std::size_t i = 0; i < it.payload.size(); ++i) {
    const std::optional<Type> type = resolve(it.payload[i].type, names_around(of));
    if (!type) return Bad{};
    payload->push_back(typed(*call.arguments[i].value, scope, *type, "`" + it.payload[i].name.text + "`"));
    if (payload->back().bad()) return Bad{};
  }
  return Case{of, which, payload};
}

Value Evaluator::make_record(const StructRef& of, const E::Call& call, SourceRange where, Scope& scope) {
  const tree::Struct& it = *of.tree;
  if (!it.registers.empty()) {
    session_.error(where, is_a_bundle, it.name.text, session_.one_line(where));
    return Bad{};
  }
  std::vector<Value> fields(it.fields.size());
  for (const tree::Argument& argument : call.arguments) {
    if (!argument.name) {
      session_.error(argument.value->where, fields_are_named, it.name.text);
      return Bad{};
    }
    auto field = std::find_if(it.fields.begin(), it.fields.end(),
                              [&](const tree::Typed& f) { return f.name.text == argument.name->text; });
    if (field == it.fields.end()) {
      session_.error(argument.name->where, unknown_field, it.name.text, argument.name->text, fields_of(it));
      return Bad{};
    }
    Value& value = fields[field - it.fields.begin()];
    if (!value.bad()) {
      session_.error(argument.name->where, field_twice, it.name.text, argument.name->text);
      return Bad{};
    }
    const std::optional<Type> type = resolve(field->type, names_around(of));
    if (!type) return Bad{};
    value = typed(*argument.value, scope, *type, "`" + field->name.text + "`");
    if (value.bad()) return Bad{};
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].bad()) {
      session_.error(where, field_missing, it.name.text, it.fields[i].name.text);
      return Bad{};
    }
  }
  return Record{of, std::make_shared<std::vector<Value>>(std::move(fields))};
}

Value Evaluator::call(const E::Call& call, SourceRange where, Scope& scope, const Type* expected) {
  auto* identifier = std::get_if<E::Identifier>(&call.callee->is);
  if (identifier && expected && expected->kind == Type::Kind::enum_) {
    if (const int which = case_named(*expected->enum_.tree, identifier->name); which >= 0) {
      return make_case(expected->enum_, which, call, where, scope);
    }
  }
  if (auto* of = std::get_if<E::Member>(&call.callee->is)) {
    const Value inner = eval(*of->of, scope);
    if (inner.bad()) return Bad{};
    if (of->name.text == "swizzle" && (inner.has<LayoutRef>() || inner.has<Builtin>()))
      return swizzled(inner, call, where, scope);
    if (auto* fragment = inner.get<FragmentRef>(); fragment && of->name.text == "at")
      return coordinates_of(*fragment, call, where, scope);
    if (auto* an_enum = inner.get<EnumRef>()) {
      if (const int which = case_named(*an_enum->tree, of->name.text); which >= 0)
        return make_case(*an_enum, which, call, where, scope);
    }
    if (auto* a_module = inner.get<Module*>()) {
      // A case of one of the module's enums, said with the module's name alone, where the enum is known.
      if (expected && expected->kind == Type::Kind::enum_ && expected->enum_.module == *a_module) {
        if (const int which = case_named(*expected->enum_.tree, of->name.text); which >= 0) {
          return make_case(expected->enum_, which, call, where, scope);
        }
      }
    }
  }
  const Value callee = eval(*call.callee, scope);
  if (callee.bad()) return Bad{};
  if (auto* builtin = callee.get<Builtin>()) return call_builtin(*builtin, call, where, scope);
  if (auto* fn = callee.get<FnRef>()) return call_fn(*fn, call, where, scope);
  if (auto* of = callee.get<StructRef>()) return make_record(*of, call, where, scope);
  if (auto* proc = callee.get<ProcRef>()) {
    session_.error(call.callee->where, proc_is_no_value, proc->tree->name.text);
    return Bad{};
  }
  session_.error(call.callee->where, not_callable,
                 fmt::format("`{}` is {}", session_.one_line(call.callee->where), describe(callee, session_.kernel)));
  return Bad{};
}

Value Evaluator::call_fn(const FnRef& fn, const E::Call& call, SourceRange where, Scope& scope) {
  const tree::Fn& it = *fn.tree;
  if (call.arguments.size() != it.parameters.size()) {
    session_
        .error(where, argument_count, it.name.text, counted(it.parameters.size(), "argument"),
               there_are(call.arguments.size()))
        .note(it.name.where, "declared here");
    return Bad{};
  }
  Scope inner(names_around(fn));
  for (std::size_t i = 0; i < it.parameters.size(); ++i) {
    const tree::Argument& argument = call.arguments[i];
    if (argument.name) {
      session_.error(argument.name->where, no_names, it.name.text);
      return Bad{};
    }
    const std::optional<Type> type = resolve(it.parameters[i].type, inner);
    if (!type) return Bad{};
    Value value = typed(*argument.value, scope, *type, "`" + it.parameters[i].name.text + "`");
    if (value.bad()) return Bad{};
    session_.means(it.parameters[i].name.where, value);
    inner.bind(it.parameters[i].name.text, std::move(value), it.parameters[i].name.where);
  }
  session_.chain.push_back({it.name.text, where});
  const std::optional<Type> result = resolve(it.result, inner);
  Value value = result ? eval(*it.body, inner, &*result) : Value(Bad{});
  if (!value.bad() && !conforms(value, *result)) {
    session_.error(it.body->where, wrong_result, it.name.text, show(*result), describe(value, session_.kernel));
    value = Bad{};
  }
  if (!value.bad() && !settle(value, *result, it.body->where)) value = Bad{};
  session_.chain.pop_back();
  return value;
}

Value Evaluator::call_builtin(Builtin builtin, const E::Call& call, SourceRange where, Scope& scope) {
  constexpr const char* kNames[] = {"min",     "max",        "ceil_div", "log2",   "bytes",
                                    "compose", "complement", "divide",   "product"};
  if (builtin > Builtin::product) {
    session_.error(
        call.callee->where, not_callable,
        fmt::format("`{}` is a layout of the shape that it stands by", session_.one_line(call.callee->where)));
    return Bad{};
  }
  const std::string name = kNames[static_cast<int>(builtin)];
  const std::size_t count = builtin == Builtin::ceil_div || builtin >= Builtin::compose ? 2
                            : builtin >= Builtin::log2                                  ? 1
                                                                                        : 0;
  if (count && call.arguments.size() != count) {
    session_.error(where, argument_count, name, counted(count, "argument"), there_are(call.arguments.size()));
    return Bad{};
  }
  if (call.arguments.empty()) {
    session_.error(where, at_least_one, name);
    return Bad{};
  }
  for (const tree::Argument& argument : call.arguments) {
    if (argument.name) {
      session_.error(argument.name->where, no_names, name);
      return Bad{};
    }
  }
  if (builtin == Builtin::bytes) {
    const Value type =
        typed(*call.arguments[0].value, scope, Type{.kind = Type::Kind::type}, "the argument of `bytes`");
    if (type.bad()) return Bad{};
    if (auto* of = type.get<Type>(); of->kind == Type::Kind::element) return std::int64_t{layout::bytes(of->element)};
    session_.error(call.arguments[0].value->where, no_size, show(*type.get<Type>()));
    return Bad{};
  }
  if (builtin == Builtin::compose) return compose(call, where, scope);
  if (builtin == Builtin::complement) return complement(call, where, scope);
  if (builtin == Builtin::divide) return divide(call, where, scope);
  if (builtin == Builtin::product) return product(call, where, scope);
  std::vector<std::int64_t> values;
  for (const tree::Argument& argument : call.arguments) {
    const std::optional<std::int64_t> value = integer(*argument.value, scope, "an argument of `" + name + "`");
    if (!value) return Bad{};
    values.push_back(*value);
  }
  switch (builtin) {
    case Builtin::min:
      return *std::min_element(values.begin(), values.end());
    case Builtin::max:
      return *std::max_element(values.begin(), values.end());
    case Builtin::log2:
      if (values[0] <= 0) {
        session_.error(call.arguments[0].value->where, positive, name);
        return Bad{};
      }
      return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(values[0])) - 1);
    default: {
      const Value quotient = arithmetic(tree::Binary::div, values[0], values[1], where);
      if (quotient.bad()) return Bad{};
      const std::int64_t down = *quotient.get<std::int64_t>();
      return floor_mod(values[0], values[1]) == 0 ? down : down + 1;
    }
  }
}

}  // namespace warpcc::sema
