#include <fmt/format.h>

#include <iterator>

#include "sass/spelling.h"
#include "sass/text.h"

namespace warpcc::sass {

namespace {

std::string_view fixed_word(const Program& program, const Expr::Node& node) {
  if (node.fixed == Fixed::axis) return program.axes[static_cast<std::size_t>(node.number)].name;
  for (const FixedWord& entry : kFixedWords) {
    if (entry.fixed == node.fixed) return entry.word;
  }
  return "";
}

const OperatorWord* operator_of(Expr::Kind kind) {
  for (const OperatorWord& entry : kOperators) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

void append_expr(std::string& text, const Program& program, const Expr& expr, std::int32_t at, int binds) {
  const Expr::Node& node = expr.nodes[static_cast<std::size_t>(at)];
  auto out = std::back_inserter(text);
  switch (node.kind) {
    case Expr::Kind::number:
      fmt::format_to(out, "{}", node.number);
      return;
    case Expr::Kind::value:
      text += program[node.value].name;
      if (node.part != 0 || program[node.value].width > 1) fmt::format_to(out, ".{}", node.part);
      return;
    case Expr::Kind::fixed:
      text += fixed_word(program, node);
      return;
    case Expr::Kind::not_:
      text += '!';
      append_expr(text, program, expr, node.left, kBindsTightest);
      return;
    default:
      break;
  }
  const OperatorWord& word = *operator_of(node.kind);
  if (word.binds < binds) text += '(';
  append_expr(text, program, expr, node.left, word.binds);
  fmt::format_to(out, " {} ", word.word);
  append_expr(text, program, expr, node.right, word.binds + 1);
  if (word.binds < binds) text += ')';
}

void append_pins(std::string& text, const Program& program, const std::vector<Pin>& pins) {
  for (std::size_t i = 0; i < pins.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{} = ", i == 0 ? "" : ", ",
                   program.axes[static_cast<std::size_t>(pins[i].axis)].name);
    text += pins[i].by.empty() ? std::to_string(pins[i].at) : print_expr(program, pins[i].by);
  }
}

std::string_view view_name(const Program& program, const View& view) {
  if (view.buffer != BufferId::none) return program[view.buffer].name;
  if (view.barrier != MBarrierId::none) return program[view.barrier].name;
  if (view.named_barrier >= 0) return program.named_barriers[static_cast<std::size_t>(view.named_barrier)].name;
  if (view.fragment >= 0) return program[program.fragments[static_cast<std::size_t>(view.fragment)].value].name;
  if (view.word >= 0) return program.words[static_cast<std::size_t>(view.word)].name;
  return "?";
}

}  // namespace

std::string print_expr(const Program& program, const Expr& expr) {
  std::string text;
  if (!expr.empty()) append_expr(text, program, expr, static_cast<std::int32_t>(expr.nodes.size()) - 1, 0);
  return text;
}

std::string print_view(const Program& program, const View& view) {
  std::string text(view_name(program, view));
  auto out = std::back_inserter(text);
  if (!view.at.empty()) {
    text += " at (";
    append_pins(text, program, view.at);
    text += ')';
  }
  for (const Expr& copy : view.copies) fmt::format_to(out, "[{}]", print_expr(program, copy));
  for (std::size_t i = 0; i < view.coordinates.size(); ++i) {
    const Coord& coord = view.coordinates[i];
    text += i == 0 ? "[" : ", ";
    text += coord.whole ? ".." : print_expr(program, coord.from);
    if (coord.extent != 0) fmt::format_to(out, " +: {}", coord.extent);
  }
  if (!view.coordinates.empty()) text += ']';
  if (view.fragment_index) fmt::format_to(out, ".at({})", *view.fragment_index);
  return text;
}

std::string print_held(const Program& program, const Held& held) {
  if (held.kind == Held::Kind::number) return fmt::format("({})", print_expr(program, held.expr));
  if (held.kind == Held::Kind::mask_across) return fmt::format("mask across {}", held.name);
  std::string text;
  for (const HeldWord& entry : kHeldWords) {
    if (entry.kind == held.kind) (text += entry.word) += ' ';
  }
  text += held.name;
  for (std::size_t i = 0; i < held.views.size(); ++i) {
    if (i > 0) text += ", ";
    text += print_view(program, held.views[i]);
  }
  return text;
}

}  // namespace warpcc::sass
