// What the checker's machine leaves in global memory: memory_after FILE… runs each program, and writes FILE.memory
// beside it. Of SASS text: all of its clusters with values; the bytes of its global buffers, one after the other. Of
// PTX, which begins with `// threads 32, words 4096`: its one kernel by one CTA; the words whose address is its one
// parameter. What the checker finds wrong, and what is no program, is said, and 1 is the exit code.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/device.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx_text/parse.h"
#include "sass/text.h"
#include "support/diagnostics.h"
#include "support/source.h"

using namespace warpcc;

namespace {

using Memory = std::vector<std::vector<std::uint8_t>>;

bool run_sass(FileId file, Sources& sources, Diagnostics& diagnostics, checker::Outcome& outcome, Memory& memory) {
  std::optional<sass::Program> program = sass::read(file, sources, diagnostics);
  if (!program) return false;
  checker::Options options;
  options.clusters = checker::Options::Clusters::all;
  options.values = true;
  options.threads = 1;
  options.memory = &memory;
  outcome = checker::check(*program, options);
  // A product of two buffers is not what such a program computes, and some store nothing but beyond a tensor's edge.
  std::erase_if(outcome.findings, [](const checker::Finding& finding) {
    using Kind = checker::Finding::Kind;
    return finding.kind == Kind::values || finding.kind == Kind::not_held || finding.kind == Kind::coverage;
  });
  return true;
}

bool run_ptx(FileId file, Sources& sources, Diagnostics& diagnostics, checker::Outcome& outcome, Memory& memory) {
  std::optional<ptx_text::Module> module = ptx_text::parse(file, sources, diagnostics);
  unsigned threads = 0, words = 0;
  if (!module) return false;
  if (std::sscanf(std::string(sources.text(file)).c_str(), "// threads %u, words %u", &threads, &words) != 2) {
    llvm::errs() << "it does not begin with `// threads 32, words 4096`\n";
    return false;
  }
  checker::Device device;
  const std::int64_t bytes = 4 * static_cast<std::int64_t>(words);
  const std::uint64_t address = device.memory().allocate(bytes);
  checker::PtxLaunch launch;
  launch.module = &*module;
  launch.kernel = module->entry("");
  launch.block = {threads, 1, 1};
  launch.params.emplace_back(8);
  std::memcpy(launch.params[0].data(), &address, 8);
  if (!device.launch(launch, {}, outcome, diagnostics)) return false;
  std::span<std::uint8_t> left = device.memory().bytes(address, bytes);
  memory.emplace_back(left.begin(), left.end());
  return true;
}

bool run(const std::string& path) {
  Sources sources;
  Diagnostics diagnostics;
  llvm::Expected<FileId> file = sources.load(path);
  if (!file) {
    llvm::errs() << llvm::toString(file.takeError()) << '\n';
    return false;
  }
  Memory memory;
  checker::Outcome outcome;
  const bool ptx = llvm::StringRef(path).ends_with(".ptx");
  if (!(ptx ? run_ptx : run_sass)(*file, sources, diagnostics, outcome, memory)) {
    llvm::errs() << path << ":\n";
    diagnostics.print(llvm::errs(), sources);
    return false;
  }
  std::error_code error;
  llvm::raw_fd_ostream out(path.substr(0, path.rfind('.')) + ".memory", error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << '\n';
    return false;
  }
  for (const std::vector<std::uint8_t>& buffer : memory)
    out.write(reinterpret_cast<const char*>(buffer.data()), buffer.size());
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
