// What each warp does beside computing: noted where two programs are to be compared by it (tests/mutants).
#include "checker/interp/effects.h"

#include <algorithm>
#include <bit>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using isa::File;
using Kind = sass::Operand::Kind;

namespace {

// What another warp, an engine or memory can tell from its not having been there. Hints to the machine are none: a
// prefetch, the start of the next grid, tensor memory that another kernel may have.
bool is_effect(Action action) {
  switch (action) {
    case Action::prefetch_map:
    case Action::grid_launch:
    case Action::relinquish:
    case Action::branch:
    case Action::exit:
    case Action::nothing:
    case Action::unknown:
      return false;
    default:
      return action >= Action::load_shared;
  }
}

// What does nothing the second time in a row.
bool may_be_again(Action action) {
  switch (action) {
    case Action::load_shared:
    case Action::store_shared:
    case Action::load_global:
    case Action::store_global:
    case Action::load_tensor:
    case Action::wait_scoreboard:
    case Action::fence:
    case Action::barrier_test:
    case Action::grid_wait:
    case Action::warpgroup_fence:
    case Action::warpgroup_wait:
    case Action::change_registers:
      return true;
    default:
      return false;
  }
}

bool gives_first_operand(Action action) {
  return action == Action::load_shared || action == Action::load_global || action == Action::load_tensor ||
         action == Action::barrier_test;
}

// Uniform registers of the vector that a copy's operands are in.
int vector_parts(const Instruction& instruction, const std::vector<machine::TensorMap>& maps) {
  switch (instruction.action) {
    case Action::copy_in:
    case Action::copy_out:
    case Action::copy_add: {
      int fixed = instruction.action == Action::copy_in ? 2 : 1;
      return fixed + maps[static_cast<std::size_t>(instruction.arguments[1].number)].rank();
    }
    case Action::copy_across:
      return 2;
    default:
      return 1;
  }
}

bool is_any(const std::vector<bool>& of, const Slot& slot, File file) {
  return !slot.constant && slot.file == file && of[static_cast<std::size_t>(slot.name)];
}

bool reads_any(const Instruction& instruction, const std::vector<bool>& of) {
  return std::any_of(instruction.arguments.begin() + 1, instruction.arguments.end(),
                     [&](const Argument& one) { return one.kind == Kind::reg && is_any(of, one.slot, File::r); });
}

std::uint64_t number_of(const machine::TensorMap& map) {
  std::uint64_t all =
      Effects::mixed(static_cast<std::uint64_t>(map.buffer), static_cast<std::uint64_t>(map.element_bytes));
  for (const auto* numbers : {&map.extents, &map.box, &map.valid}) {
    all = Effects::mixed(all, numbers->size());
    for (std::int64_t number : *numbers) all = Effects::mixed(all, static_cast<std::uint64_t>(number));
  }
  return Effects::mixed(all, static_cast<std::uint64_t>(map.swizzle.span()));
}

}  // namespace

// The predicates that waits test, the registers that loads of flags fill, and those that are computed from these.
void Interpreter::find_effects() {
  tests_.assign(static_cast<std::size_t>(code_.named_p), false);
  flags_.assign(static_cast<std::size_t>(code_.named_r), false);
  for (const Instruction& instruction : code_.instructions) {
    if (instruction.arguments.empty() || instruction.arguments[0].slot.constant) continue;
    const Slot& slot = instruction.arguments[0].slot;
    if (instruction.action == Action::barrier_test && instruction.may_sleep)
      tests_[static_cast<std::size_t>(slot.name)] = true;
    if (instruction.action != Action::load_global || !instruction.strong) continue;
    for (int part = 0; part < instruction.width; ++part) flags_[static_cast<std::size_t>(slot.name + part)] = true;
  }
  of_flags_ = flags_;
  for (const Instruction& instruction : code_.instructions) {
    if (instruction.action == Action::add && reads_any(instruction, of_flags_) &&
        instruction.arguments[0].slot.file == File::r && !instruction.arguments[0].slot.constant)
      of_flags_[static_cast<std::size_t>(instruction.arguments[0].slot.name)] = true;
  }
}

// A register as it is by name, asked of nobody whether it may be read.
std::uint32_t Interpreter::raw(Slot slot, int lane) const {
  auto at = static_cast<std::size_t>(slot.name);
  if (slot.constant) return 0;
  switch (slot.file) {
    case File::r:
      return warp_->named.lanes(slot.name)[lane];
    case File::ur:
      return warp_->named.ur[at];
    case File::p:
      return warp_->named.p[at] & mask_;
    case File::up:
      return warp_->named.up[at] & mask_;
  }
  return 0;
}

std::uint64_t Interpreter::contents(Slot slot, int parts) const {
  std::uint64_t all = 0;
  for (int part = 0; part < parts; ++part) {
    std::uint32_t mask = slot.file == File::r ? mask_ : 1u << first_lane_;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) all = Effects::mixed(all, raw(part_of(slot, part), lane));
    }
  }
  return all;
}

std::uint64_t Interpreter::effect_of(const Instruction& instruction, const Argument& argument) const {
  std::uint64_t own =
      Effects::mixed(static_cast<std::uint64_t>(argument.kind), argument.negated * 2u + argument.absolute);
  auto add = [&](std::uint64_t what) { own = Effects::mixed(own, what); };
  if (argument.kind == Kind::map) {
    add(number_of(code_.maps[static_cast<std::size_t>(argument.number)]));
    return own;
  }
  add(static_cast<std::uint64_t>(argument.number));
  int parts = 1;
  switch (argument.kind) {
    case Kind::reg:
      if (instruction.action == Action::barrier_test) {  // a parity, in the highest bit
        add(raw(argument.slot, first_lane_) >> 31);
        return own;
      }
      if (argument.slot.file == File::r) parts = instruction.width;
      if (instruction.action == Action::barrier_init) parts = 2;
      break;
    case Kind::shared:
    case Kind::tensor:
    case Kind::idesc:
      break;
    case Kind::gdesc:
      parts = 2;
      break;
    case Kind::global:
      parts = argument.second ? 1 : 2;
      break;
    case Kind::vector:
      parts = vector_parts(instruction, code_.maps);
      break;
    default:
      return own;  // its number is all of it
  }
  add(contents(argument.slot, parts));
  if (argument.second) add(contents(*argument.second, argument.kind == Kind::global ? 2 : 1));
  return own;
}

// Before it is executed, with the operands that it has; 0: it is nobody else's matter.
std::uint64_t Interpreter::effect_of(const Instruction& instruction) {
  bool compares = code_.polls && instruction.action == Action::compare;
  bool leaves_wait =
      instruction.action == Action::branch && instruction.guard && is_any(tests_, instruction.guard->slot, File::p);
  if (!is_effect(instruction.action) && !compares && !leaves_wait) return 0;
  const sass::Line& line = program_.lines[instruction.line];
  std::uint64_t effect = Effects::mixed(static_cast<std::uint64_t>(line.opcode->op), line.cluster);
  for (isa::Modifier modifier : line.modifiers) effect = Effects::mixed(effect, static_cast<std::uint64_t>(modifier));
  if (leaves_wait) return Effects::mixed(effect, instruction.guard->negated) | 1;
  mask_ = execution_mask(instruction);
  if (mask_ == 0) return 0;
  first_lane_ = std::countr_zero(mask_);
  effect = Effects::mixed(effect, mask_);
  std::size_t first = gives_first_operand(instruction.action) ? 1 : 0;
  for (std::size_t i = first; i < instruction.arguments.size(); ++i) {
    const Argument& argument = instruction.arguments[i];
    bool reg = argument.kind == Kind::reg && argument.slot.file == File::r && !argument.slot.constant;
    // What MMAs do to registers is seen when these are stored; what a flag holds is another warp's matter.
    if (reg && instruction.action == Action::warpgroup_mma) continue;
    if (compares && (i == 0 || (reg && is_any(flags_, argument.slot, File::r)))) continue;
    effect = Effects::mixed(effect, effect_of(instruction, argument));
  }
  return effect | 1;
}

// A wait that has not passed is no effect, nor is its branch back.
void Interpreter::note_effect(const Instruction& instruction, std::uint64_t effect, Next next) {
  if (instruction.action == Action::exit && next == Next::exited) {
    (*options_
          .effects)[{running_->launch->number, ordering_.begun[running_->serial].cluster, warp_->number_in_cluster}] =
        warp_->effects.all();
  }
  if (effect == 0) return;
  bool waits = instruction.action == Action::barrier_test && instruction.may_sleep;
  if (waits && warp_->failed_at == line_) return;
  if (next != Next::on && instruction.action != Action::allocate) return;
  if ((instruction.action == Action::load_global && instruction.strong) ||
      (instruction.action == Action::compare && reads_any(instruction, of_flags_))) {
    warp_->effects.add_polled(line_, effect);
    return;
  }
  warp_->effects.add(effect, may_be_again(instruction.action));
}

}  // namespace warpcc::checker
