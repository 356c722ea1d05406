// PTX ISA, "Integer Arithmetic", "Floating Point", "Logic and Shift", "Data Movement" between registers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "checker/interp/ptx/compute.h"
#include "checker/machine/numbers.h"

namespace warpcc::checker::ptx {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

float half_to_float(std::uint32_t bits, bool brain) {
  return brain ? std::bit_cast<float>(bits << 16) : machine::f16_to_float(static_cast<std::uint16_t>(bits));
}
std::uint32_t float_to_half(float value, bool brain) {
  return brain ? machine::float_to_bf16(value) : machine::float_to_f16(value);
}

template <typename F>
F minimum(F a, F b, bool nan_wins) {
  if (std::isnan(a) || std::isnan(b)) return nan_wins ? std::numeric_limits<F>::quiet_NaN() : std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename F>
F maximum(F a, F b, bool nan_wins) {
  if (std::isnan(a) || std::isnan(b)) return nan_wins ? std::numeric_limits<F>::quiet_NaN() : std::isnan(a) ? b : a;
  return a > b || (a == b && std::signbit(b)) ? a : b;
}

// A number below the least normal one is 0.
float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

// `exact` as a float, rounded as the instruction says.
float rounded(double exact, const Code& code) {
  auto value = static_cast<float>(exact);
  if (std::isnan(exact) || static_cast<double>(value) == exact) return value;
  const bool above = static_cast<double>(value) > exact;
  const bool down = code.round_down || (code.to_zero && exact > 0), up = code.round_up || (code.to_zero && exact < 0);
  if (down && above) return std::nextafter(value, -std::numeric_limits<float>::infinity());
  if (up && !above) return std::nextafter(value, std::numeric_limits<float>::infinity());
  return value;
}

// A double as a half, rounded once: a float on the way is rounded to odd.
std::uint32_t double_to_half(double exact, bool brain) {
  auto value = static_cast<float>(exact);
  if (!std::isnan(exact) && !std::isinf(value) && static_cast<double>(value) != exact) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    const bool larger = std::fabs(static_cast<double>(value)) > std::fabs(exact);
    if (larger) --bits;
    value = std::bit_cast<float>(bits | 1);
  }
  return float_to_half(value, brain);
}

template <typename F>
F real(Op op, F a, F b, F c, const Code& code) {
  F result = 0;
  switch (op) {
    case Op::add:
      result = a + b;
      break;
    case Op::sub:
      result = a - b;
      break;
    case Op::mul_lo:
      result = a * b;
      break;
    case Op::fma:
      result = std::fma(a, b, c);
      break;
    case Op::div:
      result = a / b;
      break;
    case Op::neg:
      return -a;
    case Op::abs:
      return std::fabs(a);
    case Op::min:
      if (code.multicast)
        return std::copysign(std::min(std::fabs(a), std::fabs(b)), std::signbit(a) != std::signbit(b) ? F{-1} : F{1});
      result = minimum(a, b, code.unordered);
      if (code.count > 3) result = minimum(result, c, code.unordered);
      break;
    case Op::max:
      if (code.multicast)
        return std::copysign(std::max(std::fabs(a), std::fabs(b)), std::signbit(a) != std::signbit(b) ? F{-1} : F{1});
      result = maximum(a, b, code.unordered);
      if (code.count > 3) result = maximum(result, c, code.unordered);
      break;
    case Op::rcp:
      result = 1 / a;
      break;
    case Op::sqrt:
      result = std::sqrt(a);
      break;
    case Op::rsqrt:
      result = 1 / std::sqrt(a);
      break;
    case Op::ex2:
      result = std::exp2(a);
      break;
    case Op::lg2:
      result = std::log2(a);
      break;
    case Op::tanh:
      result = std::tanh(a);
      break;
    case Op::sin:
      result = std::sin(a);
      break;
    case Op::cos:
      result = std::cos(a);
      break;
    case Op::copysign:
      result = std::copysign(b, a);
      break;
    default:
      break;
  }
  if (code.saturate) result = result > 0 ? std::min<F>(result, 1) : 0;
  if (code.relu && !(result > 0)) result = 0;
  return result;
}

// Halves are computed as doubles, in which sums and products of theirs are exact.
std::uint32_t half_bits(const Code& code, std::uint32_t a, std::uint32_t b, std::uint32_t c, bool brain) {
  return double_to_half(real<double>(code.op, half_to_float(a & 0xffff, brain), half_to_float(b & 0xffff, brain),
                                     half_to_float(c & 0xffff, brain), code),
                        brain);
}

float single(const Code& code, float a, float b, float c) {
  if (code.ftz) {
    a = flushed(a);
    b = flushed(b);
    c = flushed(c);
  }
  const bool directed = code.round_down || code.round_up || code.to_zero;
  float result = directed ? rounded(real<double>(code.op, a, b, c, code), code) : real<float>(code.op, a, b, c, code);
  return code.ftz ? flushed(result) : result;
}

std::uint32_t real_bits(const Code& code, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  switch (code.type) {
    case Num::f16:
    case Num::bf16:
      return half_bits(code, a, b, c, code.type == Num::bf16);
    case Num::f16x2:
    case Num::bf16x2: {
      const bool brain = code.type == Num::bf16x2;
      return half_bits(code, a, b, c, brain) | half_bits(code, a >> 16, b >> 16, c >> 16, brain) << 16;
    }
    default: {
      // Halves that are added to floats come first.
      auto operand = [&](std::uint32_t bits, bool half) {
        return half ? half_to_float(bits & 0xffff, code.from == Num::bf16) : std::bit_cast<float>(bits);
      };
      const bool mixed = code.from == Num::f16 || code.from == Num::bf16;
      return std::bit_cast<std::uint32_t>(
          single(code, operand(a, mixed), operand(b, mixed && code.op == Op::fma), std::bit_cast<float>(c)));
    }
  }
}

// Whole numbers of `width` bits, in a word of U.
template <typename U>
U whole(const Code& code, U a, U b, U c, int width) {
  using S = std::make_signed_t<U>;
  const bool sign = is_signed(code.type);
  const U all = width == static_cast<int>(sizeof(U)) * 8 ? ~U{0} : (U{1} << width) - 1;
  auto signed_value = [width](U x) {
    int shift = static_cast<int>(sizeof(U)) * 8 - width;
    return static_cast<S>(x << shift) >> shift;
  };
  const S sa = signed_value(a), sb = signed_value(b);
  a &= all;
  b &= all;
  switch (code.op) {
    case Op::add: {
      if (code.saturate) {
        std::int64_t sum = static_cast<std::int64_t>(sa) + static_cast<std::int64_t>(sb);
        return static_cast<U>(std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                                       std::numeric_limits<std::int32_t>::max()));
      }
      return (a + b) & all;
    }
    case Op::sub:
      return (a - b) & all;
    case Op::mul_lo:
      return (a * b) & all;
    case Op::mad_lo:
      return (a * b + c) & all;
    case Op::div:
      return b == 0 ? all : static_cast<U>(sign ? (sb == -1 ? S(U{0} - static_cast<U>(sa)) : sa / sb) : S(a / b)) & all;
    case Op::rem:
      return b == 0 ? a : static_cast<U>(sign ? (sb == -1 ? 0 : sa % sb) : S(a % b)) & all;
    case Op::neg:
      return (U{0} - a) & all;
    case Op::abs:
      return (sa < 0 ? U{0} - a : a) & all;
    case Op::min:
      return sign ? (sa < sb ? a : b) : std::min(a, b);
    case Op::max: {
      U result = sign ? (sa > sb ? a : b) : std::max(a, b);
      return code.relu && sign && signed_value(result) < 0 ? 0 : result;
    }
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::bit_not:
      return ~a & all;
    case Op::shl:
      return b >= static_cast<U>(width) ? 0 : (a << b) & all;
    case Op::shr: {
      U by = std::min<U>(b, static_cast<U>(width));
      if (sign) return static_cast<U>(sa >> std::min<U>(by, static_cast<U>(width - 1))) & all;
      return by >= static_cast<U>(width) ? 0 : a >> by;
    }
    case Op::popc:
      return static_cast<U>(std::popcount(a));
    case Op::clz:
      return static_cast<U>(std::countl_zero(a));
    case Op::brev: {
      U result = 0;
      for (int i = 0; i < width; ++i) result |= (a >> i & 1) << (width - 1 - i);
      return result;
    }
    default:
      return 0;
  }
}

// `prmt` without a mode: a byte a nibble, its upper bit spreads the sign.
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t select) {
  std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t choice = select >> (4 * i) & 0xf;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * (choice & 7))) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// The nibbles that a mode of `prmt` stands for (PTX ISA, prmt).
std::uint32_t selection(int mode, std::uint32_t c) {
  static constexpr std::uint16_t kSelections[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
      {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return mode == 0 ? c : kSelections[mode - 1][c & 3];
}

}  // namespace

// Floats; the common operations in loops of their own, which the compiler makes vectors of.
void Executor::fast_float(const Code& code, int sources) {
  using U32 = std::uint32_t;
  const bool plain = code.type == Num::f32 && code.from == Num::f32 && !code.saturate && !code.relu && !code.ftz &&
                     !code.round_down && !code.round_up && !code.to_zero;
  auto run = [&](auto function) {
    compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) {
      return std::bit_cast<U32>(function(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c)));
    });
  };
  if (plain && code.op == Op::add) return run([](float a, float b, float) { return a + b; });
  if (plain && code.op == Op::sub) return run([](float a, float b, float) { return a - b; });
  if (plain && code.op == Op::mul_lo) return run([](float a, float b, float) { return a * b; });
  compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) { return real_bits(code, a, b, c); });
}

// Whole numbers that fill a register: loops that the compiler makes vectors of.
template <typename U>
bool Executor::common_of(const Code& code) {
  constexpr U kWidth = sizeof(U) * 8;
  using S = std::make_signed_t<U>;
  const bool sign = is_signed(code.type);
  auto two = [&](auto function) {
    compute<U>(code, 2, [&](U a, U b, U, U) -> U { return function(a, b); });
    return true;
  };
  switch (code.op) {
    case Op::add:
      return two([](U a, U b) { return a + b; });
    case Op::sub:
      return two([](U a, U b) { return a - b; });
    case Op::mul_lo:
      return two([](U a, U b) { return a * b; });
    case Op::mad_lo:
      compute<U>(code, 3, [](U a, U b, U c, U) -> U { return a * b + c; });
      return true;
    case Op::bit_and:
      return two([](U a, U b) { return a & b; });
    case Op::bit_or:
      return two([](U a, U b) { return a | b; });
    case Op::bit_xor:
      return two([](U a, U b) { return a ^ b; });
    case Op::bit_not:
      compute<U>(code, 1, [](U a, U, U, U) -> U { return ~a; });
      return true;
    default:
      break;
  }
  // The amount of a shift is of 32 bits, whatever is shifted.
  if (code.op != Op::shl && code.op != Op::shr) return false;
  U buffer[kLanes], to[kLanes];
  std::uint32_t amounts[kLanes];
  const U* a = lanes_of<U>(arg(code, 1), buffer);
  const std::uint32_t* by = lanes_of<std::uint32_t>(arg(code, 2), amounts);
  for (int lane = 0; lane < kLanes; ++lane) {
    const U n = by[lane], within = n < kWidth ? n : kWidth - 1;
    to[lane] = code.op == Op::shl ? (n < kWidth ? a[lane] << within : 0)
               : sign             ? static_cast<U>(static_cast<S>(a[lane]) >> within)
                                  : (n < kWidth ? a[lane] >> within : 0);
  }
  if constexpr (sizeof(U) == 4) {
    write32(arg(code, 0), to);
  } else {
    write64(arg(code, 0), to);
  }
  return true;
}

bool Executor::common_arithmetic(const Code& code) {
  if (is_float(code.type) || code.saturate || code.relu || code.type == Num::pred) return false;
  const int width = bits(code.type);
  return width == 32 ? common_of<std::uint32_t>(code) : width == 64 ? common_of<std::uint64_t>(code) : false;
}

bool Executor::arithmetic(const Code& code) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  const int sources = code.count - 1;
  const int width = bits(code.type);
  if (code.op >= Op::sad && code.op <= Op::isspacep) return rare_arithmetic(code);
  if (code.carry_in || code.carry_out || code.type == Num::u16x2 || code.type == Num::s16x2)
    return wide_arithmetic(code);
  if (common_arithmetic(code)) return true;
  switch (code.op) {
    case Op::mul_wide:
    case Op::mad_wide: {
      bool sign = is_signed(code.type);
      auto product = [sign, width](U64 a, U64 b) -> U64 {
        int shift = 64 - width;
        if (!sign) return (a << shift >> shift) * (b << shift >> shift);
        return static_cast<U64>((static_cast<std::int64_t>(a << shift) >> shift) *
                                (static_cast<std::int64_t>(b << shift) >> shift));
      };
      compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) { return product(a, b) + c; });
      return true;
    }
    case Op::mul_hi:
    case Op::mad_hi: {
      bool sign = is_signed(code.type);
      compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) -> U64 {
        int shift = 64 - width;
        if (sign) {
          auto x = static_cast<Wide>(static_cast<std::int64_t>(a << shift) >> shift);
          return static_cast<U64>(x * (static_cast<std::int64_t>(b << shift) >> shift) >> width) + c;
        }
        auto x = static_cast<UnsignedWide>(a << shift >> shift);
        return static_cast<U64>(x * (b << shift >> shift) >> width) + c;
      });
      return true;
    }
    case Op::bfi: {  // f, base, position, length
      compute<U64>(code, 4, [width](U64 a, U64 b, U64 at, U64 length) -> U64 {
        at &= 0xff;
        length &= 0xff;
        for (U64 i = 0; i < length && at + i < static_cast<U64>(width); ++i)
          b = (b & ~(U64{1} << (at + i))) | (a >> i & 1) << (at + i);
        return b;
      });
      return true;
    }
    case Op::bfe: {
      bool sign = is_signed(code.type);
      compute<U64>(code, 3, [width, sign](U64 a, U64 at, U64 length, U64) -> U64 {
        at &= 0xff;
        length &= 0xff;
        U64 top = std::min<U64>(at + length - 1, static_cast<U64>(width) - 1);
        U64 fill = !sign || length == 0 ? 0 : a >> top & 1, result = 0;
        for (U64 i = 0; i < static_cast<U64>(width); ++i) {
          U64 bit = i < length && at + i < static_cast<U64>(width) ? a >> (at + i) & 1 : fill;
          result |= bit << i;
        }
        return result;
      });
      return true;
    }
    case Op::prmt:
      compute<U32>(code, 3, [&](U32 a, U32 b, U32 c, U32) { return permute(a, b, selection(code.extra, c)); });
      return true;
    case Op::shf_l:
    case Op::shf_r: {
      bool left = code.op == Op::shf_l, wrap = code.extra != 0;
      compute<U32>(code, 3, [left, wrap](U32 a, U32 b, U32 c, U32) -> U32 {
        U32 n = wrap ? c & 31 : std::min<U32>(c, 32);
        U64 both = static_cast<U64>(b) << 32 | a;
        return left ? static_cast<U32>((both << n) >> 32) : static_cast<U32>(both >> n);
      });
      return true;
    }
    case Op::lop3: {
      U32 table = static_cast<U32>(arg(code, 4).value);
      compute<U32>(code, 3, [table](U32 a, U32 b, U32 c, U32) {
        U32 result = 0;
        for (int i = 0; i < 8; ++i) {
          if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        }
        return result;
      });
      return true;
    }
    case Op::bfind: {
      bool sign = is_signed(code.type);
      const bool shift_amount = code.extra != 0;
      compute<U64>(code, 1, [width, sign, shift_amount](U64 a, U64, U64, U64) -> U64 {
        int shift = 64 - width;
        a = a << shift >> shift;
        if (sign && (a >> (width - 1) & 1)) a = ~a << shift >> shift;
        if (a == 0) return 0xffffffff;
        const int at = 63 - std::countl_zero(a);
        return static_cast<U64>(shift_amount ? width - 1 - at : at);
      });
      return true;
    }
    case Op::popc:
    case Op::clz:
      if (width == 64) {
        Lanes64 from;
        Lanes32 to;
        read64(arg(code, 1), from);
        for (int lane = 0; lane < kLanes; ++lane) to[lane] = static_cast<U32>(whole<U64>(code, from[lane], 0, 0, 64));
        write32(arg(code, 0), to);
        return true;
      }
      break;
    default:
      break;
  }
  if (code.type == Num::pred) {
    std::uint32_t a = predicate(arg(code, 1)), b = sources > 1 ? predicate(arg(code, 2)) : 0;
    std::uint32_t result = code.op == Op::bit_and   ? a & b
                           : code.op == Op::bit_or  ? a | b
                           : code.op == Op::bit_xor ? a ^ b
                                                    : ~a;
    write_predicate(arg(code, 0), result);
    return true;
  }
  if (code.type == Num::f64) {
    compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) {
      return std::bit_cast<U64>(
          real(code.op, std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c), code));
    });
  } else if (code.type == Num::f32x2) {
    compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) {
      auto part = [&](int shift) {
        auto value = [shift](U64 bits) { return std::bit_cast<float>(static_cast<U32>(bits >> shift)); };
        return static_cast<U64>(std::bit_cast<U32>(single(code, value(a), value(b), value(c)))) << shift;
      };
      return part(0) | part(32);
    });
  } else if (is_float(code.type)) {
    fast_float(code, sources);
  } else if (width == 64) {
    compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) { return whole<U64>(code, a, b, c, 64); });
  } else {
    compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) { return whole<U32>(code, a, b, c, width); });
  }
  return true;
}

void Executor::compare(const Code& code) {
  const int width = bits(code.type);
  auto relation = [&](auto a, auto b) {
    switch (code.compare) {
      case Compare::eq:
        return a == b;
      case Compare::ne:
        return a != b;
      case Compare::lt:
        return a < b;
      case Compare::le:
        return a <= b;
      case Compare::gt:
        return a > b;
      case Compare::ge:
        return a >= b;
      default:
        return true;
    }
  };
  auto of_reals = [&](double a, double b) {
    bool nan = std::isnan(a) || std::isnan(b);
    if (code.compare == Compare::num) return !nan;
    if (code.compare == Compare::nan) return nan;
    return nan ? code.unordered : relation(a, b);
  };
  if (code.op == Op::selp) {
    std::uint32_t chosen = predicate(arg(code, 3));
    if (width == 64) {
      Lanes64 a, b;
      read64(arg(code, 1), a);
      read64(arg(code, 2), b);
      for (int lane = 0; lane < kLanes; ++lane) a[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
      return write64(arg(code, 0), a);
    }
    Lanes32 a, b;
    read32(arg(code, 1), a);
    read32(arg(code, 2), b);
    for (int lane = 0; lane < kLanes; ++lane) a[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
    return write32(arg(code, 0), a);
  }
  if (code.op == Op::slct) {
    // a where c is 0 or more, b else; a NaN is not.
    Lanes64 a, b;
    Lanes32 c;
    read64(arg(code, 1), a);
    read64(arg(code, 2), b);
    read32(arg(code, 3), c);
    for (int lane = 0; lane < kLanes; ++lane) {
      bool first = code.type == Num::f32 ? std::bit_cast<float>(c[lane]) >= 0 : static_cast<std::int32_t>(c[lane]) >= 0;
      a[lane] = first ? a[lane] : b[lane];
    }
    return write64(arg(code, 0), a);
  }
  std::uint32_t result = 0;
  if (code.op == Op::setp && !is_float(code.type) && (width == 32 || width == 64)) {
    auto all = [&](auto zero) {
      using T = decltype(zero);
      using U = std::make_unsigned_t<T>;
      U first[kLanes], second[kLanes];
      const U *x = lanes_of<U>(arg(code, 2), first), *y = lanes_of<U>(arg(code, 3), second);
      auto each = [&](auto holds) {
        for (int lane = 0; lane < kLanes; ++lane)
          result |= static_cast<std::uint32_t>(holds(static_cast<T>(x[lane]), static_cast<T>(y[lane]))) << lane;
      };
      switch (code.compare) {
        case Compare::eq:
          return each([](T p, T q) { return p == q; });
        case Compare::ne:
          return each([](T p, T q) { return p != q; });
        case Compare::lt:
          return each([](T p, T q) { return p < q; });
        case Compare::le:
          return each([](T p, T q) { return p <= q; });
        case Compare::gt:
          return each([](T p, T q) { return p > q; });
        default:
          return each([](T p, T q) { return p >= q; });
      }
    };
    if (width == 32) {
      is_signed(code.type) ? all(std::int32_t{}) : all(std::uint32_t{});
    } else {
      is_signed(code.type) ? all(std::int64_t{}) : all(std::uint64_t{});
    }
    return tell(code, result);
  }
  Lanes64 a, b;
  read64(arg(code, 2), a);
  read64(arg(code, 3), b);
  for (int lane = 0; lane < kLanes; ++lane) {
    bool holds = false;
    if (code.type == Num::f64) {
      holds = of_reals(std::bit_cast<double>(a[lane]), std::bit_cast<double>(b[lane]));
    } else if (is_float(code.type)) {
      bool half = code.type == Num::f16 || code.type == Num::bf16;
      auto value = [&](std::uint64_t bits) {
        auto low = static_cast<std::uint32_t>(bits);
        if (half) return half_to_float(low & 0xffff, code.type == Num::bf16);
        return code.ftz ? flushed(std::bit_cast<float>(low)) : std::bit_cast<float>(low);
      };
      holds = of_reals(value(a[lane]), value(b[lane]));
    } else {
      int shift = 64 - width;
      holds = is_signed(code.type) ? relation(static_cast<std::int64_t>(a[lane] << shift) >> shift,
                                              static_cast<std::int64_t>(b[lane] << shift) >> shift)
                                   : relation(a[lane] << shift >> shift, b[lane] << shift >> shift);
    }
    result |= static_cast<std::uint32_t>(holds) << lane;
  }
  tell(code, result);
}

// A comparison's answer, with what it is combined with, to where it goes.
void Executor::tell(const Code& code, std::uint32_t result) {
  std::uint32_t other = ~result;
  if (code.combine != Combine::none) {
    std::uint32_t with = predicate(arg(code, 4));
    auto combine = [&](std::uint32_t x) {
      return code.combine == Combine::bit_and ? x & with : code.combine == Combine::bit_or ? x | with : x ^ with;
    };
    result = combine(result);
    other = combine(other);
  }
  if (code.op == Op::set) {
    Lanes32 lanes;
    const std::uint32_t yes = code.from == Num::f32 ? 0x3f800000 : ~0u;
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = result >> lane & 1 ? yes : 0;
    return write32(arg(code, 0), lanes);
  }
  write_predicate(arg(code, 0), result);
  write_predicate(arg(code, 1), other);
}

void Executor::move(const Code& code) {
  if (code.op == Op::mov) {
    if (code.type == Num::pred) return write_predicate(arg(code, 0), predicate(arg(code, 1)));
    if (bits(code.type) == 128) {
      std::uint64_t *to = place64(arg(code, 0)), *from = place64(arg(code, 1));
      for (int lane = 0; lane < kLanes; ++lane) {
        if ((mask_ >> lane & 1) == 0) continue;
        to[2 * lane] = from[2 * lane];
        to[2 * lane + 1] = from[2 * lane + 1];
      }
      return;
    }
    Lanes64 lanes;
    read64(arg(code, 1), lanes);
    return write64(arg(code, 0), lanes);
  }
  // Parts of equal size, the first lowest.
  const bool pack = code.op == Op::pack;
  const Arg& whole = pack ? arg(code, 0) : arg(code, static_cast<std::size_t>(code.count) - 1);
  const int parts = code.count - 1, width = bits(code.type) / parts;
  if (whole.kind != Arg::Kind::reg && pack) return;
  if (bits(code.type) == 128) {
    std::uint64_t* both = place64(whole);
    for (int i = 0; i < parts; ++i) {
      const Arg& part = arg(code, static_cast<std::size_t>(pack ? i + 1 : i));
      Lanes64 lanes;
      if (pack) read64(part, lanes);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint64_t& word = both[2 * lane + i * width / 64];
        int shift = i * width % 64;
        std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        if (!pack) {
          lanes[lane] = word >> shift & all;
        } else if (mask_ >> lane & 1) {
          word = (word & ~(all << shift)) | (lanes[lane] & all) << shift;
        }
      }
      if (!pack) write64(part, lanes);
    }
    return;
  }
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  Lanes64 value{};
  if (!pack) read64(whole, value);
  for (int i = 0; i < parts; ++i) {
    const Arg& part = arg(code, static_cast<std::size_t>(pack ? i + 1 : i));
    Lanes64 lanes;
    if (pack) {
      read64(part, lanes);
      for (int lane = 0; lane < kLanes; ++lane) value[lane] |= (lanes[lane] & all) << (i * width);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = value[lane] >> (i * width) & all;
      write64(part, lanes);
    }
  }
  if (pack) write64(whole, value);
}

}  // namespace warpcc::checker::ptx
