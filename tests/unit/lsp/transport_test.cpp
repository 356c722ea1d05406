#include "lsp/transport.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "llvm/Support/raw_ostream.h"

using namespace warpcc::lsp;

namespace {

// The messages in a stream.
std::vector<std::string> messages(const std::string& stream) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file);
  std::fwrite(stream.data(), 1, stream.size(), file);
  std::rewind(file);
  Reader reader(file);
  std::vector<std::string> all;
  while (std::optional<std::string> next = reader.next()) all.push_back(std::move(*next));
  std::fclose(file);
  return all;
}

}  // namespace

TEST_CASE("messages over a stream") {
  CHECK(messages("Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length: 3\r\n\r\n[1]") ==
        std::vector<std::string>{"{}", "[1]"});
  CHECK(messages("Content-Length: 2\n\n{}") == std::vector<std::string>{"{}"});
}

TEST_CASE("junk between messages is passed over") {
  CHECK(messages("junk\r\n\r\n\r\nContent-Length: x\r\n\r\nContent-Length: 2\r\n\r\n{}") ==
        std::vector<std::string>{"{}"});
  CHECK(messages("Content-Length: 99\r\n\r\n{}").empty());
  CHECK(messages("Content-Length: -1\r\n\r\n").empty());
  CHECK(messages(std::string(10'000, 'a')).empty());
  CHECK(messages("").empty());
}

TEST_CASE("what is written has its length in bytes") {
  std::string text;
  llvm::raw_string_ostream out(text);
  write(out, llvm::json::Value("\u00e9"));
  CHECK(text == "Content-Length: 4\r\n\r\n\"\u00e9\"");
}

TEST_CASE("brackets that nest too deep") {
  CHECK(nests_too_deep(std::string(1000, '[')));
  CHECK_FALSE(nests_too_deep("[[{}]]"));
  CHECK_FALSE(nests_too_deep("\"" + std::string(1000, '[') + "\\\"[\""));
}
