// warpcc fmt FILE.wk …: formats kernels in place.
#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/steps.h"
#include "frontend/format.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"--check", "", "changes nothing: names the files that would change, and ends with exit code 1 if there are any"},
    {"--stdout", "", "writes the formatted text to standard output instead of the file"},
};

struct Request {
  bool check = false;
  bool to_stdout = false;
};

// Nothing where the file cannot be formatted; the reason is said, and its exit code in `exit_code`.
std::optional<std::string> format_file(Run& run, FileId file, int& exit_code) {
  std::optional<std::string> text = format(file, run.sources, run.diagnostics);
  exit_code = text && !run.diagnostics.failed() ? kDone : run.end_refused("format");
  return text;
}

int finish(const Request& request, const std::string& path, std::string_view before, std::string text) {
  if (request.to_stdout) return write_text(std::nullopt, path, std::move(text));
  if (text == before) return kDone;
  if (request.check) {
    llvm::outs() << path << '\n';
    return kRefused;
  }
  if (llvm::Error error = write_whole({{path, std::move(text)}})) return cannot_run(std::move(error));
  return kDone;
}

// Every file is a run of its own: one that is refused keeps none of the others from being formatted.
int run_one(const Invocation& invocation, const Request& request, const std::string& path) {
  if (is_sass_text(path))
    return cannot_run(wrong(fmt::format("`{}` is SASS text: `warpcc fmt` takes kernels (.wk)", path)));
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(path);
  if (!file) return cannot_run(file.takeError());
  int exit_code = kDone;
  std::optional<std::string> text = format_file(run, *file, exit_code);
  if (!text) return exit_code;
  return finish(request, path, run.sources.text(*file), *std::move(text));
}

int run_fmt(const Invocation& invocation) {
  Request request{invocation.has("--check"), invocation.has("--stdout")};
  if (request.check && request.to_stdout)
    return cannot_run(wrong("`--check` writes no text: `--stdout` does not go with it"));
  int worst = kDone;
  for (const std::string& path : invocation.inputs) worst = std::max(worst, run_one(invocation, request, path));
  return worst;
}

}  // namespace

constinit const Command fmt_command{
    "fmt",
    "warpcc fmt FILE.wk… [--check|--stdout]",
    "formats kernels in place",
    "kernels",
    kOptions,
    "  warpcc fmt kernels/gemm.wk --stdout\n"
    "  warpcc fmt --check kernels/gemm.wk kernels/lib/*.wk\n",
    run_fmt,
    /*several_inputs=*/true,
};

}  // namespace warpcc::driver
