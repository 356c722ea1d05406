#include "sema/signals.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sema/paths.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<int, std::string, std::string, std::string> warp_silent{
    "warp-silent", "warp {} of `{}` takes a stage of `{}`{} and does not release it: every warp does"};
constexpr Message<int, std::string, std::string, std::string> not_taken{
    "nothing-held", "warp {} of `{}` holds on to no stage of `{}`{} here: what a warp releases it has taken itself"};
constexpr Message<std::string> branches_differ{
    "signals-differ",
    "the branches of this `when` signal the stage of `{}` otherwise: a barrier counts the same in every phase"};

// The release that an instruction makes of a stage held on.
const kernel::BarrierOperand* late_release(const kernel::Instruction& it) {
  if (it.op->does != Does::arrive && it.op->does != Does::commit) return nullptr;
  const auto& barrier = std::get<kernel::BarrierOperand>(it.operands[0]);
  return barrier.last ? &barrier : nullptr;
}

// The stages that one warp holds on to, along all paths. A walk without complaints has shown the same of all warps at
// once (holds.cpp); what is left to see is a warp that facts keep from a take or from its release.
class HeldOn {
 public:
  using State = std::map<kernel::EndId, const kernel::Hold*>;  // perhaps held on

  HeldOn(Session& session, const Fixed& fixed) : session_(session), fixed_(fixed) {}

  void instruction(const kernel::Instruction& it, State& held) {
    const kernel::BarrierOperand* barrier = late_release(it);
    if (barrier && held.erase(barrier->end) == 0 && !quiet && !untaken) untaken = &it;
  }
  void reads(const kernel::RegisterOperand&, SourceRange, const State&) {}
  void reads(const kernel::Index&, SourceRange, const State&) {}
  void open(const kernel::Hold&, const State&) {}
  void close(const kernel::Hold& hold, State& held) {
    if (!hold.keeps) return;
    const auto [before, first] = held.try_emplace(hold.end, &hold);
    if (!first) lost(before->second);
    before->second = &hold;
  }
  void join(State& into, const State& other, SourceRange) { into.insert(other.begin(), other.end()); }
  void join_on(State&, const State&, const kernel::On&) {}
  std::optional<bool> decide(const kernel::On& on) const { return holds_at(session_, on.facts, fixed_); }

  void lost(const kernel::Hold* hold) {
    if (!quiet && !unreleased) unreleased = hold;
  }

  bool quiet = false;
  const kernel::Hold* unreleased = nullptr;      // taken, and taken over or left at the end
  const kernel::Instruction* untaken = nullptr;  // releases a stage that is not held on

 private:
  Session& session_;
  const Fixed fixed_;
};

class Finder {
 public:
  Finder(Session& session, const kernel::Role& role)
      : session_(session), kernel_(session.kernel), role_(role), warps_(role.end_warp - role.first_warp) {}

  std::map<kernel::EndId, std::vector<Site>> run() {
    const bool late = std::any_of(role_.ends.begin(), role_.ends.end(),
                                  [&](kernel::EndId end) { return kernel_[end].releases_late; });
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> place = kernel::place(kernel_, rank);
      if (!std::all_of(role_.at.begin(), role_.at.end(),
                       [&](const kernel::Pin& pin) { return place[pin.axis] == pin.at; }))
        continue;
      for (int warp = 0; warp < warps_; ++warp) {
        warp_ = {rank, warp};
        fixed_ = {0, warp, &place};
        find(role_.body);
        if (late) follow();
      }
    }
    for (auto& [end, sites] : sites_) {
      if (kernel_[end].side == kernel::Side::consumer) every_warp(end, sites);
    }
    return in_order();
  }

 private:
  // ---- Sites

  void find(const kernel::Block& block) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        if (const kernel::BarrierOperand* barrier = late_release(*it))
          count_instruction(*it, barrier->end, true, site(barrier->end, it, it->where));
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        find(loop->body);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        find(forever->body);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        find(when->then);
        find(when->otherwise);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed_)) find(on->body);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        const bool signals =
            hold->kind == kernel::Hold::Kind::fill || (hold->kind == kernel::Hold::Kind::take && !hold->keeps);
        if (signals) count_block(hold->body, hold->end, site(hold->end, hold, hold->where));
        find(hold->body);
      }
    }
  }

  // What this warp signals at a site; `is`: the block or the statement.
  Signals& site(kernel::EndId end, const void* is, SourceRange where) {
    const auto [at, first] = known_.try_emplace(is, sites_[end].size());
    if (first) sites_[end].push_back({where, {}});
    return sites_[end][at->second].by[warp_];
  }

  // How many lanes of the warp the facts let through.
  int lanes(const kernel::Facts& facts) const {
    if (facts.one) return holds_at(session_, facts, fixed_) ? 1 : 0;
    const bool by_lane = std::any_of(facts.compares.begin(), facts.compares.end(),
                                     [&](const kernel::Compare& c) { return differs_by_lane(kernel_, c.left); });
    if (!by_lane) return holds_at(session_, facts, fixed_) ? 32 : 0;
    int count = 0;
    Fixed fixed = fixed_;
    for (fixed.lane = 0; fixed.lane < 32; ++fixed.lane) count += holds_at(session_, facts, fixed) ? 1 : 0;
    return count;
  }

  static void add(Signals& to, const Signals& more) {
    for (const auto& [target, count] : more.arrivals) to.arrivals[target] += count;
    for (const auto& [target, count] : more.expects) to.expects[target] += count;
    if (more.lanes > to.lanes) to.expect = more.expect, to.lanes = more.lanes;
  }

  void count_block(const kernel::Block& block, kernel::EndId end, Signals& signals) {
    for (const kernel::Node& node : block) {
      if (auto* instruction = std::get_if<kernel::Instruction>(&node.is)) {
        count_instruction(*instruction, end, false, signals);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        count_block(loop->body, end, signals);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        count_block(forever->body, end, signals);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        Signals then, otherwise;
        count_block(when->then, end, then);
        count_block(when->otherwise, end, otherwise);
        const bool alike = then.arrivals == otherwise.arrivals && then.expects == otherwise.expects;
        if (!alike && !std::exchange(complained_, true))
          session_.diagnostics.error(when->where, branches_differ, kernel_[end].name);
        add(signals, then);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed_)) count_block(on->body, end, signals);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        count_block(hold->body, end, signals);
      }
    }
  }

  void count_instruction(const kernel::Instruction& it, kernel::EndId end, bool late, Signals& signals) {
    const Does does = it.op->does;
    if (does != Does::arrive && does != Does::commit && does != Does::expect) return;
    const auto& barrier = std::get<kernel::BarrierOperand>(it.operands[0]);
    if (barrier.end != end || barrier.last != late) return;
    const int through =
        does == Does::commit ? (holds_at(session_, it.guard.facts, fixed_) ? 1 : 0) : lanes(it.guard.facts);
    if (through == 0) return;
    const bool each = it.op->word.ends_with(".each");
    const int count = each ? 1 : through;
    Signals more;
    const std::uint32_t mask = kernel::reached(kernel_, kernel_[kernel_[end].pipe], barrier.kind, warp_.rank);
    for (int target = 0; target < kernel_.cluster_ctas(); ++target) {
      if (!(mask >> target & 1)) continue;
      more.arrivals[target] = count;
      if (does == Does::expect) more.expects[target] = count;
    }
    if (does == Does::expect) more.expect = &it, more.lanes = count;
    add(signals, more);
  }

  // ---- A consumer's warps, each of which releases what it takes

  void every_warp(kernel::EndId end, const std::vector<Site>& sites) {
    for (const Site& site : sites) {
      for (const auto& [warp, signals] : site.by) {
        if (signals.arrivals.empty()) complain(site.where, warp_silent, warp, end);
      }
    }
  }

  // Along the paths of this warp; once for all warps that take the same part in all `on`s.
  void follow() {
    std::vector<bool> part;
    takes_part(role_.body, part);
    if (!followed_.insert(std::move(part)).second) return;
    HeldOn held(session_, fixed_);
    const std::optional<HeldOn::State> at_end = Paths<HeldOn>(session_, held).walk(role_.body, HeldOn::State{});
    if (at_end && !at_end->empty()) held.lost(at_end->begin()->second);
    if (held.unreleased) complain(held.unreleased->where, warp_silent, warp_, held.unreleased->end);
    if (held.untaken) complain(held.untaken->where, not_taken, warp_, late_release(*held.untaken)->end);
  }

  void takes_part(const kernel::Block& block, std::vector<bool>& part) const {
    for (const kernel::Node& node : block) {
      if (auto* on = std::get_if<kernel::On>(&node.is)) part.push_back(holds_at(session_, on->facts, fixed_));
      kernel::for_each_block(node, [&](const kernel::Block& inner) { takes_part(inner, part); });
    }
  }

  void complain(SourceRange where, const Message<int, std::string, std::string, std::string>& message, Warp warp,
                kernel::EndId end) {
    if (std::exchange(complained_, true)) return;
    session_.diagnostics.error(where, message, warp.warp, role_.name, kernel_[kernel_[end].pipe].name,
                               at_place(kernel_, warp.rank));
  }

  std::map<kernel::EndId, std::vector<Site>> in_order() {
    for (auto& [end, sites] : sites_) {
      std::stable_sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) {
        return std::pair(a.where.file, a.where.begin) < std::pair(b.where.file, b.where.begin);
      });
    }
    return std::move(sites_);
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  const kernel::Role& role_;
  const int warps_;
  Warp warp_{};
  Fixed fixed_{};
  std::map<kernel::EndId, std::vector<Site>> sites_;
  std::map<const void*, std::size_t> known_;  // where among its end's sites
  std::set<std::vector<bool>> followed_;
  bool complained_ = false;
};

}  // namespace

std::map<kernel::EndId, std::vector<Site>> signal_sites(Session& session, const kernel::Role& role) {
  return Finder(session, role).run();
}

std::string at_place(const kernel::Kernel& kernel, int rank) {
  std::string text;
  const std::vector<std::int64_t> place = kernel::place(kernel, rank);
  for (std::size_t axis = 0; axis < kernel.axes.size(); ++axis) {
    if (kernel.axes[axis].extent > 1)
      text += fmt::format("{}{} = {}", text.empty() ? " at " : ", ", kernel.axes[axis].name, place[axis]);
  }
  return text;
}

}  // namespace warpcc::sema
