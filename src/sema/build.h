// The kernel's text to the typed kernel: declarations, then code, everything compile-time spliced in.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sema/eval.h"
#include "sema/modules.h"

namespace warpcc::sema {

// Procs whose text is being walked, innermost first: none of them may be called there.
struct ActiveProc {
  const tree::Proc* proc = nullptr;
  const ActiveProc* outer = nullptr;
};

// The text of a statement before its block.
SourceRange head(const Session& session, SourceRange where, const tree::Block& body);

class Builder {
 public:
  Builder(Session& session, Evaluator& evaluator, Modules& modules)
      : session_(session), evaluator_(evaluator), modules_(modules) {}

  // Builds session.kernel. Complaints go to the session.
  void build(const tree::Kernel& kernel);

 private:
  // declare.cpp: the header and what the kernel declares.
  void header(const tree::Kernel& kernel, Scope& scope);
  void global(const tree::GlobalParameter& parameter, Scope& scope);
  void members(const std::vector<tree::Member>& members, Scope& scope, const std::string& suffix);
  void member(const tree::Member& member, Scope& scope, const std::string& suffix);
  void buffer(const tree::Buffer& buffer, Scope& scope);
  bool tile(const tree::Tile& tile, Scope& scope, layout::Element& element, std::vector<std::int64_t>& shape);
  bool copies(const std::vector<tree::Copies>& copies, Scope& scope, std::vector<kernel::Copies>& into);
  void place_elements(kernel::Buffer& buffer, const tree::ExprPtr& layout, Scope& scope);
  void bind_buffer(kernel::Buffer buffer, const tree::Name& name, Scope& scope);
  void barrier(const tree::Barrier& barrier, Scope& scope);
  void constant(const tree::Const& constant, Scope& scope);
  void bind(const tree::Name& name, Value value, Scope& scope);
  // What an arm of a `match` has declared is visible behind it; the names that its pattern binds are not.
  void splice(const Scope& arm, Scope& into);

  // pipes.cpp: pipes, roles and the ends that they hold.
  void pipe(const tree::Pipe& pipe, SourceRange where, Scope& scope);
  void role_head(const tree::Role& role, SourceRange where, Scope& scope, const std::string& suffix);
  // `head_end`: where the role's `at` would stand.
  void end(const tree::End& end, kernel::Role& role, Scope& scope, std::uint32_t head_end);
  bool teams(const tree::End& end, const kernel::Pipe& pipe, const kernel::Role& role, Scope& scope, kernel::End& made);
  void role_registers(const tree::Role& role, kernel::Role& made, Scope& scope);
  void registers_fit();
  void roles_disjoint();

  // statements.cpp
  void block(const tree::Block& block, Scope& outer);
  void statements(const std::vector<tree::Statement>& statements, Scope& scope);
  void statement(const tree::Statement& statement, Scope& scope);
  void registers(const tree::Registers& registers, Scope& scope, const std::string& prefix,
                 std::vector<std::pair<std::string_view, Value>>* fields);
  Value declared_register(const tree::RegisterDeclarator& declared, isa::File file, Scope& scope,
                          const std::string& prefix);
  void regs(const tree::Regs& regs, Scope& scope, const std::string& prefix,
            std::vector<std::pair<std::string_view, Value>>* fields);
  Value fragment_or_bundle(const tree::Regs& regs, Scope& scope, const std::string& prefix);
  void static_for(const tree::StaticFor<tree::Statement>& loop, SourceRange where, Scope& scope);
  void loop(const tree::Loop& loop, SourceRange where, Scope& scope);
  void when(const tree::When& when, SourceRange where, Scope& scope);
  void break_(const tree::Break& a_break, SourceRange where, Scope& scope);
  void on(const tree::On& on, SourceRange where, Scope& scope);
  void hold(const tree::Hold& hold, SourceRange where, Scope& scope);
  void turn(const tree::Turn& turn, SourceRange where, Scope& scope);  // turns.cpp
  template <typename Member>
  const std::vector<Member>* taken(const tree::StaticIf<Member>& an_if, Scope& scope);

  // procs.cpp
  void call(const tree::Call& call, SourceRange where, Scope& scope);
  bool hand_over(const ProcRef& proc, const tree::Call& call, SourceRange where, Scope& scope, Scope& inner);
  bool hand_over(const tree::Formal& formal, const tree::Expr& argument, Scope& scope, Scope& inner,
                 const tree::Proc& proc);
  std::optional<Value> register_argument(const tree::Formal& formal, const tree::Formal::RegisterParameter& wanted,
                                         const Value& value, const tree::Expr& argument, Scope& inner);
  std::optional<Value> view_argument(const tree::Formal& formal, const tree::Formal::ViewParameter& wanted,
                                     const Value& value, const tree::Expr& argument, Scope& inner);
  void begin_outs(const tree::Proc& proc, Scope& inner, SourceRange where);
  bool not_aliased(const tree::Proc& proc, const tree::Call& call, Scope& inner);
  void splice(const BlockRef& ref);

  // instructions.cpp: kinds of operands; tiles.cpp: what reads and writes tiles.
  void instruction(const tree::Instruction& instruction, SourceRange where, Scope& scope);
  bool guard(const tree::Instruction& instruction, const isa::Statement& row, Scope& scope, kernel::Guard& guard,
             bool& never);
  bool lane_guard_allowed(const isa::Statement& row, const tree::Guard& guard, bool by_lane);
  std::optional<kernel::Operand> operand(const isa::Statement& row, std::size_t at, const tree::Expr& expr,
                                         Scope& scope);
  std::optional<kernel::Operand> register_operand(const isa::Statement& row, std::size_t at, const RegisterRef& ref,
                                                  const tree::Expr& expr);
  bool options(const tree::Instruction& instruction, const isa::Statement& row, Scope& scope,
               kernel::Instruction& made);
  bool pairs(kernel::Instruction& made, const tree::Instruction& instruction);
  bool check(kernel::Instruction& made, const tree::Instruction& instruction);
  bool check_barrier(const kernel::Instruction& made, std::size_t at);
  bool check_tensor_memory(const kernel::Instruction& made);
  bool check_turn_barrier(const kernel::Instruction& made, std::size_t at);
  bool check_load(kernel::Instruction& made, const tree::Instruction& instruction);
  bool check_store(const kernel::Instruction& made);
  bool check_copy_cluster(const kernel::Instruction& made);  // elsewhere.cpp
  bool check_each(const kernel::Instruction& made, std::size_t at);
  bool check_elsewhere(const kernel::Instruction& made, std::size_t at);
  bool check_copy(const kernel::View& tile, const kernel::View& view, std::string_view word);
  bool check_mma(kernel::Instruction& made);
  bool check_warpgroup_mma(kernel::Instruction& made);  // fragments.cpp
  bool accumulates(const kernel::Instruction& made, std::int64_t m, std::int64_t n);
  bool multiplies(const kernel::Instruction& made, SourceRange where, std::int64_t k);
  bool check_mma_wait(const kernel::Instruction& made);
  bool check_tensor_load(const kernel::Instruction& made);
  bool check_access(const kernel::Instruction& made);
  bool check_prefetch(kernel::Instruction& made, const tree::Instruction& instruction, Scope& scope);
  void emit(kernel::Node node, SourceRange where);

  struct Deferred {  // code, and the names that it sees
    const tree::Role* role = nullptr;
    const tree::Block* block = nullptr;
    Scope* scope = nullptr;
    std::string name;
    SourceRange where;
  };
  struct OpenLoop {
    bool forever = false;
    bool broken = false;  // has a `break`
    std::size_t held = 0, turning = 0;
  };

  void code(const Deferred& deferred, Place place, kernel::Block& into);

  Session& session_;
  Evaluator& evaluator_;
  Modules& modules_;
  std::deque<std::unique_ptr<Scope>> scopes_;  // of `for` among members: its roles are walked later
  std::vector<Deferred> roles_;
  std::set<std::pair<kernel::PipeId, kernel::Side>> several_hold_;  // ends of which that has been said
  std::optional<Deferred> start_, finish_;

  kernel::Block* out_ = nullptr;
  std::vector<OpenLoop> loops_;
  std::vector<kernel::EndId> turning_;  // ends whose turns are open
  std::size_t break_floor_ = 0;         // loops that a `break` here may leave begin at this one
  const ActiveProc* active_ = nullptr;
  const isa::Statement* first_mma_ = nullptr;  // of pairs, or of single CTAs: all others like it
  SourceRange first_mma_where_;
  std::string mma_role_;  // the last that an MMA stands in
};

}  // namespace warpcc::sema
