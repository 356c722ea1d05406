#include "ptx/lift.h"

#include "ptx/lifter.h"
#include "sass/text.h"

namespace warpcc::ptx {

std::optional<std::string> lift(const sass::Program& program, Diagnostics& diagnostics) {
  std::vector<std::uint32_t> begins;
  return lift(program, diagnostics, begins);
}

std::optional<std::string> lift(const sass::Program& program, Diagnostics& diagnostics,
                                std::vector<std::uint32_t>& begins) {
  std::string text;
  std::vector<std::size_t> offsets;
  if (!Lifter(program, diagnostics).run(text, offsets)) return std::nullopt;
  begins = sass::lines_of(text, offsets);
  return text;
}

}  // namespace warpcc::ptx
