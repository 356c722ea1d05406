// A kernel's header and declarations.
#include <algorithm>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string> no_target{"no-target", "`{}` is no target: there are `sm_100a` and `sm_90a`"};
constexpr Message<> grid_rank{"grid", "a grid has one, two or three dimensions"};
constexpr Message<std::int64_t> grid_extent{"grid", "a grid's dimension is at least 1; this is {}"};
constexpr Message<std::int64_t> grid_large{
    "grid", "a grid's dimension is at most 2147483647, the second and third at most 65535; this is {}"};
constexpr Message<std::int64_t, int> grid_cluster{
    "grid", "a grid's first dimension is a whole number of clusters: {} CTAs, {} a cluster"};
constexpr Message<std::int64_t> axis_extent{"cluster", "an axis of a cluster is at least 1; this is {}"};
constexpr Message<std::int64_t> cluster_large{"cluster", "a cluster has at most 16 CTAs; this has {}"};
constexpr Message<> axis_count{"cluster", "a cluster has at most 5 axes"};
constexpr Message<std::string> declared_already{"declared-twice", "`{}` is declared already"};
constexpr Message<std::int64_t> bad_extent{"bad-extent", "an extent is at least 0 and at most 2^31; this is {}"};
constexpr Message<> too_large{"bad-extent", "this buffer has more than 2^47 elements"};
constexpr Message<std::int64_t> bad_copies{"bad-extent",
                                           "a number of copies is at least 0 and at most 65536; this is {}"};
constexpr Message<> rings_of_rings{"ring-of-rings", "a buffer is one ring at most"};
constexpr Message<> shape_missing{"bad-extent", "a buffer has a shape: `f16[128, 64]`"};
constexpr Message<> rank_high{"bad-extent", "a buffer has at most 5 dimensions"};
constexpr Message<> tensor_layout{"tensor-layout",
                                  "tensor memory is addressed by lane and column: give the layout (`umma.pair_d(…)`)"};
constexpr Message<std::string> not_constant{"not-constant", "a `const` is known at compile time; {}"};
constexpr Message<> barrier_copies{"barrier-copies", "a named barrier is one, or one a warpgroup: `warpgroups(n) of`"};
constexpr Message<std::int64_t> barrier_count{"barrier-copies", "a CTA has 15 named barriers; this is {}"};
constexpr Message<std::int64_t> barrier_warps{"barrier-warps", "1 to 32 warps meet at a named barrier; this has {}"};
constexpr Message<std::string> no_arm{"no-arm", "no arm of this `match` has the form {}"};
constexpr Message<> two_starts{"two-starts", "a kernel has one `start`"};
constexpr Message<> two_finishes{"two-starts", "a kernel has one `finish`"};
constexpr Message<> no_start{"no-start", "a kernel has a `start`: it initialises barriers, and the warps meet there"};
constexpr Message<> no_roles{"no-roles", "a kernel has at least one role"};
constexpr Message<std::int64_t> many_registers{"registers", "`registers` is 24 to 255; this is {}"};

constexpr std::int64_t kMostElements = std::int64_t{1} << 47;

}  // namespace

void Builder::bind(const tree::Name& name, Value value, Scope& scope) {
  if (const Scope::Binding* before = scope.find_here(name.text)) {
    session_.error(name.where, declared_already, name.text).note(before->where, "here");
    return;
  }
  session_.means(name.where, value);
  scope.bind(name.text, std::move(value), name.where);
}

void Builder::splice(const Scope& arm, Scope& into) {
  for (const Scope::Binding& binding : arm.bindings()) {
    if (const Scope::Binding* before = into.find_here(binding.name)) {
      session_.error(binding.where, declared_already, std::string(binding.name)).note(before->where, "here");
    } else {
      into.bind(binding.name, binding.value, binding.where);
    }
  }
}

void Builder::build(const tree::Kernel& kernel) {
  Scope scope(modules_.main()->scope);
  header(kernel, scope);
  if (session_.diagnostics.failed()) return;
  members(kernel.members, scope, "");
  if (session_.diagnostics.failed()) return;

  kernel::Kernel& made = session_.kernel;
  int warps = 0;
  for (const Deferred& role : roles_) role_head(*role.role, role.where, *role.scope, role.name);
  for (const kernel::Role& role : made.roles) warps = std::max(warps, role.end_warp);
  made.threads = warps * 32;
  roles_disjoint();
  registers_fit();
  if (roles_.empty()) session_.error(kernel.name.where, no_roles);
  if (!start_) session_.error(kernel.name.where, no_start);
  if (session_.diagnostics.failed()) return;

  code(*start_, {Place::Kind::start, "start", 0, warps, {}}, made.start);
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    kernel::Role& role = made.roles[i];
    code(roles_[i], {Place::Kind::role, role.name, role.first_warp, role.end_warp - role.first_warp, role.at},
         role.body);
  }
  if (finish_) code(*finish_, {Place::Kind::finish, "finish", 0, warps, {}}, made.finish);
}

void Builder::code(const Deferred& deferred, Place place, kernel::Block& into) {
  session_.place = std::move(place);
  out_ = &into;
  block(*deferred.block, *deferred.scope);
  out_ = nullptr;
  session_.place = {};
}

void Builder::header(const tree::Kernel& kernel, Scope& scope) {
  kernel::Kernel& made = session_.kernel;
  made.name = kernel.name.text;
  if (std::optional<isa::Target> target = isa::target_named(kernel.target.text)) {
    made.target = *target;
  } else {
    session_.error(kernel.target.where, no_target, kernel.target.text);
  }
  if (kernel.cluster.size() > 5) session_.error(kernel.cluster[5].name.where, axis_count);
  std::int64_t ctas = 1;
  for (const tree::ClusterAxis& axis : kernel.cluster) {
    const std::optional<std::int64_t> extent = evaluator_.integer(*axis.extent, scope, "an axis of a cluster");
    if (!extent) continue;
    if (*extent < 1) session_.error(axis.extent->where, axis_extent, *extent);
    ctas = *extent > 16 ? 17 : ctas * std::max<std::int64_t>(*extent, 1);
    if (ctas > 16) {
      session_.error(axis.extent->where, cluster_large, std::max(ctas, *extent));
      return;
    }
    made.axes.push_back({axis.name.text, static_cast<int>(*extent)});
    bind(axis.name, AxisRef{static_cast<int>(made.axes.size()) - 1}, scope);
  }
  if (kernel.grid.empty() || kernel.grid.size() > 3) session_.error(kernel.name.where, grid_rank);
  for (std::size_t i = 0; i < kernel.grid.size() && i < 3; ++i) {
    const std::optional<std::int64_t> extent = evaluator_.integer(*kernel.grid[i], scope, "a grid's dimension");
    if (!extent) continue;
    if (*extent < 1)
      session_.error(kernel.grid[i]->where, grid_extent, *extent);
    else if (*extent > (i == 0 ? 2147483647 : 65535))
      session_.error(kernel.grid[i]->where, grid_large, *extent);
    else if (i == 0 && *extent % ctas != 0)
      session_.error(kernel.grid[i]->where, grid_cluster, *extent, static_cast<int>(ctas));
    else
      made.grid[i] = *extent;
  }
  if (kernel.registers) {
    const std::optional<std::int64_t> count = evaluator_.integer(*kernel.registers, scope, "`registers`");
    if (count && *count != 0 && (*count < 24 || *count > 255))
      session_.error(kernel.registers->where, many_registers, *count);
    else if (count)
      made.registers = static_cast<int>(*count);
  }
  for (const tree::GlobalParameter& parameter : kernel.parameters) global(parameter, scope);
}

bool Builder::tile(const tree::Tile& tile, Scope& scope, layout::Element& element, std::vector<std::int64_t>& shape) {
  const std::optional<layout::Element> of = evaluator_.element(tile.element, scope);
  if (!of) return false;
  element = *of;
  if (!tile.has_shape || tile.shape.empty()) {
    session_.error(tile.where, shape_missing);
    return false;
  }
  if (tile.shape.size() > 5) {
    session_.error(tile.where, rank_high);
    return false;
  }
  std::int64_t elements = 1;
  for (const tree::ExprPtr& each : tile.shape) {
    const std::optional<std::int64_t> extent = evaluator_.integer(*each, scope, "an extent");
    if (!extent) return false;
    if (*extent < 0 || *extent > (std::int64_t{1} << 31)) {
      session_.error(each->where, bad_extent, *extent);
      return false;
    }
    if (*extent > 0 && elements > kMostElements / *extent) {
      session_.error(tile.where, too_large);
      return false;
    }
    elements *= *extent;
    shape.push_back(*extent);
  }
  return true;
}

bool Builder::copies(const std::vector<tree::Copies>& copies, Scope& scope, std::vector<kernel::Copies>& into) {
  for (const tree::Copies& each : copies) {
    const std::optional<std::int64_t> count = evaluator_.integer(*each.count, scope, "a number of copies");
    if (!count) return false;
    if (*count < 0 || *count > 65536) {
      session_.error(each.count->where, bad_copies, *count);
      return false;
    }
    const auto kind = static_cast<kernel::Copies::Kind>(each.kind);
    const bool ring_before = std::any_of(into.begin(), into.end(),
                                         [](const kernel::Copies& c) { return c.kind == kernel::Copies::Kind::ring; });
    if (kind == kernel::Copies::Kind::ring && ring_before) {
      session_.error(each.where, rings_of_rings);
      return false;
    }
    into.push_back({kind, *count});
  }
  return true;
}

void Builder::place_elements(kernel::Buffer& buffer, const tree::ExprPtr& layout, Scope& scope) {
  const Value value = layout ? evaluator_.eval(*layout, scope) : Value(Builtin::row_major);
  if (value.bad() || buffer.empty()) return;
  const SourceRange where = layout ? layout->where : buffer.declared;
  if (std::optional<layout::Physical> physical = evaluator_.physical(value, buffer.shape, where))
    buffer.layout = std::move(*physical);
}

void Builder::bind_buffer(kernel::Buffer buffer, const tree::Name& name, Scope& scope) {
  std::vector<kernel::Buffer>& buffers = session_.kernel.buffers;
  buffers.push_back(std::move(buffer));
  bind(name, BufferRef{static_cast<kernel::BufferId>(buffers.size() - 1)}, scope);
}

void Builder::global(const tree::GlobalParameter& parameter, Scope& scope) {
  kernel::Buffer buffer;
  buffer.name = parameter.name.text;
  buffer.declared = parameter.name.where;
  buffer.space = kernel::MemorySpace::global;
  constexpr kernel::Mode kModes[] = {kernel::Mode::in, kernel::Mode::in, kernel::Mode::out, kernel::Mode::inout,
                                     kernel::Mode::kept};
  buffer.mode = kModes[static_cast<int>(parameter.mode)];
  if (!tile(parameter.tile, scope, buffer.element, buffer.shape)) return;
  place_elements(buffer, parameter.layout, scope);
  if (!buffer.empty())
    session_.kernel.parameters.push_back(static_cast<kernel::BufferId>(session_.kernel.buffers.size()));
  bind_buffer(std::move(buffer), parameter.name, scope);
}

void Builder::buffer(const tree::Buffer& declared, Scope& scope) {
  kernel::Buffer buffer;
  buffer.name = declared.name.text;
  buffer.declared = declared.name.where;
  buffer.space = declared.tensor ? kernel::MemorySpace::tensor : kernel::MemorySpace::shared;
  if (!copies(declared.copies, scope, buffer.copies) || !tile(declared.tile, scope, buffer.element, buffer.shape)) {
    bind(declared.name, Bad{}, scope);
    return;
  }
  if (declared.tensor && !declared.layout) {
    session_.error(declared.tile.where, tensor_layout);
    bind(declared.name, Bad{}, scope);
    return;
  }
  place_elements(buffer, declared.layout, scope);
  bind_buffer(std::move(buffer), declared.name, scope);
}

void Builder::barrier(const tree::Barrier& declared, Scope& scope) {
  kernel::NamedBarrier barrier{.name = declared.name.text, .declared = declared.name.where};
  for (const tree::Copies& copies : declared.copies) {
    if (copies.kind == tree::Copies::Kind::warpgroups && declared.copies.size() == 1) continue;
    session_.error(copies.where, barrier_copies);
    return;
  }
  if (!declared.copies.empty()) {
    const std::optional<std::int64_t> count =
        evaluator_.integer(*declared.copies[0].count, scope, "a number of copies");
    if (!count) return;
    if (*count < 1 || *count > 15) {
      session_.error(declared.copies[0].count->where, barrier_count, *count);
      return;
    }
    barrier.copies = static_cast<int>(*count);
  }
  const std::optional<std::int64_t> warps = evaluator_.integer(*declared.warps, scope, "a number of warps");
  if (!warps) return;
  if (*warps < 1 || *warps > 32) {
    session_.error(declared.warps->where, barrier_warps, *warps);
    return;
  }
  barrier.warps = static_cast<int>(*warps);
  session_.kernel.named_barriers.push_back(std::move(barrier));
  bind(declared.name, NamedBarrierRef{static_cast<kernel::BarrierId>(session_.kernel.named_barriers.size() - 1)},
       scope);
}

void Builder::constant(const tree::Const& constant, Scope& scope) {
  Value value;
  if (constant.type) {
    const std::optional<Type> type = evaluator_.resolve(*constant.type, scope);
    if (!type) return;
    value = evaluator_.typed(*constant.value, scope, *type, "`" + constant.name.text + "`");
  } else {
    value = evaluator_.eval(*constant.value, scope);
  }
  if (!value.bad() && !is_constant(value)) {
    session_.error(
        constant.value->where, not_constant,
        fmt::format("`{}` is {}", session_.one_line(constant.value->where), describe(value, session_.kernel)));
    value = Bad{};
  }
  bind(constant.name, std::move(value), scope);
}

void Builder::members(const std::vector<tree::Member>& members, Scope& scope, const std::string& suffix) {
  for (const tree::Member& each : members) member(each, scope, suffix);
}

void Builder::member(const tree::Member& member, Scope& scope, const std::string& suffix) {
  if (auto* a_buffer = std::get_if<tree::Buffer>(&member.is))
    buffer(*a_buffer, scope);
  else if (auto* a_pipe = std::get_if<tree::Pipe>(&member.is))
    pipe(*a_pipe, member.where, scope);
  else if (auto* a_barrier = std::get_if<tree::Barrier>(&member.is))
    barrier(*a_barrier, scope);
  else if (auto* a_const = std::get_if<tree::Const>(&member.is))
    constant(*a_const, scope);
  else if (auto* require = std::get_if<tree::Require>(&member.is))
    modules_.require(*require, member.where, scope);
  else if (auto* role = std::get_if<tree::Role>(&member.is))
    roles_.push_back({role, &role->body, &scope, role->name.text + suffix, member.where});
  else if (auto* start = std::get_if<tree::Start>(&member.is)) {
    if (start_) session_.error(member.where, two_starts).note(start_->where, "here");
    start_ = {nullptr, &start->body, &scope, "start", member.where};
  } else if (auto* finish = std::get_if<tree::Finish>(&member.is)) {
    if (finish_) session_.error(member.where, two_finishes).note(finish_->where, "here");
    finish_ = {nullptr, &finish->body, &scope, "finish", member.where};
  } else if (auto* an_if = std::get_if<tree::StaticIf<tree::Member>>(&member.is)) {
    const std::optional<bool> is = evaluator_.boolean(*an_if->condition, scope, "the condition of an `if`");
    if (is) members(*is ? an_if->then : an_if->otherwise, scope, suffix);
  } else if (auto* a_for = std::get_if<tree::StaticFor<tree::Member>>(&member.is)) {
    const std::optional<std::int64_t> begin = evaluator_.integer(*a_for->range.begin, scope, "the bound of a `for`");
    const std::optional<std::int64_t> end = evaluator_.integer(*a_for->range.end, scope, "the bound of a `for`");
    const std::optional<std::int64_t> step =
        a_for->step ? evaluator_.integer(*a_for->step, scope, "the step of a `for`") : std::optional<std::int64_t>(1);
    if (!begin || !end || !step) return;
    constexpr Message<> rounds{"for-range",
                               "a `for` among a kernel's members has a step greater than 0 and at most 64 rounds"};
    if (*step < 1 || (*end > *begin && static_cast<std::uint64_t>(*end) - static_cast<std::uint64_t>(*begin) >
                                           64 * static_cast<std::uint64_t>(*step))) {
      session_.error(a_for->range.where, rounds);
      return;
    }
    for (std::int64_t i = *begin; i < *end; i += *step) {
      Scope& round = *scopes_.emplace_back(std::make_unique<Scope>(scope));
      round.bind(a_for->variable.text, i, a_for->variable.where);
      members(a_for->body, round, fmt::format("{}[{}]", suffix, i));
    }
  } else if (auto* a_match = std::get_if<tree::StaticMatch<tree::Member>>(&member.is)) {
    const Value value = evaluator_.eval(*a_match->value, scope);
    for (const auto& arm : a_match->arms) {
      if (value.bad()) return;
      Scope& binds = *scopes_.emplace_back(std::make_unique<Scope>(scope));
      const std::optional<bool> same = evaluator_.matches(*arm.pattern, value, binds);
      if (!same) return;
      if (!*same) continue;
      if (binds.bindings().empty()) {
        members(arm.body, scope, suffix);
      } else {
        Scope& inner = *scopes_.emplace_back(std::make_unique<Scope>(binds));
        members(arm.body, inner, suffix);
        splice(inner, scope);
      }
      return;
    }
    session_.error(a_match->value->where, no_arm, show(value));
  }
}

}  // namespace warpcc::sema
