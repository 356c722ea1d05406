// The instructions' own layouts and their encodings, each read off a layout and each with its decider: the image that
// the encoded bits describe, rebuilt and compared at every coordinate. What an encoding cannot express is refused with
// the first coordinate.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/element.h"
#include "layout/layout.h"

namespace warpcc::layout {

// A part of a tile that an instruction reads: the tile's layout, where the part starts, and its extents. [rows, k] for
// operands.
struct Part {
  Physical layout;
  Element element;
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> extents;
};

enum class Major : std::uint8_t { k, mn };

// The fields of a tcgen05 shared-memory operand descriptor (PTX ISA, tcgen05: shared memory descriptor; blackwell.md
// 6). Addresses and offsets in bytes.
struct OperandDescriptor {
  std::uint32_t start = 0;
  std::uint32_t leading = 0;
  std::uint32_t stride = 0;
  int base_offset = 0;
  int swizzle_span = 0;    // 0, 32, 64, 128
  Major major = Major::k;  // not in the bits: the instruction descriptor says it

  std::uint64_t encode() const;
  static std::optional<OperandDescriptor> decode(std::uint64_t bits);  // none where the bits are no valid descriptor
  // The shared byte address of element (row, k), swizzle applied on absolute addresses.
  std::uint32_t address(std::int64_t row, std::int64_t k, int element_bits) const;
};

// A refusal: why, and where the image first differs.
struct Misfit {
  std::string reason;
  std::vector<std::int64_t> coordinate;
};

// The descriptor of `part` when its tile starts at shared address `base` (a multiple of the swizzle's pattern). `mma_k`
// is the k extent that one instruction reads. Decided at every coordinate.
struct OperandResult {
  std::optional<OperandDescriptor> descriptor;
  Misfit misfit;
};
OperandResult operand_descriptor(const Part& part, std::uint32_t base);

// The 32-bit instruction descriptor of tcgen05.mma for kinds f16, tf32, f8f6f4, i8 (blackwell.md 5).
struct InstructionDescriptor {
  Element a = Element::f16, b = Element::f16, d = Element::f32;
  Major a_major = Major::k, b_major = Major::k;
  bool negate_a = false, negate_b = false;
  int m = 128, n = 128;

  std::uint32_t encode() const;
  // f16 and f8f6f4 share codes: the kind tells them apart.
  enum class Kind : std::uint8_t { f16, tf32, f8f6f4, i8 };
  static std::optional<InstructionDescriptor> decode(std::uint32_t bits, Kind kind);
};

// Where D of a tcgen05.mma lies in tensor memory, of one CTA: (row of this CTA's share, column of N) -> lane × 0x10000
// + column (blackwell.md 7). M is the MMA's whole M; with a pair each CTA has half of its rows.
Map accumulator(int m, int n, bool pair);
// Rows of the MMA's M that CTA `v` of the pair holds begin here.
inline int accumulator_first_row(int m, bool pair, int v) {
  return pair ? v * m / 2 : 0;
}

// Whether `part` of a tensor-memory buffer is the accumulator of an MMA of this shape, decided at every coordinate; the
// misfit else.
std::optional<Misfit> accumulator_misfit(const Part& part, int m, int n, bool pair);

// tcgen05.ld/st fragments: thread, value -> (lane, column) of the 32-bit cell, relative to the warp's first lane and
// the address.
enum class TensorLoad : std::uint8_t { x32x32b, x16x64b, x16x128b, x16x256b };
std::pair<int, int> tensor_load_cell(TensorLoad shape, int thread, int value);
int tensor_load_registers(TensorLoad shape, int repeat);

// A tensor map's box for a tile in shared memory, row-major with the last coordinate innermost: what
// cuTensorMapEncodeTiled is given.
struct Box {
  std::vector<std::int64_t> extents;  // as the tile's coordinates, rows … columns
  int swizzle_span = 0;
};
struct BoxResult {
  std::optional<Box> box;
  Misfit misfit;
};
// The box that fills `part` as it lies in shared memory, decided at every coordinate.
BoxResult tensor_map_box(const Part& part);

}  // namespace warpcc::layout
