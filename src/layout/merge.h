// Modes put behind each other, merged where one goes on where the other ends: what canonical forms are made with.
#pragma once

#include "layout/layout.h"

namespace warpcc::layout {

// One more mode behind others: nothing where its extent is 1, a longer last one where it goes on where that ends.
template <typename Modes>
void append(Modes& modes, const Mode& mode) {
  if (mode.extent == 1) return;
  if (!modes.empty() && modes.back().broadcast == mode.broadcast &&
      mode.stride == modes.back().stride * modes.back().extent)
    modes.back().extent *= mode.extent;
  else
    modes.push_back(mode);
}

template <typename Modes>
void append_all(Modes& modes, const Coordinate& coordinate) {
  for (const Mode& mode : coordinate) append(modes, mode);
}

}  // namespace warpcc::layout
