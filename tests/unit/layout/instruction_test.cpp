#include <doctest/doctest.h>

#include "llvm/ADT/StringSwitch.h"
#include "vectors.h"

namespace warpcc::layout {
namespace {

using Kind = InstructionDescriptor::Kind;

std::optional<Element> element(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Element>>(name)
      .Case("f16", Element::f16)
      .Case("bf16", Element::bf16)
      .Case("f32", Element::f32)
      .Case("tf32", Element::tf32)
      .Case("e4m3", Element::f8e4m3)
      .Case("e5m2", Element::f8e5m2)
      .Case("e2m3", Element::f6e2m3)
      .Case("e3m2", Element::f6e3m2)
      .Case("e2m1", Element::f4e2m1)
      .Case("s8", Element::s8)
      .Case("u8", Element::u8)
      .Case("s32", Element::s32)
      .Default(std::nullopt);
}

std::optional<Kind> kind(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Kind>>(name)
      .Case("f16", Kind::f16)
      .Case("tf32", Kind::tf32)
      .Case("f8f6f4", Kind::f8f6f4)
      .Case("i8", Kind::i8)
      .Default(std::nullopt);
}

}  // namespace

TEST_CASE("instruction descriptors are those that CuTe makes, and come back from their bits") {
  int compared = 0, block_scaled = 0;
  for (const llvm::json::Object& record : records("idesc")) {
    CAPTURE(text_of(record, "id"));
    const std::optional<Kind> wanted = kind(text_of(record, "kind"));
    if (!wanted) {
      ++block_scaled;  // has an instruction descriptor of its own
      continue;
    }
    InstructionDescriptor descriptor;
    const auto a = element(text_of(record, "a")), b = element(text_of(record, "b")), d = element(text_of(record, "c"));
    REQUIRE((a && b && d));
    descriptor.a = *a;
    descriptor.b = *b;
    descriptor.d = *d;
    descriptor.m = static_cast<int>(int_of(record, "m"));
    descriptor.n = static_cast<int>(int_of(record, "n"));
    descriptor.a_major = text_of(record, "a_major") == "K" ? Major::k : Major::mn;
    descriptor.b_major = text_of(record, "b_major") == "K" ? Major::k : Major::mn;
    descriptor.negate_a = int_of(record, "a_neg") != 0;
    descriptor.negate_b = int_of(record, "b_neg") != 0;
    descriptor.saturate = int_of(record, "saturate") != 0;
    descriptor.sparse = int_of(record, "sparse") != 0;
    descriptor.max_shift = static_cast<int>(int_of(record, "max_shift"));
    const std::uint64_t bits = hex_of(record, "idesc");
    CHECK(descriptor.encode() == bits);
    CHECK(mma_kind(*a, *b) == wanted);
    CHECK(InstructionDescriptor::decode(static_cast<std::uint32_t>(bits), *wanted) == descriptor);
    ++compared;
  }
  MESSAGE("idesc: " << compared << " compared; skipped " << block_scaled << " of block-scaled kinds");
  CHECK(compared >= 244);
}

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

}  // namespace warpcc::layout
