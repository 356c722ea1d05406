#include "checker/machine/global_memory.h"

#include <algorithm>

#include "checker/machine/input.h"
#include "checker/machine/numbers.h"

namespace warpcc::machine {

std::uint32_t GlobalBuffer::initial(std::int64_t index) const {
  for (const Limit& limit : limits_) {
    if (index / limit.stride % limit.extent >= limit.valid) return 0x7fffffff;  // NaN in each format, cut to its width
  }
  return kept_ ? 0 : encode_integer(input(number_, static_cast<std::uint64_t>(index)), element_);
}

std::uint32_t GlobalBuffer::load(std::int64_t index) const {
  if (!pages_.empty()) {
    auto page = pages_.find(index / kPage);
    if (page != pages_.end()) {
      std::int64_t at = index % kPage;
      if (page->second->made[at / 64] >> at % 64 & 1) return page->second->bits[at];
    }
  }
  return initial(index);
}

void GlobalBuffer::store(std::int64_t index, std::uint32_t bits, int launch) {
  std::unique_ptr<Page>& page = pages_[index / kPage];
  if (!page) page = std::make_unique<Page>();
  std::int64_t at = index % kPage;
  page->bits[at] = bits;
  page->made[at / 64] |= std::uint64_t{1} << at % 64;
  page->stored[launch % 2][at / 64] |= std::uint64_t{1} << at % 64;
}

void GlobalBuffer::take(const GlobalBuffer& other) {
  for (const auto& [number, from] : other.pages_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) {
      page = std::make_unique<Page>(*from);
      continue;
    }
    for (std::int64_t at = 0; at < kPage; ++at) {
      if (from->made[at / 64] >> at % 64 & 1) page->bits[at] = from->bits[at];
    }
    for (std::size_t word = 0; word < kPage / 64; ++word) {
      page->made[word] |= from->made[word];
      for (int parity : {0, 1}) page->stored[parity][word] |= from->stored[parity][word];
    }
  }
}

void GlobalBuffer::begin_launch(int launch) {
  for (auto& [number, page] : pages_) std::fill_n(page->stored[launch % 2], kPage / 64, 0);
}

bool GlobalBuffer::stored(std::int64_t index, int launch) const {
  auto page = pages_.find(index / kPage);
  return page != pages_.end() && page->second->stored[launch % 2][index % kPage / 64] >> index % kPage % 64 & 1;
}

}  // namespace warpcc::machine
