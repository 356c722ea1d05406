// ANTLR's tree to ours (tree.h), walked by hand, one method a rule of the grammar.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "WkParser.h"
#include "frontend/tree.h"
#include "support/diagnostics.h"

namespace warpcc::frontend {

class Builder {
 public:
  Builder(FileId file, std::string_view text, antlr4::TokenStream& tokens, Diagnostics& diagnostics)
      : file_(file), text_(text), tokens_(tokens), diagnostics_(diagnostics) {}

  // What the grammar lets through and cannot be is reported; the tree is whole all the same.
  tree::File build(WkParser::FileContext* rule);

  // The blocks and the statics over compile-time values differ by what they hold; statics.h has the one way to build
  // them.
  std::vector<tree::Item> contents(WkParser::ItemBlockContext* rule);
  std::vector<tree::Member> contents(WkParser::MemberBlockContext* rule);
  std::vector<tree::Statement> contents(WkParser::BlockContext* rule);

  // expressions.cpp
  tree::ExprPtr expr(WkParser::ExprContext* rule);  // none for none
  std::vector<tree::ExprPtr> exprs(WkParser::ExprsContext* rule);
  tree::Range range(WkParser::RangeContext* rule);
  tree::PatternPtr pattern(WkParser::PatternContext* rule);
  std::vector<tree::Argument> arguments(WkParser::ArgumentsContext* rule);
  tree::Argument argument(WkParser::ArgumentContext* rule);
  std::vector<tree::Pin> pins(WkParser::PinsContext* rule);
  tree::Path path(WkParser::PathContext* rule);
  tree::Name name(antlr4::ParserRuleContext* rule);
  std::vector<tree::Name> names(WkParser::NamesContext* rule);
  tree::Type type(WkParser::TypeContext* rule);
  std::string string(antlr4::tree::TerminalNode* literal);

  // statements.cpp
  tree::Block block(WkParser::BlockContext* rule);
  tree::Const constant(WkParser::ConstantContext* rule);
  tree::Require require(WkParser::RequireContext* rule);
  tree::Registers registers(WkParser::RegistersContext* rule);
  tree::Regs regs(WkParser::RegsContext* rule);
  tree::RegisterKind register_kind(WkParser::RegisterKindContext* rule);
  tree::Tile tile(WkParser::TileContext* rule);

  // kernels.cpp
  tree::Kernel kernel(WkParser::KernelContext* rule);
  std::vector<tree::Copies> copies(const std::vector<WkParser::CopiesContext*>& rules);

  SourceRange where(antlr4::ParserRuleContext* rule) const;
  SourceRange where(antlr4::Token* token) const;
  SourceRange where(antlr4::tree::TerminalNode* node) const { return where(node->getSymbol()); }
  std::string text(SourceRange range) const { return std::string(text_.substr(range.begin, range.end - range.begin)); }

 private:
  // items.cpp
  tree::Item item(WkParser::ItemContext* rule);
  std::string doc(WkParser::ItemContext* rule);
  tree::Param param(WkParser::ParamContext* rule);
  tree::Use use(WkParser::UseFileContext* rule);
  tree::Tune tune(WkParser::TuneContext* rule);
  tree::TuneRow tune_row(WkParser::TuneRowContext* rule);
  tree::Fn fn(WkParser::FnContext* rule);
  tree::Enum enumeration(WkParser::EnumerationContext* rule);
  tree::Struct structure(WkParser::StructureContext* rule);
  tree::Typed typed(WkParser::TypedContext* rule);
  std::vector<tree::Typed> typed(const std::vector<WkParser::TypedContext*>& rules);
  tree::Proc proc(WkParser::ProcContext* rule);
  tree::Formal formal(WkParser::FormalContext* rule);
  void formal_kind(WkParser::FormalKindContext* rule, tree::Formal& formal);

  // kernels.cpp
  tree::Member member(WkParser::MemberContext* rule);
  tree::GlobalParameter global(WkParser::GlobalContext* rule);
  void clause(WkParser::ClauseContext* rule, tree::Kernel& kernel);
  tree::Buffer buffer(WkParser::BufferContext* rule);
  tree::Pipe pipe(WkParser::PipeContext* rule);
  tree::Barrier barrier(WkParser::BarrierContext* rule);
  tree::Role role(WkParser::RoleContext* rule);
  tree::End end(WkParser::EndContext* rule);
  tree::Warps warps(WkParser::WarpsContext* rule);

  // statements.cpp
  tree::Statement statement(WkParser::StatementContext* rule);
  tree::Loop loop(WkParser::LoopContext* rule);
  tree::When when(WkParser::WhenContext* rule);
  tree::Hold hold(WkParser::HoldContext* rule);
  tree::Call call(WkParser::ActionContext* rule);
  tree::Instruction instruction(WkParser::ActionContext* rule);
  tree::Guard guard(WkParser::GuardContext* rule);

  // expressions.cpp
  tree::ExprPtr if_expr(WkParser::IfExprContext* rule);
  tree::ExprPtr match_expr(WkParser::MatchExprContext* rule);
  tree::ExprPtr chain(WkParser::ChainContext* rule);
  tree::ExprPtr unary(WkParser::UnaryContext* rule);
  tree::ExprPtr postfix(WkParser::PostfixContext* rule);
  tree::ExprPtr suffix(tree::ExprPtr of, WkParser::SuffixContext* rule);
  tree::ExprPtr primary(WkParser::PrimaryContext* rule);
  tree::ExprPtr in_parentheses(WkParser::PrimaryContext* rule);
  tree::Coord coord(WkParser::CoordContext* rule);
  std::vector<tree::PatternPtr> patterns(const std::vector<WkParser::PatternContext*>& rules);
  std::int64_t integer(WkParser::IntegerContext* rule);
  std::int64_t number(antlr4::tree::TerminalNode* literal);

  FileId file_;
  std::string_view text_;
  antlr4::TokenStream& tokens_;
  Diagnostics& diagnostics_;
};

}  // namespace warpcc::frontend
