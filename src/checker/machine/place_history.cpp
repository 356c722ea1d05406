#include "checker/machine/place_history.h"

#include <fmt/format.h>

namespace warpcc::machine {

void PlaceHistory::Place::note(Use use) {
  ++all;
  if (count > 0 && last == use && use != Use::write) {
    ++count;
    return;
  }
  past = (past ^ (count * 4 + static_cast<std::uint32_t>(last))) * 0x9e3779b1u + (past >> 15) + 1;
  last = use;
  count = 1;
}

bool PlaceHistory::Place::same(const Place& other) const {
  return left_out || other.left_out || (past == other.past && count == other.count && last == other.last);
}

std::string PlaceHistory::Place::words() const {
  if (count == 0) return "not reached";
  const char* how = last == Use::read ? "read" : last == Use::write ? "written" : "added to";
  return fmt::format("{} last, of {} accesses", how, all);
}

template <typename F>
void PlaceHistory::for_each(std::uint64_t first, std::int64_t bytes, F function) {
  if (bytes <= 0) return;
  const std::uint64_t end = (first + static_cast<std::uint64_t>(bytes) - 1) / kPlace;
  for (std::uint64_t place = first / kPlace; place <= end; ++place) {
    if (place / kPage != last_) {
      std::unique_ptr<Page>& page = pages_[place / kPage];
      if (!page) page = std::make_unique<Page>();
      last_ = place / kPage;
      last_page_ = page.get();
    }
    function((*last_page_)[place % kPage]);
  }
}

void PlaceHistory::note(Use use, std::uint64_t first, std::int64_t bytes) {
  for_each(first, bytes, [use](Place& place) { place.note(use); });
}

void PlaceHistory::leave_out(std::uint64_t first, std::int64_t bytes) {
  for_each(first, bytes, [](Place& place) { place.left_out = true; });
}

const PlaceHistory::Place& PlaceHistory::at(std::uint64_t place) const {
  static const Place kUntouched;
  auto found = pages_.find(place / kPage);
  return found == pages_.end() ? kUntouched : (*found->second)[place % kPage];
}

PlaceHistory::Difference PlaceHistory::compare(std::uint64_t begin, const PlaceHistory& other, std::uint64_t there,
                                               std::int64_t bytes) const {
  Difference result;
  for (std::int64_t byte = 0; byte < bytes; byte += static_cast<std::int64_t>(kPlace)) {
    const Place& mine = at((begin + static_cast<std::uint64_t>(byte)) / kPlace);
    const Place& its = other.at((there + static_cast<std::uint64_t>(byte)) / kPlace);
    if (mine.same(its)) continue;
    if (result.places++ > 0) continue;
    result.byte = byte;
    result.here = mine.words();
    result.there = its.words();
  }
  return result;
}

}  // namespace warpcc::machine
