#include "codegen/declare.h"

#include <set>
#include <string>

#include "layout/atoms.h"

namespace warpcc::codegen {

namespace {

std::vector<sass::Pin> pins(const std::vector<kernel::Pin>& from) {
  std::vector<sass::Pin> to;
  for (const kernel::Pin& pin : from) to.push_back({pin.axis, pin.at});
  return to;
}

sass::MemorySpace space(kernel::MemorySpace from) {
  switch (from) {
    case kernel::MemorySpace::shared:
      return sass::MemorySpace::shared;
    case kernel::MemorySpace::tensor:
      return sass::MemorySpace::tensor;
    case kernel::MemorySpace::global:
      return sass::MemorySpace::global;
  }
  return sass::MemorySpace::global;
}

void declare_pipe(const kernel::Kernel& kernel, const kernel::Pipe& pipe, std::size_t index, const Memory& memory,
                  Declared& declared, sass::Program& program) {
  sass::Pipe made;
  made.name = pipe.name;
  made.depth = pipe.depth;
  auto barrier = [&](std::string name, std::uint32_t offset, const kernel::Signal& signal) {
    sass::MBarrier array;
    array.name = std::move(name);
    array.offset = offset;
    array.count = pipe.depth;
    array.arrivals = signal.arrivals;
    if (signal.bytes > 0) array.bytes = signal.bytes;
    array.why = signal.arrivals_why;
    if (!signal.bytes_why.empty()) array.why += "; bytes " + signal.bytes_why;
    program.mbarriers.push_back(std::move(array));
    return static_cast<sass::MBarrierId>(program.mbarriers.size() - 1);
  };
  made.full = barrier(pipe.name + "_full", memory.full[index], pipe.full);
  made.empty = barrier(pipe.name + "_empty", memory.empty[index], pipe.empty);
  for (kernel::BufferId buffer : pipe.carries) {
    if (declared.buffer(buffer) != sass::BufferId::none) made.carries.push_back(declared.buffer(buffer));
  }
  made.from = pins(pipe.from);
  made.to = pins(pipe.to);
  made.across = pipe.across;
  for (const kernel::End& end : kernel.ends) {
    if (end.turns == kernel::BarrierId::none || &kernel[end.pipe] != &pipe || end.stages_a_turn == 0) continue;
    made.teams = end.teams;
    made.stages_a_turn = static_cast<int>(end.stages_a_turn);
  }
  program.pipes.push_back(std::move(made));
}

void declare_maps(const kernel::Kernel& kernel, Declared& declared, sass::Program& program) {
  auto visit = [&](const kernel::Instruction& instruction) {
    using isa::Does;
    Does does = instruction.op->does;
    if (does != Does::load && does != Does::store && does != Does::store_add) return;
    bool loads = does == Does::load;
    const auto& tile = std::get<kernel::View>(instruction.operands[loads ? 0 : 1]);
    const auto& global = std::get<kernel::View>(instruction.operands[loads ? 1 : 0]);
    Declared::MapKey key = map_of(kernel, global, tile);
    auto [entry, is_new] = declared.maps.try_emplace(key, program.maps.size());
    if (!is_new) return;
    const kernel::Buffer& buffer = kernel[key.global];
    sass::TensorMap map;
    map.buffer = buffer.name;
    int same = 0;
    for (const sass::TensorMap& other : program.maps) same += other.buffer == buffer.name ? 1 : 0;
    map.name = same == 0 ? buffer.name : buffer.name + "_" + std::to_string(same);
    map.extents = buffer.shape;
    map.element_bytes = layout::bytes(buffer.element);
    map.box = key.box;
    map.swizzle = key.swizzle;
    sass::Buffer& in_header = program.buffers[static_cast<std::size_t>(declared.buffer(key.global))];
    if (in_header.map.empty()) in_header.map = map.name;
    program.maps.push_back(std::move(map));
  };
  each_instruction(kernel.start, visit);
  for (const kernel::Role& role : kernel.roles) each_instruction(role.body, visit);
  each_instruction(kernel.finish, visit);
}

std::set<kernel::BufferId> reached_by_lanes(const kernel::Kernel& kernel) {
  std::set<kernel::BufferId> buffers;
  auto visit = [&](const kernel::Instruction& instruction) {
    if (instruction.op->does != isa::Does::global_access) return;
    for (const kernel::Operand& operand : instruction.operands) {
      if (auto* view = std::get_if<kernel::View>(&operand)) buffers.insert(view->buffer);
    }
  };
  each_instruction(kernel.start, visit);
  for (const kernel::Role& role : kernel.roles) each_instruction(role.body, visit);
  each_instruction(kernel.finish, visit);
  return buffers;
}

void declare_buffers(const kernel::Kernel& kernel, const Memory& memory, Declared& declared, sass::Program& program) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const kernel::Buffer& buffer = kernel.buffers[i];
    declared.buffers.push_back(sass::BufferId::none);
    if (buffer.empty()) continue;
    declared.buffers.back() = static_cast<sass::BufferId>(program.buffers.size());
    sass::Buffer made;
    made.name = buffer.name;
    made.space = space(buffer.space);
    made.place = memory.buffers[i].place;
    for (std::size_t c = 0; c < buffer.copies.size() && buffer.space != kernel::MemorySpace::global; ++c) {
      made.copies.push_back({buffer.copies[c].count, memory.buffers[i].copy_strides[c]});
    }
    made.element = buffer.element;
    made.layout = buffer.layout;
    made.kept = buffer.mode == kernel::Mode::kept;
    program.buffers.push_back(std::move(made));
  }
}

}  // namespace

Declared::MapKey map_of(const kernel::Kernel& kernel, const kernel::View& global, const kernel::View& tile) {
  const kernel::Buffer& buffer = kernel[tile.buffer];
  layout::Part part{buffer.layout, buffer.element, {}, {}};
  for (const kernel::Slice& slice : tile.slices) {
    // The box lies as the part that starts where the pattern does: what moves it by whole rows of the pattern changes
    // nothing.
    part.start.push_back(slice.from.is_constant() ? slice.from.constant : 0);
    part.extents.push_back(slice.picked ? 1 : slice.extent);
  }
  Declared::MapKey key;
  key.global = global.buffer;
  layout::BoxResult box = layout::tensor_map_box(part);
  if (box.box) {
    // A picked coordinate of the global view is one of its own in the box.
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < tile.slices.size(); ++i) {
      if (!tile.slices[i].picked) extents.push_back(box.box->extents[i]);
    }
    std::size_t next = 0;
    for (const kernel::Slice& slice : global.slices) {
      key.box.push_back(slice.picked || next == extents.size() ? 1 : extents[next++]);
    }
    key.swizzle = box.box->swizzle_span;
  }
  return key;
}

Declared declare(const kernel::Kernel& kernel, const Memory& memory, sass::Program& program) {
  Declared declared;
  program.kernel = kernel.name;
  program.target = kernel.target;
  program.threads = kernel.threads;
  if (kernel.registers > 0) program.registers = kernel.registers;
  program.dynamic_shared = memory.shared_end - sass::Program::kSharedStart;
  program.grid = kernel.grid;
  program.cluster = kernel.cluster_ctas();
  for (const kernel::Axis& axis : kernel.axes) program.axes.push_back({axis.name, axis.extent});

  declare_buffers(kernel, memory, declared, program);
  for (std::size_t i = 0; i < kernel.pipes.size(); ++i) {
    declared.pipes.push_back(program.pipes.size());
    if (kernel.pipes[i].depth > 0) declare_pipe(kernel, kernel.pipes[i], i, memory, declared, program);
  }
  int id = 1;  // 0 is that of all warps
  for (const kernel::NamedBarrier& barrier : kernel.named_barriers) {
    program.named_barriers.push_back({barrier.name, id, barrier.copies, barrier.warps * 32});
    id += barrier.copies;
  }
  if (memory.tensor_word != 0) program.words.push_back({"tmem_base", memory.tensor_word});
  declare_maps(kernel, declared, program);

  // Pointers come first, 64 bits each: of what no map is of, and of what lanes reach.
  const std::set<kernel::BufferId> by_lanes = reached_by_lanes(kernel);
  std::uint32_t offset = 0;
  for (kernel::BufferId parameter : kernel.parameters) {
    if (declared.buffer(parameter) == sass::BufferId::none) continue;
    sass::Buffer& buffer = program.buffers[static_cast<std::size_t>(declared.buffer(parameter))];
    if (!buffer.map.empty() && !by_lanes.contains(parameter)) continue;
    buffer.param = offset;
    program.params.push_back({buffer.name, offset});
    offset += 8;
  }
  return declared;
}

}  // namespace warpcc::codegen
