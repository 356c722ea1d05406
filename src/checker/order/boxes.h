// A buffer of global memory as the order of accesses sees it: boxes of elements, remembered by a grid of the shape that
// most of them have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "checker/order/memory.h"
#include "llvm/ADT/DenseMap.h"

namespace warpcc::order {

// [from, to) in each dimension, slowest first.
struct Box {
  static constexpr int kRank = 5;
  std::array<std::int32_t, kRank> from{}, to{};
  friend bool operator==(const Box&, const Box&) = default;
  bool meets(const Box& other) const {
    for (int i = 0; i < kRank; ++i) {
      if (from[i] >= other.to[i] || other.from[i] >= to[i]) return false;
    }
    return true;
  }
};

class Boxes {
 public:
  explicit Boxes(const std::array<std::int32_t, Box::kRank>& grid) : grid_(grid) {}

  void access(const Box& box, const Actor& actor, Conflicts& conflicts, Pairs* pairs);
  // What clusters that knew nothing of those here have done: all that is in conflict with what is here. `serials`:
  // added to their numbers, which are then in [first, end); those here have others.
  template <typename F>
  void merge(const Boxes& other, std::uint32_t serials, std::uint32_t first, std::uint32_t end, F conflict);
  // Whatever here is in conflict with `use` of the box.
  template <typename F>
  void for_each_conflict(const Box& box, Use use, F conflict) const;
  void clear() {
    at_.clear();
    places_.clear();
    parts_.clear();
  }

 private:
  // A place of the grid. Most are accessed as a whole, once; what is more than that stands in parts.
  struct Place {
    Box box;
    Entry entry;
    std::int32_t parts = -1;
  };
  struct Part {
    Box box;
    Entries entries;
  };
  template <typename F>
  void for_each_place(const Box& box, F function) const;
  std::vector<Part>& parts_of(Place& place);

  std::array<std::int32_t, Box::kRank> grid_;
  llvm::DenseMap<std::uint64_t, std::uint32_t> at_;
  std::vector<Place> places_;
  std::vector<std::vector<Part>> parts_;
};

// The part of the box that lies in each place of the grid that it meets.
template <typename F>
void Boxes::for_each_place(const Box& box, F function) const {
  std::array<std::int32_t, Box::kRank> first{}, last{}, at{};
  for (int i = 0; i < Box::kRank; ++i) {
    if (box.from[i] >= box.to[i]) return;
    first[i] = box.from[i] / grid_[i];
    last[i] = (box.to[i] - 1) / grid_[i];
  }
  at = first;
  while (true) {
    std::uint64_t key = 0;
    Box part;
    for (int i = 0; i < Box::kRank; ++i) {
      key = key * 0x100000001b3u ^ static_cast<std::uint64_t>(at[i]);
      part.from[i] = std::max(box.from[i], at[i] * grid_[i]);
      part.to[i] = std::min(box.to[i], (at[i] + 1) * grid_[i]);
    }
    function(key * 0x9e3779b97f4a7c15u >> 1, part);
    int i = Box::kRank - 1;
    for (; i >= 0; --i) {
      if (++at[i] <= last[i]) break;
      at[i] = first[i];
    }
    if (i < 0) return;
  }
}

template <typename F>
void Boxes::for_each_conflict(const Box& box, Use use, F conflict) const {
  for_each_place(box, [&](std::uint64_t key, const Box& part) {
    auto found = at_.find(key);
    if (found == at_.end()) return;
    const Place& place = places_[found->second];
    if (place.parts < 0) {
      if (place.box.meets(part) && in_conflict(place.entry.use, use)) conflict(place.entry);
      return;
    }
    for (const Part& other : parts_[static_cast<std::size_t>(place.parts)]) {
      if (!other.box.meets(part)) continue;
      for (const Entry& entry : other.entries) {
        if (in_conflict(entry.use, use)) conflict(entry);
      }
    }
  });
}

template <typename F>
void Boxes::merge(const Boxes& other, std::uint32_t serials, std::uint32_t first, std::uint32_t end, F conflict) {
  auto elsewhere = [&](const Entry& entry) { return entry.who >> 9 < first || entry.who >> 9 >= end; };
  auto bring = [&](std::uint64_t key, const Box& box, Entry entry) {
    entry.who += serials << 9;
    auto [found, fresh] = at_.try_emplace(key, static_cast<std::uint32_t>(places_.size()));
    if (fresh) {
      places_.push_back({box, entry, -1});
      return;
    }
    Place& here = places_[found->second];
    if (here.parts < 0 && here.box == box && entry.use == Use::add && here.entry.use == Use::add) return;
    std::vector<Part>& parts = parts_of(here);
    Part* same = nullptr;
    for (Part& part : parts) {
      if (part.box == box) same = &part;
      if (!part.box.meets(box)) continue;
      for (const Entry& earlier : part.entries) {
        if (in_conflict(earlier.use, entry.use) && elsewhere(earlier)) conflict(earlier, entry, box);
      }
    }
    if (same) {
      same->entries.push_back(entry);
    } else {
      parts.push_back({box, {entry}});
    }
  };
  for (auto& [key, index] : other.at_) {
    const Place& place = other.places_[index];
    if (place.parts < 0) {
      bring(key, place.box, place.entry);
      continue;
    }
    for (const Part& part : other.parts_[static_cast<std::size_t>(place.parts)]) {
      for (const Entry& entry : part.entries) bring(key, part.box, entry);
    }
  }
}

}  // namespace warpcc::order
