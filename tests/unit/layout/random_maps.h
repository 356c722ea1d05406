// Small random layouts for the property tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "layout/layout.h"

namespace warpcc::layout {

class RandomMaps {
 public:
  // Maps have 1 to so many coordinates.
  explicit RandomMaps(std::uint32_t seed, int most_coordinates = 3)
      : engine_(seed), most_coordinates_(most_coordinates) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

  // Modes whose extents multiply to `size`.
  std::vector<std::int64_t> factors(std::int64_t size) {
    std::vector<std::int64_t> parts;
    while (size > 1) {
      const std::vector<std::int64_t> divisors = divisors_of(size);
      parts.push_back(divisors[between(0, static_cast<std::int64_t>(divisors.size()) - 1)]);
      size /= parts.back();
    }
    std::shuffle(parts.begin(), parts.end(), engine_);
    return parts;
  }

  // The modes shared out to some coordinates, now and then with one of extent 1 between.
  Map shared_out(const std::vector<Mode>& modes) {
    std::vector<Coordinate> coordinates(between(1, most_coordinates_));
    for (const Mode& mode : modes) {
      Coordinate& coordinate = coordinates[between(0, static_cast<std::int64_t>(coordinates.size()) - 1)];
      if (one_in(6)) coordinate.push_back({1, between(0, 9)});
      coordinate.push_back(mode);
    }
    for (Coordinate& coordinate : coordinates)
      if (coordinate.empty()) coordinate.push_back({1, between(0, 3)});
    return Map(std::move(coordinates));
  }

  // A bijection onto [0, size).
  Map bijection(std::int64_t size) {
    std::vector<Mode> modes;
    std::int64_t stride = 1;
    for (const std::int64_t extent : factors(size)) {
      modes.push_back({extent, stride});
      stride *= extent;
    }
    std::shuffle(modes.begin(), modes.end(), engine_);
    return shared_out(modes);
  }

  // Any strides, small enough that some collide and some do not.
  Map any(std::int64_t size) {
    std::vector<Mode> modes;
    for (const std::int64_t extent : factors(size)) modes.push_back({extent, between(one_in(4) ? -6 : 0, 12)});
    return shared_out(modes);
  }

  // Alias-free: dense in some order, with gaps now and then.
  Map padded(std::int64_t size) {
    std::vector<Mode> modes;
    std::int64_t stride = between(1, 2);
    for (const std::int64_t extent : factors(size)) {
      modes.push_back({extent, stride});
      stride *= extent;
      if (one_in(3)) stride += between(1, 3);
    }
    std::shuffle(modes.begin(), modes.end(), engine_);
    return shared_out(modes);
  }

  // Alias-free but for modes that are broadcast; or with some strides negative, from an offset on.
  Map broadcast(std::int64_t size) {
    return changed(padded(size), [](Mode& mode) { mode = {mode.extent, 0, true}; });
  }
  Map mirrored(std::int64_t size) {
    std::int64_t offset = 0;
    const Map map = changed(padded(size), [&](Mode& mode) {
      offset += (mode.extent - 1) * mode.stride;
      mode.stride = -mode.stride;
    });
    return Map(map.coordinates(), offset);
  }

  // The same function in another spelling: modes split where they can be, extents of 1 put between.
  Map respelled(const Map& map) {
    std::vector<Coordinate> coordinates;
    for (const Coordinate& coordinate : map.coordinates()) {
      Coordinate modes;
      for (const Mode& mode : coordinate) {
        std::int64_t stride = mode.stride;
        for (const std::int64_t extent : factors(mode.extent)) {
          modes.push_back({extent, stride, mode.broadcast});
          stride *= extent;
          if (one_in(4)) modes.push_back({1, between(0, 20)});
        }
      }
      if (modes.empty()) modes.push_back({1, between(0, 20)});
      coordinates.push_back(std::move(modes));
    }
    return Map(std::move(coordinates), map.offset());
  }

 private:
  // From 2 on.
  static std::vector<std::int64_t> divisors_of(std::int64_t size) {
    std::vector<std::int64_t> small, large{size};
    for (std::int64_t d = 2; d * d <= size; ++d) {
      if (size % d != 0) continue;
      small.push_back(d);
      if (d * d != size) large.push_back(size / d);
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
  }

  template <typename Change>
  Map changed(const Map& map, Change&& change) {
    std::vector<Coordinate> coordinates = map.coordinates();
    for (Coordinate& coordinate : coordinates)
      for (Mode& mode : coordinate)
        if (mode.extent > 1 && one_in(3)) change(mode);
    return Map(std::move(coordinates));
  }

  std::mt19937 engine_;
  int most_coordinates_;
};

}  // namespace warpcc::layout
