#include "checker/machine/operand_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "checker/machine/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPCC_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define WARPCC_WIDE
#endif

namespace warpcc::machine {

using layout::Major;

std::string OperandImage::unreadable(const SharedMemory& shared) const {
  for (const Units& some : units) {
    const SharedMemory::Block& block = shared.block(some.offset);
    std::uint64_t landing = block.landing.above_zero(), wrong = (block.unwritten | landing) & some.mask;
    if (wrong == 0) continue;
    int first = std::countr_zero(wrong);
    return fmt::format("at {:#x}, {}", some.offset + static_cast<std::uint32_t>(first) * SharedMemory::kUnit,
                       landing >> first & 1 ? "where a load is still under way" : "which nothing has written");
  }
  return "";
}

void OperandImage::add_reader(SharedMemory& shared) const {
  for (const Units& some : units) shared.block(some.offset).reading.add(some.mask);
}

void OperandImage::remove_reader(SharedMemory& shared) const {
  for (const Units& some : units) shared.block(some.offset).reading.remove(some.mask);
}

float OperandImage::value(int index, const SharedMemory& shared) const {
  if (element_bytes == 0) {
    const int width = layout::bits(element), shift = shifts[static_cast<std::size_t>(index)];
    std::uint32_t bytes = shared.read(addresses[static_cast<std::size_t>(index)], shift + width > 8 ? 2u : 1u);
    return to_float(bytes >> shift & ((1u << width) - 1), element);
  }
  return to_float(shared.read(addresses[static_cast<std::size_t>(index)], static_cast<std::uint32_t>(element_bytes)),
                  element);
}

const OperandImage* OperandImages::find(std::uint64_t bits, int first_row, int rows, layout::Element element,
                                        Major major, const SharedMemory& shared, Faults& faults, const char* operand,
                                        bool packed, bool twice) {
  std::uint64_t key = bits * 0x9e3779b97f4a7c15u ^
                      (static_cast<std::uint64_t>(twice) << 49 | static_cast<std::uint64_t>(packed) << 48 |
                       static_cast<std::uint64_t>(first_row) << 32 | static_cast<std::uint64_t>(rows) << 16 |
                       static_cast<std::uint64_t>(element) << 4 | (major == Major::mn));
  auto [entry, fresh] = images_.try_emplace(key);
  OperandImage& image = entry->second;
  if (fresh) {
    auto descriptor = layout::OperandDescriptor::decode(bits, core_);
    if (!descriptor) {
      images_.erase(entry);
      faults.protocol(fmt::format("the descriptor of {}, {:#018x}, is none", operand, bits));
      return nullptr;
    }
    descriptor->major = major;
    image.rows = rows;
    image.element = element;
    image.element_bytes = layout::bytes(element);
    const int width = layout::bits(element);
    image.k = packed ? 64 : 32 / std::max(1, image.element_bytes);  // an MMA consumes 32 bytes of k
    if (twice) image.k *= 2;
    image.inside = true;
    std::map<std::uint32_t, std::uint64_t> units;
    for (int row = first_row; row < first_row + rows; ++row) {
      for (int k = 0; k < image.k; ++k) {
        std::uint32_t address = 0;
        if (width < 8) {
          int bit = packed ? k * width : k % 16 * width, first = packed ? 0 : k / 16 * 16;
          address = descriptor->address(row, first + bit / 8, 8);
          image.shifts.push_back(static_cast<std::uint8_t>(bit % 8));
        } else {
          address = descriptor->address(row, k, width);
        }
        image.inside = image.inside && shared.inside(address, std::max(1, image.element_bytes));
        image.addresses.push_back(address);
        units[address / SharedMemory::kBlock * SharedMemory::kBlock] |= SharedMemory::unit_bit(address);
      }
    }
    for (auto [offset, mask] : units) image.units.push_back({offset, mask});
  }
  if (!image.inside) {
    faults.memory(
        fmt::format("the descriptor of {}, {:#018x}, reaches outside the kernel's shared memory", operand, bits));
    return nullptr;
  }
  return &image;
}

WARPCC_WIDE void multiply_row(const float* __restrict a, const float* __restrict bt, int k, int n,
                              float* __restrict c) {
  constexpr int kBlock = 64;
  for (int first = 0; first < n; first += kBlock) {
    int width = std::min(kBlock, n - first);
    float sum[kBlock];
    for (int j = 0; j < width; ++j) sum[j] = c[first + j];
    if (width == kBlock) {
      for (int i = 0; i < k; ++i) {
        const float* row = bt + static_cast<std::ptrdiff_t>(i) * n + first;
        float x = a[i];
        for (int j = 0; j < kBlock; ++j) sum[j] += x * row[j];
      }
    } else {
      for (int i = 0; i < k; ++i) {
        for (int j = 0; j < width; ++j) sum[j] += a[i] * bt[static_cast<std::ptrdiff_t>(i) * n + first + j];
      }
    }
    for (int j = 0; j < width; ++j) c[first + j] = sum[j];
  }
}

}  // namespace warpcc::machine
