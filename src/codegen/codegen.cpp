#include "codegen/codegen.h"

#include "codegen/declare.h"
#include "codegen/lower.h"
#include "codegen/memory.h"
#include "sass/colour.h"

namespace warpcc {

std::optional<sass::Program> generate(const kernel::Kernel& kernel, const Sources& sources, Diagnostics& diagnostics) {
  std::optional<codegen::Memory> memory = codegen::place_memory(kernel, diagnostics);
  if (!memory) return std::nullopt;
  sass::Program program;
  codegen::Declared declared = codegen::declare(kernel, *memory, program);
  codegen::Lower(kernel, *memory, declared, program, sources, diagnostics).program();
  if (diagnostics.failed()) return std::nullopt;
  if (!sass::colour(program, sass::register_ceiling(program), diagnostics)) return std::nullopt;
  return program;
}

}  // namespace warpcc
