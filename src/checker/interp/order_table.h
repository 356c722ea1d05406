// What orders what: pairs of accesses that could disturb each other, by their lines and by the lines that order them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "checker/check.h"
#include "checker/order/memory.h"

namespace warpcc::checker {

class OrderTable : public order::Pairs {
 public:
  void pair(const order::Entry& first, const order::Actor& then) override;
  std::vector<OrderedPair> pairs() const;

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, int>;
  std::map<Key, std::uint64_t> counts_;
  Key last_;
  std::uint64_t* last_count_ = nullptr;
};

}  // namespace warpcc::checker
