// From the syntax tree to the typed kernel: names, kinds, compile-time evaluation, elaboration, and every rule of the
// language reference that types can hold (docs/language.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/tree.h"
#include "sema/kernel.h"
#include "support/diagnostics.h"

namespace warpcc {

// `-D NAME=VALUE`, as given.
struct Definition {
  std::string name;
  std::string value;
};

struct CompileOptions {
  std::vector<Definition> definitions;
  std::vector<std::string> library_folders;  // searched for `use`, after the file's own folder
};

// The kernel of a file, all its parameters fixed; nothing where errors were reported. Reads the modules that the file
// uses into `sources`.
std::optional<kernel::Kernel> elaborate(FileId file, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics);
// The same, of a file that has been parsed.
std::optional<kernel::Kernel> elaborate(FileId file, tree::File tree, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics);

}  // namespace warpcc
