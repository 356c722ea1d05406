// Types and patterns: what a value may be held to.
#include "sema/eval.h"
#include "sema/modules.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string> not_a_type{"not-a-type", "a type is wanted; {}"};
constexpr Message<std::string> not_an_element{"not-a-type", "an element type is wanted (`f16`, `bf16`, `f32` …); {}"};
constexpr Message<std::string> no_arguments{"not-a-type", "`{}` takes no arguments"};
constexpr Message<std::string, std::string, std::string> struct_arguments{"wrong-count", "`{}` takes {}; {} given"};
constexpr Message<std::string, std::string, std::string> no_case{"no-case", "`{}` is no case of `{}`: it has {}"};
constexpr Message<std::string, std::string, std::string> case_arguments{"wrong-count",
                                                                        "`{}` carries {}; the pattern has {}"};
constexpr Message<std::string, std::string> pattern_of_other{"wrong-pattern", "this pattern is of {}; the value is {}"};
constexpr Message<std::string, std::size_t> tuple_pattern{"wrong-pattern", "a pattern of {}; the tuple has {}"};

std::string cases_of(const tree::Enum& of) {
  std::string all;
  for (const tree::EnumCase& each : of.cases) all += (all.empty() ? "`" : ", `") + each.name.text + "`";
  return all;
}

}  // namespace

std::optional<Type> Evaluator::resolve(const tree::Type& type, Scope& scope) {
  const Deeper deeper(session_, type.where);
  if (!deeper.ok() || !session_.step(type.where)) return std::nullopt;
  switch (type.kind) {
    case tree::Type::Kind::layout_logical:
      return Type{.kind = Type::Kind::layout_logical};
    case tree::Type::Kind::layout_tv:
      return Type{.kind = Type::Kind::layout_tv};
    case tree::Type::Kind::layout_physical:
      return Type{.kind = Type::Kind::layout_physical};
    case tree::Type::Kind::tuple: {
      Type tuple{.kind = Type::Kind::tuple};
      for (const tree::Type& element : type.elements) {
        std::optional<Type> resolved = resolve(element, scope);
        if (!resolved) return std::nullopt;
        tuple.elements.push_back(*resolved);
      }
      return tuple;
    }
    case tree::Type::Kind::path:
      break;
  }
  const std::string& word = type.path.names.front().text;
  if (type.path.names.size() == 1 && (word == "r" || word == "ur" || word == "p" || word == "up")) return Type{};
  const Value value = path(type.path, scope);
  if (value.bad()) return std::nullopt;
  if (auto* of = value.get<StructRef>()) {
    if (type.arguments.size() != of->tree->parameters.size()) {
      session_
          .error(type.where, struct_arguments, of->tree->name.text, counted(of->tree->parameters.size(), "argument"),
                 there_are(type.arguments.size()))
          .note(of->tree->name.where, "declared here");
      return std::nullopt;
    }
    Scope inner(names_around(*of));
    auto arguments = std::make_shared<std::vector<Value>>();
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
      const tree::Typed& parameter = of->tree->parameters[i];
      const std::optional<Type> wanted = resolve(parameter.type, inner);
      if (!wanted) return std::nullopt;
      Value argument = typed(*type.arguments[i], scope, *wanted, "`" + parameter.name.text + "`");
      if (argument.bad()) return std::nullopt;
      inner.bind(parameter.name.text, argument, parameter.name.where);
      arguments->push_back(std::move(argument));
    }
    return Type{.kind = Type::Kind::struct_, .struct_ = *of, .arguments = arguments};
  }
  if (!type.arguments.empty()) {
    session_.error(type.where, no_arguments, session_.one_line(type.path.where));
    return std::nullopt;
  }
  if (auto* known = value.get<Type>()) return *known;
  if (auto* of = value.get<EnumRef>()) return Type{.kind = Type::Kind::enum_, .enum_ = *of};
  session_.error(type.where, not_a_type,
                 fmt::format("`{}` is {}", session_.one_line(type.where), describe(value, session_.kernel)));
  return std::nullopt;
}

std::optional<layout::Element> Evaluator::element(const tree::Path& path, Scope& scope) {
  const Value value = this->path(path, scope);
  if (value.bad()) return std::nullopt;
  if (auto* type = value.get<Type>(); type && type->kind == Type::Kind::element) return type->element;
  session_.error(path.where, not_an_element,
                 fmt::format("`{}` is {}", session_.one_line(path.where), describe(value, session_.kernel)));
  return std::nullopt;
}

bool Evaluator::conforms(const Value& value, const Type& type) const {
  switch (type.kind) {
    case Type::Kind::any:
      return true;
    case Type::Kind::integer:
      return value.has<std::int64_t>();
    case Type::Kind::boolean:
      return value.has<bool>();
    case Type::Kind::string:
      return value.has<Text>();
    case Type::Kind::type:
      return value.has<Type>();
    case Type::Kind::index:
      return value.has<std::int64_t>() || value.has<kernel::Index>() || value.has<CounterRef>() ||
             value.has<RegisterRef>();
    case Type::Kind::element:
      return false;
    case Type::Kind::tuple: {
      auto* tuple = value.get<Tuple>();
      if (!tuple || tuple->elements->size() != type.elements.size()) return false;
      for (std::size_t i = 0; i < type.elements.size(); ++i) {
        if (!conforms((*tuple->elements)[i], type.elements[i])) return false;
      }
      return true;
    }
    case Type::Kind::enum_:
      return value.has<Case>() && value.get<Case>()->of == type.enum_;
    case Type::Kind::struct_: {
      if (auto* record = value.get<Record>()) return record->of == type.struct_;
      auto* bundle = value.get<BundleRef>();
      if (!bundle) return false;
      std::int64_t budget = 100'000;
      const Type own{
          .kind = Type::Kind::struct_, .struct_ = bundle->bundle->of, .arguments = bundle->bundle->arguments};
      return equal(own, type, budget);
    }
    case Type::Kind::layout_logical:
    case Type::Kind::layout_tv:
    case Type::Kind::layout_physical: {
      auto* layout = value.get<LayoutRef>();
      return layout && !(*layout)->restricted && ((*layout)->says == Type::Kind::any || (*layout)->says == type.kind);
    }
  }
  return false;
}

std::optional<bool> Evaluator::matches(const tree::Pattern& pattern, const Value& value, Scope& binds,
                                       bool inside_case) {
  using P = tree::Pattern;
  const Deeper deeper(session_, pattern.where);
  if (!deeper.ok() || !session_.step(pattern.where)) return std::nullopt;
  auto mismatch = [&](const char* of) -> std::optional<bool> {
    session_.error(pattern.where, pattern_of_other, of, describe(value, session_.kernel));
    return std::nullopt;
  };
  if (std::holds_alternative<P::Any>(pattern.is)) return true;
  if (auto* boolean = std::get_if<P::Boolean>(&pattern.is)) {
    return value.has<bool>() ? std::optional(*value.get<bool>() == boolean->value) : mismatch("a bool");
  }
  if (auto* integer = std::get_if<P::Integer>(&pattern.is)) {
    return value.has<std::int64_t>() ? std::optional(*value.get<std::int64_t>() == integer->value)
                                     : mismatch("an integer");
  }
  if (auto* between = std::get_if<P::Between>(&pattern.is)) {
    if (!value.has<std::int64_t>()) return mismatch("integers");
    const std::int64_t it = *value.get<std::int64_t>();
    return it >= between->begin && it < between->end;
  }
  if (auto* tuple = std::get_if<P::Tuple>(&pattern.is)) {
    if (!value.has<Tuple>()) return mismatch("a tuple");
    const Values& elements = value.get<Tuple>()->elements;
    if (elements->size() != tuple->elements.size()) {
      session_.error(pattern.where, tuple_pattern, counted(tuple->elements.size(), "value"), elements->size());
      return std::nullopt;
    }
    for (std::size_t i = 0; i < elements->size(); ++i) {
      const std::optional<bool> same = matches(*tuple->elements[i], (*elements)[i], binds, inside_case);
      if (!same || !*same) return same;
    }
    return true;
  }
  const P::Case& of = std::get<P::Case>(pattern.is);
  const tree::Name& name = of.path.names.back();
  auto* a_case = value.get<Case>();
  const int which = a_case ? case_named(*a_case->of.tree, name.text) : -1;
  // A name alone that is no case of the value's enum stands for the value.
  if (which < 0 && inside_case && !of.has_arguments && of.path.names.size() == 1) {
    session_.means(name.where, value);
    binds.bind(name.text, value, name.where);
    return true;
  }
  if (!a_case) return mismatch("an enum");
  if (which < 0) {
    session_.error(name.where, no_case, name.text, a_case->of.tree->name.text, cases_of(*a_case->of.tree));
    return std::nullopt;
  }
  const std::size_t carries = a_case->of.tree->cases[which].payload.size();
  if (of.has_arguments && of.arguments.size() != carries) {
    session_.error(pattern.where, case_arguments, name.text, counted(carries, "value"),
                   std::to_string(of.arguments.size()));
    return std::nullopt;
  }
  if (a_case->which != which) return false;
  for (std::size_t i = 0; i < of.arguments.size(); ++i) {
    const std::optional<bool> same = matches(*of.arguments[i], (*a_case->payload)[i], binds, true);
    if (!same || !*same) return same;
  }
  return true;
}

}  // namespace warpcc::sema
