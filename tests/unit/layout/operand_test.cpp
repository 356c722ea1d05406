#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "layout/atoms.h"

namespace warpcc::layout {

TEST_CASE("a K step inside a swizzled row adds its bytes to the start, and the base offset stays 0") {
  llvm::Expected<Physical> tile = Physical::make(Map({{{128, 64}}, {{64, 1}}}), swizzle_of_span(128));
  REQUIRE(static_cast<bool>(tile));
  for (int j = 0; j < 4; ++j) {
    const OperandResult result = operand_descriptor({*tile, Element::f16, {0, 16 * j}, {128, 16}}, 0x18400);
    REQUIRE(result.descriptor);
    CHECK(result.descriptor->encode() == (0x4000404000010000u | (0x18400u + 32u * j) >> 4));
  }
  const OperandResult half = operand_descriptor({*tile, Element::f16, {64, 0}, {64, 16}}, 0x400);
  REQUIRE(half.descriptor);
  CHECK(half.descriptor->start == 0x400 + 64 * 128);
}

TEST_CASE("what no descriptor expresses is refused, with the first coordinate that differs") {
  const auto refusal = [](Map map, Swizzle swizzle, std::vector<std::int64_t> start, std::vector<std::int64_t> extents,
                          std::uint32_t base = 0x400, Element element = Element::f16) {
    llvm::Expected<Physical> tile = Physical::make(std::move(map), swizzle);
    REQUIRE(static_cast<bool>(tile));
    OperandResult result = operand_descriptor({*tile, element, std::move(start), std::move(extents)}, base);
    CHECK_FALSE(result.descriptor);
    return result.misfit;
  };
  const Map rows({{{128, 64}}, {{64, 1}}});
  CHECK(refusal(rows, {}, {0, 0}, {128, 16}).coordinate == std::vector<std::int64_t>{1, 0});
  CHECK(refusal(rows, {}, {0, 0}, {128, 16}).reason ==
        "(1, 0) lies at byte 128 of the tile; a descriptor (K-major, no swizzle) reads byte 16");
  CHECK(refusal(Map({{{128, 66}}, {{64, 1}}}), {}, {0, 0}, {128, 16}).coordinate == std::vector<std::int64_t>{1, 0});
  // Two rows of one swizzled row's span: k runs on into the next.
  CHECK(refusal(Map({{{128, 32}}, {{32, 1}, {2, 4096}}}), swizzle_of_span(64), {0, 0}, {128, 64}).coordinate ==
        std::vector<std::int64_t>{0, 32});
  CHECK(refusal(rows, swizzle_of_span(128), {3, 0}, {64, 16}).reason ==
        "it starts 384 bytes into the swizzle's pattern of 1024: a part starts in the pattern's first row");
  CHECK(refusal(rows, swizzle_of_span(128), {0, 4}, {64, 16}).reason ==
        "it starts 8 bytes into its tile: a descriptor starts at multiples of 16");
  CHECK(refusal(rows, swizzle_of_span(128), {0, 0}, {64, 16}, 0x200).reason ==
        "its tile starts at 0x200, no multiple of the swizzle's 1024 bytes");
  CHECK(refusal(rows, swizzle_of_span(128), {0, 56}, {64, 16}).reason ==
        "coordinate 1 of the part is 56 +: 16, and the tile is (128, 64)");
  CHECK(refusal(rows, {}, {0, 0}, {128, 16}, 0x400, Element::u64).reason == "the tensor core reads no u64");
  // Groups of 8 rows further apart than the field reaches, or by no multiple of 16 bytes.
  CHECK(refusal(Map({{{8, 64}, {2, 1 << 20}}, {{64, 1}}}), swizzle_of_span(128), {0, 0}, {16, 16}).reason ==
        "from (0, 0) to (8, 0) are 2097152 bytes: a descriptor has multiples of 16 up to 262128");
  CHECK(refusal(Map({{{8, 64}, {2, 516}}, {{64, 1}}}), swizzle_of_span(128), {0, 0}, {16, 16}).reason ==
        "from (0, 0) to (8, 0) are 1032 bytes: a descriptor has multiples of 16 up to 262128");
  CHECK(refusal(Map({{{1 << 30, 64}}, {{64, 1}}}), swizzle_of_span(128), {0, 0}, {1 << 30, 16}).reason ==
        "(1073741824, 16) elements of f16 are more than a CTA's memory holds");
}

TEST_CASE("operand descriptors: bits that are none are none; those that are come back") {
  const std::uint64_t good = 0x4000404000010040;
  REQUIRE(OperandDescriptor::decode(good));
  CHECK(OperandDescriptor::decode(good)->encode() == good);
  for (const int bit : {14, 15, 30, 31, 46, 47, 48, 52, 53, 60, 61})
    CHECK_FALSE(OperandDescriptor::decode(good ^ std::uint64_t{1} << bit));
  // 3, 5 and 7 are no swizzles.
  for (const std::uint64_t code : {3, 5, 7}) CHECK_FALSE(OperandDescriptor::decode(good ^ (2 ^ code) << 61));
  OperandDescriptor moved = *OperandDescriptor::decode(good);
  moved.base_offset = 3;
  CHECK(OperandDescriptor::decode(moved.encode()) == moved);
}

TEST_CASE("a base offset moves the pattern by rows of 128 bytes") {
  OperandDescriptor natural{.start = 0x400, .leading = 16, .stride = 1024, .swizzle_span = 128};
  OperandDescriptor moved = natural;
  moved.start += 3 * 128;
  moved.base_offset = 3;
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 64; k += 8) CHECK(moved.address(row, k, 16) == natural.address(row, k, 16) + 3 * 128);
}

namespace {

struct SwizzleMode {
  int span, atom;
};
constexpr std::array kSwizzles{SwizzleMode{0, 16}, SwizzleMode{32, 16}, SwizzleMode{64, 16}, SwizzleMode{128, 16},
                               SwizzleMode{128, 32}};

// The first coordinate, k fastest, at which the two descriptors read other bytes, by their addresses alone.
std::optional<std::vector<std::int64_t>> first_other(const OperandDescriptor& a, const OperandDescriptor& b,
                                                     const std::vector<std::int64_t>& extents, int bits) {
  for (std::int64_t row = 0; row < extents[0]; ++row)
    for (std::int64_t k = 0; k < extents[1]; ++k)
      if (a.address(row, k, bits) != b.address(row, k, bits)) return std::vector{row, k};
  return std::nullopt;
}

// The bits with the field of so many bits at `at` one higher, and one lower.
std::array<std::uint64_t, 2> neighbours(std::uint64_t bits, int at, int width) {
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << at, one = std::uint64_t{1} << at;
  return {(bits & ~mask) | ((bits + one) & mask), (bits & ~mask) | ((bits - one) & mask)};
}

struct Field {
  const char* name;
  int at, width;
};
constexpr std::array kTcgen05Fields{Field{"start", 0, 14},   Field{"leading", 16, 14},    Field{"stride", 32, 14},
                                    Field{"version", 46, 2}, Field{"base offset", 49, 3}, Field{"leading mode", 52, 1},
                                    Field{"swizzle", 61, 3}};
constexpr std::array kWgmmaFields{Field{"start", 0, 14}, Field{"leading", 16, 14}, Field{"stride", 32, 14},
                                  Field{"base offset", 49, 3}, Field{"swizzle", 62, 2}};

// Whether the mode has no use for the field: leading of a swizzled K-major tile, the base offset of a plain one.
bool is_read(const Field& field, const OperandDescriptor& descriptor) {
  const bool swizzled = descriptor.swizzle_span != 0;
  if (field.name == std::string_view("leading")) return !(swizzled && descriptor.major == Major::k);
  if (field.name == std::string_view("base offset")) return swizzled;
  return true;
}

// Every field of the part's descriptor changed by one, either way: refused at the coordinate that the addresses give,
// or, where no descriptor has such bits, at the first.
int check_fields(const Part& part, TensorCore core, std::span<const Field> fields) {
  const std::uint32_t base = 0x4000;
  const OperandResult truth = operand_descriptor(part, base, core);
  REQUIRE_MESSAGE(truth.descriptor, truth.misfit.reason);
  const std::uint64_t bits = truth.descriptor->encode(core);
  const Major major = truth.descriptor->major;
  CHECK_FALSE(operand_misfit(part, base, bits, major, core));
  int refused = 0;
  for (const Field& field : fields)
    for (const std::uint64_t changed : neighbours(bits, field.at, field.width)) {
      CAPTURE(field.name);
      const std::optional<Misfit> misfit = operand_misfit(part, base, changed, major, core);
      CHECK(misfit.has_value() == is_read(field, *truth.descriptor));
      if (!misfit) continue;
      ++refused;
      std::optional<OperandDescriptor> other = OperandDescriptor::decode(changed, core);
      if (!other) {
        CHECK(misfit->coordinate == part.start);
        continue;
      }
      other->major = major;
      CHECK(misfit->coordinate == first_other(*truth.descriptor, *other, part.extents, layout::bits(part.element)));
    }
  return refused;
}

}  // namespace

TEST_CASE(
    "the true descriptor describes its part; with a field changed by one the first coordinate that differs is named") {
  int parts = 0, refused = 0;
  for (const TensorCore core : {TensorCore::tcgen05, TensorCore::wgmma})
    for (const SwizzleMode mode : kSwizzles)
      for (const Major major : {Major::k, Major::mn})
        for (const Element element :
             {Element::f4e2m1, Element::f8e4m3, Element::s8, Element::f16, Element::bf16, Element::tf32}) {
          const bool wide = mode.atom == 32;
          if (wide && (major == Major::k || core == TensorCore::wgmma)) continue;
          const Swizzle swizzle = mode.span == 0 ? Swizzle{} : swizzle_of_span(mode.span, mode.atom);
          // Two groups along rows and k, so that both offsets are read, but k within a swizzled row where it must be.
          const std::int64_t unit = std::max(mode.span, 16) * 8 / layout::bits(element);
          const std::int64_t rows = major == Major::k ? 16 : 2 * unit;
          const std::int64_t k = major == Major::mn ? 16 : mode.span == 0 ? 2 * unit : unit;
          llvm::Expected<Physical> tile = operand_tile(2 * rows, k, element, major, swizzle);
          REQUIRE(static_cast<bool>(tile));
          CAPTURE(mode.span);
          CAPTURE(name(element));
          CAPTURE(static_cast<int>(major));
          const Part part{*tile, element, {0, 0}, {rows, k}};
          refused += core == TensorCore::wgmma ? check_fields(part, core, kWgmmaFields)
                                               : check_fields(part, core, kTcgen05Fields);
          ++parts;
        }
  MESSAGE(parts << " parts, " << refused << " changed fields refused");
  CHECK(parts == 102);
}

TEST_CASE("Hopper's descriptors have no version, and its codes for the swizzles") {
  llvm::Expected<Physical> tile = operand_tile(64, 64, Element::f16, Major::k, swizzle_of_span(128));
  REQUIRE(static_cast<bool>(tile));
  const OperandResult result = operand_descriptor({*tile, Element::f16, {0, 16}, {64, 16}}, 0x400, TensorCore::wgmma);
  REQUIRE(result.descriptor);
  CHECK(result.descriptor->encode(TensorCore::wgmma) == 0x4000004000010042);
  CHECK_FALSE(OperandDescriptor::decode(0x4000404000010042, TensorCore::wgmma));
  const Swizzle wide = swizzle_of_span(128, 32);
  llvm::Expected<Physical> other = operand_tile(64, 64, Element::tf32, Major::mn, wide);
  REQUIRE(static_cast<bool>(other));
  CHECK(operand_descriptor({*other, Element::tf32, {0, 0}, {64, 8}}, 0, TensorCore::wgmma).misfit.reason ==
        "no descriptor has this swizzle");
}

TEST_CASE("operand tiles are groups, repeated") {
  llvm::Expected<Physical> tile = operand_tile(128, 64, Element::f16, Major::k, swizzle_of_span(64));
  REQUIRE(static_cast<bool>(tile));
  CHECK(tile->map().text() == "(128, (32, 2)) : (32, (1, 4096))");
  llvm::Expected<Physical> k_first = operand_tile(128, 64, Element::f16, Major::k, swizzle_of_span(64), true);
  REQUIRE(static_cast<bool>(k_first));
  CHECK(k_first->map().text() == "((8, 16), (32, 2)) : ((32, 512), (1, 256))");
  llvm::Expected<Physical> none = operand_tile(128, 48, Element::f16, Major::k, swizzle_of_span(64));
  REQUIRE_FALSE(static_cast<bool>(none));
  CHECK(llvm::toString(none.takeError()) == "coordinate 1 of the block has 32, which does not divide 48");
}

}  // namespace warpcc::layout
