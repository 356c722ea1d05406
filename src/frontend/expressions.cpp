// Expressions, patterns, types and names.
#include <algorithm>
#include <memory>

#include "frontend/build.h"
#include "frontend/literals.h"

namespace warpcc::frontend {
namespace {

constexpr Message<std::string> number_malformed{
    "number", "`{}` is no number: numbers are decimal or `0x` and hexadecimal digits, with `_` between digits"};
constexpr Message<std::string> number_overflow{"number", "{} does not fit into 64 bits"};
constexpr Message<> number_fraction{"number", "a number has no fraction here: values are integers"};
constexpr Message<> string_escape{"string-escape", R"(a string has the escapes \" \\ \n and \t)"};

using tree::Binary;
using tree::Expr;
using tree::ExprPtr;

template <typename Node>
ExprPtr make(SourceRange where, Node node) {
  auto made = std::make_shared<Expr>();
  made->is = std::move(node);
  made->where = where;
  return made;
}

SourceRange across(SourceRange first, SourceRange last) {
  return {first.file, first.begin, last.end};
}

struct Operator {
  Binary op{};
  int precedence = 0;
};

// C's precedence; `is` is a comparison.
constexpr int kIsPrecedence = 7;
Operator operator_of(std::size_t token) {
  switch (token) {
    case WkParser::OROR:
      return {Binary::or_, 1};
    case WkParser::ANDAND:
      return {Binary::and_, 2};
    case WkParser::OR:
      return {Binary::bit_or, 3};
    case WkParser::XOR:
      return {Binary::bit_xor, 4};
    case WkParser::AND:
      return {Binary::bit_and, 5};
    case WkParser::EQ:
      return {Binary::eq, 6};
    case WkParser::NE:
      return {Binary::ne, 6};
    case WkParser::LT:
      return {Binary::lt, 7};
    case WkParser::LE:
      return {Binary::le, 7};
    case WkParser::GT:
      return {Binary::gt, 7};
    case WkParser::GE:
      return {Binary::ge, 7};
    case WkParser::SHL:
      return {Binary::shl, 8};
    case WkParser::SHR:
      return {Binary::shr, 8};
    case WkParser::PLUS:
      return {Binary::add, 9};
    case WkParser::MINUS:
      return {Binary::sub, 9};
    case WkParser::STAR:
      return {Binary::mul, 10};
    case WkParser::SLASH:
      return {Binary::div, 10};
    default:
      return {Binary::rem, 10};
  }
}

// Operands and the operators between them, folded as far as what came last allows.
class Folding {
 public:
  explicit Folding(ExprPtr first) { operands_.push_back(std::move(first)); }

  void push(Operator op, SourceRange op_where, ExprPtr operand) {
    fold(op.precedence);
    pending_.push_back({op, op_where});
    operands_.push_back(std::move(operand));
  }
  // `is` has no expression on its right.
  void push_is(tree::PatternPtr pattern) {
    fold(kIsPrecedence);
    ExprPtr value = operands_.back();
    SourceRange where = across(value->where, pattern->where);
    operands_.back() = make(where, Expr::Is{std::move(value), std::move(pattern)});
  }
  ExprPtr done() {
    fold(0);
    return operands_.back();
  }

 private:
  void fold(int precedence) {
    while (!pending_.empty() && pending_.back().op.precedence >= precedence) {
      ExprPtr right = std::move(operands_.back());
      operands_.pop_back();
      ExprPtr left = std::move(operands_.back());
      SourceRange where = across(left->where, right->where);
      Pending last = pending_.back();
      pending_.pop_back();
      operands_.back() = make(where, Expr::BinaryOp{last.op.op, std::move(left), std::move(right), last.where});
    }
  }

  struct Pending {
    Operator op;
    SourceRange where;
  };
  std::vector<ExprPtr> operands_;
  std::vector<Pending> pending_;
};

}  // namespace

ExprPtr Builder::expr(WkParser::ExprContext* rule) {
  if (!rule) return nullptr;
  if (rule->ifExpr()) return if_expr(rule->ifExpr());
  if (rule->matchExpr()) return match_expr(rule->matchExpr());
  return chain(rule->chain());
}

std::vector<ExprPtr> Builder::exprs(WkParser::ExprsContext* rule) {
  std::vector<ExprPtr> made;
  if (!rule) return made;
  for (auto* element : rule->expr()) made.push_back(expr(element));
  return made;
}

ExprPtr Builder::if_expr(WkParser::IfExprContext* rule) {
  auto parts = rule->expr();
  return make(where(rule), Expr::If{expr(parts[0]), expr(parts[1]), expr(parts[2])});
}

ExprPtr Builder::match_expr(WkParser::MatchExprContext* rule) {
  Expr::Match match;
  match.value = expr(rule->expr());
  for (auto* arm : rule->exprArm()) match.arms.push_back({pattern(arm->pattern()), expr(arm->expr())});
  return make(where(rule), std::move(match));
}

ExprPtr Builder::chain(WkParser::ChainContext* rule) {
  Folding folding(unary(rule->unary()));
  for (auto* link : rule->link()) {
    if (link->IS()) {
      folding.push_is(pattern(link->pattern()));
    } else {
      folding.push(operator_of(link->infix()->getStart()->getType()), where(link->infix()), unary(link->unary()));
    }
  }
  return folding.done();
}

ExprPtr Builder::unary(WkParser::UnaryContext* rule) {
  ExprPtr operand = postfix(rule->postfix());
  if (!rule->MINUS() && !rule->NOT()) return operand;
  return make(where(rule), Expr::UnaryOp{rule->MINUS() ? tree::Unary::negate : tree::Unary::not_, std::move(operand)});
}

ExprPtr Builder::postfix(WkParser::PostfixContext* rule) {
  ExprPtr made = primary(rule->primary());
  for (auto* next : rule->suffix()) made = suffix(std::move(made), next);
  return made;
}

ExprPtr Builder::suffix(ExprPtr of, WkParser::SuffixContext* rule) {
  SourceRange whole = across(of->where, where(rule));
  if (rule->DOT()) {
    if (std::holds_alternative<Expr::Integer>(of->is)) diagnostics_.error(whole, number_fraction);
    return make(whole, Expr::Member{std::move(of), name(rule->word())});
  }
  if (rule->CALL_OPEN()) return make(whole, Expr::Call{std::move(of), arguments(rule->arguments())});
  if (rule->AT()) return make(whole, Expr::At{std::move(of), pins(rule->pins())});
  Expr::View view{std::move(of), {}};
  for (auto* next : rule->coord()) view.coords.push_back(coord(next));
  return make(whole, std::move(view));
}

tree::Coord Builder::coord(WkParser::CoordContext* rule) {
  if (rule->DOTDOT()) return {true, nullptr, nullptr, where(rule)};
  return {false, expr(rule->expr(0)), expr(rule->expr(1)), where(rule)};
}

ExprPtr Builder::primary(WkParser::PrimaryContext* rule) {
  if (rule->NUMBER()) return make(where(rule), Expr::Integer{number(rule->NUMBER())});
  if (rule->STRING()) return make(where(rule), Expr::String{string(rule->STRING())});
  if (rule->TRUE() || rule->FALSE()) return make(where(rule), Expr::Boolean{rule->TRUE() != nullptr});
  if (rule->name()) return make(where(rule), Expr::Identifier{name(rule->name()).text});
  return in_parentheses(rule);
}

// One expression in parentheses is that expression, its range with the parentheses.
ExprPtr Builder::in_parentheses(WkParser::PrimaryContext* rule) {
  SourceRange parentheses = across(where(rule->LPAREN()), where(rule->RPAREN()));
  std::vector<ExprPtr> elements = exprs(rule->exprs());
  ExprPtr made =
      elements.size() == 1 ? make(parentheses, elements[0]->is) : make(parentheses, Expr::Tuple{std::move(elements)});
  if (!rule->COLON()) return made;
  return make(where(rule), Expr::Layout{std::move(made), postfix(rule->postfix())});
}

tree::Range Builder::range(WkParser::RangeContext* rule) {
  return {expr(rule->expr(0)), expr(rule->expr(1)), where(rule)};
}

std::vector<tree::Argument> Builder::arguments(WkParser::ArgumentsContext* rule) {
  std::vector<tree::Argument> made;
  if (!rule) return made;
  for (auto* next : rule->argument()) made.push_back(argument(next));
  return made;
}

tree::Argument Builder::argument(WkParser::ArgumentContext* rule) {
  tree::Argument made;
  if (rule->name()) made.name = name(rule->name());
  made.value = expr(rule->expr());
  return made;
}

std::vector<tree::Pin> Builder::pins(WkParser::PinsContext* rule) {
  std::vector<tree::Pin> made;
  if (!rule) return made;
  for (auto* pin : rule->pin()) made.push_back({name(pin->name()), expr(pin->expr())});
  return made;
}

tree::PatternPtr Builder::pattern(WkParser::PatternContext* rule) {
  using tree::Pattern;
  auto made = std::make_shared<Pattern>();
  made->where = where(rule);
  auto integers = rule->integer();
  if (rule->UNDERSCORE()) {
    made->is = Pattern::Any{};
  } else if (rule->TRUE() || rule->FALSE()) {
    made->is = Pattern::Boolean{rule->TRUE() != nullptr};
  } else if (integers.size() == 1) {
    made->is = Pattern::Integer{integer(integers[0])};
  } else if (integers.size() == 2) {
    made->is = Pattern::Between{integer(integers[0]), integer(integers[1])};
  } else if (rule->path()) {
    made->is = Pattern::Case{path(rule->path()), rule->open() != nullptr, patterns(rule->pattern())};
  } else {
    std::vector<tree::PatternPtr> elements = patterns(rule->pattern());
    made->is = elements.size() == 1 ? elements[0]->is : Pattern::Tuple{std::move(elements)};
  }
  return made;
}

std::vector<tree::PatternPtr> Builder::patterns(const std::vector<WkParser::PatternContext*>& rules) {
  std::vector<tree::PatternPtr> made;
  for (auto* rule : rules) made.push_back(pattern(rule));
  return made;
}

std::int64_t Builder::integer(WkParser::IntegerContext* rule) {
  std::int64_t value = number(rule->NUMBER());
  return rule->MINUS() ? -value : value;
}

std::int64_t Builder::number(antlr4::tree::TerminalNode* literal) {
  SourceRange place = where(literal);
  Number read = read_number(text(place));
  if (read.overflow) diagnostics_.error(place, number_overflow, text(place));
  if (!read.value && !read.overflow) diagnostics_.error(place, number_malformed, text(place));
  return read.value.value_or(0);
}

std::string Builder::string(antlr4::tree::TerminalNode* literal) {
  SourceRange place = where(literal);
  std::optional<std::string> value = read_string(text(place));
  if (!value) diagnostics_.error(place, string_escape);
  return value.value_or("");
}

tree::Path Builder::path(WkParser::PathContext* rule) {
  tree::Path made{{}, where(rule)};
  for (auto* part : rule->name()) made.names.push_back(name(part));
  return made;
}

tree::Name Builder::name(antlr4::ParserRuleContext* rule) {
  return {text(where(rule)), where(rule)};
}

std::vector<tree::Name> Builder::names(WkParser::NamesContext* rule) {
  std::vector<tree::Name> made;
  if (!rule) return made;
  for (auto* next : rule->name()) made.push_back(name(next));
  return made;
}

tree::Type Builder::type(WkParser::TypeContext* rule) {
  using Kind = tree::Type::Kind;
  tree::Type made;
  made.where = where(rule);
  if (rule->LAYOUT()) {
    made.kind = rule->LOGICAL() ? Kind::layout_logical : rule->TV() ? Kind::layout_tv : Kind::layout_physical;
  } else if (rule->path()) {
    made.path = path(rule->path());
    made.arguments = exprs(rule->exprs());
  } else {
    made.kind = Kind::tuple;
    for (auto* element : rule->type()) made.elements.push_back(type(element));
  }
  return made;
}

SourceRange Builder::where(antlr4::ParserRuleContext* rule) const {
  antlr4::Token* first = rule->getStart();
  antlr4::Token* last = rule->getStop();
  // A rule that took nothing stops before it starts.
  if (!last || last->getTokenIndex() < first->getTokenIndex()) {
    auto at = static_cast<std::uint32_t>(first->getStartIndex());
    return {file_, at, at};
  }
  return {file_, static_cast<std::uint32_t>(first->getStartIndex()),
          static_cast<std::uint32_t>(last->getStopIndex() + 1)};
}

SourceRange Builder::where(antlr4::Token* token) const {
  return {file_, static_cast<std::uint32_t>(token->getStartIndex()),
          static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

}  // namespace warpcc::frontend
