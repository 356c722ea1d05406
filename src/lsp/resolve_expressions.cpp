// Expressions, patterns and types: which declaration each name is, and as far as the text tells what the value is.
#include "lsp/resolve.h"

namespace warpcc::lsp {
namespace {

using E = tree::Expr;

constexpr int kDeepestGuess = 64;  // constants made of constants

bool has_parts(NameKind kind) {
  return kind == NameKind::enumeration || kind == NameKind::structure || kind == NameKind::module ||
         kind == NameKind::end || kind == NameKind::pipe;
}

// The types of what a callee takes, in order.
std::vector<const tree::Type*> parameter_types(const Declaration& callee) {
  std::vector<const tree::Type*> types;
  if (auto* fn = std::get_if<const tree::Fn*>(&callee.tree)) {
    for (const tree::Typed& each : (*fn)->parameters) types.push_back(&each.type);
  } else if (auto* a_case = std::get_if<const tree::EnumCase*>(&callee.tree)) {
    for (const tree::Typed& each : (*a_case)->payload) types.push_back(&each.type);
  } else if (auto* proc = std::get_if<const tree::Proc*>(&callee.tree)) {
    for (const tree::Formal& each : (*proc)->formals) {
      if (std::holds_alternative<tree::Formal::BlockParameter>(each.is)) continue;
      auto* constant = std::get_if<tree::Formal::ConstValue>(&each.is);
      types.push_back(constant ? &constant->type : nullptr);
    }
  } else if (auto* a_struct = std::get_if<const tree::Struct*>(&callee.tree)) {
    for (const tree::Typed& each : (*a_struct)->parameters) types.push_back(&each.type);
  }
  return types;
}

}  // namespace

// ---- Members

NameRef Resolver::case_of(NameRef type, std::string_view name) const {
  const Declaration* of = declaration(type);
  if (!of || of->kind != NameKind::enumeration) return {};
  const Names* in = names_of(type);
  return in ? in->part(type.index, name) : NameRef{};
}

NameRef Resolver::member_of(NameRef of, const tree::Name& name, NameRef expected) {
  const Declaration* parent = declaration(of);
  if (!parent) return {};
  NameRef found;
  if (parent->kind == NameKind::module) {
    const Names* in = parent->module ? others_.names(*parent->module) : nullptr;
    if (in) found = in->item(name.text);
    // A case of one of its enums, where the enum is known.
    if (!found && in && expected.file == in->file()) found = case_of(expected, name.text);
  } else if (parent->kind == NameKind::end) {
    const auto* end = std::get_if<const tree::End*>(&parent->tree);
    const Declaration* pipe = end ? declaration(find((*end)->pipe.text)) : nullptr;
    const auto* declared = pipe ? std::get_if<const tree::Pipe*>(&pipe->tree) : nullptr;
    for (const tree::Name* carried = declared ? (*declared)->carries.data() : nullptr;
         carried && carried != (*declared)->carries.data() + (*declared)->carries.size(); ++carried) {
      if (carried->text == name.text) found = find(name.text);
    }
  } else {
    const Names* in = names_of(of);
    if (in) found = in->part(of.index, name.text);
  }
  use(name.where, found);
  return found;
}

NameRef Resolver::path(const tree::Path& path, NameRef expected) {
  NameRef of;
  for (std::size_t i = 0; i < path.names.size(); ++i) {
    if (i == 0) {
      of = find(path.names[0].text);
      use(path.names[0].where, of);
    } else {
      of = member_of(of, path.names[i], i + 1 == path.names.size() ? expected : NameRef{});
    }
    of = type_of(of);
  }
  return of;
}

NameRef Resolver::named(const E& expr, NameRef expected) {
  if (auto* identifier = std::get_if<E::Identifier>(&expr.is)) {
    NameRef of = case_of(expected, identifier->name);
    if (!of) of = find(identifier->name);
    use(expr.where, of);
    return of;
  }
  if (auto* member = std::get_if<E::Member>(&expr.is)) return member_of(this->expr(member->of), member->name, expected);
  return {};
}

// ---- Expressions

NameRef Resolver::expr(const tree::ExprPtr& pointer, NameRef expected) {
  if (!pointer) return {};
  const E& it = *pointer;
  if (std::holds_alternative<E::Identifier>(it.is) || std::holds_alternative<E::Member>(it.is))
    return type_of(named(it, expected));
  if (auto* tuple = std::get_if<E::Tuple>(&it.is)) {
    for (const tree::ExprPtr& each : tuple->elements) expr(each);
  } else if (auto* layout = std::get_if<E::Layout>(&it.is)) {
    expr(layout->shape);
    expr(layout->strides);
  } else if (auto* an_if = std::get_if<E::If>(&it.is)) {
    expr(an_if->condition);
    const NameRef then = expr(an_if->then, expected);
    const NameRef otherwise = expr(an_if->otherwise, expected);
    return then ? then : otherwise;
  } else if (auto* a_match = std::get_if<E::Match>(&it.is)) {
    const NameRef of = expr(a_match->value);
    NameRef seems;
    for (const tree::MatchArm& arm : a_match->arms) {
      const Scope scope(*this, it.where);
      pattern(*arm.pattern, of, false);
      if (const NameRef value = expr(arm.value, expected); value) seems = value;
    }
    return seems;
  } else if (auto* is = std::get_if<E::Is>(&it.is)) {
    const NameRef of = expr(is->value);
    const Scope scope(*this, it.where);
    pattern(*is->pattern, of, false);
  } else if (auto* unary = std::get_if<E::UnaryOp>(&it.is)) {
    expr(unary->operand);
  } else if (auto* binary = std::get_if<E::BinaryOp>(&it.is)) {
    // `direct == output`: the side that is a case alone is known from the other.
    const bool compares = binary->op == tree::Binary::eq || binary->op == tree::Binary::ne;
    if (compares && !guess(binary->left)) {
      const NameRef right = guess(binary->right);
      expr(binary->left, right);
      expr(binary->right);
    } else {
      const NameRef left = expr(binary->left);
      expr(binary->right, compares ? left : NameRef{});
    }
  } else if (auto* a_call = std::get_if<E::Call>(&it.is)) {
    return call(*a_call, expected);
  } else if (auto* view = std::get_if<E::View>(&it.is)) {
    const NameRef of = expr(view->of);
    for (const tree::Coord& coord : view->coords) {
      expr(coord.from);
      expr(coord.extent);
    }
    return of;
  } else if (auto* at = std::get_if<E::At>(&it.is)) {
    const NameRef of = expr(at->of);
    pins(at->pins);
    return of;
  }
  return {};
}

NameRef Resolver::call(const E::Call& it, NameRef expected) {
  const NameRef callee = named(*it.callee, expected);
  if (!callee && !std::holds_alternative<E::Identifier>(it.callee->is) &&
      !std::holds_alternative<E::Member>(it.callee->is))
    expr(it.callee);
  arguments(it.arguments, callee);
  const Declaration* of = declaration(callee);
  if (!of) return {};
  if (of->kind == NameKind::structure) return callee;
  if (of->kind == NameKind::enum_case) return {callee.file, of->parent};
  return of->kind == NameKind::fn ? type_of(callee) : NameRef{};
}

void Resolver::arguments(const std::vector<tree::Argument>& arguments, NameRef callee) {
  const Declaration* of = declaration(callee);
  const Names* in = names_of(callee);
  const std::vector<const tree::Type*> types = of ? parameter_types(*of) : std::vector<const tree::Type*>{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const tree::Argument& argument = arguments[i];
    NameRef expected;
    if (argument.name && in) {
      const NameRef field = in->part(callee.index, argument.name->text);
      use(argument.name->where, field);
      expected = type_of(field);
    } else if (in && i < types.size() && types[i]) {
      expected = type_named(*in, *types[i]);
    }
    expr(argument.value, expected);
  }
}

// ---- Patterns and types

void Resolver::pattern(const tree::Pattern& it, NameRef of, bool inside_case) {
  using P = tree::Pattern;
  if (auto* tuple = std::get_if<P::Tuple>(&it.is)) {
    for (const tree::PatternPtr& each : tuple->elements) pattern(*each, {}, inside_case);
    return;
  }
  auto* a_case = std::get_if<P::Case>(&it.is);
  if (!a_case || a_case->path.names.empty()) return;
  const tree::Name& name = a_case->path.names.back();
  const NameRef found = case_of(of, name.text);
  if (!found && inside_case && !a_case->has_arguments && a_case->path.names.size() == 1) {
    declare(NameKind::binding, name, name.where);
    names_.declarations_.back().type = of;
    return;
  }
  for (std::size_t i = 0; i + 1 < a_case->path.names.size(); ++i) {
    if (i == 0) use(a_case->path.names[0].where, find(a_case->path.names[0].text));
  }
  use(name.where, found);
  // The declaration itself moves as the arguments declare names.
  const Declaration* declared = declaration(found);
  const auto* is_case = declared ? std::get_if<const tree::EnumCase*>(&declared->tree) : nullptr;
  const tree::EnumCase* tree = is_case ? *is_case : nullptr;
  const Names* in = names_of(found);
  for (std::size_t i = 0; i < a_case->arguments.size(); ++i) {
    const bool known = tree && in && i < tree->payload.size();
    pattern(*a_case->arguments[i], known ? type_named(*in, tree->payload[i].type) : NameRef{}, true);
  }
}

NameRef Resolver::type(const tree::Type& it) {
  for (const tree::Type& element : it.elements) type(element);
  if (it.kind != tree::Type::Kind::path) return {};
  const NameRef of = path(it.path);
  for (const tree::ExprPtr& argument : it.arguments) expr(argument);
  return of;
}

// ---- What values are, without a word of what is read on the way

NameRef Resolver::type_named(const Names& in, const tree::Type& type) {
  if (type.kind != tree::Type::Kind::path || type.path.names.empty()) return {};
  NameRef of = in.item(type.path.names[0].text);
  for (std::size_t i = 1; of && i < type.path.names.size(); ++i) {
    const Declaration* at = declaration(of);
    const Names* inside = at && at->module ? others_.names(*at->module) : nullptr;
    of = inside ? inside->item(type.path.names[i].text) : NameRef{};
  }
  const Declaration* at = declaration(of);
  return at && has_parts(at->kind) ? of : NameRef{};
}

NameRef Resolver::type_of(NameRef ref) {
  const Declaration* of = declaration(ref);
  if (!of) return {};
  if (has_parts(of->kind)) return ref;
  const Names* in = names_of(ref);
  if (of->kind == NameKind::enum_case) return {ref.file, of->parent};
  if (of->kind == NameKind::binding) return of->type;
  if (auto* param = std::get_if<const tree::Param*>(&of->tree)) return type_named(*in, (*param)->type);
  if (auto* typed = std::get_if<const tree::Typed*>(&of->tree)) return type_named(*in, (*typed)->type);
  if (auto* fn = std::get_if<const tree::Fn*>(&of->tree)) return type_named(*in, (*fn)->result);
  if (auto* regs = std::get_if<const tree::Regs*>(&of->tree))
    return (*regs)->bundle ? type_named(*in, *(*regs)->bundle) : NameRef{};
  if (auto* formal = std::get_if<const tree::Formal*>(&of->tree)) {
    if (auto* constant = std::get_if<tree::Formal::ConstValue>(&(*formal)->is)) return type_named(*in, constant->type);
    if (auto* bundle = std::get_if<tree::Formal::BundleParameter>(&(*formal)->is)) return type_named(*in, bundle->type);
    // Its tiles are those that it asks for.
    return std::holds_alternative<tree::Formal::EndParameter>((*formal)->is) ? ref : NameRef{};
  }
  auto* constant = std::get_if<const tree::Const*>(&of->tree);
  if (!constant) return {};
  if ((*constant)->type) return type_named(*in, *(*constant)->type);
  if (ref.file != names_.file_ || guessing_ == kDeepestGuess) return {};
  // Constants are made of constants: each is looked at once, one that is made of itself too.
  const auto [known, fresh] = constant_types_.try_emplace(ref.index);
  if (!fresh) return known->second;
  ++guessing_;
  const NameRef seems = guess((*constant)->value);
  --guessing_;
  constant_types_[ref.index] = seems;
  return seems;
}

NameRef Resolver::guess_named(const E& it) {
  if (auto* identifier = std::get_if<E::Identifier>(&it.is)) return find(identifier->name);
  auto* member = std::get_if<E::Member>(&it.is);
  if (!member) return {};
  const NameRef of = guess(member->of);
  const Declaration* parent = declaration(of);
  if (!parent) return {};
  if (parent->kind == NameKind::module) {
    const Names* in = parent->module ? others_.names(*parent->module) : nullptr;
    return in ? in->item(member->name.text) : NameRef{};
  }
  const Names* in = names_of(of);
  return in ? in->part(of.index, member->name.text) : NameRef{};
}

NameRef Resolver::guess(const tree::ExprPtr& pointer) {
  if (!pointer) return {};
  const E& it = *pointer;
  if (std::holds_alternative<E::Identifier>(it.is) || std::holds_alternative<E::Member>(it.is))
    return type_of(guess_named(it));
  if (auto* call = std::get_if<E::Call>(&it.is)) {
    const NameRef of = guess_named(*call->callee);
    const Declaration* at = declaration(of);
    if (!at) return {};
    if (at->kind == NameKind::structure) return of;
    return at->kind == NameKind::fn || at->kind == NameKind::enum_case ? type_of(of) : NameRef{};
  }
  if (auto* an_if = std::get_if<E::If>(&it.is)) return guess(an_if->then);
  return {};
}

}  // namespace warpcc::lsp
