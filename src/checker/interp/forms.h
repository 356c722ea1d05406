// Instructions that contradict each other, whatever runs: what the code alone tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/interp/code.h"
#include "sass/program.h"

namespace warpcc::checker {

struct Contradiction {
  Finding::Kind kind;
  std::uint32_t line;
  std::string text;
};
std::vector<Contradiction> contradictions(const sass::Program& program, const Code& code);

}  // namespace warpcc::checker
