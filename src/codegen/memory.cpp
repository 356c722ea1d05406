#include "codegen/memory.h"

#include <algorithm>
#include <bit>
#include <string>

#include "sass/program.h"

namespace warpcc::codegen {

namespace {

constexpr Message<std::int64_t, std::int64_t> kSharedFull{"shared-memory",
                                                          "the kernel takes {} bytes of shared memory; a CTA has {}"};
constexpr Message<std::int64_t, std::int64_t> kTensorFull{"tensor-memory",
                                                          "the kernel takes {} columns of tensor memory; a CTA has {}"};

std::int64_t round_up(std::int64_t number, std::int64_t to) {
  return (number + to - 1) / to * to;
}

// A tile starts where its swizzle's pattern starts, eight rows of its span; the copy engine wants 128 bytes
// (PTX ISA, cp.async.bulk.tensor; tensor maps: swizzle modes).
std::int64_t alignment(const kernel::Buffer& buffer) {
  return std::max<std::int64_t>(128, buffer.layout.swizzle().span() * 8);
}

// Columns between the first and past the last of a tile: the part of its addresses below the lanes.
std::int64_t columns(const kernel::Buffer& buffer) {
  std::int64_t last = buffer.layout.map().offset() % 0x10000;
  for (const layout::Coordinate& coordinate : buffer.layout.map().coordinates()) {
    for (const layout::Mode& mode : coordinate) last += (mode.extent - 1) * (mode.stride % 0x10000);
  }
  return last + 1;
}

// A product that stays where sums of such cannot overflow: far beyond every limit anyway.
std::int64_t times(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 50;
  return a != 0 && b > kLarge / a ? kLarge : a * b;
}

// Gives a buffer its copies' strides, the last copies the fastest; returns what all of it takes.
std::int64_t lay_copies(const kernel::Buffer& buffer, std::int64_t tile, Memory::Buffer& placed) {
  placed.copy_strides.resize(buffer.copies.size());
  for (std::size_t i = buffer.copies.size(); i-- > 0;) {
    placed.copy_strides[i] = tile;
    tile = times(tile, buffer.copies[i].count);
  }
  return tile;
}

std::string as_product(const kernel::Buffer& buffer, std::int64_t tile, std::int64_t total, std::string_view unit) {
  std::string words = "`" + buffer.name + "`: ";
  for (const kernel::Copies& copies : buffer.copies) words += std::to_string(copies.count) + " × ";
  return words + std::to_string(tile) + " = " + std::to_string(total) + " " + std::string(unit);
}

class Placing {
 public:
  Placing(const kernel::Kernel& kernel, Diagnostics& diagnostics) : kernel_(kernel), diagnostics_(diagnostics) {}

  std::optional<Memory> place() {
    memory_.buffers.resize(kernel_.buffers.size());
    place_tensor();
    place_shared();
    if (failed_) return std::nullopt;
    return std::move(memory_);
  }

 private:
  void place_shared() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
      if (kernel_.buffers[i].space == kernel::MemorySpace::shared && !kernel_.buffers[i].empty()) order.push_back(i);
    }
    // The widest patterns first: then nothing is lost between them.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return alignment(kernel_.buffers[a]) > alignment(kernel_.buffers[b]);
    });
    std::int64_t at = sass::Program::kSharedStart;
    std::vector<Note> map;
    for (std::size_t i : order) {
      const kernel::Buffer& buffer = kernel_.buffers[i];
      at = round_up(at, alignment(buffer));
      std::int64_t tile = round_up(buffer.layout.bytes(layout::bits(buffer.element)), alignment(buffer));
      memory_.buffers[i].place = static_cast<std::uint32_t>(at);
      std::int64_t total = lay_copies(buffer, tile, memory_.buffers[i]);
      map.push_back({buffer.declared, as_product(buffer, tile, total, "bytes")});
      at += total;
    }
    at = round_up(at, 8);
    for (const kernel::Pipe& pipe : kernel_.pipes) {
      memory_.full.push_back(static_cast<std::uint32_t>(at));
      memory_.empty.push_back(static_cast<std::uint32_t>(at + 8 * pipe.depth));
      if (pipe.depth == 0) continue;
      map.push_back({pipe.declared, "barriers of `" + pipe.name + "`: 2 × " + std::to_string(pipe.depth) +
                                        " × 8 = " + std::to_string(16 * pipe.depth) + " bytes"});
      at += 16 * pipe.depth;
    }
    if (memory_.allocated_columns > 0) {
      memory_.tensor_word = static_cast<std::uint32_t>(at);
      at += 4;
    }
    memory_.shared_end = static_cast<std::uint32_t>(round_up(at, 16));
    std::int64_t taken = round_up(at, 16) - sass::Program::kSharedStart;
    if (taken > kSharedLimit) refuse(kSharedFull, taken, kSharedLimit, std::move(map));
  }

  void place_tensor() {
    std::int64_t at = 0;
    std::vector<Note> map;
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const kernel::Buffer& buffer = kernel_.buffers[i];
      if (buffer.space != kernel::MemorySpace::tensor || buffer.empty()) continue;
      std::int64_t tile = columns(buffer);
      memory_.buffers[i].place = static_cast<std::uint32_t>(at);
      std::int64_t total = lay_copies(buffer, tile, memory_.buffers[i]);
      map.push_back({buffer.declared, as_product(buffer, tile, total, "columns")});
      at += total;
    }
    if (at > kTensorColumns) refuse(kTensorFull, at, kTensorColumns, std::move(map));
    // A power of two, 32 or more (PTX ISA, tcgen05.alloc).
    else if (at > 0)
      memory_.allocated_columns = std::max(32, static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(at))));
  }

  void refuse(const Message<std::int64_t, std::int64_t>& message, std::int64_t taken, std::int64_t limit,
              std::vector<Note> map) {
    failed_ = true;
    Diagnostic& said = diagnostics_.error(map.front().where, message, taken, limit);
    for (Note& note : map) said.note(note.where, std::move(note.text));
  }

  const kernel::Kernel& kernel_;
  Diagnostics& diagnostics_;
  Memory memory_;
  bool failed_ = false;
};

}  // namespace

std::optional<Memory> place_memory(const kernel::Kernel& kernel, Diagnostics& diagnostics) {
  return Placing(kernel, diagnostics).place();
}

}  // namespace warpcc::codegen
