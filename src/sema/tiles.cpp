// What reads and writes tiles: shapes that agree, layouts that the encodings express.
#include <algorithm>
#include <bit>

#include "sema/build.h"

namespace warpcc::sema {
namespace {

using isa::Does;

constexpr Message<std::string> mixed_pairs{
    "mixed-pairs",
    "a kernel's tensor-core instructions are all of pairs or all of single CTAs; the other is at line {}"};
constexpr Message<std::string> no_pair{
    "no-pair", "`{}` is of a pair of CTAs: the cluster's first axis is the pair, and has an extent of 2"};
constexpr Message<std::string, std::string> memory_place{"tensor-memory", "`{}` stands in `{}`"};
constexpr Message<std::string> load_signals{"load-signals",
                                            "a load signals the `full` of the end whose tile it fills; this is {}"};
constexpr Message<> load_tile{"load-tile", "a load fills a tile of a producer's end, inside `fill`"};
constexpr Message<std::string, std::string, std::string> moves{"tile-extents",
                                                               "`{}` moves {} elements into a tile of {}"};
constexpr Message<std::string, std::string, std::string, std::string> other_element{
    "tile-element", "`{}` moves {} into a tile of {}{}"};
constexpr Message<std::string> lane_coordinate{
    "lane-coordinate", "the copy engine's coordinates are one value a warp; `{}` differs between lanes"};
constexpr Message<std::string, std::int64_t, std::string> no_step{
    "copy-alignment",
    "`{}`: the copy engine's first coordinate is a multiple of {} elements (16 bytes), and the ranges do not say so: "
    "{}"};
constexpr Message<std::string, std::int64_t> row_bytes{
    "copy-row", "a row of `{}` is {} bytes: the copy engine wants a multiple of 16"};
constexpr Message<std::string, std::int64_t, std::int64_t> copy_transposed{
    "copy-layout",
    "the copy engine reads along the last coordinate, and the neighbours of `{0}` lie along its first: declare its "
    "transpose, `{0}: … [{1}, {2}]`; an MN-major operand of an MMA has no load"};
constexpr Message<std::string> copy_layout{"copy-layout",
                                           "the copy engine reads `{}` row by row: its last coordinate has stride 1"};
constexpr Message<std::string, std::string, std::string> no_box{
    "no-box", "the copy engine cannot fill this part of `{}`, {}: {}"};
constexpr Message<std::string> store_into_in{"store-mode",
                                             "`{}` is a parameter that is only read: say `out` or `inout`"};
constexpr Message<std::string> load_from_out{"load-mode",
                                             "`{}` is a parameter that is only written: say `in` or `inout`"};
constexpr Message<std::string, std::string> load_across{"load-across", "the pipe `{}` is not across `{}`"};
constexpr Message<std::string, std::string, std::string, std::string> no_descriptor{
    "no-descriptor", "no descriptor expresses this part of `{}`, {}: {}; there are descriptors for {}"};
constexpr Message<std::string> operand_rank{"mma-shape", "an MMA's operand is rows by k; this has {} extents"};
constexpr Message<std::int64_t, std::int64_t> k_differs{"mma-shape", "A has k = {}, B has k = {}"};
constexpr Message<std::string, std::string> no_kind{"mma-kind", "there is no MMA of {} by {}"};
constexpr Message<std::string> d_element{"mma-kind", "an accumulator is of f32; this is of {}"};
constexpr Message<std::int64_t> pair_rows{
    "mma-shape", "M = {}: a pair's MMA has M = 128 or 256, so its A has 64 or 128 rows in each CTA"};
constexpr Message<std::int64_t> single_rows{"mma-shape", "M = {}: an MMA has M = 64 or 128"};
constexpr Message<std::string> bad_shape{"mma-shape", "{}"};
constexpr Message<std::string, std::string, std::string> d_extents{"mma-shape",
                                                                   "D is {}: A has {} rows and B gives {} columns"};
constexpr Message<std::string, std::string> no_accumulator{"no-accumulator",
                                                           "`{}` is not where such an MMA puts D: {}"};
constexpr Message<std::string, std::string> fragment_extents{"tile-extents", "the fragment is {}; the view is {}"};
constexpr Message<std::string, std::string, std::string> fragment_element{
    "tile-element", "`{}` moves elements of 32 bits; the fragment is of {}, the view of {}"};
constexpr Message<std::string, std::string> fragment_cell{
    "fragment-layout",
    "{} is not spread like this fragment: {}; tensor memory is loaded in 32 lanes by 32-bit columns "
    "(`umma.ld_32x32b`)"};
constexpr Message<int> fragment_columns{"fragment-layout",
                                        "a tensor-memory load is of 1, 2, 4 … 128 columns; this fragment has {}"};
constexpr Message<int, std::int64_t, int, int> warp_lanes{
    "warp-lanes", "warp {} of the CTA reaches into tensor memory's lanes {} on; the hardware gives it lanes {} .. {}"};
constexpr Message<std::string, int, std::string> access_width{"access-width", "`{}` moves {} bits; {}"};
constexpr Message<std::string> access_neighbours{"access-width", "`{}` takes neighbours along the last coordinate"};
constexpr Message<std::string, std::string, std::int64_t> access_alignment{
    "access-alignment", "`{}` of `{}`: as far as ranges tell it does not begin at a multiple of {} elements"};
constexpr Message<std::string, std::string, std::int64_t, std::int64_t> access_row{
    "access-alignment", "`{}` of `{}`: a row has {} elements, no multiple of {}"};
constexpr Message<std::string, std::string, std::int64_t, std::string, std::int64_t> unguarded{
    "out-of-range", "{} of `{}` reaches {}; `{}` has {}: guard it with `@(inside)`"};
constexpr Message<std::string> no_buffer{"no-buffer", "`{}` is no buffer of shared memory"};

// The view as the encodings see it, where its coordinates are lowest.
layout::Part part_of(const Session& session, const kernel::View& view) {
  const kernel::Buffer& buffer = session.kernel[view.buffer];
  layout::Part part{buffer.layout, buffer.element, {}, {}};
  for (const kernel::Slice& slice : view.slices) {
    const std::optional<Interval> range = interval(session, slice.from);
    part.start.push_back(range ? range->lo : 0);
    part.extents.push_back(slice.extent);
  }
  return part;
}

std::string layout_text(const kernel::Buffer& buffer) {
  std::string text = "laid out as " + buffer.layout.map().text();
  if (const int span = buffer.layout.swizzle().span()) text += fmt::format(" with a swizzle of {} bytes", span);
  return text;
}

}  // namespace

bool Builder::pairs(kernel::Instruction& made, const tree::Instruction& it) {
  const Does does = made.op->does;
  if (does != Does::mma && does != Does::commit && does != Does::alloc && does != Does::relinquish &&
      does != Does::free_)
    return true;
  made.pair = made.op->word.ends_with(".pair");
  if (made.pair && (session_.kernel.axes.empty() || session_.kernel.axes[0].extent != 2)) {
    if (!first_mma_) session_.error(it.opcode_where, no_pair, it.opcode);  // the others would say it again
    first_mma_ = made.op;
    return false;
  }
  if (!first_mma_) {
    first_mma_ = made.op;
    first_mma_where_ = it.opcode_where;
    session_.kernel.pairs = made.pair;
  } else if (session_.kernel.pairs != made.pair) {
    session_.error(it.opcode_where, mixed_pairs, session_.line_of(first_mma_where_)).note(first_mma_where_, "here");
    return false;
  }
  return true;
}

bool Builder::check(kernel::Instruction& made, const tree::Instruction& it) {
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    if (std::holds_alternative<kernel::BarrierOperand>(made.operands[i]) && !check_barrier(made, i)) return false;
  }
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    if (std::holds_alternative<kernel::View>(made.operands[i]) && !check_elsewhere(made, i)) return false;
  }
  switch (made.op->does) {
    case Does::load:
      return check_load(made, it);
    case Does::copy_cluster:
      return check_copy_cluster(made);
    case Does::store:
    case Does::store_add:
      return check_store(made);
    case Does::mma:
      mma_role_ = session_.place.role;
      return made.op->issue == isa::Issue::warpgroup ? check_warpgroup_mma(made) : check_mma(made);
    case Does::mma_wait:
      return check_mma_wait(made);
    case Does::ld_tensor:
    case Does::st_tensor:
      return check_tensor_load(made);
    case Does::alloc:
    case Does::relinquish:
    case Does::free_:
      return check_tensor_memory(made);
    case Does::shared_access:
    case Does::global_access:
      return check_access(made);
    default:
      return true;
  }
}

// Tensor memory is the whole CTA's: allocated where it sets up, freed where all are done.
bool Builder::check_tensor_memory(const kernel::Instruction& made) {
  const bool frees = made.op->does == Does::free_;
  if (session_.place.kind == (frees ? Place::Kind::finish : Place::Kind::start)) return true;
  session_.error(made.opcode_where, memory_place, std::string(made.op->word), frees ? "finish" : "start");
  return false;
}

// ---- The copy engine

bool Builder::check_copy(const kernel::View& tile, const kernel::View& view, std::string_view word) {
  const kernel::Kernel& kernel = session_.kernel;
  const kernel::Buffer& shared = kernel[tile.buffer];
  const kernel::Buffer& global = kernel[view.buffer];
  const std::vector<std::int64_t> from = kernel::kept_extents(view), to = kernel::kept_extents(tile);
  if (from != to) {
    session_.error(view.where, moves, std::string(word), kernel::extents_text(from), kernel::extents_text(to));
    return false;
  }
  if (shared.element != global.element) {
    session_.error(view.where, other_element, std::string(word), std::string(layout::name(global.element)),
                   std::string(layout::name(shared.element)), "");
    return false;
  }
  const std::int64_t bytes = layout::bytes(global.element);
  for (std::size_t i = 0; i < view.slices.size(); ++i) {
    if (differs_by_lane(kernel, view.slices[i].from)) {
      session_.error(view.where, lane_coordinate, session_.one_line(view.where));
      return false;
    }
  }
  const auto& coordinates = global.layout.map().coordinates();
  const bool transposed = coordinates.size() == 2 && coordinates[0].size() == 1 && coordinates[1].size() == 1 &&
                          coordinates[0][0].stride == 1 && coordinates[1][0].stride != 1;
  if (transposed) {
    session_.error(view.where, copy_transposed, global.name, global.shape[1], global.shape[0])
        .note(global.declared, "declared here");
    return false;
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].size() != 1 || (i + 1 == coordinates.size() && coordinates[i][0].stride != 1)) {
      session_.error(view.where, copy_layout, global.name).note(global.declared, "declared here");
      return false;
    }
    if (i + 1 < coordinates.size() && coordinates[i][0].stride * bytes % 16 != 0) {
      session_.error(view.where, row_bytes, global.name, coordinates[i][0].stride * bytes)
          .note(global.declared, "declared here");
      return false;
    }
  }
  const std::int64_t multiple = std::max<std::int64_t>(16 / bytes, 1);
  const kernel::Index& first = view.slices.back().from;
  if (const std::optional<Interval> range = interval(session_, first); range && !range->multiple_of(multiple)) {
    std::string mend = fmt::format("it begins at {}", range->lo);
    for (const kernel::Term& term : first.terms) {
      const Interval of = interval(session_, term.atom);
      const std::int64_t factor = term.factor;
      if (Interval{0, 0, of.step * factor}.multiple_of(multiple) && of.lo * factor % multiple == 0) continue;
      const std::string name =
          term.atom.kind == kernel::Atom::Kind::reg       ? kernel[static_cast<kernel::RegisterId>(term.atom.id)].name
          : term.atom.kind == kernel::Atom::Kind::counter ? kernel[static_cast<kernel::CounterId>(term.atom.id)].name
                                                          : "";
      if (name.empty()) continue;
      const char* has = of.step == 1 ? "`{}` has no step: declare it `by {}` or more"
                                     : "`{}` has too small a step: declare it `by {}` or more";
      mend = fmt::format(fmt::runtime(has), name, multiple);
      break;
    }
    session_.error(view.where, no_step, session_.one_line(view.where), multiple, mend);
    return false;
  }
  const layout::BoxResult box = layout::tensor_map_box(part_of(session_, tile));
  if (!box.box) {
    session_.error(tile.where, no_box, shared.name, layout_text(shared), box.misfit.reason)
        .note(shared.declared, "declared here");
    return false;
  }
  return true;
}

bool Builder::check_load(kernel::Instruction& made, const tree::Instruction& it) {
  const auto& tile = std::get<kernel::View>(made.operands[0]);
  const auto& view = std::get<kernel::View>(made.operands[1]);
  const auto& barrier = std::get<kernel::BarrierOperand>(made.operands[2]);
  if (tile.end == kernel::EndId::none || session_.kernel[tile.end].side != kernel::Side::producer) {
    session_.error(tile.where, load_tile);
    return false;
  }
  if (const kernel::Buffer& from = session_.kernel[view.buffer]; from.mode == kernel::Mode::out) {
    session_.error(view.where, load_from_out, from.name).note(from.declared, "declared here");
    return false;
  }
  if (barrier.end != tile.end) {
    session_.error(made.operands_where[2], load_signals,
                   fmt::format("`{}` of another end", session_.one_line(made.operands_where[2])));
    return false;
  }
  if (it.across) {
    const std::optional<int> along = evaluator_.axis_named(*it.across);
    if (!along) return false;
    const kernel::Pipe& pipe = session_.kernel[session_.kernel[tile.end].pipe];
    if (pipe.across != along) {
      session_.error(it.across->where, load_across, pipe.name, it.across->text).note(pipe.declared, "declared here");
      return false;
    }
    if (session_.kernel.axes[*along].extent > 1) made.across = along;
  }
  return check_copy(tile, view, made.op->word);
}

bool Builder::check_store(const kernel::Instruction& made) {
  const auto& view = std::get<kernel::View>(made.operands[0]);
  const auto& tile = std::get<kernel::View>(made.operands[1]);
  const kernel::Buffer& buffer = session_.kernel[view.buffer];
  if (buffer.mode == kernel::Mode::in) {
    session_.error(view.where, store_into_in, buffer.name).note(buffer.declared, "declared here");
    return false;
  }
  return check_copy(tile, view, made.op->word);
}

bool Builder::check_prefetch(kernel::Instruction& made, const tree::Instruction& it, Scope& scope) {
  if (!it.for_) return true;
  const Scope::Binding* binding = scope.find(it.for_->text);
  auto* ref = binding ? binding->value.get<BufferRef>() : nullptr;
  if (!ref || session_.kernel[ref->id].space != kernel::MemorySpace::shared) {
    session_.error(it.for_->where, no_buffer, it.for_->text);
    return false;
  }
  std::get<kernel::TensorMapOf>(made.operands[0]).box_for = ref->id;
  return true;
}

// ---- The tensor core

bool Builder::check_mma(kernel::Instruction& made) {
  const kernel::Kernel& kernel = session_.kernel;
  const kernel::View* views[3];
  std::vector<std::int64_t> extents[3];
  for (int i = 0; i < 3; ++i) {
    views[i] = &std::get<kernel::View>(made.operands[i]);
    extents[i] = kernel::kept_extents(*views[i]);
    if (extents[i].size() == 2) continue;
    session_.error(views[i]->where, operand_rank, std::to_string(extents[i].size()));
    return false;
  }
  auto element = [&](int i) { return kernel[views[i]->buffer].element; };
  auto name = [&](int i) { return std::string(layout::name(element(i))); };
  const std::optional<layout::InstructionDescriptor::Kind> kind = layout::mma_kind(element(1), element(2));
  if (!kind) {
    session_.error(views[1]->where, no_kind, name(1), name(2));
    return false;
  }
  if (element(0) != layout::Element::f32) {
    session_.error(views[0]->where, d_element, name(0));
    return false;
  }
  const std::int64_t ctas = made.pair ? 2 : 1;
  const std::int64_t m = extents[1][0] * ctas, n = extents[2][0] * ctas;
  if (made.pair ? m != 128 && m != 256 : m != 64 && m != 128) {
    session_.error(views[1]->where, made.pair ? pair_rows : single_rows, m);
    return false;
  }
  if (n > 4096) {
    session_.error(views[2]->where, bad_shape, fmt::format("N = {} is at most 256", n));
    return false;
  }
  if (std::optional<std::string> misfit =
          layout::mma_shape_misfit(*kind, static_cast<int>(m), static_cast<int>(n), made.pair)) {
    session_.error(views[2]->where, bad_shape, *misfit);
    return false;
  }
  if (extents[1][1] != extents[2][1]) {
    session_.error(views[2]->where, k_differs, extents[1][1], extents[2][1]);
    return false;
  }
  if (const int k = layout::mma_k(*kind); extents[1][1] != k) {
    session_.error(views[1]->where, bad_shape,
                   fmt::format("k = {}: one MMA of {} takes {}", extents[1][1], name(1), k));
    return false;
  }
  if (extents[0][0] != extents[1][0] || extents[0][1] != n) {
    session_.error(views[0]->where, d_extents, kernel::extents_text(extents[0]), std::to_string(extents[1][0]),
                   std::to_string(n));
    return false;
  }
  if (std::optional<layout::Misfit> misfit = layout::accumulator_misfit(
          part_of(session_, *views[0]), static_cast<int>(m), static_cast<int>(n), made.pair)) {
    session_.error(views[0]->where, no_accumulator, session_.one_line(views[0]->where), misfit->reason)
        .note(kernel[views[0]->buffer].declared, layout_text(kernel[views[0]->buffer]));
    return false;
  }
  layout::Major majors[3]{};
  for (int i = 1; i < 3; ++i) {
    const layout::OperandResult result = layout::operand_descriptor(part_of(session_, *views[i]), 1024);
    if (!result.descriptor) {
      const kernel::Buffer& buffer = kernel[views[i]->buffer];
      session_
          .error(views[i]->where, no_descriptor, buffer.name, layout_text(buffer), result.misfit.reason,
                 std::string(layout::operand_encodings()))
          .note(buffer.declared, "declared here");
      return false;
    }
    majors[i] = result.descriptor->major;
  }
  made.m = static_cast<int>(m);
  made.n = static_cast<int>(n);
  made.k = static_cast<int>(extents[1][1]);
  layout::InstructionDescriptor descriptor;
  descriptor.a = element(1);
  descriptor.b = element(2);
  descriptor.d = element(0);
  descriptor.a_major = majors[1];
  descriptor.b_major = majors[2];
  descriptor.m = made.m;
  descriptor.n = made.n;
  made.descriptor = descriptor;
  return true;
}

bool Builder::check_tensor_load(const kernel::Instruction& made) {
  const kernel::Kernel& kernel = session_.kernel;
  const bool loads = made.op->does == Does::ld_tensor;
  const auto& fragment = kernel[std::get<kernel::RegisterOperand>(made.operands[loads ? 0 : 1]).id];
  const auto& view = std::get<kernel::View>(made.operands[loads ? 1 : 0]);
  const kernel::Buffer& buffer = kernel[view.buffer];
  const std::vector<std::int64_t> extents = kernel::kept_extents(view);
  if (extents != fragment.shape) {
    session_.error(view.where, fragment_extents, kernel::extents_text(fragment.shape), kernel::extents_text(extents));
    return false;
  }
  if (layout::bits(fragment.element) != 32 || layout::bits(buffer.element) != 32) {
    session_.error(view.where, fragment_element, std::string(made.op->word),
                   std::string(layout::name(fragment.element)), std::string(layout::name(buffer.element)));
    return false;
  }
  // The cell of every value, relative to the first, is the one that a load of 32 lanes by 32 bits puts there.
  const layout::Part part = part_of(session_, view);
  const layout::Map& map = buffer.layout.map();
  auto address = [&](std::int64_t logical) {
    std::vector<std::int64_t> index = part.start;
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (view.slices[i].picked) continue;
      index[i] += logical % part.extents[i];
      logical /= part.extents[i];
    }
    return map(index);
  };
  const std::int64_t first = address(0);
  for (int thread = 0; thread < 32; ++thread) {
    for (int value = 0; value < fragment.count; ++value) {
      const std::int64_t coordinate[] = {thread, value};
      const std::int64_t at = address((*fragment.fragment)(coordinate)) - first;
      const auto [lane, column] = layout::tensor_load_cell(layout::TensorLoad::x32x32b, thread, value);
      if (at == lane * layout::kTensorLane + column) continue;
      session_
          .error(view.where, fragment_cell, session_.one_line(view.where),
                 fmt::format("value {} of lane {} lies elsewhere", value, thread))
          .note(fragment.declared, "the fragment")
          .note(buffer.declared, layout_text(buffer));
      return false;
    }
  }
  if (fragment.count & (fragment.count - 1) || fragment.count > 128) {
    session_.error(view.where, fragment_columns, fragment.count);
    return false;
  }
  // The 32 lanes that the hardware gives each warp (PTX ISA, tcgen05: access restrictions).
  for (int warp = 0; warp < session_.place.warps; ++warp) {
    std::vector<std::int64_t> index;
    const Fixed fixed{0, warp, nullptr};
    for (const kernel::Slice& slice : view.slices) index.push_back(value_at(session_, slice.from, fixed));
    const int own = (session_.place.first_warp + warp) % 4 * 32;
    const std::int64_t lane = map(index) / layout::kTensorLane;
    if (lane == own) continue;
    session_.error(view.where, warp_lanes, session_.place.first_warp + warp, lane, own, own + 32);
    return false;
  }
  return true;
}

// ---- Accesses of lanes

bool Builder::check_access(const kernel::Instruction& made) {
  const kernel::Kernel& kernel = session_.kernel;
  const auto view_at = std::find_if(made.operands.begin(), made.operands.end(),
                                    [](const kernel::Operand& o) { return std::holds_alternative<kernel::View>(o); });
  const auto& view = std::get<kernel::View>(*view_at);
  const kernel::Buffer& buffer = kernel[view.buffer];
  const std::string word(made.op->word), text = session_.one_line(view.where);
  const std::size_t other = view_at == made.operands.begin() ? 1 : 0;
  const int registers = made.op->slots[other].width;
  const std::vector<std::int64_t> extents = kernel::kept_extents(view);
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) elements *= extent;
  if (elements * layout::bits(buffer.element) != registers * 32) {
    session_.error(view.where, access_width, word, registers * 32,
                   fmt::format("`{}` is {} {} of {}", text, elements, elements == 1 ? "element" : "elements",
                               layout::name(buffer.element)));
    return false;
  }
  if (elements > 1) {
    const kernel::Slice& last = view.slices.back();
    const layout::Coordinate& innermost = buffer.layout.map().coordinates().back();
    if (last.extent != elements || innermost.size() != 1 || innermost[0].stride != 1) {
      session_.error(view.where, access_neighbours, word);
      return false;
    }
    if (const std::optional<Interval> range = interval(session_, last.from); range && !range->multiple_of(elements)) {
      session_.error(view.where, access_alignment, word, text, elements);
      return false;
    }
    if (view.slices.size() > 1 && buffer.shape.back() % elements != 0) {
      session_.error(view.where, access_row, word, text, buffer.shape.back(), elements);
      return false;
    }
  }
  if (made.op->does != Does::global_access) return true;
  if (other == 0 && buffer.mode == kernel::Mode::out) {
    session_.error(view.where, load_from_out, buffer.name).note(buffer.declared, "declared here");
    return false;
  }
  if (other == 1 && buffer.mode == kernel::Mode::in) {
    session_.error(view.where, store_into_in, buffer.name).note(buffer.declared, "declared here");
    return false;
  }
  if (made.guard.facts.inside) return true;
  for (std::size_t i = 0; i < view.slices.size(); ++i) {
    const kernel::Slice& slice = view.slices[i];
    const std::optional<Interval> range = interval(session_, slice.from);
    if (!range || range->hi + slice.extent <= buffer.shape[i]) continue;
    const std::string dimension = view.slices.size() == 2 ? (i == 0 ? "row" : "column") : "coordinate";
    Diagnostic& said =
        session_.error(view.where, unguarded, dimension, text, range->hi + slice.extent, buffer.name, buffer.shape[i]);
    if (made.guard.none()) said.insert(view.where.file, made.opcode_where.begin, "@(inside) ");
    return false;
  }
  return true;
}

}  // namespace warpcc::sema
