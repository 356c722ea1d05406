// What a tcgen05.mma computes: operands gathered as numbers, scaled, multiplied, added to D.
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/machine/numbers.h"
#include "checker/machine/sparsity.h"
#include "checker/machine/tensor_core.h"

namespace warpcc::machine {

using layout::Element;
using layout::InstructionDescriptor;

namespace {

std::uint32_t cell(const TensorCoreSide& side, int lane, std::uint32_t column) {
  return std::bit_cast<std::uint32_t>(side.tensor->row(lane)[column]);
}

// A scale of a byte: ue8m0 is a power of two, ue4m3 an e4m3 without a sign (PTX ISA, "Fundamental Types").
float scale_of(std::uint32_t byte, layout::BlockScaledDescriptor::Scale format) {
  if (format == layout::BlockScaledDescriptor::Scale::ue4m3) return to_float(byte & 0x7f, Element::f8e4m3);
  return std::ldexp(1.0f, static_cast<int>(byte) - 127);
}

// The scale of a block of a row: the factors of neighbouring blocks are neighbouring bytes of a cell, from the byte on
// that the instruction descriptor says.
float scale_at(const TensorCoreSide& side, std::uint32_t address, ScalePlace place, int byte,
               layout::BlockScaledDescriptor::Scale format) {
  std::uint32_t word = cell(side, static_cast<int>(address >> 16 & 0x7f) + place.lane,
                            (address & 0xffff) + static_cast<std::uint32_t>(place.column));
  return scale_of(word >> (8 * (byte & 3)) & 0xff, format);
}

// D's cells hold f32, s32, or f16 in the lower half (PTX ISA, tcgen05: data path layouts).
float read_d(float value, Element d) {
  if (d == Element::f16) return f16_to_float(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value)));
  return value;
}
void write_d(float& to, float value, Element d) {
  if (d == Element::f16) {
    to = std::bit_cast<float>(static_cast<std::uint32_t>(float_to_f16(value)));
  } else if (d == Element::s32) {
    // Whole sums of one instruction are exact as floats; what was there is added as a whole number.
    to = std::bit_cast<float>(std::bit_cast<std::uint32_t>(to) +
                              static_cast<std::uint32_t>(static_cast<std::int32_t>(value)));
  } else {
    to = value;
  }
}

}  // namespace

void TensorCore::gather_a(const Ready& ready, const TensorCoreSide& side) {
  const InstructionDescriptor& instruction = ready.instruction;
  const int k = ready.stored(), rows = instruction.m / (ready.mma.pair ? 2 : 1);
  a_.resize(static_cast<std::size_t>(rows * k));
  if (ready.a != nullptr) {
    for (int index = 0; index < rows * k; ++index)
      a_[static_cast<std::size_t>(index)] = ready.a->value(index, *side.shared);
  } else {
    // Rows lie in the lanes of D's rows, elements packed along k.
    const int width = k == 64 ? 4 : std::max(8, layout::bits(instruction.a));  // of 32 bytes
    const auto column = static_cast<std::uint32_t>(ready.mma.a & 0xffff);
    const int first_lane = static_cast<int>(ready.mma.d >> 16);
    const std::uint32_t all = width == 32 ? ~0u : (1u << width) - 1;
    const int middle = width == 8 && layout::bits(instruction.a) == 4 ? kMiddleShift : 0;
    int row = -1;
    for (const AccumulatorRun& run : ready.d->runs) {
      if (run.row == row) continue;
      row = run.row;
      for (int i = 0; i < k; ++i) {
        std::uint32_t word = cell(side, first_lane + run.lane, column + static_cast<std::uint32_t>(i * width / 32));
        a_[static_cast<std::size_t>(row * k + i)] = to_float((word >> (i * width % 32) & all) >> middle, instruction.a);
      }
    }
  }
  if (instruction.negate_a) {
    for (float& each : a_) each = -each;
  }
  if (ready.scaled) {
    const int block = ready.mma.scales->block;
    for (int row = 0; row < rows; ++row) {
      for (int first = 0; first < k; first += block) {
        float scale = scale_at(side, ready.mma.scales->a, scale_place(row), ready.scaled->a_scale_byte + first / block,
                               ready.scaled->scale);
        for (int i = first; i < first + block; ++i) a_[static_cast<std::size_t>(row * k + i)] *= scale;
      }
    }
  }
  if (ready.mma.metadata) spread_a(ready, side);
}

// A sparse A's rows among their zeros. Rows eight apart share cells where elements have 16 or 32 bits, each with a half
// of each; of smaller elements a row has two cells (PTX ISA, tcgen05: layout of the sparsity metadata).
void TensorCore::spread_a(const Ready& ready, const TensorCoreSide& side) {
  const int stored = ready.stored(), rows = ready.instruction.m / (ready.mma.pair ? 2 : 1);
  const int first_lane = static_cast<int>(*ready.mma.metadata >> 16);
  const MetadataColumns columns = metadata_columns(*ready.mma.metadata, ready.instruction);
  const Granularity granularity = granularity_of(ready.instruction.a, stored == 64);
  auto bits = [&](int lane, std::uint32_t column) {
    return std::uint64_t{cell(side, (first_lane + lane) % TensorMemory::kLanes, column)};
  };
  stored_.swap(a_);
  a_.resize(static_cast<std::size_t>(rows * ready.k));
  for (int row = 0; row < rows; ++row) {
    std::uint64_t chunks = 0;
    if (columns.count == 2) {
      const int lane = ready.d->lanes[static_cast<std::size_t>(row)];
      chunks = bits(lane, columns.first) | bits(lane, columns.first + 1) << 32;
    } else {
      const int lane = ready.d->lanes[static_cast<std::size_t>(row / 16 * 16)] + row % 8, shift = row / 8 % 2 * 16;
      chunks = (bits(lane, columns.first) >> shift & 0xffff) | (bits(lane + 8, columns.first) >> shift & 0xffff) << 16;
    }
    spread_row(&stored_[static_cast<std::size_t>(row * stored)], stored, chunks, granularity,
               &a_[static_cast<std::size_t>(row * ready.k)]);
  }
}

// B as [k][n]: each CTA of a pair has half of the columns, and the scales of all.
void TensorCore::gather_b(const Ready& ready, const std::vector<TensorCoreSide>& sides) {
  const InstructionDescriptor& instruction = ready.instruction;
  const int k = ready.k, n = instruction.n, rows = ready.b->rows;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (std::size_t v = 0; v < sides.size(); ++v) {
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < k; ++i) {
        float value = ready.b->value(row * k + i, *sides[v].shared);
        b_[static_cast<std::size_t>(i * n + static_cast<int>(v) * rows + row)] = instruction.negate_b ? -value : value;
      }
    }
  }
  if (!ready.scaled) return;
  // Of a sparse A a block is as many stored elements.
  const int block = ready.mma.scales->block * (ready.mma.metadata ? 2 : 1), halves = ready.in_halves() ? n / 2 : 0;
  for (int column = 0; column < n; ++column) {
    for (int first = 0; first < k; first += block) {
      float scale = scale_at(sides[0], ready.mma.scales->b, scale_place(column, halves),
                             ready.scaled->b_scale_byte + first / block, ready.scaled->scale);
      for (int i = first; i < first + block; ++i) b_[static_cast<std::size_t>(i * n + column)] *= scale;
    }
  }
}

void TensorCore::multiply(const Ready& ready, const std::vector<TensorCoreSide>& sides) {
  const int k = ready.k, n = ready.instruction.n, rows_a = ready.instruction.m / static_cast<int>(sides.size());
  const Element d = ready.instruction.d;
  gather_b(ready, sides);
  float line[256];
  std::uint32_t first = ready.mma.d & 0xffff;
  int first_lane = static_cast<int>(ready.mma.d >> 16);
  const float shrink = std::ldexp(1.0f, -ready.mma.shrink_d);
  for (std::size_t v = 0; v < sides.size(); ++v) {
    const TensorCoreSide& side = sides[v];
    gather_a(ready, side);
    auto run = ready.d->runs.begin();
    for (int row = 0; row < rows_a; ++row) {
      auto row_begin = run;
      for (; run != ready.d->runs.end() && run->row == row; ++run) {
        const float* from = side.tensor->row(first_lane + run->lane) + first + run->column;
        const bool add = ready.mma.accumulate && d != Element::s32;
        for (int j = 0; j < run->count; ++j) line[run->n + j] = add ? read_d(from[j], d) * shrink : 0;
      }
      multiply_row(&a_[static_cast<std::size_t>(row * k)], b_.data(), k, n, line);
      for (auto back = row_begin; back != run; ++back) {
        const int lane = first_lane + back->lane;
        if (ready.mma.disabled[4 * v + static_cast<std::size_t>(lane / 32)] >> (lane % 32) & 1) continue;
        float* to = side.tensor->row(lane) + first + back->column;
        if (d == Element::f32) {
          std::copy_n(line + back->n, back->count, to);
          continue;
        }
        for (int j = 0; j < back->count; ++j) {
          if (d == Element::s32 && !ready.mma.accumulate) to[j] = 0;
          write_d(to[j], line[back->n + j], d);
        }
      }
    }
  }
}

}  // namespace warpcc::machine
