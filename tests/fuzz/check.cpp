// Any SASS text to the checker: it may be refused, or anything found; it must end, and soon.
#include "checker/check.h"

#include <cstdint>
#include <string>

#include "sass/colour.h"
#include "sass/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  warpcc::FileId file = sources.add("fuzz.sass", std::string(reinterpret_cast<const char*>(data), size));
  auto program = warpcc::sass::read(file, sources, diagnostics);
  if (!program || diagnostics.failed()) return 0;
  warpcc::checker::Options options;
  options.threads = 1;
  options.most_instructions = 20'000;
  warpcc::checker::check(*program, options);
  options.seed = size;
  warpcc::checker::check(*program, options);
  options.coverage = true;
  warpcc::checker::check(*program, options);
  return 0;
}
