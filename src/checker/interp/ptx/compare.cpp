// PTX ISA, "Comparison and Selection Instructions", and those of halves.
#include <bit>
#include <cmath>
#include <type_traits>

#include "checker/interp/ptx/compute.h"
#include "checker/interp/ptx/real.h"

namespace warpcc::checker::ptx {

namespace {

template <typename T>
bool related(Compare compare, T a, T b) {
  switch (compare) {
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
}

bool holds_of_reals(const Code& code, double a, double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  if (code.compare == Compare::num) return !nan;
  if (code.compare == Compare::nan) return nan;
  return nan ? code.unordered : related(code.compare, a, b);
}

bool holds_of_halves(const Code& code, bool brain, std::uint64_t a, std::uint64_t b) {
  auto value = [&](std::uint64_t bits) {
    const float real = half_to_float(static_cast<std::uint32_t>(bits) & 0xffff, brain);
    return code.ftz && !brain ? flushed_half(real) : real;
  };
  return holds_of_reals(code, value(a), value(b));
}

bool holds(const Code& code, std::uint64_t a, std::uint64_t b) {
  switch (code.type) {
    case Num::f64:
      return holds_of_reals(code, std::bit_cast<double>(a), std::bit_cast<double>(b));
    case Num::f32: {
      auto value = [&](std::uint64_t bits) {
        const auto real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return code.ftz ? flushed(real) : real;
      };
      return holds_of_reals(code, value(a), value(b));
    }
    case Num::f16:
    case Num::bf16:
      return holds_of_halves(code, code.type == Num::bf16, a, b);
    default: {
      const int shift = 64 - bits(code.type);
      if (!is_signed(code.type)) return related(code.compare, a << shift >> shift, b << shift >> shift);
      return related(code.compare, static_cast<std::int64_t>(a << shift) >> shift,
                     static_cast<std::int64_t>(b << shift) >> shift);
    }
  }
}

// What `set` leaves for yes.
std::uint32_t yes_of(Num type) {
  switch (type) {
    case Num::f32:
      return 0x3f800000;
    case Num::f16:
    case Num::f16x2:
      return 0x3c00;
    case Num::bf16:
    case Num::bf16x2:
      return 0x3f80;
    default:
      return ~0u;
  }
}

}  // namespace

void Executor::compare(const Code& code) {
  if (code.op == Op::selp || code.op == Op::slct) return select(code);
  const int width = bits(code.type);
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
    return tell(code, result, ~result);
  }
  Lanes64 a, b;
  read64(arg(code, 2), a);
  read64(arg(code, 3), b);
  if (code.type == Num::f16x2 || code.type == Num::bf16x2) {
    // The first answer is of the lower halves, the second of the upper ones.
    const bool brain = code.type == Num::bf16x2;
    std::uint32_t upper = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      result |= static_cast<std::uint32_t>(holds_of_halves(code, brain, a[lane], b[lane])) << lane;
      upper |= static_cast<std::uint32_t>(holds_of_halves(code, brain, a[lane] >> 16, b[lane] >> 16)) << lane;
    }
    return tell(code, result, upper);
  }
  for (int lane = 0; lane < kLanes; ++lane) result |= static_cast<std::uint32_t>(holds(code, a[lane], b[lane])) << lane;
  tell(code, result, ~result);
}

void Executor::select(const Code& code) {
  Lanes64 a, b;
  std::uint32_t chosen = 0;
  if (code.op == Op::selp) {
    chosen = predicate(arg(code, 3));
    if (bits(code.type) <= 32) {
      Lanes32 x, y;
      read32(arg(code, 1), x);
      read32(arg(code, 2), y);
      for (int lane = 0; lane < kLanes; ++lane) x[lane] = chosen >> lane & 1 ? x[lane] : y[lane];
      return write32(arg(code, 0), x);
    }
  } else {
    // a where c is 0 or more, b else; a NaN is not.
    Lanes32 c;
    read32(arg(code, 3), c);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto real = std::bit_cast<float>(c[lane]);
      const bool first = code.type == Num::f32 ? (code.ftz ? flushed(real) : real) >= 0 : c[lane] >> 31 == 0;
      chosen |= static_cast<std::uint32_t>(first) << lane;
    }
  }
  read64(arg(code, 1), a);
  read64(arg(code, 2), b);
  for (int lane = 0; lane < kLanes; ++lane) a[lane] = chosen >> lane & 1 ? a[lane] : b[lane];
  write64(arg(code, 0), a);
}

// A comparison's two answers, with what they are combined with, to where they go.
void Executor::tell(const Code& code, std::uint32_t first, std::uint32_t second) {
  if (code.combine != Combine::none) {
    const std::uint32_t with = predicate(arg(code, 4));
    for (std::uint32_t* answer : {&first, &second}) {
      *answer = code.combine == Combine::bit_and  ? *answer & with
                : code.combine == Combine::bit_or ? *answer | with
                                                  : *answer ^ with;
    }
  }
  if (code.op != Op::set) {
    write_predicate(arg(code, 0), first);
    return write_predicate(arg(code, 1), second);
  }
  Lanes32 lanes;
  const std::uint32_t yes = yes_of(code.from);
  const bool pair = code.from == Num::f16x2 || code.from == Num::bf16x2;
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = first >> lane & 1 ? yes : 0;
    if (pair && (second >> lane & 1) != 0) lanes[lane] |= yes << 16;
  }
  write32(arg(code, 0), lanes);
}

}  // namespace warpcc::checker::ptx
