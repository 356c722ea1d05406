// The header that `--emit header` writes.
#pragma once

#include <string>
#include <string_view>

#include "llvm/Support/Error.h"

namespace warpcc::driver {

// A C++ header with the kernel's typed launch function, over warpcc.h. `source` is what it was compiled from, for
// readers.
llvm::Expected<std::string> header(const std::string& manifest, std::string_view source);

}  // namespace warpcc::driver
