// warpcc hb FILE: what orders what in a kernel, or what one of its lines orders.
#include <fmt/format.h>

#include "checker/report/order.h"
#include "driver/commands.h"
#include "driver/steps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-D", "NAME=VALUE", "sets a parameter of the kernel (.wk)", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the input's own folder (.wk)", true},
    {"--clusters", "all|LIST", "which clusters of the grid run; the first and the last, where it is not said"},
    {"--strict", "", "also what the documents ask for and libraries leave out"},
    {"--why", "FILE:LINE", "what this wait, fence, commit or barrier alone orders, or what else does"},
    {"--dot", "", "the table as a graph (Graphviz)"},
};

// The lines of a statement, `gemm.wk:141`, or the line of the text itself.
std::vector<std::uint32_t> lines_at(const sass::Program& program, const Sources& sources, llvm::StringRef place) {
  std::vector<std::uint32_t> lines;
  auto ends = [&](llvm::StringRef its) {
    return its == place || (its.ends_with(place) && its[its.size() - place.size() - 1] == '/');
  };
  for (std::size_t i = 0; i < program.lines.size(); ++i) {
    const sass::Line& line = program.lines[i];
    bool here = ends(line.place);
    if (!here && line.where.end > line.where.begin) {
      llvm::StringRef path = sources.path(line.where.file);
      Position at = sources.position(line.where.file, line.where.begin);
      here = ends(fmt::format("{}:{}", std::string_view(path), at.line));
    }
    if (here) lines.push_back(static_cast<std::uint32_t>(i));
  }
  return lines;
}

int run_hb(const Invocation& invocation) {
  Run run{invocation, {}, {}, {}};
  int exit_code = kDone;
  std::optional<CheckInput> input = read_check_input(run, exit_code);
  if (!input) return exit_code;
  auto& [program, options] = *input;

  options.order_table = true;
  std::vector<std::uint32_t> lines;
  if (std::optional<std::string> place = invocation.value("--why")) {
    lines = lines_at(program, run.sources, *place);
    if (lines.empty())
      return cannot_run(wrong(fmt::format(
          "no line of the program comes from `{}`: it is no statement, or one that these parameters leave out",
          *place)));
  }
  checker::Outcome outcome = checker::check(program, options);
  if (outcome.failed()) {
    checker::print(outcome, llvm::outs(), &run.sources);
    return run.end(kRefused);
  }
  if (!lines.empty()) {
    options.without = lines;
    checker::print_why(outcome, checker::check(program, options), program, lines, llvm::outs());
  } else if (invocation.has("--dot")) {
    checker::print_order_dot(outcome, program, llvm::outs());
  } else {
    checker::print_order(outcome, program, llvm::outs());
  }
  llvm::outs().flush();
  return run.end(kDone);
}

}  // namespace

constinit const Command hb_command{
    "hb",
    "warpcc hb FILE.wk|FILE.sass [--why FILE:LINE] [--dot] [options]",
    "says what orders what in a kernel, and what each wait and fence is for",
    "a kernel or SASS text",
    kOptions,
    "  warpcc hb kernels/gemm.wk -D M=1024 -D N=1024 -D K=1024\n"
    "  warpcc hb kernels/gemm.wk --why gemm.wk:155\n"
    "  warpcc hb kernels/gemm.wk --dot | dot -Tsvg > order.svg\n",
    run_hb,
};

}  // namespace warpcc::driver
