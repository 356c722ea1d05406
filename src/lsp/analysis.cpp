#include "lsp/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "codegen/codegen.h"
#include "frontend/parse.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "lsp/names.h"
#include "ptx/lift.h"
#include "sass/text.h"

namespace warpcc::lsp {
namespace {

const Library::Open* find_open(const std::vector<Library::Open>& open, const std::string& path) {
  const auto at = std::find_if(open.begin(), open.end(), [&](const Library::Open& each) { return each.path == path; });
  return at == open.end() ? nullptr : &*at;
}

// Tells one version of a file from another.
std::string stamp_of(const std::string& path, const std::vector<Library::Open>& open) {
  if (const Library::Open* editor = find_open(open, path)) return fmt::format("open {}", editor->version);
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status)) return "gone";
  return fmt::format("{} {}", status.getLastModificationTime().time_since_epoch().count(), status.getSize());
}

bool holds_kernel(const tree::Item& item) {
  if (std::holds_alternative<tree::Kernel>(item.is)) return true;
  if (auto* an_if = std::get_if<tree::StaticIf<tree::Item>>(&item.is))
    return lsp::holds_kernel(an_if->then) || lsp::holds_kernel(an_if->otherwise);
  if (auto* a_match = std::get_if<tree::StaticMatch<tree::Item>>(&item.is)) {
    return std::any_of(a_match->arms.begin(), a_match->arms.end(),
                       [](const auto& arm) { return lsp::holds_kernel(arm.body); });
  }
  return false;
}

bool holds_param(const std::vector<tree::Item>& items, const std::string& name) {
  return std::any_of(items.begin(), items.end(), [&](const tree::Item& item) {
    if (auto* param = std::get_if<tree::Param>(&item.is)) return param->name.text == name;
    if (auto* an_if = std::get_if<tree::StaticIf<tree::Item>>(&item.is))
      return holds_param(an_if->then, name) || holds_param(an_if->otherwise, name);
    auto* a_match = std::get_if<tree::StaticMatch<tree::Item>>(&item.is);
    return a_match && std::any_of(a_match->arms.begin(), a_match->arms.end(),
                                  [&](const auto& arm) { return holds_param(arm.body, name); });
  });
}

}  // namespace

bool holds_kernel(const std::vector<tree::Item>& items) {
  return std::any_of(items.begin(), items.end(), [](const tree::Item& item) { return holds_kernel(item); });
}

std::shared_ptr<const Names> Analysis::names_of(FileId file) const {
  if (file == kMain) return names;
  const auto at = modules.find(file);
  return at == modules.end() ? nullptr : at->second;
}

const Listing* Analysis::sass() const {
  if (!program) return nullptr;
  if (!sass_) {
    Listing made;
    made.text = sass::print(*program, sass::Form::named, made.begins);
    sass_.emplace(std::move(made));
  }
  return &**sass_;
}

const Listing* Analysis::ptx() const {
  if (!program) return nullptr;
  if (!ptx_) {
    Diagnostics unsaid;
    Listing made;
    std::optional<std::string> text = ptx::lift(*program, unsaid, made.begins);
    ptx_.emplace();
    if (text) {
      made.text = std::move(*text);
      *ptx_ = std::move(made);
    }
  }
  return *ptx_ ? &**ptx_ : nullptr;
}

void Library::forget() {
  sources_ = Sources();
  sources_.add(path_, "");
  files_ = {};
  names_.clear();
  read_.clear();
}

bool Library::changed(const std::vector<Open>& open) const {
  return std::any_of(read_.begin(), read_.end(),
                     [&](const Read& read) { return stamp_of(read.path, open) != read.stamp; });
}

// Of a file, and before of those that it uses: they are read already, in no circle.
std::shared_ptr<const Names> Library::read_names(FileId file, std::shared_ptr<const tree::File> tree,
                                                 const Sources& sources) {
  auto names = [&](FileId other) -> const Names* {
    if (const auto at = names_.find(other); at != names_.end()) return at->second.get();
    names_[other] = nullptr;
    for (const auto& [path, known] : files_.files) {
      if (known.file == other) names_[other] = read_names(other, known.tree, sources);
    }
    return names_[other].get();
  };
  auto used = [&](FileId from, const std::string& path) -> std::optional<FileId> {
    const auto at = files_.used.find({from, path});
    return at == files_.used.end() ? std::nullopt : std::optional(at->second);
  };
  return Names::read(file, std::move(tree), sources.text(file), {names, used});
}

std::shared_ptr<const Analysis> Library::analyse(const std::string& text, const CompileOptions& options,
                                                 const std::vector<Open>& open) {
  if (changed(open)) forget();
  auto made = std::make_shared<Analysis>();
  made->sources = sources_;
  made->sources.replace(Analysis::kMain, text);
  for (const Open& each : open) {
    if (each.path != path_) made->sources.stand_in(each.path, each.text);
  }
  // The parser's library throws where it has a bug: that ends a compiler, and must not end an editor's session.
  try {
    compile(*made, options, open);
  } catch (const std::exception& error) {
    made->broken = error.what();
    forget();
  }
  return made;
}

void Library::compile(Analysis& made, const CompileOptions& given, const std::vector<Open>& open) {
  std::optional<tree::File> tree = parse(Analysis::kMain, made.sources, made.diagnostics);
  if (!tree) return;
  made.tree = std::make_shared<const tree::File>(std::move(*tree));
  made.is_module = !holds_kernel(made.tree->items);

  CompileOptions options = given;
  options.is_module = made.is_module;
  // The editor sets parameters for all kernels; each has its own.
  std::erase_if(options.definitions, [&](const Definition& each) { return !holds_param(made.tree->items, each.name); });
  options.library = &files_;
  options.meanings = &made.meanings;
  const std::size_t known = files_.files.size();
  made.kernel = elaborate(Analysis::kMain, made.tree, options, made.sources, made.diagnostics);
  if (files_.files.size() != known) {
    sources_ = made.sources;
    sources_.replace(Analysis::kMain, "");
    read_.clear();
    for (const auto& [path, file] : files_.files) read_.push_back({path, stamp_of(path, open)});
  }
  made.names = read_names(Analysis::kMain, made.tree, made.sources);
  made.modules = names_;
  if (made.kernel && !made.diagnostics.failed()) made.program = generate(*made.kernel, made.sources, made.diagnostics);
}

}  // namespace warpcc::lsp
