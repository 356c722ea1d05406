#include "layout/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "layout/part.h"

namespace warpcc::layout {
namespace {

Sum sum_of(const Map& canonical_map) {
  Sum sum{canonical_map.offset(), {}};
  for (int c = 0; c < canonical_map.rank(); ++c) {
    const Coordinate& coordinate = canonical_map.coordinates()[c];
    std::int64_t below = 1;
    for (std::size_t m = 0; m < coordinate.size(); ++m) {
      const auto& [extent, stride, broadcast] = coordinate[m];
      const bool last = m + 1 == coordinate.size();
      if (stride != 0 && extent > 1) sum.terms.push_back({c, below, last ? 0 : extent, stride});
      below *= extent;
    }
  }
  return sum;
}

// Terms of one coordinate share nothing: each takes its own division and remainder.
void count(const Sum& sum, Arithmetic& arithmetic) {
  const auto step = [&](std::int64_t by, int& kind) {
    const std::int64_t magnitude = by < 0 ? -by : by;
    if (magnitude <= 1) return;
    ++kind;
    arithmetic.shifts += std::has_single_bit(static_cast<std::uint64_t>(magnitude));
  };
  for (const Term& term : sum.terms) {
    step(term.divisor, arithmetic.divisions);
    step(term.modulus, arithmetic.remainders);
    step(term.factor, arithmetic.multiplies);
  }
}

struct Split {
  int coordinate = 0;
  int modes = 0;
};
std::vector<Split> splits_of(const Map& canonical_map) {
  std::vector<Split> splits;
  for (int c = 0; c < canonical_map.rank(); ++c)
    if (const std::size_t modes = canonical_map.coordinates()[c].size(); modes > 1)
      splits.push_back({c, static_cast<int>(modes)});
  return splits;
}

// The lowest bit of a number, and all above it.
std::uint64_t from_lowest(std::uint64_t number) {
  return ~((number & (~number + 1)) - 1);
}

// The bits that a mode's bytes can have set.
std::uint64_t bits_of(const Mode& mode) {
  if (mode.extent < 2 || mode.stride == 0) return 0;
  const std::uint64_t stride = static_cast<std::uint64_t>(mode.stride < 0 ? -mode.stride : mode.stride);
  const std::uint64_t last = stride * static_cast<std::uint64_t>(mode.extent - 1);
  // All bits from the lowest that any multiple has; below 0 all above it are set as well.
  const std::uint64_t from = from_lowest(stride);
  return mode.stride < 0 ? from : from & (std::bit_ceil(last + 1) - 1);
}

// The bits that sums of modes can have set: where two share one, all from there on to the largest sum's.
class Bits {
 public:
  void add(std::uint64_t bits, std::int64_t most) {
    if (bits == 0) return;
    most_ += most;
    if ((bits_ & bits) != 0) carries_ = true;
    bits_ |= bits;
  }
  std::uint64_t all() const {
    if (!carries_) return bits_;
    return from_lowest(bits_) & (bits_ | (std::bit_ceil(static_cast<std::uint64_t>(most_) + 1) - 1));
  }

 private:
  std::uint64_t bits_ = 0;
  std::int64_t most_ = 0;
  bool carries_ = false;
};

// Which modes of a map in bytes, and whether its offset, the swizzle is taken of; the others are added. What is added
// may set no bit of the pattern that the swizzle reads or writes, or that what it is taken of sets: then nothing
// carries between them. Each mode that would moves over, until none does.
class Separation {
 public:
  Separation(const Map& bytes, const Swizzle& swizzle)
      : modes_(bytes.modes()), offset_(bytes.offset()), xored_(modes_.size(), false) {
    if (swizzle.bits == 0) return;
    const std::uint64_t run = (std::uint64_t{1} << swizzle.bits) - 1;
    touched_ = run << swizzle.base | run << (swizzle.base + swizzle.shift);
    pattern_ = static_cast<std::uint64_t>(swizzle.pattern()) - 1;
    while (move_over()) continue;
  }

  const std::vector<bool>& xored() const { return xored_; }
  bool offset_xored() const { return offset_xored_; }

 private:
  std::uint64_t offset_bits() const { return static_cast<std::uint64_t>(offset_); }
  static std::int64_t most(const Mode& mode) { return std::max<std::int64_t>(mode.stride, 0) * (mode.extent - 1); }

  bool move_over() {
    Bits taken;
    for (std::size_t i = 0; i < modes_.size(); ++i)
      if (xored_[i]) taken.add(bits_of(modes_[i]), most(modes_[i]));
    if (offset_xored_) taken.add(offset_bits(), offset_);
    const std::uint64_t reserved = (taken.all() | touched_) & pattern_;
    Bits added;
    // Adds the bits, or says that they must not be.
    const auto keeps_out = [&](std::uint64_t bits, std::int64_t most) {
      Bits with = added;
      with.add(bits, most);
      if ((with.all() & reserved) != 0) return false;
      added = with;
      return true;
    };
    bool moved = false;
    if (!offset_xored_ && !keeps_out(offset_bits(), offset_)) offset_xored_ = moved = true;
    for (std::size_t i = 0; i < modes_.size(); ++i)
      if (!xored_[i] && !keeps_out(bits_of(modes_[i]), most(modes_[i]))) xored_[i] = moved = true;
    return moved;
  }

  std::vector<Mode> modes_;
  std::int64_t offset_;
  std::vector<bool> xored_;
  bool offset_xored_ = false;
  std::uint64_t touched_ = 0, pattern_ = 0;
};

// What addresses are counted in: bytes, or bits where elements share bytes.
struct Unit {
  int bits = 8;

  explicit Unit(int element_bits) : bits(element_bits % 8 == 0 ? 8 : 1) {}
  Map of(const Map& map, int element_bits) const {
    const int each = element_bits / bits;
    std::vector<Coordinate> coordinates = map.coordinates();
    for (Coordinate& coordinate : coordinates)
      for (Mode& mode : coordinate) mode.stride *= each;
    return Map(std::move(coordinates), map.offset() * each);
  }
  Swizzle of(Swizzle swizzle) const {
    if (swizzle.bits != 0 && bits == 1) swizzle.base += 3;
    return swizzle;
  }
  const char* word() const { return bits == 8 ? "byte" : "bit"; }
};

// The map of some of its modes, the others at stride 0.
Map some_of(const Map& map, const std::vector<bool>& chosen, bool with_offset) {
  std::vector<Coordinate> coordinates = map.coordinates();
  std::size_t at = 0;
  for (Coordinate& coordinate : coordinates)
    for (Mode& mode : coordinate)
      if (!chosen[at++]) mode.stride = 0;
  return Map(std::move(coordinates), with_offset ? map.offset() : 0);
}

}  // namespace

std::int64_t Sum::operator()(std::span<const std::int64_t> index) const {
  std::int64_t value = offset;
  for (const Term& term : terms) {
    std::int64_t digit = index[term.coordinate] / term.divisor;
    if (term.modulus != 0) digit %= term.modulus;
    value += digit * term.factor;
  }
  return value;
}

std::string_view name(Form form) {
  switch (form) {
    case Form::affine:
      return "affine";
    case Form::one_split:
      return "one split";
    case Form::refined:
      return "several splits";
    case Form::composite:
      return "composite";
  }
  return "";
}

Emission::Emission(const Map& map) {
  const Map form = canonical(map);
  sum_ = sum_of(form);
  const std::vector<Split> splits = splits_of(form);
  if (splits.empty()) {
    why_ = "a stride for each coordinate";
    return;
  }
  form_ = splits.size() == 1 && splits[0].modes == 2 ? Form::one_split : Form::refined;
  for (const Split& split : splits)
    why_ += fmt::format("{}coordinate {} is split in {}", why_.empty() ? "" : ", ", split.coordinate, split.modes);
}

Emission::Emission(const Composite& composite) {
  // A strided form never takes more: each boundary of the outer layout cuts at most one mode of the inner one.
  if (composite.decision().strided) {
    *this = Emission(*composite.decision().strided);
    return;
  }
  form_ = Form::composite;
  inner_ = sum_of(canonical(composite.inner()));
  sum_ = sum_of(canonical(flattened(composite.outer())));
  why_ = composite.decision().obstacle->text();
}

std::int64_t Emission::operator()(std::span<const std::int64_t> index) const {
  if (!inner_) return sum_(index);
  const std::int64_t linear = (*inner_)(index);
  return sum_({&linear, 1});
}

Arithmetic Emission::arithmetic() const {
  Arithmetic arithmetic;
  if (inner_) count(*inner_, arithmetic);
  count(sum_, arithmetic);
  return arithmetic;
}

SwizzleParts swizzle_parts(const Physical& layout, int element_bits) {
  const Unit unit(element_bits);
  const Map map = unit.of(layout.map(), element_bits);
  const Swizzle swizzle = unit.of(layout.swizzle());
  const Separation separation(map, swizzle);
  std::vector<bool> added = separation.xored();
  added.flip();
  return {some_of(map, added, !separation.offset_xored()), some_of(map, separation.xored(), separation.offset_xored()),
          swizzle, unit.bits};
}

std::optional<Misfit> join_misfit(const Part& part, std::span<const bool> later, Join join) {
  if (std::optional<std::string> reason = not_a_part(part)) return Misfit{*reason, {}};
  const Unit unit(bits(part.element));
  const Map map = unit.of(part.layout.map(), bits(part.element));
  const Swizzle swizzle = unit.of(part.layout.swizzle());
  std::int64_t given = 0, wanted = 0;
  const auto difference = first_difference(part, [&](const auto&, const auto& coordinate) {
    std::vector<std::int64_t> first = coordinate;
    for (std::size_t c = 0; c < first.size(); ++c)
      if (later[c]) first[c] = 0;
    const std::int64_t whole = map(coordinate), early = map(first), rest = whole - early;
    wanted = swizzle(whole);
    given = join == Join::added ? swizzle(early) + rest : swizzle(early) ^ swizzle(rest);
    return given != wanted;
  });
  if (!difference) return std::nullopt;
  return Misfit{
      fmt::format("{0} lies at {4} {1}; {2} after the swizzle it would be {4} {3}: the sum carries into the bits "
                  "that the swizzle reads or writes",
                  tuple_text(*difference), wanted, join == Join::added ? "added" : "XORed", given, unit.word()),
      *difference};
}

}  // namespace warpcc::layout
