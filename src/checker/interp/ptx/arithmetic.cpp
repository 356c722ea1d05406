// PTX ISA, "Integer Arithmetic", "Logic and Shift", "Data Movement" between registers.
#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "checker/interp/ptx/compute.h"

namespace warpcc::checker::ptx {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// What 32 bits hold at most.
std::uint32_t saturated(std::int64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                                             std::numeric_limits<std::int32_t>::max()));
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
    case Op::add:
      if (code.saturate) return saturated(static_cast<std::int64_t>(sa) + static_cast<std::int64_t>(sb));
      return (a + b) & all;
    case Op::sub:
      if (code.saturate) return saturated(static_cast<std::int64_t>(sa) - static_cast<std::int64_t>(sb));
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
    case Op::max: {
      const bool first = (sign ? sa < sb : a < b) == (code.op == Op::min);
      const U result = first ? a : b;
      return code.relu && signed_value(result) < 0 ? 0 : result;
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
          const auto high = static_cast<std::int64_t>(x * (static_cast<std::int64_t>(b << shift) >> shift) >> width);
          if (code.saturate) return saturated(high + static_cast<std::int32_t>(c));
          return static_cast<U64>(high) + c;
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
  if (is_float(code.type)) {
    real_arithmetic(code, sources);
  } else if (width == 64) {
    compute<U64>(code, sources, [&](U64 a, U64 b, U64 c, U64) { return whole<U64>(code, a, b, c, 64); });
  } else {
    compute<U32>(code, sources, [&](U32 a, U32 b, U32 c, U32) { return whole<U32>(code, a, b, c, width); });
  }
  return true;
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
