// From the typed kernel to the SASS program: memory laid out, every operand's address derived from its layout and
// placed by its binding time (docs/language.md, section 13), control written out, registers coloured.
#pragma once

#include <optional>

#include "sass/program.h"
#include "sema/kernel.h"
#include "support/diagnostics.h"

namespace warpcc {

// A coloured program; nothing where something does not fit: shared or tensor memory (with the map of what takes how
// much), barriers, registers (with the point of greatest pressure).
std::optional<sass::Program> generate(const kernel::Kernel& kernel, const Sources& sources, Diagnostics& diagnostics);

}  // namespace warpcc
