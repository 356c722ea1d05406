#include "runtime/tensors.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace warpcc::runtime {
namespace {

constexpr std::int64_t kUnit = 16;  // bytes: the copy engine's, and of the kernel's widest access

Error wrong(const Tensor& tensor, std::string words) {
  return failure(WARPCC_WRONG_TENSOR, "`" + tensor.name + "`: " + std::move(words));
}

std::string tuple(std::span<const std::int64_t> numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + ")";
}

std::string hexadecimal(cuda::Address address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", address);
  return text;
}

std::string known_names(const Manifest& manifest) {
  std::string text;
  for (const Tensor& tensor : manifest.tensors) text += (text.empty() ? "`" : ", `") + tensor.name + "`";
  return text;
}

Error check_shape(const Tensor& tensor, const warpcc_tensor& given) {
  if (given.element != WARPCC_ANY && tensor.element != WARPCC_ANY && given.element != tensor.element) {
    return wrong(tensor, "the kernel was compiled for elements of " + std::string(element_name(tensor.element)) +
                             ", given are " + std::string(element_name(given.element)));
  }
  if (given.rank == 0 || tensor.shape.empty()) return success();
  if (given.rank < 0 || given.rank > 8 || given.shape == nullptr) {
    return failure(WARPCC_BAD_ARGUMENT, "`" + tensor.name + "`: a rank of " + std::to_string(given.rank) +
                                            " needs a shape, and is at most 8");
  }
  std::span<const std::int64_t> shape(given.shape, static_cast<std::size_t>(given.rank));
  if (!std::equal(shape.begin(), shape.end(), tensor.shape.begin(), tensor.shape.end())) {
    return wrong(tensor, "the kernel was compiled for the shape " + tuple(tensor.shape) + ", given is " + tuple(shape) +
                             ": compile it for that (-D), or give a part of that shape");
  }
  return success();
}

// What only tensor maps reach may be a part of a larger matrix: its rows may lie further apart.
Error check_strides(const Tensor& tensor, const std::vector<std::int64_t>& strides) {
  std::size_t rank = strides.size();
  if (tensor.by_pointer) {
    if (strides == tensor.strides) return success();
    return wrong(tensor, "the kernel computes its addresses for strides of " + tuple(tensor.strides) +
                             " elements, given are " + tuple(strides) + ": make it contiguous");
  }
  if (rank > 0 && tensor.shape[rank - 1] > 1 && strides[rank - 1] != 1) {
    return wrong(tensor, "elements of the last dimension must follow one another, given is a stride of " +
                             std::to_string(strides[rank - 1]) + ": make it contiguous");
  }
  std::int64_t least = rank > 0 ? tensor.shape[rank - 1] : 1;
  for (std::size_t i = rank > 0 ? rank - 1 : 0; i-- > 0;) {
    std::int64_t bytes = strides[i] * tensor.element_bytes;
    if (bytes % kUnit != 0) {
      return wrong(tensor, "a stride of " + std::to_string(strides[i]) + " elements is " + std::to_string(bytes) +
                               " bytes; the copy engine takes multiples of 16: pad the rows");
    }
    if (tensor.shape[i] > 1 && strides[i] < least) {
      return wrong(tensor, "a stride of " + std::to_string(strides[i]) + " elements is less than the " +
                               std::to_string(least) + " that lie between: parts of it overlap");
    }
    if (bytes >= std::int64_t{1} << 40) return wrong(tensor, "the copy engine takes strides below 2^40 bytes");
    least = std::max(least, strides[i] * tensor.shape[i]);
  }
  return success();
}

Error place(const Tensor& tensor, const warpcc_tensor& given, Placed& placed) {
  placed.address = reinterpret_cast<std::uintptr_t>(given.data);
  if (given.data == nullptr) return wrong(tensor, "its address is null");
  if (placed.address % kUnit != 0) {
    return wrong(tensor, "its address " + hexadecimal(placed.address) + " is not a multiple of 16 bytes");
  }
  if (Error error = check_shape(tensor, given)) return error;
  placed.strides = tensor.strides;
  if (given.rank > 0 && given.strides != nullptr && !tensor.shape.empty()) {
    constexpr std::int64_t kFarthest = std::int64_t{1} << 45;
    for (std::size_t i = 0; i < placed.strides.size(); ++i) {
      placed.strides[i] = given.strides[i];
      if (given.strides[i] < 0 || given.strides[i] > kFarthest) {
        return wrong(tensor, "a stride of " + std::to_string(given.strides[i]) + " elements cannot be");
      }
      // Of one element, or one row, the stride says nothing: frameworks put anything there.
      if (tensor.shape[i] == 1) placed.strides[i] = tensor.strides[i];
    }
  }
  return tensor.shape.empty() ? success() : check_strides(tensor, placed.strides);
}

// One past the last byte.
cuda::Address end_of(const Tensor& tensor, const Placed& placed) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) last += (tensor.shape[i] - 1) * placed.strides[i];
  return placed.address + static_cast<cuda::Address>((last + 1) * std::max(tensor.element_bytes, 1));
}

Error check_overlaps(const Manifest& manifest, const std::vector<Placed>& placed) {
  for (std::size_t i = 0; i < placed.size(); ++i) {
    for (std::size_t j = 0; j < placed.size(); ++j) {
      const Tensor &written = manifest.tensors[i], &other = manifest.tensors[j];
      if (i == j || !written.written || written.shape.empty() || other.shape.empty()) continue;
      if (placed[i].address < end_of(other, placed[j]) && placed[j].address < end_of(written, placed[i])) {
        return wrong(written, "the kernel stores to it, and its memory is also `" + other.name + "`'s");
      }
    }
  }
  return success();
}

// Elements without a type of their own travel as plain bytes: nothing computes with them on the way.
cuda::TensorMapType type_of(const TensorMap& map) {
  switch (map.element) {
    case WARPCC_F16:
      return cuda::TensorMapType::f16;
    case WARPCC_BF16:
      return cuda::TensorMapType::bf16;
    case WARPCC_F32:
    case WARPCC_TF32:
      return cuda::TensorMapType::f32;
    case WARPCC_S32:
      return cuda::TensorMapType::s32;
    default:
      break;
  }
  switch (map.element_bytes) {
    case 1:
      return cuda::TensorMapType::u8;
    case 2:
      return cuda::TensorMapType::u16;
    case 4:
      return cuda::TensorMapType::u32;
    default:
      return cuda::TensorMapType::u64;
  }
}

cuda::Swizzle swizzle_of(int span) {
  switch (span) {
    case 32:
      return cuda::Swizzle::span32;
    case 64:
      return cuda::Swizzle::span64;
    case 128:
      return cuda::Swizzle::span128;
    default:
      return cuda::Swizzle::none;
  }
}

}  // namespace

Error place_tensors(const Manifest& manifest, std::span<const warpcc_tensor> given, std::vector<Placed>& placed) {
  placed.assign(manifest.tensors.size(), {});
  std::vector<bool> is_placed(placed.size(), false);
  for (const warpcc_tensor& each : given) {
    const Tensor* tensor = each.name ? manifest.tensor_named(each.name) : nullptr;
    if (tensor == nullptr) {
      return failure(WARPCC_WRONG_TENSOR, "`" + manifest.entry + "` has no tensor `" +
                                              (each.name ? each.name : "(null)") + "`; it has " +
                                              known_names(manifest));
    }
    auto at = static_cast<std::size_t>(tensor - manifest.tensors.data());
    if (is_placed[at]) return wrong(*tensor, "it is given twice");
    is_placed[at] = true;
    if (Error error = place(*tensor, each, placed[at])) return error;
  }
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (!is_placed[i]) return wrong(manifest.tensors[i], "it is not given");
  }
  return check_overlaps(manifest, placed);
}

Error encode(const Driver& driver, const Manifest& manifest, const TensorMap& map, const std::vector<Placed>& placed,
             cuda::TensorMap& encoded) {
  const Tensor* tensor = manifest.tensor_named(map.tensor);
  const Placed& where = placed[static_cast<std::size_t>(tensor - manifest.tensors.data())];
  // A map that shows its tensor in the tensor's own dimensions follows the strides given; another, the kernel's.
  bool follows = map.extents == tensor->shape;
  if (!follows && !tensor->shape.empty() && where.strides != tensor->strides) {
    return wrong(*tensor, "the kernel sees it in other dimensions and needs it dense: make it contiguous");
  }
  // CUDA counts dimensions from the innermost, and takes its stride for granted.
  std::size_t rank = map.extents.size();
  std::array<std::uint64_t, 5> extents{}, strides{};
  std::array<std::uint32_t, 5> box{}, steps{};
  for (std::size_t i = 0; i < rank; ++i) {
    std::size_t from = rank - 1 - i;
    extents[i] = static_cast<std::uint64_t>(map.extents[from]);
    box[i] = static_cast<std::uint32_t>(map.box[from]);
    steps[i] = 1;
    if (i == 0) continue;
    std::int64_t bytes = follows ? where.strides[from] * map.element_bytes : map.strides[from];
    strides[i - 1] = static_cast<std::uint64_t>(bytes);
  }
  cuda::Result result = driver.encode_tiled(
      &encoded, type_of(map), static_cast<std::uint32_t>(rank), reinterpret_cast<void*>(where.address), extents.data(),
      strides.data(), box.data(), steps.data(), 0, swizzle_of(map.swizzle), cuda::Promotion::bytes256, 0);
  return check(driver, result, "cuTensorMapEncodeTiled of `" + map.name + "`");
}

}  // namespace warpcc::runtime
