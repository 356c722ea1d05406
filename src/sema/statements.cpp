// Statements: control, declarations, and what is spliced away.
#include <algorithm>
#include <numeric>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string> register_bound{
    "for-register", "a `for` is unrolled, so its bounds are known at compile time: {}; `loop` counts in a register"};
constexpr Message<std::int64_t> step_positive{"for-range", "a step is greater than 0; this is {}"};
constexpr Message<std::int64_t> many_rounds{"for-range", "a `for` is unrolled: at most {} rounds"};
constexpr Message<std::int64_t> many_nodes{"too-many-instructions",
                                           "the kernel has more than {} instructions, calls and loops unrolled"};
constexpr Message<std::string> if_register{"if-at-run-time",
                                           "an `if` keeps one branch at compile time; {}: `when` branches at run time"};
constexpr Message<std::string> if_fact{
    "if-at-run-time",
    "an `if` keeps one branch at compile time; `{0}` is a fact: `on ({0}) {{ … }}` is the block of "
    "the warps where it holds"};
constexpr Message<std::string> no_arm{"no-arm", "no arm of this `match` has the form {}"};
constexpr Message<std::string, std::string> when_lane{"when-lane",
                                                      "`when` takes a uniform predicate (`up`); `{}` differs between "
                                                      "lanes: `voteu.all` or `voteu.any` makes one of `{}`"};
constexpr Message<std::string, std::string> takes_uniform{"when-kind", "`{}` takes a uniform predicate (`up`); {}"};
constexpr Message<> no_loop{"break-outside", "`break` leaves a `loop`; there is none around it here"};
constexpr Message<> counted_break{
    "break-counted", "a loop that counts runs all its rounds: `break` is of a `loop {{ … }}` without a counter"};
constexpr Message<std::string> break_in_hold{"break-in-hold", "the ring of `{}` would not step: leave after the block"};
constexpr Message<> no_break{"loop-without-break", "a `loop` without a counter has a `break`: nothing else ends it"};
constexpr Message<std::string> bound_lane{"loop-bound",
                                          "a loop's bound is one value a warp; `{}` differs between lanes"};
constexpr Message<> in_start{"start-straight",
                             "`start` and `finish` are straight-line: instructions, `on`, unrolled loops, calls"};
constexpr Message<std::size_t> deep_loops{"too-deep", "loops nest at most {} deep"};
constexpr Message<> on_lanes{"on-lanes", "`on` is for whole warps: `one` and `inside` guard instructions"};
constexpr Message<std::string> on_by_lane{"on-lanes", "`on` is for whole warps; `{}` differs between lanes"};
constexpr Message<std::string, std::string, std::string> hold_takes{"hold-kind",
                                                                    "{}; `{}` holds a stage of a {}'s end"};
constexpr Message<std::string> no_stages{"hold-empty", "`{}` is a ring of 0 stages: its ends cannot be used"};
constexpr Message<std::string> nested_hold{"hold-nested",
                                           "a stage of `{}` is held already: blocks of one end do not nest"};
constexpr Message<std::string, std::string> outside_turn{
    "outside-turn", "the teams of `{0}` hold `{1}` in turn: a stage is taken inside `turn {1} of …`"};
constexpr Message<std::string> break_in_turn{
    "break-in-hold",
    "the ring of `{}` would not pass over the other teams' stages: leave after "
    "the turn"};
constexpr Message<std::int64_t> group_size{"register-group", "a group has 1 to 255 registers; this has {}"};
constexpr Message<> index_group{"register-range", "an index register is one register, `r` or `ur`"};
constexpr Message<std::int64_t, std::int64_t> empty_range{"register-range", "the range {} .. {} holds nothing"};
constexpr Message<> wide_range{"register-range", "a register holds 32 bits: a range lies in -2147483648 .. 4294967296"};
constexpr Message<> fragment_bits{"fragment", "a fragment's values fill whole registers"};
constexpr Message<std::int64_t> fragment_threads{
    "fragment",
    "a fragment is spread over the 32 lanes of a warp or the 128 threads of a warpgroup; this layout has {}"};
constexpr Message<> fragment_warps{"fragment",
                                   "a fragment over 128 threads is a warpgroup's: the role runs `on warpgroup` or "
                                   "`warpgroups`"};
constexpr Message<std::int64_t> fragment_size{"fragment", "a fragment of {} registers a lane: at most 255"};
constexpr Message<std::string> not_a_bundle{"not-a-bundle", "`{}` is no bundle of registers"};
constexpr Message<std::string> let_names{"let-kind", "`let` names a view or a coordinate; {}"};

isa::File file_of(tree::RegisterKind kind) {
  return static_cast<isa::File>(kind);
}

}  // namespace

SourceRange head(const Session& session, SourceRange where, const tree::Block& body) {
  where.end = std::max(where.begin, body.where.begin);
  while (where.end > where.begin && session.text(where).ends_with(' ')) --where.end;
  return where;
}

void Builder::emit(kernel::Node node, SourceRange where) {
  if (++session_.nodes == Session::kMostNodes) session_.error(where, many_nodes, Session::kMostNodes);
  if (session_.nodes < Session::kMostNodes) out_->push_back(std::move(node));
}

void Builder::block(const tree::Block& block, Scope& outer) {
  Scope scope(outer);
  statements(block.statements, scope);
}

void Builder::statements(const std::vector<tree::Statement>& statements, Scope& scope) {
  for (const tree::Statement& each : statements) {
    const Deeper deeper(session_, each.where);
    if (!deeper.ok() || !session_.step(each.where) || session_.nodes >= Session::kMostNodes) return;
    statement(each, scope);
  }
}

template <typename Member>
const std::vector<Member>* Builder::taken(const tree::StaticIf<Member>& first, Scope& scope) {
  // `else if` chains are walked, not entered: they may be long.
  for (const tree::StaticIf<Member>* an_if = &first;;) {
    const Value condition = evaluator_.eval(*an_if->condition, scope);
    if (condition.bad()) return nullptr;
    auto* known = condition.get<bool>();
    if (!known) {
      const SourceRange where = an_if->condition->where;
      if (condition.has<kernel::Facts>()) {
        session_.error(where, if_fact, session_.one_line(where));
        return nullptr;
      }
      Diagnostic& said =
          session_.error(where, if_register,
                         fmt::format("`{}` is {}", session_.one_line(where), describe(condition, session_.kernel)));
      const SourceRange word{where.file, where.begin - std::min(where.begin, 3u), where.begin};
      auto* reg = condition.get<RegisterRef>();
      if (reg && reg->file == isa::File::up && session_.text(word) == "if ") said.mend(word, "when ");
      return nullptr;
    }
    if (*known) return &an_if->then;
    const auto* next =
        an_if->otherwise.size() == 1 ? std::get_if<tree::StaticIf<Member>>(&an_if->otherwise[0].is) : nullptr;
    if (!next) return &an_if->otherwise;
    an_if = next;
  }
}

void Builder::statement(const tree::Statement& it, Scope& scope) {
  if (auto* a_instruction = std::get_if<tree::Instruction>(&it.is)) {
    instruction(*a_instruction, it.where, scope);
  } else if (auto* a_registers = std::get_if<tree::Registers>(&it.is)) {
    registers(*a_registers, scope, "", nullptr);
  } else if (auto* a_regs = std::get_if<tree::Regs>(&it.is)) {
    regs(*a_regs, scope, "", nullptr);
  } else if (auto* let = std::get_if<tree::Let>(&it.is)) {
    Value value = evaluator_.eval(*let->value, scope);
    if (!value.bad() && !value.has<ViewRef>() && !value.has<std::int64_t>() && !value.has<kernel::Index>() &&
        !value.has<Tuple>()) {
      if (std::optional<kernel::Index> index = value.has<CounterRef>() || value.has<RegisterRef>()
                                                   ? evaluator_.index(value, let->value->where)
                                                   : std::nullopt) {
        value = *index;
      } else {
        if (!value.has<RegisterRef>()) {
          session_.error(
              let->value->where, let_names,
              fmt::format("`{}` is {}", session_.one_line(let->value->where), describe(value, session_.kernel)));
        }
        value = Bad{};
      }
    }
    bind(let->name, std::move(value), scope);
  } else if (auto* a_const = std::get_if<tree::Const>(&it.is)) {
    constant(*a_const, scope);
  } else if (auto* require = std::get_if<tree::Require>(&it.is)) {
    modules_.require(*require, it.where, scope);
  } else if (auto* an_if = std::get_if<tree::StaticIf<tree::Statement>>(&it.is)) {
    if (const std::vector<tree::Statement>* kept = taken(*an_if, scope)) statements(*kept, scope);
  } else if (auto* a_for = std::get_if<tree::StaticFor<tree::Statement>>(&it.is)) {
    static_for(*a_for, it.where, scope);
  } else if (auto* a_match = std::get_if<tree::StaticMatch<tree::Statement>>(&it.is)) {
    const Value value = evaluator_.eval(*a_match->value, scope);
    for (const auto& arm : a_match->arms) {
      if (value.bad()) return;
      Scope binds(scope);
      const std::optional<bool> same = evaluator_.matches(*arm.pattern, value, binds);
      if (!same) return;
      if (!*same) continue;
      if (binds.bindings().empty()) {
        statements(arm.body, scope);
      } else {
        Scope inner(binds);
        statements(arm.body, inner);
        splice(inner, scope);
      }
      return;
    }
    if (!value.bad()) session_.error(a_match->value->where, no_arm, show(value));
  } else if (auto* a_loop = std::get_if<tree::Loop>(&it.is)) {
    loop(*a_loop, it.where, scope);
  } else if (auto* a_when = std::get_if<tree::When>(&it.is)) {
    when(*a_when, it.where, scope);
  } else if (auto* a_break = std::get_if<tree::Break>(&it.is)) {
    break_(*a_break, it.where, scope);
  } else if (auto* an_on = std::get_if<tree::On>(&it.is)) {
    on(*an_on, it.where, scope);
  } else if (auto* a_hold = std::get_if<tree::Hold>(&it.is)) {
    hold(*a_hold, it.where, scope);
  } else if (auto* a_turn = std::get_if<tree::Turn>(&it.is)) {
    turn(*a_turn, it.where, scope);
  } else if (auto* a_call = std::get_if<tree::Call>(&it.is)) {
    call(*a_call, it.where, scope);
  }
}

// ---- Registers

void Builder::registers(const tree::Registers& declared, Scope& scope, const std::string& prefix,
                        std::vector<std::pair<std::string_view, Value>>* fields) {
  for (const tree::RegisterDeclarator& each : declared.names) {
    Value made = declared_register(each, file_of(declared.kind), scope, prefix);
    if (fields)
      fields->emplace_back(each.name.text, std::move(made));
    else
      bind(each.name, std::move(made), scope);
  }
}

// Bad where an error was reported.
Value Builder::declared_register(const tree::RegisterDeclarator& each, isa::File file, Scope& scope,
                                 const std::string& prefix) {
  kernel::Register reg;
  reg.name = prefix + each.name.text;
  reg.file = file;
  reg.declared = each.name.where;
  if (each.count) {
    const std::optional<std::int64_t> count = evaluator_.integer(*each.count, scope, "the size of a group");
    if (!count) return Bad{};
    if (*count < 1 || *count > 255) {
      session_.error(each.count->where, group_size, *count);
      return Bad{};
    }
    reg.count = static_cast<int>(*count);
  }
  if (each.range) {
    const std::optional<std::int64_t> begin = evaluator_.integer(*each.range->begin, scope, "the bound of a range");
    const std::optional<std::int64_t> end = evaluator_.integer(*each.range->end, scope, "the bound of a range");
    const std::optional<std::int64_t> step =
        each.step ? evaluator_.integer(*each.step, scope, "the step of a range") : std::optional<std::int64_t>(1);
    if (!begin || !end || !step) return Bad{};
    if (each.count || (reg.file != isa::File::r && reg.file != isa::File::ur)) {
      session_.error(each.range->where, index_group);
      return Bad{};
    }
    if (*step < 1) {
      session_.error(each.step->where, step_positive, *step);
      return Bad{};
    }
    if (*end <= *begin) {
      session_.error(each.range->where, empty_range, *begin, *end);
      return Bad{};
    }
    if (*begin < -(std::int64_t{1} << 31) || *end > std::int64_t{1} << 32) {
      session_.error(each.range->where, wide_range);
      return Bad{};
    }
    reg.range = kernel::Range{*begin, *end, *step};
  }
  std::vector<kernel::Register>& all = session_.kernel.registers_declared;
  RegisterRef ref{{static_cast<kernel::RegisterId>(all.size()), 0, reg.count, false}, reg.file, each.count != nullptr};
  all.push_back(std::move(reg));
  return ref;
}

void Builder::regs(const tree::Regs& declared, Scope& scope, const std::string& prefix,
                   std::vector<std::pair<std::string_view, Value>>* fields) {
  Value made = fragment_or_bundle(declared, scope, prefix);
  if (fields)
    fields->emplace_back(declared.name.text, std::move(made));
  else
    bind(declared.name, std::move(made), scope);
}

// Bad where an error was reported.
Value Builder::fragment_or_bundle(const tree::Regs& declared, Scope& scope, const std::string& prefix) {
  Value made;
  if (declared.tile) {
    kernel::Register reg;
    reg.name = prefix + declared.name.text;
    reg.declared = declared.name.where;
    if (!tile(*declared.tile, scope, reg.element, reg.shape)) return Bad{};
    const Value layout = evaluator_.eval(*declared.layout, scope);
    reg.fragment = evaluator_.thread_value(layout, reg.shape, declared.layout->where);
    if (!reg.fragment) return Bad{};
    const std::int64_t threads = reg.fragment->extent(0);
    if (threads != 32 && threads != 128) {
      session_.error(declared.layout->where, fragment_threads, threads);
      return Bad{};
    }
    if (threads == 128 && (session_.place.first_warp % 4 != 0 || session_.place.warps % 4 != 0)) {
      session_.error(declared.layout->where, fragment_warps);
      return Bad{};
    }
    const std::int64_t bits = reg.fragment->extent(1) * layout::bits(reg.element);
    if (bits % 32 != 0) {
      session_.error(declared.layout->where, fragment_bits);
      return Bad{};
    }
    if (bits / 32 > 255) {
      session_.error(declared.layout->where, fragment_size, bits / 32);
      return Bad{};
    }
    reg.count = static_cast<int>(bits / 32);
    std::vector<kernel::Register>& all = session_.kernel.registers_declared;
    made = FragmentRef{static_cast<kernel::RegisterId>(all.size()), std::vector<std::int64_t>(reg.shape.size()),
                       reg.shape, 0, reg.count};
    all.push_back(std::move(reg));
  } else {
    const std::optional<Type> type = evaluator_.resolve(*declared.bundle, scope);
    if (!type) return Bad{};
    if (type->kind != Type::Kind::struct_ || type->struct_.tree->registers.empty()) {
      session_.error(declared.bundle->where, not_a_bundle, show(*type));
      return Bad{};
    }
    const tree::Struct& of = *type->struct_.tree;
    Scope inner(names_around(type->struct_));
    for (std::size_t i = 0; i < of.parameters.size(); ++i) {
      inner.bind(of.parameters[i].name.text, (*type->arguments)[i], of.parameters[i].name.where);
    }
    auto bundle = std::make_shared<Bundle>();
    bundle->of = type->struct_;
    bundle->arguments = type->arguments;
    const std::string name = prefix + declared.name.text + ".";
    session_.chain.push_back({of.name.text, declared.name.where});
    for (const tree::Statement& field : of.registers) {
      if (auto* plain = std::get_if<tree::Registers>(&field.is))
        registers(*plain, inner, name, &bundle->fields);
      else if (auto* fragment = std::get_if<tree::Regs>(&field.is))
        regs(*fragment, inner, name, &bundle->fields);
    }
    session_.chain.pop_back();
    made = BundleRef{bundle};
  }
  return made;
}

// ---- Control

void Builder::static_for(const tree::StaticFor<tree::Statement>& it, SourceRange where, Scope& scope) {
  std::int64_t bounds[2];
  const tree::ExprPtr ends[2] = {it.range.begin, it.range.end};
  for (int i = 0; i < 2; ++i) {
    const Value value = evaluator_.eval(*ends[i], scope);
    if (value.bad()) return;
    if (auto* index = value.get<kernel::Index>(); index && index->is_constant()) {
      bounds[i] = index->constant;
    } else if (auto* integer = value.get<std::int64_t>()) {
      bounds[i] = *integer;
    } else {
      session_.error(ends[i]->where, register_bound,
                     fmt::format("`{}` is {}", session_.one_line(ends[i]->where), describe(value, session_.kernel)));
      return;
    }
  }
  const std::optional<std::int64_t> step =
      it.step ? evaluator_.integer(*it.step, scope, "the step of a `for`") : std::optional<std::int64_t>(1);
  if (!step) return;
  if (*step < 1) {
    session_.error(it.step->where, step_positive, *step);
    return;
  }
  const std::uint64_t span =
      bounds[1] > bounds[0] ? static_cast<std::uint64_t>(bounds[1]) - static_cast<std::uint64_t>(bounds[0]) : 0;
  const std::uint64_t rounds =
      span / static_cast<std::uint64_t>(*step) + (span % static_cast<std::uint64_t>(*step) != 0);
  if (rounds > static_cast<std::uint64_t>(Session::kMostRounds)) {
    session_.error(it.range.where, many_rounds, Session::kMostRounds);
    return;
  }
  const std::size_t said = session_.diagnostics.all().size();
  std::int64_t value = bounds[0];
  for (std::uint64_t round = 0; round < rounds; ++round, value += round < rounds ? *step : 0) {
    if (!session_.step(where)) return;
    Scope inner(scope);
    session_.means(it.variable.where, value);
    inner.bind(it.variable.text, value, it.variable.where);
    statements(it.body, inner);
    if (session_.diagnostics.all().size() != said) return;  // the other rounds would say the same again
  }
}

void Builder::loop(const tree::Loop& it, SourceRange where, Scope& scope) {
  if (session_.place.kind != Place::Kind::role) {
    session_.error(head(session_, where, it.body), in_start);
    return;
  }
  if (loops_.size() >= Session::kDeepestLoops) {
    session_.error(head(session_, where, it.body), deep_loops, Session::kDeepestLoops);
    return;
  }
  const std::size_t held = evaluator_.held.size();
  if (!it.counter) {
    kernel::Forever made;
    made.where = head(session_, where, it.body);
    loops_.push_back({true, false, held, turning_.size()});
    kernel::Block* outer = std::exchange(out_, &made.body);
    const std::size_t said = session_.diagnostics.all().size();
    block(it.body, scope);
    out_ = outer;
    const bool broken = loops_.back().broken;
    loops_.pop_back();
    if (!broken && session_.diagnostics.all().size() == said) session_.error(made.where, no_break);
    emit({std::move(made)}, where);
    return;
  }
  const std::optional<kernel::Index> begin = evaluator_.index(*it.range->begin, scope);
  const std::optional<kernel::Index> end = evaluator_.index(*it.range->end, scope);
  const std::optional<std::int64_t> step =
      it.step ? evaluator_.integer(*it.step, scope, "the step of a loop") : std::optional<std::int64_t>(1);
  if (!begin || !end || !step) return;
  if (*step < 1) {
    session_.error(it.step->where, step_positive, *step);
    return;
  }
  for (const auto& [bound, expr] : {std::pair(&*begin, &it.range->begin), std::pair(&*end, &it.range->end)}) {
    if (differs_by_lane(session_.kernel, *bound)) {
      session_.error((*expr)->where, bound_lane, session_.one_line((*expr)->where));
      return;
    }
  }
  const Interval first = interval(session_, *begin).value_or(Interval{}),
                 last = interval(session_, *end).value_or(Interval{});
  if (first.lo >= last.hi) return;  // no round at all
  const auto id = static_cast<kernel::CounterId>(session_.kernel.counters.size());
  session_.kernel.counters.push_back(
      {it.counter->text, {first.lo, last.hi, std::max<std::int64_t>(std::gcd(first.step, *step), 1)}});
  kernel::Loop made;
  made.counter = id;
  made.begin = *begin;
  made.end = *end;
  made.step = *step;
  made.runs = first.hi < last.lo;
  made.where = head(session_, where, it.body);
  made.text = session_.one_line(made.where);
  loops_.push_back({false, false, held, turning_.size()});
  kernel::Block* outer = std::exchange(out_, &made.body);
  Scope inner(scope);
  session_.means(it.counter->where, CounterRef{id});
  inner.bind(it.counter->text, CounterRef{id}, it.counter->where);
  block(it.body, inner);
  out_ = outer;
  loops_.pop_back();
  emit({std::move(made)}, where);
}

void Builder::when(const tree::When& it, SourceRange where, Scope& scope) {
  const Value condition = evaluator_.eval(*it.condition, scope);
  if (condition.bad()) return;
  if (auto* known = condition.get<bool>()) {
    if (*known)
      block(it.then, scope);
    else if (it.otherwise)
      block(*it.otherwise, scope);
    return;
  }
  const std::string text = session_.one_line(it.condition->where);
  auto* reg = condition.get<RegisterRef>();
  if (!reg || reg->file != isa::File::up) {
    if (reg && reg->file == isa::File::p)
      session_.error(it.condition->where, when_lane, text, text);
    else
      session_.error(it.condition->where, takes_uniform, "when",
                     fmt::format("`{}` is {}", text, describe(condition, session_.kernel)));
    return;
  }
  if (session_.place.kind != Place::Kind::role) {
    session_.error(head(session_, where, it.then), in_start);
    return;
  }
  kernel::When made;
  made.when = reg->operand;
  made.where = head(session_, where, it.then);
  made.text = session_.one_line(made.where);
  kernel::Block* outer = std::exchange(out_, &made.then);
  block(it.then, scope);
  out_ = &made.otherwise;
  if (it.otherwise) block(*it.otherwise, scope);
  out_ = outer;
  emit({std::move(made)}, where);
}

void Builder::break_(const tree::Break& it, SourceRange where, Scope& scope) {
  if (loops_.size() <= break_floor_) {
    session_.error(where, no_loop);
    return;
  }
  OpenLoop& loop = loops_.back();
  loop.broken = true;
  if (!loop.forever) {
    session_.error(where, counted_break);
    return;
  }
  if (evaluator_.held.size() > loop.held) {
    session_.error(where, break_in_hold, session_.kernel[session_.kernel[evaluator_.held.back()].pipe].name);
    return;
  }
  if (turning_.size() > loop.turning) {
    session_.error(where, break_in_turn, session_.kernel[session_.kernel[turning_.back()].pipe].name);
    return;
  }
  const Value condition = evaluator_.eval(*it.condition, scope);
  if (condition.bad()) return;
  auto* reg = condition.get<RegisterRef>();
  const std::string text = session_.one_line(it.condition->where);
  if (!reg || reg->file != isa::File::up) {
    if (reg && reg->file == isa::File::p)
      session_.error(it.condition->where, when_lane, text, text);
    else
      session_.error(it.condition->where, takes_uniform, "break when",
                     fmt::format("`{}` is {}", text, describe(condition, session_.kernel)));
    return;
  }
  emit({kernel::Break{reg->operand, where, session_.one_line(where)}}, where);
}

void Builder::on(const tree::On& it, SourceRange where, Scope& scope) {
  std::optional<bool> known;
  const std::optional<kernel::Facts> facts = evaluator_.facts(*it.fact, scope, known);
  if (!facts) return;
  if (known) {
    if (*known) block(it.body, scope);
    return;
  }
  if (facts->one || facts->inside) {
    session_.error(it.fact->where, on_lanes);
    return;
  }
  for (const kernel::Compare& compare : facts->compares) {
    if (!differs_by_lane(session_.kernel, compare.left)) continue;
    session_.error(it.fact->where, on_by_lane, session_.one_line(it.fact->where));
    return;
  }
  kernel::On made;
  made.facts = *facts;
  made.where = head(session_, where, it.body);
  made.text = session_.one_line(made.where);
  kernel::Block* outer = std::exchange(out_, &made.body);
  block(it.body, scope);
  out_ = outer;
  emit({std::move(made)}, where);
}

void Builder::hold(const tree::Hold& it, SourceRange where, Scope& scope) {
  constexpr const char* kWords[] = {"fill", "take", "drain"};
  const std::string word = kWords[static_cast<int>(it.kind)];
  const bool producer = it.kind != tree::Hold::Kind::take;
  const Value value = evaluator_.path(it.end, scope);
  if (value.bad()) return;
  auto* end = value.get<EndRef>();
  if (!end || (session_.kernel[end->id].side == kernel::Side::producer) != producer) {
    session_.error(it.end.where, hold_takes,
                   fmt::format("`{}` is {}", session_.one_line(it.end.where), describe(value, session_.kernel)), word,
                   producer ? "producer" : "consumer");
    return;
  }
  const kernel::Pipe& pipe = session_.kernel[session_.kernel[end->id].pipe];
  if (pipe.depth == 0) {
    session_.error(it.end.where, no_stages, pipe.name).note(pipe.declared, "declared here");
    return;
  }
  if (std::find(evaluator_.held.begin(), evaluator_.held.end(), end->id) != evaluator_.held.end()) {
    session_.error(it.end.where, nested_hold, session_.one_line(it.end.where));
    return;
  }
  if (session_.kernel[end->id].teams > 1 && std::find(turning_.begin(), turning_.end(), end->id) == turning_.end()) {
    session_.error(it.end.where, outside_turn, session_.place.role, session_.one_line(it.end.where));
    return;
  }
  kernel::Hold made;
  made.kind = static_cast<kernel::Hold::Kind>(it.kind);
  made.end = end->id;
  made.where = head(session_, where, it.body);
  made.text = session_.one_line(made.where);
  evaluator_.held.push_back(end->id);
  kernel::Block* outer = std::exchange(out_, &made.body);
  block(it.body, scope);
  out_ = outer;
  evaluator_.held.pop_back();
  emit({std::move(made)}, where);
}

}  // namespace warpcc::sema
