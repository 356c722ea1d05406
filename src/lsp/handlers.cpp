// Which request is answered where, and what of the protocol an editor is told that there is.
#include "lsp/requests.h"
#include "lsp/views.h"

namespace warpcc::lsp {
namespace {

constexpr Handler kHandlers[] = {
    {"textDocument/hover", Needs::last, hover},
    {"textDocument/completion", Needs::last, completion},
    {"textDocument/signatureHelp", Needs::last, signature_help},
    {"textDocument/definition", Needs::fresh, definition},
    {"textDocument/typeDefinition", Needs::fresh, type_definition},
    {"textDocument/references", Needs::all, references},
    {"textDocument/documentHighlight", Needs::fresh, highlights},
    {"textDocument/prepareRename", Needs::all, prepare_rename},
    {"textDocument/rename", Needs::all, rename},
    {"textDocument/documentLink", Needs::fresh, document_links},
    {"textDocument/documentSymbol", Needs::fresh, document_symbols},
    {"textDocument/foldingRange", Needs::last, folding_ranges},
    {"textDocument/selectionRange", Needs::last, selection_ranges},
    {"textDocument/semanticTokens/full", Needs::fresh, semantic_tokens},
    {"textDocument/semanticTokens/full/delta", Needs::fresh, semantic_tokens_delta},
    {"textDocument/semanticTokens/range", Needs::fresh, semantic_tokens_range},
    {"textDocument/inlayHint", Needs::fresh, inlay_hints},
    {"textDocument/formatting", Needs::last, formatting},
    {"textDocument/rangeFormatting", Needs::last, range_formatting},
    {"textDocument/onTypeFormatting", Needs::last, on_type_formatting},
    {"textDocument/codeAction", Needs::fresh, code_actions},
    {"textDocument/codeLens", Needs::fresh, code_lenses},
    {"warpcc/expand", Needs::fresh, expand},
    {"warpcc/ptx", Needs::fresh, ptx},
    {"warpcc/layout", Needs::fresh, layout},
    {"warpcc/why", Needs::fresh, why},
};

}  // namespace

llvm::ArrayRef<Handler> handlers() {
  return kHandlers;
}

json::Object capabilities() {
  return json::Object{
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       json::Object{{"openClose", true}, {"change", 2}, {"save", json::Object{{"includeText", false}}}}},
      {"hoverProvider", true},
      {"completionProvider", json::Object{{"triggerCharacters", json::Array{".", "@", "\"", "/"}}}},
      {"signatureHelpProvider", json::Object{{"triggerCharacters", json::Array{"(", ",", " "}}}},
      {"definitionProvider", true},
      {"typeDefinitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", json::Object{{"prepareProvider", true}}},
      {"documentLinkProvider", json::Object{{"resolveProvider", false}}},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"selectionRangeProvider", true},
      {"semanticTokensProvider",
       json::Object{{"legend", semantic_token_legend()}, {"full", json::Object{{"delta", true}}}, {"range", true}}},
      {"inlayHintProvider", true},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"documentOnTypeFormattingProvider",
       json::Object{{"firstTriggerCharacter", "}"}, {"moreTriggerCharacter", json::Array{";"}}}},
      {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix"}}}},
      {"codeLensProvider", json::Object{{"resolveProvider", false}}},
      {"experimental", json::Object{{"warpcc", json::Array{"expand", "ptx", "layout", "why", "trace", "check"}}}},
  };
}

}  // namespace warpcc::lsp
