// What stands in for a GPU inside somebody else's program: modules that it registers, memory that it allocates,
// launches that it makes (docs/checker.md, programs). One a process: the interfaces that it answers have no handle for
// it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "checker/device.h"
#include "ptx_text/program.h"
#include "support/diagnostics.h"

namespace warpcc::standin {

// Errors of the runtime's interface and of the driver's, which agree in these numbers (CUDA runtime API, cudaError_t).
enum Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDeviceFunction = 98,
  kInvalidResourceHandle = 400,
  kNotSupported = 801,
  kAssert = 710,
  kLaunchFailure = 719,
};

// A module that was registered: its PTX is read when something of it is asked for.
struct Binary {
  const void* fat = nullptr;
  bool image = false;  // as the driver loads it: a fat binary without its wrapper, or PTX text
  bool read = false;
  FileId file{};
  std::optional<ptx_text::Module> module;
};

struct Kernel {
  Binary* binary = nullptr;
  std::string name;
  const ptx_text::Function* function = nullptr;  // once it is known
};

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{};  // a cluster of zeros: none is named
  std::size_t shared = 0;
  bool dependent = false, cooperative = false;
  void** arguments = nullptr;
  void* stream = nullptr;
};

class State {
 public:
  static State& get();

  Binary* add_binary(const void* fat);
  // A module that the driver's interface loads; null where it has no PTX that can be read.
  Binary* load(const void* image);
  // A handle of a kernel of a module; null: it has none of this name.
  const void* kernel_of(Binary* binary, std::string_view name);
  // The address and size of a variable of a module; 0: there is none.
  std::pair<std::uint64_t, std::int64_t> variable_of(Binary* binary, std::string_view name);
  void add_kernel(Binary* binary, const void* host, std::string_view name);
  void add_variable(Binary* binary, const void* host, std::string_view name);
  // A variable that the host has too, at the address that `host` is to hold from place_managed on.
  void add_managed(Binary* binary, void** host, const void* symbol, std::string_view name);
  void place_managed(Binary* binary);
  Kernel* kernel(const void* host);
  const ptx_text::Function* function(Kernel& kernel);
  // The address of a variable of a module on the device; 0: there is none.
  std::uint64_t variable(const void* host);

  int launch(const void* host, const Launch& launch);
  // What whoever waits for the device is told: once a kernel has ended itself nothing more runs (CUDA runtime API,
  // cudaErrorAssert, cudaErrorLaunchFailure).
  int status() const;
  int wait();  // the same, once the launches of other threads have ended
  checker::Device& device() { return device_; }

  int capability_major() const { return major_; }
  int processors() const { return major_ == 9 ? 132 : 148; }

  int fail(int error) {
    if (error != kSuccess) last_error_ = error;
    return error;
  }
  int last_error(bool clear) {
    if (status() != kSuccess) return status();
    int error = last_error_;
    if (clear) last_error_ = kSuccess;
    return error;
  }
  // Says what was found, once, where WARPCC_REPORT names a file, and on standard error else.
  void report();

  std::mutex mutex;
  std::vector<Launch> pushed;  // of <<< >>>, until the call that takes it
  // Memory of the host's by where it begins: where kernels reach it, and its size.
  std::map<const void*, std::pair<std::uint64_t, std::size_t>> registered;

 private:
  State();
  bool read(Binary& binary);

  Sources sources_;
  checker::Device device_;
  checker::Options options_;
  checker::Outcome outcome_;
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::map<const void*, Kernel> kernels_;
  std::map<const void*, std::pair<Binary*, std::string>> variables_;
  struct Managed {
    Binary* binary;
    void** host;
    std::string name;
  };
  std::vector<Managed> managed_;                             // that have no place yet
  std::map<std::pair<Binary*, std::string>, char> handles_;  // a kernel's handle is the address of its place here
  std::string said_;
  std::uint64_t launches_ = 0;
  double seconds_ = 0;  // that they took
  int last_error_ = kSuccess;
  int major_ = 10;
  bool reported_ = false, refused_ = false;
};

}  // namespace warpcc::standin
