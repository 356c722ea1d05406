// libFuzzer: a text that is formatted stays as it is when it is formatted again.
#include "frontend/format.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "llvm/Support/ConvertUTF.h"
#include "support/diagnostics.h"

namespace {

std::optional<std::string> formatted(std::string text) {
  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  const warpcc::FileId file = sources.add("fuzz.wk", std::move(text));
  std::optional<std::string> made = warpcc::format(file, sources, diagnostics);
  if (!made && !diagnostics.failed()) std::abort();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  if (text.find('\0') != std::string::npos || !llvm::isLegalUTF8String(&begin, begin + text.size())) return 0;
  std::optional<std::string> once = formatted(std::move(text));
  if (once && formatted(*once) != once) std::abort();
  return 0;
}
