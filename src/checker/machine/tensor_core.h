// The tensor core: tcgen05.mma decoded from the bits of its descriptors, over one CTA or a pair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checker/machine/fault.h"
#include "checker/machine/operand_image.h"
#include "checker/machine/shared_memory.h"
#include "checker/machine/tensor_memory.h"
#include "layout/atoms.h"

namespace warpcc::machine {

// Scales of blocks of A's and B's k, in tensor memory (PTX ISA, tcgen05.mma: block scaling).
struct BlockScales {
  layout::BlockScaledDescriptor::Kind kind = layout::BlockScaledDescriptor::Kind::mxf8f6f4;
  int block = 32;              // elements of k that share one
  std::uint32_t a = 0, b = 0;  // tensor-memory addresses
};

// Where in its byte of tensor memory an element of 4 bits of A begins (PTX ISA, tcgen05: packing formats).
inline constexpr int kMiddleShift = 2;

// An MMA as its instruction gives it.
struct Mma {
  std::uint64_t a = 0, b = 0;  // operand descriptors
  bool a_in_tensor = false;    // `a` is a tensor-memory address
  std::optional<BlockScales> scales;
  std::optional<std::uint32_t> metadata;  // of a sparse A: the tensor-memory address of its chunks
  int shrink_d = 0;                       // what D held is multiplied by 2 to the minus this
  std::array<std::uint32_t, 8>
      disabled{};                 // lanes of D that are not written, a bit each; from word 4 on, the odd CTA's
  std::uint32_t d = 0;            // tensor-memory address
  std::uint32_t instruction = 0;  // instruction descriptor
  bool accumulate = false;
  bool pair = false;
  bool stationary = false;  // .ws: D of 32 or 64 rows takes all lanes
  layout::InstructionDescriptor::Kind kind =
      layout::InstructionDescriptor::Kind::f16;  // f16 stands for tf32 too: the bits tell
};

// Where the scale of row `row` of A's share or of column `row` of B lies, relative to its address: lane and column.
// `halves`: of B where each half of N has half of the lanes (D of 128 rows in a pair); the columns of a half.
struct ScalePlace {
  int lane, column;
};
constexpr ScalePlace scale_place(int row, int halves = 0) {
  if (halves == 0) return {row % 32, row / 32};
  return {row % 32 + (row >= halves ? 64 : 0), row % halves / 32};
}

// The part of a CTA that MMAs reach.
struct TensorCoreSide {
  SharedMemory* shared;
  TensorMemory* tensor;
};

// Consecutive elements of a row of D: columns [n, n + count) of the MMA lie in `lane`, from `column` on, relative to
// D's address.
struct AccumulatorRun {
  int row, n, count, lane, column;
};

// D of a shape: all its runs, those that begin a quarter of the lanes (a cell's state is a quarter's), the lane of each
// row (the first, where it has two), and its last lane.
struct AccumulatorImage {
  std::vector<AccumulatorRun> runs, quarters;
  std::vector<int> lanes;
  int last_lane = 0;
};

std::optional<layout::InstructionDescriptor> decode_instruction(std::uint32_t bits,
                                                                layout::InstructionDescriptor::Kind kind,
                                                                bool sparse = false);
// What an MMA reads of the chunks of a sparse A, from `address` on (PTX ISA, tcgen05: sparsity selector).
struct MetadataColumns {
  std::uint32_t first = 0;
  int count = 0;
};
MetadataColumns metadata_columns(std::uint32_t address, const layout::InstructionDescriptor& instruction);

class TensorCore {
 public:
  // What an MMA needs to run, decoded and checked; none where its bits are no MMA.
  struct Ready {
    Mma mma;
    layout::InstructionDescriptor instruction;
    std::optional<layout::BlockScaledDescriptor> scaled;
    int k = 0;
    const OperandImage* a = nullptr;  // none: in tensor memory
    const OperandImage* b = nullptr;
    const AccumulatorImage* d = nullptr;

    // Elements of a row of A that are stored.
    int stored() const { return mma.metadata ? k / 2 : k; }
    // Whether each half of N has half of D's lanes (PTX ISA, tcgen05, layout B).
    bool in_halves() const { return mma.pair && instruction.m == 128 && !mma.metadata; }
  };
  // `sides`: the CTA, or the pair's even and odd. Checks that operands have been written and have landed, that D is
  // allocated, and that what is added to has been written since it was read; then counts the MMA among those under way.
  // `refused`: the MMA whose operands are not there yet, of which it is told all the same what it reaches.
  std::optional<Ready> issue(const Mma& mma, const std::vector<TensorCoreSide>& sides, Faults& faults,
                             std::optional<Ready>* refused = nullptr);
  // A copy from shared to tensor memory, tcgen05.cp: rows of a descriptor's image to lanes, words to columns.
  struct Copy {
    enum class Spread : std::uint8_t { none, warps_02_13, warps_01_23, all_warps };
    std::uint64_t from = 0;  // descriptor
    std::uint32_t to = 0;    // tensor-memory address
    int rows = 128, bytes = 16;
    Spread spread = Spread::none;
    int packed_bits = 0;  // of elements, 4 or 6, which get a byte each on the way; 0: bytes stay as they are
  };
  struct ReadyCopy {
    Copy copy;
    std::vector<std::uint32_t> addresses;  // [row][word]
  };
  std::optional<ReadyCopy> issue(const Copy& copy, const std::vector<TensorCoreSide>& sides, Faults& faults);
  void run(const ReadyCopy& ready, const std::vector<TensorCoreSide>& sides);

  // tcgen05.shift: in each quarter of the lanes from the address on, every row gets the 32 bytes of the next; the last
  // one stays.
  struct Shift {
    std::uint32_t at = 0;
  };
  static constexpr int kShiftColumns = 8;
  std::optional<Shift> issue(const Shift& shift, const std::vector<TensorCoreSide>& sides, Faults& faults);
  void run(const Shift& shift, const std::vector<TensorCoreSide>& sides);

  // Its reads and writes, at some time after its issue; numbers where tensor memory holds them.
  void run(const Ready& ready, const std::vector<TensorCoreSide>& sides);

 private:
  static constexpr std::size_t kDecoded = 128;

  std::optional<Ready> decode(const Mma& mma, const std::vector<TensorCoreSide>& sides, Faults& faults);
  const AccumulatorImage* accumulator(int m, int n, const Mma& mma);
  bool operands_readable(const Ready& ready, const std::vector<TensorCoreSide>& sides, Faults& faults) const;
  bool tensor_readable(const Ready& ready, const TensorCoreSide& side, bool odd, Faults& faults) const;
  void gather_a(const Ready& ready, const TensorCoreSide& side);
  void spread_a(const Ready& ready, const TensorCoreSide& side);
  void gather_b(const Ready& ready, const std::vector<TensorCoreSide>& sides);
  void multiply(const Ready& ready, const std::vector<TensorCoreSide>& sides);

  OperandImages images_{layout::TensorCore::tcgen05};
  std::unordered_map<std::uint64_t, AccumulatorImage> accumulators_;
  std::array<Ready, kDecoded> decoded_;  // those that came last, by hash
  std::vector<float> a_, b_, stored_;    // operands gathered, kept from MMA to MMA
};

}  // namespace warpcc::machine
