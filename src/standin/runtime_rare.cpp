// What fewer programs ask of the CUDA runtime: pools, limits, peers, libraries, hosts' functions in a stream (CUDA
// runtime API reference). Everything is done when it is asked for, so that a stream has nothing to wait for.
#include <cstdlib>
#include <cstring>

#include "standin/device.h"
#include "standin/state.h"
#include "standin/streams.h"
#include "standin/symbols.h"

using namespace warpcc::standin;

namespace {

State& state() {
  return State::get();
}
// cudaErrorSymbolNotFound
constexpr int kNotFound = 500;

}  // namespace

extern "C" {

// ---- memory

// Of the device's memory one pool.
WARPCC_EXPORT int cudaDeviceGetDefaultMemPool(void** pool, int) {
  *pool = &state();
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
WARPCC_EXPORT int cudaMemPoolCreate(void** pool, const void*) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
WARPCC_EXPORT int cudaMemPoolDestroy(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaMemPoolSetAttribute(void*, int, void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaMemPoolGetAttribute(void*, int, void* value) {
  std::memset(value, 0, 4);
  return kSuccess;
}
WARPCC_EXPORT int cudaMemPoolTrimTo(void*, std::size_t) {
  return kSuccess;
}
WARPCC_EXPORT int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *pointer = reinterpret_cast<void*>(state().device().memory().allocate(static_cast<std::int64_t>(bytes)));
  return state().fail(*pointer == nullptr ? kOutOfMemory : kSuccess);
}
WARPCC_EXPORT int cudaMemAdvise(const void*, std::size_t, int, ...) {
  return kSuccess;
}
WARPCC_EXPORT int cudaMemPrefetchAsync(const void*, std::size_t, ...) {
  return kSuccess;
}
// Kernels reach it at another address, which the program has to ask for.
WARPCC_EXPORT int cudaHostRegister(void* host, std::size_t bytes, unsigned) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().fail(register_host(state(), host, bytes) ? kSuccess : kOutOfMemory);
}
WARPCC_EXPORT int cudaHostUnregister(void* host) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().fail(unregister_host(state(), host) ? kSuccess : kInvalidValue);
}
WARPCC_EXPORT int cudaHostGetDevicePointer(void** pointer, void* host, unsigned) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *pointer = for_kernels(state(), host);
  return state().fail(*pointer == nullptr ? kInvalidValue : kSuccess);
}
WARPCC_EXPORT int cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                          int, void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::uint64_t at = state().variable(symbol);
  if (at == 0) return state().fail(kInvalidValue);
  return copy(state(), reinterpret_cast<void*>(at + offset), from, bytes);
}
WARPCC_EXPORT int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int,
                                            void*) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::uint64_t at = state().variable(symbol);
  if (at == 0) return state().fail(kInvalidValue);
  return copy(state(), to, reinterpret_cast<void*>(at + offset), bytes);
}
WARPCC_EXPORT int cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return copy(state(), to, from, bytes);
}
WARPCC_EXPORT int cudaMemcpyPeerAsync(void* to, int device, const void* from, int other, std::size_t bytes, void*) {
  return cudaMemcpyPeer(to, device, from, other, bytes);
}
WARPCC_EXPORT int cudaMemcpy3D(const CopyBox* box) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return copy(state(), *box);
}
WARPCC_EXPORT int cudaMemcpy3DAsync(const CopyBox* box, void* stream) {
  return in_stream(stream, GraphNode::Kind::copy, [box = *box] { return cudaMemcpy3D(&box); });
}
// A pitched pointer: where, the pitch, the width and the height.
struct PitchedPointer {
  void* pointer;
  std::size_t pitch, width, height;
};
struct Extent {
  std::size_t width, height, depth;
};
WARPCC_EXPORT int cudaMalloc3D(PitchedPointer* pointer, Extent extent) {
  constexpr std::size_t kPitch = 512;
  std::lock_guard<std::mutex> lock(state().mutex);
  const std::size_t pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
  auto at = state().device().memory().allocate(static_cast<std::int64_t>(pitch * extent.height * extent.depth));
  *pointer = {reinterpret_cast<void*>(at), pitch, extent.width, extent.height};
  return state().fail(at == 0 ? kOutOfMemory : kSuccess);
}
WARPCC_EXPORT int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t bytes, std::size_t rows) {
  std::lock_guard<std::mutex> lock(state().mutex);
  for (std::size_t i = 0; i < rows; ++i) {
    int error = set(state(), static_cast<char*>(to) + i * pitch, static_cast<std::uint32_t>(value), 1, bytes);
    if (error != kSuccess) return error;
  }
  return kSuccess;
}
WARPCC_EXPORT int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t bytes, std::size_t rows,
                                    void*) {
  return cudaMemset2D(to, pitch, value, bytes, rows);
}
// cudaMemoryType: 0 unregistered, 2 the device's.
WARPCC_EXPORT int cudaPointerGetAttributes(void* attributes, const void* pointer) {
  std::lock_guard<std::mutex> lock(state().mutex);
  const bool device = state().device().memory().find(reinterpret_cast<std::uint64_t>(pointer), 0) != nullptr;
  struct {
    int type, device;
    const void *on_device, *on_host;
  } answer{device ? 2 : 0, device ? 0 : -2, device ? pointer : nullptr, device ? nullptr : pointer};
  std::memcpy(attributes, &answer, sizeof answer);
  return kSuccess;
}

// ---- devices

WARPCC_EXPORT int cudaDeviceEnablePeerAccess(int, unsigned) {
  return kInvalidValue;  // there is one device
}
WARPCC_EXPORT int cudaDeviceGetSharedMemConfig(int* config) {
  *config = 1;  // banks of four bytes
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceSetSharedMemConfig(int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaFuncSetSharedMemConfig(const void*, int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaThreadSynchronize() {
  return state().wait();
}
WARPCC_EXPORT int cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaInitDevice(int, unsigned, unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceGetLimit(std::size_t* value, int) {
  *value = 1024;
  return kSuccess;
}
WARPCC_EXPORT int cudaCtxResetPersistingL2Cache() {
  return kSuccess;
}
WARPCC_EXPORT int cudaProfilerStart() {
  return kSuccess;
}
WARPCC_EXPORT int cudaProfilerStop() {
  return kSuccess;
}

// ---- streams

WARPCC_EXPORT int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  return in_stream(stream, GraphNode::Kind::host, [=] {
    function(argument);
    return static_cast<int>(kSuccess);
  });
}
WARPCC_EXPORT int cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* argument, unsigned) {
  function(stream, kSuccess, argument);
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamGetPriority(void*, int* priority) {
  *priority = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamGetFlags(void*, unsigned* flags) {
  *flags = 0;
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamAttachMemAsync(void*, void*, std::size_t, unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamGetAttribute(void*, int, void* value) {
  std::memset(value, 0, 64);
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamGetId(void* stream, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(stream);
  return kSuccess;
}
WARPCC_EXPORT int cudaStreamSetAttribute(void*, int, const void*) {
  return kSuccess;
}

// ---- libraries

WARPCC_EXPORT int cudaLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*, void**,
                                      unsigned) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *library = state().load(image);
  return state().fail(*library == nullptr ? kInvalidDeviceFunction : kSuccess);
}
WARPCC_EXPORT int cudaLibraryUnload(void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaLibraryGetKernel(const void** kernel, void* library, const char* name) {
  std::lock_guard<std::mutex> lock(state().mutex);
  *kernel = state().kernel_of(static_cast<Binary*>(library), name);
  return state().fail(*kernel == nullptr ? kNotFound : kSuccess);
}
WARPCC_EXPORT int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, void* library, const char* name) {
  std::lock_guard<std::mutex> lock(state().mutex);
  auto [at, size] = state().variable_of(static_cast<Binary*>(library), name);
  if (pointer != nullptr) *pointer = reinterpret_cast<void*>(at);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(size);
  return state().fail(at == 0 ? kNotFound : kSuccess);
}
WARPCC_EXPORT int cudaKernelSetAttributeForDevice(const void*, int, int, int) {
  return kSuccess;
}
// A kernel's handle is its host function here.
WARPCC_EXPORT int cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return kSuccess;
}
WARPCC_EXPORT int cudaGetFuncBySymbol(const void** function, const void* symbol) {
  *function = symbol;
  return kSuccess;
}

}  // extern "C"
