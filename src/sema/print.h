// The typed kernel as text, for tests and for whoever debugs a room behind it. Not read back by anything.
#pragma once

#include <string>

#include "sema/kernel.h"

namespace warpcc::kernel {

std::string text(const Kernel& kernel);
std::string text(const Kernel& kernel, const Index& index);

}  // namespace warpcc::kernel
