// The program beside the text: what the requests `warpcc/…` show (docs/lsp.md).
#pragma once

#include "lsp/server.h"

namespace warpcc::lsp {

Answer expand(const Request& request);
Answer ptx(const Request& request);
Answer layout(const Request& request);
Answer why(const Request& request);
Answer code_lenses(const Request& request);

}  // namespace warpcc::lsp
