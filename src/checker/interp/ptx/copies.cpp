// The copy engine: boxes of tensor maps, bulk copies, their groups; and the requests for other clusters' work.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "checker/interp/ptx/combine.h"
#include "checker/interp/ptx/executor.h"
#include "layout/layout.h"

namespace warpcc::checker::ptx {

namespace {

std::int64_t box_bytes(const TensorMapFields& map) {
  return map.rows() * map.box[0] * map.element_bytes;
}

Num type_of_elements(const TensorMapFields& map) {
  switch (map.element_bytes) {
    case 1:
      return map.has_sign ? Num::s8 : Num::u8;
    case 2:
      return map.brain ? Num::bf16 : map.real ? Num::f16 : Num::u16;
    case 4:
      return map.real ? Num::f32 : map.has_sign ? Num::s32 : Num::u32;
    default:
      return map.real ? Num::f64 : map.has_sign ? Num::s64 : Num::u64;
  }
}

}  // namespace

// Row by row of the box's innermost dimension; within a row 16 bytes at a time, which no swizzle parts.
void Executor::move_box(const TensorMapFields& map, const BoxStart& start, std::uint32_t shared, Cta& cta, bool load,
                        int operation) {
  layout::Swizzle swizzle = layout::swizzle_of_span(map.swizzle_span, map.swizzle_atom);
  const std::int64_t row_bytes = map.box[0] * map.element_bytes,
                     pitch = std::max<std::int64_t>(row_bytes, swizzle.span());  // as machine::TensorMap has it
  const std::int64_t along = start.at[0], first = std::max<std::int64_t>(0, -along),
                     end = std::min(map.box[0], map.extents[0] - along);
  for (std::int64_t row = 0, rows = map.rows(); row < rows; ++row) {
    const std::optional<std::int64_t> offset = map.row_offset(start, row);
    for (std::int64_t at = 0; at < row_bytes; at += 16) {
      std::int64_t place = swizzle(static_cast<std::int64_t>(shared) + row * pitch + at);
      std::uint8_t* here = cta.shared.bytes(static_cast<std::uint32_t>(place), 16).data();
      std::int64_t low = std::max(at, first * map.element_bytes), high = std::min(at + 16, end * map.element_bytes);
      bool some = offset && low < high;
      if (load) {
        std::memset(here, 0, 16);
        if (map.fill_nan && map.real && (!some || low > at || high < at + 16)) {
          for (int i = 0; i < 16; i += map.element_bytes)
            std::memset(here + i, 0xff, static_cast<std::size_t>(map.element_bytes));
        }
      }
      if (!some) continue;
      // Elements that are spread come 16 at a time, all or none.
      const std::int64_t count = map.spread != 0 ? map.bytes_of(16) : high - low;
      const std::int64_t from = map.spread != 0 ? map.bytes_of(along + at) : map.bytes_of(along) + low;
      std::uint64_t address = map.address + static_cast<std::uint64_t>(*offset + from);
      DeviceMemory::Allocation* of = memory_.find(address, count);
      if (of == nullptr) {
        report(Finding::Kind::memory, fmt::format("a box reaches {:#x}, where nothing is allocated", address));
        return;
      }
      std::uint8_t* there = &of->bytes[address - of->begin];
      if (launch_.places != nullptr) {
        using Use = machine::PlaceHistory::Use;
        launch_.places->note(load ? Use::read : operation >= 0 ? Use::add : Use::write, address, count);
      }
      if (load) {
        std::memcpy(here + (low - at), there, static_cast<std::size_t>(count));
      } else if (operation >= 0) {
        combine(operation, type_of_elements(map), {there, static_cast<std::size_t>(count)}, here + (low - at));
      } else {
        std::memcpy(there, here + (low - at), static_cast<std::size_t>(count));
      }
      if (!load) memory_.mark_written(address, count);
    }
  }
}

// A multicast's mask: the CTAs that it names are of the cluster.
std::uint32_t Executor::of_cluster(std::uint64_t mask) {
  const auto size = static_cast<unsigned>(cluster_->ctas.size());
  auto ctas = static_cast<std::uint32_t>(mask & 0xffff);
  if (ctas == 0 || ctas >> size != 0)
    report(Finding::Kind::protocol,
           fmt::format("is multicast by the mask {:#x} in a cluster of {} CTA{}", ctas, size, size == 1 ? "" : "s"));
  return ctas & ((1u << size) - 1);
}

// [shared], offset, map, [barrier], offset, mask, coordinates; of pixels, their offsets
void Executor::tensor_load(const Code& code, int lane) {
  Lanes64 lanes;
  auto value = [&](std::size_t i) {
    read64(arg(code, i), lanes);
    return lanes[lane];
  };
  Load load;
  load.line = line_;
  std::uint64_t to = value(0) + static_cast<std::uint64_t>(arg(code, 1).value);
  load.map_at = value(2);
  load.map = tensor_map(load.map_at, static_cast<BoxMode>(code.extra));
  std::uint64_t barrier = value(3) + static_cast<std::uint64_t>(arg(code, 4).value);
  std::uint32_t mask = code.multicast ? of_cluster(value(5)) : 0;
  for (std::size_t i = 0; i < code.dimensions; ++i) load.start.at[i] = static_cast<std::int32_t>(value(6 + i));
  for (std::size_t i = 0; code.extra == static_cast<int>(BoxMode::pixels) && i + 2 < code.dimensions; ++i)
    load.start.offsets[i] = static_cast<std::uint16_t>(value(6u + code.dimensions + i));
  const TensorMapFields* map = load.map;
  if (map == nullptr) return;
  if (map->extents.size() != code.dimensions && !map->rows_apart) {
    report(Finding::Kind::protocol,
           fmt::format("loads a box of {} dimensions by a map of {}", code.dimensions, map->extents.size()));
    return;
  }
  if (map->nibbles) load.start.at[0] /= 2;
  load.bytes = box_bytes(*map);
  auto [to_rank, to_offset] = shared_place(to);
  auto [barrier_rank, barrier_offset] = shared_place(barrier);
  if (to_rank < 0 || barrier_rank < 0) {
    report(Finding::Kind::memory, "a box goes to a CTA that the cluster does not have");
    return;
  }
  need_box_place(*map, load.start, to_offset);
  need_own(code, to_rank);
  // PTX ISA, cp.async.bulk.tensor: the mbarrier is of the destination's CTA; with .cta_group::2, of its pair.
  if (!code.multicast && (!code.pair || to_rank / 2 != barrier_rank / 2))
    need_together(to_rank, barrier_rank, barrier_offset,
                  "PTX ISA, cp.async.bulk.tensor: without .cta_group::2 the mbarrier is in the CTA of the destination");
  for (std::uint32_t rank = 0; rank < cluster_->ctas.size(); ++rank) {
    bool here = code.multicast ? mask >> rank & 1 : rank == static_cast<std::uint32_t>(to_rank);
    if (!here) continue;
    Load::Target target;
    target.cta = static_cast<int>(rank);
    target.shared = to_offset;
    // PTX ISA, cp.async.bulk.tensor: the signal goes to the CTA of the destination; with a pair, to the one of the two
    // that the barrier's address names.
    target.barrier_cta = static_cast<int>(rank);
    if (code.pair) target.barrier_cta = static_cast<int>((rank & ~1u) | (static_cast<std::uint32_t>(barrier_rank) & 1));
    if (!code.multicast && !code.pair) target.barrier_cta = barrier_rank;
    target.barrier = barrier_offset;
    machine::SharedMemory& shared = cluster_->ctas[rank]->shared;
    if (!shared.inside(to_offset, load.bytes)) {
      report(Finding::Kind::memory,
             fmt::format("a box of {} bytes at {:#x} leaves the CTA's shared memory", load.bytes, to_offset));
      return;
    }
    shared.for_each_block(
        to_offset, load.bytes,
        [](machine::SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.landing.add(units); });
    need_no_barrier(target.cta, to_offset, load.bytes, "fills");
    load.targets.push_back(target);
  }
  order_load(load);
  cluster_->loads.push_back(std::move(load));
  ++progress_;
}

void Executor::tensor_store(const Code& code, int lane) {
  Lanes64 lanes;
  auto value = [&](std::size_t i) {
    read64(arg(code, i), lanes);
    return lanes[lane];
  };
  Store store;
  store.map_at = value(2);
  store.map = tensor_map(store.map_at, static_cast<BoxMode>(code.extra));
  store.operation = code.add ? code.vector : -1;
  auto [rank, offset] = shared_place(value(0) + static_cast<std::uint64_t>(arg(code, 1).value));
  for (std::size_t i = 0; i < code.dimensions; ++i) store.start.at[i] = static_cast<std::int32_t>(value(3 + i));
  const TensorMapFields* map = store.map;
  if (map == nullptr) return;
  for (std::size_t i = 0; i < code.dimensions; ++i) {
    if (store.start.at[i] < 0)
      report(Finding::Kind::protocol,
             fmt::format("a store starts at coordinate {}; the copy engine kills the kernel", store.start.at[i]));
  }
  if (map->extents.size() != code.dimensions && !map->rows_apart) {
    report(Finding::Kind::protocol,
           fmt::format("stores a box of {} dimensions by a map of {}", code.dimensions, map->extents.size()));
    return;
  }
  if (map->nibbles) store.start.at[0] /= 2;
  need_box_place(*map, store.start, offset);
  if (code.add) need_reducible(*map, store.operation);
  store.type = type_of_elements(*map);
  store.bytes = box_bytes(*map);
  store.shared = offset;
  store.cta = rank;
  begin_store(store, lane);
}

void Executor::begin_store(Store store, int lane) {
  if (store.cta < 0 || !cluster_->ctas[static_cast<std::size_t>(store.cta)]->shared.inside(store.shared, store.bytes)) {
    report(Finding::Kind::memory, "a store reads shared memory that the CTA does not have");
    return;
  }
  machine::SharedMemory& shared = cluster_->ctas[static_cast<std::size_t>(store.cta)]->shared;
  if (!shared.written(store.shared, static_cast<std::uint32_t>(store.bytes)))
    report(Finding::Kind::memory, fmt::format("stores shared memory at {:#x} that nothing has written", store.shared));
  need_no_barrier(store.cta, store.shared, store.bytes, "reads");
  store.line = line_;
  store.warp = static_cast<int>(warp_->cta) * 64 + warp_->number;
  store.lane = lane;
  store.group = warp_->bulk[static_cast<std::size_t>(lane)].open;
  // Lanes that all ask for the same are one.
  const Store* last = cluster_->stores.empty() ? nullptr : &cluster_->stores.back();
  if (last == nullptr || last->line != store.line || last->warp != store.warp || last->lane >= lane ||
      last->map != store.map || last->start != store.start || last->shared != store.shared ||
      last->address != store.address)
    order_store(store, lane);
  cluster_->stores.push_back(store);
  ++progress_;
}

// [to], offset, [from], offset, bytes[, [barrier], offset]
void Executor::bulk(const Code& code, int lane) {
  Lanes64 lanes;
  auto value = [&](std::size_t i) {
    read64(arg(code, i), lanes);
    return lanes[lane];
  };
  std::uint64_t to = value(0) + static_cast<std::uint64_t>(arg(code, 1).value);
  std::uint64_t from = value(2) + static_cast<std::uint64_t>(arg(code, 3).value);
  auto bytes = static_cast<std::int64_t>(static_cast<std::uint32_t>(value(4)));
  if (to % 16 != 0 || from % 16 != 0 || bytes % 16 != 0)
    report(Finding::Kind::memory,
           fmt::format("a bulk copy of {} bytes from {:#x} to {:#x}: all are multiples of 16", bytes, from, to));
  if (code.op == Op::bulk_store) {
    Store store;
    auto [rank, offset] = shared_place(from);
    store.cta = rank;
    store.shared = offset;
    store.address = to;
    store.bytes = bytes;
    store.operation = code.add ? code.extra : -1;
    store.type = code.type;
    return begin_store(store, lane);
  }
  Load load;
  load.line = line_;
  load.address = from;
  load.bytes = bytes;
  load.operation = code.add ? code.extra : -1;
  load.type = code.type;
  auto [rank, offset] = shared_place(to);
  auto [barrier_rank, barrier] = shared_place(value(5) + static_cast<std::uint64_t>(arg(code, 6).value));
  if (rank < 0 || barrier_rank < 0 || !cluster_->ctas[static_cast<std::size_t>(rank)]->shared.inside(offset, bytes)) {
    report(Finding::Kind::memory, "a bulk copy goes to shared memory that the cluster does not have");
    return;
  }
  need_own(code, rank);
  if (code.where == Where::shared && !code.add && rank == warp_->cta)
    report(Finding::Kind::protocol, "copies from shared memory to the own CTA's",
           {"to mend: the address of another CTA of the cluster (mapa); in the own one, ld and st",
            "PTX ISA, cp.async.bulk: from .shared::cta to .shared::cluster is to another CTA"});
  if (code.multicast) {
    // To the same place of each CTA of the mask, and its mbarrier.
    const std::uint32_t mask = of_cluster(value(7));
    for (int each = 0; each < static_cast<int>(cluster_->ctas.size()); ++each) {
      if (mask >> each & 1) load.targets.push_back({each, offset, each, barrier});
    }
  } else {
    load.targets.push_back({rank, offset, barrier_rank, barrier});
  }
  for (const Load::Target& target : load.targets) {
    machine::SharedMemory& shared = cluster_->ctas[static_cast<std::size_t>(target.cta)]->shared;
    if (load.operation >= 0 && !shared.written(offset, static_cast<std::uint32_t>(bytes)))
      report(Finding::Kind::memory,
             fmt::format("reduces into shared memory at {:#x}, which nothing has written", offset));
    need_no_barrier(target.cta, offset, bytes, "fills");
    shared.for_each_block(offset, bytes, [](machine::SharedMemory::Block& block, std::uint64_t units, std::uint32_t) {
      block.landing.add(units);
    });
  }
  order_load(load);
  cluster_->loads.push_back(std::move(load));
  ++progress_;
}

void Executor::finish_load(const Load& load) {
  line_ = load.line;
  for (const Load::Target& target : load.targets) {
    Cta& to = *cluster_->ctas[static_cast<std::size_t>(target.cta)];
    if (load.map != nullptr) {
      move_box(*load.map, load.start, target.shared, to, true, -1);
    } else if (load.address >= kSharedWindow || load.address < 0x1000'0000) {
      auto [rank, offset] = shared_place(load.address);
      if (rank >= 0 && cluster_->ctas[static_cast<std::size_t>(rank)]->shared.inside(offset, load.bytes)) {
        const auto bytes = static_cast<std::uint32_t>(load.bytes);
        std::span<std::uint8_t> into = to.shared.bytes(target.shared, bytes);
        const std::uint8_t* from = cluster_->ctas[static_cast<std::size_t>(rank)]->shared.bytes(offset, bytes).data();
        if (load.operation < 0) {
          std::memcpy(into.data(), from, into.size());
        } else {
          combine(load.operation, load.type, into, from);
        }
      } else {
        report(Finding::Kind::memory, "a bulk copy reads shared memory that the cluster does not have");
      }
    } else {
      std::span<std::uint8_t> from = memory_.bytes(load.address, load.bytes);
      if (from.empty() && load.bytes > 0) {
        report(Finding::Kind::memory, fmt::format("a bulk copy reads {:#x}, where nothing is allocated", load.address));
      } else {
        if (launch_.places != nullptr) launch_.places->note(machine::PlaceHistory::Use::read, load.address, load.bytes);
        std::memcpy(to.shared.bytes(target.shared, static_cast<std::uint32_t>(load.bytes)).data(), from.data(),
                    from.size());
      }
    }
    to.shared.mark_written(target.shared, static_cast<std::uint32_t>(load.bytes));
    to.shared.for_each_block(
        target.shared, load.bytes,
        [](machine::SharedMemory::Block& block, std::uint64_t units, std::uint32_t) { block.landing.remove(units); });
    order_landed(target);
    // Of elements that are spread, those bytes count that came (as CUTLASS expects them).
    const bool spread = load.map != nullptr && load.map->spread != 0;
    land(target.barrier_cta, target.barrier, spread ? load.map->bytes_of(load.bytes) : load.bytes);
  }
}

void Executor::write_store(const Store& store) {
  line_ = store.line;
  Cta& from = *cluster_->ctas[static_cast<std::size_t>(store.cta)];
  if (store.map != nullptr) {
    move_box(*store.map, store.start, store.shared, from, false, store.operation);
  } else {
    std::span<std::uint8_t> to = memory_.bytes(store.address, store.bytes);
    if (to.empty() && store.bytes > 0) {
      report(Finding::Kind::memory, fmt::format("a bulk copy writes {:#x}, where nothing is allocated", store.address));
    } else {
      const std::uint8_t* data = from.shared.bytes(store.shared, static_cast<std::uint32_t>(store.bytes)).data();
      if (launch_.places != nullptr) {
        using Use = machine::PlaceHistory::Use;
        launch_.places->note(store.operation < 0 ? Use::write : Use::add, store.address, store.bytes);
      }
      if (store.operation < 0) {
        std::memcpy(to.data(), data, to.size());
      } else {
        combine(store.operation, store.type, to, data);
      }
      memory_.mark_written(store.address, store.bytes);
    }
  }
  ++progress_;
}

Executor::Next Executor::copies(const Code& code) {
  switch (code.op) {
    case Op::map_replace:
      replace_in_map(code);
      return Next::on;
    case Op::map_copy:
      return copy_map(code);
    case Op::bulk_commit:
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1)
        ++warp_->bulk[static_cast<std::size_t>(std::countr_zero(rest))].open;
      return Next::on;
    case Op::bulk_wait: {
      auto newest = static_cast<std::uint64_t>(scalar(arg(code, 0)));
      int id = warp_->cta * 64 + warp_->number;
      for (const Store& store : cluster_->stores) {
        if (store.warp != id || (mask_ >> store.lane & 1) == 0) continue;
        if (store.group + newest < warp_->bulk[static_cast<std::size_t>(store.lane)].open) {
          group_->blocked = Blocked::stores;
          return Next::blocked;
        }
      }
      order_stores_done(!code.at_read, newest);
      return Next::on;
    }
    case Op::clc_try: {
      // [answer], offset, [barrier], offset
      Lanes64 answer, barrier;
      addresses(code, 0, answer);
      addresses(code, 2, barrier);
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        std::uint32_t words[4] = {0, 0, 0, 0};
        if (next_cluster_ < clusters_) {
          std::uint64_t first = options_.seed != 0 && random(2) != 0 ? --clusters_ : next_cluster_++;
          std::uint64_t across = launch_.grid[0] / launch_.cluster[0], down = launch_.grid[1] / launch_.cluster[1];
          words[0] = static_cast<std::uint32_t>(first % across) * launch_.cluster[0];
          words[1] = static_cast<std::uint32_t>(first / across % down) * launch_.cluster[1] |
                     static_cast<std::uint32_t>(first / across / down) * launch_.cluster[2] << 16;
          words[2] = 1;
        }
        for (const auto& each : cluster_->ctas) {
          if (!code.multicast && each.get() != &cta()) continue;
          auto to = static_cast<std::uint32_t>(answer[lane] & 0xffffff);
          if (!each->shared.inside(to, 16)) {
            report(Finding::Kind::memory, "the answer goes to shared memory that the CTA does not have");
            continue;
          }
          need_aligned(to, 16, "writes");
          need_no_barrier(static_cast<int>(each->rank), to, 16, "writes");
          order_request(to, static_cast<std::uint32_t>(barrier[lane] & 0xffffff), static_cast<int>(each->rank),
                        words[2] == 0);
          std::memcpy(each->shared.bytes(to, 16).data(), words, 16);
          each->shared.mark_written(to, 16);
          land(static_cast<int>(each->rank), static_cast<std::uint32_t>(barrier[lane] & 0xffffff), 16);
        }
      }
      return Next::on;
    }
    case Op::clc_canceled:
    case Op::clc_ctaid: {
      const Arg& handle = arg(code, static_cast<std::size_t>(code.count) - 1);
      const std::uint64_t* words = place64(handle);
      if (code.op == Op::clc_canceled) {
        std::uint32_t taken = 0;
        for (int lane = 0; lane < kLanes; ++lane) taken |= static_cast<std::uint32_t>(words[2 * lane + 1] & 1) << lane;
        write_predicate(arg(code, 0), taken);
        return Next::on;
      }
      std::uint32_t none = 0;
      for (int lane = 0; lane < kLanes; ++lane) none |= static_cast<std::uint32_t>(~words[2 * lane + 1] & 1) << lane;
      if (options_.strict && (none & mask_) != 0)
        report(Finding::Kind::protocol, "asks which CTA an answer gives that says that no work is left",
               {"to mend: only where is_canceled has said yes",
                "PTX ISA, clusterlaunchcontrol.query_cancel: what get_first_ctaid says then is undefined",
                "asked for by the ISA, breaks rarely in practice (--strict)"});
      for (int i = 0; i < (code.extra < 0 ? 3 : 1); ++i) {
        int part = code.extra < 0 ? i : code.extra;
        Lanes32 lanes;
        for (int lane = 0; lane < kLanes; ++lane) {
          std::uint64_t word = words[2 * lane];
          lanes[lane] = part == 0 ? static_cast<std::uint32_t>(word)
                                  : static_cast<std::uint32_t>(word >> (part == 1 ? 32 : 48)) & 0xffff;
        }
        write32(arg(code, static_cast<std::size_t>(i)), lanes);
      }
      return Next::on;
    }
    default:
      break;
  }
  for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
    int lane = std::countr_zero(rest);
    if (code.op == Op::tensor_load) {
      tensor_load(code, lane);
    } else if (code.op == Op::tensor_store) {
      tensor_store(code, lane);
    } else {
      bulk(code, lane);
    }
  }
  return Next::on;
}

}  // namespace warpcc::checker::ptx
