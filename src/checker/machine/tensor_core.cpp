#include "checker/machine/tensor_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "checker/machine/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPCC_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define WARPCC_WIDE
#endif

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

// c[rows × n] (+)= a[rows × k] · bt[k × n], rows of c `stride` apart.
WARPCC_WIDE void multiply_rows(const float* __restrict a, const float* __restrict bt, int k, int n,
                               float* __restrict c) {
  constexpr int kBlock = 64;
  for (int first = 0; first < n; first += kBlock) {
    int width = std::min(kBlock, n - first);
    float sum[kBlock];
    for (int j = 0; j < width; ++j) sum[j] = c[first + j];
    if (width == kBlock) {
      for (int i = 0; i < k; ++i) {
        const float* row = bt + static_cast<std::ptrdiff_t>(i) * n + first;
        float x = a[i];
        for (int j = 0; j < kBlock; ++j) sum[j] += x * row[j];
      }
    } else {
      for (int i = 0; i < k; ++i) {
        for (int j = 0; j < width; ++j) sum[j] += a[i] * bt[static_cast<std::ptrdiff_t>(i) * n + first + j];
      }
    }
    for (int j = 0; j < width; ++j) c[first + j] = sum[j];
  }
}

}  // namespace

const OperandImage* TensorCore::image(std::uint64_t bits, int rows, layout::Element element, Major major,
                                      const SharedMemory& shared, Faults& faults, const char* operand) {
  std::uint64_t key = bits * 0x9e3779b97f4a7c15u ^ (static_cast<std::uint64_t>(rows) << 16 |
                                                    static_cast<std::uint64_t>(element) << 4 | (major == Major::mn));
  auto [entry, fresh] = images_.try_emplace(key);
  OperandImage& image = entry->second;
  if (fresh) {
    auto descriptor = layout::OperandDescriptor::decode(bits);
    if (!descriptor) {
      images_.erase(entry);
      faults.protocol(fmt::format("the descriptor of {}, {:#018x}, is none", operand, bits));
      return nullptr;
    }
    descriptor->major = major;
    image.rows = rows;
    image.element_bytes = layout::bytes(element);
    image.k = 32 / image.element_bytes;  // an MMA consumes 32 bytes of k
    image.inside = true;
    std::map<std::uint32_t, std::uint64_t> units;
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < image.k; ++k) {
        std::uint32_t address = descriptor->address(row, k, layout::bits(element));
        image.inside = image.inside && shared.inside(address, image.element_bytes);
        image.addresses.push_back(address);
        units[address / SharedMemory::kBlock * SharedMemory::kBlock] |= SharedMemory::unit_bit(address);
      }
    }
    for (auto [offset, mask] : units) image.units.push_back({offset, mask});
  }
  if (!image.inside) {
    faults.memory(
        fmt::format("the descriptor of {}, {:#018x}, reaches outside the kernel's shared memory", operand, bits));
    return nullptr;
  }
  return &image;
}

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
  ready.a = image(mma.a, instruction->m / ctas, instruction->a, instruction->a_major, *sides[0].shared, faults, "A");
  ready.b = image(mma.b, instruction->n / ctas, instruction->b, instruction->b_major, *sides[0].shared, faults, "B");
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
      const char* name = operand == ready.a ? "A" : "B";
      for (const OperandImage::Units& units : operand->units) {
        const SharedMemory::Block& block = side.shared->block(units.offset);
        std::uint64_t landing = block.landing.above_zero(), wrong = (block.unwritten | landing) & units.mask;
        if (wrong == 0) continue;
        int first = std::countr_zero(wrong);
        faults.memory(
            fmt::format("reads {}{} at {:#x}, {}", name, whose,
                        units.offset + static_cast<std::uint32_t>(first) * SharedMemory::kUnit,
                        landing >> first & 1 ? "where a load is still under way" : "which nothing has written"));
        return {};
      }
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
    for (const OperandImage* operand : {ready.a, ready.b}) {
      for (const OperandImage::Units& units : operand->units) side.shared->block(units.offset).reading.add(units.mask);
    }
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
    for (const OperandImage* operand : {ready.a, ready.b}) {
      for (const OperandImage::Units& units : operand->units)
        side.shared->block(units.offset).reading.remove(units.mask);
    }
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
  auto gather = [](const OperandImage& image, int index, const SharedMemory& shared, layout::Element element,
                   bool negate) {
    float value = to_float(
        shared.read(image.addresses[static_cast<std::size_t>(index)], static_cast<std::uint32_t>(image.element_bytes)),
        element);
    return negate ? -value : value;
  };
  int k = ready.a->k, n = instruction.n, rows_b = ready.b->rows, rows_a = ready.a->rows;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (std::size_t v = 0; v < sides.size(); ++v) {
    for (int row = 0; row < rows_b; ++row) {
      for (int i = 0; i < k; ++i) {
        b_[static_cast<std::size_t>(i * n + static_cast<int>(v) * rows_b + row)] =
            gather(*ready.b, row * k + i, *sides[v].shared, instruction.b, instruction.negate_b);
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
      a[static_cast<std::size_t>(index)] = gather(*ready.a, index, *side.shared, instruction.a, instruction.negate_a);
    }
    auto run = ready.d->runs.begin();
    for (int row = 0; row < rows_a; ++row) {
      auto row_begin = run;
      for (; run != ready.d->runs.end() && run->row == row; ++run) {
        const float* from = side.tensor->row(first_lane + run->lane) + first + run->column;
        for (int j = 0; j < run->count; ++j) line[run->n + j] = ready.mma.accumulate ? from[j] : 0;
      }
      multiply_rows(&a[static_cast<std::size_t>(row * k)], b_.data(), k, n, line);
      for (auto back = row_begin; back != run; ++back) {
        std::copy_n(line + back->n, back->count, side.tensor->row(first_lane + back->lane) + first + back->column);
      }
    }
  }
}

}  // namespace warpcc::machine
