// C = A · Bᵀ on the made inputs, every element of C held to the exact product, at any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/manifest.h"

namespace warpcc::trial {

// Which of a kernel's tensors are A (m × k), B (n × k) and C (m × n, of f32, s32 or f16): C is the one that is stored
// to, A and B the first two others. Nothing where they do not fit, or C could not hold the product exactly.
struct Product {
  std::uint32_t a = 0, b = 0, c = 0;  // of the manifest's tensors
  std::int64_t m = 0, n = 0, k = 0;
};
std::optional<Product> product_of(const runtime::Manifest& manifest);

// Elements of such a C as numbers; whole ones of up to 2^24 exactly.
std::vector<float> numbers(const std::vector<std::byte>& bytes, warpcc_element element);

struct Verdict {
  std::uint64_t compared = 0;
  std::int64_t wrong_rows = 0;
  // The first that is wrong, and how many in its row.
  std::int64_t row = 0, column = 0, wrong_in_row = 0;
  float got = 0;
  std::int64_t wanted = 0;
};

// Multiplying out takes m · n · k operations, 4e12 at 16384³. Instead both sides are multiplied by a vector x of random
// 64-bit numbers (Freivalds, 1977): C · x against A · (Bᵀ · x), row by row, in integers modulo 2^64. The elements of
// the product are integers below 9 · k < 2^24, exact in f32; a row in which any element is another integer of that size
// passes with a probability of at most 2^-39, and one with anything that is no such integer never.
class ProductCheck {
 public:
  ProductCheck(const Product& product, std::uint64_t seed);
  // C in row-major order.
  Verdict compare(const float* c) const;

  // Beyond this many k steps sums are not exact in f32; in f16.
  static constexpr std::int64_t kMostK = (std::int64_t{1} << 24) / 9, kMostKInHalves = (std::int64_t{1} << 11) / 9;

 private:
  std::int64_t wanted(std::int64_t row, std::int64_t column) const;
  void find_wrong(const float* c, Verdict& verdict) const;

  Product product_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> x_, sums_;  // of the columns of C; A · (Bᵀ · x)
};

}  // namespace warpcc::trial
