// Finding ptxas and running it.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx/lift.h"

namespace warpcc::ptx {

namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string join(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> whole(folder);
  path::append(whole, name);
  return std::string(whole);
}

// Entries of a folder in the order of their names, so that a search does not depend on the file system's.
std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error; at.increment(error))
    names.push_back(at->path());
  std::sort(names.begin(), names.end());
  return names;
}

class Search {
 public:
  // True once it is found.
  bool file(const std::string& candidate) {
    found_.looked_in.push_back(candidate);
    if (!fs::can_execute(candidate) || fs::is_directory(candidate)) return false;
    found_.path = candidate;
    return true;
  }

  bool toolkit(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' && file(join(value, "bin/ptxas"));
  }

  // The wheel in an environment `.venv` of any folder above the compiler:
  // lib/python3.x/site-packages/nvidia/*/bin/ptxas.
  bool environment(const std::string& program_path) {
    llvm::SmallString<256> folder(program_path);
    fs::make_absolute(folder);
    while (path::has_parent_path(folder)) {
      path::remove_filename(folder);
      if (folder.empty()) break;
      std::string environment = join(folder, ".venv");
      if (!fs::is_directory(environment)) continue;
      for (const std::string& python : entries(join(environment, "lib"))) {
        for (const std::string& part : entries(join(python, "site-packages/nvidia"))) {
          std::string candidate = join(part, "bin/ptxas");
          if (fs::exists(candidate) && file(candidate)) return true;
        }
      }
      found_.looked_in.push_back(join(environment, "lib/python3*/site-packages/nvidia/*/bin/ptxas"));
    }
    return false;
  }

  bool path_variable() {
    found_.looked_in.push_back("ptxas on PATH");
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
    if (!found) return false;
    found_.path = *found;
    return true;
  }

  Ptxas take() { return std::move(found_); }

 private:
  Ptxas found_;
};

// The last number before `words` in a line such as "0 bytes spill stores", or after them ("Used 38 registers" the other
// way round).
int number_before(llvm::StringRef log, llvm::StringRef words) {
  std::size_t at = log.find(words);
  if (at == llvm::StringRef::npos) return 0;
  llvm::StringRef before = log.substr(0, at).rtrim();
  std::size_t start = before.find_last_not_of("0123456789");
  llvm::StringRef digits = start == llvm::StringRef::npos ? before : before.substr(start + 1);
  int number = 0;
  digits.getAsInteger(10, number);
  return number;
}

// ptxas serialises a kernel's wgmmas where it cannot follow their registers, leaves out a change of registers where it
// does not know how many there are, and says either in passing.
std::string another_program(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef, 16> lines;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    bool serialised = line.contains("wgmma") && line.contains("serializ");
    bool left_out = line.contains("setmaxnreg") && line.contains("ignored");
    if (serialised || left_out) return line.str();
  }
  return "";
}

std::string contents(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

}  // namespace

Ptxas find_ptxas(const std::string& given, const std::string& program_path) {
  Search search;
  // What a user names is taken or refused, not passed over.
  if (!given.empty()) {
    search.file(given);
    return search.take();
  }
  if (const char* named = std::getenv("WARPCC_PTXAS"); named != nullptr && *named != '\0') {
    search.file(named);
    return search.take();
  }
  search.toolkit("CUDA_HOME") || search.toolkit("CUDA_PATH") || search.environment(program_path) ||
      search.path_variable() || search.file("/usr/local/cuda/bin/ptxas");
  return search.take();
}

llvm::Expected<Assembled> assemble(const std::string& ptxas, const std::string& text, isa::Target target) {
  // Files rather than pipes: nothing to drain while the other end waits.
  llvm::SmallString<128> folder;
  if (std::error_code error = fs::createUniqueDirectory("warpcc", folder)) {
    return llvm::createStringError(error, "no folder for temporary files: %s", error.message().c_str());
  }
  auto remove = llvm::make_scope_exit([&] { fs::remove_directories(folder); });
  std::string input = join(folder, "k.ptx"), cubin = join(folder, "k.cubin"), log = join(folder, "log");
  {
    std::error_code error;
    llvm::raw_fd_ostream out(input, error);
    if (!error) {
      out << text;
      out.flush();
      error = out.error();
      out.clear_error();
    }
    if (error) return llvm::createStringError(error, "%s: %s", input.c_str(), error.message().c_str());
  }

  std::string arch = "-arch=" + std::string(isa::name(target));
  llvm::StringRef arguments[] = {ptxas, "-v", arch, "-", "-o", cubin};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(input), llvm::StringRef(log), llvm::StringRef(log)};
  std::string words;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, 0, 0, &words);
  Assembled result;
  result.log = contents(log);
  if (code != 0) {
    if (code < 0) return llvm::createStringError("%s did not run: %s", ptxas.c_str(), words.c_str());
    return llvm::createStringError("%s failed (exit code %d):\n%s", ptxas.c_str(), code, result.log.c_str());
  }
  result.cubin = contents(cubin);
  if (std::string said = another_program(result.log); !said.empty()) {
    return llvm::createStringError("%s makes another program than was written:\n%s", ptxas.c_str(), said.c_str());
  }
  if (result.cubin.empty()) return llvm::createStringError("%s succeeded and wrote no cubin", ptxas.c_str());
  result.registers = number_before(result.log, " registers");
  result.spill_stores = number_before(result.log, " bytes spill stores");
  result.spill_loads = number_before(result.log, " bytes spill loads");
  return result;
}

}  // namespace warpcc::ptx
