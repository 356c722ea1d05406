// Index arithmetic: the cheapest exact form in which a kernel computes a layout's value, and what it costs. And a
// swizzled address in two parts, what is added and what the swizzle is taken of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layout/atoms.h"
#include "layout/compose.h"

namespace warpcc::layout {

// index[coordinate] / divisor % modulus * factor; a modulus of 0 is none.
struct Term {
  int coordinate = 0;
  std::int64_t divisor = 1, modulus = 0, factor = 1;

  friend bool operator==(const Term&, const Term&) = default;
};

// An offset and terms that are summed. Terms that add nothing are left out.
struct Sum {
  std::int64_t offset = 0;
  std::vector<Term> terms;

  std::int64_t operator()(std::span<const std::int64_t> index) const;
};

// What an evaluation takes. Multiplications are those by more than 1. Of all of them, `shifts` are by powers of two: a
// shift or a mask does.
struct Arithmetic {
  int multiplies = 0, divisions = 0, remainders = 0;
  int shifts = 0;

  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
};

enum class Form : std::uint8_t {
  affine,     // a stride for each coordinate
  one_split,  // one coordinate split in two
  refined,    // several splits
  composite   // the inner layout's value, taken apart into the outer one's coordinates
};
std::string_view name(Form form);

class Emission {
 public:
  explicit Emission(const Map& map);
  explicit Emission(const Composite& composite);

  Form form() const { return form_; }
  // The value; of a composite it is a sum over the one coordinate that `inner` computes.
  const Sum& sum() const { return sum_; }
  const std::optional<Sum>& inner() const { return inner_; }
  // Why it is this form, in words for the user: the splits, or where the composite's cut fails.
  const std::string& why() const { return why_; }

  std::int64_t operator()(std::span<const std::int64_t> index) const;
  Arithmetic arithmetic() const;

 private:
  Form form_ = Form::affine;
  std::optional<Sum> inner_;
  Sum sum_;
  std::string why_;
};

// A swizzled address as added(c) + swizzle(xored(c)), both over the layout's shape: `xored` has the modes that
// reach the bits that the swizzle reads or writes, or could carry into them; the others are added as in any layout.
// Holds at every coordinate. In bytes, or in bits where elements share bytes; `swizzle` is of the same.
struct SwizzleParts {
  Map added, xored;
  Swizzle swizzle;
  int unit_bits = 8;
};
SwizzleParts swizzle_parts(const Physical& layout, int element_bits);

// How some coordinates join the address of the others once that is swizzled: added, as an instruction's immediate is,
// or, swizzled themselves, XORed.
enum class Join : std::uint8_t { added, xored };
// Whether the result is the layout's address; else the first coordinate, last fastest, at which the sum
// carries into swizzled bits, or changes what is read of them. `later`, one entry a coordinate, says which join.
std::optional<Misfit> join_misfit(const Part& part, std::span<const bool> later, Join join);

}  // namespace warpcc::layout
