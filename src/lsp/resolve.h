// Walks a syntax tree with the scopes of the language (docs/language.md, 3 and 12).
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "lsp/names.h"

namespace warpcc::lsp {

class Resolver {
 public:
  Resolver(Names& names, std::string_view text, Names::Others others) : names_(names), text_(text), others_(others) {}

  void run();

 private:
  using Decl = decltype(Declaration::tree);

  // ---- Scopes
  class Scope {  // for as long as it lives
   public:
    Scope(Resolver& resolver, SourceRange seen) : resolver_(resolver) { resolver_.scopes_.push_back({{}, seen}); }
    ~Scope() { resolver_.scopes_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Resolver& resolver_;
  };
  NameRef declare(NameKind kind, const tree::Name& name, SourceRange whole, Decl tree = {});
  NameRef declare_part(NameKind kind, const tree::Name& name, SourceRange whole, NameRef parent, Decl tree);
  NameRef find(std::string_view name) const;
  void use(SourceRange where, NameRef of);
  const Names* names_of(NameRef ref) const;
  const Declaration* declaration(NameRef ref) const;

  // ---- resolve_items.cpp
  void declare_items(const std::vector<tree::Item>& items);
  void declare_item(const tree::Item& item);
  void walk_items(const std::vector<tree::Item>& items);
  void walk_item(const tree::Item& item);
  void kernel(const tree::Kernel& kernel, SourceRange where);
  void members(const std::vector<tree::Member>& members, bool code);
  void member(const tree::Member& member, bool code);
  void proc(const tree::Proc& proc);
  void formal(const tree::Formal& formal);
  void tile(const tree::Tile& tile);
  void copies(const std::vector<tree::Copies>& copies);
  void pins(const std::vector<tree::Pin>& pins);
  void role(const tree::Role& role);

  // ---- resolve_statements.cpp
  void block(const tree::Block& block);
  void statements(const std::vector<tree::Statement>& statements);
  void statement(const tree::Statement& statement);
  void registers(const tree::Registers& registers, SourceRange where, NameRef bundle = {});
  void regs(const tree::Regs& regs, SourceRange where, NameRef bundle = {});
  void instruction(const tree::Instruction& instruction);
  void call(const tree::Call& call);
  void range(const tree::Range& range);

  // ---- resolve_expressions.cpp: what a value seems to be, a declaration whose parts it has (an enum, a struct, a
  // module, an end); none where the text does not tell
  NameRef expr(const tree::ExprPtr& expr, NameRef expected = {});
  NameRef path(const tree::Path& path, NameRef expected = {});
  // The declaration that a name or a chain of members is, not what its value is.
  NameRef named(const tree::Expr& expr, NameRef expected);
  NameRef member_of(NameRef of, const tree::Name& name, NameRef expected = {});
  NameRef call(const tree::Expr::Call& call, NameRef expected);
  void arguments(const std::vector<tree::Argument>& arguments, NameRef callee);
  void pattern(const tree::Pattern& pattern, NameRef of, bool inside_case);
  NameRef type(const tree::Type& type);
  NameRef case_of(NameRef type, std::string_view name) const;

  // What a declaration's values are; says nothing of what it reads on the way.
  NameRef type_of(NameRef ref);
  NameRef type_named(const Names& in, const tree::Type& type);
  NameRef guess(const tree::ExprPtr& expr);
  NameRef guess_named(const tree::Expr& expr);

  struct Frame {
    llvm::StringMap<std::int32_t> names;
    SourceRange seen;
  };

  Names& names_;
  std::string_view text_;
  Names::Others others_;
  std::vector<Frame> scopes_;
  std::unordered_map<std::int32_t, NameRef> constant_types_;
  int guessing_ = 0;
};

}  // namespace warpcc::lsp
