// The CUDA runtime's interface, as far as programs use it (CUDA runtime API reference). Declared anew: only names,
// numbers and layouts are NVIDIA's.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "standin/device.h"
#include "standin/state.h"
#include "standin/streams.h"
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

// Where fields of cudaDeviceProp lie that CUDA 12 and 13 have at different places: each the first of a few.
struct PropertyPlaces {
  std::size_t processors, integrated, concurrent_kernels, unified_addressing, l2_bytes, threads_an_sm, shared_an_sm,
      managed_memory, cooperative, shared_opt_in;
};

void fill_properties(char* bytes, const PropertyPlaces& at) {
  auto word = [&](std::size_t place, int value) { std::memcpy(bytes + place, &value, 4); };
  auto wide = [&](std::size_t place, std::size_t value) { std::memcpy(bytes + place, &value, 8); };
  std::snprintf(bytes, 256, "the machine of warpcc");
  wide(288, std::size_t{16} << 30);
  wide(296, 49152);
  word(304, 65536);
  word(308, 32);
  wide(312, 2147483647);
  word(320, 1024);
  word(324, 1024);
  word(328, 1024);
  word(332, 64);
  word(336, 2147483647);
  word(340, 65535);
  word(344, 65535);
  wide(352, 65536);
  word(360, state().capability_major());
  wide(368, 512);
  word(at.processors, state().processors());
  word(at.integrated + 4, 1);  // kernels reach memory of the host
  word(at.concurrent_kernels, 1);
  word(at.unified_addressing, 1);
  word(at.l2_bytes, 60 << 20);
  word(at.threads_an_sm, 2048);
  word(at.threads_an_sm + 4, 1);  // priorities of streams
  wide(at.shared_an_sm, 233472);
  word(at.shared_an_sm + 8, 65536);
  word(at.managed_memory, 1);
  word(at.cooperative - 12, 1);  // managed memory at the same time
  word(at.cooperative, 1);
  wide(at.shared_opt_in, 232448);
  word(at.shared_opt_in + 16, 32);
  wide(at.shared_opt_in + 24, 1024);
  word(at.shared_opt_in + 32, 1);  // memory of the host can be registered
  word(at.shared_opt_in + 48, 1);  // pools
  word(at.shared_opt_in + 76, 1);  // clusters
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
// Called before the host looks at a managed variable.
WARPCC_EXPORT char __cudaInitModule(void** binary) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().place_managed(reinterpret_cast<Binary*>(binary));
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
WARPCC_EXPORT void __cudaRegisterManagedVar(void** binary, void** host, char* symbol, const char* name, int,
                                            std::size_t, int, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  state().add_managed(reinterpret_cast<Binary*>(binary), host, symbol, name);
}
WARPCC_EXPORT unsigned __cudaPushCallConfiguration(Dimensions grid, Dimensions block, std::size_t shared,
                                                   void* stream) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Launch launch;
  launch.grid = grid.array();
  launch.block = block.array();
  launch.shared = shared;
  launch.stream = stream;
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
  *stream = launch.stream;
  return kSuccess;
}
WARPCC_EXPORT int cudaLaunchKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                                   std::size_t shared, void* stream) {
  Launch launch;
  launch.grid = grid.array();
  launch.block = block.array();
  launch.shared = shared;
  launch.arguments = arguments;
  return launch_in_stream(stream, function, launch);
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
  Launch launch;
  launch.grid = config->grid.array();
  launch.block = config->block.array();
  launch.shared = config->shared;
  launch.arguments = arguments;
  launch.cluster = cluster_of(config->attributes, config->attribute_count);
  launch.dependent = dependent_of(config->attributes, config->attribute_count);
  launch.cooperative = cooperative_of(config->attributes, config->attribute_count);
  return launch_in_stream(config->stream, function, launch);
}
WARPCC_EXPORT int cudaLaunchCooperativeKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                                              std::size_t shared, void* stream) {
  Launch launch;
  launch.grid = grid.array();
  launch.block = block.array();
  launch.shared = shared;
  launch.arguments = arguments;
  launch.cooperative = true;
  return launch_in_stream(stream, function, launch);
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
  return state().fail(free_memory(state(), pointer) ? kSuccess : kInvalidValue);
}
// What a captured stream allocates has its address at once, and keeps it: each launch of the graph uses it again.
WARPCC_EXPORT int cudaFreeAsync(void* pointer, void* stream) {
  return capturing(stream) == nullptr ? cudaFree(pointer) : static_cast<int>(kSuccess);
}
WARPCC_EXPORT int cudaMallocHost(void** pointer, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *pointer = allocate_for_both(state(), bytes);
  return state().fail(*pointer == nullptr ? kOutOfMemory : kSuccess);
}
WARPCC_EXPORT int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}
WARPCC_EXPORT int cudaFreeHost(void* pointer) {
  return cudaFree(pointer);
}
WARPCC_EXPORT int cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return copy(state(), to, from, bytes);
}
WARPCC_EXPORT int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return in_stream(stream, GraphNode::Kind::copy, [=] { return cudaMemcpy(to, from, bytes, kind); });
}
WARPCC_EXPORT int cudaMemset(void* to, int value, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return set(state(), to, static_cast<std::uint32_t>(value), 1, bytes);
}
WARPCC_EXPORT int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return in_stream(stream, GraphNode::Kind::set, [=] { return cudaMemset(to, value, bytes); });
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
                                    std::size_t bytes, std::size_t rows, int kind, void* stream) {
  return in_stream(stream, GraphNode::Kind::copy,
                   [=] { return cudaMemcpy2D(to, to_pitch, from, from_pitch, bytes, rows, kind); });
}
WARPCC_EXPORT int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
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
// cudaDeviceProp of CUDA 13. In CUDA 12 the struct has a few fields more, behind which all others lie further on.
WARPCC_EXPORT int cudaGetDeviceProperties(void* properties, int) {
  std::memset(properties, 0, 1008);
  fill_properties(static_cast<char*>(properties), {384, 388, 560, 588, 596, 604, 624, 636, 668, 672});
  return kSuccess;
}
WARPCC_EXPORT int cudaGetDeviceProperties_v2(void* properties, int) {
  std::memset(properties, 0, 1032);
  fill_properties(static_cast<char*>(properties), {388, 396, 576, 604, 616, 624, 640, 652, 688, 696});
  return kSuccess;
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
  return state().wait();
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
  *stream = make_stream();
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamCreateWithFlags(void** stream, unsigned) {
  return cudaStreamCreate(stream);
}
WARPCC_EXPORT int cudaStreamCreateWithPriority(void** stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
WARPCC_EXPORT int cudaStreamQuery(void*) {
  return state().wait();
}
WARPCC_EXPORT int cudaStreamDestroy(void* stream) {
  end_stream(stream);
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamSynchronize(void*) {
  return state().wait();
}
WARPCC_EXPORT int cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  wait_for_event(stream, event);
  return kSuccess;
}
WARPCC_EXPORT int cudaEventCreate(void** event) {
  *event = make_stream();
  return kSuccess;
}
WARPCC_EXPORT int cudaEventCreateWithFlags(void** event, unsigned) {
  return cudaEventCreate(event);
}
WARPCC_EXPORT int cudaEventRecord(void* event, void* stream) {
  record_event(event, stream);
  return kSuccess;
}
WARPCC_EXPORT int cudaEventRecordWithFlags(void* event, void* stream, unsigned) {
  return cudaEventRecord(event, stream);
}
WARPCC_EXPORT int cudaEventDestroy(void* event) {
  end_stream(event);
  return kSuccess;
}
WARPCC_EXPORT int cudaEventSynchronize(void*) {
  return state().wait();
}
WARPCC_EXPORT int cudaEventQuery(void*) {
  return state().wait();
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
WARPCC_EXPORT int cudaFuncGetAttributes(void* attributes, const void* function) {
  std::lock_guard<std::mutex> lock(state().mutex);
  Kernel* kernel = state().kernel(function);
  if (kernel == nullptr || state().function(*kernel) == nullptr) return state().fail(kInvalidDeviceFunction);
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
    case kAssert:
      return "device-side assert triggered (see the report)";
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
