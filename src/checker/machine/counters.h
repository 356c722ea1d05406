// Sixty-four small counters as planes of bits: adding to many of them at once costs what one costs.
#pragma once

#include <array>
#include <cstdint>

namespace warpcc::machine {

class Counters {
 public:
  // One more, one less, in those of `mask`. None goes below 0, or beyond what 16 bits hold.
  void add(std::uint64_t mask) {
    any_ |= mask;
    std::uint64_t carry = mask;
    for (int plane = 0; carry != 0 && plane < kPlanes; ++plane) {
      std::uint64_t& bits = planes_[static_cast<std::size_t>(plane)];
      std::uint64_t both = bits & carry;
      bits ^= carry;
      carry = both;
      if (plane >= used_) used_ = plane + 1;
    }
  }
  void remove(std::uint64_t mask) {
    std::uint64_t borrow = mask & any_;
    for (int plane = 0; borrow != 0 && plane < used_; ++plane) {
      std::uint64_t& bits = planes_[static_cast<std::size_t>(plane)];
      std::uint64_t missing = ~bits & borrow;
      bits ^= borrow;
      borrow = missing;
    }
    any_ = 0;
    for (int plane = 0; plane < used_; ++plane) any_ |= planes_[static_cast<std::size_t>(plane)];
  }
  // Those that are above 0, a bit each.
  std::uint64_t above_zero() const { return any_; }

 private:
  static constexpr int kPlanes = 16;
  std::uint64_t any_ = 0;
  int used_ = 0;  // planes beyond are 0
  std::array<std::uint64_t, kPlanes> planes_{};
};

// Bits [first, first + count) of a word of 64.
inline std::uint64_t bits_of(unsigned first, unsigned count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace warpcc::machine
