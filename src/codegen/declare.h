// The program's header: buffers, barriers, pipes, tensor maps, parameters; everything that is declared rather than
// done.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "codegen/memory.h"
#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::codegen {

// Where the kernel's things stand in the program.
struct Declared {
  std::vector<sass::BufferId> buffers;  // by kernel::BufferId; none for what is empty
  std::vector<std::size_t> pipes;       // by kernel::PipeId
  // The tensor map of a copy: a global buffer and a box.
  struct MapKey {
    kernel::BufferId global = kernel::BufferId::none;
    std::vector<std::int64_t> box;
    int swizzle = 0;
    friend auto operator<=>(const MapKey&, const MapKey&) = default;
  };
  std::map<MapKey, std::size_t> maps;  // into Program::maps

  sass::BufferId buffer(kernel::BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
  std::size_t pipe(kernel::PipeId id) const { return pipes[static_cast<std::size_t>(id)]; }
};

// The map that a copy between a global view and a shared tile needs.
Declared::MapKey map_of(const kernel::Kernel& kernel, const kernel::View& global, const kernel::View& tile);

Declared declare(const kernel::Kernel& kernel, const Memory& memory, sass::Program& program);

// Every instruction of a block, those inside its control too, in program order.
template <typename Visit>
void each_instruction(const kernel::Block& block, const Visit& visit) {
  for (const kernel::Node& node : block) {
    if (auto* instruction = std::get_if<kernel::Instruction>(&node.is))
      visit(*instruction);
    else if (auto* loop = std::get_if<kernel::Loop>(&node.is))
      each_instruction(loop->body, visit);
    else if (auto* forever = std::get_if<kernel::Forever>(&node.is))
      each_instruction(forever->body, visit);
    else if (auto* on = std::get_if<kernel::On>(&node.is))
      each_instruction(on->body, visit);
    else if (auto* hold = std::get_if<kernel::Hold>(&node.is))
      each_instruction(hold->body, visit);
    else if (auto* when = std::get_if<kernel::When>(&node.is)) {
      each_instruction(when->then, visit);
      each_instruction(when->otherwise, visit);
    }
  }
}

}  // namespace warpcc::codegen
