#include "checker/machine/warpgroup_core.h"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "checker/machine/numbers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPCC_WIDE __attribute__((target_clones("arch=haswell", "default")))
#else
#define WARPCC_WIDE
#endif

namespace warpcc::machine {

using layout::Element;
using layout::Major;

namespace {

constexpr int kWarpRows = 16, kLanes = 32, kMostColumns = 256;

// c[n] += the sum over k of a[k] · b[k][n].
WARPCC_WIDE void add_products(const float* __restrict a, const float* __restrict b, int k, int n, float* __restrict c) {
  for (int i = 0; i < k; ++i) {
    const float* row = b + static_cast<std::ptrdiff_t>(i) * n;
    for (int j = 0; j < n; ++j) c[j] += a[i] * row[j];
  }
}

float element_of(const OperandImage& image, int index, const SharedMemory& shared, Element element) {
  return to_float(
      shared.read(image.addresses[static_cast<std::size_t>(index)], static_cast<std::uint32_t>(image.element_bytes)),
      element);
}

float value_of(const std::uint32_t* registers, int lane, int index, Element d) {
  if (d != Element::f16) return to_float(registers[index * kLanes + lane], d);
  return f16_to_float(static_cast<std::uint16_t>(registers[index / 2 * kLanes + lane] >> 16 * (index % 2)));
}

void set_value(std::uint32_t* registers, int lane, int index, Element d, float value) {
  if (d == Element::s32) {
    registers[index * kLanes + lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  } else if (d != Element::f16) {
    registers[index * kLanes + lane] = std::bit_cast<std::uint32_t>(value);
  } else {
    std::uint32_t& both = registers[index / 2 * kLanes + lane];
    int shift = 16 * (index % 2);
    both = (both & ~(0xffffu << shift)) | static_cast<std::uint32_t>(float_to_f16(value)) << shift;
  }
}

}  // namespace

const OperandImage* WarpgroupCore::image(std::uint64_t bits, int first_row, int rows, Element element, Major major,
                                         const SharedMemory& shared, Faults& faults, const char* operand) {
  std::uint64_t key = bits * 0x9e3779b97f4a7c15u ^
                      (static_cast<std::uint64_t>(first_row) << 32 | static_cast<std::uint64_t>(rows) << 16 |
                       static_cast<std::uint64_t>(element) << 4 | (major == Major::mn));
  auto [entry, fresh] = images_.try_emplace(key);
  OperandImage& image = entry->second;
  if (fresh) {
    auto descriptor = layout::OperandDescriptor::decode(bits, layout::TensorCore::wgmma);
    if (!descriptor) {
      images_.erase(entry);
      faults.protocol(fmt::format("the descriptor of {}, {:#018x}, is none", operand, bits));
      return nullptr;
    }
    descriptor->major = major;
    image.rows = rows;
    image.element_bytes = layout::bytes(element);
    image.k = 32 / image.element_bytes;  // an MMA consumes 32 bytes of k
    image.inside = true;
    std::map<std::uint32_t, std::uint64_t> units;
    for (int row = first_row; row < first_row + rows; ++row) {
      for (int k = 0; k < image.k; ++k) {
        std::uint32_t address = descriptor->address(row, k, layout::bits(element));
        image.inside = image.inside && shared.inside(address, image.element_bytes);
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

std::optional<WarpgroupCore::Ready> WarpgroupCore::issue(const WarpgroupMma& mma, int quarter, SharedMemory& shared,
                                                         Faults& faults) {
  Ready ready;
  ready.mma = mma;
  ready.a = image(mma.a, quarter * kWarpRows, kWarpRows, mma.ab, mma.a_major, shared, faults, "A");
  ready.b = image(mma.b, 0, mma.n, mma.ab, mma.b_major, shared, faults, "B");
  if (!ready.a || !ready.b) return {};
  for (const OperandImage* operand : {ready.a, ready.b}) {
    for (const OperandImage::Units& units : operand->units) {
      const SharedMemory::Block& block = shared.block(units.offset);
      std::uint64_t landing = block.landing.above_zero(), wrong = (block.unwritten | landing) & units.mask;
      if (wrong == 0) continue;
      int first = std::countr_zero(wrong);
      faults.memory(
          fmt::format("reads {} at {:#x}, {}", operand == ready.a ? "A" : "B",
                      units.offset + static_cast<std::uint32_t>(first) * SharedMemory::kUnit,
                      landing >> first & 1 ? "where a load is still under way" : "which nothing has written"));
      return {};
    }
  }
  for (const OperandImage* operand : {ready.a, ready.b}) {
    for (const OperandImage::Units& units : operand->units) shared.block(units.offset).reading.add(units.mask);
  }
  return ready;
}

void WarpgroupCore::finish(const Ready& ready, SharedMemory& shared) {
  for (const OperandImage* operand : {ready.a, ready.b}) {
    for (const OperandImage::Units& units : operand->units) shared.block(units.offset).reading.remove(units.mask);
  }
}

void WarpgroupCore::multiply(const Ready& ready, const SharedMemory& shared, std::uint32_t* registers) {
  const WarpgroupMma& mma = ready.mma;
  int k = ready.a->k, n = mma.n;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {
    for (int i = 0; i < k; ++i)
      b_[static_cast<std::size_t>(i * n + column)] = element_of(*ready.b, column * k + i, shared, mma.ab);
  }
  float d[kWarpRows][kMostColumns], a[32];
  const int values = n / 2;  // of a lane
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int index = 0; index < values; ++index) {
      FragmentPlace at = fragment_place(lane, index);
      d[at.row][at.column] = mma.accumulate ? value_of(registers, lane, index, mma.d) : 0;
    }
  }
  for (int row = 0; row < kWarpRows; ++row) {
    for (int i = 0; i < k; ++i) a[i] = element_of(*ready.a, row * k + i, shared, mma.ab);
    add_products(a, b_.data(), k, n, d[row]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int index = 0; index < values; ++index) {
      FragmentPlace at = fragment_place(lane, index);
      set_value(registers, lane, index, mma.d, d[at.row][at.column]);
    }
  }
}

}  // namespace warpcc::machine
