// Any text to the reader of SASS text; what it takes is written, read again, and written the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sass/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  warpcc::FileId file = sources.add("fuzz.sass", std::string(reinterpret_cast<const char*>(data), size));
  auto program = warpcc::sass::read(file, sources, diagnostics);
  if (!program || diagnostics.failed()) return 0;
  std::string text = warpcc::sass::print(*program, program->form);
  warpcc::FileId again = sources.add("again.sass", text);
  auto same = warpcc::sass::read(again, sources, diagnostics);
  if (!same || diagnostics.failed() || warpcc::sass::print(*same, same->form) != text) {
    std::fprintf(stderr, "what was written is not read the same:\n%s", text.c_str());
    std::abort();
  }
  return 0;
}
