// What the checker's machine leaves in global memory: memory_after FILE.sass… runs each program, all of its clusters
// with values, and writes FILE.memory beside it: the bytes of its global buffers, one after the other. What the checker
// finds wrong, and what is no program, is said, and 1 is the exit code.
#include <string>
#include <vector>

#include "checker/check.h"
#include "llvm/Support/raw_ostream.h"
#include "sass/text.h"
#include "support/diagnostics.h"
#include "support/source.h"

using namespace warpcc;

namespace {

bool run(const std::string& path) {
  Sources sources;
  Diagnostics diagnostics;
  llvm::Expected<FileId> file = sources.load(path);
  if (!file) {
    llvm::errs() << llvm::toString(file.takeError()) << '\n';
    return false;
  }
  std::optional<sass::Program> program = sass::read(*file, sources, diagnostics);
  if (!program) {
    diagnostics.print(llvm::errs(), sources);
    return false;
  }
  std::vector<std::vector<std::uint8_t>> memory;
  checker::Options options;
  options.clusters = checker::Options::Clusters::all;
  options.values = true;
  options.threads = 1;
  options.memory = &memory;
  checker::Outcome outcome = checker::check(*program, options);
  std::error_code error;
  llvm::raw_fd_ostream out(path.substr(0, path.rfind('.')) + ".memory", error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << '\n';
    return false;
  }
  for (const std::vector<std::uint8_t>& buffer : memory)
    out.write(reinterpret_cast<const char*>(buffer.data()), buffer.size());
  // A product of two buffers is not what such a program computes, and some store nothing but beyond a tensor's edge.
  std::erase_if(outcome.findings, [](const checker::Finding& finding) {
    using Kind = checker::Finding::Kind;
    return finding.kind == Kind::values || finding.kind == Kind::not_held || finding.kind == Kind::coverage;
  });
  if (outcome.findings.empty()) return true;
  llvm::errs() << path << ":\n";
  checker::print(outcome, llvm::errs(), &sources);
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  bool good = true;
  for (int i = 1; i < count; ++i) good = run(arguments[i]) && good;
  return good ? 0 : 1;
}
