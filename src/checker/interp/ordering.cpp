#include "checker/interp/ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "checker/machine/tensor_memory.h"

namespace warpcc::checker {
namespace {

// Tensor memory's places: 16 lanes of a column, what no access divides.
constexpr std::uint32_t kTensorPlaces = machine::TensorMemory::kLanes / 16 * machine::TensorMemory::kColumns;

std::vector<bool> written_buffers(const sass::Program& program, const Code& code) {
  std::vector<bool> written(program.buffers.size(), false);
  bool anywhere = false;
  for (const Instruction& instruction : code.instructions) {
    switch (instruction.action) {
      case Action::copy_out:
      case Action::copy_add: {
        int buffer = code.maps[static_cast<std::size_t>(instruction.arguments[1].number)].buffer;
        if (buffer >= 0) written[static_cast<std::size_t>(buffer)] = true;
        break;
      }
      case Action::store_global:
      case Action::add_global: {
        bool known = false;
        for (std::uint32_t at = instruction.held; at < instruction.held_end; ++at) {
          for (const ViewCode& view : code.held[at].views) {
            if (view.view->buffer == sass::BufferId::none) continue;
            written[static_cast<std::size_t>(view.view->buffer)] = known = true;
          }
        }
        anywhere = anywhere || !known;
        break;
      }
      default:
        break;
    }
  }
  if (anywhere) written.assign(written.size(), true);
  return written;
}

Grid grid_of(const sass::Buffer& buffer, const machine::TensorMap* map) {
  Grid grid;
  grid.unit.fill(1);
  grid.extent.fill(1);
  const layout::Map& layout = buffer.layout.map();
  grid.linear = layout.rank() > order::Box::kRank;
  for (int i = 0; i < layout.rank() && !grid.linear; ++i) {
    const layout::Coordinate& modes = layout.coordinates()[static_cast<std::size_t>(i)];
    auto at = static_cast<std::size_t>(i);
    grid.linear = modes.size() > 1 || layout.extent(i) > INT32_MAX ||
                  (modes.size() == 1 && modes[0].stride <= 0 && modes[0].extent > 1);
    grid.extent[at] = layout.extent(i);
    grid.stride[at] = modes.size() == 1 ? modes[0].stride : 0;
  }
  grid.rank = layout.rank();
  if (grid.linear) {
    grid.rank = 1;
    grid.extent.fill(1);
    grid.extent[0] = std::min<std::int64_t>(layout.span(), INT32_MAX);
    grid.stride[0] = 1;
    grid.unit[0] = 32;
  } else if (map && map->rank() == grid.rank) {
    for (int i = 0; i < grid.rank; ++i)
      grid.unit[static_cast<std::size_t>(i)] =
          static_cast<std::int32_t>(map->box[static_cast<std::size_t>(grid.rank - 1 - i)]);
  } else if (grid.rank > 0) {
    grid.unit[static_cast<std::size_t>(grid.rank - 1)] = 32;
  }
  return grid;
}

}  // namespace

order::Box Grid::box_of(std::int64_t element, std::int64_t count) const {
  order::Box box;
  box.to.fill(1);
  for (int i = 0; i < rank; ++i) {
    auto at = static_cast<std::size_t>(i);
    std::int64_t index = stride[at] > 0 ? element / stride[at] % extent[at] : 0;
    box.from[at] = static_cast<std::int32_t>(index);
    box.to[at] = static_cast<std::int32_t>(index + (stride[at] == 1 ? count : 1));
  }
  return box;
}

Ordering::Ordering(const sass::Program& program, const Code& code)
    : shared(sass::Program::kSharedStart + program.dynamic_shared),
      tensor(kTensorPlaces),
      program_(program),
      written_(written_buffers(program, code)) {
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const machine::TensorMap* map = nullptr;
    for (const machine::TensorMap& each : code.maps) {
      if (each.buffer == static_cast<int>(i)) map = &each;
    }
    grids.push_back(program.buffers[i].space == sass::MemorySpace::global ? grid_of(program.buffers[i], map) : Grid{});
  }
  for (std::size_t i = 0; i < written_.size(); ++i)
    written_[i] = written_[i] && program.buffers[i].space == sass::MemorySpace::global;
}

GlobalOrder Ordering::fresh_global() const {
  GlobalOrder result(program_.buffers.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (written_[i]) result[i].emplace(grids[i].unit);
  }
  return result;
}

namespace {

// Which copy of a buffer an offset lies in, and where in it; slowest first.
std::string copies_text(const std::vector<sass::Copies>& copies, std::int64_t offset, std::int64_t& rest) {
  std::string text;
  for (const sass::Copies& each : copies) {
    std::int64_t copy = each.stride > 0 ? std::min(offset / each.stride, each.count - 1) : 0;
    text += fmt::format("[{}]", copy);
    offset -= copy * each.stride;
  }
  rest = offset;
  return text;
}

std::int64_t span_of(const sass::Buffer& buffer, std::int64_t whole) {
  for (const sass::Copies& each : buffer.copies) whole += (each.count - 1) * each.stride;
  return whole;
}

}  // namespace

std::string Ordering::shared_name(std::uint32_t offset, std::uint32_t bytes) const {
  for (const sass::MBarrier& barrier : program_.mbarriers) {
    if (offset < barrier.offset || offset >= barrier.offset + 8 * static_cast<std::uint32_t>(barrier.count)) continue;
    return fmt::format("{}[{}]", barrier.name, (offset - barrier.offset) / 8);
  }
  for (const sass::Word& word : program_.words) {
    if (offset >= word.offset && offset < word.offset + 4) return word.name;
  }
  for (const sass::Buffer& buffer : program_.buffers) {
    if (buffer.space != sass::MemorySpace::shared) continue;
    std::int64_t size = buffer.layout.map().size() * layout::bits(buffer.element) / 8;
    std::int64_t at = static_cast<std::int64_t>(offset) - buffer.place, rest = 0;
    if (at < 0 || at >= span_of(buffer, size)) continue;
    std::string text = buffer.name + copies_text(buffer.copies, at, rest);
    if (rest != 0 || bytes < size) text = "part of " + text;
    return text;
  }
  return "shared memory that no buffer declares";
}

std::string Ordering::shared_element(std::uint32_t offset) const {
  constexpr std::int64_t kMostElements = 1 << 20;  // more than shared memory has
  std::string whole = shared_name(offset, 1);
  for (const sass::Buffer& buffer : program_.buffers) {
    if (buffer.space != sass::MemorySpace::shared) continue;
    const layout::Map& map = buffer.layout.map();
    std::int64_t at = static_cast<std::int64_t>(offset) - buffer.place, rest = 0;
    int bits = layout::bits(buffer.element);
    if (at < 0 || at >= span_of(buffer, map.size() * bits / 8)) continue;
    std::string text = buffer.name + copies_text(buffer.copies, at, rest);
    if (map.size() > kMostElements) return text;
    llvm::SmallVector<std::int64_t, 4> index(static_cast<std::size_t>(map.rank()), 0);
    for (std::int64_t i = 0; i < map.size(); ++i) {
      std::int64_t byte = buffer.layout.byte(index, bits);
      if (rest >= byte && rest < byte + std::max(1, bits / 8)) {
        std::string coordinates;
        for (std::int64_t each : index) coordinates += fmt::format("{}{}", coordinates.empty() ? "" : ", ", each);
        return fmt::format("{}[{}]", text, coordinates);
      }
      for (int d = map.rank() - 1; d >= 0 && ++index[static_cast<std::size_t>(d)] == map.extent(d); --d)
        index[static_cast<std::size_t>(d)] = 0;
    }
    return text;
  }
  bool declared = whole.rfind("shared memory", 0) != 0;
  return declared ? whole : "";
}

std::string Ordering::tensor_name(std::int64_t column, std::int64_t columns) const {
  for (const sass::Buffer& buffer : program_.buffers) {
    if (buffer.space != sass::MemorySpace::tensor) continue;
    std::int64_t size = (buffer.layout.map().span() - 1) % 0x10000 + 1;
    std::int64_t at = column - buffer.place, rest = 0;
    if (at < 0 || at >= span_of(buffer, size)) continue;
    std::string text = buffer.name + copies_text(buffer.copies, at, rest);
    return columns < size ? fmt::format("columns {} .. {} of {}", rest, rest + columns, text) : text;
  }
  return fmt::format("columns {} .. {} of tensor memory", column, column + columns);
}

std::string Ordering::global_name(std::size_t buffer, const order::Box& box) const {
  const Grid& grid = grids[buffer];
  std::string text = program_.buffers[buffer].name;
  if (grid.linear) return fmt::format("{}, elements {} .. {}", text, box.from[0], box.to[0]);
  text += "[";
  for (int i = 0; i < grid.rank; ++i) {
    auto at = static_cast<std::size_t>(i);
    text += i == 0 ? "" : ", ";
    text += box.to[at] - box.from[at] == 1 ? fmt::format("{}", box.from[at])
                                           : fmt::format("{} +: {}", box.from[at], box.to[at] - box.from[at]);
  }
  return text + "]";
}

}  // namespace warpcc::checker
