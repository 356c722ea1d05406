// Memory as lanes reach it: shared, global, tensor memory.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/interpreter.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker {

using machine::SharedMemory;
using machine::TensorMemory;

std::uint32_t Interpreter::shared_address(const Argument& argument, int lane) {
  auto value = [&](const Slot& slot) -> std::uint32_t {
    if (slot.constant) return 0;
    return slot.file == isa::File::r ? read_lanes(slot)[lane] : read_uniform(slot);
  };
  std::uint32_t address = value(argument.slot) + static_cast<std::uint32_t>(argument.number);
  if (argument.second) address += value(*argument.second);
  return address;
}

void Interpreter::shared_addresses(const Argument& argument, Lanes& addresses) {
  std::fill_n(addresses, kLanes, static_cast<std::uint32_t>(argument.number));
  auto add = [&](const Slot& slot) {
    if (slot.constant) return;
    if (slot.file == isa::File::r) {
      const std::uint32_t* values = read_lanes(slot);
      for (int lane = 0; lane < kLanes; ++lane) addresses[lane] += values[lane];
    } else {
      std::uint32_t value = read_uniform(slot);
      for (std::uint32_t& address : addresses) address += value;
    }
  };
  add(argument.slot);
  if (argument.second) add(*argument.second);
}

bool Interpreter::touches_barrier(Cta& cta, std::uint32_t offset, std::uint32_t bytes) {
  bool any = false;
  cta.shared.for_each_block(offset, bytes, [&](SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
    any |= (block.barriers & units) != 0;
  });
  if (!any) return false;
  for (std::uint32_t slot = offset / 8; slot * 8 < offset + bytes; ++slot) {
    std::int32_t at = cta.barrier_at[slot];
    if (at < 0 || !cta.barriers[static_cast<std::size_t>(at)].barrier.live()) continue;
    report(Finding::Kind::protocol, fmt::format("touches {}, a live barrier, as data", barrier_name(cta, slot * 8)));
    return true;
  }
  return false;
}

// Whether the lanes reach aligned bytes of one CTA's that nothing else is about: within one block of shared memory,
// written (where they are read), not under way, not yet to be read (where they are written), no barriers.
Interpreter::Plain Interpreter::plain_access(const Lanes& addresses, std::uint32_t bytes, bool store, Cta& of) {
  std::uint32_t first = addresses[first_lane_], apart = 0, lowest = first, highest = first;
  if (mask_ == kAllLanes && bytes == 4 && first % 128 == 0) {  // words in a row, one a lane
    std::uint32_t others = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) others |= addresses[lane] ^ (first + 4 * lane);
    if (others == 0 && static_cast<int>(first >> 24) == of.rank && of.shared.inside(first & 0xffffff, 128)) {
      const SharedMemory::Block& block = of.shared.block(first & 0xffffff);
      std::uint64_t busy = block.landing.above_zero() | block.barriers | block.unwritten |
                           (store ? block.reading.above_zero() | block.invalid : 0);
      if ((busy & machine::bits_of(first / SharedMemory::kUnit % 64, 8)) == 0) return Plain::dense;
    }
  }
  std::uint64_t units = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask_ >> lane & 1)) continue;
    std::uint32_t address = addresses[lane];
    apart |= (address ^ first) / SharedMemory::kBlock | (address & (bytes - 1));
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
    units |= SharedMemory::unit_bit(address);
  }
  if (apart != 0 || static_cast<int>(first >> 24) != of.rank) return Plain::no;
  SharedMemory& shared = of.shared;
  if (!shared.inside(lowest & 0xffffff, (highest - lowest) + bytes)) return Plain::no;
  const SharedMemory::Block& block = shared.block(first & 0xffffff);
  std::uint64_t busy =
      block.landing.above_zero() | block.barriers | (store ? block.reading.above_zero() : block.unwritten);
  return (busy & units) == 0 ? Plain::yes : Plain::no;
}

// Reports what is wrong with a lane's access; answers whether it can be made.
bool Interpreter::may_access(std::uint32_t address, std::uint32_t bytes, bool store, Cta& of) {
  SharedMemory& shared = of.shared;
  std::uint32_t offset = address & 0xffffff;
  if (static_cast<int>(address >> 24) != of.rank || !shared.inside(offset, bytes)) {
    report(Finding::Kind::memory,
           fmt::format("{} shared address {:#x} of {} bytes: {} .. {} is {} CTA's", store ? "writes to" : "reads from",
                       address, bytes, fmt::format("{:#x}", static_cast<std::uint32_t>(of.rank) << 24 | shared.begin()),
                       fmt::format("{:#x}", static_cast<std::uint32_t>(of.rank) << 24 | shared.end()),
                       of.rank == cta().rank ? "this" : "that"));
    return false;
  }
  if (offset % bytes != 0)
    report(Finding::Kind::memory,
           fmt::format("reaches shared address {:#x}, no multiple of its {} bytes", address, bytes));
  touches_barrier(of, offset, bytes);
  const SharedMemory::Block& block = shared.block(offset);
  std::uint64_t unit = SharedMemory::unit_bit(offset);
  if (block.landing.above_zero() & unit) {
    report(Finding::Kind::memory,
           fmt::format("{} shared address {} while a load of the copy engine is still under way into it",
                       store ? "writes to" : "reads from", place_text(address)));
  }
  if (store && (block.reading.above_zero() & unit) != 0) {
    report(Finding::Kind::memory,
           fmt::format("writes to shared address {}, which a store of the copy engine or an MMA has yet to read",
                       place_text(address)));
  }
  if (!store && !shared.written(offset, bytes)) {
    report(Finding::Kind::memory,
           fmt::format("reads shared address {}, which nothing has written", place_text(address)));
  }
  return true;
}

// The lanes reach into any CTAs of the cluster, into each by themselves.
void Interpreter::cluster_access(const Instruction& instruction) {
  bool store = instruction.action == Action::store_shared;
  Lanes addresses;
  shared_addresses(instruction.arguments[store ? 0 : 1], addresses);
  const std::uint32_t whole = mask_;
  const int first_lane = first_lane_;
  for (int rank = 0; rank < 256; ++rank) {
    std::uint32_t there = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      there |= (whole >> lane & 1 & static_cast<std::uint32_t>(static_cast<int>(addresses[lane] >> 24) == rank))
               << lane;
    if (there == 0) continue;
    mask_ = there;
    first_lane_ = std::countr_zero(there);
    if (rank >= program_.cluster) {
      report(Finding::Kind::memory, fmt::format("reaches shared address {:#x}: the cluster has {} CTAs",
                                                addresses[first_lane_], program_.cluster));
    } else if (cta_of(rank).exited()) {
      report(Finding::Kind::protocol, fmt::format("reaches CTA {}, which has exited", cta_of(rank).number));
    } else {
      shared_access(instruction, cta_of(rank));
    }
    if (there == whole) break;
  }
  mask_ = whole;
  first_lane_ = first_lane;
}

void Interpreter::shared_access(const Instruction& instruction, Cta& of) {
  bool store = instruction.action == Action::store_shared;
  const Argument& at = instruction.arguments[store ? 0 : 1];
  const Argument& data = instruction.arguments[store ? 1 : 0];
  SharedMemory& shared = of.shared;
  std::uint32_t bytes = instruction.bytes, word = std::min(bytes, 4u);
  Lanes words[4];
  const std::uint32_t* given[4] = {};
  for (int part = 0; part < instruction.width; ++part) {
    if (store) {
      given[part] = lanes(data, words[part], part);
    } else {
      std::fill_n(words[part], kLanes, 0);
    }
  }
  Lanes addresses;
  shared_addresses(at, addresses);
  order_lanes(addresses, bytes, store);
  Plain plain = plain_access(addresses, bytes, store, of);
  if (plain == Plain::dense) {  // all written before, too
    std::uint8_t* row = shared.bytes(addresses[0] & 0xffffff, sizeof(Lanes)).data();
    store ? std::memcpy(row, given[0], sizeof(Lanes)) : std::memcpy(words[0], row, sizeof(Lanes));
  }
  for (int lane = 0; plain != Plain::dense && lane < kLanes; ++lane) {
    if (!(mask_ >> lane & 1)) continue;
    std::uint32_t address = addresses[lane], offset = address & 0xffffff;
    if (plain == Plain::no && !may_access(address, bytes, store, of)) continue;
    for (int part = 0; part < instruction.width; ++part) {
      std::uint32_t place = offset + 4 * static_cast<std::uint32_t>(part);
      if (store) {
        shared.write(place, word, given[part][lane]);
      } else {
        words[part][lane] = shared.read(place, word);
      }
    }
  }
  progress();
  for (int part = 0; !store && part < instruction.width; ++part)
    write_lanes(part_of(data.slot, part), words[part], mask_);
}

void Interpreter::before_global() {
  if (!code_.waits_for_grid || knows_grid_before()) return;
  report(Finding::Kind::protocol,
         "reaches global memory before this warp, or one that it has heard from, has waited for the grid before "
         "(ACQBULK)",
         {"to mend: `grid.wait` before this, in this warp or in one that it hears from on every path"});
}

// Without values nothing reads numbers of C again; flags and counts are kept.
bool Interpreter::keeps(const machine::GlobalBuffer& buffer) const {
  return options_.values || buffer.kept() || buffer.element() == layout::Element::u32 ||
         buffer.element() == layout::Element::s32;
}

// Flags and counters are reached as the schedule has it.
void Interpreter::note_element(const Instruction& instruction, std::size_t buffer, std::int64_t byte) {
  if (options_.places == nullptr) return;
  using Use = machine::PlaceHistory::Use;
  const std::uint64_t first = machine::begin_of_buffer(buffer) + static_cast<std::uint64_t>(byte);
  const bool adds = instruction.action == Action::add_global;
  if (instruction.strong || instruction.relaxed || (adds && !instruction.is_signed))
    return options_.places->leave_out(first, instruction.bytes);
  options_.places->note(adds                                        ? Use::add
                        : instruction.action == Action::load_global ? Use::read
                                                                    : Use::write,
                        first, instruction.bytes);
}

void Interpreter::global_access(const Instruction& instruction) {
  before_global();
  bool load = instruction.action == Action::load_global;
  int launch = running_->launch->number;
  const Argument& at = instruction.arguments[load ? 1 : 0];
  const Argument& data = instruction.arguments[load ? 0 : 1];
  const Slot& base = at.second ? *at.second : at.slot;  // desc[ur][r.64]: the address is the second
  Lanes words[4];
  const std::uint32_t* given[4] = {};
  for (int part = 0; part < instruction.width; ++part) {
    if (load) {
      std::fill_n(words[part], kLanes, 0);
    } else {
      given[part] = lanes(data, words[part], part);
    }
  }
  const std::uint32_t* low = base.constant ? nullptr : read_lanes(base);
  const std::uint32_t* high = base.constant ? nullptr : read_lanes(part_of(base, 1));
  // What a load that others' writes end has seen: addresses and words.
  std::uint64_t seen = 0;
  std::size_t seen_buffer = 0;
  std::int64_t seen_first = -1, seen_last = -1;
  std::uint32_t seen_value = 0;
  LaneElements reached;
  std::fill_n(reached.buffer, kLanes, -1);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask_ >> lane & 1)) continue;
    std::uint64_t address =
        low ? (static_cast<std::uint64_t>(high[lane]) << 32 | low[lane]) + static_cast<std::uint64_t>(at.number) : 0;
    std::size_t buffer = 0;
    while (buffer < globals_.size() &&
           (address < global_base_[buffer] || address - global_base_[buffer] >= std::uint64_t{1} << 40))
      ++buffer;
    std::int64_t bytes = buffer < globals_.size() ? layout::bits(globals_[buffer].element()) / 8 : 1;
    std::int64_t element =
        buffer < globals_.size() ? static_cast<std::int64_t>(address - global_base_[buffer]) / bytes : -1;
    if (element < 0 || (element + (instruction.bytes + bytes - 1) / bytes) > globals_[buffer].elements() ||
        address % instruction.bytes != 0) {
      report(Finding::Kind::memory,
             fmt::format("reaches {} bytes of global memory at {:#x}, outside every buffer or not aligned",
                         instruction.bytes, address));
      continue;
    }
    machine::GlobalBuffer& global = globals_[buffer];
    std::int64_t count = std::max<std::int64_t>(1, instruction.bytes / bytes);
    reached.buffer[lane] = static_cast<std::int32_t>(buffer);
    reached.element[lane] = element;
    reached.count = count;
    note_element(instruction, buffer, element * bytes);
    if (!load) {
      running_->stored = true;
      if (!keeps(global)) continue;
      if (instruction.relaxed || instruction.action == Action::add_global) keep_old_flag(buffer, element);
      written(buffer, element, count);
    }
    const std::uint32_t* old = instruction.strong && instruction.bytes == 4 ? old_flag(buffer, element) : nullptr;
    reached.old = reached.old || old != nullptr;
    for (int part = 0; part < instruction.width; ++part) {
      // An element of less than 4 bytes: several in a register.
      std::int64_t per_word = std::max<std::int64_t>(1, std::min<std::int64_t>(4, instruction.bytes) / bytes);
      for (std::int64_t i = 0; i < per_word; ++i) {
        std::int64_t index = element + part * per_word + i;
        int shift = static_cast<int>(i * bytes * 8);
        if (load) {
          words[part][lane] |= (old != nullptr ? *old : global.load(index)) << shift;
        } else if (instruction.action == Action::store_global) {
          global.store(index, bytes == 4 ? given[part][lane] : given[part][lane] >> shift & ((1u << bytes * 8) - 1),
                       launch);
        } else if (instruction.is_signed) {
          float sum = std::bit_cast<float>(global.load(index)) + std::bit_cast<float>(given[part][lane]);
          global.store(index, std::bit_cast<std::uint32_t>(sum), launch);
        } else {
          global.store(index, global.load(index) + given[part][lane], launch);
        }
      }
    }
    if (!instruction.strong) continue;
    if (seen_first < 0) {
      seen_buffer = buffer;
      seen_value = words[0][lane];
    }
    seen_first = seen_first < 0 ? element : std::min(seen_first, element);
    seen_last = std::max(seen_last, element + count - 1);
    seen = (seen ^ address) * 0x9e3779b97f4a7c15u;
    for (int part = 0; part < instruction.width; ++part) seen = (seen ^ words[part][lane]) * 0xff51afd7ed558ccdu;
  }
  order_global_lanes(instruction, reached);
  if (seen_first >= 0 && polls_again(seen_buffer, seen_first, seen_last, seen_value, seen)) return;
  if (!load) progress();
  for (int part = 0; load && part < instruction.width; ++part)
    write_lanes(part_of(data.slot, part), words[part], mask_);
}

void Interpreter::tensor_access(const Instruction& instruction) {
  bool load = instruction.action == Action::load_tensor;
  const Argument& at = instruction.arguments[load ? 1 : 0];
  const Argument& data = instruction.arguments[load ? 0 : 1];
  std::uint32_t address = (at.slot.constant ? 0 : read_uniform(at.slot)) + static_cast<std::uint32_t>(at.number);
  std::uint32_t lane_field = address >> 16, column = address & 0xffff;
  // A warp reaches the quarter of the lanes that its index gives it; the quarter's bits of the address are not looked
  // at.
  int quarter = warp_->index % TensorMemory::kQuarters;
  TensorMemory& tensor = cta().tensor;
  if (lane_field >= TensorMemory::kLanes || lane_field % 32 != 0) {
    report(Finding::Kind::memory, fmt::format("starts at lane {} of tensor memory, no multiple of 32", lane_field));
    return;
  }
  if (!tensor.allocated(column, instruction.width)) {
    report(Finding::Kind::memory, fmt::format("reaches columns {} .. {} of tensor memory, which are not allocated",
                                              column, column + instruction.width));
    return;
  }
  bool reported = false;
  tensor.for_each_block(
      quarter, column, instruction.width, [&](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t first) {
        std::uint64_t pending = block.pending.above_zero() & mask;
        std::uint64_t wrong = load ? pending | (mask & ~block.written & ~block.read) : pending;
        if (wrong != 0 && !reported) {
          reported = true;
          int at = std::countr_zero(wrong);
          std::uint32_t its = first + static_cast<std::uint32_t>(at);
          report(Finding::Kind::memory,
                 pending >> at & 1 ? fmt::format("{} column {} of tensor memory, which an MMA still writes: no commit "
                                                 "after it has completed",
                                                 load ? "reads" : "writes", its)
                                   : fmt::format("reads column {} of tensor memory, which no MMA has written", its));
        }
        (load ? block.read : block.written) |= mask;
        (load ? block.written : block.read) &= ~mask;
      });
  Lanes values;
  for (int i = 0; i < instruction.width; ++i) {
    std::uint32_t place = column + static_cast<std::uint32_t>(i);
    Slot slot = part_of(data.slot, i);
    if (load) {
      for (int lane = 0; lane < kLanes; ++lane) {
        values[lane] = tensor.holds_values() ? std::bit_cast<std::uint32_t>(tensor.row(32 * quarter + lane)[place]) : 0;
      }
      write_lanes(slot, values, mask_);
      warp_->loading.push_back(slot.name);
    } else {
      Lanes buffer;
      const std::uint32_t* given = lanes(data, buffer, i);
      for (int lane = 0; tensor.holds_values() && lane < kLanes; ++lane)
        tensor.row(32 * quarter + lane)[place] = std::bit_cast<float>(given[lane]);
    }
  }
  order_tensor_access(column, instruction.width, load);
  if (load) warp_->tensor_load_pending = true;
  progress();
}

bool Interpreter::memory_access(const Instruction& instruction) {
  switch (instruction.action) {
    case Action::load_shared:
    case Action::store_shared:
      instruction.remote ? cluster_access(instruction) : shared_access(instruction, cta());
      return true;
    case Action::load_global:
    case Action::store_global:
    case Action::add_global:
      global_access(instruction);
      return true;
    case Action::load_tensor:
    case Action::store_tensor:
      tensor_access(instruction);
      return true;
    default:
      return false;
  }
}

}  // namespace warpcc::checker
