#include "checker/interp/ptx/combine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checker/interp/ptx/real.h"

namespace warpcc::checker::ptx {

std::uint64_t combined(int operation, Num type, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  const int width = bits(type), shift = 64 - width;
  auto sign = [shift](std::uint64_t x) { return static_cast<std::int64_t>(x << shift) >> shift; };
  bool less = is_signed(type) ? sign(b) < sign(old) : b < old;
  if (is_float(type)) {
    auto both = [&](auto function) -> std::uint64_t {
      if (type == Num::f64)
        return std::bit_cast<std::uint64_t>(function(std::bit_cast<double>(old), std::bit_cast<double>(b)));
      if (type == Num::f32) {
        const float result = function(std::bit_cast<float>(static_cast<std::uint32_t>(old)),
                                      std::bit_cast<float>(static_cast<std::uint32_t>(b)));
        return machine::float_bits(result);
      }
      std::uint64_t result = 0;
      const bool brain = type == Num::bf16 || type == Num::bf16x2;
      for (int at = 0; at < width; at += 16) {
        auto value = [&](std::uint64_t word) {
          return half_to_float(static_cast<std::uint32_t>(word >> at) & 0xffff, brain);
        };
        const double exact = function(static_cast<double>(value(old)), static_cast<double>(value(b)));
        result |= static_cast<std::uint64_t>(narrowed(exact, brain ? kBrain : kHalf, Rounding::nearest)) << at;
      }
      return result;
    };
    if (operation == 0) return both([](auto x, auto y) { return x + y; });
    if (operation == 1) return both([](auto x, auto y) { return std::min(x, y); });
    if (operation == 2) return both([](auto x, auto y) { return std::max(x, y); });
  }
  switch (operation) {
    case 0:
      return old + b;
    case 1:
      return less ? b : old;
    case 2:
      return less ? old : b;
    case 3:
      return old & b;
    case 4:
      return old | b;
    case 5:
      return old ^ b;
    case 6:
      return b;
    case 7:
      return old == b ? c : old;
    case 8:
      return old >= b ? 0 : old + 1;
    default:
      return old == 0 || old > b ? b : old - 1;
  }
}

void combine(int operation, Num type, std::span<std::uint8_t> to, const std::uint8_t* from) {
  const auto width = static_cast<std::size_t>(bits(type) / 8);
  for (std::size_t at = 0; at + width <= to.size(); at += width) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, &to[at], width);
    std::memcpy(&value, from + at, width);
    value = combined(operation, type, old, value, 0);
    std::memcpy(&to[at], &value, width);
  }
}

}  // namespace warpcc::checker::ptx
