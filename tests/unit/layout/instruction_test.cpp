#include <doctest/doctest.h>

#include "layout/atoms.h"

namespace warpcc::layout {

using Kind = InstructionDescriptor::Kind;

TEST_CASE("the pair's f16 instruction of 256 by 256") {
  CHECK(InstructionDescriptor{.m = 256, .n = 256}.encode() == 0x10400010);
}

TEST_CASE("instruction descriptors: bits that are none are none") {
  const std::uint32_t good = 0x10400010;
  REQUIRE(InstructionDescriptor::decode(good, Kind::f16));
  for (const int bit : {3, 5, 6, 8, 9, 11, 12, 23, 29})
    CHECK_FALSE(InstructionDescriptor::decode(good ^ 1u << bit, Kind::f16));
  CHECK_FALSE(InstructionDescriptor::decode(good, Kind::tf32));
  CHECK_FALSE(InstructionDescriptor::decode(good, Kind::i8));
  CHECK_FALSE(InstructionDescriptor::decode(good & ~(0x3fu << 17), Kind::f16));
  CHECK_FALSE(InstructionDescriptor::decode(good & ~(0x1fu << 24), Kind::f16));
}

TEST_CASE("shapes of MMAs") {
  CHECK_FALSE(mma_shape_misfit(Kind::f16, 256, 256, true));
  CHECK_FALSE(mma_shape_misfit(Kind::f16, 128, 16, true));
  CHECK_FALSE(mma_shape_misfit(Kind::f16, 64, 8, false));
  CHECK_FALSE(mma_shape_misfit(Kind::i8, 64, 24, false));
  CHECK_FALSE(mma_shape_misfit(Kind::i8, 64, 48, false));
  CHECK(mma_shape_misfit(Kind::f16, 192, 128, true) ==
        "M = 192: a pair's MMA has M = 128 or 256, so its A has 64 or 128 rows in each CTA");
  CHECK(mma_shape_misfit(Kind::f16, 256, 128, false));
  CHECK(mma_shape_misfit(Kind::f16, 128, 0, false));
  CHECK(mma_shape_misfit(Kind::f16, 128, 264, false));
  CHECK(mma_shape_misfit(Kind::f16, 128, 24, true));
  CHECK(mma_shape_misfit(Kind::i8, 128, 40, false));
  CHECK(mma_shape_misfit(Kind::i8, 128, 48, true));
  CHECK_FALSE(mma_kind(Element::f16, Element::tf32));
  CHECK_FALSE(mma_kind(Element::u32, Element::u32));
  CHECK(mma_k(Kind::f16) == 16);
  CHECK(mma_k(Kind::tf32) == 8);
  CHECK(mma_k(Kind::i8) == 32);
}

TEST_CASE("block-scaled instruction descriptors come back; bits that are none are none") {
  using Scaled = BlockScaledDescriptor;
  Scaled descriptor;
  descriptor.kind = Scaled::Kind::mxf4nvf4;
  descriptor.a = descriptor.b = Element::f4e2m1;
  descriptor.scale = Scaled::Scale::ue4m3;
  descriptor.m = descriptor.n = 256;
  descriptor.a_scale_byte = 1;
  descriptor.b_scale_byte = 2;
  CHECK(descriptor.encode() == 0x304004a0);
  CHECK(Scaled::decode(0x304004a0, Scaled::Kind::mxf4nvf4) == descriptor);
  for (const int bit : {0, 1, 3, 6, 8, 11, 31})
    CHECK_FALSE(Scaled::decode(0x304004a0u ^ 1u << bit, Scaled::Kind::mxf4nvf4));
  // Scales of e4m3 are for mxf4nvf4 alone, and code 1 is another element in mxf8f6f4.
  CHECK_FALSE(Scaled::decode(0x304004a0, Scaled::Kind::mxf4));
  CHECK_FALSE(Scaled::decode(0x304004a0, Scaled::Kind::mxf8f6f4));
  CHECK(Scaled::decode(0x30c004a0, Scaled::Kind::mxf8f6f4)->a == Element::f8e5m2);
}

}  // namespace warpcc::layout
