#include "trial/product.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "trial/inputs.h"
#include "trial/parallel.h"

namespace warpcc::trial {
namespace {

constexpr float kLargest = 16777216.0f;  // 2^24: up to here f32 holds every integer

// SplitMix64 (Steele, Lea, Flood): the i-th of its numbers.
std::uint64_t random_number(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t as_number(int value) {
  return static_cast<std::uint64_t>(std::int64_t{value});
}

// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
float half(std::uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31
                    ? (fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN())
                : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits >> 15 ? -value : value;
}

bool is_matrix(const runtime::Tensor& tensor) {
  return tensor.shape.size() == 2;
}

}  // namespace

std::optional<Product> product_of(const runtime::Manifest& manifest) {
  std::vector<std::uint32_t> inputs, outputs;
  for (std::uint32_t i = 0; i < manifest.tensors.size(); ++i) {
    const runtime::Tensor& tensor = manifest.tensors[i];
    if (tensor.written || is_matrix(tensor)) (tensor.written ? outputs : inputs).push_back(i);
  }
  if (outputs.size() != 1 || inputs.size() < 2) return std::nullopt;
  Product product{inputs[0], inputs[1], outputs[0]};
  const runtime::Tensor &a = manifest.tensors[product.a], &b = manifest.tensors[product.b],
                        &c = manifest.tensors[product.c];
  bool known = c.element == WARPCC_F32 || c.element == WARPCC_S32 || c.element == WARPCC_F16;
  if (!is_matrix(c) || !known || !can_make(a.element) || a.element != b.element) return std::nullopt;
  product.m = a.shape[0];
  product.n = b.shape[0];
  product.k = a.shape[1];
  bool fits = b.shape[1] == product.k && c.shape[0] == product.m && c.shape[1] == product.n;
  std::int64_t most = c.element == WARPCC_F16 ? ProductCheck::kMostKInHalves : ProductCheck::kMostK;
  if (!fits || product.k > most) return std::nullopt;
  return product;
}

std::vector<float> numbers(const std::vector<std::byte>& bytes, warpcc_element element) {
  std::vector<float> result(bytes.size() / static_cast<std::size_t>(runtime::element_bytes(element)));
  in_parallel(static_cast<std::int64_t>(result.size()), [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (element == WARPCC_F16) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, &bytes[2 * i], 2);
        result[i] = half(bits);
      } else if (element == WARPCC_S32) {
        std::int32_t whole = 0;
        std::memcpy(&whole, &bytes[4 * i], 4);
        result[i] = static_cast<float>(whole);
      } else {
        std::memcpy(&result[i], &bytes[4 * i], 4);
      }
    }
  });
  return result;
}

ProductCheck::ProductCheck(const Product& product, std::uint64_t seed)
    : product_(product),
      seed_(seed),
      x_(static_cast<std::size_t>(product.n)),
      sums_(static_cast<std::size_t>(product.m)) {
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = random_number(j);
  std::vector<std::uint64_t> bx(static_cast<std::size_t>(product.k));
  in_parallel(product.k, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = 0; j < product_.n; ++j) {
      for (std::int64_t i = begin; i < end; ++i) {
        int value = input(product_.b, static_cast<std::uint64_t>(j * product_.k + i), seed_);
        bx[static_cast<std::size_t>(i)] += as_number(value) * x_[static_cast<std::size_t>(j)];
      }
    }
  });
  in_parallel(product.m, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < product_.k; ++i) {
        int value = input(product_.a, static_cast<std::uint64_t>(row * product_.k + i), seed_);
        sum += as_number(value) * bx[static_cast<std::size_t>(i)];
      }
      sums_[static_cast<std::size_t>(row)] = sum;
    }
  });
}

Verdict ProductCheck::compare(const float* c) const {
  std::atomic<std::int64_t> wrong_rows{0}, first{product_.m};
  in_parallel(product_.m, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* at = c + row * product_.n;
      std::uint64_t sum = 0;
      bool all_whole = true;
      for (std::int64_t j = 0; j < product_.n; ++j) {
        bool fits = at[j] >= -kLargest && at[j] <= kLargest;  // not so of a NaN
        int whole = fits ? static_cast<int>(at[j]) : 0;
        all_whole &= fits && static_cast<float>(whole) == at[j];
        sum += as_number(whole) * x_[static_cast<std::size_t>(j)];
      }
      if (all_whole && sum == sums_[static_cast<std::size_t>(row)]) continue;
      ++wrong_rows;
      std::int64_t before = first.load();
      while (row < before && !first.compare_exchange_weak(before, row)) {
      }
    }
  });
  Verdict verdict;
  verdict.compared = static_cast<std::uint64_t>(product_.m) * static_cast<std::uint64_t>(product_.n);
  verdict.wrong_rows = wrong_rows;
  verdict.row = first;
  if (verdict.wrong_rows > 0) find_wrong(c, verdict);
  return verdict;
}

void ProductCheck::find_wrong(const float* c, Verdict& verdict) const {
  const float* at = c + verdict.row * product_.n;
  for (std::int64_t j = 0; j < product_.n; ++j) {
    std::int64_t right = wanted(verdict.row, j);
    if (at[j] == static_cast<float>(right)) continue;
    if (verdict.wrong_in_row++ == 0) {
      verdict.column = j;
      verdict.got = at[j];
      verdict.wanted = right;
    }
  }
}

std::int64_t ProductCheck::wanted(std::int64_t row, std::int64_t column) const {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < product_.k; ++i) {
    sum += std::int64_t{input(product_.a, static_cast<std::uint64_t>(row * product_.k + i), seed_)} *
           input(product_.b, static_cast<std::uint64_t>(column * product_.k + i), seed_);
  }
  return sum;
}

}  // namespace warpcc::trial
