// The CUDA driver's interface, as far as programs reach it beside the runtime's (CUDA driver API reference).
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "standin/state.h"
#include "standin/symbols.h"

using namespace warpcc;
using namespace warpcc::standin;

extern "C" {

// CUDA driver API, cuTensorMapEncodeTiled: extents and strides innermost first; strides of all dimensions but that.
// A map may point nowhere: kernels put addresses in (tensormap.replace).
WARPCC_EXPORT int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                                         const std::uint64_t* extents, const std::uint64_t* strides,
                                         const std::uint32_t* box, const std::uint32_t* element_strides, int interleave,
                                         int swizzle, int, int fill) {
  // CUtensorMapDataType: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32 and tf32 with their variants, 16 of 4
  // bits in 8 bytes; 16 of 4 and of 6 bits in 16 bytes.
  static constexpr int kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};
  if (rank < 1 || rank > 5 || type < 0 || type > 15 || interleave != 0) return kInvalidValue;
  checker::TensorMapFields fields;
  fields.address = reinterpret_cast<std::uint64_t>(address);
  fields.element_bytes = kBytes[type];
  fields.real = type >= 6 && type <= 12;
  fields.nibbles = type == 13;
  fields.spread = type == 14 ? 4 : type == 15 ? 6 : 0;
  fields.brain = type == 9;
  fields.has_sign = type == 3 || type == 5;
  fields.fill_nan = fill != 0;
  if (fields.address % 16 != 0) return kInvalidValue;
  for (unsigned i = 0; i < rank; ++i) {
    if (extents[i] < 1 || extents[i] > (std::uint64_t{1} << 32) || box[i] < 1 || box[i] > 256) return kInvalidValue;
    if (element_strides != nullptr && element_strides[i] != 1) return kInvalidValue;
    fields.extents.push_back(static_cast<std::int64_t>(extents[i]));
    fields.box.push_back(box[i]);
    if (i == 0) continue;
    if (strides[i - 1] % 16 != 0 || strides[i - 1] >= (std::uint64_t{1} << 40)) return kInvalidValue;
    fields.strides.push_back(static_cast<std::int64_t>(strides[i - 1]));
  }
  if (fields.spread != 0 && (fields.extents[0] % 128 != 0 || fields.box[0] != 128 || fields.address % 32 != 0))
    return kInvalidValue;
  if (fields.nibbles) {
    if (fields.extents[0] % 2 != 0 || fields.box[0] % 2 != 0) return kInvalidValue;
    fields.extents[0] /= 2;
    fields.box[0] /= 2;
  }
  // CUtensorMapSwizzle: none, 32, 64, 128 bytes; then 128 in atoms of 32 and of 64.
  static constexpr int kSpans[] = {0, 32, 64, 128, 128, 128, 128}, kAtoms[] = {16, 16, 16, 16, 32, 32, 64};
  if (swizzle < 0 || swizzle > 6) return kInvalidValue;
  fields.swizzle_span = kSpans[swizzle];
  fields.swizzle_atom = kAtoms[swizzle];
  std::int64_t inner = fields.box[0] * fields.element_bytes;
  if (inner % 16 != 0 || (fields.swizzle_span > 0 && inner > fields.swizzle_span)) return kInvalidValue;
  std::array<std::uint8_t, 128> bytes = checker::encode(fields);
  std::memcpy(map, bytes.data(), bytes.size());
  return kSuccess;
}

// CUDA driver API, cuTensorMapEncodeIm2col: the corners are of the dimensions between channels and images, innermost
// first.
WARPCC_EXPORT int cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* address,
                                          const std::uint64_t* extents, const std::uint64_t* strides, const int* lower,
                                          const int* upper, unsigned channels, unsigned pixels,
                                          const std::uint32_t* element_strides, int interleave, int swizzle, int,
                                          int fill) {
  if (rank < 3 || rank > 5 || channels < 1 || channels > 256 || pixels < 1 || pixels > 1024) return kInvalidValue;
  // What both kinds of map have; of the box here only the channels count.
  std::uint32_t box[5] = {channels, 1, 1, 1, 1};
  if (int error = cuTensorMapEncodeTiled(map, type, rank, address, extents, strides, box, nullptr, interleave, swizzle,
                                         0, fill))
    return error;
  auto fields = checker::decode_tensor_map({static_cast<const std::uint8_t*>(map), 128});
  if (!fields || fields->spread != 0) return kInvalidValue;
  const int most = rank == 3 ? 32767 : rank == 4 ? 127 : 15;
  checker::TensorMapFields::Window window;
  for (unsigned i = 0; i + 2 < rank; ++i) {
    const std::uint32_t step = element_strides != nullptr ? element_strides[i + 1] : 1;
    if (std::abs(lower[i]) > most + 1 || std::abs(upper[i]) > most + 1 || step < 1 || step > 8) return kInvalidValue;
    window.lower.push_back(lower[i]);
    window.upper.push_back(upper[i]);
    window.step.push_back(step);
  }
  fields->box.assign({fields->box[0], static_cast<std::int64_t>(pixels)});
  fields->window = std::move(window);
  std::array<std::uint8_t, 128> bytes = checker::encode(*fields);
  std::memcpy(map, bytes.data(), bytes.size());
  return kSuccess;
}

WARPCC_EXPORT int cuInit(unsigned) {
  return kSuccess;
}
WARPCC_EXPORT int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
WARPCC_EXPORT int cuGetErrorString(int error, const char** text) {
  *text = error == kSuccess ? "no error" : "an error";
  return kSuccess;
}
WARPCC_EXPORT int cuGetErrorName(int error, const char** text) {
  *text = error == kSuccess ? "CUDA_SUCCESS" : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

}  // extern "C"

namespace warpcc::standin {

// Names without a version mean the newest.
void* driver_function(const char* name) {
  std::string wanted = name;
  if (wanted.rfind("cu", 0) != 0 || wanted.rfind("cuda", 0) == 0) return nullptr;
  for (const char* version : {"_v2", ""}) {
    if (void* found = dlsym(RTLD_DEFAULT, (wanted + version).c_str())) return found;
  }
  return nullptr;
}

}  // namespace warpcc::standin
