// Messages over a stream: a header with the length, a blank line, JSON (Language Server Protocol 3.17, Base Protocol).
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/Support/JSON.h"

namespace llvm {
class raw_ostream;
}

namespace warpcc::lsp {

// Reads what comes; what is no message is passed over.
class Reader {
 public:
  // A message that is said to be larger is read away and not kept.
  static constexpr std::size_t kLargest = 64u << 20;

  explicit Reader(std::FILE* in) : in_(in) {}

  // The next message's text; nothing at the end of the stream.
  std::optional<std::string> next();

 private:
  // A line without its end; nothing at the end of the stream.
  std::optional<std::string> line();
  bool skip(std::size_t bytes);

  std::FILE* in_;
};

// Whether brackets nest deeper than any message needs: reading JSON recurses.
bool nests_too_deep(std::string_view text);

void write(llvm::raw_ostream& out, const llvm::json::Value& message);

}  // namespace warpcc::lsp
