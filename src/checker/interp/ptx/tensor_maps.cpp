// Tensor maps: found where an instruction names one, changed field by field (PTX ISA, tensormap.replace), and carried
// to where the copy engine may read them (tensormap.cp_fenceproxy).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

namespace {
constexpr std::int64_t kMapBytes = 128;
}  // namespace

// The map as it is now: a kernel may change those in global memory, and what has been asked for keeps its own.
const TensorMapFields* Executor::tensor_map(std::uint64_t address, BoxMode mode) {
  const bool rows_apart = mode == BoxMode::rows_apart;
  if (address % 64 != 0)
    report(Finding::Kind::memory, fmt::format("the tensor map at {:#x}: no multiple of 64", address),
           {"to mend: `.align 64`, alignas(64), of what holds it", "CUDA driver API, tensor map objects: alignment"});
  std::span<const std::uint8_t> bytes;
  if (address >= kParamWindow && address - kParamWindow + kMapBytes <= params_.size()) {
    bytes = std::span<const std::uint8_t>(params_).subspan(address - kParamWindow, kMapBytes);
  } else {
    bytes = memory_.bytes(address, kMapBytes);
  }
  std::array<std::uint8_t, kMapBytes> key{};
  if (bytes.size() == kMapBytes) std::copy_n(bytes.begin(), kMapBytes, key.begin());
  auto found = maps_.find({key, mode});
  if (found == maps_.end()) {
    std::optional<TensorMapFields> map = decode_tensor_map(bytes);
    std::string wrong = map ? wrong_with(*map) : "";
    if (map && wrong.empty() && map->window.has_value() != (mode == BoxMode::pixels))
      wrong =
          map->window ? "is of pixels, and what uses it of boxes" : "is of boxes, and what uses it of pixels (im2col)";
    if (map && rows_apart && (map->box.size() != 2 || map->box[1] != 1))
      wrong = "four rows come by a map whose box is one row of two dimensions";
    if (!map || !wrong.empty()) {
      report(Finding::Kind::protocol, map ? fmt::format("the tensor map at {:#x}: {}", address, wrong)
                                          : fmt::format("the 128 bytes at {:#x} are no tensor map", address));
      return nullptr;
    }
    map->rows_apart = rows_apart;
    if (rows_apart) map->box[1] = 4;
    found = maps_.emplace(std::pair(key, mode), std::move(*map)).first;
  }
  order_map_used(address);
  return &found->second;
}

namespace {

// One field; `field` as the decoder numbers them. Ordinals past the map's dimensions say nothing. What is wrong, in
// words.
std::string replace(TensorMapFields& map, int field, std::size_t ordinal, std::uint64_t value) {
  // PTX ISA, tensormap.replace: the values of .elemtype. Bytes; whether sums are real numbers.
  struct Element {
    int bytes;
    bool real;
  };
  static constexpr Element kElements[] = {{1, false}, {2, false}, {4, false}, {4, false}, {8, false}, {8, false},
                                          {2, true},  {4, true},  {4, true},  {8, true},  {2, true},  {4, true},
                                          {4, true},  {1, false}, {1, false}, {1, false}};
  const std::int64_t halves = ordinal == 0 && map.nibbles ? 2 : 1;
  switch (field) {
    case 0:
      map.address = value;
      return "";
    case 1:
      if (value > 4) return fmt::format("{} + 1 dimensions; 5 are the most", value);
      if (map.window) return "the rank of a map of pixels is not changed";
      map.extents.resize(value + 1, 1);
      map.box.resize(value + 1, 1);
      map.strides.resize(value, 16);
      return "";
    case 2:
      if (ordinal < map.box.size()) map.box[ordinal] = static_cast<std::int64_t>(value & 0xffffffff) / halves;
      return "";
    case 3:
      if (ordinal < map.extents.size()) map.extents[ordinal] = static_cast<std::int64_t>(value & 0xffffffff) / halves;
      return "";
    case 4:
      if (ordinal < map.strides.size()) map.strides[ordinal] = static_cast<std::int64_t>(value & 0xff'ffff'ffff);
      return "";
    case 5:
      return (value & 0xffffffff) == 1 ? "" : "strides of elements other than 1 are not taken";
    case 6:
      if (value > 15) return fmt::format("there is no element type {}", value);
      map.element_bytes = kElements[value].bytes;
      map.real = kElements[value].real;
      map.brain = value == 10;
      map.has_sign = value == 3 || value == 5;
      map.nibbles = value == 13;
      map.spread = value == 14 ? 4 : value == 15 ? 6 : 0;
      return "";
    case 7:
      return value == 0 ? "" : "interleaved layouts are not taken";
    case 8: {
      static constexpr int kSpans[] = {0, 32, 64, 128};
      if (value > 3) return fmt::format("the swizzle {} is not taken", value);
      map.swizzle_span = kSpans[value];
      return "";
    }
    case 9: {
      static constexpr int kAtoms[] = {16, 32, 0, 64};
      if (value > 3 || value == 2) return fmt::format("the swizzle's atom {} is not taken", value);
      map.swizzle_atom = kAtoms[value];
      return "";
    }
    default:
      map.fill_nan = value != 0;
      return "";
  }
}

}  // namespace

// What the copy engine would not take (CUDA driver API, cuTensorMapEncodeTiled): a map may have come by pieces.
std::string Executor::wrong_with(const TensorMapFields& map) const {
  const std::int64_t row = map.box[0] * map.element_bytes;
  if (map.address % 16 != 0) return fmt::format("its address, {:#x}, is no multiple of 16", map.address);
  for (std::size_t i = 0; i < map.box.size(); ++i) {
    const std::int64_t most = map.window && i == 1 ? 1024 : 256;
    if (map.box[i] < 1 || map.box[i] > most) return fmt::format("its box has {} in dimension {}", map.box[i], i);
  }
  for (std::size_t i = 1; i < map.extents.size(); ++i) {
    if (map.strides[i - 1] % 16 != 0)
      return fmt::format("its stride {}, {} bytes, is no multiple of 16", i - 1, map.strides[i - 1]);
  }
  if (row % 16 != 0) return fmt::format("its box has rows of {} bytes, no multiple of 16", row);
  if (map.swizzle_span > 0 && row > map.swizzle_span)
    return fmt::format("its box has rows of {} bytes, and the swizzle spans {}", row, map.swizzle_span);
  return "";
}

// [map], offset, ordinal, value
void Executor::replace_in_map(const Code& code) {
  Lanes64 at, ordinal, value;
  addresses(code, 0, at);
  read64(arg(code, 2), ordinal);
  read64(arg(code, 3), value);
  order_lanes(code.where, at, kMapBytes, order::Use::write);
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Place to = place(code.where, at[lane], kMapBytes, lane, false);
    if (to.data == nullptr) continue;
    std::optional<TensorMapFields> map = decode_tensor_map({to.data, static_cast<std::size_t>(kMapBytes)});
    std::string wrong = "changes what is no tensor map";
    if (map) wrong = replace(*map, code.extra, static_cast<std::size_t>(ordinal[lane]), value[lane]);
    if (!wrong.empty()) {
      report(Finding::Kind::protocol, std::move(wrong));
      continue;
    }
    std::array<std::uint8_t, 128> bytes = encode(*map);
    std::copy(bytes.begin(), bytes.end(), to.data);
    wrote(to, kMapBytes);
    if (to.global != nullptr) order_map_written(at[lane], Scope::none);
  }
}

// [to], offset, [from], offset: by a warp, once.
Executor::Next Executor::copy_map(const Code& code) {
  if (!together(~0u)) return Next::blocked;
  Lanes64 to, from;
  addresses(code, 0, to);
  addresses(code, 2, from);
  const std::uint32_t all = mask_;
  const int lane = first_lane();
  mask_ = 1u << lane;
  order_lanes(Where::shared, from, kMapBytes, order::Use::read);
  order_lanes(Where::global, to, kMapBytes, order::Use::write);
  Place source = place(Where::shared, from[lane], kMapBytes, lane, false);
  Place target = place(Where::global, to[lane], kMapBytes, lane, true);
  if (source.data != nullptr && target.data != nullptr) {
    std::memcpy(target.data, source.data, static_cast<std::size_t>(kMapBytes));
    wrote(target, kMapBytes);
    order_map_written(to[lane], code.scope);
  }
  mask_ = all;
  order_fence(code);
  return Next::on;
}

// ---- what the order is told: between a change of a map and its use lies a fence of the proxy of maps, by the warp
// that uses it or by another of its CTA that it has heard of (PTX ISA, memory consistency model, proxy-preserved base
// causality order). And a map is changed when what uses it has been waited for: the copy engine reads it while it works
// (PTX ISA, cp.async.bulk.wait_group: reading from the tensormap).

void Executor::order_map_written(std::uint64_t address, Scope released) {
  if (!ordering_) return;
  order::Thread& thread = warp_->order->thread;
  ordering_->maps[address] = {line_, thread.who(), thread.collective(), released, {}};
}

// fence.proxy.tensormap::generic.release: of all maps whose change this warp knows of.
void Executor::order_maps_released(Scope scope) {
  if (!ordering_) return;
  const order::Thread& thread = warp_->order->thread;
  for (auto& [address, changed] : ordering_->maps) {
    const bool here = changed.by >> 9 == thread.who() >> 9;  // agents are numbered in each cluster
    if (changed.line == kNoLine || !here || !thread.knows().seen.covers(changed.epoch)) continue;
    changed.released = std::max(changed.released, scope);
    changed.by = thread.who();
  }
}

// What another warp has changed, it has told to the proxy, by a scope that has this warp in it.
void Executor::tell_unreleased_map(std::uint64_t address, const LaunchOrder::Changed& changed) {
  const std::uint32_t who = warp_->order->thread.who();
  const bool narrow = (changed.released == Scope::cta && changed.by >> 5 != who >> 5) ||
                      (changed.released == Scope::cluster && changed.by >> 9 != who >> 9);
  if (changed.by == who || (changed.released != Scope::none && !narrow)) return;
  tell_race(fmt::format("uses the tensor map at {:#x}, which {} has changed: {}", address, line_text(changed.line),
                        narrow ? "the scope of the release leaves this CTA out"
                               : "with no release to the proxy of tensor maps"),
            {"first: " + place_text(changed.line) + ": " + line_text(changed.line),
             "to mend: fence.proxy.tensormap::generic.release.gpu by who has changed it, behind the change and before "
             "it is told of; or tensormap.cp_fenceproxy….release.gpu of a map that is changed in shared memory",
             "PTX ISA, tensormap.cp_fenceproxy; membar, fence: fence.proxy.tensormap"},
            8);
}

void Executor::order_map_read(std::uint64_t address, order::Epoch epoch) {
  if (memory_.find(address, kMapBytes) == nullptr) return;
  const order::Actor reads = actor(epoch, order::Use::read, false, order::Space::global);
  auto between = [&](const order::Entry& first) { return order_between(first, reads); };
  order::Step step(ordering_->history, reads.entry, between, ordering_->conflicts);
  access_global(address, kMapBytes, step);
  if (!ordering_->conflicts.empty()) tell_conflicts(reads, global_name(address));
}

void Executor::order_map_fenced(std::uint64_t address) {
  if (!ordering_) return;
  // Of one that the kernel has not changed, somebody else may have written it: --strict asks for a fence all the same.
  auto changed = options_.strict
                     ? ordering_->maps.try_emplace(address, LaunchOrder::Changed{kNoLine, 0, {}, Scope::none, {}}).first
                     : ordering_->maps.find(address);
  if (changed == ordering_->maps.end()) return;
  const std::uint32_t cta = order::warp_id(cluster_->order->serial, warp_->cta, 0);
  const order::Epoch epoch = warp_->order->thread.collective();
  for (LaunchOrder::Changed::Fence& each : changed->second.fences) {
    if (each.cta == cta && each.epoch.agent == epoch.agent) {  // agents are numbered in each cluster
      each.epoch = epoch;
      return;
    }
  }
  changed->second.fences.push_back({cta, epoch});
}

// CUDA programming guide, tensor memory access: a map in global memory was copied there, and each CTA fences before it
// uses it; one that is a parameter or lies in constant memory needs none.
void Executor::tell_unfenced_map(std::uint64_t address) {
  tell_race(
      fmt::format("uses the tensor map at {:#x}, which lies in global memory: with no fence of the proxy of tensor "
                  "maps in this CTA",
                  address),
      {"to mend: fence.proxy.tensormap::generic.acquire.sys (or .gpu, where a kernel has written it) of this map, or "
       "the map as a parameter (__grid_constant__)",
       "PTX ISA, membar, fence: fence.proxy.tensormap", "asked for by the ISA, breaks rarely in practice (--strict)"},
      8);
}

void Executor::order_map_used(std::uint64_t address) {
  if (!ordering_) return;
  auto changed = ordering_->maps.find(address);
  const bool here = changed != ordering_->maps.end();
  if (!here || changed->second.line == kNoLine) {
    const DeviceMemory::Allocation* of = options_.strict ? memory_.find(address, kMapBytes) : nullptr;
    if (of == nullptr || of->constant) return;
    if (!here) return tell_unfenced_map(address);
  }
  const std::uint32_t cta = order::warp_id(cluster_->order->serial, warp_->cta, 0);
  for (const LaunchOrder::Changed::Fence& each : changed->second.fences) {
    if (each.cta != cta || !warp_->order->thread.knows().seen.covers(each.epoch)) continue;
    if (changed->second.line != kNoLine) tell_unreleased_map(address, changed->second);
    return;
  }
  const std::uint32_t line = changed->second.line;
  if (line == kNoLine) return tell_unfenced_map(address);
  tell_race(
      fmt::format("uses the tensor map at {:#x}, which {} has changed: with no fence of the proxy of tensor maps",
                  address, line_text(line)),
      {"first: " + place_text(line) + ": " + line_text(line),
       "to mend: fence.proxy.tensormap::generic.acquire of this map, by the warp that uses it or one that it hears "
       "from, once it knows of the change",
       "PTX ISA, tensormap.cp_fenceproxy; membar, fence: fence.proxy.tensormap"},
      8);
}

}  // namespace warpcc::checker::ptx
