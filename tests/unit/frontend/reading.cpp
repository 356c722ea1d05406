#include "reading.h"

#include <vector>

namespace warpcc {
namespace {

using tree::Expr;
using tree::Pattern;

template <typename List>
std::string show_all(const List& list) {
  std::string shown;
  for (const auto& element : list) shown += " " + show(element);
  return shown;
}

std::string show_all(const std::vector<tree::Argument>& arguments) {
  std::string shown;
  for (const tree::Argument& argument : arguments) {
    shown += " " + (argument.name ? argument.name->text + ":" : "") + show(argument.value);
  }
  return shown;
}

std::string show_all(const std::vector<tree::Coord>& coords) {
  std::string shown;
  for (const tree::Coord& coord : coords) {
    shown += coord.whole ? " .." : " " + show(coord.from) + (coord.extent ? "+:" + show(coord.extent) : "");
  }
  return shown;
}

constexpr const char* kOperators[] = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "|",
                                      "^",  "&",  "<<", ">>", "+", "-",  "*", "/",  "%"};

struct Show {
  std::string operator()(const Expr::Integer& e) const { return std::to_string(e.value); }
  std::string operator()(const Expr::String& e) const { return '"' + e.value + '"'; }
  std::string operator()(const Expr::Boolean& e) const { return e.value ? "true" : "false"; }
  std::string operator()(const Expr::Identifier& e) const { return e.name; }
  std::string operator()(const Expr::Tuple& e) const { return "(tuple" + show_all(e.elements) + ")"; }
  std::string operator()(const Expr::Layout& e) const { return "(: " + show(e.shape) + " " + show(e.strides) + ")"; }
  std::string operator()(const Expr::If& e) const {
    return "(if " + show(e.condition) + " " + show(e.then) + " " + show(e.otherwise) + ")";
  }
  std::string operator()(const Expr::Match& e) const {
    std::string shown = "(match " + show(e.value);
    for (const tree::MatchArm& arm : e.arms) shown += " " + show(arm.pattern) + "=>" + show(arm.value);
    return shown + ")";
  }
  std::string operator()(const Expr::Is& e) const { return "(is " + show(e.value) + " " + show(e.pattern) + ")"; }
  std::string operator()(const Expr::UnaryOp& e) const {
    return (e.op == tree::Unary::negate ? "(- " : "(! ") + show(e.operand) + ")";
  }
  std::string operator()(const Expr::BinaryOp& e) const {
    return std::string("(") + kOperators[static_cast<int>(e.op)] + " " + show(e.left) + " " + show(e.right) + ")";
  }
  std::string operator()(const Expr::Member& e) const { return "(. " + show(e.of) + " " + e.name.text + ")"; }
  std::string operator()(const Expr::Call& e) const { return "(call " + show(e.callee) + show_all(e.arguments) + ")"; }
  std::string operator()(const Expr::View& e) const { return "([] " + show(e.of) + show_all(e.coords) + ")"; }
  std::string operator()(const Expr::At& e) const {
    std::string shown = "(at " + show(e.of);
    for (const tree::Pin& pin : e.pins) shown += " " + pin.axis.text + "=" + show(pin.at);
    return shown + ")";
  }

  std::string operator()(const Pattern::Any&) const { return "_"; }
  std::string operator()(const Pattern::Boolean& p) const { return p.value ? "true" : "false"; }
  std::string operator()(const Pattern::Integer& p) const { return std::to_string(p.value); }
  std::string operator()(const Pattern::Between& p) const { return fmt::format("{}..{}", p.begin, p.end); }
  std::string operator()(const Pattern::Case& p) const {
    return p.has_arguments ? "(" + show(p.path) + show_all(p.arguments) + ")" : show(p.path);
  }
  std::string operator()(const Pattern::Tuple& p) const { return "(tuple" + show_all(p.elements) + ")"; }
};

}  // namespace

std::string show(const tree::ExprPtr& expr) {
  return expr ? std::visit(Show{}, expr->is) : "none";
}
std::string show(const tree::PatternPtr& pattern) {
  return std::visit(Show{}, pattern->is);
}

std::string show(const tree::Path& path) {
  std::string shown;
  for (const tree::Name& name : path.names) shown += (shown.empty() ? "" : ".") + name.text;
  return shown;
}

}  // namespace warpcc
