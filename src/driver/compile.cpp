// warpcc FILE.wk: the whole way to a cubin, or to one of the texts on it.
#include "driver/compile.h"

#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/header.h"
#include "driver/steps.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "ptx/lift.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"-o", "FILE",
     "where the result goes; a cubin's manifest goes beside it, FILE with the ending .json; `-`: standard output"},
    {"-D", "NAME=VALUE", "sets a parameter of the kernel", true},
    {"-I", "FOLDER", "searched for the files that `use` names, after the input's own folder", true},
    {"--emit", "KIND",
     "cubin (with its manifest; the default), ptx, sass, json (the manifest alone), header (C++, with a launch "
     "function)"},
    {"--form", "FORM", "with --emit sass, how registers are written: named, coloured (the default), both"},
    {"--no-check", "", "does not run the kernel on the CPU first"},
    {"--ptxas", "PATH", "the assembler to use"},
    {"--format", "FORMAT", "how mistakes are said: text (the default), json"},
    {"--time", "", "says how long each part took"},
};

enum class Emit : std::uint8_t { cubin, ptx, sass, json, header };

llvm::Expected<Emit> emit_option(const Invocation& invocation) {
  std::string kind = invocation.value("--emit").value_or("cubin");
  if (kind == "cubin") return Emit::cubin;
  if (kind == "ptx") return Emit::ptx;
  if (kind == "sass") return Emit::sass;
  if (kind == "json") return Emit::json;
  if (kind == "header") return Emit::header;
  return wrong(fmt::format("`--emit {}`: the kinds are cubin, ptx, sass, json, header", kind));
}

// What is asked for, from options that go together.
struct Request {
  Emit emit = Emit::cubin;
  sass::Form form = sass::Form::coloured;
  bool check = true;
  std::string cubin, manifest;  // where they go; no manifest beside a device
};

llvm::Error name_outputs(const Invocation& invocation, Request& request) {
  llvm::SmallString<256> stem(llvm::sys::path::filename(invocation.input));
  llvm::sys::path::replace_extension(stem, "cubin");
  request.cubin = invocation.value("-o").value_or(stem.str().str());
  if (request.cubin == "-") return wrong("`-o -` is for texts; a cubin needs a file: -o FILE.cubin");
  if (request.cubin.empty()) return wrong("`-o` needs the name of a file");
  llvm::sys::fs::file_status status;
  bool is_there = !llvm::sys::fs::status(request.cubin, status);
  if (is_there && llvm::sys::fs::is_other(status)) return llvm::Error::success();
  llvm::SmallString<256> beside(request.cubin);
  llvm::sys::path::replace_extension(beside, "json");
  request.manifest = beside.str().str();
  if (request.manifest == request.cubin) {
    return wrong(
        fmt::format("`-o {}`: that is where the cubin's manifest goes; name the cubin otherwise", request.cubin));
  }
  return llvm::Error::success();
}

llvm::Expected<Request> read_request(const Invocation& invocation) {
  Request request;
  if (is_sass_text(invocation.input)) {
    return wrong(fmt::format("`{0}` is SASS text; `warpcc check {0}` checks it, `warpcc lift {0}` makes PTX of it",
                             invocation.input));
  }
  llvm::Expected<Emit> emit = emit_option(invocation);
  if (!emit) return emit.takeError();
  request.emit = *emit;
  llvm::Expected<sass::Form> form = form_option(invocation, sass::Form::coloured);
  if (!form) return form.takeError();
  request.form = *form;
  if (request.emit != Emit::sass && invocation.has("--form")) return wrong("`--form` goes with `--emit sass`");
  if (request.emit != Emit::cubin && invocation.has("--ptxas")) return wrong("`--ptxas` goes with `--emit cubin`");
  // The listing is for looking at what a check would complain about; the manifest and the header hold no code.
  bool makes_code = request.emit == Emit::cubin || request.emit == Emit::ptx;
  request.check = makes_code && !invocation.has("--no-check");
  if (request.emit == Emit::cubin) {
    if (llvm::Error error = name_outputs(invocation, request)) return error;
  }
  return request;
}

llvm::Expected<std::string> find_ptxas(const Invocation& invocation) {
  ptx::Ptxas ptxas = ptx::find_ptxas(invocation.value("--ptxas").value_or(""), invocation.program);
  if (!ptxas.path.empty()) return ptxas.path;
  std::string words = "no ptxas found; looked for";
  for (const std::string& place : ptxas.looked_in) words += "\n  " + place;
  words += "\n`make deps` in warpcc's folder installs one (the Python wheel nvidia-cuda-nvcc); `--emit ptx` needs none";
  return wrong(words);
}

// PTX to a cubin with its manifest, in their places.
int assemble(Run& run, const Request& request, const sass::Program& program, const std::string& ptxas,
             const std::string& text) {
  llvm::Expected<ptx::Assembled> assembled =
      run.times.measure("ptxas", [&] { return ptx::assemble(ptxas, text, program.target); });
  if (!assembled) {
    run.end(kCannotRun);
    return cannot_run(assembled.takeError());
  }
  std::vector<OutputFile> files{{request.cubin, assembled->cubin}};
  if (!request.manifest.empty()) files.push_back({request.manifest, ptx::manifest(program)});
  if (int code = write_files(run.invocation.input, files)) return run.end(code);
  llvm::outs() << fmt::format("ptxas: {} registers, {} bytes of spill stores, {} bytes of spill loads\n",
                              assembled->registers, assembled->spill_stores, assembled->spill_loads);
  llvm::outs() << "wrote " << request.cubin << (request.manifest.empty() ? "" : " and " + request.manifest) << '\n';
  return run.end(kDone);
}

int write_header(Run& run, const sass::Program& program) {
  llvm::StringRef source = llvm::sys::path::filename(run.invocation.input);
  llvm::Expected<std::string> text = header(ptx::manifest(program), {source.data(), source.size()});
  if (!text) {
    run.end(kCannotRun);
    return cannot_run(text.takeError());
  }
  return run.end(write_text(run.invocation.value("-o"), run.invocation.input, *std::move(text)));
}

}  // namespace

int compile_file(const Invocation& invocation, llvm::function_ref<void(const Run&)> accepted) {
  if (llvm::Error error = check_format(invocation)) return cannot_run(std::move(error));
  llvm::Expected<Request> request = read_request(invocation);
  if (!request) return cannot_run(request.takeError());
  llvm::Expected<CompileOptions> options = compile_options(invocation);
  if (!options) return cannot_run(options.takeError());
  Run run{invocation, {}, {}, {}};
  llvm::Expected<FileId> file = run.sources.load(invocation.input);
  if (!file) return cannot_run(file.takeError());
  std::optional<std::string> output = invocation.value("-o");

  int exit_code = kDone;
  std::optional<sass::Program> program = compile_program(run, *file, *options, exit_code);
  if (!program) return exit_code;
  accepted(run);
  if (request->emit == Emit::sass)
    return run.end(write_text(output, invocation.input, sass::print(*program, request->form)));
  if (request->emit == Emit::json) return run.end(write_text(output, invocation.input, ptx::manifest(*program)));
  if (request->emit == Emit::header) return write_header(run, *program);

  std::string ptxas;
  if (request->emit == Emit::cubin) {
    llvm::Expected<std::string> found = find_ptxas(invocation);
    if (!found) return cannot_run(found.takeError());
    ptxas = *found;
  }
  if (request->check) {
    checker::Outcome outcome = run.times.measure("check", [&] { return checker::check(*program, {}); });
    bool failed = outcome.failed();
    if (says_json(invocation)) {
      run.checked = std::move(outcome);
    } else {
      // Standard output may be the PTX's.
      checker::print(outcome, failed || request->emit == Emit::ptx ? llvm::errs() : llvm::outs());
    }
    if (failed) return run.end(kRefused);
  }
  std::optional<std::string> text = run.times.measure("lift", [&] { return ptx::lift(*program, run.diagnostics); });
  if (!text || run.diagnostics.failed()) return run.end_refused("lift");
  if (request->emit == Emit::ptx) return run.end(write_text(output, invocation.input, *std::move(text)));
  return assemble(run, *request, *program, ptxas, *text);
}

namespace {

int run_compile(const Invocation& invocation) {
  return compile_file(invocation, [](const Run&) {});
}

}  // namespace

constinit const Command compile_command{
    "",
    "warpcc FILE.wk [-o OUT.cubin] [-D NAME=VALUE …] [options]",
    "compiles a kernel, checks it on the CPU, and assembles it",
    "a kernel",
    kOptions,
    "  warpcc kernels/gemm.wk -o gemm.cubin\n"
    "  warpcc kernels/gemm.wk -D M=4096 -D N=4096 -D K=4096 -o gemm.cubin --time\n"
    "  warpcc kernels/gemm.wk --emit ptx -o gemm.ptx\n",
    run_compile,
};

}  // namespace warpcc::driver
