// Memory as the order of accesses sees it, by bytes: for kernels of which nobody says what lies where. What has been
// done to a place since it was last written is a list; places with the same list share it, so that an access costs a
// step for each list that it meets, and little for each place.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/order/access.h"
#include "checker/order/memory.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace warpcc::order {

// Lists of accesses, newest first; a list is a number, and 0 the empty one.
class History {
 public:
  History() : nodes_(1) {}

  struct Node {
    std::uint32_t entry = 0, next = 0, length = 0;
  };
  // So many accesses of a place are remembered, and where there are more, the newest: of readers that nobody follows
  // with a write there may be any number.
  static constexpr std::uint32_t kLongest = 24, kKept = 8;
  const Node& node(std::uint32_t list) const { return nodes_[list]; }
  const Entry& entry(std::uint32_t list) const { return entries_[nodes_[list].entry]; }
  std::uint32_t add(const Entry& entry);
  std::uint32_t push(std::uint32_t entry, std::uint32_t list) {
    nodes_.push_back({entry, list, nodes_[list].length + 1});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> of_line_;  // the last of each line
  std::vector<Node> nodes_;
};

// One access, as it goes from place to place: what list follows which.
class Step {
 public:
  using Order = llvm::function_ref<Why(const Entry&)>;  // of an earlier access and this

  Step(History& history, const Entry& now, Order order, Conflicts& conflicts)
      : history_(history), now_(now), order_(order), conflicts_(conflicts) {}

  std::uint32_t operator()(std::uint32_t list) {
    for (const Known& known : known_) {
      if (known.from == list) return known.to;
    }
    std::uint32_t to = follow(list);
    known_[next_++ % known_.size()] = {list, to};
    return to;
  }
  bool writes() const { return now_.use == Use::write; }
  bool reads() const { return now_.use == Use::read || now_.use == Use::strong_read; }

 private:
  std::uint32_t follow(std::uint32_t list);

  struct Known {
    std::uint32_t from = ~0u, to = 0;
  };
  History& history_;
  Entry now_;
  Order order_;
  Conflicts& conflicts_;
  std::array<Known, 8> known_;
  std::size_t next_ = 0;
  std::uint32_t written_ = 0;  // the list of what a write leaves: one for all places
};

class Flat {
 public:
  static constexpr std::uint32_t kPage = 1024, kUnit = 16;

  void access(std::uint64_t begin, std::uint64_t bytes, Step& step);
  // The units of a page that starts at `begin`, a bit each.
  void access_units(std::uint64_t begin, std::uint64_t units, Step& step);

  // function(list, address), for each list that a place has.
  template <typename F>
  void for_each(F function) const {
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const Page& page = pages_[i];
      if (page.shift == kWhole) {
        if (page.list != 0) function(page.list, i * kPage);
        continue;
      }
      std::uint32_t last = 0;
      for (std::uint32_t at = 0; at < kPage >> page.shift; ++at) {
        if (page.cells[at] != last && page.cells[at] != 0) function(page.cells[at], i * kPage + (at << page.shift));
        last = page.cells[at];
      }
    }
  }

 private:
  static constexpr std::uint8_t kWhole = 10;  // a page that no access has parted
  struct Page {
    std::uint32_t list = 0;
    std::uint8_t shift = kWhole;
    std::unique_ptr<std::uint32_t[]> cells;  // of 1 << shift bytes
  };
  static void part(Page& page, std::uint8_t shift);
  static void access_page(Page& page, std::uint32_t from, std::uint32_t to, Step& step);

  std::vector<Page> pages_;
};

}  // namespace warpcc::order
