// What the server answers.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "lsp/server.h"

namespace warpcc::lsp {

struct Handler {
  llvm::StringLiteral method;
  Needs needs;
  Answer (*answer)(const Request&);
};
llvm::ArrayRef<Handler> handlers();
json::Object capabilities();
json::Object semantic_token_legend();

Answer hover(const Request& request);
Answer completion(const Request& request);
Answer signature_help(const Request& request);

Answer definition(const Request& request);
Answer references(const Request& request);
Answer highlights(const Request& request);
Answer prepare_rename(const Request& request);
Answer rename(const Request& request);

Answer document_symbols(const Request& request);
Answer folding_ranges(const Request& request);
Answer semantic_tokens(const Request& request);
Answer inlay_hints(const Request& request);

Answer formatting(const Request& request);
Answer code_actions(const Request& request);

}  // namespace warpcc::lsp
