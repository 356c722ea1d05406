// One shape: the cubin against cuBLASLt, checked first, then timed in turn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cublaslt.h"
#include "runtime/kernel.h"
#include "timing.h"
#include "trial/product.h"

namespace warpcc::bench {

// Medians of one arm, one a slot.
struct Slots {
  std::vector<double> sum, span;  // isolated
  std::vector<double> graph;      // back to back
  std::vector<double> dependent;  // back to back, each a dependent launch
};

struct Geometry {
  std::string kernel;
  int grid[3] = {1, 1, 1};
  unsigned cluster = 1;
  int threads = 0, shared_bytes = 0, registers = 0;
  double waves = 0;         // CTAs over those that fit at once
  std::size_t kernels = 0;  // of a call, memsets included
};

struct Row {
  std::string cubin;  // path
  std::string hash;   // of its contents
  trial::Product product;
  std::string element;
  bool exact = false;  // the first launch and the last
  std::string wrong;   // the first element that is not
  Slots warpcc, cublaslt;
  Geometry geometry, cublaslt_geometry;
  int algorithms = 0, exact_algorithms = 0;
  std::string algorithm;  // the fastest, isolated
};

// Everything of one shape that stays on the GPU for both ways of timing.
class Shape {
 public:
  // `alike`: of the same product, whose tensors and reference this one shares; it must outlive it.
  runtime::Error open(const runtime::Driver& driver, const std::string& path, Row& row, const Shape* alike = nullptr);
  // Twenty launches, the first and the last compared; nothing is timed.
  runtime::Error check(Row& row) const;
  // cuBLASLt's algorithms, those that are exact kept.
  runtime::Error find_algorithms(const Cublaslt& library, Row& row);
  runtime::Error time_back_to_back(const Timer& timer, Row& row) const;
  runtime::Error time_isolated(const Timer& timer, Trace& trace, Row& row) const;
  // After all timing: whether the kernel is still right.
  runtime::Error check_again(Row& row) const;

  const trial::Product& product() const { return product_; }
  Counts counts() const;
  Launch arm(bool dependent) const;
  Launch arm(const Algorithm& algorithm) const;
  bool waits_for_grid_before() const { return kernel_->manifest().waits_for_grid_before; }
  // cuBLASLt's fastest, by a short run of each that is exact.
  using Time = std::function<runtime::Error(const Launch&, double& microseconds)>;
  runtime::Error fastest(const Time& time, std::vector<const Algorithm*>& best) const;

 private:
  struct Memory;
  runtime::Error compare(trial::Verdict& verdict) const;
  runtime::Error launch_algorithm(const Algorithm& algorithm, runtime::cuda::Stream stream) const;

  std::string cubin_, manifest_;  // contents
  trial::Product product_;
  std::unique_ptr<runtime::Kernel> kernel_;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<const trial::ProductCheck> check_;
  Matmul matmul_;
  std::vector<Algorithm> exact_;
};

}  // namespace warpcc::bench
