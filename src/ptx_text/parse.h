// PTX text to a program.
#pragma once

#include <optional>

#include "ptx_text/program.h"
#include "support/diagnostics.h"

namespace warpcc::ptx_text {

// Nothing, where errors were reported: with line and caret, the first fifty. Opcodes are not judged here: who executes
// them says which it lacks.
std::optional<Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics);

}  // namespace warpcc::ptx_text
