// tcgen05: tensor memory and the tensor core's queue.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "checker/interp/ptx/executor.h"
#include "layout/atoms.h"

namespace warpcc::checker::ptx {

std::vector<machine::TensorCoreSide> Executor::sides(const llvm::SmallVector<int, 2>& ctas) {
  std::vector<machine::TensorCoreSide> result;
  for (int each : ctas) {
    Cta& side = *cluster_->ctas[static_cast<std::size_t>(each)];
    result.push_back({&side.shared, &side.tensor});
  }
  return result;
}

Executor::Next Executor::allocate(const Code& code) {
  if (!together(~0u)) return Next::blocked;
  if (code.op == Op::tmem_dealloc) {
    need_same(arg(code, 0), "an address", "PTX ISA, tcgen05.dealloc");
    need_same(arg(code, 1), "a number of columns", "PTX ISA, tcgen05.dealloc");
    auto first = static_cast<std::int64_t>(scalar(arg(code, 0)) & 0xffff);
    auto columns = static_cast<std::int64_t>(scalar(arg(code, 1)));
    order_free(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(columns), code.pair);
    cta().tensor.free(first, columns, faults_);
    report_faults();
    ++progress_;
    return Next::on;
  }
  // The CTAs of a pair allocate together: neither goes on before the other has (PTX ISA, tcgen05.alloc).
  const std::size_t other = static_cast<std::size_t>(warp_->cta ^ 1);
  const Cta* peer = code.pair && other < cluster_->ctas.size() ? cluster_->ctas[other].get() : nullptr;
  auto other_to_come = [&] { return peer != nullptr && peer->allocations.size() < cta().allocations.size(); };
  if (group_->arrived) {
    if (!other_to_come()) {
      group_->arrived = false;
      return Next::on;
    }
    group_->blocked = Blocked::pair;
    return Next::blocked;
  }
  // [word], offset, columns. Each asks for itself here: the columns that both get are the same.
  std::uint64_t at = scalar(arg(code, 0)) + static_cast<std::uint64_t>(arg(code, 1).value);
  auto columns = static_cast<std::int64_t>(scalar(arg(code, 2)));
  need_same(arg(code, 2), "a number of columns", "PTX ISA, tcgen05.alloc");
  tell_allocation(columns, peer);
  std::optional<std::uint32_t> base = cta().tensor.allocate(columns, faults_);
  report_faults();
  if (!base) return Next::on;
  std::uint32_t all = mask_;
  mask_ = 1u << first_lane();
  Place word = place(Where::shared, at, 4, first_lane(), true);
  if (word.data != nullptr) {
    word.shared->shared.write(word.offset, 4, *base);
    wrote(word, 4);
    order_allocated(word.offset, code.pair);
  }
  mask_ = all;
  if (!other_to_come()) return Next::on;
  group_->arrived = true;
  group_->blocked = Blocked::pair;
  return Next::blocked;
}

// Beside those before it, and that of the pair's other CTA, `peer`, if there is one.
void Executor::tell_allocation(std::int64_t columns, const Cta* peer) {
  std::vector<std::int64_t>& before = cta().allocations;
  const std::size_t number = before.size();
  if (peer != nullptr && peer->allocations.size() > number && peer->allocations[number] != columns)
    report(Finding::Kind::protocol,
           fmt::format("allocates {} columns of tensor memory, and the pair's other CTA has allocated {}", columns,
                       peer->allocations[number]),
           {"to mend: both CTAs of a pair, which allocate together, ask for the same",
            "PTX ISA, tcgen05.alloc: .cta_group::2"});
  const auto least = std::min_element(before.begin(), before.end());
  if (options_.strict && least != before.end() && columns > *least)
    report(Finding::Kind::protocol,
           fmt::format("allocates {} columns of tensor memory, after {}: numbers do not increase", columns, *least),
           {"asked for by the ISA, breaks rarely", "to mend: the largest allocation of a CTA comes first",
            "PTX ISA, tcgen05.alloc: nCols"});
  before.push_back(columns);
}

// [address], offset, the second half's offset, registers
void Executor::tensor_registers(const Code& code) {
  const bool load = code.op == Op::tmem_ld;
  need_same(arg(code, 0), "an address of tensor memory", load ? "PTX ISA, tcgen05.ld" : "PTX ISA, tcgen05.st");
  auto shape = static_cast<layout::TensorLoad>(code.extra == 4 ? 4 : code.extra);
  auto address = static_cast<std::uint32_t>(scalar(arg(code, 0)) + static_cast<std::uint64_t>(arg(code, 1).value));
  int second = static_cast<int>(arg(code, 2).value);
  std::uint32_t column = address & 0xffff;
  int quarter = warp_->number % machine::TensorMemory::kQuarters;
  // Of the lane's field only the bit that picks the upper half of a warp's lanes is looked at.
  int half = static_cast<int>(address >> 16 & 16);
  machine::TensorMemory& tensor = cta().tensor;
  const int registers = code.count - 3;
  bool told = false;
  // The cell of a register; with packing, of one of its halves.
  auto cell = [&](int thread, int i, int part) {
    return code.add ? layout::tensor_load_packed_cell(shape, thread, i, part, second)
                    : layout::tensor_load_cell(shape, thread, i, second);
  };
  for (int i = 0; i < registers; ++i) {
    const Arg& reg = arg(code, static_cast<std::size_t>(i) + 3);
    Lanes32 lanes{};
    if (!load) read32(reg, lanes);
    for (int part = 0; part < (code.add ? 2 : 1); ++part) {
      for (int thread = 0; thread < kLanes; ++thread) {
        auto [lane, relative] = cell(thread, i, part);
        std::uint32_t at = column + static_cast<std::uint32_t>(relative);
        int row = 32 * quarter + half + lane;
        if (row >= machine::TensorMemory::kLanes || !tensor.allocated(at, 1)) {
          if (!told)
            report(Finding::Kind::memory,
                   fmt::format("reaches column {} of tensor memory, which is not allocated", at));
          told = true;
          continue;
        }
        float& value = tensor.row(row)[at];
        const auto word = std::bit_cast<std::uint32_t>(value);
        if (load) {
          lanes[thread] |= code.add ? (word & 0xffff) << (16 * part) : word;
        } else {
          value = std::bit_cast<float>(code.add ? lanes[thread] >> (16 * part) & 0xffff : lanes[thread]);
        }
      }
    }
    if (load) write32(reg, lanes);
  }
  if (told) return;
  int last = cell(kLanes - 1, registers - 1, 1).second;
  tensor.for_each_block(
      quarter, column, last + 1, [&](machine::TensorMemory::Block& block, std::uint64_t mask, std::uint32_t first) {
        std::uint64_t pending = block.pending.above_zero() & mask;
        std::uint64_t unwritten = load ? mask & ~block.written & ~block.read : 0;
        if ((pending | unwritten) != 0 && !told) {
          told = true;
          int at = std::countr_zero(pending != 0 ? pending : unwritten);
          std::uint32_t of = first + static_cast<unsigned>(at);
          if (pending != 0) {
            report(Finding::Kind::memory,
                   fmt::format("reaches column {} of tensor memory, which an MMA still writes", of));
          } else {
            std::string text = fmt::format("reads column {} of tensor memory, which nothing has written", of);
            if (options_.strict)
              report(Finding::Kind::memory, std::move(text));
            else
              early_reads_.try_emplace(line_, text + " (" + where(*warp_) + ")");
          }
        }
        // What has been read may be added to all the same.
        if (!load) block.written |= mask;
      });
  order_tensor_registers(load, static_cast<std::uint32_t>(2 * quarter + half / 16), code.extra == 0 ? 2 : 1, column,
                         static_cast<std::uint32_t>(last) + 1);
  ++progress_;
}

// The CTAs whose memories an instruction of the tensor core reaches.
bool Executor::take_ctas(const Code& code, TensorWork& work) {
  work.line = line_;
  work.ctas.push_back(warp_->cta);
  if (!code.pair) return true;
  if (cluster_->ctas.size() < 2) {
    report(Finding::Kind::protocol, "is of a pair, in a cluster of one CTA");
    return false;
  }
  work.ctas.assign({warp_->cta & ~1, warp_->cta | 1});
  return true;
}

// [D], offset, A, its offset, B, instruction descriptor, whether it adds, [scales of A], offset, [scales of B], offset,
// [chunks of a sparse A], offset, by how much D shrinks, lanes of D that stay
void Executor::multiply(const Code& code, int lane) {
  Lanes64 lanes;
  auto value = [&](std::size_t i) {
    read64(arg(code, i), lanes);
    return lanes[lane];
  };
  machine::Mma mma;
  mma.d = static_cast<std::uint32_t>(value(0) + static_cast<std::uint64_t>(arg(code, 1).value));
  mma.a = value(2) + static_cast<std::uint64_t>(arg(code, 3).value);
  mma.a_in_tensor = code.at_read;
  mma.b = value(4);
  mma.instruction = static_cast<std::uint32_t>(value(5));
  mma.accumulate = predicate(arg(code, 6)) >> lane & 1;
  mma.pair = code.pair;
  using Kind = layout::InstructionDescriptor::Kind;
  using Scaled = layout::BlockScaledDescriptor::Kind;
  mma.kind = code.extra == 1 ? Kind::f8f6f4 : code.extra == 2 ? Kind::i8 : code.extra == 3 ? Kind::tf32 : Kind::f16;
  if (code.sparse)
    mma.metadata = static_cast<std::uint32_t>(value(11) + static_cast<std::uint64_t>(arg(code, 12).value));
  if (code.extra >= 4) {
    machine::BlockScales scales;
    scales.kind = code.extra == 4 ? Scaled::mxf8f6f4 : code.extra == 5 ? Scaled::mxf4 : Scaled::mxf4nvf4;
    scales.block = code.vector;
    scales.a = static_cast<std::uint32_t>(value(7) + static_cast<std::uint64_t>(arg(code, 8).value));
    scales.b = static_cast<std::uint32_t>(value(9) + static_cast<std::uint64_t>(arg(code, 10).value));
    mma.scales = scales;
  } else {
    mma.shrink_d = static_cast<int>(value(13)) & 15;
    mma.stationary = code.uniform;
    if (code.uniform && value(14) != 0) {
      report(Finding::Kind::protocol, "has columns of B masked out, which the machine does not have");
      return;
    }
    for (std::size_t i = 14; !code.uniform && i < code.count && i < 22; ++i)
      mma.disabled[i - 14] = static_cast<std::uint32_t>(value(i));
  }
  collect(code, code.uniform ? mma.b : mma.a);
  TensorWork work;
  if (!take_ctas(code, work)) return;
  run_fenced();
  std::optional<machine::TensorCore::Ready> refused;
  work.mma = tensor_core_.issue(mma, sides(work.ctas), faults_, &refused);
  report_faults();
  if (refused) order_mma(*refused, work.ctas, lane);
  if (work.mma) order_mma(*work.mma, work.ctas, lane);
  if (work.mma) cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
  ++progress_;
}

// An operand that an MMA may take from a collector buffer is the one that was put there last, and nothing has let it go
// since (PTX ISA, tcgen05.mma).
void Executor::collect(const Code& code, std::uint64_t operand) {
  const auto use = static_cast<Collector>(code.dimensions & 3);
  std::optional<Warp::Collected>& held = warp_->collected[code.dimensions >> 2];
  if (use == Collector::fill) {
    held = {operand, line_};
    return;
  }
  if (use != Collector::discard && (!held || held->operand != operand)) {
    std::vector<std::string> details = {"to mend: collector fill by the MMA before those that use the same operand",
                                        "PTX ISA, tcgen05.mma: .collector_usage"};
    if (held)
      details.insert(details.begin(), fmt::format("filled at {}: {}", place_text(held->line), line_text(held->line)));
    report(Finding::Kind::protocol,
           fmt::format("takes {} from a collector buffer that {}", code.uniform ? "B" : "A",
                       held ? fmt::format("holds another: {:#x}, not {:#x}", held->operand, operand)
                            : "nothing has filled, or that was let go since"),
           std::move(details));
  }
  if (use != Collector::use) held.reset();
}

// [to], offset, descriptor
void Executor::copy_to_tensor(const Code& code, int lane) {
  Lanes64 to, from;
  addresses(code, 0, to);
  read64(arg(code, 2), from);
  machine::TensorCore::Copy copy;
  copy.to = static_cast<std::uint32_t>(to[lane]);
  copy.from = from[lane];
  copy.rows = code.extra;
  copy.bytes = code.vector;
  copy.spread = static_cast<machine::TensorCore::Copy::Spread>(code.dimensions);
  copy.packed_bits = code.from == Num::e2m1x2 ? 4 : code.from == Num::e2m3x2 ? 6 : 0;
  TensorWork work;
  if (!take_ctas(code, work)) return;
  run_fenced();
  work.copy = tensor_core_.issue(copy, sides(work.ctas), faults_);
  report_faults();
  if (work.copy) order_tensor_copy(*work.copy, work.ctas, lane);
  if (work.copy) cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
  ++progress_;
}

// [address], offset
void Executor::shift_tensor(const Code& code, int lane) {
  Lanes64 at;
  addresses(code, 0, at);
  TensorWork work;
  if (!take_ctas(code, work)) return;
  run_fenced();
  work.shift =
      tensor_core_.issue(machine::TensorCore::Shift{static_cast<std::uint32_t>(at[lane])}, sides(work.ctas), faults_);
  report_faults();
  if (work.shift) order_tensor_shift(*work.shift, work.ctas, lane);
  if (work.shift) cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
  ++progress_;
}

void Executor::commit(const Code& code, int lane) {
  Lanes64 at;
  addresses(code, 0, at);
  auto [rank, offset] = shared_place(at[lane]);
  TensorWork work;
  work.line = line_;
  work.barrier = offset;
  if (code.multicast) {
    Lanes64 mask;
    read64(arg(code, 2), mask);
    for (std::uint32_t rest = of_cluster(mask[lane]); rest != 0; rest &= rest - 1)
      work.ctas.push_back(std::countr_zero(rest));
  } else {
    work.ctas.push_back(rank);
  }
  order_commit(work, lane);
  cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
  ++progress_;
}

// Whether that was a commit.
bool Executor::do_tensor(const TensorWork& work) {
  line_ = work.line;
  if (work.mma) {
    tensor_core_.run(*work.mma, sides(work.ctas));
  } else if (work.copy) {
    tensor_core_.run(*work.copy, sides(work.ctas));
  } else if (work.shift) {
    tensor_core_.run(*work.shift, sides(work.ctas));
  } else {
    for (std::size_t i = 0; i < work.ctas.size(); ++i) {
      order_committed(work, i);
      signal(work.ctas[i], work.barrier);
    }
    return true;
  }
  return false;
}

bool Executor::run_tensor(Cluster& cluster) {
  for (auto& [issuer, queue] : cluster.tensor) {
    if (queue.empty()) continue;
    bool signalled = false;
    while (!queue.empty() && !signalled) {
      TensorWork work = std::move(queue.front());
      queue.pop_front();
      signalled = do_tensor(work);
    }
    ++progress_;
    return true;
  }
  return false;
}

void Executor::fence_queue() {
  const auto found = cluster_->tensor.find({warp_->cta, warp_->number});
  if (found != cluster_->tensor.end() && !found->second.empty()) found->second.back().fenced = true;
}

// What other warps have given the tensor core before a fence comes before what this one does: it is done at once.
void Executor::run_fenced() {
  const std::uint32_t line = line_;
  for (auto& [issuer, queue] : cluster_->tensor) {
    if (issuer == std::pair{warp_->cta, warp_->number}) continue;
    auto last = std::find_if(queue.rbegin(), queue.rend(), [](const TensorWork& work) { return work.fenced; });
    for (auto left = std::distance(last, queue.rend()); left > 0; --left) {
      TensorWork work = std::move(queue.front());
      queue.pop_front();
      do_tensor(work);
    }
  }
  line_ = line;
}

Executor::Next Executor::tensor(const Code& code) {
  const bool of_group =
      code.op != Op::tmem_wait && code.op != Op::tmem_ld && code.op != Op::tmem_st && code.op != Op::tmem_fence;
  if (of_group && of_pairs_.value_or(code.pair) != code.pair)
    report(Finding::Kind::protocol,
           fmt::format(
               "is of .cta_group::{} in a kernel that has used .cta_group::{} (PTX ISA, tcgen05: all of a kernel's "
               "are of one)",
               code.pair ? 2 : 1, code.pair ? 1 : 2));
  if (of_group) of_pairs_ = code.pair;
  switch (code.op) {
    case Op::tmem_alloc:
    case Op::tmem_dealloc:
      return allocate(code);
    case Op::tmem_wait:
      order_tensor_wait(code.extra == 0);
      return Next::on;
    case Op::tmem_fence:
      order_tensor_fence(code.extra != 0);
      if (code.extra == 0) fence_queue();
      return Next::on;
    case Op::tmem_relinquish:
      cta().tensor.relinquish();
      return Next::on;
    case Op::tmem_ld:
    case Op::tmem_st:
      if (!together(~0u)) return Next::blocked;
      tensor_registers(code);
      return Next::on;
    case Op::tmem_mma:
    case Op::tmem_copy:
    case Op::tmem_shift:
    case Op::tmem_commit:
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (code.op == Op::tmem_mma) {
          multiply(code, lane);
        } else if (code.op == Op::tmem_copy) {
          copy_to_tensor(code, lane);
        } else if (code.op == Op::tmem_shift) {
          shift_tensor(code, lane);
        } else {
          commit(code, lane);
        }
      }
      return Next::on;
    default:
      return Next::on;
  }
}

}  // namespace warpcc::checker::ptx
