// Files written whole or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/Error.h"

namespace warpcc {

struct OutputFile {
  std::string path;
  std::string contents;
};

// Writes each to a temporary file beside its place, and renames all when all are written. On failure none is left
// behind, what stood there before stays, and the error says which path and why.
llvm::Error write_whole(const std::vector<OutputFile>& files);

}  // namespace warpcc
