#include "lsp/transport.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::lsp {

std::optional<std::string> Reader::line() {
  constexpr std::size_t kLongest = 4096;  // of a header: the rest of a longer one is left out
  std::string text;
  for (int c = std::getc(in_); c != EOF; c = std::getc(in_)) {
    if (c == '\n') {
      if (text.ends_with('\r')) text.pop_back();
      return text;
    }
    if (text.size() < kLongest) text += static_cast<char>(c);
  }
  return std::nullopt;
}

bool Reader::skip(std::size_t bytes) {
  std::array<char, 4096> some;
  while (bytes > 0) {
    const std::size_t got = std::fread(some.data(), 1, std::min(bytes, some.size()), in_);
    if (got == 0) return false;
    bytes -= got;
  }
  return true;
}

std::optional<std::string> Reader::next() {
  while (true) {
    std::optional<std::size_t> length;
    while (true) {
      const std::optional<std::string> header = line();
      if (!header) return std::nullopt;
      if (header->empty()) {
        if (length) break;
        continue;
      }
      auto [name, value] = llvm::StringRef(*header).split(':');
      std::size_t bytes = 0;
      if (name.trim().equals_insensitive("content-length") && !value.trim().getAsInteger(10, bytes)) length = bytes;
    }
    if (*length > kLargest) {
      if (!skip(*length)) return std::nullopt;
      continue;
    }
    std::string text(*length, '\0');
    if (std::fread(text.data(), 1, text.size(), in_) != text.size()) return std::nullopt;
    return text;
  }
}

bool nests_too_deep(std::string_view text) {
  constexpr int kDeepest = 200;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > kDeepest) return true;
  }
  return false;
}

void write(llvm::raw_ostream& out, const llvm::json::Value& message) {
  std::string text;
  llvm::raw_string_ostream(text) << message;
  out << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  out.flush();
}

}  // namespace warpcc::lsp
