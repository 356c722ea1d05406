// warpcc gemm M N K: the matrix product that comes with warpcc, as its `tune` sets it for a size.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/steps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

constexpr Option kOptions[] = {
    {"--target", "TARGET", "sm_100a (Blackwell; the default), sm_90a (Hopper)"},
    {"-o", "FILE", "where the cubin goes, with its manifest beside it; gemm_MxNxK.cubin, where it is not said"},
    {"-D", "NAME=VALUE", "sets another parameter of the kernel", true},
    {"--emit", "KIND", "cubin (with its manifest; the default), ptx, sass, json (the manifest alone)"},
    {"--form", "FORM", "with --emit sass, how registers are written: named, coloured (the default), both"},
    {"--no-check", "", "does not run the kernel on the CPU first"},
    {"--ptxas", "PATH", "the assembler to use"},
    {"--format", "FORMAT", "how mistakes are said: text (the default), json"},
    {"--time", "", "says how long each part took"},
};

struct Kernel {
  std::string_view target, file;
};
constexpr Kernel kKernels[] = {{"sm_100a", "gemm.wk"}, {"sm_90a", "hopper_gemm.wk"}};

llvm::Expected<std::int64_t> extent(std::string_view name, std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= kMost) return number;
  return wrong(fmt::format("`{}`: wanted is {}, a whole number from 1 to 2147483648", text, name));
}

llvm::Expected<std::string> kernel_file(const Invocation& invocation) {
  std::string target = invocation.value("--target").value_or("sm_100a");
  const Kernel* kernel = llvm::find_if(kKernels, [&](const Kernel& each) { return each.target == target; });
  if (kernel == std::end(kKernels)) {
    return wrong(fmt::format("`--target {}`: the targets are sm_100a, sm_90a", target));
  }
  std::optional<std::string> folder = library_folder(invocation.program);
  if (!folder) {
    return wrong(fmt::format(
        "the kernels that come with warpcc are not beside it: `{}` belongs into share/warpcc/kernels", kernel->file));
  }
  llvm::SmallString<256> path(*folder);
  llvm::sys::path::append(path, llvm::StringRef(kernel->file));
  if (!llvm::sys::fs::exists(path)) {
    return wrong(fmt::format("there is no matrix product for {} here: no `{}` in {}", target, kernel->file, *folder));
  }
  return path.str().str();
}

// Without the blanks that only line up columns.
std::string one_line(llvm::StringRef text) {
  std::string line;
  for (char c : text.trim()) {
    bool blank = c == ' ' || c == '\n';
    if (blank && (line.empty() || line.back() == ' ' || line.back() == '(')) continue;
    line += blank ? ' ' : c;
  }
  return line;
}

// The row of `tune` that matched and the parameters that it set, the others by who chose them.
std::string chosen(const Run& run, const std::vector<std::string>& size) {
  using By = kernel::Choice::By;
  const Choices& choices = run.choices;
  std::string text = fmt::format("{} × {} × {}: ", size[0], size[1], size[2]);
  if (choices.row) {
    std::string_view row = run.sources.text(*choices.row);
    std::string_view patterns = row.substr(0, row.find("=>"));
    text += fmt::format("the row `{}` of `tune`, {}\n", one_line(patterns), run.sources.place(*choices.row));
  } else {
    text += "no row of `tune` is for it; these are the defaults\n";
  }
  constexpr std::pair<By, const char*> kBy[] = {
      {By::tune, "by the row"}, {By::command_line, "by you"}, {By::default_, "by default"}};
  for (auto [by, words] : kBy) {
    std::string list;
    for (const kernel::Choice& choice : choices.parameters) {
      if (choice.by != by || choice.parameter == "M" || choice.parameter == "N" || choice.parameter == "K") continue;
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", choice.parameter, choice.value);
    }
    if (!list.empty()) text += fmt::format("  {}: {}\n", words, list);
  }
  return text;
}

int run_gemm(const Invocation& invocation) {
  const std::vector<std::string>& size = invocation.inputs;
  if (size.size() != 3) {
    return cannot_run(wrong(fmt::format("wanted are M, N and K, three numbers; usage: {}", invocation.command->usage)));
  }
  constexpr std::string_view kNames[] = {"M", "N", "K"};
  Invocation compile = invocation;
  for (std::size_t i = 0; i < size.size(); ++i) {
    llvm::Expected<std::int64_t> number = extent(kNames[i], size[i]);
    if (!number) return cannot_run(number.takeError());
    compile.given.emplace_back("-D", fmt::format("{}={}", kNames[i], *number));
  }
  llvm::Expected<std::string> file = kernel_file(invocation);
  if (!file) return cannot_run(file.takeError());
  compile.input = *file;
  compile.inputs = {*file};
  bool to_cubin = invocation.value("--emit").value_or("cubin") == "cubin";
  if (to_cubin && !invocation.has("-o")) {
    compile.given.emplace_back("-o", fmt::format("gemm_{}x{}x{}.cubin", size[0], size[1], size[2]));
  }
  return compile_file(compile, [&](const Run& run) {
    if (says_json(invocation)) return;
    // Standard output may be a text's.
    (to_cubin ? llvm::outs() : llvm::errs()) << chosen(run, size);
  });
}

}  // namespace

constinit const Command gemm_command{
    "gemm",
    "warpcc gemm M N K [--target sm_100a|sm_90a] [-o OUT.cubin] [-D NAME=VALUE …] [options]",
    "compiles the matrix product that comes with warpcc for a size: C, M × N, of A, M × K, and B, N × K",
    "M, N and K",
    kOptions,
    "  warpcc gemm 4096 4096 4096 -o gemm.cubin\n"
    "  warpcc gemm 1024 768 512 --emit json\n"
    "  warpcc gemm 8192 8192 8192 -D elem=bf16 -o gemm.cubin\n",
    run_gemm,
    /*several_inputs=*/true,
};

}  // namespace warpcc::driver
