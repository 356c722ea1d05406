#include "checker/interp/held.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpcc::checker {

using sass::Expr;
using sass::Fixed;

namespace {

// Arithmetic that a text may overflow wraps.
std::int64_t wrapped(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::int64_t divide_down(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return 0;
  std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t fixed(Fixed which, std::int64_t axis, const Scope& scope, int lane) {
  // Within .start and .finish warps count in the CTA.
  int first = scope.section && scope.section->kind == sass::Section::Kind::role ? scope.section->first_warp : 0;
  switch (which) {
    case Fixed::lane:
      return lane;
    case Fixed::warp:
      return scope.warp.index - first;
    case Fixed::warpgroup:
      return (scope.warp.index - first) / 4;
    case Fixed::cluster_id:
      return scope.cluster;
    case Fixed::axis:
      return axis >= 0 && axis < static_cast<std::int64_t>(scope.cta.axes.size())
                 ? scope.cta.axes[static_cast<std::size_t>(axis)]
                 : 0;
    case Fixed::one:
      return lane == 0;
  }
  return 0;
}

std::int64_t value_of(const Formula::Node& node, const Scope& scope, int lane) {
  auto slot = static_cast<std::size_t>(node.slot.name);
  std::uint32_t bits = 0;
  switch (node.slot.file) {
    case isa::File::r:
      bits = scope.warp.named.lanes(node.slot.name)[lane];
      break;
    case isa::File::ur:
      bits = scope.warp.named.ur[slot];
      break;
    case isa::File::p:
      return scope.warp.named.p[slot] >> lane & 1;
    case isa::File::up:
      return scope.warp.named.up[slot] & 1;
  }
  return node.is_unsigned ? static_cast<std::int64_t>(bits)
                          : static_cast<std::int64_t>(static_cast<std::int32_t>(bits));
}

}  // namespace

std::int64_t evaluate(const Formula& formula, const Scope& scope, int lane) {
  if (formula.nodes.size() == 1) {  // most are a name or a number
    const Formula::Node& node = formula.nodes[0];
    if (node.kind == Expr::Kind::number) return node.number;
    if (node.kind == Expr::Kind::value) return value_of(node, scope, lane);
  }
  llvm::SmallVector<std::int64_t, 16> values;
  values.reserve(formula.nodes.size());
  for (const Formula::Node& node : formula.nodes) {
    std::int64_t a = node.left >= 0 ? values[static_cast<std::size_t>(node.left)] : 0;
    std::int64_t b = node.right >= 0 ? values[static_cast<std::size_t>(node.right)] : 0;
    auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    std::int64_t result = 0;
    switch (node.kind) {
      case Expr::Kind::number:
        result = node.number;
        break;
      case Expr::Kind::value:
        result = value_of(node, scope, lane);
        break;
      case Expr::Kind::fixed:
        result = fixed(node.fixed, node.number, scope, lane);
        break;
      case Expr::Kind::add:
        result = wrapped(ua + ub);
        break;
      case Expr::Kind::subtract:
        result = wrapped(ua - ub);
        break;
      case Expr::Kind::multiply:
        result = wrapped(ua * ub);
        break;
      case Expr::Kind::divide:
        result = divide_down(a, b);
        break;
      case Expr::Kind::remainder:
        result = wrapped(ua - static_cast<std::uint64_t>(divide_down(a, b)) * ub);
        break;
      case Expr::Kind::equal:
        result = a == b;
        break;
      case Expr::Kind::not_equal:
        result = a != b;
        break;
      case Expr::Kind::less:
        result = a < b;
        break;
      case Expr::Kind::less_equal:
        result = a <= b;
        break;
      case Expr::Kind::greater:
        result = a > b;
        break;
      case Expr::Kind::greater_equal:
        result = a >= b;
        break;
      case Expr::Kind::both:
        result = a != 0 && b != 0;
        break;
      case Expr::Kind::not_:
        result = a == 0;
        break;
    }
    values.push_back(result);
  }
  return values.empty() ? 0 : values.back();
}

std::vector<std::int64_t> axes_of(const sass::Program& program, int rank) {
  std::vector<std::int64_t> place;
  for (const sass::Axis& axis : program.axes) {
    place.push_back(rank % axis.extent);
    rank /= axis.extent;
  }
  return place;
}

int rank_of(const sass::Program& program, const std::vector<std::int64_t>& axes) {
  std::int64_t rank = 0;
  for (std::size_t i = program.axes.size(); i-- > 0;) rank = rank * program.axes[i].extent + axes[i];
  return static_cast<int>(rank);
}

Place place_of(const ViewCode& code, const Scope& scope, int lane) {
  const sass::View& view = *code.view;
  const sass::Program& program = scope.program;
  Place place;
  place.rank = scope.cta.rank;
  if (!view.at.empty()) {
    std::vector<std::int64_t> axes = scope.cta.axes;
    for (std::size_t i = 0; i < view.at.size(); ++i) {
      const sass::Pin& pin = view.at[i];
      if (pin.axis < 0 || pin.axis >= static_cast<int>(axes.size())) continue;
      std::int64_t at = code.at[i].empty() ? pin.at : evaluate(code.at[i], scope, lane);
      place.no_cta = place.no_cta || at < 0 || at >= program.axes[static_cast<std::size_t>(pin.axis)].extent;
      axes[static_cast<std::size_t>(pin.axis)] = at;
    }
    place.inside = !place.no_cta;
    if (place.inside) place.rank = rank_of(program, axes);
  }
  for (const Formula& copy : code.copies) place.copies.push_back(evaluate(copy, scope, lane));

  if (view.barrier != sass::MBarrierId::none) {
    const sass::MBarrier& barrier = program[view.barrier];
    std::int64_t copy = place.copies.empty() ? 0 : place.copies[0];
    place.inside = place.inside && copy >= 0 && copy < barrier.count;
    place.offset = barrier.offset + 8 * copy;
    return place;
  }
  if (view.word >= 0) {
    place.offset = program.words[static_cast<std::size_t>(view.word)].offset;
    return place;
  }
  if (view.named_barrier >= 0) {
    const sass::NamedBarrier& barrier = program.named_barriers[static_cast<std::size_t>(view.named_barrier)];
    std::int64_t copy = place.copies.empty() ? 0 : place.copies[0];
    place.inside = place.inside && copy >= 0 && copy < barrier.count;
    place.offset = barrier.id + copy;
    return place;
  }
  if (view.buffer == sass::BufferId::none) {
    place.inside = false;
    return place;
  }

  const sass::Buffer& buffer = program[view.buffer];
  std::int64_t offset = buffer.space == sass::MemorySpace::global ? 0 : buffer.place;
  for (std::size_t i = 0; i < place.copies.size() && i < buffer.copies.size(); ++i) {
    place.inside = place.inside && place.copies[i] >= 0 && place.copies[i] < buffer.copies[i].count;
    offset += place.copies[i] * buffer.copies[i].stride;
  }
  place.copy_offset = offset;
  const layout::Map& map = buffer.layout.map();
  bool overhangs = buffer.space == sass::MemorySpace::global;  // a box may, over the upper edge
  for (int i = 0; i < map.rank(); ++i) {
    auto at = static_cast<std::size_t>(i);
    std::int64_t start = 0, extent = map.extent(i);
    if (at < code.coordinates.size()) {
      const Coordinate& coordinate = code.coordinates[at];
      if (!coordinate.from.empty()) start = evaluate(coordinate.from, scope, lane);
      extent = coordinate.extent == 0 ? 1 : coordinate.extent;
    }
    place.start.push_back(start);
    place.inside = place.inside && start >= 0 && (overhangs ? start < map.extent(i) : start + extent <= map.extent(i));
  }
  if (!place.inside) return place;
  place.offset = offset + (buffer.space == sass::MemorySpace::shared
                               ? buffer.layout.byte(place.start, layout::bits(buffer.element))
                               : map(place.start));
  return place;
}

Extents extents_of(const ViewCode& view, const sass::Program& program) {
  Extents result;
  if (view.view->buffer == sass::BufferId::none) return result;
  const layout::Map& map = program[view.view->buffer].layout.map();
  for (int i = 0; i < map.rank(); ++i) {
    auto at = static_cast<std::size_t>(i);
    std::int64_t extent = at < view.coordinates.size() ? view.coordinates[at].extent : map.extent(i);
    if (extent == 0) continue;
    result.extents.push_back(extent);
    result.dimension.push_back(i);
  }
  return result;
}

std::int64_t element_at(const ViewCode& view, const Place& place, const Extents& extents,
                        llvm::ArrayRef<std::int64_t> index, const sass::Program& program) {
  const sass::Buffer& buffer = program[view.view->buffer];
  llvm::SmallVector<std::int64_t, 4> at(place.start.begin(), place.start.end());
  for (std::size_t i = 0; i < index.size(); ++i) at[static_cast<std::size_t>(extents.dimension[i])] += index[i];
  return place.copy_offset + (buffer.space == sass::MemorySpace::shared
                                  ? buffer.layout.byte(at, layout::bits(buffer.element))
                                  : buffer.layout.map()(at));
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 12) + (seed >> 4);
  return seed * 0xff51afd7ed558ccdu;
}

std::uint64_t key_of(const void* what, const Place& place, std::uint64_t bits) {
  std::uint64_t key = mix(reinterpret_cast<std::uintptr_t>(what), bits);
  key = mix(key, static_cast<std::uint64_t>(place.offset));
  for (std::int64_t start : place.start) key = mix(key, static_cast<std::uint64_t>(start));
  return key;
}

namespace {

bool held_at(const std::vector<sass::Pin>& pins, const std::vector<std::int64_t>& axes) {
  return std::all_of(pins.begin(), pins.end(), [&](const sass::Pin& pin) {
    return pin.axis >= 0 && pin.axis < static_cast<int>(axes.size()) &&
           axes[static_cast<std::size_t>(pin.axis)] == pin.at;
  });
}

// Whether a producer and a consumer of the pipe belong together: they agree on every axis that neither end is pinned
// on, and that stages are not filled across.
bool together(const sass::Program& program, const sass::Pipe& pipe, const std::vector<std::int64_t>& producer,
              const std::vector<std::int64_t>& consumer, bool ignore_across) {
  for (std::size_t axis = 0; axis < program.axes.size(); ++axis) {
    auto pinned = [&](const sass::Pin& pin) { return pin.axis == static_cast<int>(axis); };
    if (std::any_of(pipe.from.begin(), pipe.from.end(), pinned) || std::any_of(pipe.to.begin(), pipe.to.end(), pinned))
      continue;
    if (ignore_across && pipe.across && *pipe.across == static_cast<int>(axis)) continue;
    if (producer[axis] != consumer[axis]) return false;
  }
  return true;
}

}  // namespace

std::uint32_t signalled(const sass::Program& program, const sass::Pipe& pipe, bool full, int from) {
  std::vector<std::int64_t> own = axes_of(program, from);
  std::uint32_t mask = 0;
  for (int rank = 0; rank < program.cluster && rank < 32; ++rank) {
    std::vector<std::int64_t> other = axes_of(program, rank);
    const auto& producer = full ? own : other;
    const auto& consumer = full ? other : own;
    if (held_at(full ? pipe.to : pipe.from, other) && together(program, pipe, producer, consumer, true))
      mask |= 1u << rank;
  }
  return mask;
}

std::uint32_t across(const sass::Program& program, std::string_view axis, int from) {
  std::vector<std::int64_t> axes = axes_of(program, from);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < program.axes.size(); ++i) {
    if (program.axes[i].name != axis) continue;
    for (int at = 0; at < program.axes[i].extent; ++at) {
      axes[i] = at;
      mask |= 1u << rank_of(program, axes);
    }
  }
  return mask;
}

std::int64_t phase_bytes(const sass::Program& program, const sass::Pipe& pipe, int at) {
  std::int64_t tiles = 0;
  for (sass::BufferId id : pipe.carries) {
    const sass::Buffer& buffer = program[id];
    if (buffer.space == sass::MemorySpace::shared)
      tiles += buffer.layout.map().size() * layout::bits(buffer.element) / 8;
  }
  // A tile is whole in each CTA that this barrier speaks for; those across fill slices of the same tile.
  std::vector<std::int64_t> consumer = axes_of(program, at);
  std::int64_t ctas = 0;
  for (int rank = 0; rank < program.cluster; ++rank) {
    std::vector<std::int64_t> producer = axes_of(program, rank);
    if (held_at(pipe.from, producer) && together(program, pipe, producer, consumer, false)) ++ctas;
  }
  return tiles * ctas;
}

std::string view_text(const ViewCode& code, const Place& place, const sass::Program& program) {
  const sass::View& view = *code.view;
  std::string text;
  if (view.buffer != sass::BufferId::none) text = program[view.buffer].name;
  if (view.barrier != sass::MBarrierId::none) text = program[view.barrier].name;
  if (view.named_barrier >= 0) text = program.named_barriers[static_cast<std::size_t>(view.named_barrier)].name;
  if (view.fragment >= 0) text = program[program.fragments[static_cast<std::size_t>(view.fragment)].value].name;
  if (view.word >= 0) text = program.words[static_cast<std::size_t>(view.word)].name;
  for (std::size_t i = 0; i < view.at.size(); ++i) {
    const sass::Pin& pin = view.at[i];
    text += fmt::format("{}{} = {}{}", i == 0 ? " at (" : ", ", program.axes[static_cast<std::size_t>(pin.axis)].name,
                        axes_of(program, place.rank)[static_cast<std::size_t>(pin.axis)],
                        i + 1 == view.at.size() ? ")" : "");
  }
  for (std::int64_t copy : place.copies) text += fmt::format("[{}]", copy);
  for (std::size_t i = 0; i < code.coordinates.size(); ++i) {
    const Coordinate& coordinate = code.coordinates[i];
    std::int64_t start = i < place.start.size() ? place.start[i] : 0;
    text += i == 0 ? "[" : ", ";
    text += coordinate.extent == 0    ? fmt::format("{}", start)
            : coordinate.from.empty() ? ".."
                                      : fmt::format("{} +: {}", start, coordinate.extent);
    if (i + 1 == code.coordinates.size()) text += "]";
  }
  return text;
}

std::string names_text(const HeldCode& held, const Scope& scope, int lane) {
  std::string text;
  std::vector<std::int32_t> seen;
  auto add = [&](const Formula& formula, const Expr& expr) {
    for (std::size_t i = 0; i < formula.nodes.size(); ++i) {
      const Formula::Node& node = formula.nodes[i];
      if (node.kind == Expr::Kind::fixed && node.fixed == Fixed::lane &&
          std::find(seen.begin(), seen.end(), -1) == seen.end()) {
        seen.push_back(-1);
        text += fmt::format(", lane = {}", lane);
      }
      if (node.kind != Expr::Kind::value) continue;
      std::int32_t key = node.slot.name << 2 | static_cast<int>(node.slot.file);
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
      seen.push_back(key);
      text += fmt::format(", {} = {}", scope.program[expr.nodes[i].value].name, value_of(node, scope, lane));
    }
  };
  add(held.formula, held.held->expr);
  for (const ViewCode& view : held.views) {
    for (std::size_t i = 0; i < view.copies.size(); ++i) add(view.copies[i], view.view->copies[i]);
    for (std::size_t i = 0; i < view.coordinates.size(); ++i)
      add(view.coordinates[i].from, view.view->coordinates[i].from);
  }
  return text;
}

}  // namespace warpcc::checker
