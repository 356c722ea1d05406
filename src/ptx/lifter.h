// What the lifts of single instructions share: the line in hand, its operands as PTX, and the text so far.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/webs.h"
#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::ptx {

// How an operand's bits are read: it decides how PTX writes an immediate and how it negates.
enum class Type : std::uint8_t { bits, f32 };

std::string spelled(const sass::Line& line);
bool has(const sass::Line& line, std::string_view modifier);
std::string label_name(const sass::Label& label);
std::string entry_name(const sass::Program& program);
std::string param_name(const sass::Param& param);

class Lifter {
 public:
  Lifter(const sass::Program& program, Diagnostics& diagnostics);
  // The whole program, and where in the text what each line has become begins; false where something was reported.
  bool run(std::string& text, std::vector<std::size_t>& begins);

  // ---- The line in hand
  const sass::Program& program() const { return program_; }
  const sass::Line& line() const { return program_.lines[at_]; }
  std::size_t at() const { return at_; }
  const sass::Operand& operand(std::size_t i) const { return line().operands[i]; }
  std::size_t operands() const { return line().operands.size(); }
  // Whether a modifier is written; "SYNCS.ARRIVE.TRANS64.RED".
  bool has(std::string_view modifier) const;
  std::string spelled() const;
  int width(int slot) const { return isa::width_of(*line().opcode, slot, line().modifiers); }

  // The line after this one, where no label lies between; null at the end. take_next: it needs no lift of its own.
  const sass::Line* next() const;
  void take_next() { ++taken_; }

  // ---- Operands as PTX
  std::string source(std::size_t i, Type type = Type::bits) { return source(operand(i), type); }
  std::string source(const sass::Operand& operand, Type type = Type::bits);
  std::string source(const sass::Reg& reg) const;
  // A register, `!` before it where negated; a constant predicate through a temporary.
  std::string predicate(std::size_t i);
  // A constant predicate's value, where the operand is one.
  std::optional<bool> constant_predicate(std::size_t i) const;
  // `[%x+16]`
  std::string address(std::size_t i, std::int64_t more = 0);
  // `{%a, %b}` of the group that a source begins; one register stands alone.
  std::string group(const sass::Reg& first, int width);
  std::string label(sass::LabelId id) const;
  // The 64-bit pair that begins at a register, in a temporary.
  std::string pair(const sass::Reg& first);
  // The register that the line writes, n places on in the operand's group.
  std::string target(std::size_t i, int n = 0);
  const Web* web(const sass::Reg& reg) const;          // of a register that the line reads
  const Web* written_web(const sass::Reg& reg) const;  // of one that it writes; null: a constant

  // ---- Text
  void put(std::string_view text);         // under the line's guard
  void put_always(std::string_view text);  // whatever the guard: into temporaries, or no state of a lane
  // For one lane, the elected one, in a warp whose lanes all come here; a guard becomes a branch around it.
  void put_once(std::string_view text);
  std::string bits32(), bits64(), bits16(), flag();  // fresh temporaries
  std::string elected();                             // the predicate of one lane a warp, set at the kernel's entry

  template <typename... Args>
  Diagnostic& fail(const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    failed_ = true;
    return diagnostics_.error(line().where, message, args...);
  }
  void fail_operands();  // the operands as they stand have no lift

  // Lanes store into other CTAs somewhere: a fence of the proxies reaches these too.
  bool stores_to_peers() const { return stores_to_peers_; }
  // Who arrives at the line's mbarrier, somewhere, releases to the cluster: a wait for it acquires from there.
  bool told_by_cluster() const;
  // 1 or 2: the cta_group of every tensor-core instruction of the program.
  int cta_group() const { return cta_group_; }
  // Tensor memory is handed between threads: a fence for it before this line if it is needed.
  void before_tensor_memory();
  void before_signal();
  void signalled() { after_signal_ = true; }

 private:
  bool find_cta_group();
  void head(std::string& text) const;
  void declarations(std::string& text) const;
  void begin_sections_and_labels();
  void lift_line();
  bool lift_by_template();
  bool writes_uniform_registers_alone() const;
  bool completes_selection() const;
  void finish_selection();
  void flush_selection();
  std::string guard_text() const;

  const sass::Program& program_;
  Diagnostics& diagnostics_;
  Webs webs_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
  bool failed_ = false;
  int cta_group_ = 1;
  bool elects_ = false;
  bool stores_to_peers_ = false;
  int bits32_ = 0, bits64_ = 0, bits16_ = 0, flags_ = 0, skips_ = 0;
  std::string text_;

  // A guarded write of a uniform register becomes a selection, so that the register stays uniform; two lines in a row
  // that write the same one under opposite guards, one selection (a ring's step).
  struct Selection {
    std::string target, value;
  };
  bool selects_ = false;               // the line in hand is such a write …
  bool completes_ = false;             // … and goes with the one before
  std::vector<Selection> selections_;  // of the line in hand
  std::vector<Selection> waiting_;     // of the line before
  const sass::Operand* waiting_guard_ = nullptr;
  WebId waiting_guard_web_ = WebId::none;

  // Fences of tensor memory (PTX ISA, tcgen05 memory consistency model): whether a signal was taken since the last
  // access, and whether an access was made since the last signal was given.
  bool after_signal_ = true, accessed_ = false;
  bool tensor_section_ = false;
  bool tensor_program_ = false;
  std::vector<llvm::SmallVector<std::int32_t, 1>> labels_at_;  // by line
  std::vector<char> loop_heads_;                               // by label
};

using Lift = void (*)(Lifter&);
// The code that lifts an opcode whose table row has no template; null: none has been written.
Lift lift_of(isa::Op op);

}  // namespace warpcc::ptx
