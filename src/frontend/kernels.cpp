// A kernel and its members.
#include "frontend/build.h"
#include "frontend/statics.h"

namespace warpcc::frontend {
namespace {

constexpr Message<> pins_in_parentheses{"pins-in-parentheses",
                                        "the pins of a role stand without parentheses: `at half = 0`"};
constexpr Message<std::string> clause_twice{"clause-twice", "a kernel has one `{}`"};

}  // namespace

tree::Kernel Builder::kernel(WkParser::KernelContext* rule) {
  tree::Kernel made;
  made.name = name(rule->name(0));
  for (auto* parameter : rule->global()) made.parameters.push_back(global(parameter));
  made.target = name(rule->name(1));
  for (auto* next : rule->clause()) clause(next, made);
  for (auto* next : rule->member()) made.members.push_back(member(next));
  return made;
}

tree::GlobalParameter Builder::global(WkParser::GlobalContext* rule) {
  using tree::GlobalMode;
  GlobalMode mode = GlobalMode::none;
  if (rule->way) {
    switch (rule->way->getType()) {
      case WkParser::IN:
        mode = GlobalMode::in;
        break;
      case WkParser::OUT:
        mode = GlobalMode::out;
        break;
      case WkParser::INOUT:
        mode = GlobalMode::inout;
        break;
      default:
        mode = GlobalMode::kept;
    }
  }
  return {name(rule->name()), mode, tile(rule->tile()), expr(rule->expr())};
}

void Builder::clause(WkParser::ClauseContext* rule, tree::Kernel& kernel) {
  bool again = false;
  if (rule->GRID()) {
    again = !kernel.grid.empty();
    kernel.grid = exprs(rule->exprs());
  } else if (rule->CLUSTER()) {
    again = !kernel.cluster.empty();
    for (auto* axis : rule->axis()) kernel.cluster.push_back({name(axis->name()), expr(axis->expr())});
  } else {
    again = kernel.registers != nullptr;
    kernel.registers = expr(rule->expr());
  }
  SourceRange word = where(rule->getStart());
  if (again) diagnostics_.error(word, clause_twice, text(word));
}

std::vector<tree::Member> Builder::contents(WkParser::MemberBlockContext* rule) {
  std::vector<tree::Member> made;
  for (auto* next : rule->member()) made.push_back(member(next));
  return made;
}

tree::Member Builder::member(WkParser::MemberContext* rule) {
  using tree::Member;
  Member made;
  made.where = where(rule);
  if (rule->buffer()) {
    made.is = buffer(rule->buffer());
  } else if (rule->pipe()) {
    made.is = pipe(rule->pipe());
  } else if (rule->barrier()) {
    made.is = barrier(rule->barrier());
  } else if (rule->constant()) {
    made.is = constant(rule->constant());
  } else if (rule->require()) {
    made.is = require(rule->require());
  } else if (rule->role()) {
    made.is = role(rule->role());
  } else if (rule->startBlock()) {
    made.is = tree::Start{block(rule->startBlock()->block())};
  } else if (rule->finishBlock()) {
    made.is = tree::Finish{block(rule->finishBlock()->block())};
  } else if (rule->ifMember()) {
    made.is = static_if<Member>(*this, rule->ifMember());
  } else if (rule->forMember()) {
    made.is = static_for<Member>(*this, rule->forMember());
  } else {
    made.is = static_match<Member>(*this, rule->matchMember());
  }
  return made;
}

tree::Buffer Builder::buffer(WkParser::BufferContext* rule) {
  return {rule->TENSOR() != nullptr, name(rule->name()), copies(rule->copies()), tile(rule->tile()),
          expr(rule->expr())};
}

std::vector<tree::Copies> Builder::copies(const std::vector<WkParser::CopiesContext*>& rules) {
  using Kind = tree::Copies::Kind;
  std::vector<tree::Copies> made;
  for (auto* rule : rules) {
    Kind kind = rule->RING() ? Kind::ring : rule->WARPS() ? Kind::warps : Kind::warpgroups;
    made.push_back({kind, expr(rule->expr()), where(rule)});
  }
  return made;
}

tree::Pipe Builder::pipe(WkParser::PipeContext* rule) {
  tree::Pipe made;
  made.name = name(rule->name(0));
  made.depth = expr(rule->expr());
  if (rule->carries()) made.carries = names(rule->carries()->names());
  if (rule->from()) made.from = pins(rule->from()->pins());
  if (rule->to()) made.to = pins(rule->to()->pins());
  if (rule->ACROSS()) made.across = name(rule->name(1));
  made.broadcast = rule->BROADCAST() != nullptr;
  return made;
}

tree::Barrier Builder::barrier(WkParser::BarrierContext* rule) {
  return {name(rule->name()), copies(rule->copies()), expr(rule->expr())};
}

tree::Role Builder::role(WkParser::RoleContext* rule) {
  tree::Role made;
  made.name = name(rule->name());
  for (auto* next : rule->end()) made.ends.push_back(end(next));
  made.warps = warps(rule->warps());
  made.at = pins(rule->pins());
  made.registers = expr(rule->expr());
  made.body = block(rule->block());
  return made;
}

tree::End Builder::end(WkParser::EndContext* rule) {
  return {name(rule->name(0)), rule->PRODUCER() != nullptr, name(rule->name(1)), expr(rule->expr())};
}

tree::Warps Builder::warps(WkParser::WarpsContext* rule) {
  tree::Warps made;
  made.groups = rule->WARPGROUP() || rule->WARPGROUPS();
  if (rule->range()) {
    made.first = expr(rule->range()->expr(0));
    made.end = expr(rule->range()->expr(1));
  } else {
    made.first = expr(rule->expr());
  }
  made.where = where(rule);
  const tree::ExprPtr& last = made.end ? made.end : made.first;
  if (std::holds_alternative<tree::Expr::At>(last->is)) diagnostics_.error(last->where, pins_in_parentheses);
  return made;
}

}  // namespace warpcc::frontend
