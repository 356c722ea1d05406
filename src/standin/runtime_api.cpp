// The CUDA runtime's interface, as far as programs use it (CUDA runtime API reference). Declared anew: only names,
// numbers and layouts are NVIDIA's.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "standin/device.h"
#include "standin/state.h"
#include "standin/symbols.h"

using namespace warpcc::standin;

namespace {

struct Dimensions {
  unsigned x, y, z;
  std::array<std::uint32_t, 3> array() const { return {x, y, z}; }
};
struct LaunchConfig {
  Dimensions grid, block;
  std::size_t shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

State& state() {
  return State::get();
}
std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace

extern "C" {

// ---- what nvcc's code calls

WARPCC_EXPORT void** __cudaRegisterFatBinary(void* fat) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return reinterpret_cast<void**>(state().add_binary(fat));
}
WARPCC_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
WARPCC_EXPORT void __cudaUnregisterFatBinary(void**) {}
WARPCC_EXPORT char __cudaInitModule(void**) {
  return 1;
}
WARPCC_EXPORT void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, void*, void*,
                                          void*, void*, int*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().add_kernel(reinterpret_cast<Binary*>(binary), host, name);
}
WARPCC_EXPORT void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t, int, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().add_variable(reinterpret_cast<Binary*>(binary), host, name);
}
WARPCC_EXPORT void __cudaRegisterManagedVar(void** binary, void**, char* host, const char* name, int, std::size_t, int,
                                            int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().add_variable(reinterpret_cast<Binary*>(binary), host, name);
}
WARPCC_EXPORT unsigned __cudaPushCallConfiguration(Dimensions grid, Dimensions block, std::size_t shared, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Launch launch;
  launch.grid = grid.array();
  launch.block = block.array();
  launch.shared = shared;
  state().pushed.push_back(launch);
  return 0;
}
WARPCC_EXPORT int __cudaPopCallConfiguration(Dimensions* grid, Dimensions* block, std::size_t* shared, void** stream) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (state().pushed.empty()) return kInvalidValue;
  Launch launch = state().pushed.back();
  state().pushed.pop_back();
  *grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  *block = {launch.block[0], launch.block[1], launch.block[2]};
  *shared = launch.shared;
  *stream = nullptr;
  return kSuccess;
}
WARPCC_EXPORT int cudaLaunchKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                                   std::size_t shared, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Launch launch;
  launch.grid = grid.array();
  launch.block = block.array();
  launch.shared = shared;
  launch.arguments = arguments;
  return state().fail(state().launch(function, launch));
}
// A kernel's handle is its host function here.
WARPCC_EXPORT int __cudaGetKernel(void** kernel, const void* function) {
  *kernel = const_cast<void*>(function);
  return kSuccess;
}
WARPCC_EXPORT int __cudaLaunchKernel(void* kernel, Dimensions grid, Dimensions block, void** arguments,
                                     std::size_t shared, void* stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
WARPCC_EXPORT int __cudaLaunchKernel_ptsz(void* kernel, Dimensions grid, Dimensions block, void** arguments,
                                          std::size_t shared, void* stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
WARPCC_EXPORT int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Launch launch;
  launch.grid = config->grid.array();
  launch.block = config->block.array();
  launch.shared = config->shared;
  launch.arguments = arguments;
  launch.cluster = cluster_of(config->attributes, config->attribute_count);
  launch.dependent = dependent_of(config->attributes, config->attribute_count);
  return state().fail(state().launch(function, launch));
}
WARPCC_EXPORT int cudaLaunchCooperativeKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                                              std::size_t shared, void* stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}

// ---- memory

WARPCC_EXPORT int cudaMalloc(void** pointer, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::uint64_t at = state().device().memory().allocate(static_cast<std::int64_t>(bytes));
  *pointer = reinterpret_cast<void*>(at);
  return state().fail(at == 0 ? kOutOfMemory : kSuccess);
}
WARPCC_EXPORT int cudaMallocAsync(void** pointer, std::size_t bytes, void*) {
  return cudaMalloc(pointer, bytes);
}
WARPCC_EXPORT int cudaFree(void* pointer) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (pointer == nullptr) return kSuccess;
  return state().fail(state().device().memory().free(address(pointer)) ? kSuccess : kInvalidValue);
}
WARPCC_EXPORT int cudaFreeAsync(void* pointer, void*) {
  return cudaFree(pointer);
}
WARPCC_EXPORT int cudaMallocHost(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(bytes);
  return *pointer == nullptr ? kOutOfMemory : kSuccess;
}
WARPCC_EXPORT int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}
WARPCC_EXPORT int cudaFreeHost(void* pointer) {
  std::free(pointer);
  return kSuccess;
}
WARPCC_EXPORT int cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return copy(state(), to, from, bytes);
}
WARPCC_EXPORT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return copy(state(), to, from, bytes);
}
WARPCC_EXPORT int cudaMemset(void* to, int value, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return set(state(), to, static_cast<std::uint32_t>(value), 1, bytes);
}
WARPCC_EXPORT int cudaMemsetAsync(void* to, int value, std::size_t bytes, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return set(state(), to, static_cast<std::uint32_t>(value), 1, bytes);
}
WARPCC_EXPORT int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::uint64_t at = state().variable(symbol);
  if (at == 0) return state().fail(kInvalidValue);
  return copy(state(), reinterpret_cast<void*>(at + offset), from, bytes);
}
WARPCC_EXPORT int cudaGetSymbolAddress(void** pointer, const void* symbol) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *pointer = reinterpret_cast<void*>(state().variable(symbol));
  return state().fail(*pointer == nullptr ? kInvalidValue : kSuccess);
}
WARPCC_EXPORT int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{16} << 30;
  return kSuccess;
}

WARPCC_EXPORT int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::uint64_t at = state().variable(symbol);
  if (at == 0) return state().fail(kInvalidValue);
  return copy(state(), to, reinterpret_cast<void*>(at + offset), bytes);
}
// Rows of `bytes`, `to_pitch` and `from_pitch` apart.
WARPCC_EXPORT int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               std::size_t bytes, std::size_t rows, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  for (std::size_t i = 0; i < rows; ++i) {
    int error =
        copy(state(), static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, bytes);
    if (error != kSuccess) return error;
  }
  return kSuccess;
}
WARPCC_EXPORT int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                    std::size_t bytes, std::size_t rows, int kind, void*) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, bytes, rows, kind);
}
// What both sides can reach is the device's here: a program that follows such an address itself does not come through.
WARPCC_EXPORT int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return cudaMalloc(pointer, bytes);
}
WARPCC_EXPORT int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t bytes, std::size_t rows) {
  *pitch = (bytes + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * rows);
}

// ---- devices

WARPCC_EXPORT int cudaGetDeviceCount(int* count) {
  *count = 1;
  return kSuccess;
}
WARPCC_EXPORT int cudaGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaSetDevice(int device) {
  return state().fail(device == 0 ? kSuccess : kInvalidValue);
}
WARPCC_EXPORT int cudaDeviceGetAttribute(int* value, int which, int) {
  *value = attribute(state(), which);
  return kSuccess;
}
// The layout of cudaDeviceProp in CUDA 12 and 13 up to its last field that is set here.
WARPCC_EXPORT int cudaGetDeviceProperties(void* properties, int) {
  auto* bytes = static_cast<char*>(properties);
  std::memset(bytes, 0, 1008);
  auto word = [&](std::size_t at, int value) { std::memcpy(bytes + at, &value, 4); };
  auto wide = [&](std::size_t at, std::size_t value) { std::memcpy(bytes + at, &value, 8); };
  std::snprintf(bytes, 256, "the machine of warpcc");
  wide(288, std::size_t{16} << 30);
  wide(296, 49152);
  word(304, 65536);
  word(308, 32);
  word(320, 1024);
  word(324, 1024);
  word(328, 1024);
  word(332, 64);
  word(336, 2147483647);
  word(340, 65535);
  word(344, 65535);
  wide(352, 65536);
  word(360, state().capability_major());
  word(384, state().processors());
  word(560, 1);
  word(596, 60 << 20);
  word(604, 2048);
  wide(624, 233472);
  word(632, 65536);
  wide(672, 232448);
  word(688, 32);
  wide(696, 1024);
  word(748, 1);
  return kSuccess;
}
WARPCC_EXPORT int cudaGetDeviceProperties_v2(void* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
WARPCC_EXPORT int cudaDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
WARPCC_EXPORT int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceSynchronize() {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceGetPCIBusId(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "0000:00:00.0");
  return kSuccess;
}
WARPCC_EXPORT int cudaSetDeviceFlags(unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceSetCacheConfig(int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceReset() {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceSetLimit(int, std::size_t) {
  return kSuccess;
}

// ---- streams and events: everything is done at once

WARPCC_EXPORT int cudaStreamCreate(void** stream) {
  *stream = &state();
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamCreateWithFlags(void** stream, unsigned) {
  return cudaStreamCreate(stream);
}
WARPCC_EXPORT int cudaStreamCreateWithPriority(void** stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
WARPCC_EXPORT int cudaStreamQuery(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamDestroy(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamSynchronize(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamWaitEvent(void*, void*, unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamIsCapturing(void*, int* status) {
  *status = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaEventCreate(void** event) {
  *event = &state();
  return kSuccess;
}
WARPCC_EXPORT int cudaEventCreateWithFlags(void** event, unsigned) {
  return cudaEventCreate(event);
}
WARPCC_EXPORT int cudaEventRecordWithFlags(void*, void*, unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cudaEventDestroy(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaEventRecord(void*, void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaEventSynchronize(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaEventQuery(void*) {
  return kSuccess;
}
// Time does not pass on the machine; a program that divides by it should come through.
WARPCC_EXPORT int cudaEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 1;
  return kSuccess;
}
WARPCC_EXPORT int cudaEventElapsedTime_v2(float* milliseconds, void* begin, void* end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

// ---- functions

// cudaFuncAttributes: shared, constant and local bytes, then threads, registers, versions, and what can be asked for.
WARPCC_EXPORT int cudaFuncGetAttributes(void* attributes, const void*) {
  auto* bytes = static_cast<char*>(attributes);
  std::memset(bytes, 0, 56);
  auto word = [&](std::size_t at, int value) { std::memcpy(bytes + at, &value, 4); };
  word(24, 1024);
  word(28, 64);
  word(32, state().capability_major() * 10);
  word(36, state().capability_major() * 10);
  word(44, 232448);
  return kSuccess;
}
WARPCC_EXPORT int cudaFuncSetAttribute(const void*, int, int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaFuncSetCacheConfig(const void*, int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void*, int, std::size_t) {
  *ctas = 1;
  return kSuccess;
}
WARPCC_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const void*, int, std::size_t,
                                                                         unsigned) {
  *ctas = 1;
  return kSuccess;
}
WARPCC_EXPORT int cudaOccupancyMaxActiveClusters(int* clusters, const void*, const LaunchConfig*) {
  *clusters = 1;
  return kSuccess;
}

// ---- errors

WARPCC_EXPORT int cudaGetLastError() {
  return state().last_error(true);
}
WARPCC_EXPORT int cudaPeekAtLastError() {
  return state().last_error(false);
}
WARPCC_EXPORT const char* cudaGetErrorName(int error) {
  return error == kSuccess ? "cudaSuccess" : "cudaErrorUnknown";
}
WARPCC_EXPORT const char* cudaGetErrorString(int error) {
  switch (error) {
    case kSuccess:
      return "no error";
    case kInvalidValue:
      return "invalid argument";
    case kOutOfMemory:
      return "out of memory";
    case kInvalidDeviceFunction:
      return "invalid device function: its PTX could not be read (see the report)";
    case kLaunchFailure:
      return "the launch failed on the machine (see the report)";
    default:
      return "an error";
  }
}

// ---- the driver's functions

WARPCC_EXPORT int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                                   int* found) {
  *function = driver_function(name);
  if (found != nullptr) *found = *function == nullptr ? 1 : 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long, int* found) {
  return cudaGetDriverEntryPointByVersion(name, function, 0, 0, found);
}

}  // extern "C"
