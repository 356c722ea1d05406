// Kernels that others wrote, as `warpcc check` takes them (docs/programs.md).
#pragma once

#include "driver/command_line.h"

namespace warpcc::driver {

// A PTX file, with `--launch FILE`: what it is launched with.
int check_ptx(const Invocation& invocation);

// A program that launches kernels by itself, with its arguments: it is run with the machine in place of a GPU.
int check_program(const Invocation& invocation);

}  // namespace warpcc::driver
