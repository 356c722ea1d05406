// One function of an instruction's sources, lane by lane.
#pragma once

#include "checker/interp/ptx/executor.h"

namespace warpcc::checker::ptx {

// A source's lanes where they lie, or in `buffer`.
template <typename U>
const U* Executor::lanes_of(const Arg& arg, U* buffer) {
  if constexpr (sizeof(U) == 4) {
    if (arg.kind == Arg::Kind::reg && arg.bytes == 4) return place32(arg);
    read32(arg, buffer);
  } else {
    if (arg.kind == Arg::Kind::reg && arg.bytes == 8) return place64(arg);
    read64(arg, buffer);
  }
  return buffer;
}

template <typename U, typename F>
void Executor::compute(const Code& code, int sources, F function) {
  U buffers[4][kLanes], to[kLanes];
  const U* from[4];
  for (int i = 0; i < sources; ++i) from[i] = lanes_of<U>(arg(code, static_cast<std::size_t>(i) + 1), buffers[i]);
  static constexpr U kZeros[kLanes] = {};
  for (int i = sources; i < 4; ++i) from[i] = kZeros;
  for (int lane = 0; lane < kLanes; ++lane)
    to[lane] = function(from[0][lane], from[1][lane], from[2][lane], from[3][lane]);
  if constexpr (sizeof(U) == 4) {
    write32(arg(code, 0), to);
  } else {
    write64(arg(code, 0), to);
  }
}

}  // namespace warpcc::checker::ptx
