#include "layout/emit.h"

#include <doctest/doctest.h>

#include <array>

#include "random_maps.h"

namespace warpcc::layout {
namespace {

std::vector<std::int64_t> index_at(const std::vector<std::int64_t>& shape, std::int64_t linear) {
  std::vector<std::int64_t> index;
  for (const std::int64_t extent : shape) {
    index.push_back(linear % extent);
    linear /= extent;
  }
  return index;
}

Physical made(Map map, Swizzle swizzle) {
  llvm::Expected<Physical> layout = Physical::make(std::move(map), swizzle);
  REQUIRE(static_cast<bool>(layout));
  return *layout;
}

}  // namespace

TEST_CASE("what is emitted is the composite, and its divisions are those that it is said to take") {
  RandomMaps random(11);
  std::array<int, 4> forms{};
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t size = 12 * random.between(1, 8);
    const Composite composite(random.padded(size), random.bijection(size));
    const Emission emission(composite);
    CAPTURE(composite.outer().text());
    CAPTURE(composite.inner().text());
    const std::vector<std::int64_t> shape = composite.inner().shape();
    for (std::int64_t i = 0; i < size; ++i) REQUIRE(emission(index_at(shape, i)) == composite.at(i));
    const Arithmetic cost = emission.arithmetic();
    CHECK(cost.divisions + cost.remainders == composite.divisions());
    CHECK((emission.form() == Form::composite) == !composite.decision().strided.has_value());
    CHECK((emission.form() == Form::affine) == (cost.divisions == 0 && !emission.inner()));
    ++forms[static_cast<int>(emission.form())];
  }
  for (const int count : forms) CHECK(count > 100);
}

TEST_CASE("the forms, what they cost and why") {
  const Emission affine(Map({{{4, 24}, {2, 96}}, {{3, 1}}}));
  CHECK(affine.form() == Form::affine);
  CHECK(affine.arithmetic() == Arithmetic{.multiplies = 1});
  CHECK(affine.why() == "a stride for each coordinate");
  const Emission split(Map({{{64, 32}}, {{32, 1}, {2, 4096}}}));
  CHECK(split.form() == Form::one_split);
  CHECK(split.arithmetic() == Arithmetic{.multiplies = 2, .divisions = 1, .remainders = 1, .shifts = 4});
  CHECK(split.why() == "coordinate 1 is split in 2");
  const Emission several(Map({{{3, 1}, {5, 7}, {2, 100}}}));
  CHECK(several.form() == Form::refined);
  CHECK(several.arithmetic() == Arithmetic{.multiplies = 2, .divisions = 2, .remainders = 2});
  const Emission kept(Composite(Map({{{6, 1}}, {{4, 8}}}), Map({{{4, 1}}, {{6, 4}}})));
  CHECK(kept.form() == Form::composite);
  CHECK(kept.arithmetic() == Arithmetic{.multiplies = 2, .divisions = 1, .remainders = 1, .shifts = 2});
  CHECK(kept.why().find("does not divide it") != std::string::npos);
  // What a broadcast mode would divide for is not divided.
  CHECK(Emission(Map({{{4, 1}, {2, 0, true}}})).arithmetic() == Arithmetic{.remainders = 1, .shifts = 1});
}

TEST_CASE("a swizzled address is what is added and the swizzle of the rest") {
  RandomMaps random(12);
  int split = 0, tried = 0;
  for (int round = 0; round < 3000; ++round) {
    const Swizzle swizzle = std::array{swizzle_of_span(32), swizzle_of_span(64), swizzle_of_span(128),
                                       swizzle_of_span(128, 32), swizzle_of_span(128, 64)}[random.between(0, 4)];
    // Some with strides of powers of two, as tiles have, and some with any.
    Map map = random.padded(random.between(1, 96));
    if (random.one_in(2)) {
      std::vector<Mode> modes;
      std::int64_t stride = 1;
      for (const std::int64_t extent : random.factors(std::int64_t{1} << random.between(1, 11))) {
        modes.push_back({extent, stride});
        stride *= extent;
      }
      map = random.shared_out(modes);
    }
    if (random.one_in(4)) map = Map(map.coordinates(), random.between(0, 600));
    const Physical layout = made(map, swizzle);
    // Elements of whole bytes, and such as share them, in bits.
    const int bits = std::array{16, 8, 6, 4}[static_cast<std::size_t>(random.between(0, 3))];
    const SwizzleParts parts = swizzle_parts(layout, bits);
    CAPTURE(map.text());
    CAPTURE(bits);
    ++tried;
    for (std::int64_t i = 0; i < map.size(); ++i) {
      const std::int64_t within = parts.unit_bits == 8 ? 0 : map.at(i) * bits % 8;
      REQUIRE((parts.added.at(i) + parts.swizzle(parts.xored.at(i))) * parts.unit_bits ==
              layout.byte(index_at(map.shape(), i), bits) * 8 + within);
    }
    bool some_added = false;
    for (const Mode& mode : parts.added.modes()) some_added |= mode.extent > 1 && mode.stride != 0;
    split += some_added;
  }
  MESSAGE("of " << tried << " swizzled layouts " << split << " have modes that are only added");
  CHECK(split > 1000);
}

TEST_CASE("the strided part of a stage: eight rows on, and inside a unit") {
  const Physical stage = made(Map({{{128, 64}}, {{64, 1}}, {{4, 8192}}}), swizzle_of_span(128));
  // As one mode the rows reach the swizzled bits; as 8 rows and 16 groups only the 8 do.
  const SwizzleParts whole = swizzle_parts(stage, 16);
  CHECK(whole.added.text() == "(128, 64, 4) : (0, 0, 16384)");
  CHECK(whole.xored.text() == "(128, 64, 4) : (128, 2, 0)");
  const Physical grouped = made(Map({{{8, 64}, {16, 512}}, {{8, 1}, {8, 8}}, {{4, 8192}}}), swizzle_of_span(128));
  const SwizzleParts parts = swizzle_parts(grouped, 16);
  CHECK(parts.added.text() == "((8, 16), (8, 8), 4) : ((0, 1024), (2, 0), 16384)");
  CHECK(parts.xored.text() == "((8, 16), (8, 8), 4) : ((128, 0), (0, 16), 0)");
}

TEST_CASE("what would carry into swizzled bits is refused, with the coordinate") {
  const Physical tile = made(Map({{{64, 64}}, {{64, 1}}}), swizzle_of_span(128));
  const auto misfit = [](const Physical& layout, std::vector<std::int64_t> extents, std::array<bool, 2> later,
                         Join join) {
    return join_misfit({layout, Element::f16, {0, 0}, std::move(extents)}, later, join);
  };
  // Columns within a 16-byte unit are added; the next unit is XORed.
  CHECK_FALSE(misfit(tile, {64, 8}, {false, true}, Join::added));
  CHECK(misfit(tile, {64, 16}, {false, true}, Join::added)->coordinate == std::vector<std::int64_t>{1, 8});
  CHECK(misfit(tile, {64, 16}, {false, true}, Join::added)->reason ==
        "(1, 8) lies at byte 128; added after the swizzle it would be byte 160: the sum carries into the bits that the "
        "swizzle reads or writes");
  CHECK_FALSE(misfit(tile, {64, 64}, {false, true}, Join::xored));
  // Elements of four bits, two to a byte: 32 of them are a unit.
  const Physical narrow = made(Map({{{64, 256}}, {{256, 1}}}), swizzle_of_span(128));
  const std::array<bool, 2> columns{false, true};
  CHECK_FALSE(join_misfit({narrow, Element::f4e2m1, {0, 0}, {64, 32}}, columns, Join::added));
  CHECK(
      join_misfit({narrow, Element::f4e2m1, {0, 0}, {64, 64}}, columns, Join::added)->reason ==
      "(1, 32) lies at bit 1024; added after the swizzle it would be bit 1280: the sum carries into the bits that the "
      "swizzle reads or writes");
  // Rows of 66 elements: the sum of a row's and a column's bytes carries.
  const Physical padded = made(Map({{{64, 66}}, {{64, 1}}}), swizzle_of_span(128));
  const std::optional<Misfit> carry = misfit(padded, {64, 64}, {false, true}, Join::xored);
  REQUIRE(carry);
  CHECK(carry->coordinate == std::vector<std::int64_t>{1, 2});
}

}  // namespace warpcc::layout
