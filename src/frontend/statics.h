// `if`, `for` and `match` over compile-time values: the same around items, around a kernel's members and around
// statements.
#pragma once

#include <utility>
#include <vector>

#include "frontend/build.h"

namespace warpcc::frontend {

inline auto blocks(WkParser::IfItemContext* rule) {
  return rule->itemBlock();
}
inline auto blocks(WkParser::IfMemberContext* rule) {
  return rule->memberBlock();
}
inline auto blocks(WkParser::IfStatementContext* rule) {
  return rule->block();
}
inline auto else_if(WkParser::IfItemContext* rule) {
  return rule->ifItem();
}
inline auto else_if(WkParser::IfMemberContext* rule) {
  return rule->ifMember();
}
inline auto else_if(WkParser::IfStatementContext* rule) {
  return rule->ifStatement();
}
inline auto body(WkParser::ForItemContext* rule) {
  return rule->itemBlock();
}
inline auto body(WkParser::ForMemberContext* rule) {
  return rule->memberBlock();
}
inline auto body(WkParser::ForStatementContext* rule) {
  return rule->block();
}
inline auto arms(WkParser::MatchItemContext* rule) {
  return rule->itemArm();
}
inline auto arms(WkParser::MatchMemberContext* rule) {
  return rule->memberArm();
}
inline auto arms(WkParser::MatchStatementContext* rule) {
  return rule->statementArm();
}
inline auto body(WkParser::ItemArmContext* rule) {
  return rule->itemBlock();
}
inline auto body(WkParser::MemberArmContext* rule) {
  return rule->memberBlock();
}
inline auto body(WkParser::StatementArmContext* rule) {
  return rule->block();
}

// X is what the blocks hold: tree::Item, tree::Member or tree::Statement.
template <typename X, typename Rule>
tree::StaticIf<X> static_if(Builder& builder, Rule* rule) {
  auto branches = blocks(rule);
  tree::StaticIf<X> made{builder.expr(rule->expr()), builder.contents(branches[0]), {}};
  if (auto* next = else_if(rule)) {
    X chained;
    chained.is = static_if<X>(builder, next);
    chained.where = builder.where(next);
    made.otherwise.push_back(std::move(chained));
  } else if (branches.size() > 1) {
    made.otherwise = builder.contents(branches[1]);
  }
  return made;
}

template <typename X, typename Rule>
tree::StaticFor<X> static_for(Builder& builder, Rule* rule) {
  return {builder.name(rule->name()), builder.range(rule->range()), builder.expr(rule->expr()),
          builder.contents(body(rule))};
}

template <typename X, typename Rule>
tree::StaticMatch<X> static_match(Builder& builder, Rule* rule) {
  tree::StaticMatch<X> made;
  made.value = builder.expr(rule->expr());
  for (auto* arm : arms(rule)) made.arms.push_back({builder.pattern(arm->pattern()), builder.contents(body(arm))});
  return made;
}

}  // namespace warpcc::frontend
