// Registers: read and written as named values and as hardware registers together. They are compared where they are
// read, on the lanes that execute: what reads equal values computes equal ones, so the two programs run in step.
#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {

using isa::File;

std::uint32_t Interpreter::execution_mask(const Instruction& instruction) {
  mask_ = kAllLanes;
  first_lane_ = 0;
  return instruction.guard ? predicate(*instruction.guard) : kAllLanes;
}

void Interpreter::differs(Slot slot, std::uint32_t named, std::uint32_t hardware) {
  report(Finding::Kind::colouring, fmt::format("reads {} as {:#x} by name, and {:#x} from {}{}", slot_name(slot), named,
                                               hardware, isa::prefix(slot.file), slot.hardware));
}

// A register that is read before it is written holds what another value has left there.
bool Interpreter::report_unwritten(Slot slot) {
  if (cover_ != nullptr) return false;  // of coordinates and control alone: data are not computed
  report(Finding::Kind::memory, fmt::format("reads {}, which this warp has not written", slot_name(slot)));
  warp_->written[static_cast<int>(slot.file)][static_cast<std::size_t>(slot.name)] = kAllLanes;  // once
  return false;
}

const std::uint32_t* Interpreter::read_lanes(Slot slot) {
  if (code_.computes_in_registers) touch(slot, "reads");
  bool is_written = check_written(slot);
  const std::uint32_t* named = warp_->named.lanes(slot.name);
  if (slot.hardware >= 0) {
    std::uint32_t* hardware = warp_->hardware.lanes(slot.hardware);
    bool same = warp_->holds[static_cast<std::size_t>(slot.hardware)] == slot.name;
    for (int lane = 0; !same && lane < kLanes; ++lane) {
      if (named[lane] == hardware[lane] || !(mask_ >> lane & 1)) continue;
      if (is_written) differs(slot, named[lane], hardware[lane]);
      std::copy_n(named, kLanes, hardware);
      break;
    }
  }
  if (warp_->tensor_load_pending &&
      std::find(warp_->loading.begin(), warp_->loading.end(), slot.name) != warp_->loading.end()) {
    report(Finding::Kind::protocol,
           fmt::format("reads {}, which a tensor load still fills: `ld.wait` comes first", slot_name(slot)));
    warp_->loading.clear();  // once a load
  }
  return named;
}

std::uint32_t Interpreter::read_wrong_uniform(Slot slot) {
  bool is_written = check_written(slot);
  std::uint32_t named = warp_->named.ur[static_cast<std::size_t>(slot.name)];
  if (slot.hardware >= 0) {
    std::uint32_t& hardware = warp_->hardware.ur[static_cast<std::size_t>(slot.hardware)];
    if (named != hardware) {
      if (is_written) differs(slot, named, hardware);
      hardware = named;
    }
  }
  return named;
}

const std::uint32_t* Interpreter::lanes(const Argument& argument, Lanes& buffer, int part) {
  const std::uint32_t* values = unsigned_lanes(argument, buffer, part);
  if (!argument.negated) return values;
  for (int lane = 0; lane < kLanes; ++lane) buffer[lane] = 0 - values[lane];
  return buffer;
}

const std::uint32_t* Interpreter::unsigned_lanes(const Argument& argument, Lanes& buffer, int part) {
  if (argument.kind == sass::Operand::Kind::reg && argument.slot.file == File::r && !argument.slot.constant)
    return read_lanes(part_of(argument.slot, part));
  std::fill_n(buffer, kLanes, unsigned_scalar(argument, part));
  return buffer;
}

std::uint32_t Interpreter::predicate(const Argument& argument) {
  std::uint32_t value = kAllLanes;
  const Slot& slot = argument.slot;
  if (!slot.constant) {
    bool uniform = slot.file == File::up;
    bool is_written = check_written(slot);
    auto& named = uniform ? warp_->named.up : warp_->named.p;
    value = named[static_cast<std::size_t>(slot.name)];
    if (slot.hardware >= 0) {
      std::uint32_t& hardware =
          (uniform ? warp_->hardware.up : warp_->hardware.p)[static_cast<std::size_t>(slot.hardware)];
      if ((value ^ hardware) & mask_) {
        if (is_written) differs(slot, value, hardware);
        hardware = value;
      }
    }
  }
  return argument.negated ? ~value : value;
}

void Interpreter::write_lanes(Slot slot, const std::uint32_t* values, std::uint32_t mask) {
  if (slot.constant) return;
  if (code_.computes_in_registers) touch(slot, "writes");
  warp_->written[static_cast<int>(File::r)][static_cast<std::size_t>(slot.name)] |= mask;
  warp_->wrote(slot, mask);
  auto write = [&](std::uint32_t* to) {
    if (mask == kAllLanes) {
      std::copy_n(values, kLanes, to);
      return;
    }
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = mask >> lane & 1 ? values[lane] : to[lane];
  };
  write(warp_->named.lanes(slot.name));
  if (slot.hardware >= 0) write(warp_->hardware.lanes(slot.hardware));
  const auto& ranges = code_.range_of[static_cast<int>(File::r)];
  if (ranges[static_cast<std::size_t>(slot.name)]) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (mask >> lane & 1) check_range(slot, values[lane]);
    }
  }
}

void Interpreter::write_uniform(Slot slot, std::uint32_t value) {
  if (slot.constant) return;
  warp_->written[static_cast<int>(File::ur)][static_cast<std::size_t>(slot.name)] = kAllLanes;
  warp_->named.ur[static_cast<std::size_t>(slot.name)] = value;
  if (slot.hardware >= 0) warp_->hardware.ur[static_cast<std::size_t>(slot.hardware)] = value;
  if (code_.range_of[static_cast<int>(File::ur)][static_cast<std::size_t>(slot.name)]) check_range(slot, value);
}

void Interpreter::write_predicate(Slot slot, std::uint32_t value, std::uint32_t mask) {
  if (slot.constant) return;
  bool uniform = slot.file == File::up;
  warp_->written[static_cast<int>(slot.file)][static_cast<std::size_t>(slot.name)] |= uniform ? kAllLanes : mask;
  auto write = [&](std::vector<std::uint32_t>& bank, int at) {
    std::uint32_t& to = bank[static_cast<std::size_t>(at)];
    to = (to & ~mask) | (value & mask);
  };
  write(uniform ? warp_->named.up : warp_->named.p, slot.name);
  if (slot.hardware >= 0) write(uniform ? warp_->hardware.up : warp_->hardware.p, slot.hardware);
}

void Interpreter::check_range(Slot slot, std::uint32_t value) {
  const sass::IndexRange& range = *code_.range_of[static_cast<int>(slot.file)][static_cast<std::size_t>(slot.name)];
  std::int64_t number =
      range.begin >= 0 ? static_cast<std::int64_t>(value) : static_cast<std::int64_t>(static_cast<std::int32_t>(value));
  bool inside = number >= range.begin && number < range.end;
  if (inside && (range.step <= 1 || (number - range.begin) % range.step == 0)) return;
  report(Finding::Kind::range, fmt::format("writes {} to {}, declared {} .. {}{}", number, slot_name(slot), range.begin,
                                           range.end, range.step > 1 ? fmt::format(" by {}", range.step) : ""));
}

std::string Interpreter::slot_name(Slot slot) const {
  if (slot.constant) return std::string(isa::constant(slot.file));
  for (std::size_t i = 0; i < program_.values.size(); ++i) {
    const sass::Value& value = program_.values[i];
    int part = slot.name - code_.first_slot[i];
    if (value.file != slot.file || part < 0 || part >= value.width) continue;
    return value.width > 1 ? fmt::format("{}.{}", value.name, part) : value.name;
  }
  return fmt::format("{}{}", isa::prefix(slot.file), slot.hardware);
}

std::string Interpreter::argument_name(const Instruction& instruction, std::size_t argument) const {
  return argument < instruction.arguments.size() ? slot_name(instruction.arguments[argument].slot) : std::string();
}

}  // namespace warpcc::checker
