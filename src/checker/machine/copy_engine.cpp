#include "checker/machine/copy_engine.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "checker/machine/numbers.h"

namespace warpcc::machine {

std::int64_t TensorMap::box_rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 1; i < box.size(); ++i) rows *= box[i];
  return rows;
}

void check_map(const TensorMap& map, Faults& faults) {
  // CUDA driver API, cuTensorMapEncodeTiled.
  for (std::int64_t extent : map.box) {
    if (extent < 1 || extent > 256) {
      faults.protocol(
          fmt::format("tensor map of {}: a box has 1 to 256 elements a dimension, not {}", map.name, extent));
    }
  }
  if (map.row_bytes() % 16 != 0) {
    faults.protocol(
        fmt::format("tensor map of {}: a row of the box is {} bytes, no multiple of 16", map.name, map.row_bytes()));
  }
  if (map.swizzle.bits > 0 && map.row_bytes() > map.swizzle.span()) {
    faults.protocol(fmt::format("tensor map of {}: a row of the box is {} bytes, more than the {} of its swizzle",
                                map.name, map.row_bytes(), map.swizzle.span()));
  }
  std::int64_t stride = map.element_bytes;
  for (std::size_t i = 0; i + 1 < map.extents.size(); ++i) {
    stride *= map.extents[i];
    if (stride % 16 != 0)
      faults.protocol(fmt::format("tensor map of {}: a stride of {} bytes is no multiple of 16", map.name, stride));
  }
}

bool check_access(const TensorMap& map, const Coordinates& start, std::uint32_t shared_start,
                  const SharedMemory& shared, bool store, Faults& faults) {
  if (start[0] * map.element_bytes % 16 != 0) {
    faults.protocol(
        fmt::format("box of {}: its first coordinate, {}, is no multiple of 16 bytes; the copy engine kills the kernel",
                    map.name, start[0]));
  }
  for (int i = 0; store && i < map.rank(); ++i) {
    if (start[static_cast<std::size_t>(i)] < 0) {
      faults.protocol(fmt::format("box of {}: a store starts at coordinate {}; the copy engine kills the kernel",
                                  map.name, start[static_cast<std::size_t>(i)]));
    }
  }
  if (shared_start % 128 != 0) {
    faults.memory(fmt::format("box of {}: its shared address {:#x} is no multiple of 128", map.name, shared_start));
    return false;
  }
  if (!shared.inside(shared_start, map.shared_bytes())) {
    faults.memory(fmt::format("box of {}: its {} bytes at {:#x} leave shared memory, which is {:#x} .. {:#x}", map.name,
                              map.shared_bytes(), shared_start, shared.begin(), shared.end()));
    return false;
  }
  return true;
}

namespace {

// One row of a box: where its first element lies in the tensor, and which of its elements do, [first, end).
struct Row {
  std::int64_t element = 0;
  std::int64_t first = 0, end = 0;
};

Row row_of(const TensorMap& map, const Coordinates& start, std::int64_t row) {
  Row result;
  std::int64_t stride = map.extents[0];
  for (std::size_t i = 1; i < map.extents.size(); ++i) {
    std::int64_t at = start[i] + row % map.box[i];
    row /= map.box[i];
    if (at < 0 || at >= map.extents[i]) return result;
    result.element += at * stride;
    stride *= map.extents[i];
  }
  result.element += start[0];
  result.first = std::max<std::int64_t>(0, -start[0]);
  result.end = std::min(map.box[0], map.extents[0] - start[0]);
  return result;
}

}  // namespace

void for_each_span(const TensorMap& map, const Coordinates& start,
                   llvm::function_ref<void(std::int64_t, std::int64_t)> function) {
  for (std::int64_t r = 0; r < map.box_rows(); ++r) {
    Row row = row_of(map, start, r);
    if (row.first < row.end) function(row.element + row.first, row.end - row.first);
  }
}

void load_box(const TensorMap& map, const GlobalBuffer& global, const Coordinates& start, std::uint32_t shared_start,
              SharedMemory& shared) {
  std::int64_t rows = map.box_rows(), row_bytes = map.row_bytes(), bytes = map.element_bytes, per_unit = 16 / bytes;
  for (std::int64_t r = 0; r < rows; ++r) {
    Row row = row_of(map, start, r);
    for (std::int64_t at = 0; at < map.box[0]; at += per_unit) {
      std::uint8_t* to = shared.bytes(map.place(shared_start, r * row_bytes + at * bytes), 16).data();
      for (std::int64_t i = at; i < at + per_unit; ++i, to += bytes) {
        std::uint32_t bits = i >= row.first && i < row.end ? global.load(row.element + i) : 0;
        std::memcpy(to, &bits, static_cast<std::size_t>(bytes));
      }
    }
  }
}

void mark_valid(const TensorMap& map, const Coordinates& start, std::uint32_t shared_start, SharedMemory& shared) {
  std::int64_t rows = map.box_rows(), row_bytes = map.row_bytes(), bytes = map.element_bytes, per_unit = 16 / bytes;
  for (std::int64_t r = 0; r < rows; ++r) {
    Row row = row_of(map, start, r);
    std::int64_t end = row.end, rest = r;
    for (std::size_t i = 1; i < map.valid.size(); ++i) {
      std::int64_t at = start[i] + rest % map.box[i];
      rest /= map.box[i];
      if (at >= map.valid[i]) end = row.first;  // nothing in this row
    }
    if (!map.valid.empty()) end = std::min(end, map.valid[0] - start[0]);
    for (std::int64_t at = 0; at < map.box[0]; at += per_unit) {
      std::uint32_t place = map.place(shared_start, r * row_bytes + at * bytes);
      std::uint64_t& invalid = shared.block(place).invalid;
      bool nothing = std::max(at, std::max(row.first, end)) < std::min(at + per_unit, row.end);
      invalid = nothing ? invalid | SharedMemory::unit_bit(place) : invalid & ~SharedMemory::unit_bit(place);
    }
  }
}

std::vector<std::uint32_t> read_box(const TensorMap& map, std::uint32_t shared_start, const SharedMemory& shared) {
  std::vector<std::uint32_t> elements;
  std::int64_t count = map.box_rows() * map.box[0], bytes = map.element_bytes;
  elements.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    elements.push_back(shared.read(map.place(shared_start, i * bytes), static_cast<std::uint32_t>(bytes)));
  return elements;
}

namespace {

std::uint32_t sum_of(std::uint32_t a, std::uint32_t b, layout::Element element) {
  switch (element) {
    case layout::Element::f32:
    case layout::Element::tf32:
      return std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
    case layout::Element::f16:
      return float_to_f16(to_float(a, element) + to_float(b, element));
    case layout::Element::bf16:
      return float_to_bf16(to_float(a, element) + to_float(b, element));
    default:
      return a + b;
  }
}

}  // namespace

void write_box(const TensorMap& map, GlobalBuffer& global, const Coordinates& start,
               const std::vector<std::uint32_t>& elements, bool add, int launch) {
  std::int64_t rows = map.box_rows();
  for (std::int64_t r = 0; r < rows; ++r) {
    Row row = row_of(map, start, r);
    for (std::int64_t i = row.first; i < row.end; ++i) {
      std::uint32_t bits = elements[static_cast<std::size_t>(r * map.box[0] + i)];
      if (add) bits = sum_of(global.load(row.element + i), bits, global.element());
      global.store(row.element + i, bits, launch);
    }
  }
}

}  // namespace warpcc::machine
