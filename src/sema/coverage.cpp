// Every tile of a stage is loaded exactly once: the boxes that the loads of a `fill` put into it, over the CTAs of the
// cluster. docs/language.md, section 7.
#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "sema/passes.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<> load_conditional{
    "load-in-loop", "a load that fills a stage stands outside run-time loops and conditions, guarded by facts alone"};
constexpr Message<std::string> loads_nothing{"not-loaded",
                                             "this block loads nothing of `{}`, and `expect` waits for its bytes"};
constexpr Message<std::string> carries_nothing{
    "not-loaded", "`{}` carries nothing that loads could fill: `arrive` signals it, `expect` announces bytes"};
constexpr Message<std::string, int, int, std::string> issued_twice{
    "issued-twice",
    "warps {1} and {2} of `{3}` issue this `{0}` alike, and one is to: `on (warp == {1}) {{ … }}`, or a role of one "
    "warp"};
constexpr Message<std::string> uncovered{"not-loaded", "{} are loaded by nobody; `expect` waits for them"};
constexpr Message<std::string, std::string> covered_twice{"loaded-twice", "{} are loaded twice, by {}"};
constexpr Message<std::string> moving_slice{
    "moving-slice", "which part of a tile a load fills is fixed by the CTA and the warp; `{}` moves"};

constexpr Message<std::string, std::string> copied_and_loaded{
    "copy-and-load", "`{}` is filled by `load`s or by `copy.cluster`, and not by both: line {} is the other"};
constexpr Message<std::string, std::string, std::string> copy_signals_elsewhere{
    "copy-signals", "this copy fills the tile of the CTA{}, and `{}` signals {}: both are of one CTA"};
constexpr Message<std::string, int> copies_of_several{
    "copy-signals",
    "`{}` is filled from {} CTAs at once, each of which brings a stage of its own: `copy.cluster` fills what one CTA "
    "does, `from` one"};

bool brings_bytes(const kernel::Instruction& it) {
  return it.op->does == Does::load || it.op->does == Does::copy_cluster;
}

struct Box {
  std::vector<std::int64_t> from, to;
  int rank = 0;  // who loads it
  SourceRange where;
};

class Coverage {
 public:
  explicit Coverage(Session& session) : session_(session), kernel_(session.kernel) {}

  void run() {
    for (const kernel::Role& role : kernel_.roles) {
      session_.place = {Place::Kind::role, role.name, role.first_warp, role.end_warp - role.first_warp, role.at};
      find(role.body, role);
    }
    session_.place = {};
  }

 private:
  using Boxes = std::map<std::pair<int, kernel::BufferId>, std::vector<Box>>;  // by the CTA that they land in

  void find(const kernel::Block& block, const kernel::Role& role) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is))
        issued_once(*it, role);
      else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        find(loop->body, role);
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        find(forever->body, role);
      else if (auto* when = std::get_if<kernel::When>(&node.is))
        find(when->then, role), find(when->otherwise, role);
      else if (auto* on = std::get_if<kernel::On>(&node.is))
        on_.push_back(on), find(on->body, role), on_.pop_back();
      else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        if (hold->kind == kernel::Hold::Kind::fill) check(*hold, role);
        find(hold->body, role);
      }
    }
  }

  bool runs_at(const kernel::Role& role, const std::vector<std::int64_t>& axes) const {
    return std::all_of(role.at.begin(), role.at.end(),
                       [&](const kernel::Pin& pin) { return axes[pin.axis] == pin.at; });
  }

  bool comes_here(const Fixed& fixed) const {
    return std::all_of(on_.begin(), on_.end(),
                       [&](const kernel::On* on) { return holds_at(session_, on->facts, fixed); });
  }

  // What one warp issues for all lanes, an MMA or a request for work, no other warp issues for the same tile.
  void issued_once(const kernel::Instruction& it, const kernel::Role& role) {
    if ((it.op->does != Does::mma && it.op->does != Does::cancel) || it.op->issue != isa::Issue::once) return;
    const auto& tile = std::get<kernel::View>(it.operands[0]);
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> axes = kernel::place(kernel_, rank);
      if (!runs_at(role, axes)) continue;
      std::map<std::vector<std::int64_t>, int> by;
      for (int warp = 0; warp < role.end_warp - role.first_warp; ++warp) {
        const Fixed fixed{0, warp, &axes};
        if (!comes_here(fixed) || !holds_at(session_, it.guard.facts, fixed)) continue;
        std::vector<std::int64_t> place;
        for (const kernel::Index& copy : tile.copies) place.push_back(value_at(session_, copy, fixed));
        for (const kernel::Slice& slice : tile.slices) place.push_back(value_at(session_, slice.from, fixed));
        const auto [other, is_new] = by.emplace(std::move(place), warp);
        if (is_new) continue;
        session_.with_calls(session_.diagnostics.error(it.opcode_where, issued_twice, std::string(it.op->word),
                                                       other->second, warp, role.name),
                            it.call);
        return;
      }
    }
  }

  void check(const kernel::Hold& hold, const kernel::Role& role) {
    const std::size_t said = session_.diagnostics.all().size();
    const bool any = loads(hold.body, hold.end, false);
    if (session_.diagnostics.all().size() != said) return;
    if (!any) {
      expects_nothing(hold);
      return;
    }
    if (!of_one_kind(hold)) return;
    Boxes boxes;
    const bool copies = find_of(hold.body, hold.end, Does::copy_cluster) != nullptr;
    const kernel::Pipe& pipe = kernel_[kernel_[hold.end].pipe];
    std::set<int> fillers;  // others fill their stages in blocks of their own
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      const std::vector<std::int64_t> axes = kernel::place(kernel_, rank);
      if (!runs_at(role, axes)) continue;
      for (int warp = 0; warp < role.end_warp - role.first_warp; ++warp) {
        const Fixed fixed{0, warp, &axes};
        if (!comes_here(fixed)) continue;
        fillers.insert(rank);
        collect(hold.body, hold.end, rank, fixed, boxes);
      }
    }
    if (session_.diagnostics.all().size() != said || fillers.empty()) return;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      if (copies ? !kernel::holds(kernel_, pipe, kernel::Side::consumer, rank) : !fillers.contains(rank)) continue;
      for (const kernel::BufferId id : pipe.carries) {
        if (kernel_[id].space == kernel::MemorySpace::shared && !covered(hold, rank, id, boxes[{rank, id}])) return;
      }
    }
  }

  bool of_one_kind(const kernel::Hold& hold) {
    const kernel::Instruction* copy = find_of(hold.body, hold.end, Does::copy_cluster);
    const kernel::Instruction* load = find_of(hold.body, hold.end, Does::load);
    if (!copy || !load) return true;
    const bool copy_first = copy->where.begin < load->where.begin;
    say((copy_first ? load : copy)->opcode_where, copied_and_loaded, kernel_[kernel_[hold.end].pipe].name,
        session_.line_of((copy_first ? copy : load)->where));
    return false;
  }

  // An `expect` without loads, or the `cancel` whose answer it announces.
  void expects_nothing(const kernel::Hold& hold) {
    if (find_of(hold.body, hold.end, Does::cancel)) return;
    const kernel::Instruction* expect = find_of(hold.body, hold.end, Does::expect);
    if (!expect) return;
    const kernel::Pipe& pipe = kernel_[kernel_[hold.end].pipe];
    for (const kernel::BufferId id : pipe.carries) {
      if (kernel_[id].space != kernel::MemorySpace::shared || kernel_[id].empty()) continue;
      say(expect->opcode_where, loads_nothing, kernel_[id].name);
      return;
    }
    say(expect->opcode_where, carries_nothing, pipe.name);
  }

  const kernel::Instruction* find_of(const kernel::Block& block, kernel::EndId end, Does does) const {
    for (const kernel::Node& node : block) {
      const kernel::Instruction* found = nullptr;
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        for (const kernel::Operand& operand : it->operands) {
          auto* barrier = std::get_if<kernel::BarrierOperand>(&operand);
          if (barrier && barrier->end == end && it->op->does == does) return it;
        }
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is)) {
        found = find_of(loop->body, end, does);
      } else if (auto* forever = std::get_if<kernel::Forever>(&node.is)) {
        found = find_of(forever->body, end, does);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        found = find_of(on->body, end, does);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        found = find_of(hold->body, end, does);
      } else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        found = find_of(when->then, end, does);
        if (!found) found = find_of(when->otherwise, end, does);
      }
      if (found) return found;
    }
    return nullptr;
  }

  // Whether there are loads; complains of those behind what only run time decides.
  bool loads(const kernel::Block& block, kernel::EndId end, bool conditional) {
    bool any = false;
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        if (!brings_bytes(*it) || std::get<kernel::View>(it->operands[0]).end != end) continue;
        any = true;
        if (conditional || it->guard.predicate || it->guard.more) say(it->where, load_conditional);
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        any = loads(loop->body, end, true) || any;
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        any = loads(forever->body, end, true) || any;
      else if (auto* on = std::get_if<kernel::On>(&node.is))
        any = loads(on->body, end, conditional) || any;
      else if (auto* hold = std::get_if<kernel::Hold>(&node.is))
        any = loads(hold->body, end, conditional) || any;
      else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        any = loads(when->then, end, true) || any;
        any = loads(when->otherwise, end, true) || any;
      }
    }
    return any;
  }

  void collect(const kernel::Block& block, kernel::EndId end, int rank, const Fixed& fixed, Boxes& boxes) {
    for (const kernel::Node& node : block) {
      if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed)) collect(on->body, end, rank, fixed, boxes);
      } else if (auto* hold = std::get_if<kernel::Hold>(&node.is)) {
        collect(hold->body, end, rank, fixed, boxes);
      }
      auto* it = std::get_if<kernel::Instruction>(&node.is);
      if (!it || !brings_bytes(*it) || !holds_at(session_, it->guard.facts, fixed)) continue;
      const auto& view = std::get<kernel::View>(it->operands[0]);
      if (view.end != end) continue;
      Box box;
      box.rank = rank;
      box.where = it->operands_where[0];
      for (const kernel::Slice& slice : view.slices) {
        if (!is_fixed(slice.from)) say(it->operands_where[0], moving_slice, session_.one_line(it->operands_where[0]));
        box.from.push_back(value_at(session_, slice.from, fixed));
        box.to.push_back(box.from.back() + slice.extent);
      }
      if (it->op->does == Does::copy_cluster) {
        if (const std::optional<int> target = copied_to(*it, view, fixed)) boxes[{*target, view.buffer}].push_back(box);
        continue;
      }
      for (int target = 0; target < kernel_.cluster_ctas(); ++target) {
        const std::vector<std::int64_t> there = kernel::place(kernel_, target);
        bool lands = true;
        for (std::size_t axis = 0; axis < there.size(); ++axis) {
          lands = lands && (there[axis] == (*fixed.axes)[axis] || it->across == static_cast<int>(axis));
        }
        if (lands) boxes[{target, view.buffer}].push_back(box);
      }
    }
  }

  // The CTA that a copy reaches from here: the one whose barrier it signals, which waits for this CTA's bytes alone.
  std::optional<int> copied_to(const kernel::Instruction& it, const kernel::View& tile, const Fixed& fixed) {
    std::vector<std::int64_t> there = *fixed.axes;
    for (const kernel::Pin& pin : tile.at) there[static_cast<std::size_t>(pin.axis)] = pin.at;
    const int target = kernel::rank(kernel_, there);
    const kernel::Pipe& pipe = kernel_[kernel_[tile.end].pipe];
    auto reached = [&](int from) { return kernel::reached(kernel_, pipe, kernel::BarrierOperand::Kind::full, from); };
    const std::uint32_t signalled = reached(kernel::rank(kernel_, *fixed.axes));
    if (signalled != 1u << target) {
      say(it.operands_where[2], copy_signals_elsewhere, at_place(target), session_.one_line(it.operands_where[2]),
          std::has_single_bit(signalled) ? "that" + at_place(std::countr_zero(signalled)) : "several");
      return std::nullopt;
    }
    int fillers = 0;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) fillers += static_cast<int>(reached(rank) >> target & 1);
    if (fillers > 1) {
      say(it.operands_where[0], copies_of_several, pipe.name, fillers);
      return std::nullopt;
    }
    return target;
  }

  // The tile is cut where boxes begin and end; every piece belongs to exactly one.
  bool covered(const kernel::Hold& hold, int rank, kernel::BufferId id, const std::vector<Box>& boxes) {
    const kernel::Buffer& buffer = kernel_[id];
    if (buffer.empty()) return true;
    const std::size_t dimensions = buffer.shape.size();
    std::vector<std::vector<std::int64_t>> cuts(dimensions);
    std::size_t pieces = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      cuts[d] = {0, buffer.shape[d]};
      for (const Box& box : boxes) cuts[d].insert(cuts[d].end(), {box.from[d], box.to[d]});
      std::sort(cuts[d].begin(), cuts[d].end());
      cuts[d].erase(std::unique(cuts[d].begin(), cuts[d].end()), cuts[d].end());
      pieces *= cuts[d].size() - 1;
      if (pieces > 1'000'000) return true;
    }
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      std::vector<std::size_t> at(dimensions);
      for (std::size_t d = 0, rest = piece; d < dimensions; ++d) {
        at[d] = rest % (cuts[d].size() - 1);
        rest /= cuts[d].size() - 1;
      }
      std::vector<const Box*> by;
      for (const Box& box : boxes) {
        bool inside = true;
        for (std::size_t d = 0; d < dimensions; ++d)
          inside = inside && box.from[d] <= cuts[d][at[d]] && cuts[d][at[d] + 1] <= box.to[d];
        if (inside) by.push_back(&box);
      }
      if (by.size() == 1) continue;
      const std::string what = words(buffer, cuts, at);
      if (by.empty())
        say(hold.where, uncovered, fmt::format("{} of `{}`{}", what, buffer.name, at_place(rank)));
      else
        session_.diagnostics
            .error(by[1]->where, covered_twice, fmt::format("{} of `{}`{}", what, buffer.name, at_place(rank)),
                   loaders(*by[0], *by[1]))
            .note(by[0]->where, "the other");
      return false;
    }
    return true;
  }

  std::string words(const kernel::Buffer& buffer, const std::vector<std::vector<std::int64_t>>& cuts,
                    const std::vector<std::size_t>& at) const {
    std::string text;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const std::int64_t from = cuts[d][at[d]], to = cuts[d][at[d] + 1];
      if (from == 0 && to == buffer.shape[d]) continue;
      const std::string name =
          at.size() == 2 ? (d == 0 ? "rows" : "columns") : fmt::format("elements of coordinate {},", d);
      text += fmt::format("{}{} {} .. {}", text.empty() ? "" : ", ", name, from, to);
    }
    return text.empty() ? "all elements" : text;
  }

  std::string loaders(const Box& a, const Box& b) const {
    if (a.rank == b.rank) return "two loads";
    const std::string first = at_place(a.rank), second = at_place(b.rank);
    return fmt::format("the CTAs{} and{}", first, second);
  }

  std::string at_place(int rank) const {
    std::string text;
    const std::vector<std::int64_t> place = kernel::place(kernel_, rank);
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      if (kernel_.axes[axis].extent > 1)
        text += fmt::format("{}{} = {}", text.empty() ? " at " : ", ", kernel_.axes[axis].name, place[axis]);
    }
    return text;
  }

  template <typename... Args>
  void say(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    session_.diagnostics.error(where, message, args...);
  }
  Session& session_;
  const kernel::Kernel& kernel_;
  std::vector<const kernel::On*> on_;  // around the block at hand
};

}  // namespace

void check_coverage(Session& session) {
  Coverage(session).run();
}

}  // namespace warpcc::sema
