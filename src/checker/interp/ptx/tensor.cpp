// tcgen05: tensor memory and the tensor core's queue.
#include <fmt/format.h>

#include <bit>

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
    auto first = static_cast<std::int64_t>(scalar(arg(code, 0)) & 0xffff);
    auto columns = static_cast<std::int64_t>(scalar(arg(code, 1)));
    cta().tensor.free(first, columns, faults_);
    report_faults();
    ++progress_;
    return Next::on;
  }
  // [word], offset, columns. A pair's CTAs each ask for themselves here: the columns that both get are the same.
  std::uint64_t at = scalar(arg(code, 0)) + static_cast<std::uint64_t>(arg(code, 1).value);
  auto columns = static_cast<std::int64_t>(scalar(arg(code, 2)));
  std::optional<std::uint32_t> base = cta().tensor.allocate(columns, faults_);
  report_faults();
  if (!base) return Next::on;
  std::uint32_t all = mask_;
  mask_ = 1u << first_lane();
  Place word = place(Where::shared, at, 4, first_lane(), true);
  if (word.data != nullptr) {
    word.shared->shared.write(word.offset, 4, *base);
    wrote(word, 4);
  }
  mask_ = all;
  return Next::on;
}

// [address], offset, the second half's offset, registers
void Executor::tensor_registers(const Code& code) {
  const bool load = code.op == Op::tmem_ld;
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
  for (int i = 0; i < registers; ++i) {
    const Arg& reg = arg(code, static_cast<std::size_t>(i) + 3);
    Lanes32 lanes{};
    if (!load) read32(reg, lanes);
    for (int thread = 0; thread < kLanes; ++thread) {
      auto [lane, relative] = layout::tensor_load_cell(shape, thread, i, second);
      std::uint32_t at = column + static_cast<std::uint32_t>(relative);
      int row = 32 * quarter + half + lane;
      if (row >= machine::TensorMemory::kLanes || !tensor.allocated(at, 1)) {
        if (!told)
          report(Finding::Kind::memory, fmt::format("reaches column {} of tensor memory, which is not allocated", at));
        told = true;
        continue;
      }
      if (load) {
        lanes[thread] = std::bit_cast<std::uint32_t>(tensor.row(row)[at]);
      } else {
        tensor.row(row)[at] = std::bit_cast<float>(lanes[thread]);
      }
    }
    if (load) write32(reg, lanes);
  }
  if (told) return;
  int last = layout::tensor_load_cell(shape, kLanes - 1, registers - 1, second).second;
  tensor.for_each_block(
      quarter, column, last + 1, [&](machine::TensorMemory::Block& block, std::uint64_t mask, std::uint32_t first) {
        std::uint64_t pending = block.pending.above_zero() & mask;
        std::uint64_t wrong = load ? pending | (mask & ~block.written & ~block.read) : pending;
        if (wrong != 0 && !told) {
          told = true;
          int at = std::countr_zero(wrong);
          report(Finding::Kind::memory,
                 pending >> at & 1 ? fmt::format("reaches column {} of tensor memory, which an MMA still writes",
                                                 first + static_cast<unsigned>(at))
                                   : fmt::format("reads column {} of tensor memory, which nothing has written",
                                                 first + static_cast<unsigned>(at)));
        }
        (load ? block.read : block.written) |= mask;
        (load ? block.written : block.read) &= ~mask;
      });
  ++progress_;
}

// [D], offset, A, B, instruction descriptor, whether it adds
void Executor::multiply(const Code& code, int lane) {
  Lanes64 lanes;
  auto value = [&](std::size_t i) {
    read64(arg(code, i), lanes);
    return lanes[lane];
  };
  machine::Mma mma;
  mma.d = static_cast<std::uint32_t>(value(0) + static_cast<std::uint64_t>(arg(code, 1).value));
  mma.a = value(2);
  mma.b = value(3);
  mma.instruction = static_cast<std::uint32_t>(value(4));
  const Arg& adds = arg(code, 5);
  mma.accumulate = predicate(adds) >> lane & 1;
  mma.pair = code.pair;
  using Kind = layout::InstructionDescriptor::Kind;
  mma.kind = code.extra == 1 ? Kind::f8f6f4 : code.extra == 2 ? Kind::i8 : code.extra == 3 ? Kind::tf32 : Kind::f16;
  TensorWork work;
  work.line = line_;
  work.ctas.push_back(warp_->cta);
  if (code.pair) {
    if (cluster_->ctas.size() < 2) {
      report(Finding::Kind::protocol, "multiplies for a pair in a cluster of one CTA");
      return;
    }
    work.ctas.assign({warp_->cta & ~1, warp_->cta | 1});
  }
  work.mma = tensor_core_.issue(mma, sides(work.ctas), faults_);
  report_faults();
  if (work.mma) cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
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
    for (std::size_t each = 0; each < cluster_->ctas.size(); ++each) {
      if (mask[lane] >> each & 1) work.ctas.push_back(static_cast<int>(each));
    }
  } else {
    work.ctas.push_back(rank);
  }
  cluster_->tensor[{warp_->cta, warp_->number}].push_back(std::move(work));
  ++progress_;
}

bool Executor::run_tensor(Cluster& cluster) {
  for (auto& [issuer, queue] : cluster.tensor) {
    if (queue.empty()) continue;
    bool signalled = false;
    while (!queue.empty() && !signalled) {
      TensorWork work = std::move(queue.front());
      queue.pop_front();
      line_ = work.line;
      if (work.mma) {
        tensor_core_.run(*work.mma, sides(work.ctas));
      } else {
        for (int each : work.ctas) signal(each, work.barrier);
        signalled = true;
      }
    }
    ++progress_;
    return true;
  }
  return false;
}

Executor::Next Executor::tensor(const Code& code) {
  switch (code.op) {
    case Op::tmem_alloc:
    case Op::tmem_dealloc:
      return allocate(code);
    case Op::tmem_relinquish:
      cta().tensor.relinquish();
      return Next::on;
    case Op::tmem_ld:
    case Op::tmem_st:
      if (!together(~0u)) return Next::blocked;
      tensor_registers(code);
      return Next::on;
    case Op::tmem_mma:
    case Op::tmem_commit:
      for (std::uint32_t rest = mask_; rest != 0; rest &= rest - 1) {
        if (code.op == Op::tmem_mma) {
          multiply(code, std::countr_zero(rest));
        } else {
          commit(code, std::countr_zero(rest));
        }
      }
      return Next::on;
    default:
      return Next::on;
  }
}

}  // namespace warpcc::checker::ptx
