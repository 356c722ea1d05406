// From the typed kernel's statements and control to lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cluster.h"
#include "codegen/declare.h"
#include "codegen/emit.h"
#include "codegen/memory.h"
#include "codegen/names.h"
#include "codegen/values.h"

namespace warpcc::codegen {

class Lower {
 public:
  Lower(const kernel::Kernel& kernel, const Memory& memory, const Declared& declared, sass::Program& program,
        const Sources& sources, Diagnostics& diagnostics);

  // Writes all code and its sections into the program.
  void program();

 private:
  // ---- control.cpp: sections, loops, branches, rings
  void start(Place in);
  void choose_roles(const std::vector<sass::LabelId>& labels);
  void role(const kernel::Role& role, sass::LabelId label, Place in);
  void finish(Place in);
  void begin_section(sass::Section section, Place in);
  void take_registers(const kernel::Role& role);

  void block(const kernel::Block& block);
  void node(const kernel::Loop& loop);
  void node(const kernel::Forever& loop);
  void node(const kernel::Break& leave);
  void node(const kernel::When& when);
  void node(const kernel::On& on);
  void node(const kernel::Hold& hold);
  void node(const kernel::Outs&) {}

  // ---- rings.cpp: stages of rings, turns of teams
  void begin_rings(const kernel::Role& role);
  void begin_turns(kernel::EndId id, Place head);
  void pass_over(kernel::EndId id);

  // What a block changes: registers that may be coordinates, and rings.
  const std::vector<Symbol>& changes(const kernel::Block& block);
  void changed_from(const std::vector<Symbol>& symbols, Place place);
  void branch(Operand predicate, sass::LabelId label, const std::string& comment);
  bool in_role_ = false;  // not in start or finish

  // ---- lower_*.cpp: one statement, one instruction
  void instruction(const kernel::Instruction& instruction);
  void plain(const kernel::Instruction& instruction);
  void shared_access(const kernel::Instruction& instruction);
  void global_access(const kernel::Instruction& instruction);
  std::optional<Operand> inside(const kernel::Instruction& instruction, const Reference& reference, bool& never);
  // Whether the accesses of a role share the comparison of their fastest coordinate: where it takes few predicates.
  void plan_edges(const kernel::Block& block);
  bool shares_edges_ = false;
  void load(const kernel::Instruction& instruction);
  void copy_cluster(const kernel::Instruction& instruction);
  void store(const kernel::Instruction& instruction);
  void prefetch(const kernel::Instruction& instruction);
  void mma(const kernel::Instruction& instruction);
  void warpgroup_mma(const kernel::Instruction& instruction);
  std::int32_t fragment(kernel::RegisterId id);
  sass::View fragment_view(const kernel::RegisterOperand& operand);
  void commit(const kernel::Instruction& instruction);
  void tensor_load(const kernel::Instruction& instruction);
  void tensor_store(const kernel::Instruction& instruction);
  void allocate(const kernel::Instruction& instruction);
  void init(const kernel::Instruction& instruction);
  void arrive(const kernel::Instruction& instruction);
  void each(const kernel::Instruction& instruction, const Reach& reach, Reference& reference);
  void cancel(const kernel::Instruction& instruction);
  void wait(const kernel::Instruction& instruction);
  void probe(const kernel::Instruction& instruction);
  void cta_sync(const kernel::Instruction& instruction);
  void unsupported(const kernel::Instruction& instruction);

  // A line of the program, with the statement's guard and text.
  sass::Line& say(const kernel::Instruction& instruction, std::string_view opcode, std::vector<Operand> operands);
  sass::Line& finish_line(const kernel::Instruction& instruction, sass::Line& line);
  // The guard of the statement at hand; `never`: it is never executed here.
  std::optional<Operand> guard(const kernel::Instruction& instruction, bool& never);
  std::optional<Operand> guard_;

  // ---- facts.cpp: predicates made once at the role's head
  struct Fact {
    bool never = false;                // false here
    std::optional<Operand> predicate;  // none: true here
  };
  Fact fact(const kernel::Facts& facts, bool uniform);
  sass::Expr expression(const kernel::Facts& facts);
  sass::Expr comparison(const Form& left, const kernel::Compare& compare);
  // d = left IS right && with, of uniform registers; the last of its lines.
  sass::Line& compare_uniform(Place in, sass::Mark mark, Reg d, Operand left, kernel::Compare::Is is,
                              std::int64_t right, Operand with);

  // ---- operands
  Reference reference(const kernel::View& view);
  Reference reference(const kernel::BarrierOperand& barrier);
  Quantity address_of(Reference reference);
  const kernel::BarrierOperand& barrier_of(const kernel::Instruction& instruction, std::size_t operand);
  // The CTAs that execute the statement.
  std::vector<int> running(const kernel::Instruction& instruction) const;
  Reg mask(const Mask& mask, const std::string& name, sass::Held held);
  // `[x+offset]` of a barrier, with the offset from its pipe's own address.
  Operand barrier_address(const Reference& reference);
  Operand plain_operand(const kernel::Operand& operand, const isa::StatementSlot& slot);

  // ---- the copy engine's vectors and the MMA's descriptors: rule 5
  struct Vector {
    std::string name;
    int width = 4;
    // By component: set where its value is known, since all that use the vector have the same.
    std::vector<bool> hoisted;
  };
  void plan_vectors(const kernel::Block& block);
  const Declared::MapKey& map_key(const kernel::Instruction& instruction);
  std::vector<Quantity> coordinates(const kernel::View& global);
  Reg policy(kernel::Hint hint);
  std::unordered_map<const kernel::Instruction*, Vector> vectors_;
  std::unordered_map<const kernel::Instruction*, Declared::MapKey> map_keys_;
  struct Descriptor {
    Quantity low;
    std::uint32_t high = 0;
  };
  Descriptor descriptor(const kernel::View& view);
  Reg descriptor_group(const std::string& letter, const Descriptor& descriptor, const Reference& reference);
  int next_descriptor_ = 0;  // alternates between two groups
  std::map<kernel::RegisterId, std::int32_t> fragments_;

  const kernel::Kernel& kernel_;
  const Memory& memory_;
  const Declared& declared_;
  sass::Program& program_;
  Diagnostics& diagnostics_;
  Emit emit_;
  Names names_;
  Values values_;

  Place here_ = Place::none;
  sass::LabelId finish_label_ = sass::LabelId::none;
  std::vector<sass::LabelId> loop_ends_;   // of loops that a break leaves
  std::map<kernel::CounterId, Reg> more_;  // a counter's `more`
  std::unordered_map<const kernel::Block*, std::vector<Symbol>> changes_;
};

}  // namespace warpcc::codegen
