// PTX ISA: sums with carries, packed whole numbers, and what few kernels use.
#include <algorithm>
#include <bit>
#include <cmath>

#include "checker/interp/ptx/compute.h"

namespace warpcc::checker::ptx {

namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using Signed = __int128;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

std::int64_t extended(U64 value, int width) {
  return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
}

// Products of the bytes of a with the bytes, or with half of the bytes, of b.
U32 dot(const Code& code, U32 a, U32 b, U32 c) {
  const bool two = code.op == Op::dp2a;
  const bool sign_a = code.from == Num::s32, sign_b = code.type == Num::s32;
  auto part = [](U32 word, int at, int width, bool sign) -> std::int64_t {
    U64 value = word >> at & ((U64{1} << width) - 1);
    return sign ? extended(value, width) : static_cast<std::int64_t>(value);
  };
  std::int64_t sum = 0;
  for (int i = 0; i < (two ? 2 : 4); ++i) {
    std::int64_t x = two ? part(a, 16 * i, 16, sign_a) : part(a, 8 * i, 8, sign_a);
    sum += x * part(b, two ? 16 * code.extra + 8 * i : 8 * i, 8, sign_b);
  }
  return c + static_cast<U32>(sum);
}

bool holds(int test, double value, double least) {
  switch (test) {
    case 0:
      return std::isfinite(value);
    case 1:
      return std::isinf(value);
    case 2:
      return !std::isnan(value);
    case 3:
      return std::isnan(value);
    case 4:  // zeros are
      return value == 0 || (std::isfinite(value) && std::fabs(value) >= least);
    default:
      return value != 0 && std::fabs(value) < least;
  }
}

}  // namespace

bool Executor::rare_arithmetic(const Code& code) {
  switch (code.op) {
    case Op::sad:
      compute<U64>(code, 3, [&](U64 a, U64 b, U64 c, U64) -> U64 {
        const int width = bits(code.type);
        if (is_signed(code.type)) {
          std::int64_t x = extended(a, width), y = extended(b, width);
          return c + static_cast<U64>(x < y ? y - x : x - y);
        }
        const U64 all = width == 64 ? ~U64{0} : (U64{1} << width) - 1;
        a &= all;
        b &= all;
        return c + (a < b ? b - a : a - b);
      });
      return true;
    case Op::mul24:
    case Op::mad24:
      compute<U64>(code, code.op == Op::mul24 ? 2 : 3, [&](U64 a, U64 b, U64 c, U64) -> U64 {
        const bool sign = is_signed(code.type);
        std::int64_t x = sign ? extended(a, 24) : static_cast<std::int64_t>(a & 0xffffff),
                     y = sign ? extended(b, 24) : static_cast<std::int64_t>(b & 0xffffff);
        U64 product = static_cast<U64>(x * y);
        return (code.extra ? product >> 16 : product) + c;
      });
      return true;
    case Op::dp4a:
    case Op::dp2a:
      compute<U32>(code, 3, [&](U32 a, U32 b, U32 c, U32) { return dot(code, a, b, c); });
      return true;
    case Op::bmsk:
      compute<U32>(code, 2, [&](U32 a, U32 b, U32, U32) -> U32 {
        if (code.extra) {
          a &= 31;
          b &= 31;
        }
        if (a >= 32) return 0;
        return static_cast<U32>(((U64{1} << std::min<U32>(b, 32)) - 1) << a);
      });
      return true;
    case Op::szext:
      compute<U32>(code, 2, [&](U32 a, U32 b, U32, U32) -> U32 {
        if (code.extra) b &= 31;
        if (b >= 32) return a;
        if (b == 0) return 0;
        return is_signed(code.type) ? static_cast<U32>(extended(a, static_cast<int>(b))) : a & ((1u << b) - 1);
      });
      return true;
    case Op::cnot:
      compute<U64>(code, 1, [&](U64 a, U64, U64, U64) -> U64 { return a << (64 - bits(code.type)) == 0 ? 1 : 0; });
      return true;
    case Op::testp:
    case Op::isspacep: {
      Lanes64 lanes;
      read64(arg(code, 1), lanes);
      std::uint32_t result = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        auto within = [&](U64 window) { return lanes[lane] >= window && lanes[lane] < window + kWindow; };
        bool yes = false;
        if (code.op == Op::testp) {
          yes = code.type == Num::f64
                    ? holds(code.extra, std::bit_cast<double>(lanes[lane]), 0x1p-1022)
                    : holds(code.extra, std::bit_cast<float>(static_cast<U32>(lanes[lane])), 0x1p-126);
        } else {
          yes = code.where == Where::shared  ? within(kSharedWindow)
                : code.where == Where::local ? within(kLocalWindow)
                : code.where == Where::param ? within(kParamWindow)
                                             : lanes[lane] < kParamWindow;
        }
        result |= static_cast<U32>(yes) << lane;
      }
      write_predicate(arg(code, 0), result);
      return true;
    }
    default:
      return false;
  }
}

// Sums with carries in or out (PTX ISA, "Extended-Precision Integer Arithmetic"); pairs of 16-bit numbers.
bool Executor::wide_arithmetic(const Code& code) {
  if (code.type == Num::u16x2 || code.type == Num::s16x2) {
    const bool sign = code.type == Num::s16x2;
    compute<U32>(code, code.count - 1, [&](U32 a, U32 b, U32, U32) -> U32 {
      U32 result = 0;
      for (int shift : {0, 16}) {
        std::int64_t x = sign ? extended(a >> shift, 16) : (a >> shift & 0xffff),
                     y = sign ? extended(b >> shift, 16) : (b >> shift & 0xffff);
        std::int64_t value = code.op == Op::add   ? x + y
                             : code.op == Op::sub ? x - y
                             : code.op == Op::min ? std::min(x, y)
                             : code.op == Op::neg ? -x
                                                  : std::max(x, y);
        if (code.relu) value = std::max<std::int64_t>(value, 0);
        result |= (static_cast<U32>(value) & 0xffff) << shift;
      }
      return result;
    });
    return true;
  }
  const int width = bits(code.type), sources = code.count - 1;
  Lanes64 from[3] = {}, to;
  for (int i = 0; i < sources && i < 3; ++i) read64(arg(code, static_cast<std::size_t>(i) + 1), from[i]);
  std::uint32_t carries = 0;
  const U64 all = width == 64 ? ~U64{0} : (U64{1} << width) - 1;
  for (int lane = 0; lane < kLanes; ++lane) {
    const U64 carry = code.carry_in ? warp_->carry >> lane & 1 : 0;
    U64 a = from[0][lane] & all, b = from[1][lane] & all;
    if (code.op == Op::mad_lo || code.op == Op::mad_hi) {
      const bool sign = is_signed(code.type);
      Wide product = sign ? static_cast<Wide>(static_cast<Signed>(extended(a, width)) * extended(b, width))
                          : static_cast<Wide>(a) * b;
      a = static_cast<U64>(code.op == Op::mad_hi ? product >> width : product) & all;
      b = from[2][lane] & all;
    }
    const bool difference = code.op == Op::sub;
    Wide sum = difference ? static_cast<Wide>(a) - b - carry : static_cast<Wide>(a) + b + carry;
    to[lane] = static_cast<U64>(sum) & all;
    carries |= static_cast<U32>(sum >> width & 1) << lane;
  }
  if (code.carry_out) warp_->carry = (warp_->carry & ~mask_) | (carries & mask_);
  write64(arg(code, 0), to);
  return true;
}

}  // namespace warpcc::checker::ptx
