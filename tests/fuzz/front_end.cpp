// libFuzzer: any text through the front end, as warpcc takes it: parsed, elaborated, lowered, its registers coloured,
// and what is said of it printed. A text that is refused without a word is a finding too.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "codegen/codegen.h"
#include "frontend/parse.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"
#include "sema/sema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  // What Sources::load refuses before anything else sees it.
  const auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  if (text.find('\0') != std::string::npos || !llvm::isLegalUTF8String(&begin, begin + text.size())) return 0;

  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  const warpcc::FileId file = sources.add("fuzz.wk", std::move(text));
  std::optional<warpcc::tree::File> tree = warpcc::parse(file, sources, diagnostics);
  bool done = false;
  if (tree) {
    warpcc::CompileOptions options;
    options.library_folders = {WARPCC_SOURCE_DIR "/kernels"};
    std::optional<warpcc::kernel::Kernel> kernel =
        warpcc::elaborate(file, std::move(*tree), options, sources, diagnostics);
    done = kernel && warpcc::generate(*kernel, sources, diagnostics);
  }
  if (!done && !diagnostics.failed()) std::abort();
  diagnostics.print(llvm::nulls(), sources);
  return 0;
}
