// Registers are read where they have been written on every path, and not named while something still writes them.
// docs/language.md, section 4.
#include <algorithm>

#include "llvm/ADT/BitVector.h"
#include "sema/passes.h"
#include "sema/paths.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string> unwritten{"unwritten", "`{}` is read here before anything has written it"};
constexpr Message<std::string, std::string> unwritten_on{
    "unwritten", "`{}` is read here before anything has written it; on the path from line {}"};
constexpr Message<std::string, std::string> pending{"pending", "`{}` is still being {}: `ld.wait` comes first"};

struct Known {
  llvm::BitVector written;  // on every path
  llvm::BitVector perhaps;  // on some path
  llvm::BitVector pending;  // by a load that `ld.wait` has not waited for, on some path
  friend bool operator==(const Known& a, const Known& b) {
    return a.written == b.written && a.perhaps == b.perhaps && a.pending == b.pending;
  }
};

class Registers {
 public:
  using State = Known;

  explicit Registers(Session& session) : session_(session), kernel_(session.kernel) {
    for (const kernel::Register& reg : kernel_.registers_declared) {
      first_.push_back(units_);
      units_ += static_cast<unsigned>(reg.count);
    }
    lost_at_.resize(units_);
  }

  Known nothing() const { return {llvm::BitVector(units_), llvm::BitVector(units_), llvm::BitVector(units_)}; }

  void instruction(const kernel::Instruction& it, Known& known) {
    call_ = it.call;
    if (it.op->does == Does::ld_wait) {
      known.pending.reset();
      return;
    }
    if (it.guard.predicate) reads(*it.guard.predicate, it.where, known);
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      const SourceRange where = it.operands_where[i];
      if (auto* reg = std::get_if<kernel::RegisterOperand>(&it.operands[i])) {
        if (!it.op->slots[i].out)
          reads(*reg, where, known);
        else
          not_pending(*reg, where, known);
      } else if (auto* view = std::get_if<kernel::View>(&it.operands[i])) {
        for (const kernel::Slice& slice : view->slices) reads(slice.from, where, known);
      }
    }
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      auto* reg = std::get_if<kernel::RegisterOperand>(&it.operands[i]);
      if (!reg || !it.op->slots[i].out) continue;
      for (int part = 0; part < reg->count; ++part) {
        const unsigned unit = unit_of(*reg, part);
        // Under a guard it is written on some paths only, as behind a `when`.
        if (it.guard.none())
          known.written.set(unit);
        else if (!known.written[unit])
          lost_at_[unit] = it.where;
        known.perhaps.set(unit);
        if (it.op->does == Does::ld_tensor) known.pending.set(unit);
      }
    }
  }

  void reads(const kernel::RegisterOperand& reg, SourceRange where, const Known& known) {
    for (int part = 0; part < reg.count; ++part) {
      const unsigned unit = unit_of(reg, part);
      if (known.written[unit]) continue;
      complain(reg.id, unit, where, known);
      return;
    }
    not_pending(reg, where, known);
  }

  void reads(const kernel::Index& index, SourceRange where, const Known& known) {
    for (const kernel::Term& term : index.terms) {
      if (term.atom.kind == kernel::Atom::Kind::reg)
        reads({static_cast<kernel::RegisterId>(term.atom.id), 0, 1, false}, where, known);
    }
  }

  void open(const kernel::Hold&, const Known&) {}
  void close(const kernel::Hold&, const Known&) {}

  void join(Known& into, const Known& other, SourceRange construct) {
    llvm::BitVector lost = into.written;
    lost ^= other.written;
    for (const unsigned unit : lost.set_bits()) lost_at_[unit] = construct;
    into.written &= other.written;
    into.perhaps |= other.perhaps;
    into.pending |= other.pending;
  }
  void join_on(Known& without, const Known& with, const kernel::On& on) { join(without, with, on.where); }
  std::optional<bool> decide(const kernel::On&) const { return std::nullopt; }

  bool quiet = false;

 private:
  unsigned unit_of(const kernel::RegisterOperand& reg, int part) const {
    return first_[static_cast<std::size_t>(reg.id)] + static_cast<unsigned>(reg.part + part);
  }

  void not_pending(const kernel::RegisterOperand& reg, SourceRange where, const Known& known) {
    if (quiet) return;
    for (int part = 0; part < reg.count; ++part) {
      if (!known.pending[unit_of(reg, part)]) continue;
      session_.with_calls(session_.diagnostics.error(where, pending, kernel_[reg.id].name, "loaded"), call_);
      return;
    }
  }

  void complain(kernel::RegisterId id, unsigned unit, SourceRange where, const Known& known) {
    if (quiet) return;
    const kernel::Register& reg = kernel_[id];
    const bool some = known.perhaps[unit] && lost_at_[unit].end != 0;
    Diagnostic& diagnostic =
        some ? session_.diagnostics.error(where, unwritten_on, reg.name, session_.line_of(lost_at_[unit]))
             : session_.diagnostics.error(where, unwritten, reg.name);
    session_.with_calls(diagnostic.note(reg.declared, "declared here"), call_);
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  std::vector<unsigned> first_;
  unsigned units_ = 0;
  std::vector<SourceRange> lost_at_;
  kernel::CallId call_ = kernel::CallId::none;
};

}  // namespace

void check_registers(Session& session) {
  Registers registers(session);
  Paths<Registers> paths(session, registers);
  paths.walk(session.kernel.start, registers.nothing());
  for (const kernel::Role& role : session.kernel.roles) paths.walk(role.body, registers.nothing());
  paths.walk(session.kernel.finish, registers.nothing());
}

}  // namespace warpcc::sema
