// Variants of a kernel beside each other: shorter runs than the table's, many cubins of one product.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure.h"

namespace warpcc::bench {

// All cubins of one product, forwards and backwards by turns, cuBLASLt between every three of them.
class Scan {
 public:
  // The first says of which product; all share its tensors.
  runtime::Error add(const runtime::Driver& driver, const std::string& path);
  const trial::Product& product() const { return variants_.front()->shape.product(); }

  // Which are exact, and cuBLASLt's algorithms.
  runtime::Error check(const Cublaslt& library);
  runtime::Error time_back_to_back(const Timer& timer);
  runtime::Error time_isolated(const Timer& timer, Trace& trace);
  // One line a variant, the fastest isolated first.
  void print() const;

 private:
  struct Variant {
    Shape shape;
    Row row;
  };
  runtime::Error in_turn(const Shape::Time& time, std::vector<double> Slots::* kept, bool dependent);

  std::vector<std::unique_ptr<Variant>> variants_;
  Slots cublaslt_;
};

}  // namespace warpcc::bench
