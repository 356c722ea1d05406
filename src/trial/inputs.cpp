#include "trial/inputs.h"

#include <array>
#include <bit>
#include <cstring>

#include "checker/machine/input.h"
#include "trial/parallel.h"

namespace warpcc::trial {
namespace {

constexpr int kLeast = -3, kCount = 7;

// The bits of -3 … 3 in each type (IEEE 754 binary16 and binary32; bfloat16 is the upper half of binary32, E5M2 that of
// binary16; E4M3: OCP 8-bit floating point).
std::uint64_t bits_of(int value, warpcc_element element) {
  auto binary32 = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  constexpr std::uint16_t kHalves[kCount] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
  constexpr std::uint8_t kEighths[kCount] = {0xc4, 0xc0, 0xb8, 0, 0x38, 0x40, 0x44};
  switch (element) {
    case WARPCC_F16:
      return kHalves[value - kLeast];
    case WARPCC_F8E5M2:
      return kHalves[value - kLeast] >> 8;
    case WARPCC_F8E4M3:
      return kEighths[value - kLeast];
    case WARPCC_BF16:
      return binary32 >> 16;
    case WARPCC_F32:
    case WARPCC_TF32:
      return binary32;
    default:
      return static_cast<std::uint64_t>(std::int64_t{value});
  }
}

template <typename Word>
void fill(std::vector<std::byte>& bytes, warpcc_element element, std::uint32_t number, std::uint64_t seed) {
  std::array<Word, kCount> words;
  for (int i = 0; i < kCount; ++i) words[static_cast<std::size_t>(i)] = static_cast<Word>(bits_of(i + kLeast, element));
  auto count = static_cast<std::int64_t>(bytes.size() / sizeof(Word));
  in_parallel(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      int value = input(number, static_cast<std::uint64_t>(i), seed);
      std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(Word)),
                  &words[static_cast<std::size_t>(value - kLeast)], sizeof(Word));
    }
  });
}

}  // namespace

int input(std::uint32_t number, std::uint64_t index, std::uint64_t seed) {
  // Each seed starts elsewhere in the one sequence that the hash is of.
  return machine::input(number, index + seed * 0xda942042e4dd58b5u);
}

bool can_make(warpcc_element element) {
  return element != WARPCC_ANY;
}

std::uint64_t bytes_of(const runtime::Tensor& tensor) {
  auto bytes = static_cast<std::uint64_t>(tensor.element_bytes);
  for (std::int64_t extent : tensor.shape) bytes *= static_cast<std::uint64_t>(extent);
  return tensor.shape.empty() ? 0 : bytes;
}

std::vector<std::byte> make_input(const runtime::Tensor& tensor, std::uint32_t number, std::uint64_t seed) {
  std::vector<std::byte> bytes(bytes_of(tensor));
  switch (tensor.element_bytes) {
    case 1:
      fill<std::uint8_t>(bytes, tensor.element, number, seed);
      break;
    case 2:
      fill<std::uint16_t>(bytes, tensor.element, number, seed);
      break;
    case 4:
      fill<std::uint32_t>(bytes, tensor.element, number, seed);
      break;
    default:
      fill<std::uint64_t>(bytes, tensor.element, number, seed);
  }
  return bytes;
}

}  // namespace warpcc::trial
