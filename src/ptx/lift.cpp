#include "ptx/lift.h"

#include "ptx/lifter.h"

namespace warpcc::ptx {

std::optional<std::string> lift(const sass::Program& program, Diagnostics& diagnostics) {
  std::string text;
  if (!Lifter(program, diagnostics).run(text)) return std::nullopt;
  return text;
}

}  // namespace warpcc::ptx
