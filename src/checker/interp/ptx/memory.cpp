// Loads, stores and atomics of lanes, over the generic address space and its windows.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/combine.h"
#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

std::pair<int, std::uint32_t> Executor::shared_place(std::uint64_t address) const {
  if (address >= kSharedWindow && address < kSharedWindow + kWindow) address -= kSharedWindow;
  std::uint64_t rank = address >> 24;
  if (rank >= cluster_->ctas.size()) return {-1, 0};
  return {static_cast<int>(rank), static_cast<std::uint32_t>(address & 0xffffff)};
}

Executor::Place Executor::place(Where where, std::uint64_t address, std::int64_t bytes, int lane, bool write) {
  if (where == Where::generic) {
    where = Where::global;
    if (address >= kSharedWindow && address < kSharedWindow + kWindow) where = Where::shared;
    if (address >= kLocalWindow && address < kLocalWindow + kWindow) where = Where::local;
    if (address >= kParamWindow && address < kParamWindow + kWindow) where = Where::param;
  }
  const char* how = write ? "writes" : "reads";
  Place found;
  switch (where) {
    case Where::shared: {
      auto [rank, offset] = shared_place(address);
      if (rank < 0 || !cluster_->ctas[static_cast<std::size_t>(rank)]->shared.inside(offset, bytes)) {
        report(Finding::Kind::memory,
               fmt::format("{} {} bytes at {:#x} of shared memory, which the CTA does not have", how, bytes, address));
        return {};
      }
      found.shared = cluster_->ctas[static_cast<std::size_t>(rank)].get();
      found.offset = offset;
      found.data = found.shared->shared.bytes(offset, static_cast<std::uint32_t>(bytes)).data();
      need_no_barrier(rank, offset, bytes, how);
      if (!write && !found.shared->shared.written(offset, static_cast<std::uint32_t>(bytes)))
        report(Finding::Kind::memory, fmt::format("reads shared memory at {:#x}, which nothing has written", offset));
      return found;
    }
    case Where::local:
    case Where::frame: {
      if (address >= kLocalWindow) address -= kLocalWindow;
      if (address + static_cast<std::uint64_t>(bytes) > static_cast<std::uint64_t>(code_.frame_bytes)) {
        report(Finding::Kind::memory, fmt::format("{} {} bytes at {:#x} of local memory, which has {}", how, bytes,
                                                  address, code_.frame_bytes));
        return {};
      }
      found.data = &warp_->frame[static_cast<std::size_t>(lane * code_.frame_bytes) + address];
      return found;
    }
    case Where::param: {
      if (address >= kParamWindow) address -= kParamWindow;
      if (write || address + static_cast<std::uint64_t>(bytes) > params_.size()) {
        report(Finding::Kind::memory, fmt::format("{} {} bytes at {:#x} of the parameters", how, bytes, address));
        return {};
      }
      found.data = &params_[address];
      return found;
    }
    default:
      break;
  }
  DeviceMemory::Allocation* allocation = memory_.find(address, bytes);
  if (allocation == nullptr) {
    report(Finding::Kind::memory, fmt::format("{} {} bytes at {:#x}, where nothing is allocated", how, bytes, address));
    return {};
  }
  found.global = allocation;
  found.data = &allocation->bytes[address - allocation->begin];
  if (!write && allocation->unwritten > 0) {
    std::size_t first = (address - allocation->begin) / 4,
                last = (address - allocation->begin + static_cast<std::uint64_t>(bytes) - 1) / 4;
    bool written = true;
    for (std::size_t i = first; i <= last; ++i) written = written && allocation->written[i];
    if (!written)
      report(Finding::Kind::memory, fmt::format("reads global memory that nothing has written{}",
                                                allocation->discarded ? ", or that was discarded since" : ""));
  }
  return found;
}

void Executor::wrote(const Place& place, std::int64_t bytes) {
  ++progress_;
  if (place.shared != nullptr) place.shared->shared.mark_written(place.offset, static_cast<std::uint32_t>(bytes));
  if (place.global != nullptr) {
    std::size_t at = static_cast<std::size_t>(place.data - place.global->bytes.data());
    place.global->mark(at / 4, (at + static_cast<std::size_t>(bytes) - 1) / 4);
  }
}

void Executor::addresses(const Code& code, std::size_t first, std::uint64_t* lanes) {
  read64(arg(code, first), lanes);
  auto offset = static_cast<std::uint64_t>(arg(code, first + 1).value);
  for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += offset;
}

void Executor::memory_access(const Code& code) {
  switch (code.op) {
    case Op::cvta: {
      std::uint64_t window = code.where == Where::shared  ? kSharedWindow
                             : code.where == Where::local ? kLocalWindow
                             : code.where == Where::param ? kParamWindow
                                                          : 0;
      Lanes64 lanes;
      read64(arg(code, 1), lanes);
      for (std::uint64_t& each : lanes) {
        if (!code.relaxed) {
          each += window;
        } else if (window != 0) {
          each -= window;
        }
      }
      return write64(arg(code, 0), lanes);
    }
    case Op::ld:
      return load(code);
    case Op::st:
      return store(code);
    case Op::copy_async:
      return copy_async(code);
    case Op::discard:
      return discard(code);
    case Op::st_async:
    case Op::red_async:
      return access_remotely(code);
    case Op::ldmatrix:
    case Op::stmatrix:
      return matrices(code);
    default:
      return atomic(code);
  }
}

// What a run is compared with another by: flags and counters are not.
void Executor::note_lanes(const Code& code, const std::uint64_t* at, std::int64_t bytes,
                          machine::PlaceHistory::Use use) {
  if (launch_.places == nullptr) return;
  const bool sum = use == machine::PlaceHistory::Use::add, at_once = code.op == Op::atom || code.op == Op::red;
  const bool flag = code.acquire || code.release || (!sum && (code.relaxed || at_once));
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = at[std::countr_zero(rest)];
    if (code.where != Where::global && (code.where != Where::generic || !DeviceMemory::owns(address))) continue;
    if (flag) {
      launch_.places->leave_out(address, bytes);
    } else {
      launch_.places->note(use, address, bytes);
    }
  }
}

void Executor::load(const Code& code) {
  Lanes64 at;
  addresses(code, 0, at);
  const int width = bits(code.type) / 8;
  const std::int64_t bytes = static_cast<std::int64_t>(width) * code.vector;
  const bool strong = code.relaxed || code.acquire;
  order_lanes(code.where, at, bytes, strong ? order::Use::strong_read : order::Use::read, code.at_read);
  if (strong) order_flags(code, at, true, FlagWrite::none);
  warp_->asked = warp_->asked || strong;
  note_lanes(code, at, bytes, machine::PlaceHistory::Use::read);
  std::uint8_t* data[kLanes];
  if (!places(code, at, bytes, data)) {
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      need_aligned(at[lane], bytes, "reads");
      data[lane] = place(code.where, at[lane], bytes, lane, false).data;
    }
  }
  for (int i = 0; i < code.vector; ++i) {
    const Arg& to = arg(code, static_cast<std::size_t>(i) + 2);
    if (to.kind != Arg::Kind::reg) continue;
    auto each = [&](auto function) {
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        if (data[lane] != nullptr) function(lane, data[lane] + i * width);
      }
    };
    if (width == 16) {
      each([&](int lane, const std::uint8_t* from) { std::memcpy(place64(to) + 2 * lane, from, 16); });
    } else if (width == 4 && to.bytes == 4) {
      each([words = place32(to)](int lane, const std::uint8_t* from) { std::memcpy(words + lane, from, 4); });
    } else {
      const int shift = is_signed(code.type) ? 64 - 8 * width : 0;
      each([&](int lane, const std::uint8_t* from) {
        std::uint64_t value = 0;
        std::memcpy(&value, from, static_cast<std::size_t>(width));
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
        if (to.bytes == 4) {
          place32(to)[lane] = static_cast<std::uint32_t>(value);
        } else if (to.bytes >= 8) {
          place64(to)[lane * (to.bytes / 8)] = value;
        }
      });
    }
  }
}

// Where all lanes read, at once: one allocation of global memory all of which is written, or the parameters. False, and
// nothing done, where it is not as simple.
bool Executor::places(const Code& code, const std::uint64_t* at, std::int64_t bytes, std::uint8_t** data) {
  const auto size = static_cast<std::uint64_t>(bytes);
  std::uint64_t begin = 0, end = 0, aligned = 0;
  std::uint8_t* memory = nullptr;
  if (code.where == Where::param) {
    end = params_.size();
    memory = params_.data();
  } else if (code.where == Where::global || (code.where == Where::generic && at[first_lane()] < kParamWindow)) {
    DeviceMemory::Allocation* of = memory_.find(at[first_lane()], bytes);
    if (of == nullptr || of->unwritten != 0) return false;
    begin = of->begin;
    end = begin + of->bytes.size();
    memory = of->bytes.data();
  }
  if (memory == nullptr || end - begin < size) return false;
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    aligned |= at[lane] & (size - 1);
    if (at[lane] < begin || at[lane] > end - size) return false;
    data[lane] = memory + (at[lane] - begin);
  }
  return aligned == 0;
}

void Executor::store(const Code& code) {
  Lanes64 at, value;
  addresses(code, 0, at);
  const int width = bits(code.type) / 8;
  const std::int64_t bytes = static_cast<std::int64_t>(width) * code.vector;
  const bool strong = code.relaxed || code.release;
  if (strong) {
    order_flag_write(code, at, bytes, false, FlagWrite::anew, order::Use::strong_write);
  } else {
    order_lanes(code.where, at, bytes, order::Use::write);
  }
  note_lanes(code, at, bytes, machine::PlaceHistory::Use::write);
  Place to[kLanes];
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    need_aligned(at[lane], bytes, "writes");
    to[lane] = place(code.where, at[lane], bytes, lane, true);
  }
  for (int i = 0; i < code.vector; ++i) {
    const Arg& from = arg(code, static_cast<std::size_t>(i) + 2);
    if (width < 16) read64(from, value);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      int lane = std::countr_zero(rest);
      if (to[lane].data == nullptr) continue;
      if (width == 16) {
        std::memcpy(to[lane].data, place64(from) + 2 * lane, 16);
      } else {
        std::memcpy(to[lane].data + i * width, &value[lane], static_cast<std::size_t>(width));
      }
    }
  }
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    if (to[lane].data != nullptr) wrote(to[lane], bytes);
  }
}

// Whether a store writes what is there already.
bool Executor::changes_nothing(const Code& code) {
  if (code.op != Op::st || bits(code.type) > 64) return false;
  Lanes64 at, value;
  addresses(code, 0, at);
  const int width = bits(code.type) / 8;
  for (int i = 0; i < code.vector; ++i) {
    read64(arg(code, static_cast<std::size_t>(i) + 2), value);
    for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      Place to = place(code.where, at[lane] + static_cast<std::uint64_t>(i * width), width, lane, true);
      if (to.data == nullptr || std::memcmp(to.data, &value[lane], static_cast<std::size_t>(width)) != 0) return false;
    }
  }
  return true;
}

// [a], offset, results, operands: of a vector, as many as it has.
void Executor::atomic(const Code& code) {
  const std::uint64_t before = progress_;
  bool changed = false;
  Lanes64 at;
  addresses(code, 0, at);
  const int width = bits(code.type) / 8;
  const std::size_t vector = code.vector;
  const std::int64_t bytes = static_cast<std::int64_t>(width) * code.vector;
  // Sums of floating numbers are data, what else is changed at once may be a flag.
  const bool sum = code.extra == 0 && is_float(code.type);
  if (!sum || code.acquire || code.release) {
    order_flag_write(code, at, bytes, code.op == Op::atom, FlagWrite::on_top,
                     sum ? order::Use::add : order::Use::strong_write);
  } else {
    order_lanes(code.where, at, bytes, order::Use::add);
  }
  note_lanes(code, at, bytes, sum ? machine::PlaceHistory::Use::add : machine::PlaceHistory::Use::write);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    need_aligned(at[lane], bytes, "changes");
    Place to = place(code.where, at[lane], bytes, lane, true);
    if (to.data == nullptr) continue;
    std::uint32_t all = mask_;
    mask_ = 1u << lane;
    for (std::size_t i = 0; i < vector; ++i) {
      std::uint64_t old = 0;
      std::memcpy(&old, to.data + i * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
      Lanes64 b, c{};
      read64(arg(code, 2 + vector + i), b);
      if (code.count > 3 + vector && code.extra == 7) read64(arg(code, 3 + vector), c);
      std::uint64_t value = combined(code.extra, code.type, old, b[lane], c[lane]);
      std::memcpy(to.data + i * static_cast<std::size_t>(width), &value, static_cast<std::size_t>(width));
      changed = changed || value != old;
      Lanes64 result;
      std::fill_n(result, kLanes, old);
      write64(arg(code, 2 + i), result);
    }
    wrote(to, bytes);
    mask_ = all;
  }
  if (!changed) progress_ = before;  // a lock that is not free is asked for again and again
  warp_->asked = warp_->asked || !changed;
}

// PTX ISA, ldmatrix and stmatrix: 8 × 8 matrices of 16 bits, a row's address from lane 8 · matrix + row; a lane has two
// neighbours of row lane / 4.
void Executor::matrices(const Code& code) {
  Lanes64 at;
  addresses(code, 0, at);
  const bool load = code.op == Op::ldmatrix;
  const std::uint32_t all = mask_;
  mask_ = code.extra >= 4 ? ~0u : (1u << 8 * code.extra) - 1;
  order_lanes(Where::shared, at, 16, load ? order::Use::read : order::Use::write);
  mask_ = all;
  for (int matrix = 0; matrix < code.extra; ++matrix) {
    Place rows[8];
    for (int row = 0; row < 8; ++row) {
      need_aligned(at[8 * matrix + row], 16, load ? "reads" : "writes");
      rows[row] = place(Where::shared, at[8 * matrix + row], 16, 8 * matrix + row, !load);
      if (rows[row].data == nullptr) return;
    }
    const Arg& reg = arg(code, static_cast<std::size_t>(matrix) + 2);
    Lanes32 lanes{};
    if (!load) read32(reg, lanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int half = 0; half < 2; ++half) {
        int row = lane / 4, column = lane % 4 * 2 + half;
        if (code.add) std::swap(row, column);
        std::uint8_t* element = rows[row].data + 2 * column;
        if (load) {
          std::uint16_t value = 0;
          std::memcpy(&value, element, 2);
          lanes[lane] |= static_cast<std::uint32_t>(value) << (16 * half);
        } else {
          auto value = static_cast<std::uint16_t>(lanes[lane] >> (16 * half));
          std::memcpy(element, &value, 2);
        }
      }
    }
    if (load) {
      write32(reg, lanes);
    } else {
      for (const Place& row : rows) wrote(row, 16);
    }
  }
}

// A weak write of no value in particular (PTX ISA, discard).
void Executor::discard(const Code& code) {
  constexpr std::int64_t kBytes = 128;
  Lanes64 at;
  addresses(code, 0, at);
  order_lanes(code.where, at, kBytes, order::Use::write);
  note_lanes(code, at, kBytes, machine::PlaceHistory::Use::write);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    need_aligned(at[lane], kBytes, "discards");
    const Place to = place(code.where, at[lane], kBytes, lane, true);
    if (to.data == nullptr) continue;
    if (to.global == nullptr) {
      report(Finding::Kind::memory,
             fmt::format("discards {} bytes at {:#x}, which is no global memory", kBytes, at[lane]));
      continue;
    }
    const auto first = static_cast<std::size_t>(to.data - to.global->bytes.data());
    to.global->forget(first / 4, (first + kBytes - 1) / 4);
  }
}

void Executor::copy_async(const Code& code) {
  Lanes64 to, from, some;
  addresses(code, 0, to);
  addresses(code, 2, from);
  const std::int64_t bytes = arg(code, 4).value;
  const Arg& given = arg(code, 5);
  const bool part = given.kind != Arg::Kind::none;
  if (given.kind == Arg::Kind::reg && given.bytes == 0) {
    const std::uint32_t ignored = predicate(given);
    for (int lane = 0; lane < kLanes; ++lane) some[lane] = ignored >> lane & 1 ? 0 : static_cast<std::uint64_t>(bytes);
  } else if (part) {
    read64(given, some);
  }
  std::uint32_t reading = mask_;  // a copy of no bytes reads nothing, wherever it points
  for (int lane = 0; part && lane < kLanes; ++lane) {
    if (some[lane] == 0) reading &= ~(1u << lane);
  }
  order_copy_async(to, from, bytes, reading);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    std::int64_t count = part ? std::clamp<std::int64_t>(static_cast<std::int64_t>(some[lane]), 0, bytes) : bytes;
    if (part && some[lane] > static_cast<std::uint64_t>(bytes))
      report(Finding::Kind::memory, fmt::format("copies {} bytes of a source into {}", some[lane], bytes),
             {"to mend: a src-size that is no more than the bytes that are written",
              "PTX ISA, cp.async: src-size is not more than cp-size"});
    need_aligned(to[lane], bytes, "writes");
    if (count == bytes) need_aligned(from[lane], bytes, "reads");
    Place into = place(Where::shared, to[lane], bytes, lane, true);
    if (into.data == nullptr) continue;
    std::memset(into.data, 0, static_cast<std::size_t>(bytes));
    if (count > 0) {
      Place source = place(Where::global, from[lane], count, lane, false);
      if (source.data != nullptr) std::memcpy(into.data, source.data, static_cast<std::size_t>(count));
    }
    wrote(into, bytes);
  }
}

}  // namespace warpcc::checker::ptx
