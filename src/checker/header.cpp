#include "checker/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/interp/held.h"
#include "checker/machine/copy_engine.h"

namespace warpcc::checker {
namespace {

// The CTAs that hold an end of a pipe are said on the `.pipe` line, and again by the role that holds it.
std::string pins_contradict(const sass::Section& role, const sass::Pipe& pipe, const std::vector<sass::Pin>& pins,
                            const char* end) {
  for (const sass::Pin& pin : pins) {
    const auto same =
        std::find_if(role.at.begin(), role.at.end(), [&](const sass::Pin& p) { return p.axis == pin.axis; });
    if (same == role.at.end() || same->at == pin.at) continue;
    return fmt::format("the {} of {} are said to stand at {} along an axis, and role {}, which holds it, at {}", end,
                       pipe.name, pin.at, role.name, same->at);
  }
  return {};
}

// Lines of the header that say one thing in two ways.
std::string contradiction(const sass::Program& program) {
  for (const sass::Pipe& pipe : program.pipes) {
    if (pipe.full != sass::MBarrierId::none && program[pipe.full].bytes && !pipe.carries.empty()) {
      std::int64_t bytes = 0;
      for (int rank = 0; rank < program.cluster && bytes == 0; ++rank) bytes = phase_bytes(program, pipe, rank);
      if (bytes != 0 && *program[pipe.full].bytes != bytes)
        return fmt::format("{} is said to count {} bytes a phase, and the tiles of {} have {}", program[pipe.full].name,
                           *program[pipe.full].bytes, pipe.name, bytes);
    }
    for (const sass::Section& section : program.sections) {
      for (const std::string& held : section.holds) {
        std::string why;
        if (held == pipe.name + ".producer") why = pins_contradict(section, pipe, pipe.from, "producers");
        if (held == pipe.name + ".consumer") why = pins_contradict(section, pipe, pipe.to, "consumers");
        if (!why.empty()) return why;
      }
    }
  }
  return {};
}

}  // namespace

std::string unrunnable(const sass::Program& program) {
  constexpr int kMostThreads = 1024, kMostCtas = 16;
  constexpr std::uint32_t kMostShared = 227 * 1024;
  if (program.lines.empty()) return "the program has no code";
  if (program.threads < 32 || program.threads > kMostThreads || program.threads % 32 != 0) {
    return fmt::format("a CTA has {} threads; it takes whole warps, up to {} threads", program.threads, kMostThreads);
  }
  if (const int each = isa::registers_allocated(program.registers.value_or(0));
      program.threads * each > isa::kRegistersOfSm)
    return fmt::format("a CTA of {} threads with {} registers each; an SM has {} at most", program.threads, each,
                       isa::kRegistersOfSm);
  if (program.cluster < 1 || program.cluster > kMostCtas)
    return fmt::format("a cluster has {} CTAs; it takes 1 to {}", program.cluster, kMostCtas);
  std::int64_t along_axes = 1;
  for (const sass::Axis& axis : program.axes) {
    if (axis.extent < 1 || axis.extent > kMostCtas) return fmt::format("axis {} has {} CTAs", axis.name, axis.extent);
    along_axes *= axis.extent;
  }
  if (!program.axes.empty() && along_axes != program.cluster)
    return fmt::format("the axes of the cluster have {} CTAs, the cluster {}", along_axes, program.cluster);
  for (std::size_t i = 0; i < 3; ++i) {  // CUDA C++ Programming Guide, technical specifications
    if (program.grid[i] < 1 || program.grid[i] > (i == 0 ? INT32_MAX : UINT16_MAX))
      return fmt::format("the grid has an extent of {}", program.grid[i]);
  }
  if (program.grid[0] % program.cluster != 0)
    return fmt::format("a grid of {} CTAs is no number of whole clusters of {}", program.grid[0], program.cluster);
  if (program.dynamic_shared > kMostShared)
    return fmt::format("{} bytes of shared memory; a CTA has {} at most", program.dynamic_shared, kMostShared);
  for (const sass::TensorMap& map : program.maps) {
    if (map.extents.empty() || map.extents.size() > machine::kMostDimensions || map.box.size() != map.extents.size()) {
      return fmt::format("the tensor map of {} has {} extents and a box of {}", map.name, map.extents.size(),
                         map.box.size());
    }
    if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 && map.element_bytes != 8) {
      return fmt::format("the tensor map of {} has elements of {} bytes", map.name, map.element_bytes);
    }
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
      return fmt::format("the tensor map of {} has a swizzle of {} bytes", map.name, map.swizzle);
    const auto* buffer = std::find_if(program.buffers.data(), program.buffers.data() + program.buffers.size(),
                                      [&](const sass::Buffer& b) { return b.name == map.buffer; });
    if (buffer == program.buffers.data() + program.buffers.size())
      return fmt::format("the tensor map {} is of {}, which is no buffer", map.name, map.buffer);
    if (map.element_bytes * 8 != layout::bits(buffer->element))
      return fmt::format("the tensor map of {} has elements of {} bits, the buffer of {}", map.name,
                         map.element_bytes * 8, layout::bits(buffer->element));
    std::int64_t elements = 1;
    for (std::int64_t extent : map.extents) {
      if (extent < 1 || extent > INT64_C(1) << 32 || elements > (INT64_C(1) << 48) / extent)
        return fmt::format("the tensor map of {} has an extent of {}", map.name, extent);
      elements *= extent;
    }
    if (elements != buffer->layout.map().size())
      return fmt::format("the tensor map of {} has {} elements, the buffer {}", map.name, elements,
                         buffer->layout.map().size());
  }
  if (std::string why = contradiction(program); !why.empty()) return why;
  return {};
}

}  // namespace warpcc::checker
