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
Answer type_definition(const Request& request);
Answer references(const Request& request);
Answer highlights(const Request& request);
Answer prepare_rename(const Request& request);
Answer rename(const Request& request);
Answer document_links(const Request& request);

Answer document_symbols(const Request& request);
Answer workspace_symbols(const Documents& documents, const json::Object& params);
Answer folding_ranges(const Request& request);
Answer selection_ranges(const Request& request);
Answer semantic_tokens(const Request& request);
Answer semantic_tokens_delta(const Request& request);
Answer semantic_tokens_range(const Request& request);
Answer inlay_hints(const Request& request);

Answer formatting(const Request& request);
Answer range_formatting(const Request& request);
Answer on_type_formatting(const Request& request);
Answer code_actions(const Request& request);

}  // namespace warpcc::lsp
