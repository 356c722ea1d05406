// How many arrivals and bytes a phase of each barrier counts: the signals of each block that holds a stage, counted
// warp by warp and CTA by CTA, as the facts that guard them say. docs/language.md, section 7.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "sema/passes.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using Kind = kernel::BarrierOperand::Kind;
using isa::Does;

constexpr Message<std::string, std::string, std::string> unsignalled{"unsignalled",
                                                                     "`{}` of `{}`{} is signalled by nobody"};
constexpr Message<std::string, std::string, int, std::string> expected_by_fact{
    "expected-twice", "the full barrier of `{}`{} is expected by {} CTAs: guard it with `{}`"};
constexpr Message<std::string> expected_by_lanes{
    "expected-twice", "every lane expects the bytes of `{}`, and one is to: `@one expect …`"};
constexpr Message<std::string, std::string, int> expected_by_warps{
    "expected-twice", "the full barrier of `{}`{} is expected by {} warps: one of them is to"};
constexpr Message<std::string, std::string, int, int> blocks_differ{
    "signals-differ",
    "the blocks of `{}` signal `{}` {} times here and {} times elsewhere: a barrier counts the same in every phase"};
constexpr Message<std::string, std::string, int, int> ctas_differ{
    "signals-differ", "`{}` of `{}` gets {} arrivals a phase in one CTA and {} in another"};
constexpr Message<int, std::string, std::string, std::string> warp_silent{
    "warp-silent", "warp {} of `{}` takes a stage of `{}`{} and does not release it: every warp does"};
constexpr Message<std::string, int> teams_differ{
    "signals-differ",
    "team {1} of `{0}` releases a stage otherwise than the first: a barrier counts the same in every phase"};
constexpr Message<std::string, int> many_arrivals{"many-arrivals",
                                                  "a barrier of `{}` counts {} arrivals: 1048575 at most"};

// What one execution of a block signals.
struct Signals {
  std::map<int, int> arrivals;  // by the rank of the barrier's CTA; expectations are arrivals too
  std::map<int, int> expects;
  int lanes = 0;  // of the last expectation
};

struct Source {  // who signals: for the text that explains a count
  int role, rank, warp, each;
};

// A block that holds a stage; or one whose signals release the stage that is held on (`END.last`).
struct HoldCount {
  const kernel::Block* block = nullptr;
  SourceRange where;
  std::map<int, int> arrivals, expects;   // of ends in turn: of the first team
  std::vector<std::map<int, int>> teams;  // arrivals by team, where there are several
  std::map<int, std::vector<Source>> arrive_sources, expect_sources;
  int lanes = 0;
};

class Counter {
 public:
  explicit Counter(Session& session) : session_(session), kernel_(session.kernel) {}

  void run() {
    for (std::size_t role = 0; role < kernel_.roles.size(); ++role) count_role(static_cast<int>(role));
    if (session_.diagnostics.failed()) return;
    for (std::size_t i = 0; i < kernel_.pipes.size(); ++i) {
      if (kernel_.pipes[i].depth > 0) settle(static_cast<kernel::PipeId>(i));
    }
  }

 private:
  bool runs_at(const kernel::Role& role, const std::vector<std::int64_t>& place) const {
    return std::all_of(role.at.begin(), role.at.end(),
                       [&](const kernel::Pin& pin) { return place[pin.axis] == pin.at; });
  }

  void count_role(int index) {
    const kernel::Role& role = kernel_.roles[index];
    session_.place = {Place::Kind::role, role.name, role.first_warp, role.end_warp - role.first_warp, role.at};
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> place = kernel::place(kernel_, rank);
      if (!runs_at(role, place)) continue;
      for (int warp = 0; warp < role.end_warp - role.first_warp; ++warp) {
        const Fixed fixed{0, warp, &place};
        find_holds(role.body, index, rank, fixed);
        for (const kernel::EndId end : role.ends) {
          if (kernel_[end].releases_late) find_late(role.body, end, index, rank, fixed);
        }
      }
    }
    for (const kernel::EndId end : role.ends) teams_alike(end);
    session_.place = {};
  }

  void find_holds(const kernel::Block& block, int role, int rank, const Fixed& fixed) {
    for (const kernel::Node& node : block) {
      if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        find_holds(loop->body, role, rank, fixed);
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        find_holds(forever->body, role, rank, fixed);
      else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        find_holds(when->then, role, rank, fixed);
        find_holds(when->otherwise, role, rank, fixed);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed)) find_holds(on->body, role, rank, fixed);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (hold->kind == kernel::Hold::Kind::fill || hold->kind == kernel::Hold::Kind::take)
          count_hold(*hold, role, rank, fixed);
        find_holds(hold->body, role, rank, fixed);
      }
    }
  }

  void count_hold(const kernel::Hold& hold, int role, int rank, const Fixed& fixed) {
    Signals signals;
    count_block(hold.body, hold.end, rank, fixed, signals);
    if (hold.keeps && signals.arrivals.empty()) return;
    add(hold.end, hold.body, hold.where, signals, role, rank, fixed);
    const bool consumer = hold.kind == kernel::Hold::Kind::take;
    if (consumer && signals.arrivals.empty()) silent(hold.end, hold.where, role, rank, fixed);
  }

  void silent(kernel::EndId end, SourceRange where, int role, int rank, const Fixed& fixed) {
    if (std::exchange(warp_complained_, true)) return;
    session_.diagnostics.error(where, warp_silent, static_cast<int>(fixed.warp), kernel_.roles[role].name,
                               kernel_[kernel_[end].pipe].name, at_place(rank));
  }

  // Which team of an end in turn a warp is of.
  int team_of(kernel::EndId end, int role, std::int64_t warp) const {
    const int warps = kernel_.roles[role].end_warp - kernel_.roles[role].first_warp;
    return static_cast<int>(warp / (warps / kernel_[end].teams));
  }

  void add(kernel::EndId end, const kernel::Block& block, SourceRange where, const Signals& signals, int role, int rank,
           const Fixed& fixed) {
    std::vector<HoldCount>& of_end = counts_[end];
    auto at = std::find_if(of_end.begin(), of_end.end(), [&](const HoldCount& c) { return c.block == &block; });
    if (at == of_end.end()) {
      of_end.emplace_back().block = &block;
      at = of_end.end() - 1;
      at->where = where;
      at->teams.resize(static_cast<std::size_t>(kernel_[end].teams));
    }
    if (kernel_[end].teams > 1) {
      const int team = team_of(end, role, fixed.warp);
      for (const auto& [target, count] : signals.arrivals) at->teams[static_cast<std::size_t>(team)][target] += count;
      if (team > 0) return;
    }
    at->lanes = std::max(at->lanes, signals.lanes);
    for (const auto& [target, count] : signals.arrivals) {
      at->arrivals[target] += count;
      at->arrive_sources[target].push_back({role, rank, static_cast<int>(fixed.warp), count});
    }
    for (const auto& [target, count] : signals.expects) {
      at->expects[target] += count;
      at->expect_sources[target].push_back({role, rank, static_cast<int>(fixed.warp), count});
    }
  }

  // A phase counts one team's arrivals, whichever has the turn.
  void teams_alike(kernel::EndId end) {
    for (const HoldCount& count : counts_[end]) {
      for (std::size_t team = 1; team < count.teams.size(); ++team) {
        if (count.teams[team] == count.teams[0]) continue;
        session_.diagnostics.error(count.where, teams_differ, kernel_[end].name, static_cast<int>(team));
        return;
      }
    }
  }

  // Blocks that release the stage held on: what they and their `on`s signal is one release, of every warp.
  void find_late(const kernel::Block& block, kernel::EndId end, int role, int rank, const Fixed& fixed) {
    SourceRange where{};
    Signals signals;
    count_late(block, end, rank, fixed, signals, where);
    if (where.end != 0) {
      if (signals.arrivals.empty())
        silent(end, where, role, rank, fixed);
      else
        add(end, block, where, signals, role, rank, fixed);
    }
    for (const kernel::Node& node : block) {
      if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        find_late(loop->body, end, role, rank, fixed);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        find_late(forever->body, end, role, rank, fixed);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        find_late(when->then, end, role, rank, fixed);
        find_late(when->otherwise, end, role, rank, fixed);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        find_late(hold->body, end, role, rank, fixed);
      }
    }
  }

  void count_late(const kernel::Block& block, kernel::EndId end, int rank, const Fixed& fixed, Signals& signals,
                  SourceRange& where) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        auto* barrier = it->operands.empty() ? nullptr : std::get_if<kernel::BarrierOperand>(&it->operands[0]);
        if (!barrier || !barrier->last || barrier->end != end) continue;
        if (where.end == 0) where = it->where;
        count_instruction(*it, end, rank, fixed, true, signals);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        SourceRange inside{};
        Signals none;
        const bool here = holds_at(session_, on->facts, fixed);
        count_late(on->body, end, rank, fixed, here ? signals : none, inside);
        if (where.end == 0) where = inside;
      }
    }
  }

  // How many lanes of the warp the facts let through.
  int lanes(const kernel::Facts& facts, Fixed fixed) const {
    if (facts.one) return holds_at(session_, facts, fixed) ? 1 : 0;
    const bool by_lane = std::any_of(facts.compares.begin(), facts.compares.end(),
                                     [&](const kernel::Compare& c) { return differs_by_lane(kernel_, c.left); });
    if (!by_lane) return holds_at(session_, facts, fixed) ? 32 : 0;
    int count = 0;
    for (fixed.lane = 0; fixed.lane < 32; ++fixed.lane) count += holds_at(session_, facts, fixed) ? 1 : 0;
    return count;
  }

  void count_block(const kernel::Block& block, kernel::EndId end, int rank, const Fixed& fixed, Signals& signals) {
    for (const kernel::Node& node : block) {
      if (auto* instruction = std::get_if<kernel::Instruction>(&node.is)) {
        count_instruction(*instruction, end, rank, fixed, false, signals);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        count_block(loop->body, end, rank, fixed, signals);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        count_block(forever->body, end, rank, fixed, signals);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        // Both branches signal alike: the walk over paths (holds.cpp) holds them to it.
        Signals then, otherwise;
        count_block(when->then, end, rank, fixed, then);
        count_block(when->otherwise, end, rank, fixed, otherwise);
        const Signals& more = then.arrivals.empty() ? otherwise : then;
        for (const auto& [target, count] : more.arrivals) signals.arrivals[target] += count;
        for (const auto& [target, count] : more.expects) signals.expects[target] += count;
        signals.lanes = std::max(signals.lanes, more.lanes);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed)) count_block(on->body, end, rank, fixed, signals);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        count_block(hold->body, end, rank, fixed, signals);
      }
    }
  }

  void count_instruction(const kernel::Instruction& it, kernel::EndId end, int rank, const Fixed& fixed, bool late,
                         Signals& signals) {
    const Does does = it.op->does;
    if (does != Does::arrive && does != Does::commit && does != Does::expect) return;
    const auto& barrier = std::get<kernel::BarrierOperand>(it.operands[0]);
    if (barrier.end != end || barrier.last != late) return;
    const int through =
        does == Does::commit ? (holds_at(session_, it.guard.facts, fixed) ? 1 : 0) : lanes(it.guard.facts, fixed);
    if (through == 0) return;
    const bool each = it.op->word.ends_with(".each");
    const int count = each ? 1 : through;
    const std::uint32_t mask = kernel::reached(kernel_, kernel_[kernel_[end].pipe], barrier.kind, rank);
    for (int target = 0; target < kernel_.cluster_ctas(); ++target) {
      if (!(mask >> target & 1)) continue;
      signals.arrivals[target] += count;
      if (does == Does::expect) signals.expects[target] += count;
    }
    if (does == Does::expect) signals.lanes = std::max(signals.lanes, count);
  }

  // ` at half = 0`, where the kernel has a cluster.
  std::string at_place(int rank) const {
    std::string text;
    const std::vector<std::int64_t> place = kernel::place(kernel_, rank);
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      if (kernel_.axes[axis].extent > 1)
        text += fmt::format("{}{} = {}", text.empty() ? " at " : ", ", kernel_.axes[axis].name, place[axis]);
    }
    return text;
  }

  // `8 = 4 warps of stores × 2 halves`.
  std::string why(const std::vector<Source>& sources, int teams) const {
    int total = 0;
    std::string text;
    for (std::size_t role = 0; role < kernel_.roles.size(); ++role) {
      std::vector<int> ranks, warps;
      int each = 0, sum = 0;
      for (const Source& source : sources) {
        if (source.role != static_cast<int>(role)) continue;
        if (std::find(ranks.begin(), ranks.end(), source.rank) == ranks.end()) ranks.push_back(source.rank);
        if (std::find(warps.begin(), warps.end(), source.warp) == warps.end()) warps.push_back(source.warp);
        each = source.each;
        sum += source.each;
      }
      if (sum == 0) continue;
      total += sum;
      text += text.empty() ? "" : " + ";
      if (each * static_cast<int>(ranks.size() * warps.size()) != sum) {
        text += fmt::format("{} of {}", sum, kernel_.roles[role].name);
        continue;
      }
      if (each > 1) text += fmt::format("{} lanes × ", each);
      const std::string team = teams > 1 ? fmt::format("one of {} teams of ", teams) : "";
      text += fmt::format("{} {} of {}{}", warps.size(), warps.size() == 1 ? "warp" : "warps", team,
                          kernel_.roles[role].name);
      text += along(ranks);
    }
    return fmt::format("{} = {}", total, text);
  }

  // ` × 2 halves`: the axes along which these CTAs differ.
  std::string along(const std::vector<int>& ranks) const {
    std::string text;
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      std::vector<std::int64_t> places;
      for (const int rank : ranks) {
        const std::int64_t at = kernel::place(kernel_, rank)[axis];
        if (std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
      }
      if (places.size() < 2) continue;
      std::string name = kernel_.axes[axis].name;
      name = name.ends_with("f") ? name.substr(0, name.size() - 1) + "ves" : name + "s";
      text += fmt::format(" × {} {}", places.size(), name);
    }
    return text;
  }

  std::vector<kernel::EndId> ends_of(kernel::PipeId pipe, kernel::Side side) const {
    std::vector<kernel::EndId> ends;
    for (std::size_t i = 0; i < kernel_.ends.size(); ++i) {
      if (kernel_.ends[i].pipe == pipe && kernel_.ends[i].side == side) ends.push_back(static_cast<kernel::EndId>(i));
    }
    return ends;
  }

  void settle(kernel::PipeId id) {
    kernel::Pipe& pipe = kernel_.pipes[static_cast<std::size_t>(id)];
    for (const Kind kind : {Kind::full, Kind::empty}) {
      const kernel::Side signaller = kind == Kind::full ? kernel::Side::producer : kernel::Side::consumer;
      const kernel::Side waiter = kind == Kind::full ? kernel::Side::consumer : kernel::Side::producer;
      const std::string word = kind == Kind::full ? "full" : "empty";
      std::map<int, int> total, expects;
      std::vector<Source> sources;
      SourceRange where = pipe.declared;
      for (const kernel::EndId end : ends_of(id, signaller)) {
        const std::vector<HoldCount>& holds = counts_[end];
        if (holds.empty()) continue;
        for (const HoldCount& other : holds) {
          if (other.arrivals == holds[0].arrivals && other.expects == holds[0].expects) continue;
          auto sum = [](const std::map<int, int>& m) {
            int s = 0;
            for (const auto& [k, v] : m) s += v;
            return s;
          };
          session_.diagnostics
              .error(other.where, blocks_differ, kernel_[end].name, word, sum(other.arrivals), sum(holds[0].arrivals))
              .note(holds[0].where, "elsewhere");
          return;
        }
        where = holds[0].where;
        if (!check_expects(pipe, holds[0])) return;
        for (const auto& [target, count] : holds[0].arrivals) {
          total[target] += count;
          if (target == lowest(pipe, waiter)) {
            const std::vector<Source>& more = holds[0].arrive_sources.at(target);
            sources.insert(sources.end(), more.begin(), more.end());
          }
        }
        for (const auto& [target, count] : holds[0].expects) expects[target] += count;
      }
      kernel::Signal& signal = kind == Kind::full ? pipe.full : pipe.empty;
      for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
        if (!kernel::holds(kernel_, pipe, waiter, rank)) continue;
        if (total[rank] == 0) {
          session_.diagnostics.error(where, unsignalled, word, pipe.name, at_place(rank))
              .note(pipe.declared, "the pipe");
          return;
        }
        if (signal.arrivals != 0 && total[rank] != signal.arrivals) {
          session_.diagnostics.error(where, ctas_differ, word, pipe.name, signal.arrivals, total[rank]);
          return;
        }
        signal.arrivals = total[rank];
      }
      if (signal.arrivals > 1'048'575)
        session_.diagnostics.error(pipe.declared, many_arrivals, pipe.name, signal.arrivals);
      int teams = 1;
      for (const kernel::EndId end : ends_of(id, signaller)) teams = std::max(teams, kernel_[end].teams);
      signal.arrivals_why = why(sources, teams);
      if (kind == Kind::full && !expects.empty()) derive_bytes(pipe);
    }
  }

  int lowest(const kernel::Pipe& pipe, kernel::Side side) const {
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      if (kernel::holds(kernel_, pipe, side, rank)) return rank;
    }
    return 0;
  }

  bool check_expects(const kernel::Pipe& pipe, const HoldCount& count) {
    if (count.expects.empty()) return true;
    const SourceRange where = first_expect(*count.block).value_or(count.where);
    if (count.lanes > 1) {
      Diagnostic& said = session_.diagnostics.error(where, expected_by_lanes, pipe.name);
      // Before the instruction, or into the facts that guard it.
      const std::string_view before = session_.text({where.file, 0, where.begin});
      const std::size_t facts = before.ends_with(") ") ? before.rfind("@(") : std::string_view::npos;
      if (!before.ends_with(") "))
        said.insert(where.file, where.begin, "@one ");
      else if (facts != std::string_view::npos)
        said.insert(where.file, static_cast<std::uint32_t>(facts) + 2, "one && ");
      return false;
    }
    for (const auto& [target, times] : count.expects) {
      if (times == 1) continue;
      std::vector<int> ranks;
      for (const Source& source : count.expect_sources.at(target)) {
        if (std::find(ranks.begin(), ranks.end(), source.rank) == ranks.end()) ranks.push_back(source.rank);
      }
      if (ranks.size() < 2) {
        session_.diagnostics.error(where, expected_by_warps, pipe.name, at_place(target), times);
        return false;
      }
      // The fact that leaves the one CTA where the barrier lives.
      std::string fact;
      for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
        const std::int64_t own = kernel::place(kernel_, target)[axis];
        const bool differs = std::any_of(ranks.begin(), ranks.end(),
                                         [&](int rank) { return kernel::place(kernel_, rank)[axis] != own; });
        if (differs) fact += fmt::format("{}{} == {}", fact.empty() ? "" : " && ", kernel_.axes[axis].name, own);
      }
      Diagnostic& said = session_.diagnostics.error(where, expected_by_fact, pipe.name, pinned_place(pipe),
                                                    static_cast<int>(ranks.size()), fact);
      const SourceRange one{where.file, where.begin - std::min(where.begin, 5u), where.begin};
      if (session_.text(one) == "@one ") said.mend(one, fmt::format("@(one && {}) ", fact));
      return false;
    }
    return true;
  }

  std::string pinned_place(const kernel::Pipe& pipe) const {
    std::string text;
    for (const kernel::Pin& pin : pipe.to)
      text += fmt::format("{}{} = {}", text.empty() ? " at " : ", ", kernel_.axes[pin.axis].name, pin.at);
    return text;
  }

  static std::optional<SourceRange> first_expect(const kernel::Block& block) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is); it && it->op->does == Does::expect)
        return it->opcode_where;
      if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (auto where = first_expect(on->body)) return where;
      }
    }
    return std::nullopt;
  }

  void derive_bytes(kernel::Pipe& pipe) {
    const int consumer = lowest(pipe, kernel::Side::consumer);
    std::vector<int> fillers;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      if (kernel::reached(kernel_, pipe, Kind::full, rank) >> consumer & 1) fillers.push_back(rank);
    }
    std::int64_t bytes = 0;
    std::string text;
    for (const kernel::BufferId id : pipe.carries) {
      const kernel::Buffer& buffer = kernel_[id];
      std::int64_t of = layout::bytes(buffer.element);
      for (const std::int64_t extent : buffer.shape) of *= extent;
      bytes += of;
      text += fmt::format("{}{} of {}", text.empty() ? "" : " + ", of, buffer.name);
    }
    pipe.full.bytes = bytes * static_cast<std::int64_t>(fillers.size());
    const std::string ctas = along(fillers);
    pipe.full.bytes_why = fmt::format("{} = {}", pipe.full.bytes,
                                      ctas.empty() || pipe.carries.size() < 2 ? text + ctas : "(" + text + ")" + ctas);
    constexpr Message<std::string, std::int64_t> stage_bytes{
        "stage-bytes", "a stage of `{}` is {} bytes over the CTAs that fill it: a barrier counts 1048575 at most"};
    if (pipe.full.bytes > 1'048'575) session_.diagnostics.error(pipe.declared, stage_bytes, pipe.name, pipe.full.bytes);
  }

  Session& session_;
  kernel::Kernel& kernel_;
  std::map<kernel::EndId, std::vector<HoldCount>> counts_;
  bool warp_complained_ = false;
};

}  // namespace

namespace {

// What lanes store into a carried tile, a warp of another CTA reads behind the barrier that they arrive at: such an
// arrival publishes to the cluster (language.md, section 11).
bool stores_into(const kernel::Block& block, kernel::EndId end) {
  return std::any_of(block.begin(), block.end(), [&](const kernel::Node& node) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::shared_access || it->operands.empty()) return false;
      auto* view = std::get_if<kernel::View>(&it->operands[0]);
      return view && view->end == end;
    }
    if (auto* loop = std::get_if<kernel::Loop>(&node.is)) return stores_into(loop->body, end);
    if (auto* forever = std::get_if<kernel::Forever>(&node.is)) return stores_into(forever->body, end);
    if (auto* on = std::get_if<kernel::On>(&node.is)) return stores_into(on->body, end);
    if (auto* hold = std::get_if<kernel::Hold>(&node.is)) return stores_into(hold->body, end);
    auto* when = std::get_if<kernel::When>(&node.is);
    return when && (stores_into(when->then, end) || stores_into(when->otherwise, end));
  });
}

// Pipes whose stages lanes reach in other CTAs: there both sides' arrivals publish.
void reached_elsewhere(const kernel::Kernel& kernel, const kernel::Block& block, std::set<kernel::PipeId>& pipes) {
  for (const kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::shared_access) continue;
      for (const kernel::Operand& operand : it->operands) {
        auto* view = std::get_if<kernel::View>(&operand);
        if (view && !view->at.empty() && view->end != kernel::EndId::none) pipes.insert(kernel[view->end].pipe);
      }
    } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
      reached_elsewhere(kernel, loop->body, pipes);
    } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
      reached_elsewhere(kernel, forever->body, pipes);
    } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
      reached_elsewhere(kernel, on->body, pipes);
    } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
      reached_elsewhere(kernel, hold->body, pipes);
    } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
      reached_elsewhere(kernel, when->then, pipes);
      reached_elsewhere(kernel, when->otherwise, pipes);
    }
  }
}

void mark_releases(const kernel::Kernel& kernel, kernel::Block& block, std::vector<kernel::EndId>& stored,
                   const std::set<kernel::PipeId>& elsewhere) {
  for (kernel::Node& node : block) {
    if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
      if (it->op->does != Does::arrive) continue;
      const auto& barrier = std::get<kernel::BarrierOperand>(it->operands[0]);
      const bool stores =
          barrier.kind == Kind::full && std::find(stored.begin(), stored.end(), barrier.end) != stored.end();
      if (!stores && !elsewhere.contains(kernel[barrier.end].pipe)) continue;
      for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
        const std::uint32_t others = kernel::reached(kernel, kernel[barrier.pipe], barrier.kind, rank) & ~(1u << rank);
        it->releases_to_cluster = it->releases_to_cluster || others != 0;
      }
    } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
      mark_releases(kernel, loop->body, stored, elsewhere);
    } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
      mark_releases(kernel, forever->body, stored, elsewhere);
    } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
      mark_releases(kernel, on->body, stored, elsewhere);
    } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
      mark_releases(kernel, when->then, stored, elsewhere);
      mark_releases(kernel, when->otherwise, stored, elsewhere);
    } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
      const bool stores = hold->kind == kernel::Hold::Kind::fill && stores_into(hold->body, hold->end);
      if (stores) stored.push_back(hold->end);
      mark_releases(kernel, hold->body, stored, elsewhere);
      if (stores) stored.pop_back();
    }
  }
}

}  // namespace

void derive_counts(Session& session) {
  Counter(session).run();
  std::vector<kernel::EndId> stored;
  std::set<kernel::PipeId> elsewhere;
  for (const kernel::Role& role : session.kernel.roles) reached_elsewhere(session.kernel, role.body, elsewhere);
  for (kernel::Role& role : session.kernel.roles) mark_releases(session.kernel, role.body, stored, elsewhere);
}

}  // namespace warpcc::sema
