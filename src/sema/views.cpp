// A buffer at coordinates: what a view picks, and whether it lies inside.
#include <algorithm>

#include "sema/eval.h"
#include "support/words.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::string, std::string> coordinate_count{"wrong-count", "`{}` takes {}; {} given"};
constexpr Message<std::string> ring_first{"ring-first",
                                          "`{}` is a ring: its first index picks a copy, by one compile-time value"};
constexpr Message<std::string, std::int64_t, std::int64_t> copy_out_of_range{"out-of-range",
                                                                             "`{}` has no copy {}: it is a ring of {}"};
constexpr Message<> extent_positive{"out-of-range", "a view takes at least one element"};
constexpr Message<std::string, std::string, std::int64_t, std::string, std::int64_t> reaches{
    "out-of-range", "{} `{}` reaches {}; {} has {}"};
constexpr Message<std::string, std::string, std::int64_t> below_zero{"out-of-range", "{} `{}` begins at {}"};
constexpr Message<std::string, std::string> carried{
    "outside-end", "`{}` is carried by `{}`: it is reached through an end, inside `fill` or `take`"};
constexpr Message<std::string, std::string, int> too_few_copies{"too-few-copies",
                                                                "`{}` has copies for {}; the role has {}"};

std::string dimension_word(std::size_t rank, int dimension) {
  if (rank == 1) return "element";
  if (rank == 2) return dimension == 0 ? "row" : "column";
  return fmt::format("coordinate {}", dimension);
}

}  // namespace

ViewRef Evaluator::whole(kernel::BufferId id, SourceRange where) {
  const kernel::Buffer& buffer = session_.kernel[id];
  ViewRef ref;
  ref.view.buffer = id;
  ref.view.where = where;
  for (const kernel::Copies& copies : buffer.copies) {
    const kernel::Index here = [&]() -> kernel::Index {
      if (copies.kind == kernel::Copies::Kind::ring) return {};
      const bool warps = copies.kind == kernel::Copies::Kind::warps;
      const int users = warps ? session_.place.warps : (session_.place.warps + 3) / 4;
      if (session_.place.kind != Place::Kind::outside && copies.count != 0 && users > copies.count) {
        session_.error(where, too_few_copies, buffer.name,
                       counted(static_cast<std::uint64_t>(copies.count), warps ? "warp" : "warpgroup"), users);
      }
      if (users <= 1) return {};
      return {0, {{{warps ? kernel::Atom::Kind::warp : kernel::Atom::Kind::warpgroup, 0}, 1}}};
    }();
    if (copies.kind == kernel::Copies::Kind::ring) {
      if (buffer.carried_by != kernel::PipeId::none) continue;
      ref.ring_open = true;
    }
    ref.view.copies.push_back(here);
  }
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    ref.view.slices.push_back({{}, buffer.shape[i], false});
    ref.kept.push_back(static_cast<int>(i));
  }
  return ref;
}

Value Evaluator::buffer(kernel::BufferId id, SourceRange where) {
  const kernel::Buffer& buffer = session_.kernel[id];
  if (buffer.carried_by == kernel::PipeId::none) return whole(id, where);
  session_.error(where, carried, buffer.name, session_.kernel[buffer.carried_by].name);
  return Bad{};
}

bool Evaluator::within(const ViewRef& of, const std::string& name, int dimension, const kernel::Index& from,
                       std::int64_t extent, const tree::Coord& coord, Scope& scope) {
  const kernel::Buffer& buffer = session_.kernel[of.view.buffer];
  const std::optional<Interval> range = interval(session_, from);
  if (!range) return true;  // reported where it was made
  const std::string what = dimension_word(buffer.shape.size(), dimension);
  if (range->lo < 0) {
    session_.error(coord.where, below_zero, what, session_.one_line(coord.where), range->lo);
    return false;
  }
  // The edges of global memory are the access's: the copy engine may overhang them, a lane's access is guarded.
  const bool overhangs = buffer.space == kernel::MemorySpace::global && of.base;
  const std::int64_t has = of.view.slices[dimension].extent;
  if (!overhangs && range->hi + extent > has) {
    session_.error(coord.where, reaches, what, session_.one_line(coord.where), range->hi + extent, name, has);
    return false;
  }
  return true;
}

Value Evaluator::view_of_tile(ViewRef ref, const tree::Expr::View& view, SourceRange where, Scope& scope) {
  const kernel::Buffer& buffer = session_.kernel[ref.view.buffer];
  const std::string name = "`" + session_.one_line(view.of->where) + "`";
  if (ref.ring_open) {
    const auto ring = std::find_if(buffer.copies.begin(), buffer.copies.end(), [](const kernel::Copies& copies) {
      return copies.kind == kernel::Copies::Kind::ring;
    });
    if (view.coords.size() != 1 || view.coords[0].whole || view.coords[0].extent) {
      session_.error(where, ring_first, session_.one_line(view.of->where));
      return Bad{};
    }
    const std::optional<std::int64_t> copy = integer(*view.coords[0].from, scope, "the copy of a ring");
    if (!copy) return Bad{};
    if (*copy < 0 || *copy >= ring->count) {
      session_.error(view.coords[0].where, copy_out_of_range, session_.one_line(view.of->where), *copy, ring->count);
      return Bad{};
    }
    ref.view.copies[static_cast<std::size_t>(ring - buffer.copies.begin())] = {*copy, {}};
    ref.ring_open = false;
    ref.view.where = where;
    return ref;
  }
  if (view.coords.size() == 1 && ref.kept.size() > 1 && !view.coords[0].whole && !view.coords[0].extent) {
    // A tuple of coordinates: `v.at(i)`.
    const tree::Coord& coord = view.coords[0];
    const Value value = eval(*coord.from, scope);
    if (value.bad()) return Bad{};
    if (auto* tuple = value.get<Tuple>(); tuple && tuple->elements->size() == ref.kept.size()) {
      for (std::size_t i = 0; i < ref.kept.size(); ++i) {
        const std::optional<kernel::Index> from = index((*tuple->elements)[i], coord.where);
        if (!from || !within(ref, name, ref.kept[i], *from, 1, coord, scope)) return Bad{};
        kernel::Slice& slice = ref.view.slices[static_cast<std::size_t>(ref.kept[i])];
        slice = {slice.from + *from, 1, true};
      }
      ref.kept.clear();
      ref.base = false;
      ref.view.where = where;
      return ref;
    }
  }
  if (view.coords.size() != ref.kept.size()) {
    session_.error(where, coordinate_count, session_.one_line(view.of->where), counted(ref.kept.size(), "coordinate"),
                   there_are(view.coords.size()));
    return Bad{};
  }
  std::vector<int> kept;
  bool failed = false;
  for (std::size_t i = 0; i < view.coords.size(); ++i) {
    const tree::Coord& coord = view.coords[i];
    const int dimension = ref.kept[i];
    kernel::Slice& slice = ref.view.slices[dimension];
    if (coord.whole) {
      kept.push_back(dimension);
      continue;
    }
    const std::optional<kernel::Index> from = index(*coord.from, scope);
    std::int64_t extent = 1;
    if (coord.extent) {
      const std::optional<std::int64_t> given = integer(*coord.extent, scope, "the extent of a view");
      if (!given) return Bad{};
      extent = *given;
      if (extent < 1 || extent > (std::int64_t{1} << 40)) {
        session_.error(coord.extent->where, extent_positive);
        return Bad{};
      }
    }
    if (!from) return Bad{};
    if (!within(ref, name, dimension, *from, extent, coord, scope)) {
      failed = true;
      continue;
    }
    slice = {slice.from + *from, extent, !coord.extent};
    if (coord.extent) kept.push_back(dimension);
  }
  if (failed) return Bad{};
  ref.kept = std::move(kept);
  ref.base = false;
  ref.view.where = where;
  return ref;
}

}  // namespace warpcc::sema
