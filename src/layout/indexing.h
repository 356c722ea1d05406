// A layout at sums of indices: the address of a view whose coordinates are made of counters, lanes, registers and the
// view's own indices. Whether it is a sum over those indices, decided from the modes; else where it is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/emit.h"

namespace warpcc::layout {

// An index that runs over 0 .. extent, each step of which is `step` along one coordinate of the layout.
struct Digit {
  std::string name;  // as messages show it
  std::int64_t extent = 1;
  std::int64_t step = 1;
};
// A coordinate as a sum: constant + the digits' indices × their steps.
struct IndexSum {
  std::int64_t constant = 0;
  std::vector<Digit> digits;
};

struct Indexed {
  // Over the digits, all coordinates' in order, a coordinate each; canonical, with the constants in its offset.
  std::optional<Map> strided;
  // Why there is none: the digit, the boundary that it or its sum does not fit, and the coordinate's modes.
  std::string obstacle;
  std::vector<std::string> names;  // of the digits

  Form form() const;
  std::string why() const;  // the digits that are split, or the obstacle
  // Of the strided form; else of the indices' sums and the division of each by the layout's boundaries.
  Arithmetic arithmetic = {};
};
// One sum a coordinate. The digits' values stay inside the coordinate's extent where it has several modes.
Indexed indexed(const Map& map, const std::vector<IndexSum>& sums);

}  // namespace warpcc::layout
