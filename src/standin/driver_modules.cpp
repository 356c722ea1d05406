// The CUDA driver's interface: devices, contexts, modules, launches, memory, streams (CUDA driver API reference). There
// is one device and one context; everything is done at once.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "standin/device.h"
#include "standin/state.h"
#include "standin/streams.h"
#include "standin/symbols.h"

using namespace warpcc::standin;

namespace {

constexpr int kNotFound = 500, kNoBinary = 209, kFileNotFound = 301;

struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

State& state() {
  return State::get();
}
std::lock_guard<std::mutex> locked() {
  return std::lock_guard<std::mutex>(state().mutex);
}
void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// Where the arguments lie in a buffer of them: each behind the other, as aligned as the kernel's parameters are.
std::vector<void*> arguments_in(void** extra, const warpcc::ptx_text::Function& function) {
  constexpr std::uintptr_t kEnd = 0, kBuffer = 1;
  char* buffer = nullptr;
  for (; reinterpret_cast<std::uintptr_t>(extra[0]) != kEnd; extra += 2) {
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == kBuffer) buffer = static_cast<char*>(extra[1]);
  }
  std::vector<void*> result;
  std::int64_t at = 0;
  for (const auto& param : function.params) {
    at = (at + param.align - 1) / param.align * param.align;
    result.push_back(buffer == nullptr ? nullptr : buffer + at);
    at += param.bytes;
  }
  return result;
}

int launch(const void* function, Launch launch, void** extra) {
  std::vector<void*> found;
  if (launch.arguments == nullptr && extra != nullptr) {
    Kernel* kernel = state().kernel(function);
    const warpcc::ptx_text::Function* code = kernel == nullptr ? nullptr : state().function(*kernel);
    if (code == nullptr) return kInvalidValue;
    found = arguments_in(extra, *code);
    launch.arguments = found.data();
  }
  return state().launch(function, launch);
}

}  // namespace

extern "C" {

// ---- devices and contexts

WARPCC_EXPORT int cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
WARPCC_EXPORT int cuDeviceGet(int* device, int number) {
  *device = 0;
  return number == 0 ? kSuccess : kInvalidValue;
}
WARPCC_EXPORT int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "the machine of warpcc");
  return kSuccess;
}
WARPCC_EXPORT int cuDeviceGetUuid_v2(char* id, int) {
  std::memset(id, 0, 16);
  return kSuccess;
}
WARPCC_EXPORT int cuDeviceGetAttribute(int* value, int which, int) {
  *value = attribute(state(), which);
  return kSuccess;
}
WARPCC_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{16} << 30;
  return kSuccess;
}
WARPCC_EXPORT int cuDeviceComputeCapability(int* major, int* minor, int) {
  *major = state().capability_major();
  *minor = 0;
  return kSuccess;
}
WARPCC_EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &state();
  return kSuccess;
}
WARPCC_EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  return kSuccess;
}
WARPCC_EXPORT int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return kSuccess;
}
WARPCC_EXPORT int cuCtxCreate_v2(void** context, unsigned, int) {
  *context = &state();
  return kSuccess;
}
WARPCC_EXPORT int cuCtxCreate_v4(void** context, void*, unsigned, int) {
  *context = &state();
  return kSuccess;
}
WARPCC_EXPORT int cuCtxDestroy_v2(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuCtxGetCurrent(void** context) {
  *context = &state();
  return kSuccess;
}
WARPCC_EXPORT int cuCtxSetCurrent(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuCtxPushCurrent_v2(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuCtxPopCurrent_v2(void** context) {
  *context = &state();
  return kSuccess;
}
WARPCC_EXPORT int cuCtxGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}
WARPCC_EXPORT int cuCtxSynchronize() {
  return state().wait();
}

// ---- modules

WARPCC_EXPORT int cuModuleLoadData(void** module, const void* image) {
  auto lock = locked();
  *module = state().load(image);
  return *module == nullptr ? kNoBinary : kSuccess;
}
WARPCC_EXPORT int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(module, image);
}
WARPCC_EXPORT int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadData(module, image);
}
WARPCC_EXPORT int cuModuleLoad(void** module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return kFileNotFound;
  std::string image((std::istreambuf_iterator<char>(file)), {});
  return cuModuleLoadData(module, image.c_str());
}
WARPCC_EXPORT int cuModuleUnload(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuModuleGetFunction(const void** function, void* module, const char* name) {
  auto lock = locked();
  *function = state().kernel_of(static_cast<Binary*>(module), name);
  return *function == nullptr ? kNotFound : kSuccess;
}
WARPCC_EXPORT int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* bytes, void* module, const char* name) {
  auto lock = locked();
  auto [at, size] = state().variable_of(static_cast<Binary*>(module), name);
  if (address != nullptr) *address = at;
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(size);
  return at == 0 ? kNotFound : kSuccess;
}
WARPCC_EXPORT int cuLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*, void**, unsigned) {
  return cuModuleLoadData(library, image);
}
WARPCC_EXPORT int cuLibraryLoadFromFile(void** library, const char* path, int*, void**, unsigned, int*, void**,
                                        unsigned) {
  return cuModuleLoad(library, path);
}
WARPCC_EXPORT int cuLibraryUnload(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuLibraryGetModule(void** module, void* library) {
  *module = library;
  return kSuccess;
}
WARPCC_EXPORT int cuLibraryGetKernel(const void** kernel, void* library, const char* name) {
  return cuModuleGetFunction(kernel, library, name);
}
WARPCC_EXPORT int cuLibraryGetGlobal(std::uint64_t* address, std::size_t* bytes, void* library, const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
WARPCC_EXPORT int cuKernelGetFunction(const void** function, const void* kernel) {
  *function = kernel;
  return kSuccess;
}

// ---- functions

WARPCC_EXPORT int cuFuncSetAttribute(const void*, int, int) {
  return kSuccess;
}
WARPCC_EXPORT int cuKernelSetAttribute(int, int, const void*, int) {
  return kSuccess;
}
// CUfunction_attribute: 0 threads, 1 shared bytes, 4 registers
WARPCC_EXPORT int cuFuncGetAttribute(int* value, int which, const void*) {
  *value = which == 0 ? 1024 : which == 4 ? 64 : 0;
  return kSuccess;
}
WARPCC_EXPORT int cuFuncSetCacheConfig(const void*, int) {
  return kSuccess;
}
WARPCC_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void*, int, std::size_t) {
  *ctas = 1;
  return kSuccess;
}
WARPCC_EXPORT int cuOccupancyMaxActiveClusters(int* clusters, const void*, const LaunchConfig*) {
  *clusters = 1;
  return kSuccess;
}
WARPCC_EXPORT int cuLaunchKernel(const void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, void*, void** arguments, void** extra) {
  auto lock = locked();
  Launch launched;
  launched.grid = {gx, gy, gz};
  launched.block = {bx, by, bz};
  launched.shared = shared;
  launched.arguments = arguments;
  return launch(function, launched, extra);
}
WARPCC_EXPORT int cuLaunchCooperativeKernel(const void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned shared, void* stream, void** arguments) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, nullptr);
}
WARPCC_EXPORT int cuLaunchKernelEx(const LaunchConfig* config, const void* function, void** arguments, void** extra) {
  auto lock = locked();
  Launch launched;
  launched.grid = {config->grid[0], config->grid[1], config->grid[2]};
  launched.block = {config->block[0], config->block[1], config->block[2]};
  launched.shared = config->shared;
  launched.arguments = arguments;
  launched.cluster = cluster_of(config->attributes, config->attribute_count);
  launched.dependent = dependent_of(config->attributes, config->attribute_count);
  return launch(function, launched, extra);
}

// ---- memory

WARPCC_EXPORT int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  auto lock = locked();
  *address = state().device().memory().allocate(static_cast<std::int64_t>(bytes));
  return *address == 0 ? kOutOfMemory : kSuccess;
}
WARPCC_EXPORT int cuMemAllocAsync(std::uint64_t* address, std::size_t bytes, void*) {
  return cuMemAlloc_v2(address, bytes);
}
WARPCC_EXPORT int cuMemFree_v2(std::uint64_t address) {
  auto lock = locked();
  return address == 0 || state().device().memory().free(address) ? kSuccess : kInvalidValue;
}
WARPCC_EXPORT int cuMemFreeAsync(std::uint64_t address, void*) {
  return cuMemFree_v2(address);
}
WARPCC_EXPORT int cuMemAllocHost_v2(void** host, std::size_t bytes) {
  *host = std::malloc(bytes);
  return *host == nullptr ? kOutOfMemory : kSuccess;
}
WARPCC_EXPORT int cuMemHostAlloc(void** host, std::size_t bytes, unsigned) {
  return cuMemAllocHost_v2(host, bytes);
}
WARPCC_EXPORT int cuMemFreeHost(void* host) {
  std::free(host);
  return kSuccess;
}
WARPCC_EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{16} << 30;
  return kSuccess;
}
WARPCC_EXPORT int cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  auto lock = locked();
  return copy(state(), pointer(to), pointer(from), bytes);
}
WARPCC_EXPORT int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  return cuMemcpy(to, from, bytes);
}
WARPCC_EXPORT int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  auto lock = locked();
  return copy(state(), pointer(to), from, bytes);
}
WARPCC_EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
WARPCC_EXPORT int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  auto lock = locked();
  return copy(state(), to, pointer(from), bytes);
}
WARPCC_EXPORT int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
  return cuMemcpyDtoH_v2(to, from, bytes);
}
WARPCC_EXPORT int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return cuMemcpy(to, from, bytes);
}
WARPCC_EXPORT int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  return cuMemcpy(to, from, bytes);
}
WARPCC_EXPORT int cuMemsetD8_v2(std::uint64_t to, unsigned char value, std::size_t count) {
  auto lock = locked();
  return set(state(), pointer(to), value, 1, count);
}
WARPCC_EXPORT int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t count, void*) {
  return cuMemsetD8_v2(to, value, count);
}
WARPCC_EXPORT int cuMemsetD16_v2(std::uint64_t to, unsigned short value, std::size_t count) {
  auto lock = locked();
  return set(state(), pointer(to), value, 2, count);
}
WARPCC_EXPORT int cuMemsetD32_v2(std::uint64_t to, unsigned value, std::size_t count) {
  auto lock = locked();
  return set(state(), pointer(to), value, 4, count);
}
WARPCC_EXPORT int cuMemsetD32Async(std::uint64_t to, unsigned value, std::size_t count, void*) {
  return cuMemsetD32_v2(to, value, count);
}
// CUpointer_attribute: 2 the kind of memory (1 the host's, 2 the device's), 3 and 4 the address on the device and on
// the host, 9 the device's number.
WARPCC_EXPORT int cuPointerGetAttribute(void* value, int which, std::uint64_t address) {
  auto lock = locked();
  const bool device = state().device().memory().find(address, 0) != nullptr;
  const int kind = device ? 2 : 1, number = 0;
  if (which == 3 || which == 4) {
    std::memcpy(value, &address, sizeof address);
  } else if (which == 2 || which == 9) {
    std::memcpy(value, which == 2 ? &kind : &number, sizeof(int));
  } else {
    return kInvalidValue;
  }
  return device ? kSuccess : kInvalidValue;
}

// ---- streams and events

WARPCC_EXPORT int cuStreamCreate(void** stream, unsigned) {
  *stream = make_stream();
  return kSuccess;
}
WARPCC_EXPORT int cuStreamCreateWithPriority(void** stream, unsigned, int) {
  *stream = make_stream();
  return kSuccess;
}
WARPCC_EXPORT int cuStreamDestroy_v2(void* stream) {
  end_stream(stream);
  return kSuccess;
}
WARPCC_EXPORT int cuStreamSynchronize(void*) {
  return state().wait();
}
WARPCC_EXPORT int cuStreamQuery(void*) {
  return state().wait();
}
WARPCC_EXPORT int cuStreamWaitEvent(void*, void*, unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cuStreamIsCapturing(void*, int* status) {
  *status = 0;
  return kSuccess;
}
WARPCC_EXPORT int cuEventCreate(void** event, unsigned) {
  *event = make_stream();
  return kSuccess;
}
WARPCC_EXPORT int cuEventRecord(void*, void*) {
  return kSuccess;
}
WARPCC_EXPORT int cuEventSynchronize(void*) {
  return state().wait();
}
WARPCC_EXPORT int cuEventDestroy_v2(void* event) {
  end_stream(event);
  return kSuccess;
}
WARPCC_EXPORT int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 1;
  return kSuccess;
}

WARPCC_EXPORT int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* found) {
  *function = driver_function(name);
  if (found != nullptr) *found = *function == nullptr ? 1 : 0;
  return *function == nullptr ? kNotFound : kSuccess;
}

}  // extern "C"
