// A kernel that is loaded on a GPU, and calls of it.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/device.h"
#include "runtime/driver.h"
#include "runtime/manifest.h"
#include "runtime/tensors.h"

namespace warpcc::runtime {

struct Launch {
  cuda::Stream stream = nullptr;
  bool dependent = false;
};

class Kernel;

// Tensors checked, maps encoded. The kernel must outlive it.
class Call {
 public:
  Error launch(const Launch& how) const;

 private:
  friend class Kernel;
  const Kernel* kernel_ = nullptr;
  std::vector<cuda::TensorMap> block_;  // the parameter block: in units of a map, for their alignment
  std::vector<void*> parameters_;       // where in it each parameter is
};

class Kernel {
 public:
  // `device` is an ordinal; none: the GPU of the current context, else the first.
  static Error open(const Driver& driver, std::string_view cubin, std::string_view manifest, const int* device,
                    std::unique_ptr<Kernel>& kernel);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Error bind(std::span<const warpcc_tensor> tensors, Call& call) const;
  Error reset(cuda::Stream stream);

  const Manifest& manifest() const { return manifest_; }
  const Device& device() const { return device_; }
  std::int64_t resident_ctas() const { return resident_ctas_; }
  const Driver& driver() const { return driver_; }
  cuda::Context context() const { return context_; }

 private:
  friend class Call;
  explicit Kernel(const Driver& driver) : driver_(driver) {}
  Error enter_device(const int* device);
  Error load(std::string_view cubin);
  Error take_memory();

  Driver driver_;
  Manifest manifest_;
  Device device_;
  std::int64_t resident_ctas_ = 0;
  cuda::Context context_ = nullptr;
  bool is_primary_ = false;  // retained here
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  std::vector<cuda::Address> kept_;  // in the manifest's order
};

// The context is current while this lives.
class Entered {
 public:
  Entered(const Driver& driver, cuda::Context context) : driver_(driver) {
    error_ = check(driver, driver.push(context), "cuCtxPushCurrent");
  }
  ~Entered() {
    cuda::Context popped = nullptr;
    if (!error_) driver_.pop(&popped);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  const Error& error() const { return error_; }

 private:
  const Driver& driver_;
  Error error_;
};

}  // namespace warpcc::runtime
