// An outcome for programs to read.
#pragma once

#include "checker/check.h"

namespace llvm::json {
class OStream;
}

namespace warpcc::checker {

// What print says as an object (docs/diagnostics.md).
void print_json(const Outcome& outcome, llvm::json::OStream& out, const Sources* sources = nullptr);

}  // namespace warpcc::checker
