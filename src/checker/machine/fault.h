// What an operation of the machine finds wrong. Who did it, and where, is known to its caller.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpcc::machine {

struct Fault {
  enum class Kind : std::uint8_t { protocol, memory, named_barrier };
  Kind kind = Kind::protocol;
  std::string text;
};

class Faults {
 public:
  void protocol(std::string text) { list_.push_back({Fault::Kind::protocol, std::move(text)}); }
  void memory(std::string text) { list_.push_back({Fault::Kind::memory, std::move(text)}); }
  void named_barrier(std::string text) { list_.push_back({Fault::Kind::named_barrier, std::move(text)}); }

  bool empty() const { return list_.empty(); }
  std::vector<Fault> take() { return std::exchange(list_, {}); }

 private:
  std::vector<Fault> list_;
};

}  // namespace warpcc::machine
