// The instructions' own layouts and their encodings, each read off a layout and each with its decider: the image that
// the encoded bits describe, rebuilt and compared at every coordinate. What an encoding cannot express is refused with
// the first coordinate that differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// A refusal: why, in words for the user, and the coordinate of the tile where the image first differs (empty where the
// reason is another).
struct Misfit {
  std::string reason;
  std::vector<std::int64_t> coordinate;
};

// ---- operands of the tensor core in shared memory (src/layout/operand.cpp)

enum class Major : std::uint8_t { k, mn };

// Whose bits: Blackwell's tcgen05.mma, or Hopper's wgmma, which has neither the version nor the swizzle in 32-byte
// atoms.
enum class TensorCore : std::uint8_t { tcgen05, wgmma };

// The fields of a shared-memory operand descriptor (PTX ISA, tcgen05: shared memory descriptor; wgmma: matrix
// descriptor). Addresses and offsets in bytes.
struct OperandDescriptor {
  std::uint32_t start = 0;
  std::uint32_t leading = 0;
  std::uint32_t stride = 0;
  int base_offset = 0;
  int swizzle_span = 0;    // 0, 32, 64, 128
  int swizzle_atom = 16;   // the bytes that the swizzle keeps together: 16, or 32 with a span of 128
  Major major = Major::k;  // not in the bits: the instruction descriptor says it

  std::uint64_t encode(TensorCore core = TensorCore::tcgen05) const;
  // None where the bits are no valid descriptor.
  static std::optional<OperandDescriptor> decode(std::uint64_t bits, TensorCore core = TensorCore::tcgen05);

  // The shared byte address of element (row, k), swizzle applied on absolute addresses. Of elements that share a byte,
  // that byte.
  std::uint32_t address(std::int64_t row, std::int64_t k, int element_bits) const;

  friend bool operator==(const OperandDescriptor&, const OperandDescriptor&) = default;
};

// The descriptor of `part` when its tile starts at shared address `base` (a multiple of the swizzle's pattern). The
// part is what one instruction reads, its k extent that of the instruction. Decided at every coordinate.
struct OperandResult {
  std::optional<OperandDescriptor> descriptor;
  Misfit misfit;
};
OperandResult operand_descriptor(const Part& part, std::uint32_t base, TensorCore core = TensorCore::tcgen05);

// The decider: whether a descriptor's bits, read with this major, describe `part` when its tile starts at `base`; the
// first coordinate that differs else. Fields that the mode does not read, or the part's extents do not reach, may be
// any.
std::optional<Misfit> operand_misfit(const Part& part, std::uint32_t base, std::uint64_t bits, Major major,
                                     TensorCore core = TensorCore::tcgen05);

// The tile of [rows, k] elements as operands are laid out: the smallest group of this major and swizzle, repeated over
// the rows first, or over k first. Fails where the group does not divide the tile.
llvm::Expected<Physical> operand_tile(std::int64_t rows, std::int64_t k, Element element, Major major,
                                      Swizzle swizzle = {}, bool k_first = false);

// The layouts that have a descriptor, in words for the user.
std::string_view operand_encodings();

// ---- the instruction descriptor (src/layout/instruction.cpp)

// The 32-bit instruction descriptor of tcgen05.mma for kinds f16, tf32, f8f6f4, i8 (PTX ISA, tcgen05: instruction
// descriptor).
struct InstructionDescriptor {
  // f16 and f8f6f4 share codes: the kind tells them apart.
  enum class Kind : std::uint8_t { f16, tf32, f8f6f4, i8 };

  Element a = Element::f16, b = Element::f16, d = Element::f32;
  Major a_major = Major::k, b_major = Major::k;
  bool negate_a = false, negate_b = false;
  int m = 128, n = 128;
  bool saturate = false;      // kind i8
  bool sparse = false;        // A is 2:4 sparse
  int sparsity_selector = 0;  // 0 .. 3
  int max_shift = 0;          // tcgen05.mma.ws: the code of B's largest shift, 0 .. 3

  std::uint32_t encode() const;
  // None where the bits are no valid descriptor of this kind. M and N may be such that no instruction has them.
  static std::optional<InstructionDescriptor> decode(std::uint32_t bits, Kind kind);

  friend bool operator==(const InstructionDescriptor&, const InstructionDescriptor&) = default;
};

// The instruction descriptor of the block-scaled kinds mxf8f6f4, mxf4 and mxf4nvf4: a scale for each block of k, which
// lies in tensor memory at an address whose top two bits say which byte of it (PTX ISA, tcgen05: instruction
// descriptor).
struct BlockScaledDescriptor {
  enum class Kind : std::uint8_t { mxf8f6f4, mxf4, mxf4nvf4 };
  enum class Scale : std::uint8_t { ue4m3, ue8m0 };

  Kind kind = Kind::mxf8f6f4;
  Element a = Element::f8e4m3, b = Element::f8e4m3;
  Scale scale = Scale::ue8m0;
  Major a_major = Major::k, b_major = Major::k;
  bool negate_a = false, negate_b = false;
  int m = 128, n = 128;
  bool sparse = false;
  int a_scale_byte = 0, b_scale_byte = 0;  // 0 .. 3

  std::uint32_t encode() const;
  static std::optional<BlockScaledDescriptor> decode(std::uint32_t bits, Kind kind);

  friend bool operator==(const BlockScaledDescriptor&, const BlockScaledDescriptor&) = default;
};

// The kind whose instructions multiply these.
std::optional<InstructionDescriptor::Kind> mma_kind(Element a, Element b);
// The k extent of one dense instruction: 32 bytes of A.
int mma_k(InstructionDescriptor::Kind kind);
// What is wrong with M and N of a dense tcgen05.mma of one CTA or of a pair, in words for the user; none where such an
// instruction exists (PTX ISA, tcgen05: matrix shapes).
std::optional<std::string> mma_shape_misfit(InstructionDescriptor::Kind kind, int m, int n, bool pair);

// ---- tensor memory (src/layout/tensor_memory.cpp)

// What a lane adds to a tensor-memory address; a column adds 1.
constexpr std::int64_t kTensorLane = 0x10000;

// Where D of a tcgen05.mma lies in tensor memory, of one CTA: (row of this CTA's share, column of N) -> lane × 0x10000
// + column (PTX ISA, tcgen05: data path layouts A, B, D, F). M is the MMA's whole M; with a pair each CTA has half of
// its rows. Of no coordinates where no MMA has this shape.
Map accumulator(int m, int n, bool pair);
// Rows of the MMA's M that CTA `v` of the pair holds begin here.
inline int accumulator_first_row(int m, bool pair, int v) {
  return pair ? v * m / 2 : 0;
}

// Whether `part` of a tensor-memory buffer is the accumulator of an MMA of this shape, decided at every coordinate; the
// misfit else.
std::optional<Misfit> accumulator_misfit(const Part& part, int m, int n, bool pair);

// tcgen05.ld/st fragments: thread, value -> (lane, column) of the 32-bit cell, relative to the warp's first lane and
// the address. `x16x32bx2` reads its second half `second_half` columns away.
enum class TensorLoad : std::uint8_t { x32x32b, x16x64b, x16x128b, x16x256b, x16x32bx2 };
std::pair<int, int> tensor_load_cell(TensorLoad shape, int thread, int value, int second_half = 0);
// With pack::16b a register holds two 16-bit cells, the lower halves of two neighbouring columns: the cell that lands
// in its lower half (0) or its upper (1).
std::pair<int, int> tensor_load_packed_cell(TensorLoad shape, int thread, int value, int half, int second_half = 0);
int tensor_load_registers(TensorLoad shape, int repeat);
// The lanes that one instruction reads, and its columns.
int tensor_load_lanes(TensorLoad shape);
int tensor_load_columns(TensorLoad shape, int repeat);

// A whole accumulator in the registers of four warps, each with its quarter of the lanes: (thread of 128, value) ->
// element of the (row, column) tile, rows fastest. Values go through one instruction's registers first, then through
// the upper 16 lanes where an instruction reads 16, then through the columns.
struct RegisterTile {
  std::optional<ThreadValue> layout;
  std::string misfit;
};
RegisterTile accumulator_in_registers(int m, int n, bool pair, TensorLoad shape, int repeat);

// ---- the copy engine (src/layout/tensor_map.cpp)

// A tensor map's box for a tile in shared memory, row-major with the last coordinate innermost: what
// cuTensorMapEncodeTiled is given.
struct Box {
  std::vector<std::int64_t> extents;  // as the tile's coordinates, rows … columns
  int swizzle_span = 0;
  int swizzle_atom = 16;  // the bytes that the swizzle keeps together: 16, 32 or 64, the last two with a span of 128
};
struct BoxResult {
  std::optional<Box> box;
  Misfit misfit;
};
// The box that fills `part` as it lies in shared memory, decided at every coordinate. Its tile starts at a multiple of
// 128 bytes and of the swizzle's pattern.
BoxResult tensor_map_box(const Part& part);
// The decider: whether the copy engine, given this box, fills `part` as it lies; else the first coordinate that it puts
// elsewhere, does not bring, or brings though it is not in the part.
std::optional<Misfit> box_misfit(const Part& part, const Box& box);
// The largest box, from the innermost coordinate on, of which equal pieces fill the part.
BoxResult largest_box(const Part& part);

// What cuTensorMapEncodeTiled calls them: CUtensorMapDataType, CUtensorMapSwizzle.
int tensor_map_type(Element element);
int tensor_map_swizzle(const Box& box);

}  // namespace warpcc::layout
