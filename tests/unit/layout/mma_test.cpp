#include "layout/mma.h"

#include <doctest/doctest.h>

namespace warpcc::layout {

TEST_CASE("shares and fragments are bijections") {
  for (const bool pair : {false, true})
    for (int n = 16; n <= 256; n += 16) CHECK(static_cast<bool>(ThreadValue::make(tcgen05_share(n, 16, pair))));
  for (int n = 8; n <= 256; n += 8) CHECK(static_cast<bool>(ThreadValue::make(wgmma_accumulator(n))));
  for (const Element element : {Element::f16, Element::tf32, Element::f8e4m3})
    CHECK(static_cast<bool>(ThreadValue::make(wgmma_register_operand(element))));
}

// PTX ISA, wgmma: the figures of D's and A's fragments.
TEST_CASE("a warpgroup's fragments, at a few places") {
  const auto at = [](const Map& map, std::int64_t thread, std::int64_t value) {
    const std::int64_t index[] = {thread, value};
    const std::int64_t element = map(index);
    return std::pair(element % kWgmmaRows, element / kWgmmaRows);
  };
  const Map d = wgmma_accumulator(16);
  CHECK(at(d, 0, 0) == std::pair<std::int64_t, std::int64_t>(0, 0));
  CHECK(at(d, 5, 1) == std::pair<std::int64_t, std::int64_t>(1, 3));
  CHECK(at(d, 5, 2) == std::pair<std::int64_t, std::int64_t>(9, 2));
  CHECK(at(d, 32, 4) == std::pair<std::int64_t, std::int64_t>(16, 8));
  const Map a = wgmma_register_operand(Element::f8e4m3);
  CHECK(at(a, 1, 3) == std::pair<std::int64_t, std::int64_t>(0, 7));
  CHECK(at(a, 127, 15) == std::pair<std::int64_t, std::int64_t>(63, 31));
}

TEST_CASE("wgmma's N") {
  using Kind = InstructionDescriptor::Kind;
  CHECK_FALSE(wgmma_shape_misfit(Kind::f16, 8));
  CHECK_FALSE(wgmma_shape_misfit(Kind::f16, 248));
  CHECK_FALSE(wgmma_shape_misfit(Kind::i8, 24));
  CHECK(wgmma_shape_misfit(Kind::i8, 40));
  CHECK(wgmma_shape_misfit(Kind::f16, 264) == "N = 264: wgmma has N = 8 to 256 in steps of 8");
}

}  // namespace warpcc::layout
