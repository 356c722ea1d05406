// What `warpcc layout` and the language server say: of each buffer and fragment of a kernel, and of each operand that
// names one, its layout, the form that its address takes and why, what it costs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/banks.h"
#include "layout/draw.h"
#include "layout/indexing.h"
#include "sema/kernel.h"
#include "support/source.h"

namespace warpcc::report {

// A warp's access to shared or global memory, by the lanes' byte addresses from the tile's start.
struct WarpAccess {
  std::vector<std::optional<std::int64_t>> lanes;
  int lane_bytes = 4;
};

// An operand, with all that are alike: unrolled ones have one place in the text.
struct LayoutUse {
  SourceRange instruction;
  std::string text;     // the instruction, on one line
  std::string operand;  // the view, as written
  int count = 1;
  std::vector<std::int64_t> shape;  // of the view
  layout::Indexed address;
  std::vector<std::string> facts;     // bytes, arithmetic, banks, encodings: a line each
  std::vector<std::uint32_t> starts;  // of descriptors: bytes from the tile's start
  // The worst of the places that the other indices may be at, and the least bad.
  std::optional<WarpAccess> access;
  int most_passes = 0, least_passes = 0;
};

// A buffer or a fragment.
struct LayoutSubject {
  std::string name;
  std::string head;                // as declared: `shared sa: ring(8) of f16[64, 64]`
  std::vector<std::string> facts;  // layout, form, bytes
  std::vector<LayoutUse> uses;
  SourceRange declared;
  const kernel::Buffer* buffer = nullptr;      // one of these two
  const kernel::Register* fragment = nullptr;  // good as long as the kernel
};

// Without its uses.
LayoutSubject layout_subject(const kernel::Buffer& buffer);
LayoutSubject layout_subject(const kernel::Register& fragment);
// What of `subjects` is an operand of the instructions at one place of the text.
std::vector<LayoutUse> layout_uses(const kernel::Kernel& kernel, const Sources& sources, SourceRange instruction);

std::vector<LayoutSubject> layout_subjects(const kernel::Kernel& kernel, const Sources& sources);
std::string layout_text(const LayoutSubject& subject, const Sources& sources);
llvm::Expected<layout::Picture> layout_picture(const LayoutSubject& subject);

}  // namespace warpcc::report
