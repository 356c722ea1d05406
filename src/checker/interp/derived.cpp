// Lines that give a value: what their destination holds, lane by lane, against the layout at the present coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using isa::File;
using sass::Held;

namespace {

// An address past an upper edge of global memory is made for lanes that then leave the access alone: it lies where the
// strides lead.
bool goes_beyond(const sass::Program& program, const sass::View& view, Place& place) {
  if (view.buffer == sass::BufferId::none || program[view.buffer].space != sass::MemorySpace::global) return false;
  const layout::Map& map = program[view.buffer].layout.map();
  if (static_cast<int>(place.start.size()) != map.rank()) return false;
  place.offset = map.offset();
  for (std::size_t i = 0; i < place.start.size(); ++i) {
    const layout::Coordinate& modes = map.coordinates()[i];
    if (place.start[i] < 0 || modes.size() != 1) return false;
    place.offset += place.start[i] * modes[0].stride;
  }
  return true;
}

bool gives_value(Held::Kind kind) {
  return kind != Held::Kind::reach;
}

}  // namespace

bool Interpreter::descriptor_reaches(const HeldCode& held, const Place& place, std::uint32_t word, bool high,
                                     std::string& why) {
  std::uint64_t key = key_of(&held, place, static_cast<std::uint64_t>(high) << 32 | word);
  if (known(key)) return true;
  const ViewCode& view = held.views[0];
  const sass::Buffer& buffer = program_[view.view->buffer];
  Extents extents = extents_of(view, program_);
  if (buffer.space != sass::MemorySpace::shared || extents.extents.size() != 2) {
    why = "a descriptor is of a shared tile of rows and k";
    return false;
  }
  // The other word is the layout's; the pair is then decoded, and what it reaches is compared element by element.
  layout::Part part{buffer.layout, buffer.element, {place.start.begin(), place.start.end()}, {}};
  for (int i = 0; i < buffer.layout.map().rank(); ++i) part.extents.push_back(1);
  for (std::size_t i = 0; i < extents.extents.size(); ++i)
    part.extents[static_cast<std::size_t>(extents.dimension[i])] = extents.extents[i];
  layout::OperandResult wanted =
      layout::operand_descriptor(part, static_cast<std::uint32_t>(place.copy_offset), core());
  if (!wanted.descriptor) {
    why = wanted.misfit.reason;
    return false;
  }
  std::uint64_t bits = wanted.descriptor->encode(core());
  bits =
      high ? static_cast<std::uint64_t>(word) << 32 | (bits & 0xffffffff) : (bits & ~std::uint64_t{0xffffffff}) | word;
  auto decoded = layout::OperandDescriptor::decode(bits, core());
  if (!decoded) {
    why = "it is no descriptor";
    return false;
  }
  decoded->major = wanted.descriptor->major;
  int element_bits = layout::bits(buffer.element);
  auto different = first_difference(
      extents.extents[0], extents.extents[1],
      [&](std::int64_t row, std::int64_t k) -> std::int64_t { return decoded->address(row, k, element_bits); },
      [&](std::int64_t row, std::int64_t k) { return element_at(view, place, extents, {row, k}, program_); });
  if (different) {
    why = fmt::format("at ({}, {}) it reaches {:#x}, the layout says {:#x}", different->row, different->column,
                      different->lies, different->layout_says);
    return false;
  }
  known_.insert(key);
  return true;
}

bool Interpreter::instruction_descriptor_fits(const HeldCode& held, std::uint32_t word, std::string& why) {
  std::uint64_t key = mix(reinterpret_cast<std::uintptr_t>(&held), word);
  if (known(key)) return true;
  for (const ViewCode& view : held.views) {
    if (held.views.size() == 3 && view.view->buffer != sass::BufferId::none) continue;
    why = "an instruction descriptor is of three tiles";
    return false;
  }
  auto element = [&](int i) { return program_[held.views[static_cast<std::size_t>(i)].view->buffer].element; };
  using Kind = layout::InstructionDescriptor::Kind;
  Kind kind = Kind::f16;
  if (element(1) == layout::Element::s8 || element(1) == layout::Element::u8) kind = Kind::i8;
  if (element(1) == layout::Element::f8e4m3 || element(1) == layout::Element::f8e5m2) kind = Kind::f8f6f4;
  auto decoded = machine::decode_instruction(word, kind);
  if (!decoded) {
    why = "it is no instruction descriptor";
    return false;
  }
  Extents d = extents_of(held.views[0], program_), a = extents_of(held.views[1], program_),
          b = extents_of(held.views[2], program_);
  if (d.extents.size() != 2 || a.extents.size() != 2 || b.extents.size() != 2) {
    why = "D, A and B are tiles of rows and columns";
    return false;
  }
  // M and N are the pair's, of which each CTA has half of the rows of A and of B.
  auto fits = [&](int ctas) { return decoded->m == ctas * a.extents[0] && decoded->n == ctas * b.extents[0]; };
  bool of_pair = program_.cluster > 1 && fits(2);
  if (!of_pair && !fits(1)) {
    why = fmt::format("it says M = {}, N = {}, where A has {} rows and B {} in a CTA", decoded->m, decoded->n,
                      a.extents[0], b.extents[0]);
    return false;
  }
  if (decoded->a != element(1) || decoded->b != element(2) || decoded->d != element(0)) {
    why = fmt::format("it says {} × {} to {}, where the tiles are {} × {} to {}", layout::name(decoded->a),
                      layout::name(decoded->b), layout::name(decoded->d), layout::name(element(1)),
                      layout::name(element(2)), layout::name(element(0)));
    return false;
  }
  if (decoded->negate_a || decoded->negate_b) {
    why = "it negates an operand";
    return false;
  }
  // Majors: the dimension of stride 1 is rows or k.
  for (int i = 1; i <= 2; ++i) {
    const layout::Map& map = program_[held.views[static_cast<std::size_t>(i)].view->buffer].layout.map();
    const Extents& extents = i == 1 ? a : b;
    const layout::Coordinate& k = map.coordinates()[static_cast<std::size_t>(extents.dimension[1])];
    bool k_major = !k.empty() && k[0].stride == 1;
    if ((i == 1 ? decoded->a_major : decoded->b_major) == (k_major ? layout::Major::k : layout::Major::mn)) continue;
    why = fmt::format("it says that {} is {}-major", i == 1 ? "A" : "B", k_major ? "MN" : "K");
    return false;
  }
  known_.insert(key);
  return true;
}

void Interpreter::wrong(const HeldCode& held, int lane, std::string text) {
  if (!findings_.told(Finding::Kind::operand, line_))
    text += fmt::format(" ({}{})", where(*warp_), names_text(held, scope(), lane));
  findings_.add(Finding::Kind::operand, line_, std::move(text));
}

bool Interpreter::check_value(const Instruction& instruction, const HeldCode& held, int lane, std::uint32_t got) {
  Scope here = scope();
  auto name = [&] { return argument_name(instruction, 0); };
  Held::Kind kind = held.held->kind;
  std::uint32_t wants = 0;
  std::string what;
  switch (kind) {
    case Held::Kind::number: {
      auto number = evaluate(held.formula, here, lane);
      File file = instruction.arguments[0].slot.file;
      wants = file == File::p || file == File::up ? number != 0 : static_cast<std::uint32_t>(number);
      if (got == wants) return true;
      wrong(held, lane, fmt::format("{} holds {:#x} where the expression is {:#x}", name(), got, wants));
      return false;
    }
    case Held::Kind::mask:
      if (held.pipe < 0) {
        wrong(held, lane, fmt::format("is held to a mask of `{}`, which is no pipe's barrier", held.held->name));
        return false;
      }
      wants = signalled(program_, program_.pipes[static_cast<std::size_t>(held.pipe)], held.of_full, cta().rank);
      what = fmt::format("the CTAs where {} is signalled from here are", held.held->name);
      break;
    case Held::Kind::mask_across:
      wants = across(program_, held.held->name, cta().rank);
      what = fmt::format("the CTAs across {} are", held.held->name);
      break;
    case Held::Kind::bytes: {
      if (held.pipe < 0) {
        wrong(held, lane, fmt::format("is held to the bytes of `{}`, which is no pipe", held.held->name));
        return false;
      }
      wants = static_cast<std::uint32_t>(
          phase_bytes(program_, program_.pipes[static_cast<std::size_t>(held.pipe)], cta().rank));
      what = fmt::format("a phase of {} is", held.held->name);
      break;
    }
    case Held::Kind::idesc: {
      std::string why;
      if (instruction_descriptor_fits(held, got, why)) return true;
      wrong(held, lane,
            fmt::format("{} holds {:#010x}, an instruction descriptor for other tiles: {}", name(), got, why));
      return false;
    }
    default:
      break;
  }
  if (held.views.empty()) {
    if (got == wants) return true;
    wrong(held, lane, fmt::format("{} holds {:#x} where {} {:#x}", name(), got, what, wants));
    return false;
  }

  Place place = place_of(held.views[0], here, lane);
  if (place.no_cta) return true;  // a lane past the CTAs of an axis: if it reaches there, that is told
  auto view = [&] { return view_text(held.views[0], place, program_); };
  if (kind == Held::Kind::inside) {
    if (got == static_cast<std::uint32_t>(place.inside)) return true;
    wrong(held, lane,
          fmt::format("{} is {} where {} lies {} its buffer", name(), got != 0, view(),
                      place.inside ? "inside" : "outside"));
    return false;
  }
  const sass::View& target = *held.views[0].view;
  bool beyond = !place.inside && (kind == Held::Kind::addr_lo || kind == Held::Kind::addr_hi) &&
                goes_beyond(program_, target, place);
  if (!place.inside && !beyond) {
    wrong(held, lane, fmt::format("{} is held to {}, which is no place of its buffer", name(), view()));
    return false;
  }
  switch (kind) {
    case Held::Kind::desc:
    case Held::Kind::desc_hi: {
      std::string why;
      if (target.buffer != sass::BufferId::none &&
          descriptor_reaches(held, place, got, kind == Held::Kind::desc_hi, why))
        return true;
      wrong(held, lane,
            fmt::format("{} holds {:#x}, a descriptor's {} word that does not reach {}: {}", name(), got,
                        kind == Held::Kind::desc_hi ? "high" : "low", view(), why));
      return false;
    }
    case Held::Kind::tmem:
      if (cta().tensor_base < 0) {
        wrong(held, lane, fmt::format("{} is held to {} before tensor memory is allocated", name(), view()));
        return false;
      }
      wants = static_cast<std::uint32_t>(cta().tensor_base + place.offset);
      break;
    case Held::Kind::addr:
    case Held::Kind::addr_lo:
    case Held::Kind::addr_hi:
      if (target.buffer != sass::BufferId::none && program_[target.buffer].space == sass::MemorySpace::global) {
        std::uint64_t address =
            global_base_[static_cast<std::size_t>(target.buffer)] +
            static_cast<std::uint64_t>(place.offset * layout::bits(program_[target.buffer].element) / 8);
        wants = static_cast<std::uint32_t>(kind == Held::Kind::addr_hi ? address >> 32 : address);
      } else {
        wants = static_cast<std::uint32_t>(place.rank) << 24 | static_cast<std::uint32_t>(place.offset);
      }
      break;
    default:
      break;
  }
  if (got == wants) return true;
  wrong(held, lane, fmt::format("{} holds {:#x} where {} is {:#x}", name(), got, view(), wants));
  return false;
}

void Interpreter::check_derived(const Instruction& instruction) {
  remembering(instruction.value, [&] { check_values(instruction, mask_); });
}

void Interpreter::check_values(const Instruction& instruction, std::uint32_t mask) {
  for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
    const HeldCode& held = code_.held[at];
    if (!gives_value(held.held->kind) || instruction.arguments.empty()) continue;
    const Slot& destination = instruction.arguments[0].slot;
    if (destination.constant || instruction.arguments[0].kind != sass::Operand::Kind::reg) {
      wrong(held, first_lane_, "is held to a value and gives none");
      continue;
    }
    auto slot = static_cast<std::size_t>(destination.name);
    switch (destination.file) {
      case File::ur:
        check_value(instruction, held, first_lane_, warp_->named.ur[slot]);
        break;
      case File::up:
        check_value(instruction, held, first_lane_, warp_->named.up[slot] & 1);
        break;
      case File::r:
      case File::p: {
        bool varies = held.formula.varies || std::any_of(held.views.begin(), held.views.end(),
                                                         [](const ViewCode& view) { return view.varies; });
        auto value = [&](int lane) {
          return destination.file == File::r ? warp_->named.lanes(destination.name)[lane]
                                             : warp_->named.p[slot] >> lane & 1;
        };
        std::uint32_t first = value(first_lane_);
        if (!check_value(instruction, held, first_lane_, first)) break;
        for (int lane = first_lane_ + 1; lane < kLanes; ++lane) {
          if (!(mask >> lane & 1) || (!varies && value(lane) == first)) continue;
          if (!check_value(instruction, held, lane, value(lane))) break;
        }
        break;
      }
    }
  }
}

}  // namespace warpcc::checker
