// The tensor core and tensor memory.
#include <array>
#include <cctype>

#include "codegen/lower.h"
#include "layout/atoms.h"

namespace warpcc::codegen {

namespace {

constexpr auto kDerived = sass::Mark::derived;

// One opcode a kind (sass-map: kinds).
std::string_view opcode_of(layout::Element element) {
  using layout::Element;
  switch (element) {
    case Element::f8e4m3:
    case Element::f8e5m2:
      return "UTCQMMA";
    case Element::s8:
    case Element::u8:
      return "UTCIMMA";
    default:
      return "UTCHMMA";
  }
}

constexpr Message<std::string, std::string> kNoDescriptor{"descriptor", "`{}` fits no operand descriptor: {}"};

}  // namespace

// The descriptor of an operand. Its low word is the address and what lies above it; a part of the tile differs by its
// distance in units of 16 bytes, since the swizzle acts on absolute addresses.
Lower::Descriptor Lower::descriptor(const kernel::View& view) {
  Descriptor made;
  Reference reference = this->reference(view);
  const kernel::Buffer& buffer = kernel_[view.buffer];
  layout::Part part{buffer.layout, buffer.element, {}, {}};
  for (const Coordinate& coordinate : reference.coordinates) {
    part.start.push_back(coordinate.from.constant);
    part.extents.push_back(coordinate.extent);
  }
  std::uint32_t place = memory_[view.buffer].place;
  bool wgmma = kernel_.target == isa::Target::sm_90a;
  layout::TensorCore core = wgmma ? layout::TensorCore::wgmma : layout::TensorCore::tcgen05;
  layout::OperandResult result = layout::operand_descriptor(part, place, core);
  if (!result.descriptor) {
    diagnostics_.error(view.where, kNoDescriptor, buffer.name, result.misfit.reason);
    return made;
  }
  std::uint64_t bits = result.descriptor->encode(core);
  made.high = static_cast<std::uint32_t>(bits >> 32);
  made.low.kind = Quantity::Kind::descriptor;
  made.low.view = reference;
  made.low.low_fields = static_cast<std::int64_t>(bits & 0xffffc000);
  made.low.name = buffer.name + "_desc";
  return made;
}

// One of two groups of registers that the MMAs alternate between; its high word is set once, at the role's head.
Reg Lower::descriptor_group(const std::string& letter, const Descriptor& descriptor, const Reference& reference) {
  std::string key = "descriptor " + letter + std::to_string(next_descriptor_) + " " + std::to_string(descriptor.high);
  return values_.once(key, [&](Place head) {
    Reg pair =
        values_.named(key, "desc_" + letter + std::to_string(next_descriptor_), {isa::File::ur, 2, 2, std::nullopt});
    sass::Held held;
    held.kind = sass::Held::Kind::desc_hi;
    Reference first = changed(reference, [](const Form&) { return Form{}; });
    held.views = {values_.view(first)};
    emit_.move(head, kDerived, part(pair, 1), immediate(descriptor.high)).held = {held};
    return pair;
  });
}

void Lower::mma(const kernel::Instruction& instruction) {
  if (instruction.op->issue == isa::Issue::warpgroup) return warpgroup_mma(instruction);
  const auto& d_view = std::get<kernel::View>(instruction.operands[0]);
  const auto& a_view = std::get<kernel::View>(instruction.operands[1]);
  const auto& b_view = std::get<kernel::View>(instruction.operands[2]);
  if (kernel_[a_view.buffer].space != kernel::MemorySpace::shared || !instruction.descriptor)
    return unsupported(instruction);
  Reference d = reference(d_view), a = reference(a_view), b = reference(b_view);
  Descriptor a_desc = descriptor(a_view), b_desc = descriptor(b_view);
  if (a_desc.low.name.empty() || b_desc.low.name.empty()) return;

  std::uint32_t idesc_bits = instruction.descriptor->encode();
  std::string key = "idesc " + std::to_string(idesc_bits);
  Reg idesc = values_.once(key, [&](Place head) {
    Reg pair = values_.named(key, "zero_idesc", {isa::File::ur, 2, 2, std::nullopt});
    auto first = [&](const Reference& reference) {
      return values_.view(changed(reference, [](const Form&) { return Form{}; }));
    };
    emit_.move(head, kDerived, pair, constant_use(isa::File::ur)).held = {values_.number({})};
    sass::Held held;
    held.kind = sass::Held::Kind::idesc;
    held.views = {first(d), first(a), first(b)};
    emit_.move(head, kDerived, part(pair, 1), immediate(idesc_bits)).held = {held};
    return pair;
  });
  Reg a_group = descriptor_group("a", a_desc, a), b_group = descriptor_group("b", b_desc, b);
  next_descriptor_ ^= 1;

  // Operands are asked for in the order of the statement; the words are written B's first.
  Reg accumulator = values_.derive_whole(address_of(d));
  Derived a_low = values_.derive(a_desc.low), b_low = values_.derive(b_desc.low);
  auto set_low = [&](Reg word, const Derived& low, const Quantity& quantity) {
    emit_.add(here_, kDerived, word, use(*low.reg), immediate(low.offset), constant_use(isa::File::ur)).held = {
        values_.held(quantity)};
  };
  set_low(b_group, b_low, b_desc.low);
  set_low(a_group, a_low, a_desc.low);

  Operand accumulates = constant_use(isa::File::up);
  const kernel::Operand& p = instruction.operands[3];
  if (auto* reg = std::get_if<kernel::RegisterOperand>(&p))
    accumulates = use(values_.reg(*reg), reg->negated);
  else if (auto* truth = std::get_if<bool>(&p))
    accumulates.negated = !*truth;
  say(instruction, std::string(opcode_of(instruction.descriptor->a)) + (instruction.pair ? ".2CTA" : ""),
      {at(Operand::Kind::gdesc, a_group), at(Operand::Kind::gdesc, b_group), at(Operand::Kind::tensor, accumulator),
       at(Operand::Kind::tensor, idesc), at(Operand::Kind::idesc, part(idesc, 1)), accumulates})
      .held = values_.reach({d, a, b});
}

void Lower::commit(const kernel::Instruction& instruction) {
  const kernel::BarrierOperand& barrier = barrier_of(instruction, 0);
  Reference reference = this->reference(barrier);
  const kernel::Pipe& pipe = kernel_[reference.pipe];
  Mask reached = mask_of(kernel_, pipe, barrier.kind, running(instruction));
  // The commit names its barrier by a bare register: an address of its own.
  Reg address = values_.derive_whole(address_of(reference));
  std::vector<Operand> operands{at(Operand::Kind::vector, address), constant_use(isa::File::ur)};
  std::string opcode = instruction.pair ? "UTCBAR.2CTA" : "UTCBAR";
  if (!reached.only_own) {
    opcode += ".MULTICAST";
    sass::Held held;
    held.kind = sass::Held::Kind::mask;
    held.name = pipe.name + (barrier.kind == kernel::BarrierOperand::Kind::full ? "_full" : "_empty");
    operands.push_back(use(mask(reached, pipe.name + "_mask", held)));
  }
  say(instruction, opcode, std::move(operands)).held = values_.reach({reference});
}

void Lower::tensor_load(const kernel::Instruction& instruction) {
  const auto& fragment = std::get<kernel::RegisterOperand>(instruction.operands[0]);
  Reference reference = this->reference(std::get<kernel::View>(instruction.operands[1]));
  Derived derived = values_.derive(address_of(reference));
  std::string opcode = "LDTM";
  if (fragment.count > 1) opcode += ".x" + std::to_string(fragment.count);
  say(instruction, opcode, {use(values_.reg(fragment)), at(Operand::Kind::tensor, *derived.reg, derived.offset)}).held =
      values_.reach({reference});
}

void Lower::tensor_store(const kernel::Instruction& instruction) {
  Reference reference = this->reference(std::get<kernel::View>(instruction.operands[0]));
  const auto& fragment = std::get<kernel::RegisterOperand>(instruction.operands[1]);
  Derived derived = values_.derive(address_of(reference));
  std::string opcode = "STTM";
  if (fragment.count > 1) opcode += ".x" + std::to_string(fragment.count);
  say(instruction, opcode, {at(Operand::Kind::tensor, *derived.reg, derived.offset), use(values_.reg(fragment))}).held =
      values_.reach({reference});
}

// `alloc` and `free`: all columns of the kernel, in units of 32.
void Lower::allocate(const kernel::Instruction& instruction) {
  std::int64_t units = memory_.allocated_columns / 32;
  if (instruction.op->does == isa::Does::free_) {
    say(instruction, "UTCATOMSWS.AND", {use(values_.tensor_base("tmem_base")), immediate(units)});
    return;
  }
  Operand word =
      at(Operand::Kind::shared, kernel_.cluster_ctas() > 1 ? values_.window() : constant_register(isa::File::ur),
         memory_.tensor_word);
  sass::View view;
  view.word = 0;
  say(instruction, instruction.pair ? "UTCATOMSWS.2CTA.FIND_AND_SET.ALIGN" : "UTCATOMSWS.FIND_AND_SET.ALIGN",
      {word, immediate(units)})
      .held = {Values::reach(view)};
}

}  // namespace warpcc::codegen
