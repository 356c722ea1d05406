// C = A · Bᵀ with the kernel that CMakeLists.txt compiles: its header has the shapes and the typed launch function. No
// CUDA is needed to build this; a program that has CUDA uses its own memory and streams instead of warpcc_allocate's.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "gemm.h"

namespace {

using hopper_gemm::a_shape;
using hopper_gemm::b_shape;

// -1, 0 and 1 in binary16.
warpcc::f16 element(int64_t row, int64_t column) {
  const uint16_t values[] = {0xbc00, 0x0000, 0x3c00};
  return {values[(row * 7 + column * 5 + row * column) % 3]};
}
int as_number(warpcc::f16 element) {
  return element.bits == 0 ? 0 : element.bits == 0x3c00 ? 1 : -1;
}

std::vector<warpcc::f16> matrix(const int64_t (&shape)[2]) {
  std::vector<warpcc::f16> all;
  for (int64_t row = 0; row < shape[0]; ++row) {
    for (int64_t column = 0; column < shape[1]; ++column) all.push_back(element(row, column));
  }
  return all;
}

int fail(const warpcc_error& error) {
  std::fprintf(stderr, "multiply: %s\n", error.message);
  return 1;
}

}  // namespace

int main(int count, char** words) {
  warpcc_error error;
  hopper_gemm::Kernel gemm;
  if (gemm.open(count > 1 ? words[1] : GEMM_CUBIN, &error)) return fail(error);

  const int64_t m = a_shape[0], n = b_shape[0], k = a_shape[1];
  const std::vector<warpcc::f16> a = matrix(a_shape), b = matrix(b_shape);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  void *on_gpu_a = nullptr, *on_gpu_b = nullptr, *on_gpu_c = nullptr;
  if (warpcc_allocate(gemm.get(), a.size() * sizeof a[0], &on_gpu_a, &error)) return fail(error);
  if (warpcc_allocate(gemm.get(), b.size() * sizeof b[0], &on_gpu_b, &error)) return fail(error);
  if (warpcc_allocate(gemm.get(), c.size() * sizeof c[0], &on_gpu_c, &error)) return fail(error);
  if (warpcc_copy_in(gemm.get(), on_gpu_a, a.data(), a.size() * sizeof a[0], &error)) return fail(error);
  if (warpcc_copy_in(gemm.get(), on_gpu_b, b.data(), b.size() * sizeof b[0], &error)) return fail(error);

  warpcc_status status = gemm.launch(static_cast<warpcc::f16*>(on_gpu_a), static_cast<warpcc::f16*>(on_gpu_b),
                                     static_cast<float*>(on_gpu_c), nullptr, &error);
  if (status) return fail(error);
  if (warpcc_copy_out(gemm.get(), c.data(), on_gpu_c, c.size() * sizeof c[0], &error)) return fail(error);

  int64_t wrong = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int sum = 0;
      for (int64_t x = 0; x < k; ++x) {
        sum += as_number(a[static_cast<std::size_t>(i * k + x)]) * as_number(b[static_cast<std::size_t>(j * k + x)]);
      }
      wrong += c[static_cast<std::size_t>(i * n + j)] != static_cast<float>(sum) ? 1 : 0;
    }
  }
  std::printf("%lld x %lld x %lld: %lld of %lld elements are wrong\n", static_cast<long long>(m),
              static_cast<long long>(n), static_cast<long long>(k), static_cast<long long>(wrong),
              static_cast<long long>(m * n));
  for (void* memory : {on_gpu_a, on_gpu_b, on_gpu_c}) warpcc_free(gemm.get(), memory, nullptr);
  return wrong == 0 ? 0 : 1;
}
