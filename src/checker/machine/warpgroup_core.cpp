#include "checker/machine/warpgroup_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/machine/numbers.h"
#include "checker/machine/sparsity.h"

namespace warpcc::machine {

using layout::Element;

namespace {

constexpr int kWarpRows = 16, kLanes = 32, kMostColumns = 256, kMostK = 64;

float value_of(const std::uint32_t* registers, int lane, int index, Element d) {
  if (d != Element::f16) return to_float(registers[index * kLanes + lane], d);
  return f16_to_float(static_cast<std::uint16_t>(registers[index / 2 * kLanes + lane] >> 16 * (index % 2)));
}

void set_value(std::uint32_t* registers, int lane, int index, Element d, float value) {
  if (d == Element::s32) {
    // A whole sum of one instruction is exact as a float; what was there is added as a whole number.
    registers[index * kLanes + lane] += static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  } else if (d != Element::f16) {
    registers[index * kLanes + lane] = std::bit_cast<std::uint32_t>(value);
  } else {
    std::uint32_t& both = registers[index / 2 * kLanes + lane];
    int shift = 16 * (index % 2);
    both = (both & ~(0xffffu << shift)) | static_cast<std::uint32_t>(float_to_f16(value)) << shift;
  }
}

}  // namespace

std::optional<WarpgroupCore::Ready> WarpgroupCore::issue(const WarpgroupMma& mma, int quarter, SharedMemory& shared,
                                                         Faults& faults, std::optional<Ready>* refused) {
  Ready ready;
  ready.mma = mma;
  if (!mma.a_in_registers) {
    ready.a = images_.find(mma.a, quarter * kWarpRows, kWarpRows, mma.ab, mma.a_major, shared, faults, "A");
    if (!ready.a) return {};
  }
  ready.b = images_.find(mma.b, 0, mma.n, mma.b_element(), mma.b_major, shared, faults, "B", false, mma.sparse);
  if (!ready.b) return {};
  for (const OperandImage* operand : {ready.a, ready.b}) {
    if (operand == nullptr) continue;
    std::string why = operand->unreadable(shared);
    if (why.empty()) continue;
    faults.memory(fmt::format("reads {} {}", operand == ready.a ? "A" : "B", why));
    if (refused != nullptr) *refused = ready;
    return {};
  }
  for (const OperandImage* operand : {ready.a, ready.b}) {
    if (operand != nullptr) operand->add_reader(shared);
  }
  return ready;
}

void WarpgroupCore::finish(const Ready& ready, SharedMemory& shared) {
  for (const OperandImage* operand : {ready.a, ready.b}) {
    if (operand != nullptr) operand->remove_reader(shared);
  }
}

void WarpgroupCore::multiply(const Ready& ready, const SharedMemory& shared, std::uint32_t* registers,
                             const std::uint32_t* a_registers, const std::uint64_t* chunks) {
  const WarpgroupMma& mma = ready.mma;
  const int k = ready.b->k, n = mma.n;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {
    for (int i = 0; i < k; ++i) {
      float value = ready.b->value(column * k + i, shared);
      b_[static_cast<std::size_t>(i * n + column)] = mma.negate_b ? -value : value;
    }
  }
  float a[kWarpRows][kMostK];
  const int stored = mma.sparse ? k / 2 : k;  // of a row of A
  if (ready.a != nullptr) {
    for (int row = 0; row < kWarpRows; ++row) {
      for (int i = 0; i < stored; ++i) a[row][i] = ready.a->value(row * stored + i, shared);
    }
  } else {
    const int width = layout::bits(mma.ab), count = 32 / width;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int index = 0; index < 4; ++index) {
        for (int element = 0; element < count; ++element) {
          OperandPlace at = operand_place(lane, index, element, count);
          std::uint32_t word = a_registers[index * kLanes + lane] >> (element * width);
          a[at.row][at.k] = to_float(width == 32 ? word : word & ((1u << width) - 1), mma.ab);
        }
      }
    }
  }
  if (mma.negate_a) {
    for (auto& row : a) {
      for (int i = 0; i < stored; ++i) row[i] = -row[i];
    }
  }
  for (int row = 0; mma.sparse && row < kWarpRows; ++row) {
    float whole[kMostK];
    spread_row(a[row], stored, chunks[row], granularity_of(mma.ab), whole);
    std::copy_n(whole, k, a[row]);
  }
  float d[kWarpRows][kMostColumns];
  const int values = n / 2;  // of a lane
  const bool whole = mma.d == Element::s32;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int index = 0; index < values; ++index) {
      FragmentPlace at = fragment_place(lane, index);
      d[at.row][at.column] = mma.accumulate && !whole ? value_of(registers, lane, index, mma.d) : 0;
      if (whole && !mma.accumulate) registers[index * kLanes + lane] = 0;
    }
  }
  for (int row = 0; row < kWarpRows; ++row) multiply_row(a[row], b_.data(), k, n, d[row]);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int index = 0; index < values; ++index) {
      FragmentPlace at = fragment_place(lane, index);
      set_value(registers, lane, index, mma.d, d[at.row][at.column]);
    }
  }
}

}  // namespace warpcc::machine
