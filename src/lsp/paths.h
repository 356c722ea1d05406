// What could stand in the path of a `use`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpcc::lsp {

struct PathEntry {
  std::string name;  // of a folder with a `/` behind it
  bool folder = false;
};

// The modules and folders that a half-typed path leads to, by name: `typed` is what stands before the cursor. Folders
// are searched in the order that `use` searches them in; of several entries with one name the first counts.
std::vector<PathEntry> module_paths(std::string_view typed, const std::vector<std::string>& folders);

}  // namespace warpcc::lsp
