// Speed of the checker: each program given, as SASS text, checked in a process of its own.
//   bench_checker [--values] [--all] [--coverage] FILE.sass …
// prints warp-instructions and operands, both also a second, seconds, and the peak of memory.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>

#include "checker/check.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "sass/text.h"

namespace {

int measure(const char* path, const warpcc::checker::Options& options) {
  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  auto file = sources.load(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    std::fprintf(stderr, "cannot read %s\n", path);
    return 1;
  }
  auto program = warpcc::sass::read(*file, sources, diagnostics);
  if (!program) {
    std::fprintf(stderr, "%s is no SASS text\n", path);
    return 1;
  }
  auto begin = std::chrono::steady_clock::now();
  warpcc::checker::Outcome outcome = warpcc::checker::check(*program, options);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  double processor = of(used.ru_utime) + of(used.ru_stime);
  auto instructions = static_cast<double>(outcome.instructions),
       operands = static_cast<double>(outcome.operands_checked);
  std::printf(
      "%-32s %10.0f instructions %10.0f operands %8.3f s (%.3f s of processor) %6.1f M instructions/s %6.1f M "
      "operands/s %6.0f MB%s\n",
      path, instructions, operands, seconds, processor, instructions / seconds / 1e6, operands / seconds / 1e6,
      static_cast<double>(used.ru_maxrss) / 1024, outcome.failed() ? "  FINDINGS" : "");
  if (outcome.failed()) warpcc::checker::print(outcome, llvm::errs());
  return outcome.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  warpcc::checker::Options options;
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--values") {
      options.values = true;
    } else if (argument == "--coverage") {
      options.coverage = true;
    } else if (argument == "--all") {
      options.clusters = warpcc::checker::Options::Clusters::all;
    } else {
      std::fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        int code = measure(argv[i], options);
        std::fflush(stdout);
        _exit(code);
      }
      int status = 0;
      waitpid(child, &status, 0);
      failed |= status;
    }
  }
  return failed != 0 ? 1 : 0;
}
