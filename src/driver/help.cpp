#include <fmt/format.h>

#include "driver/commands.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::driver {
namespace {

constexpr const Command* kNamed[] = {&gemm_command, &expand_command, &check_command, &hb_command,      &lift_command,
                                     &run_command,  &layout_command, &fmt_command,   &explain_command, &lsp_command};

}  // namespace

llvm::ArrayRef<const Command*> named_commands() {
  return kNamed;
}

void print_help(llvm::raw_ostream& out) {
  out << "warpcc compiles tensor-core kernels (.wk) for NVIDIA GPUs and runs them on the CPU first.\n\n";
  out << "  " << compile_command.usage << "\n      " << compile_command.summary << '\n';
  for (const Command* command : kNamed) out << "  " << command->usage << "\n      " << command->summary << '\n';
  out << "  warpcc help [COMMAND]\n      says more about a command; `warpcc help compile` about the first\n"
         "  warpcc --version\n\n"
         "Exit codes: 0 done; 1 the program was refused or a check failed; 2 the command line or the environment is "
         "wrong.\n";
}

void print_help(llvm::raw_ostream& out, const Command& command) {
  out << command.usage << "\n\n  " << command.summary << "\n\noptions:\n";
  for (const Option& option : command.options) {
    out << fmt::format("  {:<19} {}\n", fmt::format("{} {}", option.name, option.value), option.help);
  }
  out << "\nexamples:\n" << command.examples;
}

}  // namespace warpcc::driver
