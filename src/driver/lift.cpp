// warpcc lift FILE.sass: SASS text to PTX.
#include "ptx/lift.h"

#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/steps.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-o", "FILE", "where the PTX goes instead of standard output"},
    {"--time", "", "says how long each part took"},
};

int run_lift(const Invocation& invocation) {
  if (llvm::StringRef(invocation.input).ends_with(".wk")) {
    return cannot_run(wrong(
        fmt::format("`warpcc lift` takes SASS text (.sass); PTX of a kernel: warpcc {} --emit ptx", invocation.input)));
  }
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return cannot_run(file.takeError());
  int exit_code = kDone;
  std::optional<sass::Program> program = read_program(run, *file, exit_code);
  if (!program) return exit_code;
  std::optional<std::string> text = run.times.measure("lift", [&] { return ptx::lift(*program, run.diagnostics); });
  if (!text || run.diagnostics.failed()) return run.end_refused("lift");
  return run.end(write_text(invocation.value("-o"), invocation.input, *std::move(text)));
}

}  // namespace

constinit const Command lift_command{
    "lift",
    "warpcc lift FILE.sass [-o FILE.ptx]",
    "makes PTX of SASS text",
    "SASS text",
    kOptions,
    "  warpcc expand kernels/gemm.wk --form both -o gemm.sass\n"
    "  warpcc lift gemm.sass -o gemm.ptx\n",
    run_lift,
};

}  // namespace warpcc::driver
