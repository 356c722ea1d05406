// What the compiler makes of one version of a text.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/tree.h"
#include "sass/program.h"
#include "sema/kernel.h"
#include "sema/meanings.h"
#include "sema/sema.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::lsp {

class Names;

// A program as text, and in which of its lines, counted from 0, that begins which each line of the program is.
struct Listing {
  std::string text;
  std::vector<std::uint32_t> begins;
};

struct Analysis {
  static constexpr FileId kMain{};  // the text; what it uses comes behind

  Sources sources;
  Diagnostics diagnostics;
  std::shared_ptr<const tree::File> tree;  // none: a syntax error
  std::shared_ptr<const Names> names;      // where there is a tree
  std::map<FileId, std::shared_ptr<const Names>> modules;
  sema::Meanings meanings;
  std::optional<kernel::Kernel> kernel;  // none: refused, or a module
  std::optional<sass::Program> program;
  bool is_module = false;  // no kernel stands in it
  std::string broken;      // what went wrong in the compiler itself; empty: nothing

  std::string_view text() const { return sources.text(kMain); }
  std::shared_ptr<const Names> names_of(FileId file) const;
  // Made when they are first asked for; null where there is no program, or none that lifts.
  const Listing* sass() const;
  const Listing* ptx() const;

 private:
  mutable std::optional<std::optional<Listing>> sass_, ptx_;
};

// What stays between the analyses of one document: the modules that it uses, read and parsed.
class Library {
 public:
  struct Open {  // a text that an editor holds
    std::string path, text;
    std::int64_t version = 0;
  };

  explicit Library(std::string path) : path_(std::move(path)) { forget(); }

  std::shared_ptr<const Analysis> analyse(const std::string& text, const CompileOptions& options,
                                          const std::vector<Open>& open);

 private:
  struct Read {
    std::string path;
    std::string stamp;  // which version of it
  };
  void forget();
  void compile(Analysis& made, const CompileOptions& given, const std::vector<Open>& open);
  std::shared_ptr<const Names> read_names(FileId file, std::shared_ptr<const tree::File> tree, const Sources& sources);
  bool changed(const std::vector<Open>& open) const;

  std::string path_;
  Sources sources_;
  warpcc::Library files_;
  std::vector<Read> read_;
  std::map<FileId, std::shared_ptr<const Names>> names_;
};

// Whether a kernel stands among the file's items, in whatever branch.
bool holds_kernel(const std::vector<tree::Item>& items);

}  // namespace warpcc::lsp
