// Registers are read where they have been written on every path, and not named while something still writes them.
// docs/language.md, section 4.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "llvm/ADT/BitVector.h"
#include "sema/passes.h"
#include "sema/paths.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string> unwritten{"unwritten", "`{}` is read here before anything has written it"};
constexpr Message<std::string, std::string> unwritten_on{
    "unwritten", "`{}` is read here before anything has written it; on the path from line {}"};
constexpr Message<std::string, std::string> pending{"pending", "`{}` is still being {}: `ld.wait` comes first"};
constexpr Message<std::string> accumulating{
    "pending", "MMAs may still add to `{}`: an `mma.wait` that covers them comes first, with `last: true` on the last"};
constexpr Message<std::string> multiplying{
    "pending", "MMAs may still read `{}`: an `mma.wait` that covers them comes first, with `last: true` on the last"};
constexpr Message<std::string> not_fenced{
    "mma-fence", "other instructions have used `{}` since the last `mma.fence`: one comes before this `mma`"};

// Groups that have been closed since an MMA last had a register, its own too; or that it is at rest.
using Groups = std::uint8_t;
constexpr Groups kManyGroups = 9;  // more than any `mma.wait` leaves pending
constexpr Groups kAtRest = 0xff;

struct Known {
  llvm::BitVector written;   // on every path
  llvm::BitVector perhaps;   // on some path
  llvm::BitVector pending;   // by a load that `ld.wait` has not waited for, on some path
  llvm::BitVector unfenced;  // used by others than MMAs since the last `mma.fence`, on some path
  // As D of MMAs, and as A of theirs: the fewest groups on any path, and whether since the last `mma.fence`, on some
  // path.
  struct Use {
    std::vector<Groups> groups;
    llvm::BitVector unfenced;
    friend bool operator==(const Use&, const Use&) = default;
  };
  Use as_d, as_a;
  // Written where a predicate holds, or where it does not: by the predicate's unit.
  struct Where {
    unsigned predicate = 0;
    bool negated = false;
    friend bool operator==(const Where&, const Where&) = default;
  };
  std::map<unsigned, Where> half{};
  friend bool operator==(const Known& a, const Known& b) {
    return a.written == b.written && a.perhaps == b.perhaps && a.pending == b.pending && a.unfenced == b.unfenced &&
           a.as_d == b.as_d && a.as_a == b.as_a && a.half == b.half;
  }
};

class Registers {
 public:
  using State = Known;

  // `warp`: along the paths of this one; none: of all warps at once, where each may take part in an `on` or not.
  explicit Registers(Session& session, const Fixed* warp = nullptr)
      : session_(session), kernel_(session.kernel), warp_(warp) {
    for (const kernel::Register& reg : kernel_.registers_declared) {
      first_.push_back(units_);
      units_ += static_cast<unsigned>(reg.count);
    }
    lost_at_.resize(units_);
  }

  Known nothing() const {
    const Known::Use unused{std::vector<Groups>(units_, kAtRest), llvm::BitVector(units_)};
    return {llvm::BitVector(units_),
            llvm::BitVector(units_),
            llvm::BitVector(units_),
            llvm::BitVector(units_, true),
            unused,
            unused};
  }

  void instruction(const kernel::Instruction& it, Known& known) {
    const std::optional<bool> part = takes_part(it.guard.facts);
    if (part == false) return;
    const bool always = part == true && !it.guard.predicate && !it.guard.more;
    call_ = it.call;
    if (it.op->does == Does::ld_wait) {
      known.pending.reset();
      return;
    }
    if (it.op->does == Does::mma_fence) {
      known.unfenced.reset();
      known.as_d.unfenced.reset();
      known.as_a.unfenced.reset();
      return;
    }
    if (it.op->does == Does::mma_wait) {
      for (Known::Use* as : {&known.as_d, &known.as_a}) {
        for (Groups& groups : as->groups) {
          if (groups > std::get<std::int64_t>(it.operands[0])) groups = kAtRest;
        }
      }
      return;
    }
    if (it.op->does == Does::mma && it.op->issue == isa::Issue::warpgroup) {
      accumulate(it, known);
      return;
    }
    if (it.guard.predicate) {
      reads(*it.guard.predicate, it.where, known);
      under_ = {unit_of(*it.guard.predicate, 0), it.guard.predicate->negated};
    }
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      const SourceRange where = it.operands_where[i];
      if (auto* reg = std::get_if<kernel::RegisterOperand>(&it.operands[i])) {
        if (!it.op->slots[i].out)
          reads(*reg, where, known);
        else
          not_pending(*reg, where, known);
        for (int part = 0; part < reg->count; ++part) known.unfenced.set(unit_of(*reg, part));
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
        if (always)
          known.written.set(unit);
        else if (!known.written[unit])
          written_under(it, unit, known);
        forget(unit, known);
        known.perhaps.set(unit);
        if (it.op->does == Does::ld_tensor) known.pending.set(unit);
      }
    }
    under_.reset();
  }

  // Under a predicate and under its opposite: written.
  void written_under(const kernel::Instruction& it, unsigned unit, Known& known) {
    lost_at_[unit] = it.where;
    const auto half = known.half.find(unit);
    if (!under_) return;
    if (half != known.half.end() && half->second.predicate == under_->predicate &&
        half->second.negated != under_->negated) {
      known.written.set(unit);
      known.half.erase(half);
    } else {
      known.half.insert_or_assign(unit, *under_);
    }
  }

  // A predicate that is written again says nothing of what was written under it before.
  static void forget(unsigned predicate, Known& known) {
    std::erase_if(known.half, [&](const auto& half) { return half.second.predicate == predicate; });
  }

  // A proc begins that writes these before it reads them.
  void unset(const kernel::Outs& outs, Known& known) {
    for (const kernel::RegisterOperand& reg : outs.registers) {
      for (int part = 0; part < reg.count; ++part) {
        known.written.reset(unit_of(reg, part));
        known.perhaps.reset(unit_of(reg, part));
        known.half.erase(unit_of(reg, part));
      }
    }
  }

  // Hopper's MMA: D is written some time later, A in registers read until then; other MMAs may name them for the same
  // meanwhile.
  void accumulate(const kernel::Instruction& it, Known& known) {
    const auto& d = std::get<kernel::RegisterOperand>(it.operands[0]);
    const auto* a = std::get_if<kernel::RegisterOperand>(&it.operands[1]);
    if (a && is_written(*a, it.operands_where[1], known)) fenced(*a, it.operands_where[1], known, known.as_d);
    for (int part = 0; a && part < a->count; ++part) use(known.as_a, unit_of(*a, part));
    auto* adds = std::get_if<bool>(&it.operands[3]);
    const bool overwrites = adds && !*adds;
    if (overwrites || is_written(d, it.operands_where[0], known)) fenced(d, it.operands_where[0], known, known.as_a);
    for (std::size_t i = 1; i < it.operands.size(); ++i) {
      auto* reg = std::get_if<kernel::RegisterOperand>(&it.operands[i]);
      if (reg && reg != a) reads(*reg, it.operands_where[i], known);
      auto* view = std::get_if<kernel::View>(&it.operands[i]);
      for (std::size_t s = 0; view && s < view->slices.size(); ++s)
        reads(view->slices[s].from, it.operands_where[i], known);
    }
    for (int part = 0; part < d.count; ++part) {
      const unsigned unit = unit_of(d, part);
      known.written.set(unit);
      known.perhaps.set(unit);
      use(known.as_d, unit);
    }
    if (!it.closes_group) return;
    for (Known::Use* as : {&known.as_d, &known.as_a}) {
      for (Groups& groups : as->groups) {
        if (groups < kManyGroups) ++groups;
      }
    }
  }

  static void use(Known::Use& as, unsigned unit) {
    as.groups[unit] = 0;
    as.unfenced.set(unit);
  }

  void reads(const kernel::RegisterOperand& reg, SourceRange where, Known& known) {
    if (is_written(reg, where, known)) not_pending(reg, where, known);
  }

  void reads(const kernel::Index& index, SourceRange where, Known& known) {
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
    into.unfenced |= other.unfenced;
    std::erase_if(into.half, [&](const auto& half) {
      const auto theirs = other.half.find(half.first);
      return theirs == other.half.end() || theirs->second != half.second;
    });
    join(into.as_d, other.as_d);
    join(into.as_a, other.as_a);
  }
  static void join(Known::Use& into, const Known::Use& other) {
    into.unfenced |= other.unfenced;
    for (std::size_t i = 0; i < into.groups.size(); ++i) into.groups[i] = std::min(into.groups[i], other.groups[i]);
  }
  void join_on(Known& without, const Known& with, const kernel::On& on) { join(without, with, on.where); }
  std::optional<bool> decide(const kernel::On& on) const { return warp_ ? takes_part(on.facts) : std::nullopt; }

  bool quiet = false;

  // A register that is read before it is written on every path.
  struct Unwritten {
    kernel::RegisterId id;
    SourceRange where, lost;  // where it is read, and the construct behind which it may not have been written
    kernel::CallId call;
  };
  std::vector<Unwritten> unwritten;

 private:
  // Whether all lanes of the warp do, or none; nothing where that is not known.
  std::optional<bool> takes_part(const kernel::Facts& facts) const {
    if (facts.none()) return true;
    if (!warp_) return std::nullopt;
    bool by_lane = facts.one || facts.inside;
    for (const kernel::Compare& compare : facts.compares) {
      if (differs_by_lane(kernel_, compare.left))
        by_lane = true;
      else if (!kernel::holds(value_at(session_, compare.left, *warp_), compare.is, compare.right))
        return false;
    }
    return by_lane ? std::nullopt : std::optional(true);
  }

  unsigned unit_of(const kernel::RegisterOperand& reg, int part) const {
    return first_[static_cast<std::size_t>(reg.id)] + static_cast<unsigned>(reg.part + part);
  }

  bool is_written(const kernel::RegisterOperand& reg, SourceRange where, Known& known) {
    for (int part = 0; part < reg.count; ++part) {
      const unsigned unit = unit_of(reg, part);
      const auto half = known.half.find(unit);
      if (known.written[unit] || (half != known.half.end() && under_ && half->second == *under_)) continue;
      complain(reg.id, unit, where, known);
      return false;
    }
    return true;
  }

  // What is under way; of an MMA that has the registers itself, `mine` is the use of them that is not in its way.
  bool not_pending(const kernel::RegisterOperand& reg, SourceRange where, Known& known,
                   const Known::Use* mine = nullptr) {
    if (quiet || warp_) return true;
    for (int part = 0; part < reg.count; ++part) {
      const unsigned unit = unit_of(reg, part);
      const std::string& name = kernel_[reg.id].name;
      if (known.as_d.groups[unit] != kAtRest && mine != &known.as_d)
        session_.with_calls(session_.diagnostics.error(where, accumulating, name), call_);
      else if (known.as_a.groups[unit] != kAtRest && mine != &known.as_a)
        session_.with_calls(session_.diagnostics.error(where, multiplying, name), call_);
      else if (known.pending[unit])
        session_.with_calls(session_.diagnostics.error(where, pending, name, "loaded"), call_);
      else
        continue;
      // Said once: what follows is no other mistake.
      for (unsigned each = first_[static_cast<std::size_t>(reg.id)], n = 0; n < unsigned(kernel_[reg.id].count); ++n) {
        known.pending.reset(each + n);
        known.as_d.groups[each + n] = known.as_a.groups[each + n] = kAtRest;
      }
      return false;
    }
    return true;
  }

  // An MMA's registers: what others did to them comes before an `mma.fence`, and so does what MMAs had them for that is
  // not what this one has them for (PTX ISA, wgmma.fence).
  void fenced(const kernel::RegisterOperand& reg, SourceRange where, Known& known, const Known::Use& other) {
    if (quiet || warp_) return;
    if (!not_pending(reg, where, known, &other == &known.as_d ? &known.as_a : &known.as_d)) return;
    for (int part = 0; part < reg.count; ++part) {
      const unsigned unit = unit_of(reg, part);
      if (!known.unfenced[unit] && !other.unfenced[unit]) continue;
      session_.with_calls(session_.diagnostics.error(where, not_fenced, kernel_[reg.id].name), call_);
      return;
    }
  }

  void complain(kernel::RegisterId id, unsigned unit, SourceRange where, Known& known) {
    if (quiet) return;
    const kernel::Register& reg = kernel_[id];
    unwritten.push_back({id, where, known.perhaps[unit] ? lost_at_[unit] : SourceRange{}, call_});
    const unsigned first = first_[static_cast<std::size_t>(id)];
    known.written.set(first, first + static_cast<unsigned>(reg.count));  // said once
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  const Fixed* warp_;
  std::vector<unsigned> first_;
  unsigned units_ = 0;
  std::vector<SourceRange> lost_at_;
  std::optional<Known::Where> under_;  // the guard of the instruction at hand
  kernel::CallId call_ = kernel::CallId::none;
};

// What all facts that say who takes part come to for a warp.
void parts(const Session& session, const kernel::Block& block, const Fixed& warp, std::string& text) {
  auto part = [&](const kernel::Facts& facts) {
    for (const kernel::Compare& compare : facts.compares) {
      if (differs_by_lane(session.kernel, compare.left)) continue;
      text += kernel::holds(value_at(session, compare.left, warp), compare.is, compare.right) ? '1' : '0';
    }
  };
  for (const kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) part(it->guard.facts);
    if (auto* on = std::get_if<kernel::On>(&node.is)) part(on->facts);
    kernel::for_each_block(node, [&](const kernel::Block& inner) { parts(session, inner, warp, text); });
  }
}

std::vector<Registers::Unwritten> walked(Session& session, const kernel::Block& block, Registers registers) {
  Paths<Registers>(session, registers).walk(block, registers.nothing());
  return std::move(registers.unwritten);
}

// What all warps at once may not have written is looked for along the paths of each: facts that exclude each other may
// have it written in any case. Once for all warps that take the same part everywhere.
void check_block(Session& session, const kernel::Block& block, int warps, const std::vector<kernel::Pin>& at) {
  const std::vector<Registers::Unwritten> by_all = walked(session, block, Registers(session));
  if (by_all.empty()) return;
  auto key = [](const Registers::Unwritten& one) {
    return std::tuple(one.where.file, one.where.begin, one.call, one.id);
  };
  std::map<decltype(key(by_all[0])), Registers::Unwritten> found;
  std::set<std::string> seen;
  for (const std::int64_t cluster : clusters_apart(session)) {
    session.cluster_id = cluster;
    for (int rank = 0; rank < session.kernel.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> axes = kernel::place(session.kernel, rank);
      if (!std::all_of(at.begin(), at.end(), [&](const kernel::Pin& pin) { return axes[pin.axis] == pin.at; }))
        continue;
      for (int warp = 0; warp < warps; ++warp) {
        const Fixed fixed{0, warp, &axes};
        std::string part;
        parts(session, block, fixed, part);
        if (!seen.insert(std::move(part)).second) continue;
        for (const Registers::Unwritten& one : walked(session, block, Registers(session, &fixed)))
          found.try_emplace(key(one), one);
      }
    }
  }
  session.cluster_id = 0;
  for (const Registers::Unwritten& one : by_all) {
    const auto also = found.find(key(one));
    if (also != found.end()) also->second.lost = one.lost;
  }
  for (const auto& [at_read, one] : found) {
    const kernel::Register& reg = session.kernel[one.id];
    Diagnostic& said = one.lost.end != 0
                           ? session.diagnostics.error(one.where, unwritten_on, reg.name, session.line_of(one.lost))
                           : session.diagnostics.error(one.where, unwritten, reg.name);
    session.with_calls(said.note(reg.declared, "declared here"), one.call);
  }
}

}  // namespace

void check_registers(Session& session) {
  const kernel::Kernel& kernel = session.kernel;
  check_block(session, kernel.start, kernel.threads / 32, {});
  for (const kernel::Role& role : kernel.roles)
    check_block(session, role.body, role.end_warp - role.first_warp, role.at);
  check_block(session, kernel.finish, kernel.threads / 32, {});
}

}  // namespace warpcc::sema
