#include "checker/machine/warpgroup_core.h"

#include <fmt/format.h>

#include <bit>

#include "checker/machine/numbers.h"

namespace warpcc::machine {

using layout::Element;

namespace {

constexpr int kWarpRows = 16, kLanes = 32, kMostColumns = 256;

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

std::optional<WarpgroupCore::Ready> WarpgroupCore::issue(const WarpgroupMma& mma, int quarter, SharedMemory& shared,
                                                         Faults& faults) {
  Ready ready;
  ready.mma = mma;
  ready.a = images_.find(mma.a, quarter * kWarpRows, kWarpRows, mma.ab, mma.a_major, shared, faults, "A");
  ready.b = images_.find(mma.b, 0, mma.n, mma.ab, mma.b_major, shared, faults, "B");
  if (!ready.a || !ready.b) return {};
  for (const OperandImage* operand : {ready.a, ready.b}) {
    std::string why = operand->unreadable(shared);
    if (why.empty()) continue;
    faults.memory(fmt::format("reads {} {}", operand == ready.a ? "A" : "B", why));
    return {};
  }
  for (const OperandImage* operand : {ready.a, ready.b}) operand->add_reader(shared);
  return ready;
}

void WarpgroupCore::finish(const Ready& ready, SharedMemory& shared) {
  for (const OperandImage* operand : {ready.a, ready.b}) operand->remove_reader(shared);
}

void WarpgroupCore::multiply(const Ready& ready, const SharedMemory& shared, std::uint32_t* registers) {
  const WarpgroupMma& mma = ready.mma;
  int k = ready.a->k, n = mma.n;
  b_.resize(static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {
    for (int i = 0; i < k; ++i) b_[static_cast<std::size_t>(i * n + column)] = ready.b->value(column * k + i, shared);
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
    for (int i = 0; i < k; ++i) a[i] = ready.a->value(row * k + i, shared);
    multiply_row(a, b_.data(), k, n, d[row]);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int index = 0; index < values; ++index) {
      FragmentPlace at = fragment_place(lane, index);
      set_value(registers, lane, index, mma.d, d[at.row][at.column]);
    }
  }
}

}  // namespace warpcc::machine
