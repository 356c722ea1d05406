// Instructions: guards, and operands of the kinds that the instruction table asks for.
#include <algorithm>

#include "sema/build.h"
#include "sema/foreign.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> guard_each{
    "guard-each",
    "lane i of `{0}` signals the i-th of several CTAs, and `{1}` leaves lanes out: facts of warps may guard it"};
constexpr Message<std::string, std::string> unknown_near{"no-instruction",
                                                         "there is no instruction `{}`; there is `{}`"};
constexpr Message<std::string> unknown{"no-instruction", "there is no instruction `{}`"};
constexpr Message<std::string, std::string> unknown_foreign{"no-instruction", "there is no instruction `{}`: {}"};
constexpr Message<std::string> not_an_instruction{
    "no-instruction", "{}: it is no statement by itself; a proc is called with parentheses"};
constexpr Message<std::string> no_typed_register{
    "no-instruction",
    "{} of compile-time values; registers have kinds, not types: `r` (a lane's), `ur` (a warp's), `p`, `up`"};
constexpr Message<std::string, std::string, std::string> not_on_target{"not-on-target",
                                                                       "`{}` does not exist on {}; it does on {}"};
constexpr Message<std::string, std::string, std::string> operand_count{"wrong-count", "`{}` takes {}; {} given"};
constexpr Message<std::string, std::string> wait_takes_barrier{"takes-barrier", "a wait takes a barrier; `{}` is {}"};
constexpr Message<std::string, std::string, std::string> takes_barrier{"takes-barrier",
                                                                       "`{}` takes a barrier; `{}` is {}"};
constexpr Message<std::size_t, std::string, std::string, std::string> operand_kind{"operand-kind",
                                                                                   "operand {} of `{}` is {}; {}"};
constexpr Message<std::string> counter_operand{"counter-operand",
                                               "`{}` is a counter: coordinates may use it, instructions may not"};
constexpr Message<std::string> index_operand{"index-operand",
                                             "`{}` is not made of fixed indices alone (`lane`, `warp`, axes …): an "
                                             "operand of that kind is computed by an instruction"};
constexpr Message<std::string, std::string, std::string> two_immediates{
    "two-immediates", "`{}` takes one immediate; {} are two: `{}` one of them first"};
constexpr Message<std::int64_t> immediate_range{"immediate-range", "{} does not fit in 32 bits"};
constexpr Message<std::size_t, std::string> no_negation{"no-negation", "operand {} of `{}` has no negated form"};
constexpr Message<std::string> written_read_only{
    "read-only", "`{}` is a parameter that is only read: say `out` or `inout` in the proc"};
constexpr Message<std::size_t, std::string, std::string, int> group_width{"group-width",
                                                                          "operand {} of `{}` is {}; this has {}"};
constexpr Message<std::string> no_such_special{"no-special-register",
                                               "`{}` is no special register (`ctaid.x`, `tid.x`, `laneid` …)"};
constexpr Message<std::string> no_elements{"no-elements", "`{}` has no elements: no instruction reaches it"};
constexpr Message<std::string> no_across{"no-across", "`across` is of `load`; `{}` has none"};
constexpr Message<std::string> no_for{"no-for", "`for` is of `prefetch`; `{}` has none"};
constexpr Message<std::string, std::string> no_option{"no-option", "`{}` has no option `{}`"};
constexpr Message<std::string> no_hint{"no-option", "a hint is `evict_first` or `evict_last`; `{}` is none"};
constexpr Message<std::string> guard_once{
    "guard-once", "`{}` is issued once a warp; `one` is for instructions that every lane executes"};
constexpr Message<std::string, std::string> guard_once_lane{
    "guard-once", "`{}` is issued once a warp, so its guard is uniform (`up`); `{}` differs between lanes"};
constexpr Message<std::string> guard_together{"guard-together",
                                              "all lanes of a warp execute `{}` together: it takes no lane guard"};
constexpr Message<std::string, std::string> guard_lane{
    "guard-lane", "`{}` is executed by lanes, so its guard is a `p`; `{}` is uniform (`up`): `plop3` makes one"};
constexpr Message<std::string> guard_kind{"guard-kind", "a guard is a predicate or facts; {}"};
constexpr Message<std::string> guard_counts{
    "guard-counts", "the barrier counts on every arrival: only facts may guard one, and `{}` is a register"};
constexpr Message<std::string> inside_of_global{
    "inside", "`inside` guards an access of lanes to global memory (`ldg`, `stg`, `redg`), not `{}`"};

using isa::kBarrier;
using isa::kBuffer;
using isa::kFragment;
using isa::kGlobalView;
using isa::kImmediate;
using isa::kNamedBarrier;
using isa::kP;
using isa::kR;
using isa::kSharedView;
using isa::kSpecialRegister;
using isa::kTensorView;
using isa::kUP;
using isa::kUR;

isa::Takes bit_of(isa::File file) {
  constexpr isa::Takes kBits[] = {kR, kUR, kP, kUP};
  return kBits[static_cast<int>(file)];
}

std::string wanted(isa::Takes takes) {
  constexpr std::pair<isa::Takes, const char*> kWords[] = {{kR, "a general register (`r`)"},
                                                           {kUR, "a uniform register (`ur`)"},
                                                           {kP, "a predicate (`p`)"},
                                                           {kUP, "a uniform predicate (`up`)"},
                                                           {kSharedView, "a view of shared memory"},
                                                           {kGlobalView, "a view of global memory"},
                                                           {kTensorView, "a view of tensor memory"},
                                                           {kFragment, "a fragment"},
                                                           {kBarrier, "a barrier"},
                                                           {kNamedBarrier, "a named barrier"},
                                                           {kBuffer, "a global buffer"},
                                                           {kSpecialRegister, "a special register"}};
  std::string text;
  for (const auto& [bit, words] : kWords) {
    if (takes & bit) text += (text.empty() ? "" : " or ") + std::string(words);
  }
  return text.empty() ? "an immediate" : text;
}

// The proc of this name in a module: `set_up` in `pipes`.
std::optional<Value> proc_in(const std::optional<Value>& of, const std::string& name) {
  auto* module = of ? of->get<Module*>() : nullptr;
  if (!module) return std::nullopt;
  const auto item = (*module)->items.find(name);
  if (item == (*module)->items.end() || !item->second.value.has<ProcRef>()) return std::nullopt;
  return item->second.value;
}

// The instruction that makes of a register what the slot wants; empty where there is none.
std::string_view maker(isa::Takes takes, isa::File given) {
  if (given == isa::File::ur && takes & kR) return "mov";
  if (given == isa::File::r && takes & kUR) return "r2ur";
  if (given == isa::File::up && takes & kP) return "plop3";
  if (given == isa::File::p && takes & kUP) return "voteu.all";
  return {};
}

bool signals(isa::Does does) {
  return does == isa::Does::arrive || does == isa::Does::expect || does == isa::Does::commit;
}

}  // namespace

void Builder::instruction(const tree::Instruction& it, SourceRange where, Scope& scope) {
  if (it.operands.empty() && it.opcode.find('.') == std::string::npos) {
    if (const Scope::Binding* binding = scope.find(it.opcode)) {
      if (auto* ref = binding->value.get<BlockRef>()) {
        const BlockRef block = *ref;
        splice(block);
        return;
      }
    }
  }
  const isa::Statement* row = isa::statement(it.opcode, session_.kernel.target);
  if (!row) {
    if (const isa::Statement* other = isa::statement(it.opcode)) {
      std::string targets;
      for (const isa::Target target : {isa::Target::sm_100a, isa::Target::sm_90a}) {
        if (isa::has(other->targets, target)) targets += (targets.empty() ? "" : ", ") + std::string(isa::name(target));
      }
      session_.error(it.opcode_where, not_on_target, it.opcode, std::string(isa::name(session_.kernel.target)),
                     targets);
      return;
    }
    const std::string_view nearest = isa::nearest_statement(it.opcode);
    std::optional<Value> value = evaluator_.find(it.opcode, it.opcode_where, scope);
    if (const std::size_t dot = it.opcode.find('.'); !value && dot != std::string::npos)
      value = proc_in(evaluator_.find(it.opcode.substr(0, dot), it.opcode_where, scope), it.opcode.substr(dot + 1));
    if (value && !value->bad()) {
      const std::string what = fmt::format("`{}` is {}", it.opcode, describe(*value, session_.kernel));
      if (!value->has<Type>()) {
        session_.error(it.opcode_where, not_an_instruction, what);
        return;
      }
      session_.error(it.opcode_where, no_typed_register, what);
      // What was meant to be declared is not undeclared as well.
      for (const tree::ExprPtr& operand : it.operands) {
        auto* name = std::get_if<tree::Expr::Identifier>(&operand->is);
        if (name && !scope.find(name->name)) scope.bind(name->name, Bad{}, operand->where);
      }
    } else if (std::optional<std::string> known = foreign(it.opcode)) {
      session_.error(it.opcode_where, unknown_foreign, it.opcode, *known);
    } else if (nearest.empty()) {
      session_.error(it.opcode_where, unknown, it.opcode);
    } else {
      Diagnostic& said = session_.error(it.opcode_where, unknown_near, it.opcode, std::string(nearest));
      if (llvm::StringRef(it.opcode).edit_distance(nearest) == 1) said.mend(it.opcode_where, std::string(nearest));
    }
    return;
  }

  kernel::Instruction made;
  made.op = row;
  made.where = where;
  made.text = session_.one_line(where);
  made.call = session_.call;
  made.opcode_where = it.opcode_where;
  if (it.guard) made.guard_where = it.guard->facts ? it.guard->facts->where : it.guard->predicate->where;
  bool never = false;
  if (!guard(it, *row, scope, made.guard, never)) return;

  const std::size_t slots = row->slots.size();
  std::size_t least = slots;
  while (least > 0 && (row->slots[least - 1].optional || row->slots[least - 1].neutral)) --least;
  if (it.operands.size() < least || it.operands.size() > slots) {
    const std::string count =
        least == slots ? counted(slots, "operand") : fmt::format("{} to {} operands", least, slots);
    session_.error(it.opcode_where, operand_count, it.opcode, count, there_are(it.operands.size()));
    return;
  }
  std::vector<std::pair<std::int64_t, SourceRange>> immediates;
  for (std::size_t i = 0; i < slots; ++i) {
    const isa::StatementSlot& slot = row->slots[i];
    if (i < it.operands.size()) {
      std::optional<kernel::Operand> made_operand = operand(*row, i, *it.operands[i], scope);
      if (!made_operand) return;
      if (auto* value = std::get_if<std::int64_t>(&*made_operand); value && *value != 0 && slot.takes & (kR | kUR)) {
        immediates.emplace_back(*value, it.operands[i]->where);
      }
      made.operands.push_back(std::move(*made_operand));
      made.operands_where.push_back(it.operands[i]->where);
    } else if (slot.neutral) {
      if (slot.takes & (kP | kUP))
        made.operands.push_back(*slot.neutral != 0);
      else
        made.operands.push_back(*slot.neutral);
      made.operands_where.push_back(where);
    }
  }
  if (immediates.size() > 1) {
    std::string all;
    for (const auto& [value, at] : immediates) all += (all.empty() ? "" : " and ") + std::string(session_.one_line(at));
    session_.error(immediates[1].second, two_immediates, it.opcode, all, row->slots[0].takes & kUR ? "umov" : "mov");
    return;
  }
  // The turn of the only team is handed on to nobody.
  auto* first = made.operands.empty() ? nullptr : std::get_if<kernel::BarrierOperand>(&made.operands[0]);
  if (first && first->is_named() && first->named == kernel::BarrierId::none) never = true;
  if (!options(it, *row, scope, made) || !pairs(made, it) || !check(made, it)) return;
  if (row->does == isa::Does::prefetch && !check_prefetch(made, it, scope)) return;
  if (!never) emit({std::move(made)}, where);
}

// ---- Guards

bool Builder::guard(const tree::Instruction& it, const isa::Statement& row, Scope& scope, kernel::Guard& guard,
                    bool& never) {
  if (!it.guard) return true;
  const tree::Guard& given = *it.guard;
  std::optional<bool> known;
  if (given.facts) {
    const std::optional<kernel::Facts> facts = evaluator_.facts(*given.facts, scope, known);
    if (!facts) return false;
    guard.facts = *facts;
  } else {
    const Value value = evaluator_.path(*given.predicate, scope);
    if (value.bad()) return false;
    if (auto* boolean = value.get<bool>()) {
      known = *boolean != given.negated;
    } else if (auto* facts = value.get<kernel::Facts>(); facts && !given.negated) {
      guard.facts = *facts;
    } else if (auto* reg = value.get<RegisterRef>(); reg && (reg->file == isa::File::p || reg->file == isa::File::up)) {
      guard.predicate = reg->operand;
      guard.predicate->negated = guard.predicate->negated != given.negated;
    } else if (auto* more = value.get<MoreRef>()) {
      guard.more = more->id;
      guard.more_negated = more->negated != given.negated;
    } else {
      session_.error(
          given.where, guard_kind,
          fmt::format("`{}` is {}", session_.one_line(given.predicate->where), describe(value, session_.kernel)));
      return false;
    }
  }
  if (known) {
    never = !*known;
    return true;
  }
  const SourceRange where = given.facts ? given.facts->where : given.predicate->where;
  if ((guard.predicate || guard.more) && signals(row.does)) {
    session_.error(where, guard_counts, session_.one_line(where));
    return false;
  }
  if (guard.facts.inside && row.does != isa::Does::global_access) {
    session_.error(where, inside_of_global, std::string(row.word));
    return false;
  }
  if (guard.facts.one && row.issue == isa::Issue::once) {
    Diagnostic& said = session_.error(where, guard_once, std::string(row.word));
    if (guard.facts.compares.empty() && !guard.facts.inside)
      said.mend({it.opcode_where.file, given.where.begin, it.opcode_where.begin}, "");
    return false;
  }
  const bool facts_by_lane =
      guard.facts.one || guard.facts.inside ||
      std::any_of(guard.facts.compares.begin(), guard.facts.compares.end(),
                  [&](const kernel::Compare& compare) { return differs_by_lane(session_.kernel, compare.left); });
  if (facts_by_lane && row.word.ends_with(".each")) {
    Diagnostic& said = session_.error(where, guard_each, std::string(row.word), session_.one_line(where));
    if (guard.facts.one && guard.facts.compares.empty() && !guard.facts.inside)
      said.mend({it.opcode_where.file, given.where.begin, it.opcode_where.begin}, "");
    return false;
  }
  const bool is_p = guard.predicate && session_.kernel[guard.predicate->id].file == isa::File::p;
  const bool is_up = guard.predicate && !is_p;
  // All lanes of a warp get one answer from a barrier: what `probe` wrote may guard a wait.
  if (row.does == isa::Does::wait && !facts_by_lane) return true;
  if (row.does == isa::Does::probe && guard.more) return true;
  if (row.issue == isa::Issue::once && (facts_by_lane || is_p || guard.more)) {
    session_.error(where, guard_once_lane, std::string(row.word), session_.one_line(where));
    return false;
  }
  if ((row.issue == isa::Issue::warp || row.issue == isa::Issue::warpgroup) && (facts_by_lane || is_p)) {
    session_.error(where, guard_together, std::string(row.word));
    return false;
  }
  if (row.issue == isa::Issue::lane && is_up) {
    session_.error(where, guard_lane, std::string(row.word), session_.one_line(where));
    return false;
  }
  return true;
}

// ---- Operands

std::optional<kernel::Operand> Builder::register_operand(const isa::Statement& row, std::size_t at,
                                                         const RegisterRef& ref, const tree::Expr& expr) {
  const isa::StatementSlot& slot = row.slots[at];
  const std::string text = session_.one_line(expr.where);
  const bool is_fragment = session_.kernel[ref.operand.id].fragment.has_value() && ref.operand.count > 1;
  if (!(slot.takes & bit_of(ref.file))) {
    std::string given = fmt::format("`{}` is {}", text, describe(ref, session_.kernel));
    if (const std::string_view makes = maker(slot.takes, ref.file); !makes.empty())
      given += fmt::format("; `{}` makes one", makes);
    session_.error(expr.where, operand_kind, at + 1, std::string(row.word), wanted(slot.takes & ~kImmediate), given);
    return std::nullopt;
  }
  if (slot.width != 0 && ref.operand.count != slot.width) {
    session_.error(expr.where, group_width, at + 1, std::string(row.word),
                   slot.width == 1 ? "one register" : fmt::format("a group of {} registers", int{slot.width}),
                   ref.operand.count);
    return std::nullopt;
  }
  if (ref.operand.negated && (!slot.negates || is_fragment)) {
    session_.error(expr.where, no_negation, at + 1, std::string(row.word));
    return std::nullopt;
  }
  if (slot.out && !ref.writable) {
    session_.error(expr.where, written_read_only, text);
    return std::nullopt;
  }
  return ref.operand;
}

std::optional<kernel::Operand> Builder::operand(const isa::Statement& row, std::size_t at, const tree::Expr& expr,
                                                Scope& scope) {
  const isa::StatementSlot& slot = row.slots[at];
  if (slot.takes & kSpecialRegister) {
    const std::string name = session_.one_line(expr.where);
    const std::span<const isa::SpecialRegister> all = isa::special_registers();
    auto found =
        std::find_if(all.begin(), all.end(), [&](const isa::SpecialRegister& special) { return special.name == name; });
    if (found != all.end()) return kernel::SpecialRegister{static_cast<std::int32_t>(found - all.begin())};
    session_.error(expr.where, no_such_special, name);
    return std::nullopt;
  }
  const Value value = evaluator_.eval(expr, scope);
  if (value.bad()) return std::nullopt;
  const bool value_register = slot.takes & (kR | kUR), predicate = slot.takes & (kP | kUP);
  if (auto* reg = value.get<RegisterRef>(); reg && (value_register || predicate))
    return register_operand(row, at, *reg, expr);
  if (auto* integer = value.get<std::int64_t>();
      integer && !slot.out && (slot.takes & kImmediate || (value_register && *integer == 0))) {
    if (*integer < -(std::int64_t{1} << 31) || *integer >= std::int64_t{1} << 32) {
      session_.error(expr.where, immediate_range, *integer);
      return std::nullopt;
    }
    return *integer;
  }
  if (auto* boolean = value.get<bool>(); boolean && predicate && !slot.out) return *boolean;
  if (auto* index = value.get<kernel::Index>(); index && value_register && !slot.out) {
    if (index->is_constant() && (slot.takes & kImmediate || index->constant == 0)) return index->constant;
    if (!is_fixed(*index)) {
      session_.error(expr.where, index_operand, session_.one_line(expr.where));
      return std::nullopt;
    }
    const isa::File file = differs_by_lane(session_.kernel, *index) ? isa::File::r : isa::File::ur;
    if (slot.takes & bit_of(file) || (file == isa::File::ur && slot.takes & kR)) return *index;
  }
  if (value.has<CounterRef>() && (value_register || predicate)) {
    session_.error(expr.where, counter_operand, session_.one_line(expr.where));
    return std::nullopt;
  }
  if (auto* view = value.get<ViewRef>()) {
    const kernel::Buffer& buffer = session_.kernel[view->view.buffer];
    if (buffer.empty()) {
      session_.error(expr.where, no_elements, buffer.name).note(buffer.declared, "declared here");
      return std::nullopt;
    }
    constexpr isa::Takes kBits[] = {kSharedView, kTensorView, kGlobalView};
    if (slot.takes & kBuffer && buffer.space == kernel::MemorySpace::global && view->base)
      return kernel::TensorMapOf{view->view.buffer};
    if (slot.takes & kBits[static_cast<int>(buffer.space)] && !view->ring_open) {
      kernel::View made = view->view;
      made.where = expr.where;
      return made;
    }
  }
  if (auto* fragment = value.get<FragmentRef>(); fragment && slot.takes & kFragment) {
    if (slot.out && !fragment->writable) {
      session_.error(expr.where, written_read_only, session_.one_line(expr.where));
      return std::nullopt;
    }
    return kernel::RegisterOperand{fragment->id, fragment->first, fragment->count, false};
  }
  if (auto* barrier = value.get<BarrierRef>();
      barrier && !barrier->open && slot.takes & (barrier->operand.is_named() ? kNamedBarrier : kBarrier))
    return barrier->operand;

  const std::string text = session_.one_line(expr.where), is = describe(value, session_.kernel);
  if (slot.takes & kBarrier) {
    if (row.does == isa::Does::wait)
      session_.error(expr.where, wait_takes_barrier, text, is);
    else
      session_.error(expr.where, takes_barrier, std::string(row.word), text, is);
  } else {
    session_.error(expr.where, operand_kind, at + 1, std::string(row.word), wanted(slot.takes),
                   fmt::format("`{}` is {}", text, is));
  }
  return std::nullopt;
}

bool Builder::options(const tree::Instruction& it, const isa::Statement& row, Scope& scope, kernel::Instruction& made) {
  if (it.across && row.does != isa::Does::load) {
    session_.error(it.across->where, no_across, std::string(row.word));
    return false;
  }
  if (it.for_ && row.does != isa::Does::prefetch) {
    session_.error(it.for_->where, no_for, std::string(row.word));
    return false;
  }
  for (const auto& [name, value] : it.options) {
    if (name.text == "last" && row.does == isa::Does::mma && row.issue == isa::Issue::warpgroup) {
      const std::optional<bool> last = evaluator_.boolean(*value, scope, "`last`");
      if (!last) return false;
      made.closes_group = *last;
      continue;
    }
    if (name.text != "hint" || row.does != isa::Does::load) {
      session_.error(name.where, no_option, std::string(row.word), name.text);
      return false;
    }
    auto* word = std::get_if<tree::Expr::Identifier>(&value->is);
    if (word && word->name == "evict_first")
      made.hint = kernel::Hint::evict_first;
    else if (word && word->name == "evict_last")
      made.hint = kernel::Hint::evict_last;
    else {
      session_.error(value->where, no_hint, session_.one_line(value->where));
      return false;
    }
  }
  return true;
}

}  // namespace warpcc::sema
