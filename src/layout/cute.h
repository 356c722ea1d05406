// CuTe's operations on layouts, in terms of ours: for who knows kernels by them, and for tests against code that is
// written with them. Each mode of CuTe's outermost tuple is one coordinate here, its own nesting flattened, which does
// not change the function. Coalescing is `canonical` (compose.h), and flattening `flattened`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layout/compose.h"
#include "layout/layout.h"
#include "llvm/Support/Error.h"

namespace warpcc::layout::cute {

// What composition, division and product make: `outer` at the linear index that `inner` gives, over the coordinates of
// `inner`. Unlike our own composite, `inner` need not land on all of `outer`, may repeat itself, and may reach past
// outer's end, which then goes on along its last mode. Negative indices divide with truncation, as in CuTe.
class View {
 public:
  View(Map outer, Map inner);

  const Map& outer() const { return outer_; }
  const Map& inner() const { return inner_; }
  std::int64_t size() const { return inner_.size(); }
  std::int64_t at(std::int64_t linear) const { return outer_.at(inner_.at(linear)); }

  // Our composite behind it: inner's modes that move, a coordinate each, and last their complement, of which a view is
  // the part at 0. None where they have no complement: they overlap, or some stride is negative.
  std::optional<Composite> composite() const;
  // The view as a strided map over inner's shape, where there is a composite and its moving modes are cut.
  std::optional<Map> strided() const;

 private:
  Map moving() const;  // inner's modes that move, a coordinate each

  Map outer_, inner_;
};

// A map for each of the first coordinates of what it is applied to.
using Tilers = std::span<const Map>;
// Tilers of extents: the first so many elements of each coordinate.
std::vector<Map> tilers(std::span<const std::int64_t> extents);

// a(b(c)); by coordinate, of those that a tiler is given for, the others at 0.
View composition(const Map& a, const Map& b);
llvm::Expected<View> composition(const Map& a, Tilers tilers);
View with_shape(const Map& a, std::span<const std::int64_t> shape);

// The gaps between the modes of `a`, and after them as many repetitions as `cotarget` has. Ours (compose.h) where there
// is one of its size; else, as in CuTe, the repetitions are rounded up, and a gap that the modes below do not divide is
// rounded down.
llvm::Expected<Map> complement(const Map& a, std::span<const std::int64_t> cotarget);

// `a` at (tiler, the tiler's complement); by coordinate, or with all tilers before all complements. CuTe's tiled and
// flat division nest the latter in other ways.
llvm::Expected<View> logical_divide(const Map& a, const Map& tiler);
llvm::Expected<View> logical_divide(const Map& a, Tilers tilers);
llvm::Expected<View> zipped_divide(const Map& a, Tilers tilers);

// `a`, and its complement at `b`; by coordinate, or with all of `a` first. CuTe's tiled and flat product nest the
// latter in other ways.
llvm::Expected<View> logical_product(const Map& a, const Map& b);
llvm::Expected<View> logical_product(const Map& a, Tilers tilers);
llvm::Expected<View> zipped_product(const Map& a, Tilers tilers);
// Coordinate by coordinate, first a's, or first b's.
llvm::Expected<View> blocked_product(const Map& a, const Map& b);
llvm::Expected<View> raked_product(const Map& a, const Map& b);
// The block repeated over a shape that it divides, along the first coordinate first, or along the last.
llvm::Expected<View> tile_to_shape(const Map& block, std::span<const std::int64_t> shape, bool last_first = false);

// r with a(r(i)) = i, on the longest run from 0 that single modes make up.
Map right_inverse(const Map& a);
// r with r(a(i)) = i where `a` is injective, a(r(a(i))) = a(i) where some strides are 0. Each stride must be a multiple
// of those below.
llvm::Expected<Map> left_inverse(const Map& a);

// Without the modes of stride 0; those modes alone, as indices of `a`.
Map filter_zeros(const Map& a);
Map filter(const Map& a);
Map nullspace(const Map& a);

// In units of `factor` elements, and the other way.
llvm::Expected<Map> upcast(const Map& a, std::int64_t factor);
llvm::Expected<Map> downcast(const Map& a, std::int64_t factor);

}  // namespace warpcc::layout::cute
