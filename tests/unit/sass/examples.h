// Texts that the tests of this room share.
#pragma once

#include <optional>
#include <string>

#include "sass/text.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::sass::testing {

// The loading warp of a Hopper GEMM at 4096 × 4096 × 4096 (docs/sass-text.md), with the start of its values.
extern const char* const kLoads;
// A little of everything on sm_100a: a pair's pins, the tensor core, tensor memory, global memory, predicates.
extern const char* const kPair;

struct Reading {
  std::optional<Program> program;
  Sources sources;
  Diagnostics diagnostics;
  std::string complaints() const;  // `line:column: text [code]`, one a line
};
Reading read_text(std::string text);

}  // namespace warpcc::sass::testing
