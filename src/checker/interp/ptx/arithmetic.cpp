// PTX ISA, "Integer Arithmetic", "Floating Point", "Logic and Shift", "Data Movement" between registers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "checker/interp/ptx/executor.h"
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
      result = minimum(a, b, code.unordered);
      break;
    case Op::max:
      result = maximum(a, b, code.unordered);
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

std::uint32_t real_bits(const Code& code, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  switch (code.type) {
    case Num::f16:
    case Num::bf16: {
      bool brain = code.type == Num::bf16;
      // Of one operation on two halves a float's rounding and the half's after it are exact as one.
      return float_to_half(real(code.op, half_to_float(a & 0xffff, brain), half_to_float(b & 0xffff, brain),
                                half_to_float(c & 0xffff, brain), code),
                           brain);
    }
    case Num::f16x2:
    case Num::bf16x2: {
      bool brain = code.type == Num::bf16x2;
      std::uint32_t result = 0;
      for (int shift : {0, 16}) {
        result |= float_to_half(
                      real(code.op, half_to_float(a >> shift & 0xffff, brain),
                           half_to_float(b >> shift & 0xffff, brain), half_to_float(c >> shift & 0xffff, brain), code),
                      brain)
                  << shift;
      }
      return result;
    }
    default:
      return std::bit_cast<std::uint32_t>(
          real(code.op, std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c), code));
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

}  // namespace

template <typename U, typename F>
void Executor::compute(const Code& code, int sources, F function) {
  U from[4][kLanes], to[kLanes];
  for (int i = 0; i < sources; ++i) {
    if constexpr (sizeof(U) == 4) {
      read32(arg(code, static_cast<std::size_t>(i) + 1), from[i]);
    } else {
      read64(arg(code, static_cast<std::size_t>(i) + 1), from[i]);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = function(from[0][lane], sources > 1 ? from[1][lane] : U{0}, sources > 2 ? from[2][lane] : U{0},
                        sources > 3 ? from[3][lane] : U{0});
  }
  if constexpr (sizeof(U) == 4) {
    write32(arg(code, 0), to);
  } else {
    write64(arg(code, 0), to);
  }
}

bool Executor::arithmetic(const Code& code) {
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  const int sources = code.count - 1;
  const int width = bits(code.type);
  switch (code.op) {
    // The common ones, whose loops the compiler makes vectors of.
    case Op::add:
      if (width == 32 && !is_float(code.type) && !code.saturate) {
        compute<U32>(code, 2, [](U32 a, U32 b, U32, U32) { return a + b; });
        return true;
      }
      break;
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
      compute<U32>(code, 3, [](U32 a, U32 b, U32 c, U32) { return permute(a, b, c); });
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
      compute<U64>(code, 1, [width, sign](U64 a, U64, U64, U64) -> U64 {
        int shift = 64 - width;
        a = a << shift >> shift;
        if (sign && (a >> (width - 1) & 1)) a = ~a << shift >> shift;
        return a == 0 ? 0xffffffff : static_cast<U64>(63 - std::countl_zero(a));
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
  } else if (is_float(code.type)) {
    compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) { return real_bits(code, a, b, c); });
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
  std::uint32_t result = 0;
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
        return half ? half_to_float(low & 0xffff, code.type == Num::bf16) : std::bit_cast<float>(low);
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
  std::uint32_t other = ~result;
  if (code.combine != Combine::none) {
    std::uint32_t with = predicate(arg(code, 4));
    auto combine = [&](std::uint32_t x) {
      return code.combine == Combine::bit_and ? x & with : code.combine == Combine::bit_or ? x | with : x ^ with;
    };
    result = combine(result);
    other = combine(other);
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
