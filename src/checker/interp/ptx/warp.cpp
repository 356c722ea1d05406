// What the lanes of a warp compute together: redux, match, movmatrix (PTX ISA).
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

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
  const Arg& last = arg(code, static_cast<std::size_t>(code.count) - 1);
  if (code.op == Op::redux) return by_members(last, [&] { reduce(code); });
  if (code.op == Op::match) return by_members(last, [&] { match(code); });
  if (!together(~0u)) return Next::blocked;
  switch (code.op) {
    case Op::mma:
      multiply_matrices(code);
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
