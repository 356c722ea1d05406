// Places along the cluster's axes, and buffers of other CTAs (docs/language.md, section 6).
#include <algorithm>
#include <bit>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string, std::string> no_axis{"no-axis", "`{}` is no axis: {}"};
constexpr Message<std::int64_t, std::string, int> pin_range{"out-of-range", "{} along `{}`, which has {}"};
constexpr Message<std::string> pinned_twice{"pinned-twice", "`{}` is pinned already"};
constexpr Message<std::string> at_of_shared{"other-cta",
                                            "`at (…)` names another CTA's part of a buffer in shared memory; {}"};
constexpr Message<std::string, std::string> other_cta{
    "other-cta",
    "`{}` reaches this CTA alone: `sts.cluster`, `lds.cluster` and `copy.cluster` take a buffer of another one{}"};
constexpr Message<std::string, std::string, std::string> which_cta{
    "other-cta", "`{}` reaches a buffer of another CTA, and says which: `{} at (AXIS = n)`{}"};
constexpr Message<> copy_from_here{"other-cta", "`copy.cluster` copies from this CTA to another one"};
constexpr Message<> copy_tile{"load-tile",
                              "`copy.cluster` fills a tile of a producer's end in another CTA, inside `fill`"};
constexpr Message<std::string> copy_signals{
    "load-signals", "a copy signals the `full` of the end whose tile it fills; `{}` is another's"};
constexpr Message<std::string> copy_of_stage{
    "copy-source",
    "nothing here tells when `{}` has been read: a stage of another end cannot be released after a copy of it"};
constexpr Message<std::string, std::string> copy_extents{"tile-extents",
                                                         "`copy.cluster` moves {} elements into a tile of {}"};
constexpr Message<std::string, std::string> copy_element{"tile-element", "`copy.cluster` moves {} into a tile of {}"};
constexpr Message<std::string> copy_moves{"moving-slice",
                                          "which part of a tile is copied is known at compile time; `{}` moves"};
constexpr Message<std::string, std::string> copy_pieces{"copy-layout",
                                                        "`copy.cluster` moves bytes as they lie, from one piece of "
                                                        "memory to one laid out alike, in multiples of 16: {} {}"};

constexpr Message<std::string, std::string, std::string, std::string> each_apart{
    "each-apart",
    "`{}` is in the CTAs across `{}` and `{}`, and a lane's CTA follows from its number where these axes follow each "
    "other in the cluster: declare `{}` before or behind both"};

// The bytes at which the elements of a view lie, the last coordinate fastest. Its places are constants.
std::vector<std::int64_t> places(const kernel::Buffer& buffer, const kernel::View& view) {
  std::vector<std::int64_t> result, at;
  for (const kernel::Slice& slice : view.slices) at.push_back(slice.from.constant);
  while (true) {
    result.push_back(buffer.layout.byte(at, layout::bits(buffer.element)));
    std::size_t d = at.size();
    for (; d-- > 0; at[d] = view.slices[d].from.constant) {
      if (++at[d] < view.slices[d].from.constant + view.slices[d].extent) break;
    }
    if (d == static_cast<std::size_t>(-1)) return result;
  }
}

}  // namespace

std::optional<int> Evaluator::axis_named(const tree::Name& name) {
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

bool Evaluator::pins(const std::vector<tree::Pin>& pins, Scope& scope, std::vector<kernel::Pin>& into) {
  for (const tree::Pin& pin : pins) {
    const std::optional<int> axis = axis_named(pin.axis);
    const std::optional<std::int64_t> at = axis ? integer(*pin.at, scope, "a place along an axis") : std::nullopt;
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

// `e at (half = 1)`: the same of the CTA that differs from this one in these axes.
Value Evaluator::elsewhere(const tree::Expr::At& at, Scope& scope) {
  const Value of = eval(*at.of, scope);
  if (of.bad()) return Bad{};
  auto* ref = of.get<ViewRef>();
  if (!ref || session_.kernel[ref->view.buffer].space != kernel::MemorySpace::shared) {
    session_.error(at.of->where, at_of_shared,
                   fmt::format("`{}` is {}", session_.one_line(at.of->where), describe(of, session_.kernel)));
    return Bad{};
  }
  ViewRef made = *ref;
  if (!pins(at.pins, scope, made.view.at)) return Bad{};
  return made;
}

// Lane i signals the i-th of several CTAs: their ranks are a multiple of i apart, so that no other axis lies between
// those along which they differ.
bool Builder::check_each(const kernel::Instruction& made, std::size_t at) {
  const kernel::Kernel& kernel = session_.kernel;
  const auto& barrier = std::get<kernel::BarrierOperand>(made.operands[at]);
  const kernel::Pipe& pipe = kernel[kernel[barrier.end].pipe];
  for (int rank = 0; rank < kernel.cluster_ctas(); ++rank) {
    const std::uint32_t mask = kernel::reached(kernel, pipe, barrier.kind, rank);
    if (std::popcount(mask) < 2) continue;
    const std::vector<std::int64_t> first = kernel::place(kernel, std::countr_zero(mask));
    const std::vector<std::int64_t> last = kernel::place(kernel, std::bit_width(mask) - 1);
    std::optional<std::size_t> before, between;
    for (std::size_t axis = 0; axis < kernel.axes.size(); ++axis) {
      if (kernel.axes[axis].extent == 1) continue;
      if (first[axis] == last[axis]) {
        if (before) between = axis;
        continue;
      }
      if (between) {
        session_.error(made.operands_where[at], each_apart, session_.one_line(made.operands_where[at]),
                       kernel.axes[*before].name, kernel.axes[axis].name, kernel.axes[*between].name);
        return false;
      }
      before = axis;
    }
  }
  return true;
}

// Which operands are of another CTA: those, and only those, that the statement reaches there.
bool Builder::check_elsewhere(const kernel::Instruction& made, std::size_t at) {
  const auto& view = std::get<kernel::View>(made.operands[at]);
  const std::string word(made.op->word);
  const bool reaches = word.ends_with(".cluster");
  const bool source = made.op->does == Does::copy_cluster && at == 1;
  const SourceRange where = made.operands_where[at];
  if (reaches && source && !view.at.empty()) {
    session_.error(where, copy_from_here);
    return false;
  }
  if (!reaches && !view.at.empty()) {
    const bool lanes = made.op->does == Does::shared_access;
    session_.error(made.opcode_where, other_cta, word, lanes ? fmt::format("; here `{}.cluster`", word) : "");
    return false;
  }
  if (reaches && !source && view.at.empty()) {
    const std::string own = made.op->does == Does::shared_access
                                ? fmt::format("; in this CTA it is `{}`", word.substr(0, word.find('.')))
                                : "";
    session_.error(where, which_cta, word, session_.one_line(where), own);
    return false;
  }
  return true;
}

// From one piece of shared memory to the tile of a stage in another CTA, whose `full` gets the bytes. Which CTA that
// is, and that the tile is filled whole, is coverage's.
bool Builder::check_copy_cluster(const kernel::Instruction& made) {
  const kernel::Kernel& kernel = session_.kernel;
  const auto& to = std::get<kernel::View>(made.operands[0]);
  const auto& from = std::get<kernel::View>(made.operands[1]);
  const auto& barrier = std::get<kernel::BarrierOperand>(made.operands[2]);
  if (to.end == kernel::EndId::none || kernel[to.end].side != kernel::Side::producer) {
    session_.error(made.operands_where[0], copy_tile);
    return false;
  }
  if (barrier.end != to.end) {
    session_.error(made.operands_where[2], copy_signals, session_.one_line(made.operands_where[2]));
    return false;
  }
  if (from.end != kernel::EndId::none && from.end != to.end) {
    session_.error(made.operands_where[1], copy_of_stage, session_.one_line(made.operands_where[1]));
    return false;
  }
  const kernel::Buffer& target = kernel[to.buffer];
  const kernel::Buffer& source = kernel[from.buffer];
  if (kernel::kept_extents(from) != kernel::kept_extents(to)) {
    session_.error(made.operands_where[1], copy_extents, kernel::extents_text(kernel::kept_extents(from)),
                   kernel::extents_text(kernel::kept_extents(to)));
    return false;
  }
  if (source.element != target.element) {
    session_.error(made.operands_where[1], copy_element, std::string(layout::name(source.element)),
                   std::string(layout::name(target.element)));
    return false;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (const kernel::Slice& slice : (i == 0 ? to : from).slices) {
      if (slice.from.is_constant()) continue;
      session_.error(made.operands_where[i], copy_moves, session_.one_line(made.operands_where[i]));
      return false;
    }
  }
  const std::vector<std::int64_t> there = places(target, to), here = places(source, from);
  const std::int64_t bytes = static_cast<std::int64_t>(there.size()) * layout::bits(target.element) / 8;
  auto one_piece = [&](const std::vector<std::int64_t>& at) {
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    return *low % 16 == 0 && *high - *low + layout::bits(target.element) / 8 == bytes;
  };
  auto refuse = [&](std::size_t i, std::string why) {
    session_.error(made.operands_where[i], copy_pieces, "`" + session_.one_line(made.operands_where[i]) + "`",
                   std::move(why));
    return false;
  };
  if (bytes % 16 != 0) return refuse(1, fmt::format("is {} bytes", bytes));
  if (!one_piece(there)) return refuse(0, "is no such piece");
  if (!one_piece(here)) return refuse(1, "is no such piece");
  const std::int64_t apart =
      *std::min_element(there.begin(), there.end()) - *std::min_element(here.begin(), here.end());
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (there[i] - here[i] != apart) return refuse(1, "is laid out otherwise than what it goes to");
  }
  return true;
}

}  // namespace warpcc::sema
