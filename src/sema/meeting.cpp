// What `start` sets up, and who knows of it: docs/language.md, section 9. Walked for every warp of every CTA of a
// cluster whose facts say something of their own.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "sema/passes.h"
#include "sema/paths.h"
#include "sema/ranges.h"

namespace warpcc::sema {
namespace {

using isa::Does;
using Kind = kernel::BarrierOperand::Kind;

constexpr Message<std::string, std::string, std::string> init_by_nobody{"init-once",
                                                                        "`{}.{}` is initialised by nobody{}"};
constexpr Message<std::string, std::string, int, std::string> init_stage_by_nobody{
    "init-once", "`{}.{}` is initialised by nobody for stage {}{}"};
constexpr Message<std::string, std::string, int> init_twice{"init-once", "`{}.{}` is initialised twice for stage {}"};
constexpr Message<std::string, std::string, std::string> not_known{
    "not-known", "`{}` of `{}` is not known to `{}` here: it has not met the warp that initialises it"};
constexpr Message<std::string> tensor_not_known{
    "not-known", "tensor memory is not known to `{}` here: it has not met the warp that allocates it"};
constexpr Message<> reaches_others{"reaches-others",
                                   "this load reaches other CTAs, which may not have started: `cluster.wait` first"};
constexpr Message<std::string> other_not_started{
    "reaches-others", "`{}` reaches into another CTA, which may not have started: `cluster.wait` first"};
constexpr Message<> not_fenced{
    "fence-init", "this warp has initialised barriers: a `fence.init` comes before it arrives at the meeting"};
constexpr Message<> arrived_twice{
    "cluster-barrier", "this warp has arrived already: `cluster.wait` comes before the next `cluster.arrive`"};
constexpr Message<> wait_without{"cluster-barrier", "a `cluster.wait` without a `cluster.arrive` before it"};
constexpr Message<std::string> arrive_without{"cluster-barrier", "{} ends between `cluster.arrive` and `cluster.wait`"};
constexpr Message<std::string> second_sync{"sync-of-all",
                                           "this warp has come to the barrier of all warps at line {} and not waited "
                                           "there: a second `sync` of all warps before "
                                           "all have met would be the same barrier"};
constexpr Message<> sync_varies{
    "sync-of-all",
    "`sync` is the barrier of all warps, and how often this warp comes to it only run time tells; some warps meet at "
    "a barrier of their own: `barrier NAME: n warps;`"};
constexpr Message<std::string, int, std::string, int> sync_of_some{
    "sync-of-all",
    "`sync` is the barrier of all warps: {} comes to {} of them, {} to {}; some warps meet at a barrier of their own: "
    "`barrier NAME: n warps;`"};
constexpr Message<std::string> never_waits{
    "never-meets", "no `cluster.wait` follows this `cluster.arrive` in `{}`: its warps leave without meeting"};
constexpr Message<int, int, std::string> only_of_cta{
    "never-meets",
    "warps {} .. {} of `{}` leave without meeting: `sync` is of one CTA, and in a cluster all meet by "
    "`cluster.arrive; cluster.wait;`"};
constexpr Message<int, int, std::string> never_meets{"never-meets", "warps {} .. {} of `{}` leave without meeting"};
constexpr Message<int> idle_never_meets{"never-meets",
                                        "warp {} is of no role and never meets: the meeting of roles is of all warps"};
constexpr Message<std::string, std::string, std::string> no_grid_wait{
    "no-grid-wait", "`{}` reaches global memory on a path without `grid.wait`: from role `{}`, line {}"};
constexpr Message<> no_alloc{"tensor-memory", "a kernel with tensor memory has one `alloc` in `start`"};
constexpr Message<> no_free{"tensor-memory", "a kernel with tensor memory has one `free` in `finish`"};
constexpr Message<std::string, int> several_allocs{"tensor-memory",
                                                   "`{}` is executed {} times in a CTA: one warp does it once"};
constexpr Message<> alloc_after{"tensor-memory",
                                "no `alloc` follows a `relinquish`: this warp has given up its right to one"};
constexpr Message<> free_early{
    "tensor-memory",
    "`free` comes after a barrier that all users of tensor memory reach: `cluster.arrive; cluster.wait;`"};

struct Knows {
  bool met = false;               // what `start` set up is known
  bool used = false;              // something has been used before it was known
  bool left = false;              // has arrived at the meeting without waiting for it
  bool arrived = false;           // at a cluster barrier, and not waited
  bool fenced = true;             // the barriers that it has initialised are published
  bool grid = false;              // `grid.wait`
  bool gathered = false;          // has passed a barrier of all warps in this section
  int syncs = 0;                  // of all warps, `sync.arrive` too
  SourceRange arrival{};          // the first `cluster.arrive`
  SourceRange varies{};           // the construct behind which their number is no longer known
  SourceRange given{};            // the `sync.arrive` that this warp has not waited for
  std::set<kernel::PipeId> made;  // pipes whose barriers it has initialised
  friend bool operator==(const Knows&, const Knows&) = default;
};

class Meeting {
 public:
  using State = Knows;

  explicit Meeting(Session& session) : session_(session), kernel_(session.kernel) {}

  void run() {
    check_inits();
    count_memory();
    if (session_.diagnostics.failed()) return;
    const int warps = kernel_.threads / 32;
    std::map<std::string, Syncs> seen;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      axes_ = kernel::place(kernel_, rank);
      rank_ = rank;
      std::vector<const Syncs*> of_cta;
      for (int warp = 0; warp < warps; ++warp) {
        const kernel::Role* role = role_of(warp);
        auto [at, is_new] = seen.try_emplace(signature(warp, role));
        if (is_new) {
          syncs_ = {.role = role};
          walk(warp, role);
          at->second = syncs_;
        }
        of_cta.push_back(&at->second);
      }
      if (!session_.diagnostics.failed()) meet_alike(of_cta);
    }
  }

  void instruction(const kernel::Instruction& it, Knows& knows) {
    if (!holds_at(session_, it.guard.facts, fixed_)) return;
    const bool alone = kernel_.cluster_ctas() == 1;
    switch (it.op->does) {
      case Does::init:
        knows.made.insert(std::get<kernel::BarrierOperand>(it.operands[0]).pipe);
        knows.fenced = false;
        break;
      case Does::fence_init:
        knows.fenced = true;
        break;
      case Does::cluster_arrive:
      case Does::cluster_arrive_relaxed:
        if (!knows.fenced && !knows.met) say(it, it.opcode_where, not_fenced);
        if (knows.arrived) say(it, it.opcode_where, arrived_twice);
        knows.arrived = true;
        if (knows.arrival.end == 0) knows.arrival = it.opcode_where;
        break;
      case Does::cluster_wait:
        if (!knows.arrived) say(it, it.opcode_where, wait_without);
        knows.arrived = false;
        knows.met = knows.gathered = true;
        break;
      case Does::sync:
        if (!it.operands.empty()) break;
        all_warps(it, knows);
        if (alone && !knows.fenced && !knows.met) say(it, it.opcode_where, not_fenced);
        if (alone) knows.met = true;
        knows.gathered = true;
        break;
      case Does::sync_arrive:
        if (!it.operands.empty()) break;
        all_warps(it, knows);
        if (alone && !knows.fenced && !knows.met) say(it, it.opcode_where, not_fenced);
        if (alone) knows.left = true;
        knows.given = it.where;
        break;
      case Does::grid_wait:
        knows.grid = true;
        break;
      case Does::free_:
        if (!knows.gathered) say(it, it.opcode_where, free_early);
        break;
      case Does::load:
      case Does::store:
      case Does::store_add:
      case Does::global_access:
        if (!knows.grid) no_grid(it);
        knows.grid = true;
        break;
      default:
        break;
    }
    if (!knows.met && !knows.used && it.op->does != Does::init && !uses(it, knows)) knows.used = true;
  }

  void reads(const kernel::RegisterOperand&, SourceRange, const Knows&) {}
  void reads(const kernel::Index&, SourceRange, const Knows&) {}
  void open(const kernel::Hold&, const Knows&) {}
  void close(const kernel::Hold&, const Knows&) {}
  void join(Knows& into, const Knows& other, SourceRange construct) {
    into.met = into.met && other.met;
    into.used = into.used && other.used;
    into.left = into.left && other.left;
    into.arrived = into.arrived || other.arrived;
    into.fenced = into.fenced && other.fenced;
    into.grid = into.grid && other.grid;
    into.gathered = into.gathered && other.gathered;
    if (into.varies.end == 0) into.varies = into.syncs != other.syncs ? construct : other.varies;
    if (into.given.end == 0) into.given = other.given;
  }
  void join_on(Knows& without, const Knows& with, const kernel::On& on) { join(without, with, on.where); }
  std::optional<bool> decide(const kernel::On& on) const { return holds_at(session_, on.facts, fixed_); }

  bool quiet = false;

 private:
  // How often a warp comes to the barrier of all warps, and where.
  struct Syncs {
    const kernel::Role* role = nullptr;
    bool ends = false;  // otherwise nothing is known of them
    int count = 0;
    SourceRange varies{};
    std::vector<SourceRange> where{};  // the first of each number
  };

  void all_warps(const kernel::Instruction& it, Knows& knows) {
    if (knows.given.end != 0) say(it, it.opcode_where, second_sync, session_.line_of(knows.given));
    if (static_cast<std::size_t>(knows.syncs) == syncs_.where.size()) syncs_.where.push_back(it.opcode_where);
    ++knows.syncs;
  }

  // The barrier of all warps is one, and all come to it equally often.
  void meet_alike(const std::vector<const Syncs*>& warps) {
    const bool one_role =
        std::all_of(warps.begin(), warps.end(), [&](const Syncs* one) { return one->role == warps[0]->role; });
    const Syncs* fewest = nullptr;
    const Syncs* most = nullptr;
    for (const Syncs* one : warps) {
      if (!one->ends) return;
      if (one->varies.end != 0) {
        if (one_role) return;
        const SourceRange where = one->where.empty() ? one->varies : one->where.back();
        session_.diagnostics.error(where, sync_varies).note(one->varies, "here");
        return;
      }
      if (!fewest || one->count < fewest->count) fewest = one;
      if (!most || one->count > most->count) most = one;
    }
    if (!fewest || fewest->count == most->count) return;
    auto who = [](const Syncs* one) {
      return one->role ? "`" + one->role->name + "`" : std::string("a warp of no role");
    };
    session_.diagnostics.error(most->where[static_cast<std::size_t>(fewest->count)], sync_of_some, who(most),
                               most->count, who(fewest), fewest->count);
  }

  template <typename... Args>
  void say(const kernel::Instruction& it, SourceRange where, const Message<Args...>& message,
           const std::type_identity_t<Args>&... args) {
    if (!quiet) session_.with_calls(session_.diagnostics.error(where, message, args...), it.call);
  }

  // That something is used too early is said where the warp meets the others later: it is no news of one that never
  // does.
  template <typename... Args>
  void say_early(const kernel::Instruction& it, SourceRange where, const Message<Args...>& message,
                 const std::type_identity_t<Args>&... args) {
    if (quiet) return;
    early_.push_back([this, call = it.call, where, &message, args...] {
      session_.with_calls(session_.diagnostics.error(where, message, args...), call);
    });
  }

  void no_grid(const kernel::Instruction& it) {
    if (quiet) return;
    const kernel::Role* role = nullptr;
    for (const kernel::Role& each : kernel_.roles) {
      if (each.name == session_.place.role) role = &each;
    }
    Diagnostic& diagnostic =
        session_.diagnostics.error(it.opcode_where, no_grid_wait, std::string(it.op->word), session_.place.role,
                                   session_.line_of(role ? role->where : it.where));
    if (role) diagnostic.note(role->where, "a `grid.wait;` at the head of this role would do");
    session_.with_calls(diagnostic, it.call);
  }

  const kernel::Role* role_of(int warp) const {
    for (const kernel::Role& role : kernel_.roles) {
      const bool here = std::all_of(role.at.begin(), role.at.end(),
                                    [&](const kernel::Pin& pin) { return axes_[pin.axis] == pin.at; });
      if (here && warp >= role.first_warp && warp < role.end_warp) return &role;
    }
    return nullptr;
  }

  void enter(Place::Kind kind, const std::string& name, int first_warp, int warps, int warp) {
    session_.place = {kind, name, first_warp, warps, {}};
    fixed_ = {0, warp, &axes_};
  }

  void walk(int warp, const kernel::Role* role) {
    const int warps = kernel_.threads / 32;
    Paths<Meeting> paths(session_, *this);
    enter(Place::Kind::start, "start", 0, warps, warp);
    std::optional<Knows> knows = paths.walk(kernel_.start, Knows{});
    if (role) {
      enter(Place::Kind::role, role->name, role->first_warp, role->end_warp - role->first_warp,
            warp - role->first_warp);
      knows = paths.walk(role->body, std::move(knows));
    }
    std::vector<std::function<void()>> early = std::exchange(early_, {});
    if (knows && !knows->met && !knows->left) {
      say_leaving(*knows, warp, role);
      return;
    }
    for (const std::function<void()>& say : early) say();
    if (!knows) return;
    if (knows->arrived && role) session_.diagnostics.error(role->where, arrive_without, "`" + role->name + "`");
    knows->gathered = knows->arrived = false;
    enter(Place::Kind::finish, "finish", 0, warps, warp);
    knows = paths.walk(kernel_.finish, std::move(knows));
    if (knows) {
      syncs_.ends = true;
      syncs_.count = knows->syncs;
      syncs_.varies = knows->varies;
    }
    if (knows && knows->arrived && role) session_.diagnostics.error(role->where, arrive_without, "`finish`");
    session_.place = {};
  }

  // Once: where one role forgets the meeting, others often do for the same reason.
  void say_leaving(const Knows& knows, int warp, const kernel::Role* role) {
    if (std::exchange(said_leaving_, true)) return;
    if (!role)
      session_.diagnostics.error(kernel_.roles[0].where, idle_never_meets, warp);
    else if (knows.arrival.end != 0)
      session_.diagnostics.error(knows.arrival, never_waits, role->name);
    else if (kernel_.cluster_ctas() > 1 && knows.syncs > 0)
      session_.diagnostics.error(role->where, only_of_cta, role->first_warp, role->end_warp, role->name);
    else
      session_.diagnostics.error(role->where, never_meets, role->first_warp, role->end_warp, role->name);
  }

  // Warps that decide all facts alike walk alike.
  std::string signature(int warp, const kernel::Role* role) {
    std::string text = role ? role->name : "";
    const int warps = kernel_.threads / 32;
    enter(Place::Kind::start, "start", 0, warps, warp);
    sign(kernel_.start, text);
    sign(kernel_.finish, text);
    if (role) {
      enter(Place::Kind::role, role->name, role->first_warp, role->end_warp - role->first_warp,
            warp - role->first_warp);
      sign(role->body, text);
    }
    // What a load reaches differs between CTAs.
    for (const kernel::Pipe& pipe : kernel_.pipes)
      text += kernel::reached(kernel_, pipe, Kind::full, rank_) == 1u << rank_ ? 's' : 'o';
    return text;
  }

  void sign(const kernel::Block& block, std::string& text) {
    auto of = [&](const kernel::Facts& facts) {
      if (!facts.compares.empty()) text += holds_at(session_, facts, fixed_) ? '1' : '0';
    };
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is))
        of(it->guard.facts);
      else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        sign(loop->body, text);
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        sign(forever->body, text);
      else if (auto* hold = std::get_if<kernel::Hold>(&node.is))
        sign(hold->body, text);
      else if (auto* when = std::get_if<kernel::When>(&node.is))
        sign(when->then, text), sign(when->otherwise, text);
      else if (auto* on = std::get_if<kernel::On>(&node.is))
        of(on->facts), sign(on->body, text);
    }
  }

  // A barrier, a carried tile or tensor memory, named before the meeting.
  bool uses(const kernel::Instruction& it, const Knows& knows) {
    for (std::size_t i = 0; i < it.operands.size(); ++i) {
      if (auto* barrier = std::get_if<kernel::BarrierOperand>(&it.operands[i])) {
        if (barrier->is_named()) continue;
        if (knows.made.contains(barrier->pipe)) {
          if (it.op->does == Does::load &&
              (it.across || kernel::reached(kernel_, kernel_[barrier->pipe], Kind::full, rank_) != 1u << rank_)) {
            say_early(it, it.opcode_where, reaches_others);
            return false;
          }
          continue;
        }
        const std::string word = barrier->kind == Kind::full ? "full" : "empty";
        say_early(it, it.operands_where[i], not_known, word, kernel_[barrier->pipe].name, session_.place.role);
        return false;
      }
      auto* view = std::get_if<kernel::View>(&it.operands[i]);
      if (view && !view->at.empty()) {
        say_early(it, it.opcode_where, other_not_started, std::string(it.op->word));
        return false;
      }
      if (view && view->end != kernel::EndId::none && !knows.made.contains(kernel_[view->end].pipe)) {
        say_early(it, it.operands_where[i], not_known, kernel_[view->buffer].name,
                  kernel_[kernel_[view->end].pipe].name, session_.place.role);
        return false;
      }
      if (view && kernel_[view->buffer].space == kernel::MemorySpace::tensor) {
        say_early(it, it.operands_where[i], tensor_not_known, session_.place.role);
        return false;
      }
    }
    return true;
  }

  // ---- What start and finish execute, warp by warp
  // -------------------------------------------------------------------------------

  template <typename Visit>
  void straight(const kernel::Block& block, Visit&& visit) {
    for (const kernel::Node& node : block) {
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        if (holds_at(session_, it->guard.facts, fixed_)) visit(*it);
      } else if (auto* on = std::get_if<kernel::On>(&node.is)) {
        if (holds_at(session_, on->facts, fixed_)) straight(on->body, visit);
      }
    }
  }

  // Of each pipe's two barriers, by stage: where a CTA's is initialised.
  using Initialised = std::vector<std::vector<SourceRange>>;

  void check_inits() {
    std::vector<Initialised> by_rank;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) by_rank.push_back(initialised(rank));
    for (std::size_t i = 0; i < kernel_.pipes.size() * 2; ++i) say_missing(i, by_rank);
    session_.place = {};
  }

  Initialised initialised(int rank) {
    axes_ = kernel::place(kernel_, rank);
    Initialised made(kernel_.pipes.size() * 2);
    for (std::size_t i = 0; i < made.size(); ++i) made[i].resize(static_cast<std::size_t>(kernel_.pipes[i / 2].depth));
    const int warps = kernel_.threads / 32;
    for (int warp = 0; warp < warps; ++warp) {
      enter(Place::Kind::start, "start", 0, warps, warp);
      straight(kernel_.start, [&](const kernel::Instruction& it) {
        if (it.op->does != Does::init) return;
        const auto& barrier = std::get<kernel::BarrierOperand>(it.operands[0]);
        const bool full = barrier.kind == Kind::full;
        SourceRange& before =
            made[2 * static_cast<std::size_t>(barrier.pipe) + (full ? 0 : 1)][static_cast<std::size_t>(barrier.stage)];
        if (before.end != 0) {
          session_.with_calls(session_.diagnostics
                                  .error(it.operands_where[0], init_twice, kernel_[barrier.pipe].name,
                                         full ? "full" : "empty", static_cast<int>(barrier.stage))
                                  .note(before, "here"),
                              it.call);
        }
        before = it.where;
      });
    }
    return made;
  }

  // Once for a pipe's barrier: the first CTA that lacks it is named, where others have it.
  void say_missing(std::size_t barrier, const std::vector<Initialised>& by_rank) {
    const kernel::Pipe& pipe = kernel_.pipes[barrier / 2];
    const std::string word = barrier % 2 == 0 ? "full" : "empty";
    std::size_t ctas = 0;
    std::optional<std::size_t> first;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const bool lacks = stages_missing(by_rank[rank][barrier]) > 0;
      ctas += lacks ? 1 : 0;
      if (lacks && !first) first = rank;
    }
    if (!first) return;
    const std::vector<SourceRange>& stages = by_rank[*first][barrier];
    const std::string place = ctas == by_rank.size() ? "" : at_place(static_cast<int>(*first));
    if (stages_missing(stages) == stages.size()) {
      session_.diagnostics.error(pipe.declared, init_by_nobody, pipe.name, word, place);
    } else {
      const auto stage = std::find_if(stages.begin(), stages.end(), [](SourceRange where) { return where.end == 0; });
      session_.diagnostics.error(pipe.declared, init_stage_by_nobody, pipe.name, word,
                                 static_cast<int>(stage - stages.begin()), place);
    }
  }
  static std::size_t stages_missing(const std::vector<SourceRange>& stages) {
    return static_cast<std::size_t>(
        std::count_if(stages.begin(), stages.end(), [](SourceRange where) { return where.end == 0; }));
  }

  // " in the CTA at half = 1".
  std::string at_place(int rank) const {
    std::string text;
    const std::vector<std::int64_t> place = kernel::place(kernel_, rank);
    for (std::size_t axis = 0; axis < kernel_.axes.size(); ++axis) {
      if (kernel_.axes[axis].extent > 1)
        text += fmt::format("{}{} = {}", text.empty() ? " in the CTA at " : ", ", kernel_.axes[axis].name, place[axis]);
    }
    return text;
  }

  // The first buffer of tensor memory that the code uses.
  const kernel::Buffer* tensor_memory(const kernel::Block& block) const {
    for (const kernel::Node& node : block) {
      const kernel::Buffer* found = nullptr;
      if (auto* it = std::get_if<kernel::Instruction>(&node.is)) {
        for (const kernel::Operand& operand : it->operands) {
          auto* view = std::get_if<kernel::View>(&operand);
          if (view && kernel_[view->buffer].space == kernel::MemorySpace::tensor) return &kernel_[view->buffer];
        }
      } else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
        found = tensor_memory(loop->body);
      else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
        found = tensor_memory(forever->body);
      else if (auto* hold = std::get_if<kernel::Hold>(&node.is))
        found = tensor_memory(hold->body);
      else if (auto* on = std::get_if<kernel::On>(&node.is))
        found = tensor_memory(on->body);
      else if (auto* when = std::get_if<kernel::When>(&node.is)) {
        found = tensor_memory(when->then);
        if (!found) found = tensor_memory(when->otherwise);
      }
      if (found) return found;
    }
    return nullptr;
  }

  void count_memory() {
    const kernel::Buffer* tensor = nullptr;
    for (const kernel::Role& role : kernel_.roles) {
      if (!tensor) tensor = tensor_memory(role.body);
    }
    if (!tensor) return;
    const int warps = kernel_.threads / 32;
    for (int rank = 0; rank < kernel_.cluster_ctas(); ++rank) {
      axes_ = kernel::place(kernel_, rank);
      int allocs = 0, frees = 0;
      SourceRange alloc, free;
      for (int warp = 0; warp < warps; ++warp) {
        enter(Place::Kind::start, "start", 0, warps, warp);
        bool relinquished = false;
        straight(kernel_.start, [&](const kernel::Instruction& it) {
          if (it.op->does == Does::alloc) ++allocs, alloc = it.where;
          relinquished = relinquished || it.op->does == Does::relinquish;
          if (it.op->does == Does::alloc && relinquished) session_.diagnostics.error(it.opcode_where, alloc_after);
        });
        straight(kernel_.finish, [&](const kernel::Instruction& it) {
          if (it.op->does == Does::free_) ++frees, free = it.where;
        });
      }
      if (allocs == 0) session_.diagnostics.error(tensor->declared, no_alloc);
      if (allocs > 1) session_.diagnostics.error(alloc, several_allocs, "alloc", allocs);
      if (frees == 0) session_.diagnostics.error(tensor->declared, no_free);
      if (frees > 1) session_.diagnostics.error(free, several_allocs, "free", frees);
    }
    session_.place = {};
  }

  Session& session_;
  const kernel::Kernel& kernel_;
  std::vector<std::int64_t> axes_;
  int rank_ = 0;
  bool said_leaving_ = false;
  std::vector<std::function<void()>> early_;
  Syncs syncs_;  // of the warp that walks
  Fixed fixed_;
};

}  // namespace

void check_meeting(Session& session) {
  Meeting(session).run();
}

}  // namespace warpcc::sema
