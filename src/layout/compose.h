// The algebra on layouts: one form for equal functions, composition and whether the composite is a strided layout, and
// restriction, which ends it (docs/layouts.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layout/layout.h"

namespace warpcc::layout {

// The one form of a strided map over its shape: modes of extent 1 dropped, neighbours within a coordinate merged where
// the second goes on where the first ends. Maps over one shape that are equal as functions have equal forms.
Map canonical(const Map& map);
// All coordinates as one, the first the fastest.
Map flattened(const Map& map);
// The map that together with `map` (its coordinates first) is a bijection onto [0, size); none where there is none.
std::optional<Map> complement(const Map& map, std::int64_t size);
// Why there is none, in words for the user.
std::string why_no_complement(const Map& map, std::int64_t size);

// Why a composite is no strided map: a digit of the inner map (one of its modes, as merged) runs over
// [stride, stride × extent) of the outer map's linear index, and a boundary between two modes of the outer map inside
// does not divide it.
struct Obstacle {
  Map outer;  // flattened, canonical
  Map inner;  // canonical
  int coordinate = 0;
  Mode digit;
  std::int64_t boundary = 0;

  std::string text() const;
};

// The composite as a strided map over the inner one's shape, canonical, or why there is none.
struct Decision {
  std::optional<Map> strided;
  std::optional<Obstacle> obstacle;
};
// `inner` is a bijection onto [0, size of outer). Near-linear in the number of modes. Where outer's values are
// distinct, there is no strided form of any refinement where this finds none (docs/layouts.md).
Decision decide(const Map& outer, const Map& inner);

// g ∘ f as a function, which it always is: the outer map at the coordinates that the inner one's value stands for.
class Composite {
 public:
  // `inner` is a bijection onto [0, size of outer).
  Composite(Map outer, Map inner);

  const Map& outer() const { return outer_; }
  const Map& inner() const { return inner_; }
  const Decision& decision() const { return decision_; }

  std::int64_t operator()(std::span<const std::int64_t> index) const { return outer_.at(inner_(index)); }
  std::int64_t at(std::int64_t linear) const { return outer_.at(inner_.at(linear)); }

  // Divisions and remainders that an evaluation takes: of the cheapest form, and without the decision.
  int divisions() const;
  int divisions_undecided() const;

 private:
  Map outer_, inner_;
  Decision decision_;
};

// A composite with the spaces it maps between.
template <Space From, Space To>
class Composition : public Composite {
 public:
  using Composite::Composite;

  // As a layout that can be composed again, where it is strided. The promise holds: the outer layout's does, at every
  // one of its coordinates once.
  std::optional<Layout<From, To>> strided() const {
    if (!decision().strided) return std::nullopt;
    llvm::Expected<Layout<From, To>> layout = Layout<From, To>::make(*decision().strided);
    if (layout) return std::move(*layout);
    llvm::consumeError(layout.takeError());
    return std::nullopt;
  }
};

// Fails, in words for the user, where the inner layout does not land exactly on the outer one's coordinates.
llvm::Error not_composable(const Map& outer, const Map& inner);

template <Space From, Space Middle, Space To>
llvm::Expected<Composition<From, To>> compose(const Layout<Middle, To>& outer, const Layout<From, Middle>& inner) {
  if (llvm::Error error = not_composable(outer, inner)) return error;
  return Composition<From, To>(outer, inner);
}

// Into physical space with a swizzle: of the bytes, after the composite.
template <Space From>
class PhysicalComposition : public Composition<From, Space::physical> {
 public:
  PhysicalComposition(const Physical& outer, Map inner)
      : Composition<From, Space::physical>(outer.map(), std::move(inner)), swizzle_(outer.swizzle()) {}

  const Swizzle& swizzle() const { return swizzle_; }
  std::int64_t byte(std::span<const std::int64_t> index, int element_bits) const {
    return swizzle_((*this)(index)*element_bits / 8);
  }

 private:
  Swizzle swizzle_;
};

template <Space From>
llvm::Expected<PhysicalComposition<From>> compose(const Physical& outer, const Layout<From, Space::logical>& inner) {
  if (llvm::Error error = not_composable(outer.map(), inner)) return error;
  return PhysicalComposition<From>(outer, inner);
}

// A layout or a composite with some coordinates fixed: a warp's or a thread's slice, over the coordinates that are
// left. It is evaluated and emitted, never composed: settle the whole view before slicing it.
class Restricted {
 public:
  // One entry a coordinate; none leaves it free.
  using Fixed = std::span<const std::optional<std::int64_t>>;
  Restricted(const Map& map, Fixed fixed);
  Restricted(const Composite& composite, Fixed fixed);

  std::vector<std::int64_t> shape() const { return inner_.shape(); }
  std::int64_t operator()(std::span<const std::int64_t> index) const {
    const std::int64_t value = inner_(index);
    return outer_ ? outer_->at(value) : value;
  }

 private:
  std::optional<Map> outer_;  // where the composite is kept
  Map inner_;
};

}  // namespace warpcc::layout
