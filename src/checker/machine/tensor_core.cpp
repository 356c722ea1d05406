#include "checker/machine/tensor_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/machine/numbers.h"

namespace warpcc::machine {

using layout::InstructionDescriptor;
using layout::Major;

std::optional<InstructionDescriptor> decode_instruction(std::uint32_t bits, InstructionDescriptor::Kind kind,
                                                        bool sparse) {
  // tf32's code of A is 2, which kind f16 does not have (PTX ISA, instruction descriptor).
  if (kind == InstructionDescriptor::Kind::f16 && (bits >> 7 & 7) == 2) kind = InstructionDescriptor::Kind::tf32;
  auto decoded = InstructionDescriptor::decode(bits, kind);
  if (!decoded || decoded->sparse != sparse) return {};
  // What the machine does not do.
  if (decoded->saturate || decoded->max_shift != 0) return {};
  // Elements of 16 and of 32 bits have one of two columns of chunks.
  const int selectors = sparse && layout::bits(decoded->a) >= 16 ? 2 : 1;
  if (decoded->sparsity_selector >= selectors) return {};
  return decoded;
}

MetadataColumns metadata_columns(std::uint32_t address, const InstructionDescriptor& instruction) {
  const std::uint32_t column = address & 0xffff;
  if (layout::bits(instruction.a) < 16) return {column, 2};
  return {column + static_cast<std::uint32_t>(instruction.sparsity_selector), 1};
}

namespace {

// PTX ISA, tcgen05.mma: shapes of kinds f16, tf32, f8f6f4 and i8.
bool valid_shape(const InstructionDescriptor& instruction, bool pair, bool stationary) {
  int m = instruction.m, n = instruction.n;
  const bool integer = instruction.a == layout::Element::s8 || instruction.a == layout::Element::u8;
  if (stationary) return (m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || n == 256);
  if (pair) return (m == 128 || m == 256) && n >= 16 && n <= 256 && n % (integer ? 32 : 16) == 0;
  return (m == 64 || m == 128) && n >= 8 && n <= 256 && n % (integer && n > 32 ? 16 : 8) == 0;
}

}  // namespace

const AccumulatorImage* TensorCore::accumulator(int m, int n, const Mma& mma) {
  std::uint64_t key = static_cast<std::uint64_t>(m) << 20 | static_cast<std::uint64_t>(n) << 3 |
                      static_cast<std::uint64_t>(mma.metadata.has_value()) << 2 |
                      static_cast<std::uint64_t>(mma.stationary) << 1 | mma.pair;
  auto [entry, fresh] = accumulators_.try_emplace(key);
  if (!fresh) return &entry->second;
  if (mma.stationary && m < 128) {
    // PTX ISA, tcgen05, layouts E and G: parts of N side by side in the lanes.
    const int parts = 128 / m, count = n / parts;
    for (int row = 0; row < m; ++row) {
      for (int part = 0; part < parts; ++part) {
        entry->second.runs.push_back({row, part * count, count, row + part * m, 0});
        if ((row + part * m) % TensorMemory::kQuarterLanes == 0)
          entry->second.quarters.push_back(entry->second.runs.back());
      }
    }
    entry->second.last_lane = 127;
    return &entry->second;
  }
  // PTX ISA, tcgen05, layout C: of a pair's 128 rows with a sparse A, each CTA has 64 as one CTA would.
  const bool alone = mma.pair && m == 128 && mma.metadata;
  layout::Map map = layout::accumulator(alone ? 64 : m, n, mma.pair && !alone);
  std::int64_t rows = map.extent(0), columns = map.extent(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < columns; ++j) {
      std::int64_t index[2] = {row, j};
      auto address = map(index);
      int lane = static_cast<int>(address >> 16), column = static_cast<int>(address & 0xffff);
      auto& runs = entry->second.runs;
      if (j == 0) entry->second.lanes.push_back(lane);
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

namespace {

bool same(const Mma& a, const Mma& b) {
  auto scales = [](const std::optional<BlockScales>& x, const std::optional<BlockScales>& y) {
    return x.has_value() == y.has_value() && (!x || (x->kind == y->kind && x->block == y->block));
  };
  return a.a == b.a && a.b == b.b && a.instruction == b.instruction && a.pair == b.pair && a.kind == b.kind &&
         a.stationary == b.stationary && a.a_in_tensor == b.a_in_tensor && scales(a.scales, b.scales) &&
         a.metadata.has_value() == b.metadata.has_value();
}

// What an instruction descriptor of a block-scaled kind says, as that of the others.
layout::InstructionDescriptor unscaled(const layout::BlockScaledDescriptor& from) {
  InstructionDescriptor result;
  result.a = from.a;
  result.b = from.b;
  result.a_major = from.a_major;
  result.b_major = from.b_major;
  result.negate_a = from.negate_a;
  result.negate_b = from.negate_b;
  result.m = from.m;
  result.n = from.n;
  result.sparse = from.sparse;
  return result;
}

}  // namespace

std::optional<TensorCore::Ready> TensorCore::decode(const Mma& mma, const std::vector<TensorCoreSide>& sides,
                                                    Faults& faults) {
  // In a ring the same few come again and again.
  std::uint64_t hash = (mma.a * 0x9e3779b97f4a7c15u ^ mma.b) * 0xff51afd7ed558ccdu ^ mma.instruction;
  Ready& last = decoded_[hash >> 32 & (kDecoded - 1)];
  if (last.d && same(last.mma, mma)) {
    Ready ready = last;
    ready.mma = mma;
    return ready;
  }
  Ready ready;
  ready.mma = mma;
  std::optional<InstructionDescriptor> instruction;
  if (mma.scales) {
    ready.scaled = layout::BlockScaledDescriptor::decode(mma.instruction, mma.scales->kind);
    if (ready.scaled && ready.scaled->sparse == mma.metadata.has_value()) instruction = unscaled(*ready.scaled);
  } else {
    instruction = decode_instruction(mma.instruction, mma.kind, mma.metadata.has_value());
  }
  if (!instruction || !valid_shape(*instruction, mma.pair, mma.stationary)) {
    faults.protocol(fmt::format("the instruction descriptor {:#010x} is no MMA of {}", mma.instruction,
                                mma.pair ? "a pair" : "one CTA"));
    return {};
  }
  auto ctas = static_cast<int>(sides.size());
  const bool packed = mma.scales && mma.scales->kind != layout::BlockScaledDescriptor::Kind::mxf8f6f4;
  ready.instruction = *instruction;
  ready.b = images_.find(mma.b, 0, instruction->n / ctas, instruction->b, instruction->b_major, *sides[0].shared,
                         faults, "B", packed, mma.metadata.has_value());
  if (!ready.b) return {};
  ready.k = ready.b->k;
  if (!mma.a_in_tensor) {
    ready.a = images_.find(mma.a, 0, instruction->m / ctas, instruction->a, instruction->a_major, *sides[0].shared,
                           faults, "A", packed);
    if (!ready.a) return {};
  }
  ready.d = accumulator(instruction->m, instruction->n, mma);
  return last = ready;
}

// A and scales in tensor memory: allocated and written.
bool TensorCore::tensor_readable(const Ready& ready, const TensorCoreSide& side, bool odd, Faults& faults) const {
  auto readable = [&](std::uint32_t column, int columns, int quarter, const char* what) {
    if (!side.tensor->allocated(column, columns)) {
      faults.memory(fmt::format("reads {} from columns {} .. {} of tensor memory, which are not allocated", what,
                                column, column + static_cast<std::uint32_t>(columns)));
      return false;
    }
    bool good = true;
    side.tensor->for_each_block(
        quarter, column, columns, [&](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t begin) {
          std::uint64_t wrong = mask & ~block.written & ~block.read & ~block.pending.above_zero();
          if (wrong == 0 || !good) return;
          good = false;
          faults.memory(fmt::format("reads {}{} from column {} of tensor memory, which nothing has written", what,
                                    odd ? " of the pair's other CTA" : "",
                                    begin + static_cast<unsigned>(std::countr_zero(wrong))));
        });
    return good;
  };
  if (ready.mma.a_in_tensor) {
    // 32 bytes of k: eight columns, in the lanes that D's rows have.
    auto column = static_cast<std::uint32_t>(ready.mma.a & 0xffff);
    for (const AccumulatorRun& run : ready.d->quarters) {
      if (run.n != 0) continue;
      if (!readable(column, 8, run.lane / TensorMemory::kQuarterLanes, "A")) return false;
    }
  }
  if (ready.mma.metadata) {
    const MetadataColumns columns = metadata_columns(*ready.mma.metadata, ready.instruction);
    for (const AccumulatorRun& run : ready.d->quarters) {
      if (run.n != 0) continue;
      if (!readable(columns.first, columns.count, run.lane / TensorMemory::kQuarterLanes, "what lies where in A"))
        return false;
    }
  }
  if (!ready.mma.scales) return true;
  const int share = ready.instruction.m / (ready.mma.pair ? 2 : 1),
            halves = ready.in_halves() ? ready.instruction.n / 2 : 0,
            columns_b = (halves == 0 ? ready.instruction.n : halves);
  return readable(ready.mma.scales->a & 0xffff, (share + 31) / 32, 0, "the scales of A") &&
         readable(ready.mma.scales->b & 0xffff, (columns_b + 31) / 32, 0, "the scales of B");
}

bool TensorCore::operands_readable(const Ready& ready, const std::vector<TensorCoreSide>& sides, Faults& faults) const {
  for (const TensorCoreSide& side : sides) {
    const bool odd = side.shared != sides[0].shared;
    for (const OperandImage* operand : {ready.a, ready.b}) {
      if (operand == nullptr) continue;
      std::string why = operand->unreadable(*side.shared);
      if (why.empty()) continue;
      faults.memory(
          fmt::format("reads {}{} {}", operand == ready.a ? "A" : "B", odd ? " of the pair's other CTA" : "", why));
      return false;
    }
    if (!tensor_readable(ready, side, odd, faults)) return false;
  }
  return true;
}

namespace {

// Whether a quarter of the lanes of one side's D is left out (PTX ISA, tcgen05.mma: disable-output-lane).
bool stays(const Mma& mma, std::size_t side, int quarter) {
  const std::size_t word = 4 * side + static_cast<std::size_t>(quarter);
  return word < mma.disabled.size() && mma.disabled[word] == ~0u;
}

}  // namespace

std::optional<TensorCore::Ready> TensorCore::issue(const Mma& mma, const std::vector<TensorCoreSide>& sides,
                                                   Faults& faults, std::optional<Ready>* refused) {
  std::optional<Ready> decoded = decode(mma, sides, faults);
  if (!decoded) return {};
  const Ready& ready = *decoded;
  if (!operands_readable(ready, sides, faults)) {
    if (refused) *refused = ready;
    return {};
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
  for (std::size_t v = 0; v < sides.size(); ++v) {
    const TensorCoreSide& side = sides[v];
    for (const OperandImage* operand : {ready.a, ready.b}) {
      if (operand != nullptr) operand->add_reader(*side.shared);
    }
    for (const AccumulatorRun& run : ready.d->quarters) {
      int quarter = (static_cast<int>(first_lane) + run.lane) / TensorMemory::kQuarterLanes;
      if (stays(mma, v, quarter)) continue;
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
  for (std::size_t v = 0; v < sides.size(); ++v) {
    const TensorCoreSide& side = sides[v];
    for (const OperandImage* operand : {ready.a, ready.b}) {
      if (operand != nullptr) operand->remove_reader(*side.shared);
    }
    for (const AccumulatorRun& run : ready.d->quarters) {
      int quarter = (first_lane + run.lane) / TensorMemory::kQuarterLanes;
      if (stays(ready.mma, v, quarter)) continue;
      side.tensor->for_each_block(quarter, first + static_cast<std::uint32_t>(run.column), run.count,
                                  [](TensorMemory::Block& block, std::uint64_t mask, std::uint32_t) {
                                    block.pending.remove(mask);
                                    block.written |= mask;
                                    block.read &= ~mask;
                                  });
    }
  }
}

}  // namespace warpcc::machine
