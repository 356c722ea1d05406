// Operators: of integers with their overflow, of index values, of facts.
#include <algorithm>
#include <limits>

#include "sema/eval.h"

namespace warpcc::sema {
namespace {

constexpr Message<> overflow{"overflow", "this does not fit in 64 bits"};
constexpr Message<> division_by_zero{"division-by-zero", "this divides by 0"};
constexpr Message<std::int64_t> bad_shift{"bad-shift", "a shift is by 0 to 63; this is by {}"};
constexpr Message<std::string, std::string, std::string> cannot_operate{"wrong-operands",
                                                                        "`{}` has no meaning between {} and {}"};
constexpr Message<std::string, std::string> cannot_compare{"wrong-operands", "{} and {} cannot be compared"};
constexpr Message<std::string> register_compared{"register-compared",
                                                 "{} is known at run time only: an instruction compares it (`isetp`, "
                                                 "`uisetp`), and a predicate holds what it found"};
constexpr Message<std::string> counter_compared{"register-compared",
                                                "`{0}` is a counter, known at run time only, and no operand: "
                                                "`@{0}.more i;` is in all rounds but the last, and what "
                                                "one round does otherwise stands before the loop or behind it"};
constexpr Message<std::string> no_negative{"wrong-operands", "{}: it has no negative"};
constexpr Message<std::string> no_not{"wrong-operands", "{}: `!` is of bools, predicates and comparisons"};
constexpr Message<> facts_are_joined{"facts-are-joined", "facts are joined by `&&` alone"};
constexpr Message<> not_of_facts{"facts-are-joined", "`!` is of one comparison: facts are joined by `&&` alone"};
constexpr Message<> index_times_index{
    "index-product", "a coordinate is a sum of constant multiples: one side of a product is a constant"};
constexpr Message<> division_of_registers{"index-division",
                                          "`/` and `%` are of constants and fixed indices (`lane`, `warp`, axes …): of "
                                          "a register or counter they are computed into an index register first"};
constexpr Message<> divided_by_index{"index-division", "`/` and `%` are by a constant that is greater than 0"};

std::string is_a(std::string_view text, const Value& value, const kernel::Kernel& kernel) {
  return fmt::format("`{}` is {}", text, describe(value, kernel));
}

const char* spelled(tree::Binary op) {
  constexpr const char* kSpelled[] = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "|",
                                      "^",  "&",  "<<", ">>", "+", "-",  "*", "/",  "%"};
  return kSpelled[static_cast<int>(op)];
}

bool is_index_like(const Value& value) {
  return value.has<std::int64_t>() || value.has<kernel::Index>() || value.has<CounterRef>() ||
         (value.has<RegisterRef>() &&
          (value.get<RegisterRef>()->file == isa::File::r || value.get<RegisterRef>()->file == isa::File::ur));
}

std::optional<kernel::Compare::Is> compare_of(tree::Binary op, bool swapped) {
  using Is = kernel::Compare::Is;
  switch (op) {
    case tree::Binary::eq:
      return Is::eq;
    case tree::Binary::ne:
      return Is::ne;
    case tree::Binary::lt:
      return swapped ? Is::gt : Is::lt;
    case tree::Binary::le:
      return swapped ? Is::ge : Is::le;
    case tree::Binary::gt:
      return swapped ? Is::lt : Is::gt;
    case tree::Binary::ge:
      return swapped ? Is::le : Is::ge;
    default:
      return std::nullopt;
  }
}

kernel::Compare::Is opposite(kernel::Compare::Is is) {
  using Is = kernel::Compare::Is;
  constexpr Is kOpposite[] = {Is::ne, Is::eq, Is::ge, Is::gt, Is::le, Is::lt};
  return kOpposite[static_cast<int>(is)];
}

}  // namespace

Value Evaluator::unary(const tree::Expr::UnaryOp& op, SourceRange where, Scope& scope) {
  const Value value = eval(*op.operand, scope);
  if (value.bad()) return Bad{};
  const std::string what = is_a(session_.one_line(op.operand->where), value, session_.kernel);
  if (op.op == tree::Unary::negate) {
    if (auto* integer = value.get<std::int64_t>()) return arithmetic(tree::Binary::sub, 0, *integer, where);
    if (auto* index = value.get<kernel::Index>()) return *index * -1;
    if (auto* reg = value.get<RegisterRef>(); reg && (reg->file == isa::File::r || reg->file == isa::File::ur)) {
      RegisterRef negated = *reg;
      negated.operand.negated = !negated.operand.negated;
      negated.writable = false;
      return negated;
    }
    if (value.has<CounterRef>()) {
      const std::optional<kernel::Index> index = this->index(value, where);
      return index ? Value(*index * -1) : Value(Bad{});
    }
    session_.error(where, no_negative, what);
    return Bad{};
  }
  if (auto* boolean = value.get<bool>()) return !*boolean;
  if (auto* reg = value.get<RegisterRef>(); reg && (reg->file == isa::File::p || reg->file == isa::File::up)) {
    RegisterRef negated = *reg;
    negated.operand.negated = !negated.operand.negated;
    negated.writable = false;
    return negated;
  }
  if (auto* more = value.get<MoreRef>()) return MoreRef{more->id, !more->negated};
  if (auto* facts = value.get<kernel::Facts>()) {
    if (!facts->one && !facts->inside && facts->compares.size() == 1) {
      kernel::Facts negated = *facts;
      negated.compares[0].is = opposite(negated.compares[0].is);
      return negated;
    }
    session_.error(where, not_of_facts);
    return Bad{};
  }
  session_.error(where, no_not, what);
  return Bad{};
}

Value Evaluator::arithmetic(tree::Binary op, std::int64_t left, std::int64_t right, SourceRange where) {
  std::int64_t result = 0;
  switch (op) {
    case tree::Binary::add:
      if (!__builtin_add_overflow(left, right, &result)) return result;
      break;
    case tree::Binary::sub:
      if (!__builtin_sub_overflow(left, right, &result)) return result;
      break;
    case tree::Binary::mul:
      if (!__builtin_mul_overflow(left, right, &result)) return result;
      break;
    case tree::Binary::div:
    case tree::Binary::rem:
      if (right == 0) {
        session_.error(where, division_by_zero);
        return Bad{};
      }
      if (right == -1 && left == std::numeric_limits<std::int64_t>::min()) break;
      return op == tree::Binary::div ? floor_div(left, right) : floor_mod(left, right);
    case tree::Binary::shl:
    case tree::Binary::shr:
      if (right < 0 || right > 63) {
        session_.error(where, bad_shift, right);
        return Bad{};
      }
      if (op == tree::Binary::shr) return left >> right;
      if (right < 63 && !__builtin_mul_overflow(left, std::int64_t{1} << right, &result)) return result;
      if (left == 0) return std::int64_t{0};
      break;
    case tree::Binary::bit_or:
      return left | right;
    case tree::Binary::bit_xor:
      return left ^ right;
    case tree::Binary::bit_and:
      return left & right;
    default:
      break;
  }
  session_.error(where, overflow);
  return Bad{};
}

Value Evaluator::binary(const tree::Expr::BinaryOp& op, SourceRange where, Scope& scope) {
  if (op.op == tree::Binary::or_ || op.op == tree::Binary::and_) return logical(op, where, scope);
  // A case may stand bare on either side of a comparison: the other side says of which enum.
  const bool compares = op.op >= tree::Binary::eq && op.op <= tree::Binary::ge;
  Value left, right;
  auto bare = [&](const tree::Expr& side) {
    const tree::Expr* at = &side;
    if (auto* a_call = std::get_if<tree::Expr::Call>(&at->is)) at = a_call->callee.get();
    auto* identifier = std::get_if<tree::Expr::Identifier>(&at->is);
    return identifier && !find(identifier->name, at->where, scope);
  };
  auto enum_of = [](const Value& value, Type& type) -> const Type* {
    auto* a_case = value.get<Case>();
    if (!a_case) return nullptr;
    type = {.kind = Type::Kind::enum_, .enum_ = a_case->of};
    return &type;
  };
  Type type;
  if (compares && bare(*op.left)) {
    right = eval(*op.right, scope);
    if (right.bad()) return Bad{};
    left = eval(*op.left, scope, enum_of(right, type));
  } else {
    left = eval(*op.left, scope);
    if (left.bad()) return Bad{};
    right = eval(*op.right, scope, compares ? enum_of(left, type) : nullptr);
  }
  if (left.bad() || right.bad()) return Bad{};
  if (compares) return comparison(op, left, right, where);
  auto* a = left.get<std::int64_t>();
  auto* b = right.get<std::int64_t>();
  if (a && b) return arithmetic(op.op, *a, *b, where);
  return index_arithmetic(op, left, right, where);
}

Value Evaluator::index_arithmetic(const tree::Expr::BinaryOp& op, const Value& left, const Value& right,
                                  SourceRange where) {
  using B = tree::Binary;
  const bool has_meaning = op.op == B::add || op.op == B::sub || op.op == B::mul || op.op == B::div || op.op == B::rem;
  if (!has_meaning || !is_index_like(left) || !is_index_like(right)) {
    session_.error(op.op_where, cannot_operate, spelled(op.op), describe(left, session_.kernel),
                   describe(right, session_.kernel));
    return Bad{};
  }
  const std::optional<kernel::Index> a = index(left, op.left->where), b = index(right, op.right->where);
  if (!a || !b) return Bad{};
  kernel::Index result;
  if (op.op == B::add || op.op == B::sub) {
    result = *a + *b * (op.op == B::add ? 1 : -1);
  } else if (op.op == B::mul) {
    if (!a->is_constant() && !b->is_constant()) {
      session_.error(where, index_times_index);
      return Bad{};
    }
    const std::int64_t factor = a->is_constant() ? a->constant : b->constant;
    const kernel::Index& of = a->is_constant() ? *b : *a;
    // interval() below sees products that wrapped as values in range: hold each to 64 bits here.
    std::int64_t product = 0;
    bool fits = !__builtin_mul_overflow(of.constant, factor, &product);
    for (const kernel::Term& term : of.terms) fits = fits && !__builtin_mul_overflow(term.factor, factor, &product);
    if (!fits) {
      session_.error(where, overflow);
      return Bad{};
    }
    result = of * factor;
  } else {
    if (!b->is_constant() || b->constant <= 0) {
      session_.error(op.right->where, divided_by_index);
      return Bad{};
    }
    if (!is_fixed(*a)) {
      session_.error(where, division_of_registers);
      return Bad{};
    }
    result = divided(session_, *a, b->constant, op.op == B::rem);
  }
  if (!interval(session_, result)) {
    session_.error(where, overflow);
    return Bad{};
  }
  return result;
}

Value Evaluator::comparison(const tree::Expr::BinaryOp& op, const Value& left, const Value& right, SourceRange where) {
  const bool equality = op.op == tree::Binary::eq || op.op == tree::Binary::ne;
  auto* a = left.get<std::int64_t>();
  auto* b = right.get<std::int64_t>();
  if (a && b) {
    switch (*compare_of(op.op, false)) {
      case kernel::Compare::Is::eq:
        return *a == *b;
      case kernel::Compare::Is::ne:
        return *a != *b;
      case kernel::Compare::Is::lt:
        return *a < *b;
      case kernel::Compare::Is::le:
        return *a <= *b;
      case kernel::Compare::Is::gt:
        return *a > *b;
      case kernel::Compare::Is::ge:
        return *a >= *b;
    }
  }
  if (equality && is_constant(left) && is_constant(right)) {
    std::int64_t budget = Session::kMostSteps - session_.steps;
    const std::int64_t had = budget;
    const std::optional<bool> same = equal(left, right, budget);
    session_.steps += had - std::max<std::int64_t>(budget, 0);
    if (!session_.step(where)) return Bad{};
    if (same) return *same == (op.op == tree::Binary::eq);
  }
  for (const auto& [side, side_where] : {std::pair(&left, op.left->where), std::pair(&right, op.right->where)}) {
    const bool moving = side->has<RegisterRef>() || side->has<CounterRef>() ||
                        (side->has<kernel::Index>() && !is_fixed(*side->get<kernel::Index>()));
    if (moving && is_index_like(left) && is_index_like(right) && side->has<CounterRef>()) {
      session_.error(side_where, counter_compared, session_.one_line(side_where));
      return Bad{};
    }
    if (moving && is_index_like(left) && is_index_like(right)) {
      session_.error(side_where, register_compared, "`" + session_.one_line(side_where) + "`");
      return Bad{};
    }
  }
  if (!is_index_like(left) || !is_index_like(right)) {
    session_.error(op.op_where, cannot_compare, describe(left, session_.kernel), describe(right, session_.kernel));
    return Bad{};
  }
  const std::optional<kernel::Index> x = index(left, op.left->where), y = index(right, op.right->where);
  if (!x || !y) return Bad{};
  // left OP right, as (left - right without its constant) OP constant.
  const bool swapped = x->is_constant();
  kernel::Compare compare{swapped ? *y + *x * -1 : *x + *y * -1, *compare_of(op.op, swapped), 0};
  compare.right = -compare.left.constant;
  compare.left.constant = 0;
  if (std::optional<bool> known = decide(session_, compare)) return *known;
  return kernel::Facts{.compares = {compare}};
}

Value Evaluator::logical(const tree::Expr::BinaryOp& op, SourceRange where, Scope& scope) {
  const bool is_and = op.op == tree::Binary::and_;
  const Value left = eval(*op.left, scope);
  if (left.bad()) return Bad{};
  if (auto* known = left.get<bool>(); known && *known != is_and)
    return *known;  // the other side is not looked at, as in C
  const Value right = eval(*op.right, scope);
  if (right.bad()) return Bad{};
  auto* a = left.get<bool>();
  auto* b = right.get<bool>();
  if (a && b) return *b;
  auto* fa = left.get<kernel::Facts>();
  auto* fb = right.get<kernel::Facts>();
  if ((a || fa) && (b || fb)) {
    if (!is_and) {
      if (b && *b) return true;
      if (b) return left;
      if (a) return right;
      session_.error(op.op_where, facts_are_joined);
      return Bad{};
    }
    if (a) return right;
    if (b) return *b ? left : Value(false);
    kernel::Facts joined = *fa;
    joined.one |= fb->one;
    joined.inside |= fb->inside;
    joined.compares.insert(joined.compares.end(), fb->compares.begin(), fb->compares.end());
    return joined;
  }
  session_.error(op.op_where, cannot_operate, spelled(op.op), describe(left, session_.kernel),
                 describe(right, session_.kernel));
  return Bad{};
}

}  // namespace warpcc::sema
