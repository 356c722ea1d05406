// Operand descriptors and the tiles that they describe.
#include <algorithm>
#include <array>

#include "check.h"
#include "layout/atoms.h"
#include "layout/compose.h"

namespace warpcc::layout::vectors {
namespace {

// The mode in the record's words, `128B_base32B`.
std::optional<Swizzle> swizzle_named(llvm::StringRef name) {
  if (name == "none" || name == "INTER") return Swizzle{};
  const auto [span_text, atom] = name.split('B');
  int span = 0;
  if (span_text.getAsInteger(10, span)) return std::nullopt;
  const Swizzle swizzle = swizzle_of_span(span, atom.empty() ? 16 : 32);
  return swizzle.bits == 0 ? std::nullopt : std::optional(swizzle);
}

Major major_of(const Record& record) {
  return record.text("major") == "K" ? Major::k : Major::mn;
}

bool equal(const Map& a, const Map& b) {
  return a.shape() == b.shape() && canonical(flattened(a)) == canonical(flattened(b));
}

// Two extents of a size that tiles have.
bool is_tile(const std::vector<std::int64_t>& extents) {
  return extents.size() == 2 &&
         std::all_of(extents.begin(), extents.end(), [](std::int64_t e) { return e > 0 && e <= 1 << 16; });
}

// An entry of `descs`: which of the instructions' tiles, and the descriptor.
struct Described {
  std::vector<std::int64_t> tile;
  std::uint64_t bits = 0;
};
std::vector<Described> described(const Record& record) {
  std::vector<Described> all;
  for (const llvm::json::Value& entry : record.array("descs")) {
    const llvm::json::Array* triple = entry.getAsArray();
    if (!triple || triple->size() != 3) return {};
    const std::optional<std::int64_t> mn = (*triple)[0].getAsInteger(), k = (*triple)[1].getAsInteger();
    const std::optional<llvm::StringRef> bits = (*triple)[2].getAsString();
    if (!mn || !k || !bits || *mn < 0 || *k < 0 || *mn > 1 << 16 || *k > 1 << 16) return {};
    all.push_back({{*mn, *k}, hex_of(*bits)});
  }
  return all;
}

// A stage as ours lays it out.
struct Stage {
  std::vector<std::int64_t> tile;
  Element element = Element::f16;
  Major major = Major::k;
  std::optional<Physical> layout;
  std::string refused;
};

std::optional<Stage> stage_of(const Record& record) {
  Stage stage;
  stage.tile = record.numbers("tile");
  const std::optional<Element> element = element_of(record.text("elem"));
  const std::optional<Swizzle> swizzle = swizzle_named(record.text("swizzle"));
  if (!element || !swizzle || !is_tile(stage.tile)) return std::nullopt;
  // Elements of fewer bits that stand in bytes of their own are as bytes are.
  const bool own_bytes = record.has("elem_bits") && record.number("elem_bits") != bits(*element);
  stage.element = own_bytes ? element_of_bits(record.number("elem_bits")) : *element;
  stage.major = major_of(record);
  llvm::Expected<Physical> layout = operand_tile(stage.tile[0], stage.tile[1], *element, stage.major, *swizzle,
                                                 record.text("tile_order") == "k_first");
  if (layout)
    stage.layout = *layout;
  else
    stage.refused = llvm::toString(layout.takeError());
  return stage;
}

// What one instruction reads of it.
std::vector<std::int64_t> instruction_tile(const Record& record, const Stage& stage) {
  if (record.has("mma_tile")) return record.numbers("mma_tile");
  const std::int64_t k = 256 / bits(stage.element);
  if (record.has("mma_n")) return {record.text("operand") == "A" ? 64 : record.number("mma_n"), k};
  return stage.tile;  // all of it as one operand
}

// Where CuTe makes no descriptors of a stage: whether ours refuses the tile, or one of its instructions' parts.
Verdict check_rejected(const Record& record, const Stage& stage, TensorCore core) {
  const std::string theirs = record.text("rejected");
  if (!stage.layout) return Verdict::refused("the group does not divide the tile; CuTe: " + theirs);
  Part part{*stage.layout, stage.element, {0, 0}, instruction_tile(record, stage)};
  if (!is_tile(part.extents)) return Verdict::differs("its instruction's tile cannot be read");
  for (; part.start[0] + part.extents[0] <= stage.tile[0]; part.start[0] += part.extents[0])
    for (part.start[1] = 0; part.start[1] + part.extents[1] <= stage.tile[1]; part.start[1] += part.extents[1])
      if (!operand_descriptor(part, 0, core).descriptor)
        return Verdict::refused("a part that no descriptor describes; CuTe: " + theirs);
  return Verdict::agrees("CuTe rejects it, ours is decided at every coordinate; CuTe: " + theirs);
}

// Element offsets of the whole stage, rows fastest, as CuTe's descriptors of its instructions say.
std::optional<std::vector<std::int64_t>> image(const Record& record, const Stage& stage, TensorCore core) {
  const int bits = layout::bits(stage.element);
  const std::vector<std::int64_t>& tile = stage.tile;
  const std::vector<std::int64_t> one = record.numbers("mma_tile");
  std::vector<std::int64_t> table(tile[0] * tile[1], -1);
  for (const Described& of : described(record)) {
    const std::int64_t row0 = of.tile[0] * one[0], k0 = of.tile[1] * one[1];
    std::optional<OperandDescriptor> descriptor = OperandDescriptor::decode(of.bits, core);
    if (!descriptor || row0 + one[0] > tile[0] || k0 + one[1] > tile[1]) return std::nullopt;
    descriptor->major = stage.major;
    for (std::int64_t k = 0; k < one[1]; ++k)
      for (std::int64_t row = 0; row < one[0]; ++row) {
        std::int64_t element = std::int64_t{descriptor->address(row, k, bits)} * 8 / bits;
        if (bits == 4) element += (stage.major == Major::k ? k : row) % 2;  // the half of its byte
        table[row0 + row + tile[0] * (k0 + k)] = element;
      }
  }
  return table;
}

// One descriptor for all of the stage, also where an instruction could not read all of it.
Verdict check_whole_stage(const Record& record, const Stage& stage) {
  Part part{*stage.layout, stage.element, {0, 0}, stage.tile};
  part.extents[1] = std::min<std::int64_t>(part.extents[1], 256 / bits(stage.element));
  const OperandResult ours = operand_descriptor(part, 0);
  const std::optional<OperandDescriptor> theirs = OperandDescriptor::decode(record.hex("desc"));
  if (!ours.descriptor || !theirs) return Verdict::differs("no descriptor: " + ours.misfit.reason);
  const auto same = [](std::uint32_t own, std::uint32_t other) { return own == 0 || own == other; };
  if (ours.descriptor->major != stage.major || ours.descriptor->swizzle_span != theirs->swizzle_span ||
      ours.descriptor->swizzle_atom != theirs->swizzle_atom || !same(ours.descriptor->leading, theirs->leading) ||
      !same(ours.descriptor->stride, theirs->stride))
    return Verdict::differs("another descriptor of the whole stage");
  if (operand_misfit(part, 0, record.hex("desc"), stage.major)) return Verdict::differs("their descriptor is refused");
  return Verdict::agrees("a stage as one operand");
}

Verdict check_descriptors(const Record& record, TensorCore core) {
  const std::optional<Stage> stage = stage_of(record);
  if (!stage) return Verdict::differs("its element or swizzle is not known");
  if (record.has("rejected")) return check_rejected(record, *stage, core);
  if (!stage->layout) return Verdict::differs("no such tile: " + stage->refused);
  const std::optional<Map> theirs = cute_layout(record.text("stage_layout"));
  if (!theirs || !equal(*theirs, stage->layout->map()) ||
      swizzle_of(record.numbers("sw_bytes")) != stage->layout->swizzle())
    return Verdict::differs("another tile");
  if (record.flag("whole_stage")) return check_whole_stage(record, *stage);

  Part part{*stage->layout, stage->element, {0, 0}, record.numbers("mma_tile")};
  const std::vector<Described> descriptors = described(record);
  if (descriptors.empty() || !is_tile(part.extents)) return Verdict::differs("its descriptors cannot be read");
  for (const auto& [tile, bits] : descriptors) {
    part.start = {tile[0] * part.extents[0], tile[1] * part.extents[1]};
    const OperandResult ours = operand_descriptor(part, 0, core);
    if (!ours.descriptor) return Verdict::differs("no descriptor: " + ours.misfit.reason);
    if (ours.descriptor->major != stage->major || ours.descriptor->encode(core) != bits)
      return Verdict::differs("another descriptor");
    if (operand_misfit(part, 0, bits, stage->major, core)) return Verdict::differs("their descriptor is refused");
  }
  const auto table = image(record, *stage, core);
  if (!table) return Verdict::differs("a descriptor that is none");
  const Record sample = record.object("stage_sample");
  const std::vector<std::int64_t> idx = sample.numbers("idx"), values = sample.numbers("val");
  if (values.size() != idx.size()) return Verdict::differs("its sample cannot be read");
  for (std::size_t i = 0; i < idx.size(); ++i)
    if (entry(*table, idx[i]) != values[i]) return Verdict::differs("another image of the stage");
  if (crc_of(*table) != record.hex("stage_crc32")) return Verdict::differs("another image of the stage");
  return Verdict::agrees();
}

}  // namespace

Verdict check_operand_descriptor(const Record& record) {
  return check_descriptors(record, TensorCore::tcgen05);
}

Verdict check_wgmma_descriptor(const Record& record) {
  return check_descriptors(record, TensorCore::wgmma);
}

Verdict check_shared_atom(const Record& record) {
  const std::optional<Map> map = cute_layout(record.text("layout"));
  if (!map || map->rank() != 2 || !is_tile(map->shape())) return Verdict::differs("its layout cannot be read");
  const Swizzle swizzle = swizzle_of(record.numbers("sw_bytes"));
  const int bits = static_cast<int>(record.number("elem_bits"));
  if (bits != layout::bits(element_of_bits(bits))) return Verdict::differs("no element has so many bits");
  llvm::Expected<Physical> atom =
      operand_tile(map->extent(0), map->extent(1), element_of_bits(bits), major_of(record), swizzle);
  if (!atom) return Verdict::differs(llvm::toString(atom.takeError()));
  if (!equal(atom->map(), *map) || atom->swizzle() != swizzle) return Verdict::differs("another tile");
  std::vector<std::int64_t> table;
  for (std::int64_t i = 0; i < map->size(); ++i) {
    const std::array<std::int64_t, 2> index{i % map->extent(0), i / map->extent(0)};
    table.push_back(atom->byte(index, bits) * 8 / bits + (bits == 4 ? map->at(i) % 2 : 0));
  }
  const std::vector<std::int64_t> listed = record.numbers("table");
  const std::vector<std::int64_t> idx = record.has("idx") ? record.numbers("idx") : std::vector<std::int64_t>{};
  if (!idx.empty() && idx.size() != listed.size()) return Verdict::differs("its table cannot be read");
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (entry(table, idx.empty() ? i : idx[i]) != listed[i]) return Verdict::differs("another table");
  if (crc_of(table) != record.hex("crc32")) return Verdict::differs("another table");
  std::int64_t byte = 0;
  for (const std::int64_t expected : record.numbers("byte_table")) {
    if (swizzle(byte) != expected) return Verdict::differs("another swizzle");
    byte += record.number("byte_step");
  }
  return Verdict::agrees();
}

}  // namespace warpcc::layout::vectors
