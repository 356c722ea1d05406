// The instructions of a kernel one after the other, and what the indices of their operands are there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "sema/kernel.h"

namespace warpcc::report {

class KernelWalk {
 public:
  explicit KernelWalk(const kernel::Kernel& kernel) : kernel_(kernel) {}

  const kernel::Kernel& kernel() const { return kernel_; }

  // In program order: start, the roles, finish. The answers below are those of the place that the walk is at.
  void each_instruction(llvm::function_ref<void(const kernel::Instruction&)> visit);

  // The values that an atom takes.
  kernel::Range range(const kernel::Atom& atom) const;
  std::int64_t count(const kernel::Atom& atom) const;
  std::string name(const kernel::Atom& atom) const;

  // A value for each atom; those that are not listed are at their first one.
  struct Place {
    std::int64_t lane = 0;
    std::vector<std::pair<kernel::Atom, std::int64_t>> values;
  };
  std::int64_t value(const kernel::Index& index, const Place& place) const;
  // Whether the comparisons of a guard hold there.
  bool holds(const kernel::Facts& facts, const Place& place) const;

  // The places that the atoms of a view, but for the lane, may be at: some values of each, at most so many places.
  static constexpr int kMostPlaces = 256;
  void each_place(const kernel::View& view, llvm::function_ref<void(const Place&)> visit) const;

 private:
  void visit_block(const kernel::Block& block, llvm::function_ref<void(const kernel::Instruction&)> visit) const;
  void collect(const kernel::Index& index, std::vector<kernel::Atom>& atoms) const;
  kernel::Range range(const kernel::Index& index) const;

  const kernel::Kernel& kernel_;
  int warps_ = 1;
};

// A text on one line, its blanks single.
std::string one_line(std::string_view text);

}  // namespace warpcc::report
