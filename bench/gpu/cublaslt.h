// cuBLASLt, found at run time: C = A · Bᵀ, row-major, by each algorithm that its heuristic returns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "library.h"
#include "runtime/driver.h"
#include "runtime/warpcc.h"
#include "trial/product.h"

namespace warpcc::bench {

struct Algorithm {
  std::array<std::uint64_t, 8> data{};  // cublasLtMatmulAlgo_t
  std::size_t workspace = 0;            // bytes
  std::string configuration;            // for readers: `id 66 tile 20 stages 35 …`
};

struct Operands {
  runtime::cuda::Address a = 0, b = 0, c = 0;
};

// One problem: descriptors, and the workspace that its algorithms share.
class Matmul {
 public:
  ~Matmul();
  Matmul() = default;
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  // Distinct algorithms, in the heuristic's order, for the largest workspace first.
  const std::vector<Algorithm>& algorithms() const { return algorithms_; }
  runtime::Error launch(const Algorithm& algorithm, const Operands& operands, runtime::cuda::Address workspace,
                        runtime::cuda::Stream stream) const;

 private:
  friend class Cublaslt;
  const class Cublaslt* library_ = nullptr;
  void* operation_ = nullptr;
  void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;  // layouts, as cuBLASLt sees them
  std::vector<Algorithm> algorithms_;
};

class Cublaslt {
 public:
  runtime::Error open();
  std::size_t version() const { return get_version_(); }
  runtime::Error prepare(const trial::Product& product, warpcc_element element, Matmul& matmul) const;

  static constexpr std::size_t kMostWorkspace = std::size_t{256} << 20;

 private:
  friend class Matmul;
  using Status = int;
  struct Heuristic {  // cublasLtMatmulHeuristicResult_t
    std::array<std::uint64_t, 8> algorithm;
    std::size_t workspace;
    Status state;
    float waves;
    int reserved[4];
  };

  runtime::Error find_algorithms(Matmul& matmul) const;
  std::string configuration(const std::array<std::uint64_t, 8>& algorithm) const;

  Library library_;
  void* handle_ = nullptr;
  Status (*create_)(void** handle);
  std::size_t (*get_version_)();
  Status (*operation_create_)(void** operation, int compute, int scale);
  Status (*operation_set_)(void* operation, int attribute, const void* value, std::size_t bytes);
  Status (*operation_destroy_)(void* operation);
  Status (*layout_create_)(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading);
  Status (*layout_destroy_)(void* layout);
  Status (*preference_create_)(void** preference);
  Status (*preference_set_)(void* preference, int attribute, const void* value, std::size_t bytes);
  Status (*preference_destroy_)(void* preference);
  Status (*heuristic_)(void* handle, void* operation, void* a, void* b, void* c, void* d, void* preference, int asked,
                       Heuristic* results, int* returned);
  Status (*algorithm_get_)(const void* algorithm, int attribute, void* value, std::size_t bytes, std::size_t* written);
  Status (*matmul_)(void* handle, void* operation, const void* alpha, const void* a, void* a_layout, const void* b,
                    void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                    const void* algorithm, void* workspace, std::size_t workspace_bytes, void* stream);
};

}  // namespace warpcc::bench
