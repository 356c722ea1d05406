// What a block that holds a stage does, in order, on every path: wait, use its tiles, signal once. docs/language.md,
// section 8.
#include <algorithm>
#include <map>

#include "sema/passes.h"
#include "sema/paths.h"

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
constexpr Message<std::string, std::string> load_still_reads{
    "still-read", "`{}` may still be read by the `ld.tensor` of line {}: `ld.wait` comes first"};
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
constexpr Message<std::string> drained{"fill-after-drain", "no `fill` of `{}` follows its `drain`"};
constexpr Message<> drain_signals{"drain-signals", "a `drain` signals nothing"};
constexpr Message<std::string> drain_waits{"drain-waits", "a `drain` waits: `wait {}.empty`"};

enum class Sure : std::uint8_t { no, perhaps, yes };

Sure either(Sure a, Sure b) {
  return a == b ? a : Sure::perhaps;
}

struct Stage {
  Sure waited = Sure::no, signalled = Sure::no;
  bool drained = false, loaded = false, expected = false;
  SourceRange signal;                             // where it was signalled
  SourceRange open_path;                          // the construct behind which it may not have been
  SourceRange mma_reads, mma_writes, load_reads;  // pending, of this stage's tiles
  kernel::BufferId read{}, written{};
  friend bool operator==(const Stage&, const Stage&) = default;
};

struct Answer {  // what a `probe` wrote
  kernel::EndId end{};
  bool stale = false;
  SourceRange stepped;
  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Held {
  std::map<kernel::EndId, Stage> stages;
  std::map<kernel::RegisterId, Answer> answers;
  friend bool operator==(const Held&, const Held&) = default;
};

class Holds {
 public:
  using State = Held;

  explicit Holds(Session& session) : session_(session), kernel_(session.kernel) {}

  void instruction(const kernel::Instruction& it, Held& held) {
    it_ = &it;
    const Does does = it.op->does;
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      if (auto* view = std::get_if<kernel::View>(&it.operands[i]); view && view->end != kernel::EndId::none) {
        use(*view, it.op->slots[i].out || does == Does::mma ? i == 0 : writes_shared(it, i), it.operands_where[i],
            held.stages[view->end]);
      }
    }
    if (does == Does::ld_wait) {
      for (auto& [end, stage] : held.stages) stage.load_reads = {};
    }
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      auto* barrier = std::get_if<kernel::BarrierOperand>(&it.operands[i]);
      if (!barrier || barrier->end == kernel::EndId::none) continue;
      Stage& stage = held.stages[barrier->end];
      if (does == Does::wait)
        wait(*barrier, held, stage);
      else if (does == Does::probe)
        held.answers[std::get<kernel::RegisterOperand>(it.operands[0]).id] = {barrier->end, false, {}};
      else if (does == Does::arrive || does == Does::commit || does == Does::expect)
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
    Stage& stage = held.stages[hold.end];
    const bool drained_before = stage.drained;
    if (hold.kind == kernel::Hold::Kind::fill && drained_before) say(hold.where, drained, kernel_[hold.end].name);
    stage = {};
    stage.drained = drained_before || hold.kind == kernel::Hold::Kind::drain;
    draining_ = hold.kind == kernel::Hold::Kind::drain;
  }

  void close(const kernel::Hold& hold, Held& held) {
    Stage& stage = held.stages[hold.end];
    const std::string& pipe = kernel_[kernel_[hold.end].pipe].name;
    draining_ = false;
    if (hold.kind == kernel::Hold::Kind::drain) {
      if (stage.waited != Sure::yes) say(hold.where, drain_waits, kernel_[hold.end].name);
      if (stage.signalled != Sure::no) say(stage.signal, drain_signals);
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
    for (auto& [reg, answer] : held.answers) {
      if (answer.end != hold.end || answer.stale) continue;
      answer.stale = true;
      answer.stepped = hold.where;
    }
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
    for (auto at = into.answers.begin(); at != into.answers.end();) {
      const auto theirs = other.answers.find(at->first);
      if (theirs == other.answers.end() || theirs->second.end != at->second.end) {
        at = into.answers.erase(at);
        continue;
      }
      if (theirs->second.stale && !at->second.stale) at->second = theirs->second;
      ++at;
    }
  }

  // Facts say who signals, and every warp's signals are counted (counts.cpp): a signal behind `on` is one.
  void join_on(Held& without, const Held& with, const kernel::On& on) {
    std::map<kernel::EndId, Sure> signalled;
    for (const auto& [end, stage] : with.stages) signalled[end] = stage.signalled;
    join(without, with, on.where);
    for (const auto& [end, sure] : signalled) without.stages[end].signalled = sure;
  }
  std::optional<bool> decide(const kernel::On&) const { return std::nullopt; }

  bool quiet = false;

 private:
  template <typename... Args>
  void say(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    if (quiet) return;
    session_.with_calls(session_.diagnostics.error(where, message, args...), it_ ? it_->call : kernel::CallId::none);
  }

  static void merge(Stage& ours, const Stage& theirs) {
    ours.drained = ours.drained || theirs.drained;
    ours.loaded = ours.loaded || theirs.loaded;
    ours.expected = ours.expected || theirs.expected;
    if (ours.mma_reads.end == 0)
      ours.mma_reads = theirs.mma_reads, ours.read = theirs.mma_reads.end ? theirs.read : ours.read;
    if (ours.mma_writes.end == 0)
      ours.mma_writes = theirs.mma_writes, ours.written = theirs.mma_writes.end ? theirs.written : ours.written;
    if (ours.load_reads.end == 0)
      ours.load_reads = theirs.load_reads, ours.read = theirs.load_reads.end ? theirs.read : ours.read;
  }

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
    if (stage.waited != Sure::yes) {
      if (producer)
        say(where, written_before_wait, tile_name(view), end.name);
      else
        say(where, read_before_wait, tile_name(view), end.name);
      stage.waited = Sure::yes;
    } else if (stage.signalled != Sure::no) {
      // Loads, and a `cancel`, may follow the `expect` that announces them.
      const bool announced = (does == Does::load || does == Does::cancel) && stage.expected;
      if (!announced) {
        if (producer)
          say(where, used_after_signal, end.name, session_.line_of(stage.signal), tile_name(view));
        else
          say(where, used_after_release, end.name, session_.line_of(stage.signal), tile_name(view));
      }
    }
    if (does == Does::load || does == Does::cancel) stage.loaded = true;
    if (does == Does::mma && writes)
      stage.mma_writes = it_->where, stage.written = view.buffer;
    else if (does == Does::mma)
      stage.mma_reads = it_->where, stage.read = view.buffer;
    else if (does == Does::ld_tensor)
      stage.load_reads = it_->where, stage.read = view.buffer;
  }

  void wait(const kernel::BarrierOperand& barrier, Held& held, Stage& stage) {
    stage.waited = Sure::yes;
    const kernel::Guard& guard = it_->guard;
    if (!guard.predicate) return;
    const auto answer = held.answers.find(guard.predicate->id);
    const std::string& name = kernel_[guard.predicate->id].name;
    if (answer == held.answers.end() || answer->second.end != barrier.end || !guard.predicate->negated) {
      say(it_->guard_where, no_probe, name, session_.one_line(it_->operands_where[0]));
    } else if (answer->second.stale) {
      say(it_->guard_where, stale_probe, name, session_.line_of(answer->second.stepped));
    }
  }

  void signal(const kernel::BarrierOperand& barrier, SourceRange where, Stage& stage) {
    const kernel::End& end = kernel_[barrier.end];
    const Does does = it_->op->does;
    const bool producer = end.side == kernel::Side::producer;
    const std::string read = end.name + "." + kernel_[stage.read].name,
                      written = end.name + "." + kernel_[stage.written].name;
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
    else if (stage.waited != Sure::yes)
      say(where, signal_before_wait, end.name, end.name + ".empty");
    else if (stage.load_reads.end)
      say(where, load_still_reads, read, session_.line_of(stage.load_reads));
    else if (does == Does::arrive && stage.mma_reads.end)
      say(where, mma_still_reads, read, session_.line_of(stage.mma_reads));
    else if (does != Does::commit && stage.mma_writes.end)
      say(where, mma_still_writes, written, session_.line_of(stage.mma_writes));
    else if (does != Does::expect && producer && stage.loaded)
      say(where, load_expects, end.name);
    stage.signalled = Sure::yes;
    stage.signal = it_->where;
    stage.expected = does == Does::expect;
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  const kernel::Instruction* it_ = nullptr;
  bool draining_ = false;
};

}  // namespace

void check_holds(Session& session) {
  Holds holds(session);
  Paths<Holds> paths(session, holds);
  for (const kernel::Role& role : session.kernel.roles) paths.walk(role.body, Held{});
}

}  // namespace warpcc::sema
