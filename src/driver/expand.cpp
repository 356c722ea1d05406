// warpcc expand FILE.wk|FILE.sass: the SASS program, to look at.
#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/steps.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-o", "FILE", "where the text goes instead of standard output"},
    {"-D", "NAME=VALUE", "sets a parameter of the kernel", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the input's own folder", true},
    {"--form", "FORM", "how registers are written: named (the default), coloured, both"},
    {"--format", "FORMAT", "how mistakes are said: text (the default), json"},
    {"--time", "", "says how long each part took"},
};

int run_expand(const Invocation& invocation) {
  if (llvm::Error error = check_format(invocation)) return cannot_run(std::move(error));
  llvm::Expected<sass::Form> form = form_option(invocation, sass::Form::named);
  if (!form) return cannot_run(form.takeError());
  llvm::Expected<CompileOptions> options = compile_options(invocation);
  if (!options) return cannot_run(options.takeError());
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return cannot_run(file.takeError());
  int exit_code = kDone;
  bool is_text = is_sass_text(invocation.input);
  std::optional<sass::Program> program =
      is_text ? read_program(run, *file, exit_code) : compile_program(run, *file, *options, exit_code);
  if (!program) return exit_code;
  if (is_text && !invocation.value("--form")) form = program->form;
  if (program->form == sass::Form::coloured && *form != sass::Form::coloured) {
    return cannot_run(
        wrong(fmt::format("`{}` is a coloured text: the names of its sources are not in it; --form coloured prints it",
                          invocation.input)));
  }
  return run.end(write_text(invocation.value("-o"), invocation.input, sass::print(*program, *form)));
}

}  // namespace

constinit const Command expand_command{
    "expand",
    "warpcc expand FILE.wk|FILE.sass [-D NAME=VALUE …] [--form named|coloured|both]",
    "prints a kernel as SASS, with what each line is held to; or SASS text again, in a form",
    "a kernel",
    kOptions,
    "  warpcc expand kernels/gemm.wk\n"
    "  warpcc expand kernels/gemm.wk -D K=4096 --form both -o gemm.sass\n",
    run_expand,
};

}  // namespace warpcc::driver
