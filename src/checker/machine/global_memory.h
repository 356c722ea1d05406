// A buffer of global memory: an array of elements that starts as a function of the index (input.h) and is made as it is
// touched.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "layout/element.h"

namespace warpcc::machine {

class GlobalBuffer {
 public:
  // `number` seeds its contents; `kept` memory is zero before the first launch.
  GlobalBuffer(std::uint32_t number, layout::Element element, std::int64_t elements, bool kept)
      : number_(number), element_(element), elements_(elements), kept_(kept) {}

  std::int64_t elements() const { return elements_; }
  layout::Element element() const { return element_; }
  std::uint32_t number() const { return number_; }

  bool kept() const { return kept_; }

  // Elements of which a coordinate, index / stride % extent, is not below `valid` hold no number to begin with.
  struct Limit {
    std::int64_t stride, extent, valid;
  };
  void limit(const Limit& limit) { limits_.push_back(limit); }

  std::uint32_t load(std::int64_t index) const;
  void store(std::int64_t index, std::uint32_t bits, int launch = 0);
  // Whether that launch, one of the last two, has stored to it.
  bool stored(std::int64_t index, int launch = 0) const;
  // What another buffer, the same at first, has been stored to.
  void take(const GlobalBuffer& other);
  // Another launch on the same memory: contents stay.
  void begin_launch(int launch);
  bool touched() const { return !pages_.empty(); }

 private:
  static constexpr std::int64_t kPage = 4096;  // elements
  struct Page {
    std::uint32_t bits[kPage];
    std::uint64_t made[kPage / 64] = {};       // a bit an element: ever
    std::uint64_t stored[2][kPage / 64] = {};  // … by the last launch of even number, of odd number
  };
  std::uint32_t initial(std::int64_t index) const;

  std::uint32_t number_;
  layout::Element element_;
  std::int64_t elements_;
  bool kept_;
  std::vector<Limit> limits_;
  std::unordered_map<std::int64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace warpcc::machine
