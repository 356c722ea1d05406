// Pipes, roles, and which role holds which end.
#include <algorithm>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::int64_t> bad_depth{"bad-depth", "a ring has at least 0 and at most 1024 stages; this has {}"};
constexpr Message<std::string> no_buffer{"no-buffer",
                                         "a pipe carries buffers of shared or tensor memory; `{}` is none"};
constexpr Message<std::string, std::string> carried_twice{"carried-twice", "`{}` is carried by `{}` already"};
constexpr Message<std::string> no_ring{"ring-depth",
                                       "`{}` is carried, so it is a ring of the pipe's depth: `ring(n) of …`"};
constexpr Message<std::string, std::int64_t, std::int64_t> other_ring{"ring-depth",
                                                                      "`{}` is a ring of {}; the pipe has {} stages"};
constexpr Message<std::int64_t> stage_bytes{"stage-bytes", "a stage of {} bytes: a barrier counts 1048575 at most"};
constexpr Message<std::string> across_pinned{"across", "the pipe's ends are pinned along `{}`: nothing goes across it"};
constexpr Message<std::string> no_pipe{"no-pipe", "`{}` is no pipe"};
constexpr Message<std::string, std::string, std::string, std::string> held_already{
    "held-already", "the {} end of `{}` is held by `{}` (line {}) already"};
constexpr Message<std::string, std::string, std::string, std::string> held_already_consumer{
    "held-already", "the {} end of `{}` is held by `{}` (line {}) already; a pipe that several read is `broadcast`"};
constexpr Message<std::string, std::string> held_twice{
    "held-already", "the {} end of `{}` is held by this role twice: one name serves all its blocks"};
constexpr Message<std::string, std::string, std::string, std::string> pinned_end{
    "end-elsewhere", "the {} end of `{}` exists at {} only: say `at {}`"};
constexpr Message<std::string, std::string, std::string> role_pinned{
    "end-elsewhere", "the {} end of `{}` exists in every CTA along `{}`, and the role runs in one of them only"};
constexpr Message<std::int64_t> bad_teams{"turn-teams", "an end is held in turn by 1 to 8 teams; this has {}"};
constexpr Message<int, std::string, std::string> odd_teams{
    "turn-teams", "{} teams share the role's warpgroups out evenly: `{}` has {}"};
constexpr Message<std::string> producer_turns{
    "turn-end", "a consumer's end is held in turn; the producer's end of `{}` is held by all warps of its role"};
constexpr Message<std::string> broadcast_turns{
    "turn-end", "`{}` is `broadcast`: each of its consumers takes every stage, so that its end is not held in turn"};
constexpr Message<std::int64_t, std::int64_t> warp_range{"warps", "warps {} .. {}: a CTA has warps 0 .. 32"};
constexpr Message<int, std::string> two_roles{"two-roles", "two roles on warp {}: `{}` has it already"};
constexpr Message<std::int64_t> register_count{"role-registers",
                                               "`registers` of a role is a multiple of 8 from 24 to 256; this is {}"};
constexpr Message<std::string> register_groups{
    "role-registers", "registers are handed over by whole warpgroups: `{}` begins or ends within one"};
constexpr Message<std::string> register_kernel{
    "role-registers", "what `{}` asks for comes out of the kernel's: say `registers n` on the kernel too"};
constexpr Message<std::string, int, std::string, int, int> register_sum{
    "role-registers", "role `{}` asks for {} registers: {} exceed {} × {}, which the CTA begins with"};
constexpr Message<int, int> kernel_sum{"role-registers",
                                       "{} threads of {} registers each exceed 65,536: what a CTA has"};

constexpr std::int64_t kMostBytes = 1'048'575;  // a barrier's transaction count (PTX ISA, mbarrier)

const char* word(bool producer) {
  return producer ? "producer" : "consumer";
}

}  // namespace

void Builder::pipe(const tree::Pipe& declared, SourceRange where, Scope& scope) {
  kernel::Kernel& kernel = session_.kernel;
  const auto id = static_cast<kernel::PipeId>(kernel.pipes.size());
  kernel::Pipe pipe;
  pipe.name = declared.name.text;
  pipe.declared = declared.name.where;
  pipe.broadcast = declared.broadcast;
  const std::optional<std::int64_t> depth = evaluator_.integer(*declared.depth, scope, "the depth of a ring");
  if (!depth) return;
  if (*depth < 0 || *depth > 1024) {
    session_.error(declared.depth->where, bad_depth, *depth);
    return;
  }
  pipe.depth = static_cast<int>(*depth);
  if (!evaluator_.pins(declared.from, scope, pipe.from) || !evaluator_.pins(declared.to, scope, pipe.to)) return;
  if (declared.across) {
    pipe.across = evaluator_.axis_named(*declared.across);
    if (!pipe.across) return;
    for (const std::vector<kernel::Pin>* side : {&pipe.from, &pipe.to}) {
      if (std::any_of(side->begin(), side->end(), [&](const kernel::Pin& p) { return p.axis == *pipe.across; })) {
        session_.error(declared.across->where, across_pinned, declared.across->text);
        return;
      }
    }
  }
  std::int64_t bytes = 0;
  for (const tree::Name& name : declared.carries) {
    const Scope::Binding* binding = scope.find(name.text);
    auto* ref = binding ? binding->value.get<BufferRef>() : nullptr;
    if (binding && binding->value.bad()) return;  // said where it is declared
    if (!ref || kernel[ref->id].space == kernel::MemorySpace::global) {
      session_.error(name.where, no_buffer, name.text);
      return;
    }
    const kernel::Buffer& buffer = kernel[ref->id];
    const bool here = std::find(pipe.carries.begin(), pipe.carries.end(), ref->id) != pipe.carries.end();
    if (here || buffer.carried_by != kernel::PipeId::none) {
      session_.error(name.where, carried_twice, name.text, here ? pipe.name : kernel[buffer.carried_by].name);
      return;
    }
    const auto ring = std::find_if(buffer.copies.begin(), buffer.copies.end(), [](const kernel::Copies& copies) {
      return copies.kind == kernel::Copies::Kind::ring;
    });
    if (ring == buffer.copies.end()) {
      session_.error(name.where, no_ring, name.text).note(buffer.declared, "declared here");
      return;
    }
    if (ring->count != *depth) {
      session_.error(name.where, other_ring, name.text, ring->count, *depth).note(buffer.declared, "declared here");
      return;
    }
    pipe.carries.push_back(ref->id);
    std::int64_t elements = buffer.empty() ? 0 : 1;
    for (const std::int64_t extent : buffer.shape) elements *= extent;
    if (buffer.space == kernel::MemorySpace::shared) bytes += elements * layout::bits(buffer.element) / 8;
  }
  if (bytes > kMostBytes) {
    session_.error(declared.name.where, stage_bytes, bytes);
    return;
  }
  for (const kernel::BufferId carried : pipe.carries) kernel.buffers[static_cast<std::size_t>(carried)].carried_by = id;
  kernel.pipes.push_back(std::move(pipe));
  bind(declared.name, PipeRef{id}, scope);
}

void Builder::role_head(const tree::Role& role, SourceRange where, Scope& scope, const std::string& name) {
  kernel::Role made;
  made.name = name;
  made.where = role.name.where;
  const std::optional<std::int64_t> first = evaluator_.integer(*role.warps.first, scope, "a warp");
  const std::optional<std::int64_t> end = !first           ? std::nullopt
                                          : role.warps.end ? evaluator_.integer(*role.warps.end, scope, "a warp")
                                                           : std::optional<std::int64_t>(*first + 1);
  if (!end || !evaluator_.pins(role.at, scope, made.at)) return;
  const std::int64_t each = role.warps.groups ? 4 : 1;
  if (*first < 0 || *end <= *first || *end > 32 / each) {
    session_.error(role.warps.where, warp_range, *first, *end);
    return;
  }
  made.first_warp = static_cast<int>(*first * each);
  made.end_warp = static_cast<int>(*end * each);
  if (role.registers) role_registers(role, made, scope);
  Scope& names = *scopes_.emplace_back(std::make_unique<Scope>(scope));
  for (const tree::End& held : role.ends) this->end(held, made, names, role.warps.where.end);
  for (Deferred& deferred : roles_) {
    if (deferred.role == &role && deferred.name == name) deferred.scope = &names;
  }
  session_.kernel.roles.push_back(std::move(made));
}

void Builder::role_registers(const tree::Role& role, kernel::Role& made, Scope& scope) {
  const std::optional<std::int64_t> count = evaluator_.integer(*role.registers, scope, "`registers`");
  if (!count || *count == 0) return;
  const SourceRange where = role.registers->where;
  if (*count < 24 || *count > 256 || *count % 8 != 0) {
    session_.error(where, register_count, *count);
    return;
  }
  if (made.first_warp % 4 != 0 || made.end_warp % 4 != 0) {
    session_.error(where, register_groups, made.name);
    return;
  }
  if (session_.kernel.registers == 0) {
    session_.error(where, register_kernel, made.name);
    return;
  }
  made.registers = static_cast<int>(*count);
}

// A CTA's registers are handed out at its launch; what one role takes another has given.
void Builder::registers_fit() {
  const kernel::Kernel& kernel = session_.kernel;
  if (kernel.registers == 0) return;
  const int each = isa::registers_allocated(kernel.registers), all = kernel.threads * each;
  if (all > isa::kRegistersOfSm) {
    session_.error(kernel.roles[0].where, kernel_sum, kernel.threads, each);
    return;
  }
  int left = kernel.threads;
  int sum = 0;
  const kernel::Role* greatest = nullptr;
  std::string text;
  for (const kernel::Role& role : kernel.roles) {
    if (role.registers == 0) continue;
    const int warps = role.end_warp - role.first_warp;
    left -= warps * 32;
    sum += warps * 32 * role.registers;
    if (!greatest || role.registers > greatest->registers) greatest = &role;
    text += fmt::format("{}{} × {} × 128", text.empty() ? "" : " + ", warps / 4, role.registers);
  }
  sum += left * each;
  if (left > 0) text += fmt::format(" + {} × {}", left, each);
  if (greatest && sum > all)
    session_.error(greatest->where, register_sum, greatest->name, greatest->registers, text, kernel.threads, each);
}

// The teams of an end held in turn, and the named barriers by which they hand the turn on.
bool Builder::teams(const tree::End& end, const kernel::Pipe& pipe, const kernel::Role& role, Scope& scope,
                    kernel::End& made) {
  const std::optional<std::int64_t> teams = evaluator_.integer(*end.turn, scope, "the number of teams");
  if (!teams) return false;
  made.in_turn = true;
  if (*teams < 1 || *teams > 8) {
    session_.error(end.turn->where, bad_teams, *teams);
    return false;
  }
  if (*teams == 1) return true;
  const int warps = role.end_warp - role.first_warp;
  if (end.producer) {
    session_.error(end.turn->where, producer_turns, pipe.name);
    return false;
  }
  if (pipe.broadcast) {
    session_.error(end.turn->where, broadcast_turns, pipe.name).note(pipe.declared, "declared here");
    return false;
  }
  if (role.first_warp % 4 != 0 || warps % 4 != 0 || warps / 4 % *teams != 0) {
    const std::string has =
        role.first_warp % 4 != 0 || warps % 4 != 0
            ? fmt::format("{} {}, which begin or end within a warpgroup", warps, warps == 1 ? "warp" : "warps")
            : fmt::format("{} {}", warps / 4, warps == 4 ? "warpgroup" : "warpgroups");
    session_.error(end.turn->where, odd_teams, static_cast<int>(*teams), role.name, has);
    return false;
  }
  made.teams = static_cast<int>(*teams);
  if (pipe.depth == 0) return true;
  kernel::Kernel& kernel = session_.kernel;
  made.turns = static_cast<kernel::BarrierId>(kernel.named_barriers.size());
  kernel.named_barriers.push_back(
      {.name = pipe.name + "_turn", .copies = made.teams, .warps = 2 * warps / made.teams, .declared = end.name.where});
  return true;
}

void Builder::end(const tree::End& end, kernel::Role& role, Scope& scope, std::uint32_t head_end) {
  kernel::Kernel& kernel = session_.kernel;
  const Scope::Binding* binding = scope.find(end.pipe.text);
  auto* ref = binding ? binding->value.get<PipeRef>() : nullptr;
  if (!ref) {
    session_.error(end.pipe.where, no_pipe, end.pipe.text);
    return;
  }
  const kernel::Pipe& pipe = kernel[ref->id];
  const kernel::Side side = end.producer ? kernel::Side::producer : kernel::Side::consumer;
  for (const kernel::Role& other : kernel.roles) {
    for (const kernel::EndId held : other.ends) {
      const kernel::End& of = kernel[held];
      if (of.pipe != ref->id || of.side != side || (pipe.broadcast && !end.producer)) continue;
      const auto& message = end.producer ? held_already : held_already_consumer;
      // Of a pipe that several read it is said once.
      if (!several_hold_.insert({ref->id, side}).second) return;
      session_.error(end.pipe.where, message, word(end.producer), pipe.name, other.name, session_.line_of(other.where))
          .note(other.where, "held here");
      return;
    }
  }
  for (const kernel::EndId held : role.ends) {
    if (kernel[held].pipe != ref->id || kernel[held].side != side) continue;
    session_.error(end.pipe.where, held_twice, word(end.producer), pipe.name).note(kernel[held].declared, "held here");
    return;
  }
  const std::vector<kernel::Pin>& pinned = end.producer ? pipe.from : pipe.to;
  std::string at;
  bool missing = false;
  for (const kernel::Pin& pin : pinned) {
    at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", kernel.axes[pin.axis].name, pin.at);
    const bool has = kernel.axes[pin.axis].extent == 1 ||
                     std::any_of(role.at.begin(), role.at.end(),
                                 [&](const kernel::Pin& p) { return p.axis == pin.axis && p.at == pin.at; });
    missing = missing || !has;
  }
  if (missing) {
    std::vector<Edit> mend;
    if (role.at.empty() && head_end) mend.push_back({{end.name.where.file, head_end, head_end}, " at " + at});
    session_.error(end.name.where, pinned_end, word(end.producer), pipe.name, at, at)
        .note(pipe.declared, "pinned here")
        .edits = std::move(mend);
    return;
  }
  // The consumer's end of a `broadcast` pipe is held by several roles: each CTA's stages are freed by those that run
  // there.
  const bool shared = pipe.broadcast && side == kernel::Side::consumer;
  for (const kernel::Pin& pin : role.at) {
    const bool has =
        shared || pipe.depth == 0 || kernel.axes[pin.axis].extent == 1 ||
        std::any_of(pinned.begin(), pinned.end(), [&](const kernel::Pin& p) { return p.axis == pin.axis; });
    if (has) continue;
    session_.error(end.name.where, role_pinned, word(end.producer), pipe.name, kernel.axes[pin.axis].name)
        .note(pipe.declared, "the pipe");
    return;
  }
  const auto id = static_cast<kernel::EndId>(kernel.ends.size());
  kernel::End made;
  made.name = end.name.text;
  made.declared = end.name.where;
  made.pipe = ref->id;
  made.side = side;
  if (end.turn && !teams(end, pipe, role, scope, made)) return;
  kernel.ends.push_back(std::move(made));
  role.ends.push_back(id);
  bind(end.name, EndRef{id}, scope);
}

void Builder::roles_disjoint() {
  const std::vector<kernel::Role>& roles = session_.kernel.roles;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int first = std::max(roles[i].first_warp, roles[j].first_warp);
      if (first >= std::min(roles[i].end_warp, roles[j].end_warp)) continue;
      session_.error(roles[i].where, two_roles, first, roles[j].name).note(roles[j].where, "here");
    }
  }
}

}  // namespace warpcc::sema
