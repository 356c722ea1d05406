// Where buffers and barriers lie: shared memory from sass::Program::kSharedStart on, columns of tensor memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sema/kernel.h"
#include "support/diagnostics.h"

namespace warpcc::codegen {

// What a CTA can have (blackwell.md: 227 KB of shared memory beside the system's 1 KB, 512 columns).
constexpr std::int64_t kSharedLimit = 232448;
constexpr std::int64_t kTensorColumns = 512;

struct Memory {
  struct Buffer {
    std::uint32_t place = 0;                 // shared: offset; tensor: first column
    std::vector<std::int64_t> copy_strides;  // as kernel::Buffer::copies; bytes, or columns
  };
  std::vector<Buffer> buffers;             // by BufferId
  std::vector<std::uint32_t> full, empty;  // by PipeId: offset of the first barrier
  std::uint32_t tensor_word = 0;           // where alloc stores tensor memory's base; 0: there is none
  std::uint32_t shared_end = 0;
  int allocated_columns = 0;  // 0: no tensor memory

  const Buffer& operator[](kernel::BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
};

// Nothing where it does not fit: reported, with the map of what takes how much.
std::optional<Memory> place_memory(const kernel::Kernel& kernel, Diagnostics& diagnostics);

}  // namespace warpcc::codegen
