#include "lsp/paths.h"

#include <algorithm>
#include <system_error>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace warpcc::lsp {
namespace {

// A folder that holds more is none that somebody keeps modules in.
constexpr std::size_t kMost = 2000;

}  // namespace

std::vector<PathEntry> module_paths(std::string_view typed, const std::vector<std::string>& folders) {
  const std::size_t slash = typed.rfind('/');
  const std::string_view inside = slash == std::string_view::npos ? std::string_view() : typed.substr(0, slash);
  std::vector<PathEntry> all;
  for (const std::string& folder : folders) {
    llvm::SmallString<256> at(folder);
    llvm::sys::path::append(at, llvm::StringRef(inside.data(), inside.size()));
    std::error_code failed;
    llvm::sys::fs::directory_iterator each(at, failed), end;
    for (std::size_t seen = 0; !failed && each != end && seen < kMost; each.increment(failed), ++seen) {
      const llvm::StringRef name = llvm::sys::path::filename(each->path());
      if (name.starts_with(".")) continue;
      const bool is_folder = llvm::sys::fs::is_directory(each->path());
      if (is_folder || name.ends_with(".wk")) all.push_back({name.str() + (is_folder ? "/" : ""), is_folder});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const PathEntry& a, const PathEntry& b) { return a.name < b.name; });
  all.erase(std::unique(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name == b.name; }),
            all.end());
  return all;
}

}  // namespace warpcc::lsp
