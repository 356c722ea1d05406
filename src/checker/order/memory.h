// Memory as the order of accesses sees it. Accesses have footprints, sets of places of a memory; the places that no
// footprint tells apart are a cell, so that an access in a loop is a step for each of a few cells, whatever its size.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "checker/order/access.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::order {

// The footprints of one kind of memory, shared by all CTAs, and its places divided by them.
class Partition {
 public:
  explicit Partition(std::uint32_t places) : cell_of_(places, 0), cells_(1, {0, places}) {}

  // The footprint that `key` was given to; none: -1.
  int find(std::uint64_t key) const {
    auto found = by_key_.find(key);
    return found == by_key_.end() ? -1 : static_cast<int>(found->second);
  }
  // A new footprint. `places` may repeat; those outside are left out.
  int add(std::uint64_t key, llvm::ArrayRef<std::uint32_t> places, std::string name);
  // By lanes: the lane that reaches each place, as many as places.
  void by_lanes(int footprint, std::vector<std::pair<std::uint32_t, std::uint8_t>> lanes) {
    footprints_[static_cast<std::size_t>(footprint)].lanes = std::move(lanes);
  }

  llvm::ArrayRef<std::uint32_t> cells(int footprint) {
    Footprint& which = footprints_[static_cast<std::size_t>(footprint)];
    if (which.known_cells != cells_.size()) refresh(which);
    return which.cells;
  }
  std::size_t cell_count() const { return cells_.size(); }
  std::uint32_t parent(std::size_t cell) const { return cells_[cell].parent; }
  const std::string& name(int footprint) const { return footprints_[static_cast<std::size_t>(footprint)].name; }

  // Whether two accesses by lanes of a warp touch no place from two lanes.
  bool same_lanes(std::uint32_t a, std::uint32_t b);

 private:
  struct Cell {
    std::uint32_t parent, size;
  };
  struct Footprint {
    std::vector<std::uint32_t> cells;
    std::size_t known_cells = 0;
    std::string name;
    std::vector<std::pair<std::uint32_t, std::uint8_t>> lanes;  // sorted
  };
  void refresh(Footprint& footprint);

  std::vector<std::uint32_t> cell_of_;
  std::vector<Cell> cells_;
  std::vector<Footprint> footprints_;
  llvm::DenseMap<std::uint64_t, std::uint32_t> by_key_;
  llvm::DenseMap<std::uint64_t, bool> same_lanes_;
};

using Conflicts = llvm::SmallVector<Conflict, 4>;
// What is told of every two accesses that could disturb each other and are ordered.
class Pairs {
 public:
  virtual ~Pairs() = default;
  virtual void pair(const Entry& first, const Actor& then) = 0;

  const std::string* place = nullptr;  // of the present access
};

// What is remembered of a place: who has accessed it since it was last written, and who wrote it.
using Entries = llvm::SmallVector<Entry, 2>;

template <typename SameLanes>
void check_entries(Entries& entries, const Actor& actor, SameLanes same_lanes, Conflicts& conflicts, Pairs* pairs) {
  const Entry& now = actor.entry;
  Entry* same = nullptr;
  for (Entry& entry : entries) {
    if (in_conflict(entry.use, now.use)) {
      Why why = between(entry, actor, same_lanes);
      if (why != Why::ordered) {
        conflicts.push_back({entry, why});
      } else if (pairs) {
        pairs->pair(entry, actor);
      }
    }
    if (entry.epoch.agent == now.epoch.agent && entry.use == now.use && entry.who == now.who) same = &entry;
  }
  if (now.use == Use::write) {
    entries.clear();
    entries.push_back(now);
  } else if (same) {
    *same = now;
  } else {
    entries.push_back(now);
  }
}

// One CTA's.
class Memory {
 public:
  void access(Partition& partition, int footprint, const Actor& actor, Conflicts& conflicts, Pairs* pairs);
  // All that is remembered, once.
  template <typename F>
  void for_each(F function) const {
    for (const Entries& entries : cells_) {
      for (const Entry& entry : entries) function(entry);
    }
  }

 private:
  void follow(const Partition& partition);

  std::vector<Entries> cells_;
  // The last access, where the next is the same again.
  Epoch last_;
  int last_footprint_ = -1;
  Use last_use_ = Use::read;
};

}  // namespace warpcc::order
