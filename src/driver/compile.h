// A kernel's whole way, for the commands that go it.
#pragma once

#include "driver/steps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace warpcc::driver {

// Compiles the input as the options ask. `accepted` is called once the kernel's text has been accepted.
int compile_file(const Invocation& invocation, llvm::function_ref<void(const Run&)> accepted);

}  // namespace warpcc::driver
