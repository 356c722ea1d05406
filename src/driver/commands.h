// The commands of warpcc, one file each.
#pragma once

#include <string_view>

#include "driver/command_line.h"

namespace warpcc::driver {

extern const Command compile_command;  // warpcc FILE.wk
extern const Command expand_command;
extern const Command explain_command;
extern const Command check_command;
extern const Command hb_command;
extern const Command lift_command;
extern const Command gemm_command;
extern const Command run_command;
extern const Command fmt_command;
extern const Command layout_command;
extern const Command lsp_command;

// Those with a name of their own, in the order of the help.
llvm::ArrayRef<const Command*> named_commands();

void print_help(llvm::raw_ostream& out);
void print_help(llvm::raw_ostream& out, const Command& command);

}  // namespace warpcc::driver
