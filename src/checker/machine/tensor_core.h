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

// An MMA as its instruction gives it.
struct Mma {
  std::uint64_t a = 0, b = 0;     // operand descriptors
  std::uint32_t d = 0;            // tensor-memory address
  std::uint32_t instruction = 0;  // instruction descriptor
  bool accumulate = false;
  bool pair = false;
  layout::InstructionDescriptor::Kind kind =
      layout::InstructionDescriptor::Kind::f16;  // f16 stands for tf32 too: the bits tell
};

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

// D of a shape: all its runs, those that begin a quarter of the lanes (a cell's state is a quarter's), and its last
// lane.
struct AccumulatorImage {
  std::vector<AccumulatorRun> runs, quarters;
  int last_lane = 0;
};

std::optional<layout::InstructionDescriptor> decode_instruction(std::uint32_t bits,
                                                                layout::InstructionDescriptor::Kind kind);

class TensorCore {
 public:
  // What an MMA needs to run, decoded and checked; none where its bits are no MMA.
  struct Ready {
    Mma mma;
    layout::InstructionDescriptor instruction;
    const OperandImage* a = nullptr;
    const OperandImage* b = nullptr;
    const AccumulatorImage* d = nullptr;
  };
  // `sides`: the CTA, or the pair's even and odd. Checks that operands have been written and have landed, that D is
  // allocated, and that what is added to has been written since it was read; then counts the MMA among those under way.
  std::optional<Ready> issue(const Mma& mma, const std::vector<TensorCoreSide>& sides, Faults& faults);
  // Its reads and writes, at some time after its issue; numbers where tensor memory holds them.
  void run(const Ready& ready, const std::vector<TensorCoreSide>& sides);

 private:
  static constexpr std::size_t kDecoded = 128;

  std::optional<Ready> decode(const Mma& mma, const std::vector<TensorCoreSide>& sides, Faults& faults);
  const AccumulatorImage* accumulator(int m, int n, bool pair);
  void multiply(const Ready& ready, const std::vector<TensorCoreSide>& sides);

  OperandImages images_{layout::TensorCore::tcgen05};
  std::unordered_map<std::uint64_t, AccumulatorImage> accumulators_;
  std::array<Ready, kDecoded> decoded_;  // those that came last, by hash
  std::vector<float> a_, b_;             // operands gathered, kept from MMA to MMA
};

}  // namespace warpcc::machine
