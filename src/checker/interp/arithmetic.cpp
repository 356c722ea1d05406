// Instructions that compute: a value a lane, or a value a warp, as the file of the destination says.
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/interp/interpreter.h"
#include "checker/machine/numbers.h"
#include "checker/machine/reals.h"

namespace warpcc::checker {

using isa::File;

namespace {

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

bool holds(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      return a >= b;
  }
  return false;
}

std::uint32_t lookup(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  if (table == 0x80) return a & b & c;
  std::uint32_t result = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    if (!(table >> row & 1)) continue;
    result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return result;
}

// PTX ISA, prmt without a mode: four bytes chosen from eight, bit 3 of a choice spreads the byte's sign.
std::uint32_t permuted(std::uint32_t a, std::uint32_t selector, std::uint32_t b) {
  std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t choice = selector >> (4 * i) & 15;
    auto byte = static_cast<std::uint32_t>(both >> (8 * (choice & 7)) & 0xff);
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

std::uint32_t shifted(const Instruction& i, std::uint32_t low, std::uint32_t by, std::uint32_t high) {
  by = i.wrap ? by & 31 : std::min(by, 32u);
  std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  if (i.left) return i.high ? static_cast<std::uint32_t>(both << by >> 32) : by == 32 ? 0 : low << by;
  if (i.high && !i.wrap) {  // the high word alone
    if (i.is_signed) return static_cast<std::uint32_t>(as_signed(high) >> std::min(by, 31u));
    return by == 32 ? 0 : high >> by;
  }
  return static_cast<std::uint32_t>(both >> by);
}

}  // namespace

template <typename F>
void Interpreter::compute(const Instruction& instruction, std::size_t first_source, int sources, F function) {
  const Argument& destination = instruction.arguments[0];
  auto source = [&](int i) -> const Argument& {
    return instruction.arguments[first_source + static_cast<std::size_t>(i)];
  };
  static const Argument kZero{sass::Operand::Kind::immediate, false, false, {}, {}, 0};
  const Argument& a = source(0);
  const Argument& b = sources > 1 ? source(1) : kZero;
  const Argument& c = sources > 2 ? source(2) : kZero;
  if (destination.slot.file == File::ur) {
    write_uniform(destination.slot, function(scalar(a), scalar(b), scalar(c)));
    return;
  }
  Lanes buffer_a, buffer_b, buffer_c, result;
  const std::uint32_t* lanes_a = lanes(a, buffer_a);
  const std::uint32_t* lanes_b = lanes(b, buffer_b);
  const std::uint32_t* lanes_c = lanes(c, buffer_c);
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = function(lanes_a[lane], lanes_b[lane], lanes_c[lane]);
  write_lanes(destination.slot, result, mask_);
}

void Interpreter::add(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  // Destination, with sm_100a two predicates that get the carries, sources, with .X two predicates that give them.
  std::size_t first = 1;
  bool carries = arguments.size() > 3 && (arguments[1].slot.file == File::p || arguments[1].slot.file == File::up) &&
                 arguments[1].kind == sass::Operand::Kind::reg;
  if (carries) first = 3;
  std::size_t end = arguments.size();
  std::uint32_t carry_in = 0;
  if (instruction.extended) {
    carry_in = predicate(arguments[end - 2]);
    end -= 2;
  }
  auto sum = [&](auto value, bool carried) {  // value(argument): the source without its sign
    std::uint64_t total = carried;
    for (std::size_t i = first; i < end; ++i) {
      std::uint32_t x = value(i);
      // Minus x is its complement and one; with .X it is the complement alone, the one comes as the carry.
      total += arguments[i].negated ? static_cast<std::uint64_t>(~x) + !instruction.extended : x;
    }
    return total;
  };
  if (arguments[0].slot.file == File::ur) {
    std::uint64_t total = sum([&](std::size_t i) { return unsigned_scalar(arguments[i]); }, carry_in & 1);
    write_uniform(arguments[0].slot, static_cast<std::uint32_t>(total));
    if (carries) write_predicate(arguments[1].slot, total >> 32 ? kAllLanes : 0, kAllLanes);
    return;
  }
  Lanes buffers[3], result;
  const std::uint32_t* sources[3] = {};
  for (std::size_t i = first; i < end && i < first + 3; ++i)
    sources[i - first] = unsigned_lanes(arguments[i], buffers[i - first]);
  std::uint32_t carry_out = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    std::uint64_t total = sum([&](std::size_t i) { return sources[i - first][lane]; }, carry_in >> lane & 1);
    result[lane] = static_cast<std::uint32_t>(total);
    carry_out |= (total >> 32 != 0 ? 1u : 0u) << lane;
  }
  write_lanes(arguments[0].slot, result, mask_);
  if (carries) write_predicate(arguments[1].slot, carry_out, mask_);
}

// Products and sums of 64 bits: two registers a number.
void Interpreter::wide(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  Slot low = arguments[0].slot, high = low;
  ++high.name;
  if (high.hardware >= 0) ++high.hardware;
  auto both = [](std::uint32_t l, std::uint32_t h) { return static_cast<std::uint64_t>(h) << 32 | l; };
  auto result = [&](auto word) -> std::uint64_t {  // word(argument, part)
    if (instruction.action == Action::add_wide) {
      std::uint64_t total = 0;
      for (std::size_t i = arguments.size() > 4 ? 3 : 1; i < arguments.size(); ++i) {
        std::uint64_t value = both(word(i, 0), word(i, 1));
        total += arguments[i].negated ? 0 - value : value;
      }
      return total;
    }
    std::uint32_t a = word(1, 0), b = word(2, 0);
    std::uint64_t product = instruction.is_signed
                                ? static_cast<std::uint64_t>(static_cast<std::int64_t>(as_signed(a)) * as_signed(b))
                                : static_cast<std::uint64_t>(a) * b;
    return product + both(word(3, 0), word(3, 1));
  };
  if (low.file == File::ur) {
    std::uint64_t value = result([&](std::size_t i, int part) { return unsigned_scalar(arguments[i], part); });
    write_uniform(low, static_cast<std::uint32_t>(value));
    if (!low.constant) write_uniform(high, static_cast<std::uint32_t>(value >> 32));
    return;
  }
  Lanes lows, highs, buffer;
  for (int lane = 0; lane < kLanes; ++lane) {
    std::uint64_t value =
        result([&](std::size_t i, int part) { return unsigned_lanes(arguments[i], buffer, part)[lane]; });
    lows[lane] = static_cast<std::uint32_t>(value);
    highs[lane] = static_cast<std::uint32_t>(value >> 32);
  }
  write_lanes(low, lows, mask_);
  if (!low.constant) write_lanes(high, highs, mask_);
}

void Interpreter::compare(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  std::uint32_t other = predicate(arguments[4]);
  auto number = [&](std::uint32_t x) {
    return instruction.is_signed ? static_cast<std::int64_t>(as_signed(x)) : static_cast<std::int64_t>(x);
  };
  std::uint32_t result = 0;
  // The high words of 64-bit numbers: where they are equal, the comparison of the low ones decides.
  std::uint32_t of_low = instruction.extended ? predicate(arguments[5]) : 0;
  auto one = [&](std::uint32_t a, std::uint32_t b, bool low) {
    if (instruction.extended && a == b) return low;
    return holds(instruction.comparison, number(a), number(b));
  };
  if (arguments[0].slot.file == File::up) {
    result = one(scalar(arguments[2]), scalar(arguments[3]), of_low & 1) ? kAllLanes : 0;
  } else {
    Lanes buffer_a, buffer_b;
    const std::uint32_t* a = lanes(arguments[2], buffer_a);
    const std::uint32_t* b = lanes(arguments[3], buffer_b);
    for (int lane = 0; lane < kLanes; ++lane) result |= (one(a[lane], b[lane], of_low >> lane & 1) ? 1u : 0u) << lane;
  }
  auto combined = [&](std::uint32_t x) {
    switch (instruction.combine) {
      case Combine::both:
        return x & other;
      case Combine::either:
        return x | other;
      case Combine::one:
        return x ^ other;
    }
    return x;
  };
  write_predicate(arguments[0].slot, combined(result), mask_);
  write_predicate(arguments[1].slot, combined(~result), mask_);
}

void Interpreter::predicate_logic(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  std::uint32_t a = predicate(arguments[2]), b = predicate(arguments[3]), c = predicate(arguments[4]);
  write_predicate(arguments[0].slot, lookup(a, b, c, static_cast<std::uint32_t>(arguments[5].number)), mask_);
  write_predicate(arguments[1].slot, lookup(a, b, c, static_cast<std::uint32_t>(arguments[6].number)), mask_);
}

std::uint32_t Interpreter::constant_word(std::int64_t offset) const {
  // Bank 0: parameters from 0x380 on (sm_100a) or 0x210 (sm_90a). A buffer's is its address; other words are the
  // driver's.
  std::int64_t at = offset - (program_.target == isa::Target::sm_100a ? 0x380 : 0x210);
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    const sass::Buffer& buffer = program_.buffers[i];
    if (!buffer.param || at < *buffer.param || at >= static_cast<std::int64_t>(*buffer.param) + 8) continue;
    return static_cast<std::uint32_t>(global_base_[i] >> (8 * (at - *buffer.param)));
  }
  return 0;
}

void Interpreter::special(const Instruction& instruction) {
  const Argument& destination = instruction.arguments[0];
  if (instruction.action == Action::constant) {
    for (int part = 0; part < instruction.width; ++part) {
      std::uint32_t value = constant_word(instruction.arguments[1].number + 4 * part);
      Slot slot = destination.slot;
      slot.name += part;
      if (slot.hardware >= 0) slot.hardware = static_cast<std::int16_t>(slot.hardware + part);
      Lanes values;
      std::fill_n(values, kLanes, value);
      slot.file == File::ur ? write_uniform(slot, value) : write_lanes(slot, values, mask_);
    }
    return;
  }
  std::string_view name;
  auto index = static_cast<std::size_t>(instruction.arguments[1].number);
  if (index < isa::special_registers().size()) name = isa::special_registers()[index].sass;
  std::uint32_t value = 0, step = 0;  // of lane 0, and from lane to lane
  if (name == "SR_TID.X")
    value = static_cast<std::uint32_t>(warp_->index * kLanes), step = 1;
  else if (name == "SR_LANEID")
    step = 1;
  else if (name == "SR_CTAID.X")
    value = static_cast<std::uint32_t>(cta().index[0]);
  else if (name == "SR_CTAID.Y")
    value = static_cast<std::uint32_t>(cta().index[1]);
  else if (name == "SR_CTAID.Z")
    value = static_cast<std::uint32_t>(cta().index[2]);
  else if (name == "SR_CgaCtaId")
    value = static_cast<std::uint32_t>(cta().rank);
  else if (name != "SR_TID.Y" && name != "SR_TID.Z") {
    report(Finding::Kind::protocol, "reads a special register that the checker's machine does not have");
  }
  if (destination.slot.file == File::ur) {
    write_uniform(destination.slot, value);
    return;
  }
  Lanes values;
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = value + step * static_cast<std::uint32_t>(lane);
  write_lanes(destination.slot, values, mask_);
}

void Interpreter::between_lanes(const Instruction& instruction) {
  const auto& arguments = instruction.arguments;
  Lanes buffer, result;
  switch (instruction.action) {
    case Action::elect:  // of all lanes the lowest, as the hardware does
      write_predicate(arguments[0].slot, 1, kAllLanes);
      write_uniform(arguments[1].slot, 0);
      return;
    case Action::vote: {
      std::uint32_t voted = predicate(arguments.back()) & mask_;
      bool yes = instruction.all ? voted == mask_ : voted != 0;
      write_predicate(arguments[0].slot, yes ? kAllLanes : 0, kAllLanes);
      return;
    }
    case Action::redux: {
      const std::uint32_t* values = lanes(arguments[1], buffer);
      std::uint32_t sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += mask_ >> lane & 1 ? values[lane] : 0;
      write_uniform(arguments[0].slot, sum);
      return;
    }
    case Action::to_uniform: {
      const std::uint32_t* values = lanes(arguments[1], buffer);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!(mask_ >> lane & 1) || values[lane] == values[first_lane_]) continue;
        report(Finding::Kind::protocol, "makes a uniform value of one that differs between lanes");
        break;
      }
      write_uniform(arguments[0].slot, values[first_lane_]);
      return;
    }
    default:
      break;
  }
  Lanes buffer_lane;
  const std::uint32_t* values = lanes(arguments[2], buffer);
  const std::uint32_t* by = lanes(arguments[3], buffer_lane);
  Lanes buffer_bounds;
  const std::uint32_t* bounds = lanes(arguments[4], buffer_bounds);
  std::uint32_t inside = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    // A segment of lanes and the last of them to take from, or with `up` the first (PTX ISA, shfl.sync).
    const std::uint32_t distance = by[lane] & 31, segment = bounds[lane] >> 8 & 31;
    const std::uint32_t bound = (lane & segment) | (bounds[lane] & 31 & ~segment);
    bool up = instruction.shuffle == 2;
    std::uint32_t from = up                         ? lane - distance
                         : instruction.shuffle == 1 ? lane ^ distance
                                                    : (lane & segment) | (distance & ~segment);
    bool valid = up ? static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(bound) : from <= bound;
    result[lane] = values[valid ? from : lane];
    inside |= (valid ? 1u : 0u) << lane;
  }
  write_lanes(arguments[1].slot, result, mask_);
  write_predicate(arguments[0].slot, inside, mask_);
}

// FMNMX: the less where its predicate is true, else the greater.
template <typename F>
void Interpreter::float_extreme(const Instruction& instruction, F a, F b) {
  const std::uint32_t least = predicate(instruction.arguments[3]);
  Lanes buffer_a, buffer_b, result;
  const std::uint32_t* from_a = lanes(instruction.arguments[1], buffer_a);
  const std::uint32_t* from_b = lanes(instruction.arguments[2], buffer_b);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = machine::float_bits(machine::extreme(a(from_a[lane]), b(from_b[lane]), (least >> lane & 1) != 0));
  write_lanes(instruction.arguments[0].slot, result, mask_);
}

bool Interpreter::arithmetic(const Instruction& instruction) {
  const Instruction& i = instruction;
  // Floating sources: a sign or a bar on an operand is of the float.
  auto number = [&](std::size_t argument) {
    const Argument& a = i.arguments[argument];
    return [negated = a.negated, absolute = a.absolute](std::uint32_t bits) {
      float value = std::bit_cast<float>(negated ? 0 - bits : bits);  // `lanes` negates as an integer: undone here
      if (absolute) value = std::fabs(value);
      return negated ? -value : value;
    };
  };
  auto bits = machine::float_bits;
  using machine::flushed;
  using U = std::uint32_t;
  switch (i.action) {
    case Action::add:
      add(i);
      return true;
    case Action::add_wide:
    case Action::multiply_add_wide:
      wide(i);
      return true;
    case Action::multiply_add:
      compute(i, 1, 3, [](U a, U b, U c) { return a * b + c; });
      return true;
    case Action::multiply_add_high:
      compute(i, 1, 3, [&](U a, U b, U c) {
        std::uint64_t product = i.is_signed
                                    ? static_cast<std::uint64_t>(static_cast<std::int64_t>(as_signed(a)) * as_signed(b))
                                    : static_cast<std::uint64_t>(a) * b;
        return static_cast<U>(product >> 32) + c;
      });
      return true;
    case Action::compare:
      compare(i);
      return true;
    case Action::shift:
      compute(i, 1, 3, [&](U a, U b, U c) { return shifted(i, a, b, c); });
      return true;
    case Action::logic: {
      auto table = static_cast<U>(i.arguments[4].number);
      compute(i, 1, 3, [table](U a, U b, U c) { return lookup(a, b, c, table); });
      return true;
    }
    case Action::select: {
      std::uint32_t chosen = predicate(i.arguments[3]);
      if (i.arguments[0].slot.file == File::ur) {
        compute(i, 1, 2, [&](U a, U b, U) { return chosen & 1 ? a : b; });
      } else {
        Lanes buffer_a, buffer_b, result;
        const U* a = lanes(i.arguments[1], buffer_a);
        const U* b = lanes(i.arguments[2], buffer_b);
        for (int lane = 0; lane < kLanes; ++lane) result[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
        write_lanes(i.arguments[0].slot, result, mask_);
      }
      return true;
    }
    case Action::move:
      compute(i, 1, 1, [](U a, U, U) { return a; });
      return true;
    case Action::permute:
      compute(i, 1, 3, [](U a, U b, U c) { return permuted(a, b, c); });
      return true;
    case Action::shift_add: {
      auto by = static_cast<U>(i.arguments[3].number) & 31;
      compute(i, 1, 2, [by](U a, U b, U) { return (a << by) + b; });
      return true;
    }
    case Action::population:
      compute(i, 1, 1, [](U a, U, U) { return static_cast<U>(std::popcount(a)); });
      return true;
    case Action::reverse_bits:
      compute(i, 1, 1, [](U a, U, U) {
        U result = 0;
        for (int bit = 0; bit < 32; ++bit) result |= (a >> bit & 1) << (31 - bit);
        return result;
      });
      return true;
    case Action::highest_bit:
      compute(i, 1, 1, [](U a, U, U) { return a == 0 ? ~U{0} : static_cast<U>(31 - std::countl_zero(a)); });
      return true;
    case Action::absolute:
      compute(i, 1, 1, [](U a, U, U) { return as_signed(a) < 0 ? 0 - a : a; });
      return true;
    case Action::extend:
      compute(i, 1, 2, [&](U a, U b, U) {
        U width = std::min(b, 32u);
        if (width == 0 || width == 32) return width == 0 ? 0 : a;
        U up = 32 - width;
        return i.is_signed ? static_cast<U>(as_signed(a << up) >> up) : a << up >> up;
      });
      return true;
    case Action::minimum: {
      std::uint32_t least = predicate(i.arguments.back());
      bool has_predicates = i.arguments.size() > 4;
      compute(i, has_predicates ? 3 : 1, 2, [&](U a, U b, U) {
        bool first = i.is_signed ? as_signed(a) < as_signed(b) : a < b;
        return first == ((least & 1) != 0) ? a : b;
      });
      return true;
    }
    case Action::predicate_logic:
      predicate_logic(i);
      return true;
    case Action::special:
    case Action::constant:
      special(i);
      return true;
    case Action::vote:
    case Action::elect:
    case Action::redux:
    case Action::shuffle:
    case Action::to_uniform:
      between_lanes(i);
      return true;
    case Action::float_add:
      compute(i, 1, 2, [a = number(1), b = number(2), bits](U x, U y, U) { return bits(a(x) + b(y)); });
      return true;
    case Action::float_multiply:
      compute(i, 1, 2, [a = number(1), b = number(2), bits](U x, U y, U) { return bits(a(x) * b(y)); });
      return true;
    case Action::float_multiply_add:
      compute(i, 1, 3, [a = number(1), b = number(2), c = number(3), bits](U x, U y, U z) {
        return bits(std::fma(a(x), b(y), c(z)));
      });
      return true;
    case Action::float_pack:
      compute(i, 1, 2, [&, a = number(1), b = number(2)](U x, U y, U) {
        auto pack = [&](float value) { return i.bf16 ? machine::float_to_bf16(value) : machine::float_to_f16(value); };
        return static_cast<U>(pack(a(x))) << 16 | pack(b(y));
      });
      return true;
    case Action::float_extreme:
      float_extreme(i, number(1), number(2));
      return true;
    // Approximations are taken as near as a float is: no program may depend on how near they are (PTX ISA, ex2, rcp,
    // tanh; the first two have no numbers below the least normal one).
    case Action::float_exp2:
      compute(i, 1, 1, [&, a = number(1)](U x, U, U) { return bits(flushed(std::exp2(flushed(a(x))))); });
      return true;
    case Action::float_reciprocal:
      compute(i, 1, 1, [&, a = number(1)](U x, U, U) { return bits(flushed(1 / flushed(a(x)))); });
      return true;
    case Action::float_tanh:
      compute(i, 1, 1, [&, a = number(1)](U x, U, U) { return bits(std::tanh(a(x))); });
      return true;
    case Action::integer_from_float:
      compute(i, 1, 1, [&, a = number(1)](U x, U, U) {
        return static_cast<U>(machine::whole_of(std::trunc(a(x)), 32, i.is_signed, 0));
      });
      return true;
    case Action::float_from_integer:
      compute(i, 1, 1,
              [&](U a, U, U) { return bits(i.is_signed ? static_cast<float>(as_signed(a)) : static_cast<float>(a)); });
      return true;
    default:
      return false;
  }
}

}  // namespace warpcc::checker
