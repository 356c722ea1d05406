#include "report/layout_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "layout/atoms.h"
#include "report/kernel_walk.h"

namespace warpcc::report {
namespace {

using kernel::MemorySpace;

std::string plural(std::int64_t count, std::string_view one, std::string_view many = "") {
  return fmt::format("{} {}", count,
                     count == 1     ? std::string(one)
                     : many.empty() ? fmt::format("{}s", one)
                                    : std::string(many));
}

std::string cost_text(const layout::Arithmetic& cost) {
  std::string text;
  const auto part = [&](int count, std::string_view one) {
    if (count != 0) text += (text.empty() ? "" : ", ") + plural(count, one);
  };
  part(cost.multiplies, "multiplication");
  part(cost.divisions, "division");
  part(cost.remainders, "remainder");
  if (text.empty()) return "no multiplication, division or remainder";
  const int all = cost.multiplies + cost.divisions + cost.remainders;
  if (cost.shifts == all) return text + (all == 1 ? ": a shift or a mask" : ": all shifts or masks");
  if (cost.shifts == 0) return text;
  return text + fmt::format(": {} of them shifts or masks", cost.shifts);
}

std::string form_text(layout::Form form, const std::string& why) {
  return fmt::format("{}: {}", layout::name(form), why);
}

std::string swizzle_text(const layout::Swizzle& swizzle) {
  if (swizzle.bits == 0) return "";
  return swizzle.base == 4 ? fmt::format(" swizzle {}", swizzle.span())
                           : fmt::format(" swizzle {} of {} bytes", swizzle.span(), 1 << swizzle.base);
}

std::int64_t bytes_of(std::int64_t elements, layout::Element element) {
  return (elements * layout::bits(element) + 7) / 8;
}

// ---- buffers and fragments

const char* word(MemorySpace space) {
  return space == MemorySpace::shared ? "shared" : space == MemorySpace::tensor ? "tensor" : "global";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

// The layout with its modes cut where the swizzle's units and its pattern end: what lies within a unit, and beyond the
// pattern, is only added.
layout::Physical cut_for_swizzle(const layout::Physical& layout, int bits) {
  const layout::Swizzle& swizzle = layout.swizzle();
  const std::array<std::int64_t, 2> ends{(std::int64_t{8} << swizzle.base) / bits, swizzle.pattern() * 8 / bits};
  std::vector<layout::Coordinate> coordinates;
  for (const layout::Coordinate& coordinate : layout.map().coordinates()) {
    layout::Coordinate& modes = coordinates.emplace_back();
    for (layout::Mode mode : coordinate) {
      for (const std::int64_t end : ends) {
        const std::int64_t steps = mode.stride > 0 && end % mode.stride == 0 ? end / mode.stride : 1;
        if (steps == 1 || steps >= mode.extent || mode.extent % steps != 0) continue;
        modes.push_back({steps, mode.stride});
        mode = {mode.extent / steps, end};
      }
      modes.push_back(mode);
    }
  }
  llvm::Expected<layout::Physical> cut =
      layout::Physical::make(layout::Map(std::move(coordinates), layout.map().offset()), swizzle);
  if (cut) return std::move(*cut);
  llvm::consumeError(cut.takeError());
  return layout;
}

std::vector<std::string> buffer_facts(const kernel::Buffer& buffer) {
  const layout::Physical& layout = buffer.layout;
  std::vector<std::string> facts;
  facts.push_back(fmt::format("logical -> physical: {}{}", layout.map().text(), swizzle_text(layout.swizzle())));
  if (buffer.empty()) return {facts[0], "no elements or no copies: it takes no memory"};
  const layout::Emission emission(layout.map());
  facts.push_back(form_text(emission.form(), emission.why()));
  facts.push_back("its address: " + cost_text(emission.arithmetic()));
  if (layout.swizzle().bits != 0) {
    const int bits = layout::bits(buffer.element);
    const layout::SwizzleParts parts = layout::swizzle_parts(cut_for_swizzle(layout, bits), bits);
    facts.push_back(fmt::format("{} added beside the swizzle: {}; under it: {}",
                                parts.unit_bits == 8 ? "bytes" : "bits", parts.added.text(), parts.xored.text()));
  }
  if (buffer.space == MemorySpace::tensor) {
    facts.push_back(fmt::format("an address is lane × {:#x} + column", layout::kTensorLane));
    return facts;
  }
  std::int64_t copies = 1;
  for (const kernel::Copies& copy : buffer.copies) copies *= copy.count;
  const std::int64_t bytes = layout.bytes(layout::bits(buffer.element));
  facts.push_back(copies == 1
                      ? plural(bytes, "byte")
                      : fmt::format("{}; {} with its {} copies", plural(bytes, "byte"), bytes * copies, copies));
  return facts;
}

std::string buffer_head(const kernel::Buffer& buffer) {
  std::string head = fmt::format("{} {}: ", word(buffer.space), buffer.name);
  for (const kernel::Copies& copies : buffer.copies) {
    constexpr const char* kWords[] = {"ring", "warps", "warpgroups"};
    head += fmt::format("{}({}) of ", kWords[static_cast<int>(copies.kind)], copies.count);
  }
  return head + fmt::format("{}{}", layout::name(buffer.element), shape_text(buffer.shape));
}

}  // namespace

LayoutSubject layout_subject(const kernel::Buffer& buffer) {
  return {buffer.name, buffer_head(buffer), buffer_facts(buffer), {}, buffer.declared, &buffer, nullptr};
}

LayoutSubject layout_subject(const kernel::Register& reg) {
  const layout::ThreadValue& layout = *reg.fragment;
  const layout::Emission emission(layout);
  const std::int64_t values = layout.extent(1);
  LayoutSubject subject{
      reg.name,     fmt::format("regs {}: {}{}", reg.name, layout::name(reg.element), shape_text(reg.shape)),
      {},           {},
      reg.declared, nullptr,
      &reg};
  subject.facts.push_back("thread, value -> logical: " + layout.text());
  subject.facts.push_back(form_text(emission.form(), emission.why()));
  subject.facts.push_back(fmt::format("{} of {} threads, in {} of each", plural(values, "value"), layout.extent(0),
                                      plural((bytes_of(values, reg.element) + 3) / 4, "register")));
  return subject;
}

namespace {

// ---- operands

// The indices that an operand's coordinate is made of, besides the view's own.
layout::IndexSum sum_of(const KernelWalk& walk, const kernel::Slice& slice, std::size_t dimension) {
  layout::IndexSum sum{slice.from.constant, {}};
  for (const kernel::Term& term : slice.from.terms) {
    const kernel::Range range = walk.range(term.atom);
    const std::int64_t count = walk.count(term.atom);
    std::int64_t step = term.factor * range.step;
    sum.constant += term.factor * range.begin;
    layout::Digit digit{walk.name(term.atom), count, step};
    if (step < 0 && count > 1) {  // counted from the other end
      sum.constant += step * (count - 1);
      digit.step = -step;
    }
    if (count > 1) sum.digits.push_back(std::move(digit));
  }
  if (!slice.picked) sum.digits.push_back({fmt::format("coordinate {}", dimension), slice.extent, 1});
  return sum;
}

std::vector<std::int64_t> shape_of(const kernel::View& view) {
  std::vector<std::int64_t> shape;
  for (const kernel::Slice& slice : view.slices)
    if (!slice.picked) shape.push_back(slice.extent);
  return shape;
}

// The part that the view is where all its indices are at their first value.
layout::Part part_of(const KernelWalk& walk, const kernel::View& view, const kernel::Buffer& buffer) {
  layout::Part part{buffer.layout, buffer.element, {}, {}};
  const KernelWalk::Place first;
  for (const kernel::Slice& slice : view.slices) {
    part.start.push_back(walk.value(slice.from, first));
    part.extents.push_back(slice.extent);
  }
  return part;
}

void add_encodings(const KernelWalk& walk, const kernel::Instruction& instruction, const kernel::View& view,
                   LayoutUse& use) {
  const kernel::Buffer& buffer = walk.kernel()[view.buffer];
  if (buffer.space != MemorySpace::shared || view.slices.size() != 2) return;
  const layout::Part part = part_of(walk, view, buffer);
  if (instruction.op->word.starts_with("mma")) {
    const auto core =
        walk.kernel().target == isa::Target::sm_90a ? layout::TensorCore::wgmma : layout::TensorCore::tcgen05;
    const layout::OperandResult operand = layout::operand_descriptor(part, 0, core);
    if (!operand.descriptor) return;
    layout::OperandDescriptor descriptor = *operand.descriptor;
    use.starts = {descriptor.start};
    descriptor.start = 0;
    const std::uint64_t bits = descriptor.encode(core);
    use.facts.push_back(
        fmt::format("descriptor {:#018x}, high word {:#010x}: {}-major, swizzle {}, leading {}, stride {} bytes", bits,
                    bits >> 32, descriptor.major == layout::Major::k ? "K" : "MN", descriptor.swizzle_span,
                    descriptor.leading, descriptor.stride));
  } else if (instruction.op->word.starts_with("load") || instruction.op->word.starts_with("store")) {
    const layout::BoxResult box = layout::tensor_map_box(part);
    if (box.box)
      use.facts.push_back(
          fmt::format("box {}{}", layout::tuple_text(box.box->extents),
                      box.box->swizzle_span != 0 ? fmt::format(" swizzle {}", box.box->swizzle_span) : ""));
  }
}

// The lanes' addresses at each place that the other indices may be at, up to so many.
void add_access(const KernelWalk& walk, const kernel::Instruction& instruction, const kernel::View& view,
                LayoutUse& use) {
  const kernel::Buffer& buffer = walk.kernel()[view.buffer];
  const std::string_view word = instruction.op->word;
  const bool shared = word.starts_with("lds") || word.starts_with("sts");
  const bool global = word.starts_with("ldg") || word.starts_with("stg") || word.starts_with("redg");
  if (!shared && !global) return;
  const int bits = layout::bits(buffer.element);
  std::int64_t elements = 1;
  for (const kernel::Slice& slice : view.slices) elements *= slice.extent;
  const int lane_bytes = static_cast<int>(std::min<std::int64_t>(bytes_of(elements, buffer.element), 16));
  int most = -1, least = 0, best_least = 0;
  walk.each_place(view, [&](KernelWalk::Place place) {
    WarpAccess access{{}, lane_bytes};
    for (int lane = 0; lane < 32; ++lane) {
      place.lane = lane;
      if (!walk.holds(instruction.guard.facts, place)) {
        access.lanes.emplace_back();
        continue;
      }
      std::vector<std::int64_t> index;
      for (const kernel::Slice& slice : view.slices) index.push_back(walk.value(slice.from, place));
      access.lanes.emplace_back(buffer.layout.byte(index, bits));
    }
    const layout::BankPasses passes = layout::bank_passes(access.lanes, lane_bytes);
    const layout::Sectors sectors = layout::sectors(access.lanes, lane_bytes);
    const int cost = shared ? passes.passes : sectors.touched;
    if (most < 0 || cost < least) least = cost;
    if (cost > most) {
      most = cost;
      best_least = shared ? passes.least : sectors.least;
      use.access = std::move(access);
    }
  });
  if (most < 0) return;
  use.most_passes = most;
  use.least_passes = least;
  const std::string range = least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
  if (global) {
    use.facts.push_back(fmt::format("a warp touches {} sectors of 32 bytes; its bytes fill {}", range, best_least));
    use.access.reset();
    return;
  }
  const layout::BankPasses worst = layout::bank_passes(use.access->lanes, lane_bytes);
  if (worst.conflicts() || least != most)
    use.facts.push_back(fmt::format("bank conflicts: {} passes, {} without; {} words of bank {} at once", range,
                                    worst.least, worst.ways, worst.bank));
  else
    use.facts.push_back(fmt::format("no bank conflicts: {}", plural(most, "pass", "passes")));
}

LayoutUse use_of(const KernelWalk& walk, const kernel::Instruction& instruction, const kernel::View& view,
                 const Sources& sources) {
  const kernel::Buffer& buffer = walk.kernel()[view.buffer];
  LayoutUse use;
  use.instruction = instruction.where;
  use.text = instruction.text;
  use.operand = one_line(sources.text(view.where));
  use.shape = shape_of(view);
  std::vector<layout::IndexSum> sums;
  for (std::size_t i = 0; i < view.slices.size(); ++i) sums.push_back(sum_of(walk, view.slices[i], i));
  use.address = layout::indexed(buffer.layout.map(), sums);
  std::int64_t elements = 1;
  for (const std::int64_t extent : use.shape) elements *= extent;
  const bool lanes = instruction.op->issue == isa::Issue::lane;
  const std::int64_t bytes = bytes_of(elements, buffer.element);
  use.facts.push_back(form_text(use.address.form(), use.address.why()));
  use.facts.push_back(
      fmt::format("{}{}; {}", plural(bytes, "byte"), lanes ? " a lane" : "", cost_text(use.address.arithmetic)));
  if (lanes && buffer.layout.swizzle().bits != 0)
    use.facts.push_back("then the swizzle: at most a shift, a mask and an XOR");
  add_access(walk, instruction, view, use);
  add_encodings(walk, instruction, view, use);
  return use;
}

// Where the parts that descriptors begin with lie; nothing where all are at the tile's start.
std::string starts_text(std::vector<std::uint32_t> starts) {
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  if (starts.empty() || starts.back() == 0) return "";
  std::string text = "    start: +";
  for (std::size_t i = 0; i < starts.size() && i < 16; ++i) text += fmt::format("{}{}", i == 0 ? " " : ", ", starts[i]);
  return text + (starts.size() > 16 ? " … bytes\n" : " bytes\n");
}

// Unrolled instructions have one place in the text; what is said of them may still differ.
void add_use(std::vector<LayoutUse>& uses, LayoutUse use) {
  for (LayoutUse& other : uses)
    if (other.instruction == use.instruction && other.operand == use.operand && other.shape == use.shape &&
        other.facts == use.facts) {
      ++other.count;
      other.starts.insert(other.starts.end(), use.starts.begin(), use.starts.end());
      return;
    }
  uses.push_back(std::move(use));
}

}  // namespace

std::vector<LayoutUse> layout_uses(const kernel::Kernel& kernel, const Sources& sources, SourceRange instruction) {
  std::vector<LayoutUse> uses;
  KernelWalk walk(kernel);
  walk.each_instruction([&](const kernel::Instruction& each) {
    if (each.where != instruction) return;
    for (const kernel::Operand& operand : each.operands) {
      if (auto* view = std::get_if<kernel::View>(&operand)) add_use(uses, use_of(walk, each, *view, sources));
    }
  });
  return uses;
}

std::vector<LayoutSubject> layout_subjects(const kernel::Kernel& kernel, const Sources& sources) {
  std::vector<LayoutSubject> subjects;
  for (const kernel::Buffer& buffer : kernel.buffers) subjects.push_back(layout_subject(buffer));
  for (const kernel::Register& reg : kernel.registers_declared)
    if (reg.fragment) subjects.push_back(layout_subject(reg));
  KernelWalk walk(kernel);
  walk.each_instruction([&](const kernel::Instruction& instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const kernel::Operand& operand = instruction.operands[i];
      if (auto* view = std::get_if<kernel::View>(&operand))
        add_use(subjects[static_cast<std::size_t>(view->buffer)].uses, use_of(walk, instruction, *view, sources));
      auto* reg = std::get_if<kernel::RegisterOperand>(&operand);
      if (!reg || reg->id == kernel::RegisterId::none || !kernel[reg->id].fragment) continue;
      const auto fragment = std::find_if(subjects.begin(), subjects.end(), [&](const LayoutSubject& subject) {
        return subject.fragment == &kernel[reg->id];
      });
      // Its registers are known when it is compiled: there is no address to explain.
      LayoutUse use{instruction.where, instruction.text, {}, 1, {}, {}, {}, {}, {}, 0, 0};
      if (i < instruction.operands_where.size()) use.operand = one_line(sources.text(instruction.operands_where[i]));
      add_use(fragment->uses, std::move(use));
    }
  });
  return subjects;
}

std::string layout_text(const LayoutSubject& subject, const Sources& sources) {
  std::string out = subject.head + "\n";
  for (const std::string& fact : subject.facts) out += "    " + fact + "\n";
  for (const LayoutUse& use : subject.uses) {
    out += fmt::format("  {}: {}{}\n", sources.place(use.instruction), use.text,
                       use.count > 1 ? fmt::format("  ({} times)", use.count) : "");
    if (subject.buffer)
      out += fmt::format("    {}: {}\n", use.operand, use.shape.empty() ? "an element" : layout::tuple_text(use.shape));
    else
      out += fmt::format("    {}\n", use.operand);
    for (const std::string& fact : use.facts) out += "    " + fact + "\n";
    out += starts_text(use.starts);
  }
  return out;
}

llvm::Expected<layout::Picture> layout_picture(const LayoutSubject& subject) {
  if (subject.fragment) {
    llvm::Expected<layout::Picture> picture =
        layout::picture_of(*subject.fragment->fragment, subject.fragment->shape, subject.fragment->element);
    if (picture) picture->title = subject.head + ", " + picture->title;
    return picture;
  }
  const kernel::Buffer& buffer = *subject.buffer;
  const layout::Memory memory = buffer.space == MemorySpace::shared   ? layout::Memory::shared
                                : buffer.space == MemorySpace::tensor ? layout::Memory::tensor
                                                                      : layout::Memory::global;
  llvm::Expected<layout::Picture> picture = layout::picture_of(buffer.layout, buffer.element, memory);
  if (picture) picture->title = subject.head + ", " + picture->title;
  return picture;
}

}  // namespace warpcc::report
