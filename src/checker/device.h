// A GPU that exists on the machine alone: its memory, and launches of PTX kernels on it (docs/programs.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/check.h"
#include "checker/machine/place_history.h"
#include "ptx_text/program.h"
#include "support/diagnostics.h"

namespace warpcc::checker {

// Global memory: allocations at addresses that a kernel can hold. Contents start unwritten.
class DeviceMemory {
 public:
  // 512-byte aligned. 0 where `bytes` is more than the whole device has, 16 GiB.
  std::uint64_t allocate(std::int64_t bytes);
  // The host's memory, which kernels reach too: an address for so many bytes, then where they lie. What the host has
  // written there nobody sees, so that all of it counts as written.
  std::uint64_t reserve(std::int64_t bytes);
  void share(std::uint64_t address, std::span<std::uint8_t> host);
  bool free(std::uint64_t address);
  // Whether an address is of the part of the address space that allocations come from.
  static bool owns(std::uint64_t address) { return address >= kBegin && address - kBegin < kSpan; }

  struct Allocation {
    std::uint64_t begin = 0;
    std::span<std::uint8_t> bytes;
    std::vector<std::uint8_t> own;              // these, where they are not the host's
    std::vector<bool> written;                  // a bit for each 4 bytes; none of the host's
    std::size_t unwritten = 0;                  // of them
    std::uint64_t read_in = 0, written_in = 0;  // the last launch that has: its number, from 1 on
    std::string name;                           // what a launch file calls it
    bool constant = false;                      // a variable of the module's in constant memory
    bool discarded = false;                     // some of it: what a write has left is gone (PTX ISA, discard)

    void mark(std::size_t first, std::size_t last) {
      if (unwritten == 0) return;
      for (std::size_t i = first; i <= last; ++i) {
        unwritten -= !written[i];
        written[i] = true;
      }
    }
    void forget(std::size_t first, std::size_t last) {
      if (written.empty()) return;
      discarded = true;
      for (std::size_t i = first; i <= last; ++i) {
        unwritten += written[i];
        written[i] = false;
      }
    }
  };
  // The allocation that holds all of [address, address + bytes); none else.
  Allocation* find(std::uint64_t address, std::int64_t bytes);
  std::span<std::uint8_t> bytes(std::uint64_t address, std::int64_t count);
  void mark_written(std::uint64_t address, std::int64_t count);

  std::uint64_t launches = 0;  // that have reached it, this one too
  // The first launch that may still run while the present one does: of those before it, until it has waited for them
  // (PTX ISA, griddepcontrol.wait), and of those that the one before has not waited for, after that as well.
  std::uint64_t first_open = 1;
  bool waited = false;  // a warp of the present launch has

 private:
  std::map<std::uint64_t, std::unique_ptr<Allocation>> allocations_;
  Allocation* last_ = nullptr;
  // Of 47 bits, where no program of the host has anything by itself.
  static constexpr std::uint64_t kBegin = 0x10'0000'0000, kSpan = 0x100'0000'0000;
  Allocation& add(std::uint64_t address);
  std::uint64_t next_ = kBegin;
  std::int64_t taken_ = 0;
};

// Where a box is asked for, innermost dimension first; of pixels, by how much their bounds are moved.
struct BoxStart {
  std::array<std::int64_t, 5> at{};
  std::array<std::int64_t, 3> offsets{};
  friend bool operator==(const BoxStart&, const BoxStart&) = default;
};

// A tensor map as a kernel's parameter holds it: 128 bytes that only the copy engine reads. The machine's own form of
// what cuTensorMapEncodeTiled is given (CUDA driver API, tensor map objects), innermost dimension first.
struct TensorMapFields {
  std::uint64_t address = 0;
  int element_bytes = 2;
  bool real = true;       // elements that are added are f16 (2 bytes), f32 (4) or f64 (8); else whole numbers
  bool brain = false;     // bf16
  bool has_sign = false;  // whole numbers: of them the least and the greatest
  std::vector<std::int64_t> extents, strides;  // strides in bytes, of all dimensions but the innermost
  std::vector<std::int64_t> box;
  int swizzle_span = 0, swizzle_atom = 16;  // bytes
  bool fill_nan = false;
  bool nibbles = false;  // elements of 4 bits: extents, box and strides are of bytes, coordinates of elements
  // Elements of this many bits, 4 or 6, of which 16 take 16 bytes of shared memory, the first 8 or 12 of them; else 0.
  int spread = 0;
  bool rows_apart = false;  // four rows, each at a coordinate of its own: tile::gather4, tile::scatter4
  // Of the dimensions between channels and images, innermost first: the first place, the last counted from the tensor's
  // own, how far one place is from the next. A box is then of channels and of pixels (PTX ISA, tensors: im2col mode).
  struct Window {
    std::vector<std::int64_t> lower, upper, step;
  };
  std::optional<Window> window;

  std::int64_t rows() const;  // of a box
  // Where row `row` of a box begins, in bytes, but for its innermost coordinate; none: outside the tensor.
  std::optional<std::int64_t> row_offset(const BoxStart& start, std::int64_t row) const;
  std::optional<std::int64_t> pixel_offset(const BoxStart& start, std::int64_t pixel) const;
  // In global memory; of those that are spread, of a multiple of 16.
  std::int64_t bytes_of(std::int64_t elements) const {
    return spread != 0 ? elements / 16 * 2 * spread : elements * element_bytes;
  }
};
std::array<std::uint8_t, 128> encode(const TensorMapFields& map);
std::optional<TensorMapFields> decode_tensor_map(std::span<const std::uint8_t> bytes);

struct PtxLaunch {
  const ptx_text::Module* module = nullptr;
  const ptx_text::Function* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{};  // zeros: what the kernel itself says, else one CTA
  std::int64_t dynamic_shared = 0;
  std::vector<std::vector<std::uint8_t>> params;  // by ordinal
  const Sources* sources = nullptr;               // for places in what is said, where they are at hand
  bool order = true;                              // the order of accesses is judged
  bool dependent = false;                         // may start before the grid before it has ended
  bool cooperative = false;                       // all its CTAs run at the same time
  std::uint64_t workspace = 0;                    // of a cooperative launch: what %envreg1 and %envreg2 say
  machine::PlaceHistory* places = nullptr;        // filled with what is done to global memory
};

class Device {
 public:
  explicit Device(int sms = 148) : sms_(sms) {}
  DeviceMemory& memory() { return memory_; }

  // Where a variable of a module lies; it is made as it is asked for.
  std::uint64_t variable(const ptx_text::Module& module, std::uint32_t index);
  // Where it is to lie instead: an allocation of its size. Before it is asked for.
  void place_variable(const ptx_text::Module& module, std::uint32_t index, std::uint64_t address);

  // Runs a launch to its end; what is wrong with it goes into `outcome`. `diagnostics`: what the machine cannot run.
  // False where it could not run at all.
  bool launch(const PtxLaunch& launch, const Options& options, Outcome& outcome, Diagnostics& diagnostics);

 private:
  std::uint64_t most_at_once(const PtxLaunch& launch) const;
  std::string wrong_with(const PtxLaunch& launch) const;

  int sms_;
  DeviceMemory memory_;
  std::map<std::pair<const ptx_text::Module*, std::uint32_t>, std::uint64_t> variables_;
};

}  // namespace warpcc::checker
