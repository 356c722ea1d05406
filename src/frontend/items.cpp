// A file's items.
#include <algorithm>

#include "frontend/build.h"
#include "frontend/statics.h"

namespace warpcc::frontend {

tree::File Builder::build(WkParser::FileContext* rule) {
  tree::File made{file_, {}};
  for (auto* next : rule->item()) made.items.push_back(item(next));
  return made;
}

std::vector<tree::Item> Builder::contents(WkParser::ItemBlockContext* rule) {
  std::vector<tree::Item> made;
  for (auto* next : rule->item()) made.push_back(item(next));
  return made;
}

tree::Item Builder::item(WkParser::ItemContext* rule) {
  using tree::Item;
  Item made;
  made.where = where(rule);
  made.doc = doc(rule);
  if (rule->useFile()) {
    made.is = use(rule->useFile());
  } else if (rule->param()) {
    made.is = param(rule->param());
  } else if (rule->constant()) {
    made.is = constant(rule->constant());
  } else if (rule->require()) {
    made.is = require(rule->require());
  } else if (rule->tune()) {
    made.is = tune(rule->tune());
  } else if (rule->fn()) {
    made.is = fn(rule->fn());
  } else if (rule->enumeration()) {
    made.is = enumeration(rule->enumeration());
  } else if (rule->structure()) {
    made.is = structure(rule->structure());
  } else if (rule->proc()) {
    made.is = proc(rule->proc());
  } else if (rule->kernel()) {
    made.is = kernel(rule->kernel());
  } else if (rule->ifItem()) {
    made.is = static_if<Item>(*this, rule->ifItem());
  } else if (rule->forItem()) {
    made.is = static_for<Item>(*this, rule->forItem());
  } else {
    made.is = static_match<Item>(*this, rule->matchItem());
  }
  return made;
}

// The `///` lines right above, without their slashes and the blank behind them.
std::string Builder::doc(WkParser::ItemContext* rule) {
  std::vector<std::string> lines;
  std::size_t below = rule->getStart()->getLine();
  for (std::size_t i = rule->getStart()->getTokenIndex(); i > 0; --i) {
    antlr4::Token* token = tokens_.get(i - 1);
    if (token->getType() != WkParser::DOC || token->getLine() + 1 != below) break;
    below = token->getLine();
    std::string line = text(where(token)).substr(3);
    lines.push_back(line.starts_with(' ') ? line.substr(1) : line);
  }
  std::string made;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) made += made.empty() ? *line : "\n" + *line;
  return made;
}

tree::Use Builder::use(WkParser::UseFileContext* rule) {
  tree::Use made{string(rule->STRING()), where(rule->STRING()), {}};
  if (rule->name()) made.as = name(rule->name());
  return made;
}

tree::Param Builder::param(WkParser::ParamContext* rule) {
  return {name(rule->name()), type(rule->type()), expr(rule->expr())};
}

tree::Tune Builder::tune(WkParser::TuneContext* rule) {
  tree::Tune made{names(rule->names()), {}};
  for (auto* row : rule->tuneRow()) made.rows.push_back(tune_row(row));
  return made;
}

tree::TuneRow Builder::tune_row(WkParser::TuneRowContext* rule) {
  tree::TuneRow made;
  made.patterns = patterns(rule->pattern());
  made.when = expr(rule->expr());
  for (auto* field : rule->field()) made.fields.emplace_back(name(field->name()), expr(field->expr()));
  made.where = where(rule);
  return made;
}

tree::Fn Builder::fn(WkParser::FnContext* rule) {
  return {name(rule->name()), typed(rule->typed()), type(rule->type()), expr(rule->expr())};
}

tree::Enum Builder::enumeration(WkParser::EnumerationContext* rule) {
  tree::Enum made{name(rule->name()), {}};
  for (auto* next : rule->enumCase()) made.cases.push_back({name(next->name()), typed(next->typed())});
  return made;
}

tree::Struct Builder::structure(WkParser::StructureContext* rule) {
  tree::Struct made;
  made.name = name(rule->name());
  if (rule->structParameters()) made.parameters = typed(rule->structParameters()->typed());
  made.fields = typed(rule->structBody()->typed());
  for (auto* next : rule->structBody()->structRegisters()) {
    tree::Statement statement;
    statement.where = where(next);
    if (next->registers()) {
      statement.is = registers(next->registers());
    } else {
      statement.is = regs(next->regs());
    }
    made.registers.push_back(std::move(statement));
  }
  return made;
}

tree::Typed Builder::typed(WkParser::TypedContext* rule) {
  return {name(rule->name()), type(rule->type())};
}

std::vector<tree::Typed> Builder::typed(const std::vector<WkParser::TypedContext*>& rules) {
  std::vector<tree::Typed> made;
  for (auto* rule : rules) made.push_back(typed(rule));
  return made;
}

tree::Proc Builder::proc(WkParser::ProcContext* rule) {
  tree::Proc made;
  made.name = name(rule->name());
  for (auto* next : rule->formal()) made.formals.push_back(formal(next));
  made.body = block(rule->block());
  return made;
}

tree::Formal Builder::formal(WkParser::FormalContext* rule) {
  using tree::Formal;
  Formal made;
  made.name = name(rule->name());
  made.where = where(rule);
  if (rule->CONST()) {
    made.is = Formal::ConstValue{type(rule->type())};
    return made;
  }
  if (rule->OUT()) made.way = Formal::Way::out;
  if (rule->INOUT()) made.way = Formal::Way::inout;
  formal_kind(rule->formalKind(), made);
  return made;
}

void Builder::formal_kind(WkParser::FormalKindContext* rule, tree::Formal& formal) {
  using tree::Formal;
  if (rule->registerKind()) {
    formal.is = Formal::RegisterParameter{register_kind(rule->registerKind()), expr(rule->expr())};
  } else if (rule->BLOCK()) {
    formal.is = Formal::BlockParameter{};
  } else if (rule->PIPE()) {
    formal.is = Formal::PipeParameter{};
  } else if (rule->side) {
    formal.is = Formal::EndParameter{rule->PRODUCER() != nullptr, names(rule->names())};
  } else if (rule->space) {
    using Space = Formal::Space;
    Space space = rule->GLOBAL()   ? Space::global
                  : rule->SHARED() ? Space::shared
                  : rule->TENSOR() ? Space::tensor
                                   : Space::regs;
    Formal::ViewParameter view{space, copies(rule->copies()), {}};
    if (rule->tile()) view.tile = tile(rule->tile());
    formal.is = std::move(view);
  } else {
    tree::Type bundle;
    bundle.where = where(rule);
    bundle.path = path(rule->path());
    bundle.arguments = exprs(rule->exprs());
    formal.is = Formal::BundleParameter{std::move(bundle)};
  }
}

}  // namespace warpcc::frontend
