// Diagnostics for programs to read.
#pragma once

#include "support/diagnostics.h"

namespace llvm::json {
class OStream;
}

namespace warpcc {

// What Diagnostics::print says as an array (docs/diagnostics.md): in the same order, equal ones once, all of them.
void print_json(const Diagnostics& diagnostics, llvm::json::OStream& out, const Sources& sources);

}  // namespace warpcc
