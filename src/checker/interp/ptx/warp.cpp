// What the lanes of a warp compute together: mma.sync, redux, match, movmatrix (PTX ISA).
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/interp/ptx/executor.h"
#include "checker/machine/numbers.h"
#include "checker/machine/sparsity.h"
#include "checker/machine/warpgroup_core.h"

namespace warpcc::checker::ptx {

namespace {

using layout::Element;

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

}  // namespace

// D[16 × 8] = A[16 × k] · B[k × 8] + C: registers of D, A, B, C; of a sparse A, of which k / 2 are stored, the chunks
// and who has them. A lies as wgmma's A in registers; of B a lane has one column, of k what it has of A's (PTX ISA,
// mma.m16n8k…: matrix fragments).
void Executor::multiply_matrices(const Code& code) {
  const int k = code.extra;
  const Element element_a = element_of(code.from), element_b = element_of(static_cast<Num>(code.vector));
  const int width = layout::bits(element_a), count = 32 / width;
  const std::uint32_t all = width == 32 ? ~0u : (1u << width) - 1;
  const bool halves = code.type == Num::f16, whole = code.type == Num::s32;
  const int sums = halves ? 2 : 4, registers_b = 8 * k * width / 1024,
            registers_a = code.sparse ? registers_b : 2 * registers_b;
  float a[16][64], b[64][8];
  Lanes32 lanes;
  for (int i = 0; i < registers_a; ++i) {
    read32(arg(code, static_cast<std::size_t>(sums + i)), lanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < count; ++e) {
        machine::OperandPlace at = machine::operand_place(lane, i, e, count);
        a[at.row][at.k] = machine::to_float(lanes[lane] >> (e * width % 32) & all, element_a);
      }
    }
  }
  if (code.sparse) {
    const auto after = static_cast<std::size_t>(2 * sums + registers_a + registers_b);
    read32(arg(code, after), lanes);
    const auto chunks = machine::chunks_of_rows(lanes, k / 2, width, static_cast<int>(arg(code, after + 1).value) & 3);
    for (std::size_t row = 0; row < 16; ++row) {
      float whole[64];
      machine::spread_row(a[row], k / 2, chunks[row], machine::granularity_of(element_a), whole);
      std::copy_n(whole, k, a[row]);
    }
  }
  for (int i = 0; i < registers_b; ++i) {
    read32(arg(code, static_cast<std::size_t>(sums + registers_a + i)), lanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < count; ++e)
        b[lane % 4 * count + e + 4 * count * i][lane / 4] =
            machine::to_float(lanes[lane] >> (e * width % 32) & all, element_b);
    }
  }
  for (int i = 0; i < sums; ++i) {
    Lanes32 c, d;
    read32(arg(code, static_cast<std::size_t>(sums + registers_a + registers_b + i)), c);
    for (int lane = 0; lane < kLanes; ++lane) {
      std::uint32_t result = 0;
      for (int part = 0; part < (halves ? 2 : 1); ++part) {
        machine::FragmentPlace at = machine::fragment_place(lane, halves ? 2 * i + part : i);
        float sum = halves  ? machine::f16_to_float(static_cast<std::uint16_t>(c[lane] >> (16 * part)))
                    : whole ? 0
                            : std::bit_cast<float>(c[lane]);
        for (int j = 0; j < k; ++j) sum += a[at.row][j] * b[j][at.column];
        result |= halves  ? static_cast<std::uint32_t>(machine::float_to_f16(sum)) << (16 * part)
                  : whole ? c[lane] + static_cast<std::uint32_t>(static_cast<std::int32_t>(sum))
                          : std::bit_cast<std::uint32_t>(sum);
      }
      d[lane] = result;
    }
    write32(arg(code, static_cast<std::size_t>(i)), d);
  }
}

// d, a, members
void Executor::reduce(const Code& code) {
  Lanes32 a, d;
  read32(arg(code, 1), a);
  const std::uint32_t here = mask_ & static_cast<std::uint32_t>(scalar(arg(code, 2)));
  std::uint32_t result = 0;
  bool first = true;
  for (std::uint32_t rest = here; rest != 0; rest &= rest - 1) {
    std::uint32_t value = a[std::countr_zero(rest)];
    if (code.type == Num::f32 && code.add) value &= 0x7fffffff;
    if (first) {
      result = value;
      first = false;
      continue;
    }
    bool less =
        is_signed(code.type) ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(result) : value < result;
    if (code.type == Num::f32) {
      float x = std::bit_cast<float>(value), y = std::bit_cast<float>(result);
      if (std::isnan(x) || std::isnan(y)) {
        const bool other_is_nan = std::isnan(y);
        if (code.unordered ? !other_is_nan : other_is_nan) result = value;
        continue;
      }
      less = x < y;
    }
    switch (code.extra) {
      case 0:
        result += value;
        break;
      case 1:
        result = less ? value : result;
        break;
      case 2:
        result = less ? result : value;
        break;
      case 3:
        result &= value;
        break;
      case 4:
        result |= value;
        break;
      default:
        result ^= value;
        break;
    }
  }
  std::fill_n(d, kLanes, result);
  write32(arg(code, 0), d);
}

// d, p, a, members: the lanes that have the same value; of `all`, none where they differ.
void Executor::match(const Code& code) {
  Lanes64 a;
  Lanes32 d{};
  read64(arg(code, 2), a);
  if (bits(code.type) == 32) {
    for (std::uint64_t& each : a) each &= 0xffffffff;
  }
  const std::uint32_t here = mask_ & static_cast<std::uint32_t>(scalar(arg(code, 3)));
  bool same = true;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int other = 0; other < kLanes; ++other) {
      if ((here >> other & 1) != 0 && a[lane] == a[other]) d[lane] |= 1u << other;
    }
    if ((here >> lane & 1) != 0) same = same && d[lane] == here;
  }
  if (code.extra) std::fill_n(d, kLanes, same ? here : 0);
  write32(arg(code, 0), d);
  write_predicate(arg(code, 1), same ? ~0u : 0);
}

// An 8 × 8 matrix of 16-bit elements, two neighbours of row lane / 4 in a lane, transposed.
void Executor::move_matrix(const Code& code) {
  Lanes32 a, d{};
  read32(arg(code, 1), a);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int half = 0; half < 2; ++half) {
      const int row = lane % 4 * 2 + half, column = lane / 4;
      d[lane] |= (a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff) << (16 * half);
    }
  }
  write32(arg(code, 0), d);
}

Executor::Next Executor::of_a_warp(const Code& code) {
  const bool some = code.op == Op::redux || code.op == Op::match;
  const std::uint32_t members =
      some ? static_cast<std::uint32_t>(scalar(arg(code, static_cast<std::size_t>(code.count) - 1))) : ~0u;
  if (!together(members)) return Next::blocked;
  switch (code.op) {
    case Op::mma:
      multiply_matrices(code);
      break;
    case Op::redux:
      reduce(code);
      break;
    case Op::match:
      match(code);
      break;
    case Op::wmma:
      multiply_fragments(code);
      break;
    case Op::wmma_load:
    case Op::wmma_store:
      move_fragment(code);
      break;
    default:
      move_matrix(code);
      break;
  }
  return Next::on;
}

}  // namespace warpcc::checker::ptx
