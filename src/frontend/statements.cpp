// Statements, and what items and kernels share with them.
#include "frontend/build.h"
#include "frontend/statics.h"

namespace warpcc::frontend {
namespace {

constexpr Message<> guarded_call{
    "guarded-call",
    "a guard stands before an instruction, whose operands have no parentheses; this is a call, and `when` guards it"};
constexpr Message<std::string> callee{"callee", "`{}` is no name of a proc"};
constexpr Message<> operand_order{"operand-order", "an operand without a name comes before those with one"};

// A proc's name is made of names; an opcode may have any words behind its dots.
bool is_path(WkParser::OpcodeContext* rule) {
  for (auto* word : rule->word()) {
    if (!word->name()) return false;
  }
  return true;
}

}  // namespace

std::vector<tree::Statement> Builder::contents(WkParser::BlockContext* rule) {
  std::vector<tree::Statement> made;
  for (auto* next : rule->statement()) made.push_back(statement(next));
  return made;
}

tree::Block Builder::block(WkParser::BlockContext* rule) {
  return {contents(rule), where(rule)};
}

tree::Statement Builder::statement(WkParser::StatementContext* rule) {
  using tree::Statement;
  Statement made;
  made.where = where(rule);
  if (auto* action = rule->action()) {
    if (action->CALL_OPEN()) {
      made.is = call(action);
    } else {
      made.is = instruction(action);
    }
  } else if (rule->registers()) {
    made.is = registers(rule->registers());
  } else if (rule->regs()) {
    made.is = regs(rule->regs());
  } else if (rule->let()) {
    made.is = tree::Let{name(rule->let()->name()), expr(rule->let()->expr())};
  } else if (rule->constant()) {
    made.is = constant(rule->constant());
  } else if (rule->require()) {
    made.is = require(rule->require());
  } else if (rule->ifStatement()) {
    made.is = static_if<Statement>(*this, rule->ifStatement());
  } else if (rule->forStatement()) {
    made.is = static_for<Statement>(*this, rule->forStatement());
  } else if (rule->matchStatement()) {
    made.is = static_match<Statement>(*this, rule->matchStatement());
  } else if (rule->loop()) {
    made.is = loop(rule->loop());
  } else if (rule->when()) {
    made.is = when(rule->when());
  } else if (rule->breakWhen()) {
    made.is = tree::Break{expr(rule->breakWhen()->expr())};
  } else if (rule->on()) {
    made.is = tree::On{expr(rule->on()->expr()), block(rule->on()->block())};
  } else if (rule->hold()) {
    made.is = hold(rule->hold());
  } else {
    auto* turn = rule->turn();
    made.is = tree::Turn{path(turn->path()), expr(turn->expr()), block(turn->block())};
  }
  return made;
}

tree::Const Builder::constant(WkParser::ConstantContext* rule) {
  tree::Const made{name(rule->name()), {}, expr(rule->expr())};
  if (rule->type()) made.type = type(rule->type());
  return made;
}

tree::Require Builder::require(WkParser::RequireContext* rule) {
  return {expr(rule->expr()), string(rule->STRING()), where(rule->STRING())};
}

tree::RegisterKind Builder::register_kind(WkParser::RegisterKindContext* rule) {
  using tree::RegisterKind;
  return rule->R() ? RegisterKind::r : rule->UR() ? RegisterKind::ur : rule->P() ? RegisterKind::p : RegisterKind::up;
}

tree::Registers Builder::registers(WkParser::RegistersContext* rule) {
  tree::Registers made{register_kind(rule->registerKind()), {}};
  for (auto* next : rule->declarator()) {
    auto parts = next->expr();
    std::size_t count = next->LBRACKET() ? 1 : 0;
    tree::RegisterDeclarator declarator;
    declarator.name = name(next->name());
    if (count) declarator.count = expr(parts[0]);
    if (next->range()) declarator.range = range(next->range());
    if (next->BY()) declarator.step = expr(parts[count]);
    made.names.push_back(std::move(declarator));
  }
  return made;
}

tree::Regs Builder::regs(WkParser::RegsContext* rule) {
  tree::Regs made;
  made.name = name(rule->name());
  tree::Path what = path(rule->path());
  if (rule->IN()) {
    tree::Tile tile;
    tile.where = where(rule->path());
    if (rule->RBRACKET()) tile.where.end = where(rule->RBRACKET()).end;
    tile.element = std::move(what);
    tile.has_shape = rule->LBRACKET() != nullptr;
    tile.shape = exprs(rule->exprs());
    made.tile = std::move(tile);
    made.layout = expr(rule->expr());
  } else {
    tree::Type bundle;
    bundle.where = {file_, what.where.begin, where(rule->RPAREN()).end};
    bundle.path = std::move(what);
    bundle.arguments = exprs(rule->exprs());
    made.bundle = std::move(bundle);
  }
  return made;
}

tree::Tile Builder::tile(WkParser::TileContext* rule) {
  return {path(rule->path()), exprs(rule->exprs()), rule->LBRACKET() != nullptr, where(rule)};
}

tree::Loop Builder::loop(WkParser::LoopContext* rule) {
  tree::Loop made;
  if (rule->name()) {
    made.counter = name(rule->name());
    made.range = range(rule->range());
    made.step = expr(rule->expr());
  }
  made.body = block(rule->block());
  return made;
}

tree::When Builder::when(WkParser::WhenContext* rule) {
  tree::When made{expr(rule->expr()), block(rule->block(0)), {}};
  if (rule->ELSE()) made.otherwise = block(rule->block(1));
  return made;
}

tree::Hold Builder::hold(WkParser::HoldContext* rule) {
  using Kind = tree::Hold::Kind;
  Kind kind = rule->FILL() ? Kind::fill : rule->TAKE() ? Kind::take : Kind::drain;
  return {kind, path(rule->path()), block(rule->block())};
}

tree::Call Builder::call(WkParser::ActionContext* rule) {
  if (rule->guard()) diagnostics_.error(where(rule->guard()), guarded_call);
  auto* called = rule->opcode();
  if (!is_path(called)) diagnostics_.error(where(called), callee, text(where(called)));
  tree::Call made;
  made.callee.where = where(called);
  made.callee.names.push_back(name(called->opcodeName()));
  for (auto* word : called->word()) made.callee.names.push_back(name(word));
  made.arguments = arguments(rule->arguments());
  if (rule->block()) made.body = block(rule->block());
  return made;
}

tree::Instruction Builder::instruction(WkParser::ActionContext* rule) {
  tree::Instruction made;
  if (rule->guard()) made.guard = guard(rule->guard());
  made.opcode_where = where(rule->opcode());
  made.opcode = text(where(rule->opcode()->opcodeName()));
  for (auto* word : rule->opcode()->word()) made.opcode += "." + text(where(word));
  if (rule->ACROSS()) made.across = name(rule->name());
  if (rule->FOR()) made.for_ = name(rule->name());

  std::vector<tree::Argument> operands = arguments(rule->arguments());
  std::size_t positional = operands.size();
  for (auto* behind : rule->argument()) operands.push_back(argument(behind));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    tree::Argument& operand = operands[i];
    if (operand.name) {
      made.options.emplace_back(*operand.name, operand.value);
    } else if (i < positional && made.options.empty()) {
      made.operands.push_back(operand.value);
    } else {
      diagnostics_.error(operand.value->where, operand_order);
    }
  }
  return made;
}

tree::Guard Builder::guard(WkParser::GuardContext* rule) {
  tree::Guard made;
  made.negated = rule->NOT() != nullptr;
  if (rule->path()) made.predicate = path(rule->path());
  made.facts = expr(rule->expr());
  made.where = where(rule);
  return made;
}

}  // namespace warpcc::frontend
