#include "checker/order/memory.h"

#include <algorithm>

namespace warpcc::order {

int Partition::add(std::uint64_t key, llvm::ArrayRef<std::uint32_t> places, std::string name) {
  // How many places of each cell it holds, each place once.
  std::vector<std::uint32_t> inside(places.begin(), places.end());
  std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  while (!inside.empty() && inside.back() >= cell_of_.size()) inside.pop_back();
  llvm::DenseMap<std::uint32_t, std::uint32_t> of_cell;
  for (std::uint32_t place : inside) ++of_cell[cell_of_[place]];

  Footprint footprint;
  footprint.name = std::move(name);
  llvm::DenseMap<std::uint32_t, std::uint32_t> becomes;
  for (auto [cell, count] : of_cell) {
    if (count == cells_[cell].size) {
      footprint.cells.push_back(cell);
      continue;
    }
    cells_[cell].size -= count;
    becomes[cell] = static_cast<std::uint32_t>(cells_.size());
    footprint.cells.push_back(static_cast<std::uint32_t>(cells_.size()));
    cells_.push_back({cell, count});
  }
  for (std::uint32_t place : inside) {
    auto found = becomes.find(cell_of_[place]);
    if (found != becomes.end()) cell_of_[place] = found->second;
  }
  std::sort(footprint.cells.begin(), footprint.cells.end());
  footprint.known_cells = cells_.size();
  footprints_.push_back(std::move(footprint));
  auto number = static_cast<std::uint32_t>(footprints_.size() - 1);
  by_key_[key] = number;
  return static_cast<int>(number);
}

void Partition::refresh(Footprint& footprint) {
  for (std::size_t cell = footprint.known_cells; cell < cells_.size(); ++cell) {
    if (std::binary_search(footprint.cells.begin(), footprint.cells.end(), cells_[cell].parent))
      footprint.cells.push_back(static_cast<std::uint32_t>(cell));  // the newest number: still sorted
  }
  footprint.known_cells = cells_.size();
}

bool Partition::same_lanes(std::uint32_t a, std::uint32_t b) {
  std::uint64_t key = static_cast<std::uint64_t>(a) << 32 | b;
  if (auto found = same_lanes_.find(key); found != same_lanes_.end()) return found->second;
  const auto &first = footprints_[a].lanes, &second = footprints_[b].lanes;
  bool same = true;
  for (std::size_t i = 0, j = 0; i < first.size() && same;) {
    while (j < second.size() && second[j].first < first[i].first) ++j;
    for (std::size_t k = j; k < second.size() && second[k].first == first[i].first; ++k)
      same = same && second[k].second == first[i].second;
    ++i;
  }
  same_lanes_[key] = same;
  return same;
}

void Memory::follow(const Partition& partition) {
  if (cells_.empty()) cells_.emplace_back();
  for (std::size_t cell = cells_.size(); cell < partition.cell_count(); ++cell) {
    Entries of_parent = cells_[partition.parent(cell)];
    cells_.push_back(std::move(of_parent));
  }
}

void Memory::access(Partition& partition, int footprint, const Actor& actor, Conflicts& conflicts, Pairs* pairs) {
  llvm::ArrayRef<std::uint32_t> cells = partition.cells(footprint);
  if (cells_.size() < partition.cell_count()) follow(partition);
  const Epoch& epoch = actor.entry.epoch;
  if (footprint == last_footprint_ && epoch.agent == last_.agent && epoch.time == last_.time &&
      actor.entry.use == last_use_ && !pairs)
    return;
  last_ = epoch;
  last_footprint_ = footprint;
  last_use_ = actor.entry.use;
  for (std::uint32_t cell : cells) {
    check_entries(
        cells_[cell], actor,
        [&](const Entry& a, const Entry& b) { return partition.same_lanes(a.footprint, b.footprint); }, conflicts,
        pairs);
  }
}

}  // namespace warpcc::order
