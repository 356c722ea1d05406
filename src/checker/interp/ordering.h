// What a launch remembers of accesses, for the order of each two to be judged (checker/order): the places of shared and
// tensor memory as accesses divide them, the global buffers that somebody writes, and who has been told of.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "checker/interp/code.h"
#include "checker/order/boxes.h"
#include "checker/order/memory.h"
#include "sass/program.h"

namespace warpcc::checker {

// A global buffer's elements by coordinates; in one dimension where its layout is no plain one.
struct Grid {
  bool linear = false;
  std::array<std::int64_t, order::Box::kRank> extent{}, stride{};
  int rank = 0;
  std::array<std::int32_t, order::Box::kRank> unit{};  // what most accesses have

  order::Box box_of(std::int64_t element, std::int64_t count) const;
};

using GlobalOrder = std::vector<std::optional<order::Boxes>>;  // by buffer: those that somebody writes

class Ordering {
 public:
  Ordering(const sass::Program& program, const Code& code);

  GlobalOrder fresh_global() const;
  // `sa[3][37, 8]`, `stage_full[1]`: the element that lies there; empty where nothing is declared.
  std::string shared_element(std::uint32_t offset) const;
  // `sa[3]`, `accumulator_full[0]`: what lies there.
  std::string shared_name(std::uint32_t offset, std::uint32_t bytes) const;
  std::string tensor_name(std::int64_t column, std::int64_t columns) const;
  std::string global_name(std::size_t buffer, const order::Box& box) const;

  order::Partition shared, tensor;
  std::vector<Grid> grids;
  bool is_written(std::size_t buffer) const { return written_[buffer]; }  // in global memory
  std::uint32_t global_agents = 0;
  struct OfGrid {
    std::int64_t cluster = 0;
    int launch = 0;
  };
  std::vector<OfGrid> begun;  // clusters, by their number in order::warp_id

  struct Told {
    std::uint64_t times = 0;
    std::string place;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, Told> told;  // by lines and why
  order::Conflicts conflicts;                                          // of the present access

 private:
  const sass::Program& program_;
  std::vector<bool> written_;
};

}  // namespace warpcc::checker
