#include <utility>

#include "sass/program.h"

namespace warpcc::sass {

Expr Expr::of(std::int64_t number) {
  Expr expr;
  Node& node = expr.nodes.emplace_back();
  node.number = number;
  return expr;
}

Expr Expr::of(ValueId value, int part) {
  Expr expr;
  Node& node = expr.nodes.emplace_back();
  node.kind = Kind::value;
  node.value = value;
  node.part = static_cast<std::uint8_t>(part);
  return expr;
}

Expr Expr::of(Fixed fixed, int axis) {
  Expr expr;
  Node& node = expr.nodes.emplace_back();
  node.kind = Kind::fixed;
  node.fixed = fixed;
  node.number = axis;
  return expr;
}

Expr Expr::binary(Kind kind, Expr left, Expr right) {
  Expr expr = std::move(left);
  auto left_root = static_cast<std::int32_t>(expr.nodes.size()) - 1;
  auto shift = static_cast<std::int32_t>(expr.nodes.size());
  for (Node node : right.nodes) {
    if (node.left >= 0) node.left += shift;
    if (node.right >= 0) node.right += shift;
    expr.nodes.push_back(node);
  }
  Node& root = expr.nodes.emplace_back();
  root.kind = kind;
  root.left = left_root;
  root.right = static_cast<std::int32_t>(expr.nodes.size()) - 2;
  if (kind == Kind::not_) {  // one operand: the left one
    root.left = static_cast<std::int32_t>(expr.nodes.size()) - 2;
    root.right = -1;
  }
  return expr;
}

}  // namespace warpcc::sass
