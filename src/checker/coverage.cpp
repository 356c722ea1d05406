#include "checker/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "checker/machine/counters.h"

namespace warpcc::checker {

std::int64_t Written::store(std::int64_t first, std::int64_t count) {
  std::int64_t end = std::min(first + count, elements_), again = -1;
  for (std::int64_t at = std::max<std::int64_t>(first, 0); at < end;) {
    auto bit = static_cast<unsigned>(at % 64);
    auto width = static_cast<unsigned>(std::min<std::int64_t>(64 - bit, end - at));
    std::uint64_t mask = machine::bits_of(bit, width);
    std::uint64_t& word = once_[static_cast<std::size_t>(at / 64)];
    if (again < 0 && (word & mask) != 0) again = at - bit + std::countr_zero(word & mask);
    word |= mask;
    at += width;
  }
  return again;
}

std::int64_t Written::first_missing(std::int64_t from) const {
  for (std::int64_t at = from; at < elements_; at = at / 64 * 64 + 64) {
    std::uint64_t word = ~once_[static_cast<std::size_t>(at / 64)] >> at % 64 << at % 64;
    if (word == 0) continue;
    std::int64_t found = at / 64 * 64 + std::countr_zero(word);
    return found < elements_ ? found : -1;
  }
  return -1;
}

std::int64_t Written::missing() const {
  std::int64_t stored = 0;
  for (std::uint64_t word : once_) stored += std::popcount(word);
  return elements_ - stored;
}

std::string element_text(const sass::Buffer& buffer, std::int64_t element) {
  const layout::Map& map = buffer.layout.map();
  std::string text;
  for (int i = 0; i < map.rank(); ++i) {
    const layout::Coordinate& modes = map.coordinates()[static_cast<std::size_t>(i)];
    if (modes.size() != 1 || (modes[0].stride <= 0 && modes[0].extent > 1))
      return fmt::format("{}, element {}", buffer.name, element);
    std::int64_t at = modes[0].extent > 1 ? element / modes[0].stride % modes[0].extent : 0;
    text += fmt::format("{}{}", i == 0 ? "" : ", ", at);
  }
  return fmt::format("{}[{}]", buffer.name, text);
}

}  // namespace warpcc::checker
