// The language server on standard input and output.
#pragma once

#include "lsp/server.h"

namespace warpcc::lsp {

// Until the editor says `exit`, or goes. The process's exit code.
int serve(Settings settings);

}  // namespace warpcc::lsp
