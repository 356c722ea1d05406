// How many arrivals and bytes a phase of each barrier counts: what each warp signals of a stage, over all warps and
// CTAs that hold one. docs/language.md, section 7.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "sema/passes.h"
#include "sema/ranges.h"
#include "sema/signals.h"

namespace warpcc::sema {
namespace {

using Kind = kernel::BarrierOperand::Kind;

constexpr Message<std::string, std::string, std::string> unsignalled{"unsignalled",
                                                                     "`{}` of `{}`{} is signalled by nobody"};
constexpr Message<std::string, std::string, int, std::string> expected_by_fact{
    "expected-twice", "the full barrier of `{}`{} is expected by {} CTAs: guard it with `{}`"};
constexpr Message<std::string> expected_by_lanes{
    "expected-twice", "every lane expects the bytes of `{}`, and one is to: `@one expect …`"};
constexpr Message<std::string, std::string, int> expected_by_warps{
    "expected-twice", "the full barrier of `{}`{} is expected by {} warps: one of them is to"};
constexpr Message<std::string, std::string, std::string, int, int> blocks_differ{
    "signals-differ",
    "the blocks of `{}` signal `{}`{} {} times here and {} times elsewhere: a barrier counts the same in every phase"};
constexpr Message<std::string, std::string, int, int> ctas_differ{
    "signals-differ", "`{}` of `{}` gets {} arrivals a phase in one CTA and {} in another"};
constexpr Message<std::string, std::string, int, std::int64_t, int> clusters_differ{
    "signals-differ", "`{}` of `{}` gets {} arrivals a phase in cluster {} and {} in others"};
constexpr Message<std::string, int> teams_differ{
    "signals-differ",
    "team {1} of `{0}` releases a stage otherwise than the first: a barrier counts the same in every phase"};
constexpr Message<std::string, int> many_arrivals{"many-arrivals",
                                                  "a barrier of `{}` counts {} arrivals: 1048575 at most"};

// Who signals: for the text that explains a count.
struct Source {
  int role, rank, warp, each;
};

// What a phase of a barrier counts of one end: by the rank of the barrier's CTA.
struct Count {
  std::map<int, int> arrivals, expects;
  std::map<int, std::vector<Source>> arrive_sources, expect_sources;
  const kernel::Instruction* expect = nullptr;  // the one of most lanes,
  int lanes = 0;                                // and how many
  SourceRange where;

  void add(const Signals& signals, int role, Warp warp) {
    for (const auto& [target, count] : signals.arrivals) {
      arrivals[target] += count;
      arrive_sources[target].push_back({role, warp.rank, warp.warp, count});
    }
    for (const auto& [target, count] : signals.expects) {
      expects[target] += count;
      expect_sources[target].push_back({role, warp.rank, warp.warp, count});
    }
    if (signals.lanes > lanes) expect = signals.expect, lanes = signals.lanes;
  }
};

// The first CTA that holds this end.
int lowest(const kernel::Kernel& kernel, const kernel::Pipe& pipe, kernel::Side side) {
  for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
    if (kernel::holds(kernel, pipe, side, rank)) return rank;
  }
  return 0;
}

void unsignalled_anywhere(Session& session, const kernel::Pipe& pipe, kernel::Side waiter, const std::string& word) {
  session.diagnostics
      .error(pipe.declared, unsignalled, word, pipe.name,
             at_place(session.kernel, lowest(session.kernel, pipe, waiter)))
      .note(pipe.declared, "the pipe");
}

class Counter {
 public:
  explicit Counter(Session& session) : session_(session), kernel_(session.kernel) {}

  void run() {
    for (std::size_t role = 0; role < kernel_.roles.size(); ++role) {
      for (auto& [end, sites] : signal_sites(session_, kernel_.roles[role])) {
        if (!session_.diagnostics.failed()) count(end, static_cast<int>(role), sites);
      }
    }
    if (session_.diagnostics.failed()) return;
    for (std::size_t i = 0; i < kernel_.pipes.size(); ++i) {
      if (kernel_.pipes[i].depth > 0) settle(static_cast<kernel::PipeId>(i));
    }
  }

 private:
  // Which team of an end in turn a warp is of.
  int team_of(kernel::EndId end, int role, int warp) const {
    const int warps = kernel_.roles[role].end_warp - kernel_.roles[role].first_warp;
    return warp / (warps / kernel_[end].teams);
  }

  // Warps that hold the stages in the same blocks hold one together, whichever block it is: these signal the same.
  // Warps that hold the stages in other blocks, as facts choose, hold the same ones: all their signals are of one
  // phase. A phase counts one team's, whichever has the turn.
  void count(kernel::EndId end, int role, const std::vector<Site>& sites) {
    std::map<Warp, std::vector<const Site*>> holds;
    for (const Site& site : sites) {
      for (const auto& [warp, signals] : site.by) holds[warp].push_back(&site);
    }
    std::map<std::vector<const Site*>, std::map<int, std::vector<Warp>>> together;  // by team
    for (const auto& [warp, at] : holds) together[at][team_of(end, role, warp.warp)].push_back(warp);
    std::vector<Count> teams(static_cast<std::size_t>(kernel_[end].teams));
    for (const auto& [at, by_team] : together) {
      for (const auto& [team, warps] : by_team) {
        const Count first = count_at(*at.front(), role, warps);
        for (const Site* other : at) {
          if (!alike(end, first, count_at(*other, role, warps))) return;
        }
        // Not every block announces bytes; one that announces the most stands for all.
        const Site* most = *std::max_element(at.begin(), at.end(), [&](const Site* a, const Site* b) {
          return expects_at(*a, warps) < expects_at(*b, warps);
        });
        for (const Warp warp : warps) teams[static_cast<std::size_t>(team)].add(most->by.at(warp), role, warp);
      }
    }
    for (std::size_t team = 1; team < teams.size(); ++team) {
      if (teams[team].arrivals == teams[0].arrivals) continue;
      session_.diagnostics.error(sites[0].where, teams_differ, kernel_[end].name, static_cast<int>(team));
      return;
    }
    teams[0].where = sites[0].where;
    counts_[end] = std::move(teams[0]);
  }

  static Count count_at(const Site& site, int role, const std::vector<Warp>& warps) {
    Count count;
    count.where = site.where;
    for (const Warp warp : warps) count.add(site.by.at(warp), role, warp);
    return count;
  }

  static int expects_at(const Site& site, const std::vector<Warp>& warps) {
    int sum = 0;
    for (const Warp warp : warps) {
      for (const auto& [target, times] : site.by.at(warp).expects) sum += times;
    }
    return sum;
  }

  bool alike(kernel::EndId end, const Count& first, const Count& other) {
    if (first.arrivals == other.arrivals) return true;
    auto at = [](const Count& count, int rank) {
      const auto found = count.arrivals.find(rank);
      return found == count.arrivals.end() ? 0 : found->second;
    };
    int rank = 0;
    while (at(first, rank) == at(other, rank)) ++rank;
    const std::string word = kernel_[end].side == kernel::Side::producer ? "full" : "empty";
    session_.diagnostics
        .error(other.where, blocks_differ, kernel_[end].name, word, at_place(kernel_, rank), at(other, rank),
               at(first, rank))
        .note(first.where, "elsewhere");
    return false;
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
      SourceRange where{};
      for (const kernel::EndId end : ends_of(id, signaller)) {
        const auto found = counts_.find(end);
        if (found == counts_.end()) continue;
        const Count& count = found->second;
        where = count.where;
        if (!check_expects(pipe, count)) return;
        for (const auto& [target, arrivals] : count.arrivals) {
          total[target] += arrivals;
          if (target == lowest(kernel_, pipe, waiter)) {
            const std::vector<Source>& more = count.arrive_sources.at(target);
            sources.insert(sources.end(), more.begin(), more.end());
          }
        }
        for (const auto& [target, times] : count.expects) expects[target] += times;
      }
      if (where.end == 0) continue;  // not in this cluster
      kernel::Signal& signal = kind == Kind::full ? pipe.full : pipe.empty;
      const int elsewhere = std::exchange(signal.arrivals, 0);
      for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
        if (!kernel::holds(kernel_, pipe, waiter, rank)) continue;
        if (total[rank] == 0) {
          session_.diagnostics.error(where, unsignalled, word, pipe.name, at_place(kernel_, rank))
              .note(pipe.declared, "the pipe");
          return;
        }
        if (signal.arrivals != 0 && total[rank] != signal.arrivals) {
          session_.diagnostics.error(where, ctas_differ, word, pipe.name, signal.arrivals, total[rank]);
          return;
        }
        signal.arrivals = total[rank];
      }
      if (elsewhere != 0 && signal.arrivals != elsewhere) {
        session_.diagnostics.error(where, clusters_differ, word, pipe.name, signal.arrivals, session_.cluster_id,
                                   elsewhere);
        return;
      }
      if (signal.arrivals > 1'048'575)
        session_.diagnostics.error(pipe.declared, many_arrivals, pipe.name, signal.arrivals);
      int teams = 1;
      for (const kernel::EndId end : ends_of(id, signaller)) teams = std::max(teams, kernel_[end].teams);
      signal.arrivals_why = why(sources, teams);
      if (kind == Kind::full && !expects.empty()) derive_bytes(pipe);
    }
  }

  bool check_expects(const kernel::Pipe& pipe, const Count& count) {
    if (count.expects.empty()) return true;
    const SourceRange where = count.expect->opcode_where;
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
        session_.diagnostics.error(where, expected_by_warps, pipe.name, at_place(kernel_, target), times);
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

  void derive_bytes(kernel::Pipe& pipe) {
    const int consumer = lowest(kernel_, pipe, kernel::Side::consumer);
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
  std::map<kernel::EndId, Count> counts_;
};

}  // namespace

void derive_counts(Session& session) {
  for (const std::int64_t cluster : clusters_apart(session)) {
    session.cluster_id = cluster;
    Counter(session).run();
    if (session.diagnostics.failed()) return;
  }
  for (const kernel::Pipe& pipe : session.kernel.pipes) {
    if (pipe.depth == 0) continue;
    if (pipe.full.arrivals == 0)
      unsignalled_anywhere(session, pipe, kernel::Side::consumer, "full");
    else if (pipe.empty.arrivals == 0)
      unsignalled_anywhere(session, pipe, kernel::Side::producer, "empty");
  }
}

}  // namespace warpcc::sema
