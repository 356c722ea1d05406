// The protocol's small objects (Language Server Protocol 3.17) and our values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "lsp/text.h"
#include "support/source.h"

namespace warpcc::lsp {

namespace json = llvm::json;

// JSON-RPC 2.0, section 5.1, and the protocol's own.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803,
  cancelled = -32800,
};

// An answer that is an error.
class Failure : public llvm::ErrorInfo<Failure> {
 public:
  static char ID;
  Failure(ErrorCode code, std::string words) : code(code), words(std::move(words)) {}
  void log(llvm::raw_ostream& out) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  ErrorCode code;
  std::string words;
};
llvm::Error failed(std::string words);  // what is asked for cannot be done, in words for the user
llvm::Error bad_params(std::string words);

json::Value to_json(Place place);
json::Value to_json(Place begin, Place end);
json::Value range_in(const Text& text, std::uint32_t begin, std::uint32_t end);
std::optional<Place> read_place(const json::Value* value);

// The place in a file of the compiler's, which counts bytes.
Place place_in(const Sources& sources, FileId file, std::uint32_t offset);
json::Value range_in(const Sources& sources, SourceRange where);

// `file:///a%20b.wk` and `/a b.wk`. A URI of another scheme stays what it is: a file that is open and nowhere on disk.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

// Text for people: Markdown.
json::Value markdown(std::string text);

}  // namespace warpcc::lsp
