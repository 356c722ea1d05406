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
  using Key = std::span<const std::uint32_t>;

  // Whether the check with this key has been passed. All keys have one length.
  bool passed(Key key) {
    if (off_) return false;
    if (present_.empty()) grow(key.size(), 8);
    at_ = place(key);
    if (present_[at_] && same(key, &keys_[at_ * key.size()])) {
      ++hits_;
      return true;
    }
    // Where keys do not come again, looking for them is a waste.
    if (++misses_ > 4096 && hits_ < misses_) off_ = true;
    return false;
  }
  void remember(Key key) {
    if (off_) return;
    if (present_[at_] && present_.size() < kMost) {
      grow(key.size(), present_.size() * 2);
      at_ = place(key);
    }
    present_[at_] = true;
    std::copy(key.begin(), key.end(), &keys_[at_ * key.size()]);
  }

 private:
  static constexpr std::size_t kMost = 512;

  static bool same(Key key, const std::uint32_t* other) {
    std::uint32_t different = 0;
    for (std::size_t i = 0; i < key.size(); ++i) different |= key[i] ^ other[i];
    return different == 0;
  }
  std::size_t place(Key key) const {
    std::uint64_t hash = 0;
    for (std::uint32_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return (hash >> 40) & (present_.size() - 1);
  }
  void grow(std::size_t words, std::size_t places) {
    std::vector<std::uint32_t> keys(places * words);
    std::vector<char> present(places, 0);
    keys.swap(keys_);
    present.swap(present_);
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (!present[i]) continue;
      Key key(&keys[i * words], words);
      std::size_t to = place(key);
      present_[to] = 1;
      std::copy(key.begin(), key.end(), &keys_[to * words]);
    }
  }

  std::vector<std::uint32_t> keys_;
  std::vector<char> present_;
  std::size_t at_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
  bool off_ = false;
};

}  // namespace warpcc::checker
