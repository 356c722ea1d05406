#include "checker/machine/tensor_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/machine/numbers.h"

namespace warpcc::machine {

using layout::InstructionDescriptor;
using layout::Major;

std::optional<InstructionDescriptor> decode_instruction(std::uint32_t bits, InstructionDescriptor::Kind kind) {
  // tf32's code of A is 2, which kind f16 does not have (PTX ISA, instruction descriptor).
  if (kind == InstructionDescriptor::Kind::f16 && (bits >> 7 & 7) == 2) kind = InstructionDescriptor::Kind::tf32;
  auto decoded = InstructionDescriptor::decode(bits, kind);
  // What the machine does not do.
  if (decoded && (decoded->saturate || decoded->sparse || decoded->sparsity_selector != 0 || decoded->max_shift != 0)) {
    return {};
  }
  return decoded;
}

namespace {

// PTX ISA, tcgen05.mma: shapes of kinds f16, tf32, f8f6f4 and i8.
bool valid_shape(const InstructionDescriptor& instruction, bool pair) {
  int m = instruction.m, n = instruction.n;
  if (pair) return (m == 128 || m == 256) && n >= 16 && n <= 256 && n % 16 == 0;
  return (m == 64 || m == 128) && n >= 8 && n <= 256 && n % 8 == 0;
}

}  // namespace

const AccumulatorImage* TensorCore::accumulator(int m, int n, bool pair) {
  std::uint64_t key = static_cast<std::uint64_t>(m) << 20 | static_cast<std::uint64_t>(n) << 1 | pair;
  auto [entry, fresh] = accumulators_.try_emplace(key);
  if (!fresh) return &entry->second;
  layout::Map map = layout::accumulator(m, n, pair);
  std::int64_t rows = map.extent(0), columns = map.extent(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) {
      std::int64_t index[2] = {row, j};
      auto address = map(index);
      int lane = static_cast<int>(address >> 16), column = static_cast<int>(address & 0xffff);
      auto& runs = entry->second.runs;
      entry->second.last_lane = std::max(entry->second.last_lane, lane);
      if (!runs.empty() && j > 0 && runs.back().lane == lane && runs.back().column + runs.back().count == column) {
        ++runs.back().count;
      } else {
        runs.push_back({static_cast<int>(row), static_cast<int>(j), 1, lane, column});
      }
    }
  }
  for (const AccumulatorRun& run : entry->second.runs) {
    if (run.lane % TensorMemory::kQuarterLanes == 0) entry->second.quarters.push_back(run);
  }
  return &entry->second;
}

std::optional<TensorCore::Ready> TensorCore::decode(const Mma& mma, const std::vector<TensorCoreSide>& sides,
                                                    Faults& faults) {
  // In a ring the same few come again and again.
  std::uint64_t hash = (mma.a * 0x9e3779b97f4a7c15u ^ mma.b) * 0xff51afd7ed558ccdu ^ mma.instruction;
  Ready& last = decoded_[hash >> 32 & (kDecoded - 1)];
  if (last.a && last.mma.a == mma.a && last.mma.b == mma.b && last.mma.instruction == mma.instruction &&
      last.mma.pair == mma.pair && last.mma.kind == mma.kind) {
    Ready ready = last;
    ready.mma = mma;
    return ready;
  }
  auto instruction = decode_instruction(mma.instruction, mma.kind);
  if (!instruction || !valid_shape(*instruction, mma.pair)) {
    faults.protocol(fmt::format("the instruction descriptor {:#010x} is no MMA of {}", mma.instruction,
                                mma.pair ? "a pair" : "one CTA"));
    return {};
  }
  auto ctas = static_cast<int>(sides.size());
  Ready ready;
  ready.mma = mma;
  ready.instruction = *instruction;
  ready.a = images_.find(mma.a, 0, instruction->m / ctas, instruction->a, instruction->a_major, *sides[0].shared,
                         faults, "A");
  ready.b = images_.find(mma.b, 0, instruction->n / ctas, instruction->b, instruction->b_major, *sides[0].shared,
                         faults, "B");
  if (!ready.a || !ready.b) return {};
  ready.d = accumulator(instruction->m, instruction->n, mma.pair);
  return last = ready;
}

std::optional<TensorCore::Ready> TensorCore::issue(const Mma& mma, const std::vector<TensorCoreSide>& sides,
                                                   Faults& faults) {
  std::optional<Ready> decoded = decode(mma, sides, faults);
  if (!decoded) return {};
  const Ready& ready = *decoded;
  for (const TensorCoreSide& side : sides) {
    const char* whose = side.shared == sides[0].shared ? "" : " of the pair's other CTA";
    for (const OperandImage* operand : {ready.a, ready.b}) {
      std::string why = operand->unreadable(*side.shared);
      if (why.empty()) continue;
      faults.memory(fmt::format("reads {}{} {}", operand == ready.a ? "A" : "B", whose, why));
      return {};
    }
  }

  std::uint32_t first = mma.d & 0xffff, first_lane = mma.d >> 16;
  for (const TensorCoreSide& side : sides) {
    for (const AccumulatorRun& run : ready.d->quarters) {
      std::uint32_t last_lane = first_lane + static_cast<std::uint32_t>(ready.d->last_lane),
                    column = first + static_cast<std::uint32_t>(run.column);
      if (last_lane >= TensorMemory::kLanes || !side.tensor->allocated(column, run.count)) {
        faults.memory(fmt::format("writes D to lanes {} .. {}, columns {} .. {}, which are not allocated", first_lane,
                                  last_lane + 1, column, column + static_cast<std::uint32_t>(run.count)));
        return {};
      }
    }
  }
  bool reported = false;
  for (const TensorCoreSide& side : sides) {
    for (const OperandImage* operand : {ready.a, ready.b}) operand->add_reader(*side.shared);
    for (const AccumulatorRun& run : ready.d->quarters) {
      int quarter = (static_cast<int>(first_lane) + run.lane) / TensorMemory::kQuarterLanes;
      side.tensor->for_each_block(
          quarter, first + static_cast<std::uint32_t>(run.column), run.count,
          [&](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t begin) {
            std::uint64_t wrong = mask & ~block.written & ~block.pending.above_zero();
            if (mma.accumulate && wrong != 0 && !reported) {
              reported = true;
              int at = std::countr_zero(wrong);
              faults.memory(fmt::format("adds to column {} of tensor memory, {}", begin + static_cast<unsigned>(at),
                                        block.read >> at & 1
                                            ? "which has been read since an MMA wrote it: no MMA of this tile has"
                                            : "which no MMA has written"));
            }
            block.pending.add(mask);
          });
    }
  }
  return decoded;
}

void TensorCore::run(const Ready& ready, const std::vector<TensorCoreSide>& sides) {
  if (sides[0].tensor->holds_values()) multiply(ready, sides);
  std::uint32_t first = ready.mma.d & 0xffff;
  int first_lane = static_cast<int>(ready.mma.d >> 16);
  for (const TensorCoreSide& side : sides) {
    for (const OperandImage* operand : {ready.a, ready.b}) operand->remove_reader(*side.shared);
    for (const AccumulatorRun& run : ready.d->quarters) {
      int quarter = (first_lane + run.lane) / TensorMemory::kQuarterLanes;
      side.tensor->for_each_block(quarter, first + static_cast<std::uint32_t>(run.column), run.count,
                                  [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) {
                                    block.pending.remove(mask);
                                    block.written |= mask;
                                    block.read &= ~mask;
                                  });
    }
  }
}

void TensorCore::multiply(const Ready& ready, const std::vector<TensorCoreSide>& sides) {
  const InstructionDescriptor& instruction = ready.instruction;
  auto gather = [](const OperandImage& image, int index, const SharedMemory& shared, bool negate) {
    float value = image.value(index, shared);
    return negate ? -value : value;
  };
  int k = ready.a->k, n = instruction.n, rows_b = ready.b->rows, rows_a = ready.a->rows;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (std::size_t v = 0; v < sides.size(); ++v) {
    for (int row = 0; row < rows_b; ++row) {
      for (int i = 0; i < k; ++i) {
        b_[static_cast<std::size_t>(i * n + static_cast<int>(v) * rows_b + row)] =
            gather(*ready.b, row * k + i, *sides[v].shared, instruction.negate_b);
      }
    }
  }
  a_.resize(static_cast<std::size_t>(rows_a * k));
  std::vector<float>& a = a_;
  float line[256];
  std::uint32_t first = ready.mma.d & 0xffff;
  int first_lane = static_cast<int>(ready.mma.d >> 16);
  for (const TensorCoreSide& side : sides) {
    for (int index = 0; index < rows_a * k; ++index) {
      a[static_cast<std::size_t>(index)] = gather(*ready.a, index, *side.shared, instruction.negate_a);
    }
    auto run = ready.d->runs.begin();
    for (int row = 0; row < rows_a; ++row) {
      auto row_begin = run;
      for (; run != ready.d->runs.end() && run->row == row; ++run) {
        const float* from = side.tensor->row(first_lane + run->lane) + first + run->column;
        for (int j = 0; j < run->count; ++j) line[run->n + j] = ready.mma.accumulate ? from[j] : 0;
      }
      multiply_row(&a[static_cast<std::size_t>(row * k)], b_.data(), k, n, line);
      for (auto back = row_begin; back != run; ++back) {
        std::copy_n(line + back->n, back->count, side.tensor->row(first_lane + back->lane) + first + back->column);
      }
    }
  }
}

}  // namespace warpcc::machine
