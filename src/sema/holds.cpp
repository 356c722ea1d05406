// What a block that holds a stage does, in order, on every path: wait, use its tiles, signal once. docs/language.md,
// section 8.
#include <algorithm>
#include <map>

#include "sema/passes.h"
#include "sema/paths.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string, std::string> read_before_wait{
    "read-before-wait", "`{}` is read before `wait {}.full`; the stage may not have landed"};
constexpr Message<std::string, std::string> written_before_wait{
    "written-before-wait", "`{}` is written before `wait {}.empty`; the stage may still be read"};
constexpr Message<std::string, std::string, std::string> used_after_release{
    "used-after-release", "stage `{}` was released at line {}; `{}` is read after that"};
constexpr Message<std::string, std::string, std::string> used_after_signal{
    "used-after-release", "stage `{}` was signalled at line {}; `{}` is written after that"};
constexpr Message<std::string, std::string> mma_still_reads{
    "still-read", "`{}` may still be read by the `mma` of line {}; `commit` releases it when they are done"};
constexpr Message<std::string, std::string> group_still_reads{
    "still-read",
    "`{}` may still be read by the `mma` of line {}: an `mma.wait` that covers it comes first, with `last: true` "
    "before"};
constexpr Message<std::string, std::string> load_still_reads{
    "still-read", "`{}` may still be read by the `ld.tensor` of line {}: `ld.wait` comes first"};
constexpr Message<std::string, std::string> store_still_writes{
    "still-written", "`{}` may still be written by the `st.tensor` of line {}: `st.wait` comes first"};
constexpr Message<std::string, std::string> copy_still_reads{
    "still-read",
    "`{}` may still be read by the `store` of line {}: `store.commit`, then a `store.wait.read` that covers it come "
    "first"};
constexpr Message<std::string, std::string> mma_still_writes{
    "still-written", "`{}` is written by the `mma` of line {} when that finishes: `commit` signals it"};
constexpr Message<std::string> load_expects{
    "still-written", "stage `{}` is filled by loads: `expect` announces their bytes, and they signal it"};
constexpr Message<std::string, std::string> twice{"signalled-twice",
                                                  "stage `{}` is signalled already, at line {}: once a block"};
constexpr Message<std::string> in_loop{"signalled-twice",
                                       "stage `{}` may be signalled already, in the round before: once a block"};
constexpr Message<std::string, std::string> signal_before_wait{"signal-before-wait",
                                                               "stage `{}` is signalled before `wait {}`"};
constexpr Message<std::string, std::string, std::string> not_released{"not-released",
                                                                      "a stage of `{}` is {} on the path from line {}"};
constexpr Message<std::string, std::string> never_released{"not-released", "a stage of `{}` is {}"};
constexpr Message<std::string, std::string> stale_probe{
    "stale-probe", "`{}` may be the answer for an earlier stage: the ring stepped at line {}"};
constexpr Message<std::string, std::string> no_probe{"stale-probe",
                                                     "`{0}` is no answer of `probe {0}, {1}` on every path to here"};
constexpr Message<std::string, std::string> unasked_probe{"stale-probe",
                                                          "`{}` is no answer in the last round, in which the `probe` "
                                                          "of line {} does not ask: behind the `take` it asks for the "
                                                          "round after"};
constexpr Message<std::string, std::string> skipped_otherwise{
    "stale-probe", "`@{0} wait` waits where the stage has come and not where it has not: `@!{0} wait {1}`"};
constexpr Message<std::string> drained{"fill-after-drain", "no `fill` of `{}` follows its `drain`"};
constexpr Message<std::string> drain_uses{"drain-uses", "a `drain` waits and steps: `{}` is used by nobody any more"};
constexpr Message<> drain_signals{"drain-signals", "a `drain` signals nothing"};
constexpr Message<std::string> drain_waits{"drain-waits", "a `drain` waits: `wait {}.empty`"};

constexpr Message<std::string, std::string> kept_two{
    "not-released", "a stage of `{}` is left held here, and so is the one of line {}: one is held at most"};
constexpr Message<std::string, std::string> kept_to_the_end{
    "not-released", "a stage of `{1}` is taken and not released: `{0}.last.empty` is signalled nowhere after this"};
constexpr Message<std::string> nothing_kept{
    "nothing-held", "no stage of `{0}` is held on here: `{0}.last` is the stage of a `take` before that released none"};
constexpr Message<std::string, std::string> perhaps_kept{
    "nothing-held", "no stage of `{0}` may be held on here, on the path from line {1}: `{0}.last` is released once"};
constexpr Message<std::string, std::string, std::string, std::string> one_too_many{
    "fresh-stages", "this `fill` may be the {}; `{}` has {}: `wait {}.empty` comes first"};
constexpr Message<std::string> before_turn{"turn-order", "the turn comes first: `sync {}.mine`, then its stages"};
constexpr Message<std::string, std::string> after_turn{
    "turn-order", "the turn was handed on at line {1}; the other team may take this stage's place in line"};
constexpr Message<std::string> perhaps_turn{
    "turn-order", "on some path to here it is not this team's turn: `sync {}.mine` comes first"};
constexpr Message<std::string> asked_outside{"turn-order",
                                             "a team waits for its turn in it: `turn {0} of … {{ sync {0}.mine; … }}`"};
constexpr Message<std::string> guarded_turn{"turn-order",
                                            "all warps of a team come to the barriers of `{}` in its turn: no guard"};
constexpr Message<std::string> asked_twice{"turn-order", "this team has its turn already: one `sync {}.mine` a turn"};
constexpr Message<std::string> handed_unasked{"turn-order",
                                              "the turn is handed on before it came: `sync {}.mine` stands first"};
constexpr Message<std::string, std::string> handed_twice{"turn-order",
                                                         "the turn was handed on already, at line {1}: once a turn"};
constexpr Message<std::string> not_handed{"turn-order",
                                          "this turn is not handed on on every path: `sync.arrive {}.next` ends it"};
constexpr Message<std::string> probe_outside{
    "turn-order",
    "a stage is probed in the turn that takes it, after `sync {}.mine`: a parity tells no more than two phases apart"};

constexpr int kManyGroups = 9;  // more than any `mma.wait` or `store.wait` of a kernel leaves pending

enum class Sure : std::uint8_t { no, perhaps, yes };

Sure either(Sure a, Sure b) {
  return a == b ? a : Sure::perhaps;
}

struct Stage {
  Sure waited = Sure::no, signalled = Sure::no;
  bool drained = false, loaded = false, expected = false;
  SourceRange signal;                                           // where it was signalled
  SourceRange open_path;                                        // the construct behind which it may not have been
  SourceRange mma_reads, mma_writes, load_reads, store_writes;  // pending, of this stage's tiles
  int groups = 0;          // Hopper: closed since its last `mma`, that one's too; the fewest on any path
  SourceRange copy_reads;  // a `store` out of this stage's tiles
  int copies = 0;          // groups of stores closed since, its own too; the fewest on any path
  kernel::BufferId read{}, written{};
  friend bool operator==(const Stage&, const Stage&) = default;
};

struct Answer {  // what a `probe` wrote
  kernel::EndId end{};
  bool stale = false;
  SourceRange stepped;
  // Asked in all rounds of a loop but the last: no answer behind it,
  kernel::CounterId but_the_last = kernel::CounterId::none;
  SourceRange unasked;  // nor, in the round that asks, behind this `probe`: in the last it has not been asked
  friend bool operator==(const Answer&, const Answer&) = default;
};

// A stage that a take has left held, for `END.last`.
struct Kept {
  Sure held = Sure::no;
  Stage stage;
  SourceRange where;  // the take
  SourceRange lost;   // the construct behind which it may be held or not
  friend bool operator==(const Kept&, const Kept&) = default;
};

// Where in its turn a team is.
struct InTurn {
  enum class Is : std::uint8_t { outside, opened, mine, handed, unsure } is = Is::outside;
  SourceRange handed;
  friend bool operator==(const InTurn&, const InTurn&) = default;
};

struct Held {
  std::map<kernel::EndId, Stage> stages;
  std::map<kernel::EndId, Kept> kept;
  std::map<kernel::EndId, InTurn> turns;
  std::map<kernel::RegisterId, Answer> answers;
  friend bool operator==(const Held&, const Held&) = default;
};

class Holds {
 public:
  using State = Held;

  explicit Holds(Session& session)
      : session_(session), kernel_(session.kernel), fills_(counted_fills(session.kernel)) {}

  void instruction(const kernel::Instruction& it, Held& held) {
    it_ = &it;
    const Does does = it.op->does;
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      if (auto* view = std::get_if<kernel::View>(&it.operands[i]); view && view->end != kernel::EndId::none) {
        use(*view, it.op->slots[i].out || does == Does::mma ? i == 0 : writes_shared(it, i), it.operands_where[i],
            held.stages[view->end]);
      }
    }
    if (does == Does::mma && it.closes_group) {
      each_stage(held, [](Stage& stage) { stage.groups = std::min(stage.groups + 1, kManyGroups); });
    }
    if (does == Does::mma_wait) {
      const std::int64_t left = std::get<std::int64_t>(it.operands[0]);
      each_stage(held, [&](Stage& stage) {
        if (stage.groups > left) stage.mma_reads = {};
      });
    }
    if (does == Does::store_commit) {
      each_stage(held, [](Stage& stage) { stage.copies = std::min(stage.copies + 1, kManyGroups); });
    }
    if (does == Does::store_wait || does == Does::store_wait_read) {
      const std::int64_t left = std::get<std::int64_t>(it.operands[0]);
      each_stage(held, [&](Stage& stage) {
        if (stage.copies > left) stage.copy_reads = {};
      });
    }
    if (does == Does::ld_wait) {
      for (auto& [end, stage] : held.stages) stage.load_reads = {};
      for (auto& [end, kept] : held.kept) kept.stage.load_reads = {};
    }
    if (does == Does::st_wait) {
      for (auto& [end, stage] : held.stages) stage.store_writes = {};
    }
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      auto* barrier = std::get_if<kernel::BarrierOperand>(&it.operands[i]);
      if (!barrier || barrier->end == kernel::EndId::none) continue;
      if (barrier->is_named()) {
        turn_barrier(it, barrier->end, held);
        continue;
      }
      if (barrier->last) {
        release_late(*barrier, it.operands_where[i], held);
        continue;
      }
      Stage& stage = held.stages[barrier->end];
      if (does == Does::wait)
        wait(*barrier, held, stage);
      else if (does == Does::probe) {
        if (kernel_[barrier->end].teams > 1 && held.turns[barrier->end].is != InTurn::Is::mine)
          say(it.opcode_where, probe_outside, kernel_[barrier->end].name);
        const kernel::RegisterId answer = std::get<kernel::RegisterOperand>(it.operands[0]).id;
        const auto known = held.answers.find(answer);
        // Asked by some, or in the last round alone, it leaves what was known of the same end.
        const bool last_round = it.guard.more && it.guard.more_negated;
        if (!it.guard.predicate && it.guard.facts.none() && !last_round) {
          const bool knows = known != held.answers.end() && known->second.end == barrier->end && !known->second.stale;
          const SourceRange unasked = it.guard.more && !knows ? it.where : SourceRange{};
          held.answers[answer] = {barrier->end, false, {}, it.guard.more.value_or(kernel::CounterId::none), unasked};
        } else if (known != held.answers.end() && known->second.end != barrier->end) {
          held.answers.erase(known);
        }
      } else if (does == Does::arrive || does == Does::commit || does == Does::expect)
        signal(*barrier, it.operands_where[i], stage);
    }
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      auto* reg = std::get_if<kernel::RegisterOperand>(&it.operands[i]);
      if (reg && it.op->slots[i].out && does != Does::probe) held.answers.erase(reg->id);
    }
  }

  void reads(const kernel::RegisterOperand&, SourceRange, const Held&) {}
  void reads(const kernel::Index&, SourceRange, const Held&) {}

  void open(const kernel::Hold& hold, Held& held) {
    if (hold.kind == kernel::Hold::Kind::turn) {
      held.turns[hold.end] = {InTurn::Is::opened, {}};
      return;
    }
    if (kernel_[hold.end].teams > 1) takes_in_turn(hold, held.turns[hold.end]);
    Stage& stage = held.stages[hold.end];
    const bool drained_before = stage.drained;
    if (hold.kind == kernel::Hold::Kind::fill && drained_before) say(hold.where, drained, kernel_[hold.end].name);
    stage = {};
    stage.drained = drained_before || hold.kind == kernel::Hold::Kind::drain;
    const auto counted = fills_.find(&hold);
    counted_ = counted == fills_.end() ? 0 : counted->second;
    if (counted_ > 0 && counted_ <= kernel_[kernel_[hold.end].pipe].depth) stage.waited = Sure::yes;
    filling_ = &hold;
    draining_ = hold.kind == kernel::Hold::Kind::drain;
  }

  void close(const kernel::Hold& hold, Held& held) {
    if (hold.kind == kernel::Hold::Kind::turn) {
      InTurn& turn = held.turns[hold.end];
      if (kernel_[hold.end].teams > 1 && turn.is != InTurn::Is::handed)
        say(hold.where, not_handed, kernel_[hold.end].name);
      turn = {};
      step(hold, held);
      return;
    }
    Stage& stage = held.stages[hold.end];
    const std::string& pipe = kernel_[kernel_[hold.end].pipe].name;
    draining_ = false;
    if (hold.kind == kernel::Hold::Kind::drain) {
      if (stage.waited != Sure::yes) say(hold.where, drain_waits, kernel_[hold.end].name);
      if (stage.signalled != Sure::no) say(stage.signal, drain_signals);
    } else if (hold.keeps && stage.signalled == Sure::no) {
      Kept& kept = held.kept[hold.end];
      if (kept.held != Sure::no) say(hold.where, kept_two, pipe, session_.line_of(kept.where));
      kept = {Sure::yes, stage, hold.where, {}};
    } else if (stage.signalled != Sure::yes) {
      const std::string what =
          hold.kind == kernel::Hold::Kind::take ? "taken and not released" : "filled and not signalled";
      if (stage.signalled == Sure::no)
        say(hold.where, never_released, pipe, what);
      else
        say(hold.where, not_released, pipe, what, session_.line_of(stage.open_path));
    }
    const bool drained_before = stage.drained;
    stage = {};
    stage.drained = drained_before;
    step(hold, held);
  }

  // The ring has gone on: what was probed is another stage's answer.
  static void step(const kernel::Hold& hold, Held& held) {
    for (auto& [reg, answer] : held.answers) {
      if (answer.end != hold.end || answer.stale) continue;
      answer.stale = true;
      answer.stepped = hold.where;
    }
  }

  // Another round: the one before was not the last.
  void again(const kernel::Loop& loop, Held& held) {
    for (auto& [reg, answer] : held.answers) {
      if (answer.but_the_last == loop.counter) answer.unasked = {};
    }
  }

  void left(const kernel::Loop& loop, Held& held) {
    if (loop.counter == kernel::CounterId::none) return;
    std::erase_if(held.answers, [&](const auto& answer) { return answer.second.but_the_last == loop.counter; });
  }

  void join(Held& into, const Held& other, SourceRange construct) {
    for (const auto& [end, theirs] : other.stages) {
      auto [at, fresh] = into.stages.try_emplace(end);
      if (fresh) at->second.drained = false;
      Stage& ours = at->second;
      if (ours.signalled != theirs.signalled) ours.open_path = construct;
      if (ours.signalled == Sure::no) ours.signal = theirs.signal;
      ours.signalled = either(ours.signalled, theirs.signalled);
      ours.waited = either(ours.waited, theirs.waited);
      merge(ours, theirs);
    }
    for (const auto& [end, theirs] : other.kept) into.kept.try_emplace(end);
    for (auto& [end, ours] : into.kept) {
      const auto theirs = other.kept.find(end);
      const Kept none;
      join_kept(ours, theirs == other.kept.end() ? none : theirs->second, construct);
    }
    for (const auto& [end, theirs] : other.turns) {
      InTurn& ours = into.turns.try_emplace(end).first->second;
      if (ours.is != theirs.is) ours.is = InTurn::Is::unsure;
      if (ours.handed.end == 0) ours.handed = theirs.handed;
    }
    for (auto at = into.answers.begin(); at != into.answers.end();) {
      const auto theirs = other.answers.find(at->first);
      if (theirs == other.answers.end() || theirs->second.end != at->second.end) {
        at = into.answers.erase(at);
        continue;
      }
      if (theirs->second.stale && !at->second.stale) at->second = theirs->second;
      if (at->second.but_the_last == kernel::CounterId::none) at->second.but_the_last = theirs->second.but_the_last;
      if (at->second.unasked.end == 0) at->second.unasked = theirs->second.unasked;
      ++at;
    }
  }

  // Where the role ends no stage is held on.
  void ended(const kernel::Role& role, const Held& held) {
    it_ = nullptr;
    for (const kernel::EndId end : role.ends) {
      const auto kept = held.kept.find(end);
      if (kept != held.kept.end() && kept->second.held != Sure::no)
        say(kept->second.where, kept_to_the_end, kernel_[end].name, kernel_[kernel_[end].pipe].name);
    }
  }

  // Facts say who signals, and every warp's signals are counted (signals.cpp): a signal behind `on` is one.
  void join_on(Held& without, const Held& with, const kernel::On& on) {
    std::map<kernel::EndId, Sure> signalled;
    for (const auto& [end, stage] : with.stages) signalled[end] = stage.signalled;
    join(without, with, on.where);
    for (const auto& [end, sure] : signalled) without.stages[end].signalled = sure;
    // The same of a stage that was held on: all warps of the role let it go, wherever they say so.
    for (const auto& [end, kept] : with.kept) without.kept[end].held = kept.held;
  }
  std::optional<bool> decide(const kernel::On&) const { return std::nullopt; }

  bool quiet = false;

 private:
  template <typename... Args>
  void say(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    if (quiet) return;
    session_.with_calls(session_.diagnostics.error(where, message, args...), it_ ? it_->call : kernel::CallId::none);
  }

  static void join_kept(Kept& ours, const Kept& theirs, SourceRange construct) {
    if (ours.held != theirs.held) ours.lost = construct;
    if (ours.where.end == 0) ours.where = theirs.where;
    ours.held = either(ours.held, theirs.held);
    merge(ours.stage, theirs.stage);
  }

  void takes_in_turn(const kernel::Hold& hold, const InTurn& turn) {
    const std::string& name = kernel_[hold.end].name;
    if (turn.is == InTurn::Is::opened)
      say(hold.where, before_turn, name);
    else if (turn.is == InTurn::Is::handed)
      say(hold.where, after_turn, name, session_.line_of(turn.handed));
    else if (turn.is == InTurn::Is::unsure)
      say(hold.where, perhaps_turn, name);
  }

  void turn_barrier(const kernel::Instruction& it, kernel::EndId end, Held& held) {
    using Is = InTurn::Is;
    InTurn& turn = held.turns[end];
    const std::string& name = kernel_[end].name;
    if (turn.is != Is::outside && !it.guard.none()) say(it.guard_where, guarded_turn, name);
    if (it.op->does == Does::sync) {
      if (turn.is == Is::outside)
        say(it.opcode_where, asked_outside, name);
      else if (turn.is != Is::opened)
        say(it.opcode_where, asked_twice, name);
      turn.is = Is::mine;
      return;
    }
    if (turn.is == Is::outside) return;  // the first turn's (turns.cpp)
    if (turn.is == Is::handed)
      say(it.opcode_where, handed_twice, name, session_.line_of(turn.handed));
    else if (turn.is != Is::mine)
      say(it.opcode_where, handed_unasked, name);
    turn = {Is::handed, it.where};
  }

  void release_late(const kernel::BarrierOperand& barrier, SourceRange where, Held& held) {
    Kept& kept = held.kept[barrier.end];
    const std::string& name = kernel_[barrier.end].name;
    if (kept.held == Sure::no)
      say(where, nothing_kept, name);
    else if (kept.held == Sure::perhaps)
      say(where, perhaps_kept, name, session_.line_of(kept.lost));
    else
      pending(kernel_[barrier.end], where, kept.stage);
    kept = {};
  }

  // A fill that does not wait, and may be one too many for that: said where it stands.
  bool not_fresh(kernel::EndId end) {
    if (!filling_ || filling_->end != end || counted_ == 0) return false;
    constexpr const char* kWords[] = {"first",   "second", "third", "fourth", "fifth",    "sixth",
                                      "seventh", "eighth", "ninth", "tenth",  "eleventh", "twelfth"};
    const std::int64_t ten = counted_ % 100 / 10 == 1 ? 0 : counted_ % 10;
    const std::string nth = counted_ <= 12 ? kWords[counted_ - 1]
                                           : fmt::format("{}{}", counted_,
                                                         ten == 1   ? "st"
                                                         : ten == 2 ? "nd"
                                                         : ten == 3 ? "rd"
                                                                    : "th");
    const kernel::Pipe& pipe = kernel_[kernel_[end].pipe];
    const kernel::Instruction* at = std::exchange(it_, nullptr);
    say(filling_->where, one_too_many, nth, pipe.name, counted(static_cast<std::uint64_t>(pipe.depth), "stage"),
        kernel_[end].name);
    it_ = at;
    return true;
  }

  // What still reads or writes the stage's tiles; false where it was said.
  bool pending(const kernel::End& end, SourceRange where, const Stage& stage) {
    const Does does = it_->op->does;
    auto tile = [&](kernel::BufferId id) { return end.name + "." + kernel_[id].name; };
    if (stage.store_writes.end)
      say(where, store_still_writes, tile(stage.written), session_.line_of(stage.store_writes));
    else if (stage.copy_reads.end)
      say(where, copy_still_reads, tile(stage.read), session_.line_of(stage.copy_reads));
    else if (stage.load_reads.end)
      say(where, load_still_reads, tile(stage.read), session_.line_of(stage.load_reads));
    else if (does == Does::arrive && stage.mma_reads.end)
      say(where, kernel_.target == isa::Target::sm_90a ? group_still_reads : mma_still_reads, tile(stage.read),
          session_.line_of(stage.mma_reads));
    else if (does != Does::commit && stage.mma_writes.end)
      say(where, mma_still_writes, tile(stage.written), session_.line_of(stage.mma_writes));
    else
      return true;
    return false;
  }

  template <typename Change>
  static void each_stage(Held& held, Change change) {
    for (auto& [end, stage] : held.stages) change(stage);
    for (auto& [end, kept] : held.kept) change(kept.stage);
  }

  static void merge(Stage& ours, const Stage& theirs) {
    if (theirs.mma_reads.end) ours.groups = ours.mma_reads.end ? std::min(ours.groups, theirs.groups) : theirs.groups;
    if (theirs.copy_reads.end) {
      ours.copies = ours.copy_reads.end ? std::min(ours.copies, theirs.copies) : theirs.copies;
      if (ours.copy_reads.end == 0) ours.copy_reads = theirs.copy_reads, ours.read = theirs.read;
    }
    ours.drained = ours.drained || theirs.drained;
    ours.loaded = ours.loaded || theirs.loaded;
    ours.expected = ours.expected || theirs.expected;
    if (ours.mma_reads.end == 0)
      ours.mma_reads = theirs.mma_reads, ours.read = theirs.mma_reads.end ? theirs.read : ours.read;
    if (ours.mma_writes.end == 0)
      ours.mma_writes = theirs.mma_writes, ours.written = theirs.mma_writes.end ? theirs.written : ours.written;
    if (ours.store_writes.end == 0)
      ours.store_writes = theirs.store_writes, ours.written = theirs.store_writes.end ? theirs.written : ours.written;
    if (ours.load_reads.end == 0)
      ours.load_reads = theirs.load_reads, ours.read = theirs.load_reads.end ? theirs.read : ours.read;
  }

  // What brings the bytes that `expect` announces.
  static bool fills(Does does) { return does == Does::load || does == Does::copy_cluster || does == Does::cancel; }

  // `sts` writes the view that comes first.
  static bool writes_shared(const kernel::Instruction& it, std::size_t operand) {
    return operand == 0 && (it.op->does == Does::shared_access || it.op->does == Does::st_tensor);
  }

  std::string tile_name(const kernel::View& view) const {
    return kernel_[view.end].name + "." + kernel_[view.buffer].name;
  }

  void use(const kernel::View& view, bool writes, SourceRange where, Stage& stage) {
    const kernel::End& end = kernel_[view.end];
    const Does does = it_->op->does;
    const bool producer = end.side == kernel::Side::producer;
    if (draining_ && stage.drained) {
      say(where, drain_uses, tile_name(view));
      return;
    }
    if (stage.waited != Sure::yes) {
      if (producer && not_fresh(view.end))
        stage.waited = Sure::yes;
      else if (producer)
        say(where, written_before_wait, tile_name(view), end.name);
      else
        say(where, read_before_wait, tile_name(view), end.name);
      stage.waited = Sure::yes;
    } else if (stage.signalled != Sure::no) {
      // Loads, and a `cancel`, may follow the `expect` that announces them.
      const bool announced = fills(does) && stage.expected;
      if (!announced) {
        if (producer)
          say(where, used_after_signal, end.name, session_.line_of(stage.signal), tile_name(view));
        else
          say(where, used_after_release, end.name, session_.line_of(stage.signal), tile_name(view));
      }
    }
    if (fills(does)) stage.loaded = true;
    if (does == Does::mma && writes)
      stage.mma_writes = it_->where, stage.written = view.buffer;
    else if (does == Does::mma)
      stage.mma_reads = it_->where, stage.read = view.buffer, stage.groups = 0;
    else if (does == Does::store || does == Does::store_add)
      stage.copy_reads = it_->where, stage.read = view.buffer, stage.copies = 0;
    else if (does == Does::st_tensor)
      stage.store_writes = it_->where, stage.written = view.buffer;
    else if (does == Does::ld_tensor)
      stage.load_reads = it_->where, stage.read = view.buffer;
  }

  void wait(const kernel::BarrierOperand& barrier, Held& held, Stage& stage) {
    const kernel::Guard& guard = it_->guard;
    // Behind facts, or in all rounds but the last, some do not wait.
    const bool all = guard.facts.none() && !guard.more;
    stage.waited = all || stage.waited == Sure::yes ? Sure::yes : Sure::perhaps;
    if (!guard.predicate) return;
    const auto answer = held.answers.find(guard.predicate->id);
    const std::string& name = kernel_[guard.predicate->id].name;
    if (answer != held.answers.end() && answer->second.end == barrier.end && !guard.predicate->negated) {
      say(it_->guard_where, skipped_otherwise, name, session_.one_line(it_->operands_where[0]));
    } else if (answer == held.answers.end() || answer->second.end != barrier.end) {
      say(it_->guard_where, no_probe, name, session_.one_line(it_->operands_where[0]));
    } else if (answer->second.stale) {
      say(it_->guard_where, stale_probe, name, session_.line_of(answer->second.stepped));
    } else if (answer->second.unasked.end) {
      say(it_->guard_where, unasked_probe, name, session_.line_of(answer->second.unasked));
    }
  }

  void signal(const kernel::BarrierOperand& barrier, SourceRange where, Stage& stage) {
    const kernel::End& end = kernel_[barrier.end];
    const Does does = it_->op->does;
    const bool producer = end.side == kernel::Side::producer;
    if (draining_) {
      stage.signalled = Sure::yes;
      stage.signal = it_->where;
      return;
    }
    if (stage.signalled == Sure::yes)
      say(where, twice, end.name, session_.line_of(stage.signal));
    else if (stage.signalled == Sure::perhaps)
      say(where, in_loop, end.name);
    else if (stage.waited != Sure::yes && !producer)
      say(where, signal_before_wait, end.name, end.name + ".full");
    else if (stage.waited != Sure::yes && !not_fresh(barrier.end))
      say(where, signal_before_wait, end.name, end.name + ".empty");
    else if (pending(end, where, stage) && does != Does::expect && producer && stage.loaded)
      say(where, load_expects, end.name);
    stage.signalled = Sure::yes;
    stage.signal = it_->where;
    stage.expected = does == Does::expect;
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  const std::map<const kernel::Hold*, std::int64_t> fills_;
  const kernel::Hold* filling_ = nullptr;  // the block opened last,
  std::int64_t counted_ = 0;               // and the how manieth fill of its end it may be; 0: not known
  const kernel::Instruction* it_ = nullptr;
  bool draining_ = false;
};

}  // namespace

void check_holds(Session& session) {
  Holds holds(session);
  Paths<Holds> paths(session, holds);
  for (const kernel::Role& role : session.kernel.roles) {
    if (const std::optional<Held> held = paths.walk(role.body, Held{})) holds.ended(role, *held);
  }
}

}  // namespace warpcc::sema
