// warpcc lsp: the language server, for editors.
#include "driver/commands.h"
#include "driver/explain.h"
#include "driver/steps.h"
#include "lsp/serve.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-D", "NAME=VALUE", "sets a parameter of the kernels that have it", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the file's own folder", true},
    {"--stdio", "", "accepted, since editors say so: there is no other way"},
};

int run_lsp(const Invocation& invocation) {
  llvm::Expected<CompileOptions> options = compile_options(invocation);
  if (!options) return cannot_run(options.takeError());
  return lsp::serve({std::move(*options), WARPCC_VERSION, explanation});
}

}  // namespace

constinit const Command lsp_command{
    "lsp",
    "warpcc lsp [-D NAME=VALUE …] [-I FOLDER …] [--stdio]",
    "the language server: an editor starts it and talks to it over standard input and output",
    "",
    kOptions,
    "  warpcc lsp\n",
    run_lsp,
};

}  // namespace warpcc::driver
