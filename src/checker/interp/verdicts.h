// Checks that have been passed, by what they depend on: in a ring the same few values come again and again, and what
// has been found right for them is right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpcc::checker {

// Of one check. Keys are compared in full; a place in the table has the key that came last.
class Verdicts {
 public:
  // Its first word is not 0, and all keys have one length.
  using Key = std::span<const std::uint32_t>;

  // Whether the check with this key has been passed.
  bool passed(Key key) {
    if (off_) return false;
    if (keys_.empty()) resize(key.size(), 8);
    at_ = place(key);
    std::uint32_t different = 0;
    for (std::size_t i = 0; i < key.size(); ++i) different |= key[i] ^ keys_[at_ + i];
    if (different == 0) {
      ++hits_;
      return true;
    }
    // Where keys do not come again, looking for them is a waste.
    if (++misses_ > 4096 && hits_ < misses_) off_ = true;
    return false;
  }
  void remember(Key key) {
    if (off_) return;
    if (keys_[at_] != 0 && places_ < kMost) {
      resize(key.size(), places_ * 2);
      at_ = place(key);
    }
    std::copy(key.begin(), key.end(), &keys_[at_]);
  }

 private:
  static constexpr std::size_t kMost = 512;

  std::size_t place(Key key) const {
    std::uint64_t hash = 0;
    for (std::uint32_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return (hash >> 40 & (places_ - 1)) * key.size();
  }
  void resize(std::size_t words, std::size_t places) {
    std::vector<std::uint32_t> before(places * words, 0);
    before.swap(keys_);
    places_ = places;
    for (std::size_t at = 0; at < before.size(); at += words) {
      if (before[at] != 0) std::copy_n(&before[at], words, &keys_[place({&before[at], words})]);
    }
  }

  std::vector<std::uint32_t> keys_;  // one after the other; 0: none
  std::size_t places_ = 0, at_ = 0;
  std::uint32_t hits_ = 0, misses_ = 0;
  bool off_ = false;
};

}  // namespace warpcc::checker
