// A kernel launched on made inputs, and what it stored held to the exact product.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/kernel.h"
#include "trial/product.h"

namespace warpcc::trial {

// Memory of the GPU that is given back.
class Memory {
 public:
  explicit Memory(const runtime::Kernel& kernel) : kernel_(kernel) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  runtime::Error take(std::uint64_t bytes, runtime::cuda::Address& address);

 private:
  const runtime::Kernel& kernel_;
  std::vector<runtime::cuda::Address> all_;
};

// A kernel's tensors in the GPU's memory, filled.
struct Tensors {
  std::vector<runtime::cuda::Address> addresses;  // in the manifest's order
  std::vector<warpcc_tensor> given;
};
// Inputs made, what is stored to poisoned with NaN: what nobody writes is found.
runtime::Error make_tensors(const runtime::Kernel& kernel, std::uint64_t seed, Memory& memory, Tensors& tensors);
runtime::Error poison(const runtime::Kernel& kernel, const Tensors& tensors);

struct Options {
  int launches = 20;
  std::uint64_t seed = 0;
  bool dependent = false;
};

struct Report {
  std::optional<Product> product;
  // Of the first launch and of the last; without a product what both stored is compared instead.
  Verdict first, last;
  bool same = true;
};

runtime::Error run(const runtime::Kernel& kernel, const Options& options, Report& report);

}  // namespace warpcc::trial
