// From the syntax tree to the typed kernel: names, kinds, compile-time evaluation, elaboration, and every rule of the
// language reference that types can hold (docs/language.md).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/tree.h"
#include "sema/kernel.h"
#include "support/diagnostics.h"

namespace warpcc::sema {
class Meanings;
}

namespace warpcc {

// `-D NAME=VALUE`, as given.
struct Definition {
  std::string name;
  std::string value;
};

// Files that stay parsed while the text that uses them changes: an editor's. Their ids are those of the `Sources` that
// they were read into, and of its copies.
struct Library {
  struct File {
    FileId file{};
    std::shared_ptr<const tree::File> tree;
  };
  std::map<std::string, File, std::less<>> files;              // by path
  std::map<std::pair<FileId, std::string>, FileId> used = {};  // what a file's `use "…"` names
};

struct CompileOptions {
  std::vector<Definition> definitions;
  std::vector<std::string> library_folders;  // searched for `use`, after the file's own folder
  bool is_module = false;                    // a file that others use, by itself: it need not hold a kernel
  Library* library = nullptr;                // files that are read are taken from here, and put here
  sema::Meanings* meanings = nullptr;        // filled with what the names of the text mean
};

// The kernel of a file, all its parameters fixed; nothing where errors were reported. Reads the modules that the file
// uses into `sources`.
std::optional<kernel::Kernel> elaborate(FileId file, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics);
// The same, of a file that has been parsed.
std::optional<kernel::Kernel> elaborate(FileId file, tree::File tree, const CompileOptions& options, Sources& sources,
                                        Diagnostics& diagnostics);
std::optional<kernel::Kernel> elaborate(FileId file, std::shared_ptr<const tree::File> tree,
                                        const CompileOptions& options, Sources& sources, Diagnostics& diagnostics);

}  // namespace warpcc
