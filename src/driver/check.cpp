// warpcc check FILE: runs a kernel, or SASS text, on the CPU's model of the machine.
#include "checker/lifted.h"
#include "driver/check_others.h"
#include "driver/commands.h"
#include "driver/steps.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx/lift.h"
#include "ptx_text/parse.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-D", "NAME=VALUE", "sets a parameter of the kernel (.wk)", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the input's own folder (.wk)", true},
    {"--clusters", "all|LIST",
     "which clusters of the grid run, such as 0,7,73; the first and the last, where it is not said"},
    {"--values", "", "computes with real numbers, and compares the result with a plain product"},
    {"--valid", "NAME=E,E", "of a buffer in global memory only so much of each dimension holds something", true},
    {"--coverage", "", "instead: what all clusters of the grid store, from coordinates and control alone"},
    {"--sms", "N", "with --coverage: SMs of the GPU, which clusters that wait for each other must fit on; 148"},
    {"--launches", "N", "runs the kernel N times in a row on the same memory"},
    {"--schedules", "N", "runs it under N schedules: the usual one, in order, against the program, at random"},
    {"--trace", "FILE", "writes a timeline for trace viewers (Perfetto, chrome://tracing)"},
    {"--strict", "", "also what the documents ask for and libraries leave out"},
    {"--seed", "S", "another schedule, which the number S chooses; 0, the usual one, where it is not said"},
    {"--lifted", "",
     "also runs the PTX that it lifts to, and compares what the two leave; for all clusters, with values"},
    {"--lifted-to", "FILE", "the same, with the PTX of a file in place of what it lifts to"},
    {"--launch", "FILE", "what a PTX kernel is launched with, as JSON"},
    {"--record", "DIR", "writes each launch of a program, and its PTX, as files for --launch"},
    {"--device", "sm_100a|sm_90a", "what GPU a program finds; sm_100a, where it is not said"},
    {"--require-held", "", "a line that is held to nothing is an error"},
    {"--format", "FORMAT", "how mistakes are said: text (the default), json"},
    {"--time", "", "says how long each part took"},
};

int run_check(const Invocation& invocation) {
  if (!invocation.program_words.empty()) return check_program(invocation);
  if (llvm::StringRef(invocation.input).ends_with(".ptx")) return check_ptx(invocation);
  if (llvm::Error error = check_format(invocation)) return cannot_run(std::move(error));
  Run run{invocation, {}, {}, {}};
  int exit_code = kDone;
  std::optional<CheckInput> input = read_check_input(run, exit_code);
  if (!input) return exit_code;
  auto& [program, options] = *input;

  llvm::Expected<std::uint64_t> schedules = number_option(invocation, "--schedules", 1, 1, 1 << 20);
  if (!schedules) return cannot_run(schedules.takeError());
  checker::Trace trace;
  std::optional<std::string> trace_file = invocation.value("--trace");
  if (trace_file) options.trace = &trace;
  checker::ProgramRun own;
  const std::optional<std::string> lifted_to = invocation.value("--lifted-to");
  const bool lifted = lifted_to || invocation.has("--lifted");
  if (lifted) {
    options.clusters = checker::Options::Clusters::all;
    options.values = true;
    options.memory = &own.memory;
    options.places = &own.places;
  }
  checker::Outcome outcome = run.times.measure("check", [&] {
    return *schedules > 1 ? checker::check_schedules(program, options, static_cast<int>(*schedules))
                          : checker::check(program, options);
  });
  if (lifted && outcome.hangs == 0) {
    llvm::Expected<FileId> ptx = lifted_to ? run.sources.load(*lifted_to) : llvm::Expected<FileId>(FileId{});
    if (!ptx) return cannot_run(ptx.takeError());
    if (!lifted_to) {
      std::optional<std::string> text = ptx::lift(program, run.diagnostics);
      if (!text) return run.end_refused("lift");
      *ptx = run.sources.add("lifted.ptx", std::move(*text));
    }
    auto module = ptx_text::parse(*ptx, run.sources, run.diagnostics);
    if (!module) return run.end_refused("PTX");
    run.times.measure("check lifted", [&] {
      checker::compare_lifted(program, own, *module, outcome);
      return 0;
    });
  }
  if (trace_file) {
    std::error_code code;
    llvm::raw_fd_ostream out(*trace_file, code);
    if (code) return cannot_run(wrong("`" + *trace_file + "` cannot be written: " + code.message()));
    checker::print_trace(trace, out);
  }
  print_outcome(outcome, run);
  return run.end(outcome.failed() ? kRefused : kDone);
}

}  // namespace

constinit const Command check_command{
    "check",
    "warpcc check FILE.wk|FILE.sass|FILE.ptx [--values] [--clusters all|LIST] [options]\n"
    "  warpcc check -- PROGRAM [arguments]",
    "runs a kernel on the CPU and says what is wrong with it",
    "a kernel, SASS text, or PTX with what it is launched with",
    kOptions,
    "  warpcc check kernels/gemm.wk\n"
    "  warpcc check kernels/gemm.wk -D M=512 -D N=512 -D K=512 --clusters all --values\n"
    "  warpcc check gemm.sass --require-held\n"
    "  warpcc check theirs.ptx --launch launch.json\n",
    run_check,
    false,
    true,
};

}  // namespace warpcc::driver
