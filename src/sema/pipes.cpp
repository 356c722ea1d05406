// Pipes, roles, and which role holds which end.
#include <algorithm>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string> no_axis{"no-axis", "`{}` is no axis: {}"};
constexpr Message<std::int64_t, std::string, int> pin_range{"out-of-range", "{} along `{}`, which has {}"};
constexpr Message<std::string> pinned_twice{"pinned-twice", "`{}` is pinned already"};
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
constexpr Message<std::string, std::string, std::string, std::string> pinned_end{
    "end-elsewhere", "the {} end of `{}` exists at {} only: say `at {}`"};
constexpr Message<std::string, std::string, std::string> role_pinned{
    "end-elsewhere", "the {} end of `{}` exists in every CTA along `{}`, and the role runs in one of them only"};
constexpr Message<> turns{"not-supported", "ends in turn are not supported yet"};
constexpr Message<std::int64_t, std::int64_t> warp_range{"warps", "warps {} .. {}: a CTA has warps 0 .. 32"};
constexpr Message<int, std::string> two_roles{"two-roles", "two roles on warp {}: `{}` has it already"};
constexpr Message<> role_registers{"not-supported", "`registers` of a role is not supported yet"};

constexpr std::int64_t kMostBytes = 1'048'575;  // a barrier's transaction count (PTX ISA, mbarrier)

const char* word(bool producer) {
  return producer ? "producer" : "consumer";
}

}  // namespace

std::optional<int> Builder::axis(const tree::Name& name) {
  const std::vector<kernel::Axis>& axes = session_.kernel.axes;
  std::string all;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == name.text) return static_cast<int>(i);
    all += (all.empty() ? "`" : ", `") + axes[i].name + "`";
  }
  session_.error(name.where, no_axis, name.text,
                 axes.empty() ? "the kernel has no cluster"
                              : "the cluster has the " + std::string(axes.size() == 1 ? "axis " : "axes ") + all);
  return std::nullopt;
}

bool Builder::pins(const std::vector<tree::Pin>& pins, Scope& scope, std::vector<kernel::Pin>& into) {
  for (const tree::Pin& pin : pins) {
    const std::optional<int> axis = this->axis(pin.axis);
    const std::optional<std::int64_t> at =
        axis ? evaluator_.integer(*pin.at, scope, "a place along an axis") : std::nullopt;
    if (!at) return false;
    const kernel::Axis& along = session_.kernel.axes[*axis];
    if (*at < 0 || *at >= along.extent) {
      session_.error(pin.at->where, pin_range, *at, along.name, along.extent);
      return false;
    }
    if (std::any_of(into.begin(), into.end(), [&](const kernel::Pin& p) { return p.axis == *axis; })) {
      session_.error(pin.axis.where, pinned_twice, pin.axis.text);
      return false;
    }
    into.push_back({*axis, *at});
  }
  return true;
}

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
  if (!pins(declared.from, scope, pipe.from) || !pins(declared.to, scope, pipe.to)) return;
  if (declared.across) {
    pipe.across = axis(*declared.across);
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
    if (!ref || kernel[ref->id].space == kernel::MemorySpace::global) {
      session_.error(name.where, no_buffer, name.text);
      return;
    }
    kernel::Buffer& buffer = kernel.buffers[static_cast<std::size_t>(ref->id)];
    if (buffer.carried_by != kernel::PipeId::none) {
      session_.error(name.where, carried_twice, name.text, kernel[buffer.carried_by].name);
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
    buffer.carried_by = id;
    pipe.carries.push_back(ref->id);
    std::int64_t elements = buffer.empty() ? 0 : 1;
    for (const std::int64_t extent : buffer.shape) elements *= extent;
    if (buffer.space == kernel::MemorySpace::shared) bytes += elements * layout::bits(buffer.element) / 8;
  }
  if (bytes > kMostBytes) {
    session_.error(declared.name.where, stage_bytes, bytes);
    return;
  }
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
  if (!end || !pins(role.at, scope, made.at)) return;
  const std::int64_t each = role.warps.groups ? 4 : 1;
  if (*first < 0 || *end <= *first || *end > 32 / each) {
    session_.error(role.warps.where, warp_range, *first, *end);
    return;
  }
  made.first_warp = static_cast<int>(*first * each);
  made.end_warp = static_cast<int>(*end * each);
  if (role.registers) {
    const std::optional<std::int64_t> count = evaluator_.integer(*role.registers, scope, "`registers`");
    if (count && *count != 0) session_.error(role.registers->where, role_registers);
  }
  Scope& names = *scopes_.emplace_back(std::make_unique<Scope>(scope));
  for (const tree::End& held : role.ends) this->end(held, made, names);
  for (Deferred& deferred : roles_) {
    if (deferred.role == &role && deferred.name == name) deferred.scope = &names;
  }
  session_.kernel.roles.push_back(std::move(made));
}

void Builder::end(const tree::End& end, kernel::Role& role, Scope& scope) {
  kernel::Kernel& kernel = session_.kernel;
  const Scope::Binding* binding = scope.find(end.pipe.text);
  auto* ref = binding ? binding->value.get<PipeRef>() : nullptr;
  if (!ref) {
    session_.error(end.pipe.where, no_pipe, end.pipe.text);
    return;
  }
  if (end.turn) {
    const std::optional<std::int64_t> teams = evaluator_.integer(*end.turn, scope, "the number of teams");
    if (!teams || *teams != 1) {
      if (teams) session_.error(end.turn->where, turns);
      return;
    }
  }
  const kernel::Pipe& pipe = kernel[ref->id];
  const kernel::Side side = end.producer ? kernel::Side::producer : kernel::Side::consumer;
  for (const kernel::Role& other : kernel.roles) {
    for (const kernel::EndId held : other.ends) {
      const kernel::End& of = kernel[held];
      if (of.pipe != ref->id || of.side != side || (pipe.broadcast && !end.producer)) continue;
      const auto& message = end.producer ? held_already : held_already_consumer;
      session_.error(end.pipe.where, message, word(end.producer), pipe.name, other.name, session_.line_of(other.where))
          .note(other.where, "held here");
      return;
    }
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
    session_.error(end.name.where, pinned_end, word(end.producer), pipe.name, at, at)
        .note(pipe.declared, "pinned here");
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
  kernel.ends.push_back({end.name.text, ref->id, side});
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
