// What the compiler and the checker say, as the protocol has it.
#pragma once

#include <map>
#include <string>

#include "checker/check.h"
#include "lsp/document.h"

namespace warpcc::lsp {

// Of an analysis of the document's present text, by the URI of the file that each is about.
std::map<std::string, json::Array> diagnostics_by_file(const Document& document, const Analysis& analysis);

json::Object to_json(const Document& document, const Analysis& analysis, const Diagnostic& diagnostic);

// What the checker found, by the URI of the file that has the statement: the document, or a module that it uses.
std::map<std::string, json::Array> findings(const Document& document, const Analysis& analysis,
                                            const checker::Outcome& outcome);

}  // namespace warpcc::lsp
