// Hopper's tensor core: D in the registers of a warpgroup, A there or in shared memory, B in shared memory
// (docs/sass-text.md, section 7).
#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;

// `HGMMA.64x128x16.F32.BF16`
std::string opcode_of(const kernel::Instruction& instruction) {
  using enum layout::Element;
  const layout::InstructionDescriptor& shape = *instruction.descriptor;
  const char* name = shape.a == s8 ? "IGMMA" : shape.a == f8e4m3 ? "QGMMA" : "HGMMA";
  const char* types = shape.a == s8       ? "S8.S8"
                      : shape.a == f8e4m3 ? "F32.E4M3.E4M3"
                      : shape.a == tf32   ? "F32.TF32"
                      : shape.a == bf16   ? "F32.BF16"
                      : shape.d == f16    ? "F16"
                                          : "F32";
  return fmt::format("{}.64x{}x{}.{}", name, instruction.n, instruction.k, types);
}

// Where the registers of an operand lie in their fragment's tile.
struct Area {
  std::vector<std::int64_t> from, to;
};

Area area_of(const kernel::Register& fragment, const kernel::RegisterOperand& operand) {
  Area area;
  const std::int64_t each = 32 / layout::bits(fragment.element);
  for (std::int64_t thread = 0; thread < fragment.fragment->extent(0); ++thread) {
    for (std::int64_t value = operand.part * each; value < (operand.part + operand.count) * each; ++value) {
      const std::int64_t at[] = {thread, value};
      std::int64_t logical = (*fragment.fragment)(at);
      for (std::size_t i = 0; i < fragment.shape.size(); ++i) {
        std::int64_t index = logical % fragment.shape[i];
        logical /= fragment.shape[i];
        if (area.from.size() == i) area.from.push_back(index), area.to.push_back(index);
        area.from[i] = std::min(area.from[i], index);
        area.to[i] = std::max(area.to[i], index);
      }
    }
  }
  return area;
}

}  // namespace

// The fragment in the header: declared where an MMA first names it.
std::int32_t Lower::fragment(kernel::RegisterId id) {
  auto [entry, is_new] = fragments_.try_emplace(id, static_cast<std::int32_t>(program_.fragments.size()));
  if (is_new) {
    const kernel::Register& reg = kernel_[id];
    sass::Fragment made;
    made.value = values_.reg(id).value;
    made.element = reg.element;
    made.rows = reg.shape[0];
    made.columns = reg.shape[1];
    made.layout = *reg.fragment;
    program_.fragments.push_back(std::move(made));
  }
  return entry->second;
}

sass::View Lower::fragment_view(const kernel::RegisterOperand& operand) {
  const kernel::Register& reg = kernel_[operand.id];
  sass::View view;
  view.fragment = fragment(operand.id);
  Area area = area_of(reg, operand);
  for (std::size_t i = 0; i < reg.shape.size(); ++i) {
    sass::Coord coord;
    coord.whole = area.from[i] == 0 && area.to[i] + 1 == reg.shape[i];
    if (!coord.whole) {
      coord.from = sass::Expr::of(area.from[i]);
      coord.extent = area.to[i] + 1 - area.from[i];
    }
    view.coordinates.push_back(std::move(coord));
  }
  return view;
}

void Lower::warpgroup_mma(const kernel::Instruction& instruction) {
  const auto& d = std::get<kernel::RegisterOperand>(instruction.operands[0]);
  const auto* a_registers = std::get_if<kernel::RegisterOperand>(&instruction.operands[1]);
  const auto* a_view = std::get_if<kernel::View>(&instruction.operands[1]);
  const auto& b_view = std::get<kernel::View>(instruction.operands[2]);
  std::vector<Reference> views;
  std::optional<Descriptor> a_desc;
  if (a_view) views.push_back(reference(*a_view)), a_desc = descriptor(*a_view);
  views.push_back(reference(b_view));
  Descriptor b_desc = descriptor(b_view);
  if ((a_desc && a_desc->low.name.empty()) || b_desc.low.name.empty()) return;
  std::optional<Reg> a_group;
  if (a_desc) a_group = descriptor_group("a", *a_desc, views.front());
  Reg b_group = descriptor_group("b", b_desc, views.back());
  next_descriptor_ ^= 1;
  std::optional<Derived> a_low;
  if (a_desc) a_low = values_.derive(a_desc->low);
  Derived b_low = values_.derive(b_desc.low);
  auto set_low = [&](Reg word, const Derived& low, const Quantity& quantity) {
    emit_
        .add(here_, kDerived, word, low.reg ? use(*low.reg) : constant_use(isa::File::ur), immediate(low.offset),
             constant_use(isa::File::ur))
        .held = {values_.held(quantity)};
  };
  set_low(b_group, b_low, b_desc.low);
  if (a_desc) set_low(*a_group, *a_low, a_desc->low);

  const layout::InstructionDescriptor& shape = *instruction.descriptor;
  Reg accumulator = values_.reg(d);
  Operand adds = constant_use(isa::File::up), to = use(accumulator);
  const kernel::Operand& p = instruction.operands[3];
  if (auto* reg = std::get_if<kernel::RegisterOperand>(&p)) adds = use(values_.reg(*reg), reg->negated);
  if (auto* truth = std::get_if<bool>(&p); truth && !*truth) {
    adds.negated = true;
    to = constant_use(isa::File::r);
  }
  Operand a_operand = a_group ? at(Operand::Kind::gdesc, *a_group) : use(values_.reg(*a_registers));
  Operand b_operand = at(Operand::Kind::gdesc, b_group);
  a_operand.transposed = shape.a_major == layout::Major::mn;
  b_operand.transposed = shape.b_major == layout::Major::mn;
  std::vector<Operand> operands{use(accumulator), a_operand, b_operand, to, adds};
  if (instruction.closes_group) operands.push_back(scoreboard(0));  // gsb0
  sass::Line& line = say(instruction, opcode_of(instruction), std::move(operands));
  line.held = values_.reach(views);
  if (a_registers) line.held.insert(line.held.begin(), Values::reach(fragment_view(*a_registers)));
  line.held.insert(line.held.begin(), Values::reach(fragment_view(d)));
}

}  // namespace warpcc::codegen
