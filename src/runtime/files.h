// Files that are read whole.
#pragma once

#include <string>

#include "runtime/error.h"

namespace warpcc::runtime {

Error read_file(const std::string& path, std::string& contents);

// `gemm.cubin` → `gemm.json`.
std::string manifest_beside(const std::string& cubin);

}  // namespace warpcc::runtime
