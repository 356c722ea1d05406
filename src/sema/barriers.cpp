// What names barriers: sides of pipes, and signals that go to barriers of several CTAs.
#include <algorithm>
#include <bit>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string, std::string, std::string, std::string, std::string, std::string, std::string> wrong_side{
    "wrong-side", "the {}'s end of `{}` can wait for `{}` and signal `{}`; {} `{}` is the {}'s"};
constexpr Message<> init_in_start{"init-in-start",
                                  "`init` stands in `start`: the barriers of a pipe are initialised once"};
constexpr Message<> init_one{"init-one", "a barrier is initialised by one lane: `@one init …`"};
constexpr Message<std::string> through_end{"through-end",
                                           "`{}` reaches a barrier through an end: `END.full`, `END.empty`"};
constexpr Message<std::string, std::string> outside_hold{
    "outside-end",
    "`{}` signals or waits for the stage that a block holds: it stands inside `fill`, `take` or `drain` of `{}`"};
constexpr Message<std::string> expect_of_consumer{
    "wrong-side", "`expect` announces the bytes of loads to `full`; `{}` counts arrivals alone: `arrive` or `commit`"};
constexpr Message<std::string> next_is_given{"turn-barrier",
                                             "`{0}` hands the turn on and waits for nobody: `sync.arrive {0}`"};
constexpr Message<std::string> mine_is_awaited{"turn-barrier",
                                               "`{0}` is where this team waits for its turn: `sync {0}`"};
constexpr Message<std::string, int, std::string, std::string> several_barriers{
    "several-barriers", "`{}` is {} barriers, in the CTAs across {}: `{}.each` signals all"};
constexpr Message<std::string, int, std::string, std::string> several_after_mma{
    "several-barriers",
    "`{}` is {} barriers, in the CTAs across {}: `{}` signals all when the MMAs before it are done"};

// `arrive.each` of the same lanes: without the `one` that leaves all but one of them out.
void mend_to_each(const kernel::Instruction& made, const Session& session, Diagnostic& said) {
  const kernel::Facts& facts = made.guard.facts;
  const FileId file = made.opcode_where.file;
  if (facts.one && facts.compares.empty() && !facts.inside) {
    said.mend({file, made.where.begin, made.opcode_where.begin}, "");
  } else if (facts.one) {
    const std::size_t one = session.text(made.guard_where).find("one && ");
    if (one == std::string_view::npos) return;
    const std::uint32_t at = made.guard_where.begin + static_cast<std::uint32_t>(one);
    said.mend({file, at, at + 7}, "");
  }
  said.insert(file, made.opcode_where.end, ".each");
}

}  // namespace

bool Builder::check_barrier(const kernel::Instruction& made, std::size_t at) {
  using Kind = kernel::BarrierOperand::Kind;
  const auto& barrier = std::get<kernel::BarrierOperand>(made.operands[at]);
  const Does does = made.op->does;
  const SourceRange where = made.operands_where[at];
  if (barrier.is_named()) return check_turn_barrier(made, at);
  if (does == Does::init) {
    if (barrier.end != kernel::EndId::none || session_.place.kind != Place::Kind::start) {
      session_.error(where, init_in_start);
      return false;
    }
    if (!made.guard.facts.one) {
      session_.error(made.opcode_where, init_one).insert(where.file, made.opcode_where.begin, "@one ");
      return false;
    }
    return true;
  }
  if (barrier.end == kernel::EndId::none) {
    session_.error(where, through_end, std::string(made.op->word));
    return false;
  }
  const kernel::Kernel& kernel = session_.kernel;
  const kernel::End& end = kernel[barrier.end];
  const kernel::Pipe& pipe = kernel[end.pipe];
  const bool producer = end.side == kernel::Side::producer, waits = does == Does::wait || does == Does::probe;
  const bool is_full = barrier.kind == Kind::full;
  if (is_full != (producer != waits)) {
    session_.error(where, wrong_side, producer ? "producer" : "consumer", pipe.name, producer ? "empty" : "full",
                   producer ? "full" : "empty", waits ? "waiting for" : "signalling", is_full ? "full" : "empty",
                   producer ? "consumer" : "producer");
    return false;
  }
  if (does == Does::expect && !producer) {
    session_.error(made.opcode_where, expect_of_consumer, session_.one_line(where));
    return false;
  }
  if (does == Does::probe) return true;
  if (!barrier.last &&
      std::find(evaluator_.held.begin(), evaluator_.held.end(), barrier.end) == evaluator_.held.end()) {
    session_.error(where, outside_hold, std::string(made.op->word), end.name);
    return false;
  }
  if (made.op->word.ends_with(".each")) return check_each(made, at);
  if (does == Does::arrive || does == Does::expect) {
    for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
      const std::uint32_t mask = kernel::reached(kernel, pipe, barrier.kind, rank);
      if (std::popcount(mask) < 2) continue;
      // The axes along which the reached CTAs differ.
      std::string across;
      for (std::size_t axis = 0; axis < kernel.axes.size(); ++axis) {
        const std::int64_t first = kernel::place(kernel, std::countr_zero(mask))[axis];
        bool differs = false;
        for (int other = 0; other < kernel.cluster_ctas(); ++other) {
          differs = differs || (mask >> other & 1 && kernel::place(kernel, other)[axis] != first);
        }
        if (differs) across += (across.empty() ? "`" : " and `") + kernel.axes[axis].name + "`";
      }
      if (does == Does::arrive && mma_role_ == session_.place.role && kernel.target == isa::Target::sm_100a) {
        session_.error(where, several_after_mma, session_.one_line(where), std::popcount(mask), across,
                       session_.kernel.pairs ? "commit.pair" : "commit");
        return false;
      }
      mend_to_each(made, session_,
                   session_.error(where, several_barriers, session_.one_line(where), std::popcount(mask), across,
                                  std::string(made.op->word)));
      return false;
    }
  }
  return true;
}

// The turn is waited for at one of its barriers and handed on at the other.
bool Builder::check_turn_barrier(const kernel::Instruction& made, std::size_t at) {
  using Kind = kernel::BarrierOperand::Kind;
  const auto& barrier = std::get<kernel::BarrierOperand>(made.operands[at]);
  const bool waits = made.op->does == Does::sync;
  if (barrier.kind == Kind::named || waits == (barrier.kind == Kind::mine)) return true;
  const std::string text = session_.one_line(made.operands_where[at]);
  if (waits)
    session_.error(made.opcode_where, next_is_given, text);
  else
    session_.error(made.opcode_where, mine_is_awaited, text);
  return false;
}

}  // namespace warpcc::sema
