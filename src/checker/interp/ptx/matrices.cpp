// mma.sync: D[m × 8] = A[m × k] · B[k × 8] + C, of 8 or 16 rows, A sparse or not (PTX ISA, mma.m8n8k…, mma.m16n8k…:
// matrix fragments).
#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/executor.h"
#include "checker/machine/numbers.h"
#include "checker/machine/sparsity.h"
#include "checker/machine/warpgroup_core.h"

namespace warpcc::checker::ptx {

namespace {

using layout::Element;

constexpr int kMostRows = 16, kColumns = 8, kMostK = 256;

Element element_of(Num type) {
  switch (type) {
    case Num::bf16:
      return Element::bf16;
    case Num::tf32:
      return Element::tf32;
    case Num::f32:
      return Element::f32;
    case Num::e4m3x2:
      return Element::f8e4m3;
    case Num::e5m2x2:
      return Element::f8e5m2;
    case Num::s8:
      return Element::s8;
    case Num::u8:
      return Element::u8;
    default:
      return Element::f16;
  }
}

template <typename T>
T number_of(std::uint64_t bits, Num type) {
  switch (type) {
    case Num::f64:
      return static_cast<T>(std::bit_cast<double>(bits));
    case Num::s4:
      return static_cast<T>(static_cast<int>(bits ^ 8) - 8);
    case Num::u4:
    case Num::b1:
      return static_cast<T>(bits);
    default:
      return static_cast<T>(machine::to_float(static_cast<std::uint32_t>(bits), element_of(type)));
  }
}

}  // namespace

int mma_width(Num type) {
  return type == Num::e4m3x2 || type == Num::e5m2x2 ? 8 : type == Num::tf32 ? 32 : bits(type);
}

MmaRegisters mma_registers(int m, int k, Num sum, Num element, bool sparse) {
  const int width = mma_width(element), of_a_row = k * width / (4 * std::max(32, width));
  return {of_a_row * m / (sparse ? 2 * kColumns : kColumns), of_a_row, sum == Num::f16 ? m / 8 : m / 4};
}

// Registers of D, A, B, C; of a sparse A, of which k / 2 are stored, the chunks and who has them. A lies as wgmma's A
// in registers; of B a lane has one column, of k what it has of A's.
template <typename T>
void Executor::multiply_matrices_of(const Code& code) {
  const int m = code.dimensions, k = code.extra;
  const Num type_a = code.from, type_b = static_cast<Num>(code.vector);
  const int width = mma_width(type_a), count = std::max(1, 32 / width);
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const auto [registers_a, registers_b, sums] = mma_registers(m, k, code.type, type_a, code.sparse);
  const bool halves = code.type == Num::f16, whole = code.type == Num::s32;
  need_written(code, static_cast<std::size_t>(sums), static_cast<std::size_t>(registers_a + registers_b), "multiplies");
  need_written(code, static_cast<std::size_t>(sums + registers_a + registers_b), static_cast<std::size_t>(sums),
               "adds to");
  T a[kMostRows][kMostK], b[kMostK][kColumns];
  Lanes64 lanes;
  for (int i = 0; i < registers_a; ++i) {
    read64(arg(code, static_cast<std::size_t>(sums + i)), lanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < count; ++e) {
        // Of 8 rows a register is not of the row eight below.
        machine::OperandPlace at = machine::operand_place(lane, m == kMostRows ? i : 2 * i, e, count);
        a[at.row][at.k] = number_of<T>(lanes[lane] >> (e * width) & all, type_a);
      }
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    if (code.sparse) spread_rows(code, static_cast<std::size_t>(2 * sums + registers_a + registers_b), a[0], kMostK);
  }
  for (int i = 0; i < registers_b; ++i) {
    read64(arg(code, static_cast<std::size_t>(sums + registers_a + i)), lanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < count; ++e)
        b[lane % 4 * count + e + 4 * count * i][lane / 4] = number_of<T>(lanes[lane] >> (e * width) & all, type_b);
    }
  }
  const bool differs = code.combine == Combine::bit_xor;  // of bits: how many do
  for (int i = 0; i < sums; ++i) {
    Lanes64 c, d;
    read64(arg(code, static_cast<std::size_t>(sums + registers_a + registers_b + i)), c);
    for (int lane = 0; lane < kLanes; ++lane) {
      std::uint64_t result = 0;
      for (int part = 0; part < (halves ? 2 : 1); ++part) {
        machine::FragmentPlace at = machine::fragment_place(lane, halves ? 2 * i + part : i);
        T sum = 0;
        if (halves) {
          sum = machine::f16_to_float(static_cast<std::uint16_t>(c[lane] >> (16 * part)));
        } else if (!whole) {
          sum = std::is_same_v<T, double> ? static_cast<T>(std::bit_cast<double>(c[lane]))
                                          : static_cast<T>(std::bit_cast<float>(static_cast<std::uint32_t>(c[lane])));
        }
        for (int j = 0; j < k; ++j) {
          const T x = a[at.row][j], y = b[j][at.column];
          sum += differs ? x + y - 2 * x * y : x * y;
        }
        if (halves) {
          result |= std::uint64_t{machine::float_to_f16(static_cast<float>(sum))} << (16 * part);
        } else if (whole) {
          // Whole sums of one instruction are exact as floats; what was there is added as a whole number.
          std::int64_t total = static_cast<std::int64_t>(sum) + static_cast<std::int32_t>(c[lane]);
          if (code.saturate) total = std::clamp<std::int64_t>(total, INT32_MIN, INT32_MAX);
          result = static_cast<std::uint32_t>(total);
        } else if constexpr (std::is_same_v<T, double>) {
          result = std::bit_cast<std::uint64_t>(sum);
        } else {
          result = std::bit_cast<std::uint32_t>(sum);
        }
      }
      d[lane] = result;
    }
    write64(arg(code, static_cast<std::size_t>(i)), d);
  }
}

// The stored elements of each row among zeros; `first`: the argument that holds what lies where.
void Executor::spread_rows(const Code& code, std::size_t first, float* rows, int pitch) {
  const int width = mma_width(code.from), stored = code.extra / 2;
  Lanes32 lanes;
  read32(arg(code, first), lanes);
  const auto chunks = machine::chunks_of_rows(lanes, stored, width, static_cast<int>(arg(code, first + 1).value) & 3);
  const machine::Granularity granularity =
      width == 4 ? machine::Granularity::pairs_of_eight : machine::granularity_of(element_of(code.from));
  for (std::size_t row = 0; row < kMostRows; ++row, rows += pitch) {
    float whole[kMostK];
    machine::spread_row(rows, stored, chunks[row], granularity, whole);
    std::copy_n(whole, 2 * stored, rows);
  }
}

void Executor::multiply_matrices(const Code& code) {
  if (code.type == Num::f64) {
    multiply_matrices_of<double>(code);
  } else {
    multiply_matrices_of<float>(code);
  }
}

}  // namespace warpcc::checker::ptx
