#include "checker/order/flat.h"

#include <algorithm>

namespace warpcc::order {

std::uint32_t History::add(const Entry& entry) {
  if (of_line_.size() <= entry.line) of_line_.resize(entry.line + 1, ~0u);
  std::uint32_t& known = of_line_[entry.line];
  // A line that runs again, and nothing has been told between.
  if (known != ~0u) {
    const Entry& last = entries_[known];
    if (last.epoch.agent == entry.epoch.agent && last.epoch.time == entry.epoch.time && last.use == entry.use &&
        last.who == entry.who && last.footprint == entry.footprint)
      return known;
  }
  entries_.push_back(entry);
  return known = static_cast<std::uint32_t>(entries_.size() - 1);
}

std::uint32_t Step::follow(std::uint32_t list) {
  std::uint32_t same = 0;
  for (std::uint32_t at = list; at != 0; at = history_.node(at).next) {
    const Entry& entry = history_.entry(at);
    if (in_conflict(entry.use, now_.use)) {
      Why why = order_(entry);
      if (why != Why::ordered) conflicts_.push_back({entry, why});
    }
    if (entry.epoch.agent == now_.epoch.agent && entry.use == now_.use && entry.who == now_.who) same = at;
  }
  if (same != 0) {
    const Entry& entry = history_.entry(same);
    // Asked for again and again: nothing new.
    if (entry.epoch.time == now_.epoch.time && entry.line == now_.line && !writes()) return list;
  }
  std::uint32_t number = history_.add(now_);
  if (writes()) return written_ != 0 ? written_ : written_ = history_.push(number, 0);
  if (same == 0) {
    if (history_.node(list).length < History::kLongest) return history_.push(number, list);
    // The newest few, and what is the oldest: the last write.
    std::uint32_t newest[History::kKept], oldest = list;
    for (std::uint32_t i = 0, at = list; i < History::kKept; ++i, at = history_.node(at).next)
      newest[i] = history_.node(at).entry;
    while (history_.node(oldest).next != 0) oldest = history_.node(oldest).next;
    std::uint32_t result = history_.push(history_.node(oldest).entry, 0);
    for (std::uint32_t i = History::kKept; i > 0; --i) result = history_.push(newest[i - 1], result);
    return history_.push(number, result);
  }
  // The newer takes the older's place.
  std::uint32_t before[64];
  std::size_t count = 0;
  std::uint32_t at = list;
  for (; at != same && count < 64; at = history_.node(at).next) before[count++] = history_.node(at).entry;
  if (at != same) return history_.push(number, list);
  std::uint32_t result = history_.node(same).next;
  while (count > 0) result = history_.push(before[--count], result);
  return history_.push(number, result);
}

void Flat::part(Page& page, std::uint8_t shift) {
  const std::uint32_t count = kPage >> shift;
  auto cells = std::make_unique<std::uint32_t[]>(count);
  for (std::uint32_t i = 0; i < count; ++i)
    cells[i] = page.shift == kWhole ? page.list : page.cells[i << shift >> page.shift];
  page.cells = std::move(cells);
  page.shift = shift;
}

void Flat::access_page(Page& page, std::uint32_t from, std::uint32_t to, Step& step) {
  const bool whole = from == 0 && to == kPage;
  if (whole && page.shift == kWhole) {
    page.list = step(page.list);
    return;
  }
  std::uint8_t shift = (from | to) % kUnit == 0 ? 4 : (from | to) % 4 == 0 ? 2 : (from | to) % 2 == 0 ? 1 : 0;
  if (page.shift > shift) part(page, shift);
  std::uint32_t last = ~0u, next = 0;
  for (std::uint32_t at = from >> page.shift; at < to >> page.shift; ++at) {
    std::uint32_t& cell = page.cells[at];
    if (cell != last) {
      last = cell;
      next = step(last);
    }
    cell = next;
  }
  if (whole && step.writes()) {
    // What is written at once is one again.
    page.list = page.cells[0];
    bool one = std::all_of(page.cells.get(), page.cells.get() + (kPage >> page.shift),
                           [&](std::uint32_t cell) { return cell == page.list; });
    if (one) {
      page.cells.reset();
      page.shift = kWhole;
    }
  }
}

void Flat::access(std::uint64_t begin, std::uint64_t bytes, Step& step) {
  if (bytes == 0) return;
  const std::uint64_t end = begin + bytes;
  if (pages_.size() * kPage < end) pages_.resize((end + kPage - 1) / kPage);
  while (begin < end) {
    std::uint64_t page = begin / kPage, to = std::min(end, (page + 1) * kPage);
    access_page(pages_[page], static_cast<std::uint32_t>(begin % kPage), static_cast<std::uint32_t>(to - page * kPage),
                step);
    begin = to;
  }
}

void Flat::access_units(std::uint64_t begin, std::uint64_t units, Step& step) {
  const std::uint64_t number = begin / kPage;
  if (pages_.size() <= number) pages_.resize(number + 1);
  Page& page = pages_[number];
  if (units == ~std::uint64_t{0}) return access_page(page, 0, kPage, step);
  if (page.shift > 4) part(page, 4);
  const std::uint32_t cells = kUnit >> page.shift;
  std::uint32_t last = ~0u, next = 0;
  for (std::uint32_t unit = 0; unit < 64; ++unit) {
    if (!(units >> unit & 1)) continue;
    for (std::uint32_t at = unit * cells; at < (unit + 1) * cells; ++at) {
      std::uint32_t& cell = page.cells[at];
      if (cell != last) {
        last = cell;
        next = step(last);
      }
      cell = next;
    }
  }
}

}  // namespace warpcc::order
