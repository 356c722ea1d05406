// Fragments: parts of a tile that is spread over registers, and Hopper's MMA, which accumulates there
// (docs/language.md, sections 4 and 11).
#include <algorithm>

#include "layout/mma.h"
#include "sema/build.h"

namespace warpcc::sema {
namespace {

constexpr Message<std::string, std::size_t, std::size_t> coordinate_count{"wrong-count",
                                                                          "`{}` takes {} coordinates; {} are given"};
constexpr Message<std::string> picked{"fragment-part",
                                      "`{}`: a part of a fragment is of whole registers: `e +: n` or `..`"};
constexpr Message<std::string, std::int64_t, std::string, std::int64_t> reaches{"out-of-range",
                                                                                "`{}` reaches {}, `{}` has {}"};
constexpr Message<std::string> not_registers{
    "fragment-part", "`{}` is no run of whole registers: those that hold it hold other elements of the fragment too"};
constexpr Message<std::int64_t> rows_64{"mma-shape", "M = {}: an MMA of a warpgroup has M = 64"};
constexpr Message<std::string> bad_shape{"mma-shape", "{}"};
constexpr Message<std::string> operand_rank{"mma-shape", "an MMA's operand is rows by k; this has {} extents"};
constexpr Message<std::int64_t, std::int64_t> k_differs{"mma-shape", "A has k = {}, B has k = {}"};
constexpr Message<std::string, std::string> no_kind{"mma-kind", "there is no MMA of {} by {}"};
constexpr Message<std::string, std::string, std::string> d_element{"mma-kind",
                                                                   "an accumulator of {} is of {}; this is of {}"};
constexpr Message<std::string> k_major{"mma-kind", "operands of {} lie with k innermost: `k_major`"};
constexpr Message<std::string, std::int64_t, std::int64_t> d_extents{"mma-shape",
                                                                     "D is {}: A has {} rows and B gives {} columns"};
constexpr Message<std::string, int> unaligned_d{"mma-shape",
                                                "`{}` begins with register {} of the fragment, and an MMA's registers "
                                                "begin at a multiple of 4: where D is of f16 and "
                                                "the fragment has several, N is a multiple of 16"};
constexpr Message<std::string> no_accumulator{
    "no-accumulator",
    "`{}` is not spread over registers as such an MMA leaves D: thread t of the warpgroup has of row 16 * (t / 32) + "
    "t % 32 / 4 the columns 2 * (t % 4) and the next, and so on (`wgmma.d`)"};
constexpr Message<std::string, std::int64_t, std::string> no_register_operand{
    "no-register-operand",
    "`{}` is not spread over registers as such an MMA takes A: thread t of the warpgroup has of row 16 * (t / 32) + "
    "t % 32 / 4 the columns from {} * (t % 4) on, a register full, and so on (`wgmma.{}`)"};
constexpr Message<std::string, std::int64_t, std::int64_t> a_extents{
    "mma-shape", "A is {}: an MMA takes 64 rows by k = {}, {} elements; `e +: n` names a part"};
constexpr Message<std::string, std::string> wide_a{
    "mma-kind", "`{}` is of f32, and A is of {} as B is: `wgmma.pack` makes one of the other"};
constexpr Message<std::string, std::string, std::string, std::string> no_descriptor{
    "no-descriptor", "no descriptor expresses this part of `{}`, {}: {}; there are descriptors for {}"};
constexpr Message<std::string> by_warp{
    "mma-by-warp",
    "the four warps of a warpgroup execute an MMA together, of the same operands; `{}` differs between "
    "them: say `warpgroup`"};
constexpr Message<std::int64_t> wait_groups{"mma-wait", "an `mma.wait` leaves 0 to 7 groups pending; this says {}"};

constexpr Message<> at_takes_one{"wrong-count", "`at` takes the number of a value, known at compile time"};
constexpr Message<std::int64_t, std::int64_t> at_reaches{"out-of-range", "value {} of a fragment that has {} a lane"};
constexpr Message<> at_no_sum{"fragment-part",
                              "the coordinates of this value are no sums over the lane's digits: its layout carries"};

// The element of the tile that a value of a thread is, as coordinates.
std::vector<std::int64_t> element_of(const kernel::Register& reg, std::int64_t thread, std::int64_t value) {
  const std::int64_t at[] = {thread, value};
  std::int64_t logical = (*reg.fragment)(at);
  std::vector<std::int64_t> element;
  for (const std::int64_t extent : reg.shape) {
    element.push_back(logical % extent);
    logical /= extent;
  }
  return element;
}

std::vector<std::int64_t> extents_of(const kernel::View& view) {
  std::vector<std::int64_t> extents;
  for (const kernel::Slice& slice : view.slices) {
    if (!slice.picked) extents.push_back(slice.extent);
  }
  return extents;
}

// What Hopper's tensor core multiplies here, each with its own kind, and what it adds the products in (PTX ISA,
// wgmma.mma_async).
bool multiplied(layout::Element element) {
  using enum layout::Element;
  return element == f16 || element == bf16 || element == tf32 || element == f8e4m3 || element == s8;
}
bool adds_in(layout::Element operands, layout::Element d) {
  using enum layout::Element;
  if (operands == s8) return d == s32;
  return d == f32 || (d == f16 && operands == f16);
}

// Whether these registers have a fragment's elements as an instruction's layout, of a warpgroup's 64 rows, says; from
// the first element on.
bool spread_as(const kernel::Register& fragment, const kernel::RegisterOperand& part, const layout::Map& wanted) {
  const std::int64_t each = 32 / layout::bits(fragment.element);
  const std::vector<std::int64_t> first = element_of(fragment, 0, part.part * each);
  for (std::int64_t thread = 0; thread < 128; ++thread) {
    for (std::int64_t value = 0; value < part.count * each; ++value) {
      const std::int64_t at[] = {thread, value};
      const std::int64_t element = wanted(at);
      const std::vector<std::int64_t> given = element_of(fragment, thread, part.part * each + value);
      if (given[0] - first[0] != element % layout::kWgmmaRows || given[1] - first[1] != element / layout::kWgmmaRows)
        return false;
    }
  }
  return true;
}

bool depends_on_warp(const kernel::Kernel& kernel, const kernel::Index& index) {
  return std::any_of(index.terms.begin(), index.terms.end(), [&](const kernel::Term& term) {
    if (term.atom.kind == kernel::Atom::Kind::warp) return true;
    if (term.atom.kind != kernel::Atom::Kind::divided) return false;
    const kernel::Divided& of = kernel.divided[static_cast<std::size_t>(term.atom.id)];
    // warp / 4 is the warpgroup.
    const bool group = !of.remainder && of.divisor % 4 == 0 && of.numerator.terms.size() == 1 &&
                       of.numerator.terms[0].factor == 1 && of.numerator.constant % 4 == 0;
    return !group && depends_on_warp(kernel, of.numerator);
  });
}

}  // namespace

Value Evaluator::part_of_fragment(FragmentRef of, const tree::Expr::View& view, SourceRange where, Scope& scope) {
  const kernel::Register& reg = session_.kernel[of.id];
  if (view.coords.size() != of.extents.size()) {
    session_.error(where, coordinate_count, session_.one_line(view.of->where), of.extents.size(), view.coords.size());
    return Bad{};
  }
  for (std::size_t i = 0; i < view.coords.size(); ++i) {
    const tree::Coord& coord = view.coords[i];
    if (coord.whole) continue;
    if (!coord.extent) {
      session_.error(coord.where, picked, session_.one_line(where));
      return Bad{};
    }
    const std::optional<std::int64_t> from = integer(*coord.from, scope, "a place in a fragment");
    const std::optional<std::int64_t> extent =
        from ? integer(*coord.extent, scope, "the extent") : std::optional<std::int64_t>();
    if (!extent) return Bad{};
    const std::int64_t has = of.extents[i];
    if (*from < 0 || *extent < 1 || *from > has || *extent > has - *from) {
      session_.error(coord.where, reaches, session_.one_line(coord.where), *from < 0 ? *from : *from + *extent,
                     session_.one_line(view.of->where), has);
      return Bad{};
    }
    of.from[i] += *from;
    of.extents[i] = *extent;
  }
  // The registers that hold the part, on every thread the same.
  const std::int64_t each = 32 / layout::bits(reg.element);
  int first = -1, count = 0;
  for (int number = of.first; number < of.first + of.count; ++number) {
    std::int64_t inside = 0;
    for (std::int64_t thread = 0; thread < reg.fragment->extent(0); ++thread) {
      for (std::int64_t value = number * each; value < (number + 1) * each; ++value) {
        const std::vector<std::int64_t> element = element_of(reg, thread, value);
        bool in = true;
        for (std::size_t i = 0; i < element.size(); ++i)
          in = in && element[i] >= of.from[i] && element[i] < of.from[i] + of.extents[i];
        inside += in ? 1 : 0;
      }
    }
    if (inside == 0) continue;
    const bool whole = inside == each * reg.fragment->extent(0);
    if (!whole || (first >= 0 && number != first + count)) {
      session_.error(where, not_registers, session_.one_line(where)).note(reg.declared, "the fragment");
      return Bad{};
    }
    if (first < 0) first = number;
    ++count;
  }
  of.first = first;
  of.count = count;
  return of;
}

// `v.at(i)`: the coordinates, a lane, of the i-th value. The thread is the lane, of a warpgroup with the warp above it;
// its digits in the layout's modes each go to one coordinate.
Value Evaluator::coordinates_of(const FragmentRef& of, const tree::Expr::Call& call, SourceRange where, Scope& scope) {
  const kernel::Register& reg = session_.kernel[of.id];
  const std::int64_t each = 32 / std::min<std::int64_t>(layout::bits(reg.element), 32);
  if (call.arguments.size() != 1 || call.arguments[0].name) {
    session_.error(where, at_takes_one);
    return Bad{};
  }
  const std::optional<std::int64_t> number = integer(*call.arguments[0].value, scope, "the number of a value");
  if (!number) return Bad{};
  if (*number < 0 || *number >= of.count * each) {
    session_.error(call.arguments[0].value->where, at_reaches, *number, of.count * each);
    return Bad{};
  }
  const std::int64_t value = of.first * each + *number;
  const std::vector<std::int64_t> first = element_of(reg, 0, value);
  std::vector<kernel::Index> coordinates(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) coordinates[i].constant = first[i] - of.from[i];

  auto digit = [&](std::int64_t before, std::int64_t extent) {
    kernel::Index index{0, {{{kernel::Atom::Kind::lane, 0}, 1}}};
    if (before >= 32) {
      index = {0, {{{kernel::Atom::Kind::warp, 0}, 1}}};
      index = divided(session_, index, 4, true);
      before /= 32;
    }
    if (before > 1) index = divided(session_, index, before, false);
    return divided(session_, index, extent, true);
  };
  std::int64_t before = 1;
  for (const layout::Mode& mode : reg.fragment->coordinates()[0]) {
    // A mode that runs over the lanes into the warps is two.
    std::vector<layout::Mode> parts{mode};
    if (before < 32 && before * mode.extent > 32) {
      const std::int64_t low = 32 / before;
      parts = {{low, mode.stride}, {mode.extent / low, mode.stride * low}};
    }
    for (const layout::Mode& part : parts) {
      std::int64_t size = 1;
      for (std::size_t i = 0; i < coordinates.size(); size *= reg.shape[i], ++i) {
        if (part.stride % size != 0 || part.stride / size >= reg.shape[i]) continue;
        coordinates[i] = coordinates[i] + digit(before, part.extent) * (part.stride / size);
        break;
      }
      before *= part.extent;
    }
  }
  // No digit carries into another coordinate.
  for (std::int64_t thread = 0; thread < reg.fragment->extent(0); ++thread) {
    const std::vector<std::int64_t> element = element_of(reg, thread, value);
    for (std::size_t i = 0; i < element.size(); ++i) {
      const Fixed fixed{thread % 32, thread / 32, nullptr};
      if (value_at(session_, coordinates[i], fixed) == element[i] - of.from[i]) continue;
      session_.error(where, at_no_sum).note(reg.declared, "the fragment");
      return Bad{};
    }
  }
  return Tuple{std::make_shared<std::vector<Value>>(coordinates.begin(), coordinates.end())};
}

// D in registers, 64 rows an instruction; A in shared memory or in registers; B in shared memory.
bool Builder::check_warpgroup_mma(kernel::Instruction& made) {
  const kernel::Kernel& kernel = session_.kernel;
  const auto& d = std::get<kernel::RegisterOperand>(made.operands[0]);
  const kernel::Register& fragment = kernel[d.id];
  const auto* in_registers = std::get_if<kernel::RegisterOperand>(&made.operands[1]);
  const kernel::View* views[2] = {std::get_if<kernel::View>(&made.operands[1]),
                                  &std::get<kernel::View>(made.operands[2])};
  const SourceRange a_where = made.operands_where[1];
  std::vector<std::int64_t> extents[2];
  for (int i = 0; i < 2; ++i) {
    if (!views[i]) continue;
    extents[i] = extents_of(*views[i]);
    if (extents[i].size() == 2) continue;
    session_.error(views[i]->where, operand_rank, std::to_string(extents[i].size()));
    return false;
  }
  const layout::Element a = in_registers ? kernel[in_registers->id].element : kernel[views[0]->buffer].element;
  const layout::Element b = kernel[views[1]->buffer].element;
  const std::optional<layout::InstructionDescriptor::Kind> kind = layout::mma_kind(a, b);
  const bool halves = b == layout::Element::f16 || b == layout::Element::bf16;
  if (in_registers && a == layout::Element::f32 && halves) {
    session_.error(a_where, wide_a, session_.one_line(a_where), std::string(layout::name(b)))
        .note(kernel[in_registers->id].declared, "the fragment");
    return false;
  }
  if (!kind || a != b || !multiplied(a)) {
    session_.error(a_where, no_kind, std::string(layout::name(a)), std::string(layout::name(b)));
    return false;
  }
  if (in_registers) {
    const std::int64_t k_of_one = layout::mma_k(*kind);
    if (!multiplies(made, a_where, k_of_one)) return false;
    extents[0] = {layout::kWgmmaRows, k_of_one};
  }
  if (!adds_in(a, fragment.element)) {
    session_.error(made.operands_where[0], d_element, std::string(layout::name(a)),
                   a == layout::Element::s8    ? "s32"
                   : a == layout::Element::f16 ? "f32 or f16"
                                               : "f32",
                   std::string(layout::name(fragment.element)));
    return false;
  }
  const std::int64_t m = extents[0][0], n = extents[1][0], k = extents[0][1];
  if (m != layout::kWgmmaRows) {
    session_.error(a_where, rows_64, m);
    return false;
  }
  if (n > 256) {
    session_.error(views[1]->where, bad_shape, fmt::format("N = {} is at most 256", n));
    return false;
  }
  if (std::optional<std::string> misfit = layout::wgmma_shape_misfit(*kind, static_cast<int>(n))) {
    session_.error(views[1]->where, bad_shape, *misfit);
    return false;
  }
  if (k != extents[1][1]) {
    session_.error(views[1]->where, k_differs, k, extents[1][1]);
    return false;
  }
  if (k != layout::mma_k(*kind)) {
    session_.error(
        a_where, bad_shape,
        fmt::format("k = {}: one MMA of {} takes {}", k, std::string(layout::name(a)), layout::mma_k(*kind)));
    return false;
  }
  if (!accumulates(made, m, n)) return false;

  layout::Major majors[2]{};
  for (int i = 0; i < 2; ++i) {
    if (!views[i]) continue;
    const kernel::Buffer& buffer = kernel[views[i]->buffer];
    layout::Part part{buffer.layout, buffer.element, {}, {}}, next = part;
    for (const kernel::Slice& slice : views[i]->slices) {
      if (depends_on_warp(kernel, slice.from) || differs_by_lane(kernel, slice.from)) {
        session_.error(views[i]->where, by_warp, session_.one_line(views[i]->where));
        return false;
      }
      const Interval range = interval(session_, slice.from).value_or(Interval{});
      part.start.push_back(range.lo);
      next.start.push_back(std::min(range.lo + range.step, range.hi));
      part.extents.push_back(slice.extent);
      next.extents.push_back(slice.extent);
    }
    // Where coordinates move, every place has the same descriptor but for its start.
    for (const layout::Part& at : {part, next}) {
      const layout::OperandResult result = layout::operand_descriptor(at, 1024, layout::TensorCore::wgmma);
      if (result.descriptor) {
        majors[i] = result.descriptor->major;
        if (majors[i] == layout::Major::k || layout::bits(buffer.element) == 16) continue;
        session_.error(views[i]->where, k_major, std::string(layout::name(a))).note(buffer.declared, "declared here");
        return false;
      }
      std::string text = "laid out as " + buffer.layout.map().text();
      if (const int span = buffer.layout.swizzle().span()) text += fmt::format(" with a swizzle of {} bytes", span);
      session_
          .error(views[i]->where, no_descriptor, buffer.name, text, result.misfit.reason,
                 std::string(layout::operand_encodings()))
          .note(buffer.declared, "declared here");
      return false;
    }
  }
  made.m = static_cast<int>(m);
  made.n = static_cast<int>(n);
  made.k = static_cast<int>(k);
  layout::InstructionDescriptor descriptor;
  descriptor.a = a;
  descriptor.b = b;
  descriptor.d = fragment.element;
  descriptor.a_major = majors[0];
  descriptor.b_major = majors[1];
  descriptor.m = made.m;
  descriptor.n = made.n;
  made.descriptor = descriptor;
  return true;
}

// Whether D's registers hold its elements where the instruction puts them.
bool Builder::accumulates(const kernel::Instruction& made, std::int64_t m, std::int64_t n) {
  const auto& d = std::get<kernel::RegisterOperand>(made.operands[0]);
  const kernel::Register& fragment = session_.kernel[d.id];
  const SourceRange where = made.operands_where[0];
  const std::int64_t each = 32 / layout::bits(fragment.element);
  if (fragment.shape.size() != 2 || fragment.fragment->extent(0) != 128 || d.count * each != m * n / 128) {
    const std::int64_t elements = d.count * each * fragment.fragment->extent(0);
    session_.error(where, d_extents, fmt::format("{} elements", elements), m, n)
        .note(fragment.declared, "the fragment");
    return false;
  }
  if (d.part % std::min(d.count, 4) != 0) {
    session_.error(where, unaligned_d, session_.one_line(where), d.part).note(fragment.declared, "the fragment");
    return false;
  }
  if (spread_as(fragment, d, layout::wgmma_accumulator(static_cast<int>(n)))) return true;
  session_.error(where, no_accumulator, session_.one_line(where)).note(fragment.declared, "the fragment");
  return false;
}

// Whether A's registers hold 64 rows by k where the instruction takes them.
bool Builder::multiplies(const kernel::Instruction& made, SourceRange where, std::int64_t k) {
  const auto& a = std::get<kernel::RegisterOperand>(made.operands[1]);
  const kernel::Register& fragment = session_.kernel[a.id];
  const std::int64_t elements = a.count * (32 / layout::bits(fragment.element)) * fragment.fragment->extent(0);
  if (fragment.shape.size() != 2 || elements != layout::kWgmmaRows * k) {
    session_.error(where, a_extents, fmt::format("{} elements", elements), k, layout::kWgmmaRows * k)
        .note(fragment.declared, "the fragment");
    return false;
  }
  if (fragment.fragment->extent(0) == 128 && spread_as(fragment, a, layout::wgmma_register_operand(fragment.element)))
    return true;
  const int bits = layout::bits(fragment.element);
  session_.error(where, no_register_operand, session_.one_line(where), 32 / bits, bits == 16 ? "a" : "a_of")
      .note(fragment.declared, "the fragment");
  return false;
}

bool Builder::check_mma_wait(const kernel::Instruction& made) {
  const std::int64_t groups = std::get<std::int64_t>(made.operands[0]);
  if (groups >= 0 && groups <= 7) return true;
  session_.error(made.operands_where[0], wait_groups, groups);
  return false;
}

}  // namespace warpcc::sema
