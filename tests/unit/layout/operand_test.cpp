#include <doctest/doctest.h>

#include "vectors.h"

namespace warpcc::layout {
namespace {

// Element offsets of the whole stage, MN fastest, through the descriptors of its instructions.
std::vector<std::int64_t> image(const llvm::json::Object& record, Major major, std::int64_t bits) {
  const std::vector<std::int64_t> tile = ints_of(record, "tile"), one = ints_of(record, "mma_tile");
  std::vector<std::int64_t> table(tile[0] * tile[1], -1);
  for (const llvm::json::Value& entry : *record.getArray("descs")) {
    const llvm::json::Array& triple = *entry.getAsArray();
    const std::int64_t row0 = *triple[0].getAsInteger() * one[0], k0 = *triple[1].getAsInteger() * one[1];
    std::optional<OperandDescriptor> descriptor = OperandDescriptor::decode(hex_of(*triple[2].getAsString()));
    REQUIRE(descriptor);
    descriptor->major = major;
    for (std::int64_t k = 0; k < one[1]; ++k)
      for (std::int64_t row = 0; row < one[0]; ++row) {
        std::int64_t element = std::int64_t{descriptor->address(row, k, static_cast<int>(bits))} * 8 / bits;
        if (bits == 4) element += (major == Major::k ? k : row) % 2;  // the half of its byte
        table[row0 + row + tile[0] * (k0 + k)] = element;
      }
  }
  return table;
}

void check_sample(const llvm::json::Object& record, const std::vector<std::int64_t>& table) {
  const llvm::json::Object& sample = *record.getObject("stage_sample");
  const std::vector<std::int64_t> idx = ints_of(sample, "idx"), val = ints_of(sample, "val");
  for (std::size_t i = 0; i < idx.size(); ++i) CHECK(table[idx[i]] == val[i]);
  CHECK(crc_of(table) == hex_of(record, "stage_crc32"));
}

}  // namespace

TEST_CASE("operand descriptors are those that CuTe makes of the same stages") {
  int compared = 0, descriptors = 0, whole = 0, rejected = 0;
  for (const llvm::json::Object& record : records("umma_desc")) {
    CAPTURE(text_of(record, "id"));
    if (record.get("rejected")) {
      ++rejected;  // CuTe makes no stage of it
      continue;
    }
    const std::int64_t bits = int_of(record, "elem_bits");
    const Major major = text_of(record, "major") == "K" ? Major::k : Major::mn;
    const std::optional<Map> stage = cute_layout(text_of(record, "stage_layout"));
    REQUIRE(stage);
    llvm::Expected<Physical> layout = Physical::make(*stage, swizzle_of(ints_of(record, "sw_bytes")));
    REQUIRE(static_cast<bool>(layout));
    Part part{*layout, element_of_bits(bits), {0, 0}, ints_of(record, "tile")};
    if (record.getBoolean("whole_stage").value_or(false)) {
      // One descriptor for all of the stage, also where an instruction could not read all of it: its first
      // instruction's.
      part.extents[1] = std::min<std::int64_t>(part.extents[1], 256 / bits);
      const OperandResult result = operand_descriptor(part, 0);
      REQUIRE_MESSAGE(result.descriptor, result.misfit.reason);
      CHECK(result.descriptor->major == major);
      const std::optional<OperandDescriptor> theirs = OperandDescriptor::decode(hex_of(record, "desc"));
      REQUIRE(theirs);
      CHECK(result.descriptor->swizzle_span == theirs->swizzle_span);
      CHECK(result.descriptor->swizzle_atom == theirs->swizzle_atom);
      if (result.descriptor->leading != 0) CHECK(result.descriptor->leading == theirs->leading);
      if (result.descriptor->stride != 0) CHECK(result.descriptor->stride == theirs->stride);
      ++whole;
      continue;
    }
    part.extents = ints_of(record, "mma_tile");
    for (const llvm::json::Value& entry : *record.getArray("descs")) {
      const llvm::json::Array& triple = *entry.getAsArray();
      part.start = {*triple[0].getAsInteger() * part.extents[0], *triple[1].getAsInteger() * part.extents[1]};
      const OperandResult result = operand_descriptor(part, 0);
      REQUIRE_MESSAGE(result.descriptor, result.misfit.reason);
      CHECK(result.descriptor->major == major);
      CHECK(result.descriptor->encode() == hex_of(*triple[2].getAsString()));
      ++descriptors;
    }
    check_sample(record, image(record, major, bits));
    ++compared;
  }
  MESSAGE("umma_desc: " << compared << " stages, " << descriptors << " descriptors, " << whole
                        << " whole stages compared; skipped " << rejected << " that CuTe rejects");
  CHECK(compared >= 486);
  CHECK(whole >= 50);
}

TEST_CASE("shared-memory atoms are where CuTe puts them") {
  int compared = 0;
  for (const llvm::json::Object& record : records("smem_atoms")) {
    CAPTURE(text_of(record, "id"));
    const std::optional<Map> map = cute_layout(text_of(record, "layout"));
    REQUIRE(map);
    const Swizzle swizzle = swizzle_of(ints_of(record, "sw_bytes"));
    llvm::Expected<Physical> layout = Physical::make(*map, swizzle);
    REQUIRE(static_cast<bool>(layout));
    const std::int64_t bits = int_of(record, "elem_bits");
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < map->size(); ++i) {
      const std::int64_t rows = map->extent(0);
      const std::array<std::int64_t, 2> index{i % rows, i / rows};
      const std::int64_t byte = layout->byte(index, static_cast<int>(bits));
      table.push_back(byte * 8 / bits + (bits == 4 ? map->at(i) % 2 : 0));
    }
    CHECK(table.size() == static_cast<std::size_t>(int_of(record, "size")));
    CHECK(crc_of(table) == hex_of(record, "crc32"));
    std::int64_t byte = 0;
    for (const std::int64_t expected : ints_of(record, "byte_table")) {
      CHECK(swizzle(byte) == expected);
      byte += int_of(record, "byte_step");
    }
    if (swizzle.bits != 0) CHECK(swizzle == swizzle_of_span(swizzle.span(), 1 << swizzle.base));
    ++compared;
  }
  MESSAGE("smem_atoms: " << compared << " compared");
  CHECK(compared >= 50);
}

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

}  // namespace warpcc::layout
