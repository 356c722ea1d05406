#include "runtime/driver.h"

#include <dlfcn.h>

#include <cstdlib>

namespace warpcc::runtime {
namespace {

// libcuda belongs to the driver, not to a toolkit: the loader's own path knows it where a driver is installed.
constexpr const char* kLibrary = "libcuda.so.1";

template <typename Function>
bool find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing.empty()) missing = name;
  return function != nullptr;
}

std::string find_all(void* library, Driver& driver) {
  std::string missing;
  auto entry = [&](const char* name, auto& function) { find(library, name, function, missing); };
  entry("cuInit", driver.init);
  entry("cuGetErrorName", driver.get_error_name);
  entry("cuGetErrorString", driver.get_error_string);
  entry("cuDriverGetVersion", driver.driver_version);
  entry("cuDeviceGetCount", driver.device_count);
  entry("cuDeviceGet", driver.device);
  entry("cuDeviceGetName", driver.device_name);
  entry("cuDeviceGetAttribute", driver.device_attribute);
  entry("cuDevicePrimaryCtxRetain", driver.primary_retain);
  entry("cuDevicePrimaryCtxRelease_v2", driver.primary_release);
  entry("cuCtxGetCurrent", driver.current);
  entry("cuCtxGetDevice", driver.current_device);
  entry("cuCtxPushCurrent_v2", driver.push);
  entry("cuCtxPopCurrent_v2", driver.pop);
  entry("cuModuleLoadData", driver.module_load);
  entry("cuModuleUnload", driver.module_unload);
  entry("cuModuleGetFunction", driver.module_function);
  entry("cuFuncSetAttribute", driver.function_set);
  entry("cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.blocks_per_multiprocessor);
  entry("cuOccupancyMaxActiveClusters", driver.active_clusters);
  entry("cuMemAlloc_v2", driver.allocate);
  entry("cuMemFree_v2", driver.free);
  entry("cuMemcpyHtoD_v2", driver.copy_to_device);
  entry("cuMemcpyDtoH_v2", driver.copy_to_host);
  entry("cuMemsetD32_v2", driver.fill32);
  entry("cuMemsetD8Async", driver.fill8_async);
  entry("cuStreamSynchronize", driver.stream_synchronize);
  entry("cuCtxSynchronize", driver.context_synchronize);
  entry("cuTensorMapEncodeTiled", driver.encode_tiled);
  entry("cuLaunchKernelEx", driver.launch);
  return missing;
}

}  // namespace

Error check(const Driver& driver, cuda::Result result, const std::string& what) {
  if (result == 0) return success();
  const char* name = nullptr;
  const char* text = nullptr;
  driver.get_error_name(result, &name);
  driver.get_error_string(result, &text);
  return failure(WARPCC_DRIVER_FAILED, what + " failed: " + (name ? name : "error " + std::to_string(result)) +
                                           (text ? std::string(", ") + text : std::string()));
}

Error find_driver(Driver& driver) {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failure(WARPCC_NO_DRIVER,
                   std::string("no NVIDIA driver found: ") + kLibrary +
                       " cannot be loaded; install the driver, or name its folder in LD_LIBRARY_PATH");
  }
  std::string missing = find_all(library, driver);
  if (!missing.empty()) {
    return failure(WARPCC_NO_DRIVER, "the NVIDIA driver is too old: its " + std::string(kLibrary) + " has no `" +
                                         missing + "`; one of CUDA 12.0 or newer is needed");
  }
  cuda::Result result = driver.init(0);
  constexpr cuda::Result kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
  if (result == kNoDevice) return failure(WARPCC_NO_DEVICE, "the NVIDIA driver finds no GPU on this machine");
  return check(driver, result, "cuInit");
}

}  // namespace warpcc::runtime
