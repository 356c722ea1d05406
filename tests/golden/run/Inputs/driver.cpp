// A stand-in for NVIDIA's driver: the GPU's memory is the host's, and the kernel `hopper_gemm` multiplies on the CPU.
// The environment says what is wrong: STAND_IN_WRONG n (one element of the n-th launch), STAND_IN_DEVICES n,
// STAND_IN_MAJOR n; -DOLD leaves a function out.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Map {
  const std::uint16_t* address;
  std::uint64_t columns, rows;
};

// What ran, for the stand-in of CUPTI: a name and nanoseconds.
struct Activity {
  const char* name;
  unsigned nanoseconds;
};
std::vector<Activity> activities;

bool multiplies = false;
int launches = 0;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Small integers in binary16.
float value(std::uint16_t half) {
  int exponent = half >> 10 & 31;
  float magnitude =
      exponent == 0 ? 0 : (1.0f + static_cast<float>(half & 1023) / 1024) * static_cast<float>(1 << (exponent - 15));
  return half >> 15 ? -magnitude : magnitude;
}

void multiply(void** parameters) {
  float* c = nullptr;
  Map a, b;
  std::memcpy(&c, parameters[0], sizeof c);
  std::memcpy(&a, parameters[1], sizeof a);
  std::memcpy(&b, parameters[2], sizeof b);
  for (std::uint64_t i = 0; i < a.rows; ++i) {
    for (std::uint64_t j = 0; j < b.rows; ++j) {
      float sum = 0;
      for (std::uint64_t k = 0; k < a.columns; ++k)
        sum += value(a.address[i * a.columns + k]) * value(b.address[j * b.columns + k]);
      c[i * b.rows + j] = sum;
    }
  }
  if (++launches == setting("STAND_IN_WRONG", 0)) c[3 * b.rows + 7] += 1;
}

}  // namespace

extern "C" {
int cuInit(unsigned) {
  return setting("STAND_IN_DEVICES", 1) == 0 ? 100 : 0;
}
int cuGetErrorName(int, const char** name) {
  return *name = "CUDA_ERROR_STAND_IN", 0;
}
int cuGetErrorString(int, const char** text) {
  return *text = "as asked for", 0;
}
int cuDriverGetVersion(int* version) {
  return *version = 13000, 0;
}
int cuDeviceGetCount(int* count) {
  return *count = setting("STAND_IN_DEVICES", 1), 0;
}
int cuDeviceGet(int* device, int ordinal) {
  return *device = ordinal, 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  return std::strncpy(name, "Stand-in", bytes), 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? setting("STAND_IN_MAJOR", 9) : attribute == 76 ? 0 : attribute == 16 ? 132 : 232448;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return *context = &multiplies, 0;
}
int cuDevicePrimaryCtxReset_v2(int) {
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return 0;
}
int cuCtxGetCurrent(void** context) {
  return *context = nullptr, 0;
}
int cuCtxGetDevice(int* device) {
  return *device = 0, 0;
}
int cuCtxPushCurrent_v2(void*) {
  return 0;
}
int cuCtxPopCurrent_v2(void**) {
  return 0;
}
int cuModuleLoadData(void** module, const void*) {
  return *module = &multiplies, 0;
}
int cuModuleUnload(void*) {
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  multiplies = std::strcmp(name, "hopper_gemm") == 0;
  return *function = &multiplies, 0;
}
int cuFuncSetAttribute(void*, int, int) {
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  return *blocks = 1, 0;
}
int cuOccupancyMaxActiveClusters(int* clusters, void*, const void*) {
  return *clusters = 66, 0;
}
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  *address = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  return std::free(reinterpret_cast<void*>(address)), 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0;
}
int cuMemsetD32_v2(unsigned long long to, unsigned word, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) reinterpret_cast<unsigned*>(to)[i] = word;
  return 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char byte, std::size_t bytes, void*) {
  return std::memset(reinterpret_cast<void*>(to), byte, bytes), 0;
}
int cuStreamSynchronize(void*) {
  return 0;
}
int cuCtxSynchronize() {
  return 0;
}
#ifndef OLD
int cuTensorMapEncodeTiled(void* map, int, unsigned, void* address, const std::uint64_t* extents, const std::uint64_t*,
                           const unsigned*, const unsigned*, int, int, int, int) {
  Map made{static_cast<const std::uint16_t*>(address), extents[0], extents[1]};
  return std::memcpy(map, &made, sizeof made), 0;
}
#endif
int cuLaunchKernelEx(const void*, void*, void** parameters, void**) {
  if (multiplies) multiply(parameters);
  activities.push_back({"hopper_gemm", 5000});
  return 0;
}

// For the stand-ins of cuBLASLt and CUPTI.
void stand_in_ran(const char* name, unsigned nanoseconds) {
  activities.push_back({name, nanoseconds});
}
std::size_t stand_in_count() {
  return activities.size();
}
void stand_in_take(std::size_t at, const char** name, unsigned* nanoseconds) {
  *name = activities[at].name;
  *nanoseconds = activities[at].nanoseconds;
}
void stand_in_clear() {
  activities.clear();
}

// Streams, events and graphs: what is captured runs at once, and a replay of anything takes a millisecond.
int cuStreamCreate(void** stream, unsigned) {
  return *stream = &multiplies, 0;
}
int cuStreamDestroy_v2(void*) {
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  return *event = &multiplies, 0;
}
int cuEventDestroy_v2(void*) {
  return 0;
}
int cuEventRecord(void*, void*) {
  return 0;
}
int cuEventSynchronize(void*) {
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void*, void*) {
  return *milliseconds = 1, 0;
}
int cuStreamBeginCapture_v2(void*, int) {
  return 0;
}
int cuStreamEndCapture(void*, void** graph) {
  return *graph = &multiplies, 0;
}
int cuGraphInstantiateWithFlags(void** executable, void*, unsigned long long) {
  return *executable = &multiplies, 0;
}
int cuGraphLaunch(void*, void*) {
  return 0;
}
int cuGraphDestroy(void*) {
  return 0;
}
int cuGraphExecDestroy(void*) {
  return 0;
}
}
