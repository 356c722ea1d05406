// One function of an instruction's sources, lane by lane.
#pragma once

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

template <typename U, typename F>
void Executor::compute(const Code& code, int sources, F function) {
  U from[4][kLanes], to[kLanes];
  for (int i = 0; i < sources; ++i) {
    if constexpr (sizeof(U) == 4) {
      read32(arg(code, static_cast<std::size_t>(i) + 1), from[i]);
    } else {
      read64(arg(code, static_cast<std::size_t>(i) + 1), from[i]);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = function(from[0][lane], sources > 1 ? from[1][lane] : U{0}, sources > 2 ? from[2][lane] : U{0},
                        sources > 3 ? from[3][lane] : U{0});
  }
  if constexpr (sizeof(U) == 4) {
    write32(arg(code, 0), to);
  } else {
    write64(arg(code, 0), to);
  }
}

}  // namespace warpcc::checker::ptx
