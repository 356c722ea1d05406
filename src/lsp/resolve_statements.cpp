// Statements: what they declare and name.
#include "isa/isa.h"
#include "lsp/resolve.h"

namespace warpcc::lsp {

void Resolver::block(const tree::Block& block) {
  const Scope scope(*this, block.where);
  statements(block.statements);
}

void Resolver::statements(const std::vector<tree::Statement>& statements) {
  for (const tree::Statement& each : statements) statement(each);
}

void Resolver::range(const tree::Range& range) {
  expr(range.begin);
  expr(range.end);
}

void Resolver::statement(const tree::Statement& it) {
  if (auto* an_instruction = std::get_if<tree::Instruction>(&it.is)) {
    instruction(*an_instruction);
  } else if (auto* plain = std::get_if<tree::Registers>(&it.is)) {
    registers(*plain, it.where);
  } else if (auto* fragment = std::get_if<tree::Regs>(&it.is)) {
    regs(*fragment, it.where);
  } else if (auto* let = std::get_if<tree::Let>(&it.is)) {
    expr(let->value);
    declare(NameKind::let, let->name, it.where, let);
  } else if (auto* constant = std::get_if<tree::Const>(&it.is)) {
    expr(constant->value, constant->type ? type(*constant->type) : NameRef{});
    declare(NameKind::constant, constant->name, it.where, constant);
  } else if (auto* require = std::get_if<tree::Require>(&it.is)) {
    expr(require->condition);
  } else if (auto* an_if = std::get_if<tree::StaticIf<tree::Statement>>(&it.is)) {
    // The branch that is kept is spliced in: what it declares is seen afterwards.
    expr(an_if->condition);
    statements(an_if->then);
    statements(an_if->otherwise);
  } else if (auto* a_for = std::get_if<tree::StaticFor<tree::Statement>>(&it.is)) {
    range(a_for->range);
    expr(a_for->step);
    const Scope scope(*this, it.where);
    declare(NameKind::variable, a_for->variable, a_for->variable.where);
    statements(a_for->body);
  } else if (auto* a_match = std::get_if<tree::StaticMatch<tree::Statement>>(&it.is)) {
    const NameRef of = expr(a_match->value);
    for (const auto& arm : a_match->arms) {
      pattern(*arm.pattern, of, false);
      statements(arm.body);
    }
  } else if (auto* loop = std::get_if<tree::Loop>(&it.is)) {
    if (loop->range) range(*loop->range);
    expr(loop->step);
    const Scope scope(*this, it.where);
    if (loop->counter) declare(NameKind::counter, *loop->counter, loop->counter->where);
    block(loop->body);
  } else if (auto* when = std::get_if<tree::When>(&it.is)) {
    expr(when->condition);
    block(when->then);
    if (when->otherwise) block(*when->otherwise);
  } else if (auto* a_break = std::get_if<tree::Break>(&it.is)) {
    expr(a_break->condition);
  } else if (auto* on = std::get_if<tree::On>(&it.is)) {
    expr(on->fact);
    block(on->body);
  } else if (auto* hold = std::get_if<tree::Hold>(&it.is)) {
    path(hold->end);
    block(hold->body);
  } else if (auto* turn = std::get_if<tree::Turn>(&it.is)) {
    path(turn->end);
    expr(turn->stages);
    block(turn->body);
  } else if (auto* a_call = std::get_if<tree::Call>(&it.is)) {
    call(*a_call);
  }
}

void Resolver::registers(const tree::Registers& it, SourceRange where, NameRef bundle) {
  for (const tree::RegisterDeclarator& each : it.names) {
    expr(each.count);
    if (each.range) range(*each.range);
    expr(each.step);
    if (bundle) continue;  // its fields are declared with it
    declare(NameKind::registers, each.name, where, &each);
    names_.declarations_.back().registers = it.kind;
  }
}

void Resolver::regs(const tree::Regs& it, SourceRange where, NameRef bundle) {
  if (it.tile) tile(*it.tile);
  expr(it.layout);
  if (it.bundle) type(*it.bundle);
  if (!bundle) declare(it.bundle ? NameKind::bundle : NameKind::fragment, it.name, where, &it);
}

void Resolver::instruction(const tree::Instruction& it) {
  if (it.guard) {
    if (it.guard->predicate) path(*it.guard->predicate);
    expr(it.guard->facts);
  }
  const isa::Statement* row = isa::statement(it.opcode);
  if (!row && it.operands.empty()) {
    // A block that a proc was handed.
    const NameRef block = find(it.opcode);
    const Declaration* of = declaration(block);
    if (of && of->kind == NameKind::parameter) use(it.opcode_where, block);
  }
  for (std::size_t i = 0; i < it.operands.size(); ++i) {
    const std::size_t before = names_.uses_.size();
    expr(it.operands[i]);
    const bool out = row && i < row->slots.size() && row->slots[i].out;
    // The first name of the operand is what is written; coordinates are read.
    if (out && names_.uses_.size() > before) names_.uses_[before].writes = true;
  }
  if (it.across) use(it.across->where, find(it.across->text));
  if (it.for_) use(it.for_->where, find(it.for_->text));
  for (const auto& [name, value] : it.options) expr(value);
}

void Resolver::call(const tree::Call& it) {
  NameRef of;
  if (it.callee.names.size() == 1) {
    of = find(it.callee.names[0].text);
    use(it.callee.names[0].where, of);
  } else if (!it.callee.names.empty()) {
    tree::Path front = it.callee;
    front.names.pop_back();
    of = member_of(path(front), it.callee.names.back());
  }
  arguments(it.arguments, of);
  if (it.body) block(*it.body);
}

}  // namespace warpcc::lsp
