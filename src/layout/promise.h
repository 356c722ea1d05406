// What a layout promises about its values, decided from the modes alone: a bijection onto [0, N), or no two coordinates
// at one address. Used by layout.cpp when a layout is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/layout.h"

namespace warpcc::layout {

// The largest number of elements, and the largest absolute value, that a layout may have: sums of values cannot
// overflow.
constexpr std::int64_t kLargestValue = std::int64_t{1} << 60;

// Each tells what is wrong with the map, in words for the user; none where nothing is.
std::optional<std::string> too_large(const Map& map);
std::optional<std::string> not_a_bijection(const Map& map);
std::optional<std::string> not_alias_free(const Map& map);

// Two indices, one for each mode, with the same value. `undecided`: the modes interleave in so many ways that the
// search was given up.
struct Collision {
  bool undecided = false;
  std::vector<std::int64_t> first, second;
};
std::optional<Collision> find_collision(const std::vector<Mode>& modes);

}  // namespace warpcc::layout
