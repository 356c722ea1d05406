// Instruction descriptors, and what of a tile each thread of an instruction has.
#include "check.h"
#include "layout/mma.h"
#include "llvm/ADT/StringSwitch.h"

namespace warpcc::layout::vectors {
namespace {

using Kind = InstructionDescriptor::Kind;

Major major_named(llvm::StringRef name) {
  return name == "K" ? Major::k : Major::mn;
}

// The lists of fields, where both have them.
template <typename Descriptor>
bool fields_are(const Record& record, const Descriptor& descriptor) {
  const Record fields = record.object("fields");
  const auto is = [&](llvm::StringRef key, std::int64_t value) {
    return !fields.has(key) || fields.number(key) == value;
  };
  return is("m_dim", descriptor.m >> 4) && is("n_dim", descriptor.n >> 3);
}

Verdict check_block_scaled(const Record& record) {
  using Scaled = BlockScaledDescriptor;
  const auto kind = llvm::StringSwitch<std::optional<Scaled::Kind>>(record.text("kind"))
                        .Case("mxf8f6f4", Scaled::Kind::mxf8f6f4)
                        .Case("mxf4", Scaled::Kind::mxf4)
                        .Case("mxf4nvf4", Scaled::Kind::mxf4nvf4)
                        .Default(std::nullopt);
  const auto a = element_of(record.text("a")), b = element_of(record.text("b"));
  if (!kind || !a || !b) return Verdict::differs("its kind or an element is not known");
  Scaled descriptor;
  descriptor.kind = *kind;
  descriptor.a = *a;
  descriptor.b = *b;
  descriptor.scale = record.text("sf") == "ue4m3" ? Scaled::Scale::ue4m3 : Scaled::Scale::ue8m0;
  descriptor.a_major = major_named(record.text("a_major"));
  descriptor.b_major = major_named(record.text("b_major"));
  descriptor.m = static_cast<int>(record.number("m"));
  descriptor.n = static_cast<int>(record.number("n"));
  descriptor.sparse = record.number("sparse") != 0;
  if (descriptor.encode() != record.hex("idesc_static")) return Verdict::differs("other bits");
  // The scale's byte is the address's top two bits.
  descriptor.a_scale_byte = static_cast<int>(record.hex("tmem_sfa") >> 30);
  descriptor.b_scale_byte = static_cast<int>(record.hex("tmem_sfb") >> 30);
  if (descriptor.encode() != record.hex("idesc")) return Verdict::differs("other bits with the scales' bytes");
  if (!fields_are(record, descriptor)) return Verdict::differs("other fields");
  if (Scaled::decode(static_cast<std::uint32_t>(record.hex("idesc")), *kind) != descriptor)
    return Verdict::differs("its bits are read as another");
  return Verdict::agrees("block-scaled");
}

// `SM100_MMA_F16BF16_2x1SM_SS`: whose tensor core, whether a pair, whether A is in registers (wgmma), and what makes K
// longer: two of four elements of a sparse A are there, and kind mxf4 has two elements to a byte.
struct Operation {
  bool hopper = false, pair = false, register_a = false, sparse = false, two_to_a_byte = false;

  int k(Kind kind) const { return mma_k(kind) * (sparse ? 2 : 1) * (two_to_a_byte ? 2 : 1); }
};
Operation operation_of(llvm::StringRef name) {
  const bool hopper = name.starts_with("SM90");
  return {hopper, name.contains("2x1SM"), hopper && name.contains("_RS"), name.contains("SPARSE"),
          name.contains("_MXF4_") || name.contains("_MXF4NVF4_")};
}

struct Tiles {
  Map a, b, d;
};
Tiles tiles_of(const Operation& operation, Element a, int m, int n, int k) {
  if (!operation.hopper)
    return {tcgen05_share(m, k, operation.pair), tcgen05_share(n, k, operation.pair),
            tcgen05_share(m, n, operation.pair)};
  return {operation.register_a ? wgmma_register_operand(a) : wgmma_shared_operand(kWgmmaRows, k),
          wgmma_shared_operand(n, k), wgmma_accumulator(n)};
}

// Whether the record's operand is ours, at every thread and value.
bool is_tile(const Record& operand, const Map& ours) {
  if (operand.number("threads") != ours.extent(0) || operand.number("values") != ours.extent(1)) return false;
  const std::optional<Map> theirs = cute_layout(operand.text("layout"));
  if (!theirs || theirs->shape() != ours.shape()) return false;
  std::vector<std::int64_t> table;
  for (std::int64_t i = 0; i < ours.size(); ++i) table.push_back(ours.at(i));
  for (const std::vector<std::int64_t>& sample : operand.rows("samples")) {
    if (sample.size() != 3) return false;
    const std::int64_t at = sample[0] + sample[1] * ours.extent(0);
    if (at < 0 || at >= ours.size() || table[at] != sample[2]) return false;
  }
  return crc_of(table) == operand.hex("crc32");
}

// Each element of the tile once, but for those that all threads have.
bool covers_its_tile(const Map& tile, std::int64_t size) {
  const bool all_have_it = tile.coordinates()[0].size() == 1 && tile.coordinates()[0][0].stride == 0;
  std::vector<int> count(size, 0);
  for (std::int64_t i = 0; i < tile.size(); ++i)
    if (const std::int64_t element = tile.at(i); element < 0 || element >= size || ++count[element] > tile.extent(0))
      return false;
  for (const int times : count)
    if (times != (all_have_it ? tile.extent(0) : 1)) return false;
  return true;
}

std::optional<std::string> shape_misfit(const Operation& operation, Kind kind, int m, int n) {
  if (!operation.hopper) return mma_shape_misfit(kind, m, n, operation.pair);
  if (m != kWgmmaRows) return "wgmma has M = 64";
  return wgmma_shape_misfit(kind, n);
}

}  // namespace

Verdict check_instruction_descriptor(const Record& record) {
  if (record.flag("block_scaled")) return check_block_scaled(record);
  const auto kind = llvm::StringSwitch<std::optional<Kind>>(record.text("kind"))
                        .Case("f16", Kind::f16)
                        .Case("tf32", Kind::tf32)
                        .Case("f8f6f4", Kind::f8f6f4)
                        .Case("i8", Kind::i8)
                        .Default(std::nullopt);
  const auto a = element_of(record.text("a")), b = element_of(record.text("b")), d = element_of(record.text("c"));
  if (!kind || !a || !b || !d) return Verdict::differs("its kind or an element is not known");
  InstructionDescriptor descriptor;
  descriptor.a = *a;
  descriptor.b = *b;
  descriptor.d = *d;
  descriptor.m = static_cast<int>(record.number("m"));
  descriptor.n = static_cast<int>(record.number("n"));
  descriptor.a_major = major_named(record.text("a_major"));
  descriptor.b_major = major_named(record.text("b_major"));
  descriptor.negate_a = record.number("a_neg") != 0;
  descriptor.negate_b = record.number("b_neg") != 0;
  descriptor.saturate = record.number("saturate") != 0;
  descriptor.sparse = record.number("sparse") != 0;
  descriptor.max_shift = static_cast<int>(record.number("max_shift"));
  const std::uint64_t bits = record.hex("idesc");
  if (descriptor.encode() != bits) return Verdict::differs("other bits");
  if (record.hex("runtime64") != bits << 32) return Verdict::differs("the 64-bit form is not these bits above");
  if (mma_kind(*a, *b) != kind) return Verdict::differs("another kind");
  if (!fields_are(record, descriptor)) return Verdict::differs("other fields");
  if (InstructionDescriptor::decode(static_cast<std::uint32_t>(bits), *kind) != descriptor)
    return Verdict::differs("its bits are read as another");
  return Verdict::agrees();
}

Verdict check_mma_atom(const Record& record) {
  const Operation operation = operation_of(record.text("op"));
  const auto a = element_of(record.text("a")), b = element_of(record.text("b"));
  const std::optional<Kind> kind = a && b ? mma_kind(*a, *b) : std::nullopt;
  if (!kind) return Verdict::differs("its elements are of no kind");
  const bool rejected = record.has("rejected");
  const std::vector<std::int64_t> shape =
      rejected ? std::vector{record.number("m"), record.number("n")} : record.numbers("shape_mnk");
  if (shape.size() < 2) return Verdict::differs("it has no shape");
  const int m = static_cast<int>(shape[0]), n = static_cast<int>(shape[1]), k = operation.k(*kind);
  const std::optional<std::string> misfit = shape_misfit(operation, *kind, m, n);
  if (rejected && misfit) return Verdict::refused("CuTe: " + record.text("rejected"));
  const Tiles tiles = tiles_of(operation, *a, m, n, k);
  if (!covers_its_tile(tiles.a, std::int64_t{m} * k) || !covers_its_tile(tiles.b, std::int64_t{n} * k) ||
      !covers_its_tile(tiles.d, std::int64_t{m} * n))
    return Verdict::differs("a tile is not covered once");
  if (rejected)
    return Verdict::agrees("CuTe rejects it, the PTX ISA does not: by enumeration; CuTe: " + record.text("rejected"));
  if (shape.size() != 3 || shape[2] != k) return Verdict::differs("another K");
  if (!is_tile(record.object("A"), tiles.a)) return Verdict::differs("another A");
  if (!is_tile(record.object("B"), tiles.b)) return Verdict::differs("another B");
  if (!is_tile(record.object("C"), tiles.d)) return Verdict::differs("another D");
  return Verdict::agrees(misfit ? "though the PTX ISA has no such instruction" : "");
}

}  // namespace warpcc::layout::vectors
