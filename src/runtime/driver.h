// The part of NVIDIA's driver interface that is used, declared anew so that no CUDA is needed to compile (CUDA driver
// API, cuda.h; the names without `cu` and version), as a table that a test can give a stand-in for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/error.h"

namespace warpcc::runtime {

namespace cuda {

using Result = int;  // CUresult; 0: success
using Device = int;
using Address = unsigned long long;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;

enum DeviceAttribute : int {
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
  kSharedBytes = 97,  // that a CTA may have, when the function asks for it
};
enum FunctionAttribute : int { kDynamicSharedBytes = 8 };

enum class TensorMapType : int {
  u8 = 0,
  u16 = 1,
  u32 = 2,
  s32 = 3,
  u64 = 4,
  f16 = 6,
  f32 = 7,
  bf16 = 9,
};
enum class Swizzle : int { none = 0, span32 = 1, span64 = 2, span128 = 3 };
enum class Promotion : int { none = 0, bytes64 = 1, bytes128 = 2, bytes256 = 3 };

struct alignas(64) TensorMap {
  std::byte bits[128];
};

enum class LaunchAttributeId : int { cluster = 4, programmatic_stream_serialization = 6 };
struct LaunchAttribute {
  LaunchAttributeId id;
  int pad = 0;
  union {
    char bytes[64];
    unsigned cluster[3];
    int allowed;
  };
};

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

}  // namespace cuda

struct Driver {
  cuda::Result (*init)(unsigned flags);
  cuda::Result (*get_error_name)(cuda::Result, const char** name);
  cuda::Result (*get_error_string)(cuda::Result, const char** text);
  cuda::Result (*driver_version)(int* version);
  cuda::Result (*device_count)(int* count);
  cuda::Result (*device)(cuda::Device*, int ordinal);
  cuda::Result (*device_name)(char* name, int bytes, cuda::Device);
  cuda::Result (*device_attribute)(int* value, cuda::DeviceAttribute, cuda::Device);
  cuda::Result (*primary_retain)(cuda::Context*, cuda::Device);
  cuda::Result (*primary_release)(cuda::Device);
  cuda::Result (*current)(cuda::Context*);
  cuda::Result (*current_device)(cuda::Device*);
  cuda::Result (*push)(cuda::Context);
  cuda::Result (*pop)(cuda::Context*);
  cuda::Result (*module_load)(cuda::Module*, const void* image);
  cuda::Result (*module_unload)(cuda::Module);
  cuda::Result (*module_function)(cuda::Function*, cuda::Module, const char* name);
  cuda::Result (*function_set)(cuda::Function, cuda::FunctionAttribute, int value);
  cuda::Result (*blocks_per_multiprocessor)(int* blocks, cuda::Function, int threads, std::size_t shared_bytes);
  cuda::Result (*active_clusters)(int* clusters, cuda::Function, const cuda::LaunchConfig*);
  cuda::Result (*allocate)(cuda::Address*, std::size_t bytes);
  cuda::Result (*free)(cuda::Address);
  cuda::Result (*copy_to_device)(cuda::Address, const void*, std::size_t bytes);
  cuda::Result (*copy_to_host)(void*, cuda::Address, std::size_t bytes);
  cuda::Result (*fill32)(cuda::Address, unsigned value, std::size_t words);
  cuda::Result (*fill8_async)(cuda::Address, unsigned char value, std::size_t bytes, cuda::Stream);
  cuda::Result (*stream_synchronize)(cuda::Stream);
  cuda::Result (*context_synchronize)();
  cuda::Result (*encode_tiled)(cuda::TensorMap*, cuda::TensorMapType, std::uint32_t rank, void* address,
                               const std::uint64_t* extents, const std::uint64_t* strides, const std::uint32_t* box,
                               const std::uint32_t* element_strides, int interleave, cuda::Swizzle, cuda::Promotion,
                               int fill);
  cuda::Result (*launch)(const cuda::LaunchConfig*, cuda::Function, void** parameters, void** extra);
};

// The driver of this machine, initialised.
Error find_driver(Driver& driver);

// The driver's answer as an error: `what` says what was being done.
Error check(const Driver& driver, cuda::Result result, const std::string& what);

}  // namespace warpcc::runtime
