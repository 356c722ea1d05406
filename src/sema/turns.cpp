// Ends held in turn by teams of warpgroups, stages that are released one late, and named barriers: docs/language.md,
// sections 8 and 11.
#include <algorithm>
#include <map>
#include <set>

#include "sema/build.h"
#include "sema/passes.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using isa::Does;
using Kind = kernel::BarrierOperand::Kind;

constexpr Message<std::string> turn_of{"turn-end", "{}; a turn is of a consumer's end: `consumer PIPE in turn(n)`"};
constexpr Message<std::string> turn_alone{
    "turn-end", "`{}` is not held in turn: a turn is of an end that teams share, `consumer PIPE in turn(n)`"};
constexpr Message<std::string> no_stages{"hold-empty", "`{}` is a ring of 0 stages: its ends cannot be used"};
constexpr Message<std::string> nested_turn{"hold-nested",
                                           "a turn of `{}` is open already: turns of one end do not nest"};
constexpr Message<std::string> turn_in_hold{"hold-nested",
                                            "a stage of `{}` is held here: a turn holds its stages itself"};
constexpr Message<std::string> stages_kind{"turn-stages", "a turn is of a number of stages; {}"};
constexpr Message<std::string> stages_known{"turn-stages",
                                            "the turns of several teams are of one length, known at compile time; {}"};
constexpr Message<std::int64_t> stages_some{"turn-stages",
                                            "a turn has at least 1 stage and at most 1073741824; this has {}"};
constexpr Message<std::int64_t, std::int64_t, std::string> stages_differ{
    "turn-stages", "this turn is of {} stages, and of {} at line {}: the ring passes over the same number each time"};
constexpr Message<std::int64_t, std::int64_t> stages_taken{"turn-stages", "this turn takes {} stages and says {}"};
constexpr Message<std::string> stages_uncounted{
    "turn-stages",
    "the stages that a turn takes are counted: `{}` takes some a number of times that is not known at compile time"};
constexpr Message<std::string, std::string, std::string, std::string> unused_end{
    "end-unused", "`{}` holds the {}'s end of `{}` and {} no stage of it"};
constexpr Message<std::string, std::string> nobody_begins{
    "first-turn",
    "nobody hands the first team its first turn: at the head of `{}` the last team says `sync.arrive {}.next`"};
constexpr Message<std::string, int> first_by_others{
    "first-turn", "the last team hands the first its first turn; warp {1} of `{0}`, which is of another, does so here"};
constexpr Message<std::string> first_twice{
    "first-turn", "outside of a turn `sync.arrive {}.next` stands once, before the first: it begins the round"};
constexpr Message<std::string, int, std::string> barrier_users{"barrier-warps",
                                                               "`{}` is a barrier of {} warps, and {}"};
constexpr Message<std::string> barrier_unused{"barrier-warps", "no warp meets at `{}`"};
constexpr Message<int> many_barriers{"many-barriers",
                                     "the kernel has {} named barriers, those of turns among them: a CTA has 15"};

// The stages of `end` that a block takes, where that is known at compile time; who makes it unknown.
std::optional<std::int64_t> stages_of(const kernel::Block& block, kernel::EndId end, SourceRange& unknown) {
  std::int64_t sum = 0;
  auto some = [&](const kernel::Block& inner, SourceRange where, std::int64_t times) {
    const std::optional<std::int64_t> one = stages_of(inner, end, unknown);
    if (!one) return false;
    if (*one == 0) return true;
    if (times < 0 || *one > (std::int64_t{1} << 31) / std::max<std::int64_t>(times, 1)) {
      unknown = where;
      return false;
    }
    sum += *one * times;
    return true;
  };
  for (const kernel::Node& node : block) {
    bool known = true;
    if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
      const bool constant = loop->begin.is_constant() && loop->end.is_constant();
      const std::int64_t rounds = std::max<std::int64_t>(loop->end.constant - loop->begin.constant, 0);
      known = some(loop->body, loop->where, constant ? (rounds + loop->step - 1) / loop->step : -1);
    } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
      known = some(forever->body, forever->where, -1);
    } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
      known = some(on->body, on->where, -1);
    } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
      const std::optional<std::int64_t> then = stages_of(when->then, end, unknown);
      const std::optional<std::int64_t> otherwise = stages_of(when->otherwise, end, unknown);
      if (then && otherwise && *then != *otherwise) unknown = when->where;
      known = then && otherwise && *then == *otherwise;
      if (known) sum += *then;
    } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
      if (hold->end == end && hold->kind == kernel::Hold::Kind::take)
        ++sum;
      else
        known = some(hold->body, hold->where, 1);
    }
    if (!known) return std::nullopt;
  }
  return sum;
}

// ---- Passes over the whole kernel

class Turns {
 public:
  explicit Turns(Session& session) : session_(session), kernel_(session.kernel) {}

  // Every end is used.
  void check_ends() {
    for (const kernel::Role& role : kernel_.roles) {
      for (const kernel::EndId end : role.ends) {
        if (kernel_[kernel_[end].pipe].depth > 0 && !holds(role.body, end)) unused(role, end);
      }
    }
  }

  void run() {
    for (kernel::Role& role : kernel_.roles) {
      for (const kernel::EndId end : role.ends) {
        if (kernel_[end].releases_late) mark_kept(role.body, end);
      }
    }
    for (const kernel::Role& role : kernel_.roles) {
      session_.place = {Place::Kind::role, role.name, role.first_warp, role.end_warp - role.first_warp, role.at};
      for (const kernel::EndId end : role.ends) {
        if (kernel_[end].teams > 1 && kernel_[end].stages_a_turn > 0) begins(role, end);
      }
    }
    session_.place = {};
    if (!session_.diagnostics.failed()) barriers();
  }

 private:
  // ---- Ends that no block holds a stage of

  bool holds(const kernel::Block& block, kernel::EndId end) const {
    return std::any_of(block.begin(), block.end(), [&](const kernel::Node& node) {
      if (auto* hold = std::get_if<kernel::Hold>(&node.is))
        return (hold->end == end && hold->kind != kernel::Hold::Kind::turn) || holds(hold->body, end);
      if (auto* loop = std::get_if<kernel::Loop>(&node.is)) return holds(loop->body, end);
      if (auto* forever = std::get_if<kernel::Forever>(&node.is)) return holds(forever->body, end);
      if (auto* on = std::get_if<kernel::On>(&node.is)) return holds(on->body, end);
      auto* when = std::get_if<kernel::When>(&node.is);
      return when && (holds(when->then, end) || holds(when->otherwise, end));
    });
  }

  void unused(const kernel::Role& role, kernel::EndId end) {
    const bool producer = kernel_[end].side == kernel::Side::producer;
    session_.diagnostics.error(kernel_[end].declared, unused_end, role.name, producer ? "producer" : "consumer",
                               kernel_[kernel_[end].pipe].name, producer ? "fills" : "takes");
  }

  // ---- Stages that are released one late

  bool releases(const kernel::Block& block, kernel::EndId end) const {
    return std::any_of(block.begin(), block.end(), [&](const kernel::Node& node) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        if (it->op->does != Does::arrive && it->op->does != Does::commit) return false;
        auto* barrier = std::get_if<kernel::BarrierOperand>(&it->operands[0]);
        return barrier && barrier->kind == Kind::empty && barrier->end == end && !barrier->last;
      }
      if (auto* loop = std::get_if<kernel::Loop>(&node.is)) return releases(loop->body, end);
      if (auto* forever = std::get_if<kernel::Forever>(&node.is)) return releases(forever->body, end);
      if (auto* on = std::get_if<kernel::On>(&node.is)) return releases(on->body, end);
      if (auto* hold = std::get_if<kernel::Hold>(&node.is)) return releases(hold->body, end);
      auto* when = std::get_if<kernel::When>(&node.is);
      return when && (releases(when->then, end) || releases(when->otherwise, end));
    });
  }

  void mark_kept(kernel::Block& block, kernel::EndId end) {
    for (kernel::Node& node : block) {
      if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        mark_kept(loop->body, end);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        mark_kept(forever->body, end);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        mark_kept(on->body, end);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        mark_kept(when->then, end);
        mark_kept(when->otherwise, end);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (hold->kind == kernel::Hold::Kind::take && hold->end == end && !releases(hold->body, end))
          hold->keeps = true;
        mark_kept(hold->body, end);
      }
    }
  }

  // ---- The first turn

  struct Begun {  // what one warp has said outside of turns
    int times = 0;
    bool turned = false;  // has been in a turn
    bool wrong = false;
  };

  void begins(const kernel::Role& role, kernel::EndId end) {
    const kernel::End& it = kernel_[end];
    const int warps = role.end_warp - role.first_warp, each = warps / it.teams;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> axes = kernel::place(kernel_, rank);
      if (!std::all_of(role.at.begin(), role.at.end(),
                       [&](const kernel::Pin& pin) { return axes[pin.axis] == pin.at; }))
        continue;
      for (int warp = 0; warp < warps; ++warp) {
        Begun begun;
        const bool last_team = warp / each == it.teams - 1;
        look(role.body, end, {0, warp, &axes}, last_team, false, begun);
        if (begun.wrong) return;
        if (last_team && begun.times == 0) {
          session_.diagnostics.error(role.where, nobody_begins, role.name, it.name);
          return;
        }
      }
    }
  }

  void look(const kernel::Block& block, kernel::EndId end, const Fixed& fixed, bool last_team, bool repeated,
            Begun& begun) {
    for (const kernel::Node& node : block) {
      if (begun.wrong) return;
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        if (it->op->does != Does::sync_arrive || it->operands.empty()) continue;
        auto* barrier = std::get_if<kernel::BarrierOperand>(&it->operands[0]);
        if (!barrier || barrier->end != end || !holds_at(session_, it->guard.facts, fixed)) continue;
        begun.wrong = true;
        if (!last_team)
          session_.with_calls(session_.diagnostics.error(it->opcode_where, first_by_others, session_.place.role,
                                                         static_cast<int>(fixed.warp)),
                              it->call);
        else if (repeated || begun.turned || begun.times > 0)
          session_.with_calls(session_.diagnostics.error(it->opcode_where, first_twice, kernel_[end].name), it->call);
        else
          begun.wrong = false;
        ++begun.times;
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        look(loop->body, end, fixed, last_team, true, begun);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        look(forever->body, end, fixed, last_team, true, begun);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        look(when->then, end, fixed, last_team, true, begun);
        look(when->otherwise, end, fixed, last_team, true, begun);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed)) look(on->body, end, fixed, last_team, repeated, begun);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (hold->end == end && hold->kind == kernel::Hold::Kind::turn)
          begun.turned = true;  // what it hands on is holds.cpp's
        else
          look(hold->body, end, fixed, last_team, repeated, begun);
      }
    }
  }

  // ---- Named barriers: as many warps use one as meet there

  using Users = std::map<std::pair<kernel::BarrierId, std::int64_t>, std::set<int>>;  // by barrier and copy

  void barriers() {
    int copies = 0;
    for (const kernel::NamedBarrier& barrier : kernel_.named_barriers) copies += barrier.copies;
    if (copies > 15) session_.diagnostics.error(kernel_.named_barriers.back().declared, many_barriers, copies);
    std::set<kernel::BarrierId> said, used;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> axes = kernel::place(kernel_, rank);
      Users users;
      for (const kernel::Role& role : kernel_.roles) {
        if (!std::all_of(role.at.begin(), role.at.end(),
                         [&](const kernel::Pin& pin) { return axes[pin.axis] == pin.at; }))
          continue;
        session_.place = {Place::Kind::role, role.name, role.first_warp, role.end_warp - role.first_warp, role.at};
        for (int warp = 0; warp < role.end_warp - role.first_warp; ++warp)
          collect(role.body, role.first_warp + warp, {0, warp, &axes}, users);
      }
      const int warps = kernel_.threads / 32;
      for (int warp = 0; warp < warps; ++warp) {
        session_.place = {Place::Kind::start, "start", 0, warps, {}};
        collect(kernel_.start, warp, {0, warp, &axes}, users);
        session_.place.kind = Place::Kind::finish;
        collect(kernel_.finish, warp, {0, warp, &axes}, users);
      }
      for (const auto& [at, by] : users) {
        const kernel::NamedBarrier& barrier = kernel_[at.first];
        used.insert(at.first);
        if (of_turns(at.first)) continue;  // their warps follow from the turns
        if (static_cast<int>(by.size()) == barrier.warps || !said.insert(at.first).second) continue;
        const std::string who = by.size() == 1
                                    ? fmt::format("warp {} alone uses it", *by.begin())
                                    : fmt::format("{} use it: {} .. {}", by.size(), *by.begin(), *by.rbegin() + 1);
        session_.diagnostics.error(barrier.declared, barrier_users, barrier.name, barrier.warps,
                                   barrier.copies > 1 ? fmt::format("{} (copy {})", who, at.second) : who);
      }
    }
    session_.place = {};
    for (std::size_t i = 0; i < kernel_.named_barriers.size(); ++i) {
      const kernel::NamedBarrier& barrier = kernel_.named_barriers[i];
      if (!of_turns(static_cast<kernel::BarrierId>(i)) && !used.contains(static_cast<kernel::BarrierId>(i)))
        session_.diagnostics.error(barrier.declared, barrier_unused, barrier.name);
    }
  }

  bool of_turns(kernel::BarrierId id) const {
    return std::any_of(kernel_.ends.begin(), kernel_.ends.end(),
                       [&](const kernel::End& end) { return end.turns == id; });
  }

  void collect(const kernel::Block& block, int warp, const Fixed& fixed, Users& users) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        auto* barrier = it->operands.empty() ? nullptr : std::get_if<kernel::BarrierOperand>(&it->operands[0]);
        if (barrier && barrier->is_named() && holds_at(session_, it->guard.facts, fixed))
          users[{barrier->named, value_at(session_, barrier->copy, fixed)}].insert(warp);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        collect(loop->body, warp, fixed, users);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        collect(forever->body, warp, fixed, users);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        collect(when->then, warp, fixed, users);
        collect(when->otherwise, warp, fixed, users);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed)) collect(on->body, warp, fixed, users);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        collect(hold->body, warp, fixed, users);
      }
    }
  }

  Session& session_;
  kernel::Kernel& kernel_;
};

}  // namespace

void Builder::turn(const tree::Turn& it, SourceRange where, Scope& scope) {
  const Value value = evaluator_.path(it.end, scope);
  if (value.bad()) return;
  const std::string name = session_.one_line(it.end.where);
  auto* end = value.get<EndRef>();
  if (!end) {
    session_.error(it.end.where, turn_of, fmt::format("`{}` is {}", name, describe(value, session_.kernel)));
    return;
  }
  kernel::End& of = session_.kernel.ends[static_cast<std::size_t>(end->id)];
  const kernel::Pipe& pipe = session_.kernel[of.pipe];
  if (!of.in_turn) {
    session_.error(it.end.where, turn_alone, name);
    return;
  }
  if (pipe.depth == 0) {
    session_.error(it.end.where, no_stages, pipe.name).note(pipe.declared, "declared here");
    return;
  }
  if (std::find(turning_.begin(), turning_.end(), end->id) != turning_.end()) {
    session_.error(it.end.where, nested_turn, name);
    return;
  }
  if (std::find(evaluator_.held.begin(), evaluator_.held.end(), end->id) != evaluator_.held.end()) {
    session_.error(it.end.where, turn_in_hold, name);
    return;
  }
  const Value stages = evaluator_.eval(*it.stages, scope);
  if (stages.bad()) return;
  kernel::Hold made;
  made.kind = kernel::Hold::Kind::turn;
  made.end = end->id;
  made.where = head(session_, where, it.body);
  made.text = session_.one_line(made.where);
  const std::string given =
      fmt::format("`{}` is {}", session_.one_line(it.stages->where), describe(stages, session_.kernel));
  std::optional<std::int64_t> count;
  if (auto* integer = stages.get<std::int64_t>())
    count = *integer;
  else if (auto* index = stages.get<kernel::Index>(); index && index->is_constant())
    count = index->constant;
  else if (auto* reg = stages.get<RegisterRef>();
           !stages.has<kernel::Index>() && !stages.has<CounterRef>() && !(reg && reg->file == isa::File::ur)) {
    session_.error(it.stages->where, stages_kind, given);
    return;
  }
  if (!count && of.teams > 1) {
    session_.error(it.stages->where, stages_known, given);
    return;
  }
  if (count && (*count < 1 || *count > (std::int64_t{1} << 30))) {
    session_.error(it.stages->where, stages_some, *count);
    return;
  }
  if (count && of.teams > 1) {
    if (of.stages_a_turn != 0 && of.stages_a_turn != *count) {
      session_.error(it.stages->where, stages_differ, *count, of.stages_a_turn, session_.line_of(of.first_turn))
          .note(of.first_turn, "the other turn");
      return;
    }
    if (of.stages_a_turn == 0) {
      of.stages_a_turn = *count;
      of.first_turn = it.stages->where;
      // Team i begins i × n stages in: what is n modulo the depth, and whole rounds of the ring.
      kernel::Index team{0, {{{kernel::Atom::Kind::warpgroup, 0}, 1}}};
      const int groups = session_.place.warps / 4 / of.teams;
      if (groups > 1) team = divided(session_, team, groups, false);
      const kernel::Index rest = team * (*count % pipe.depth);
      of.first_position = divided(session_, rest, pipe.depth, true);
      of.first_odd =
          divided(session_, team * (*count / pipe.depth % 2) + divided(session_, rest, pipe.depth, false), 2, true);
    }
  }
  made.stages = count.value_or(0);
  turning_.push_back(end->id);
  kernel::Block* outer = std::exchange(out_, &made.body);
  const std::size_t said = session_.diagnostics.all().size();
  block(it.body, scope);
  out_ = outer;
  turning_.pop_back();
  if (count && session_.diagnostics.all().size() == said) {
    SourceRange unknown;
    const std::optional<std::int64_t> takes = stages_of(made.body, end->id, unknown);
    if (takes && *takes != *count)
      session_.error(made.where, stages_taken, *takes, *count);
    else if (!takes && session_.kernel[end->id].teams > 1)
      session_.error(unknown, stages_uncounted, session_.one_line(unknown));
  }
  emit({std::move(made)}, where);
}

void check_turns(Session& session) {
  Turns(session).run();
}

void check_ends(Session& session) {
  Turns(session).check_ends();
}

}  // namespace warpcc::sema
