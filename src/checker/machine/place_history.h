// What is done to each place of global memory, one thing after the other: two runs of one kernel are compared by it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace warpcc::machine {

// Where a buffer lies that has no address.
constexpr std::uint64_t begin_of_buffer(std::size_t number) {
  return std::uint64_t{number} << 40;
}

class PlaceHistory {
 public:
  enum class Use : std::uint8_t { read, write, add };

  // Bytes [first, first + bytes).
  void note(Use use, std::uint64_t first, std::int64_t bytes);
  // How often and when flags and counters are reached is the schedule's: these are compared with nothing.
  void leave_out(std::uint64_t first, std::int64_t bytes);

  struct Difference {
    std::uint64_t places = 0;  // that differ
    std::int64_t byte = 0;     // of the first of them, from the beginning on
    std::string here, there;   // how it was used last
  };
  // `bytes` bytes from `begin` on here, and from `there` on in another run.
  Difference compare(std::uint64_t begin, const PlaceHistory& other, std::uint64_t there, std::int64_t bytes) const;

 private:
  static constexpr std::uint64_t kPlace = 16;  // bytes
  static constexpr std::size_t kPage = 256;    // places
  // Uses of one kind after the other are counted; what was before is kept as a number that stands for all of it. What
  // reads a place in a row, or adds to it, does so in any order.
  struct Place {
    std::uint32_t past = 0, count = 0, all = 0;
    Use last = Use::read;
    bool left_out = false;

    void note(Use use);
    bool same(const Place& other) const;
    std::string words() const;
  };
  using Page = std::array<Place, kPage>;

  template <typename F>
  void for_each(std::uint64_t first, std::int64_t bytes, F function);
  const Place& at(std::uint64_t place) const;

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace warpcc::machine
