#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "layout/atoms.h"
#include "layout/cute.h"
#include "layout/part.h"

namespace warpcc::layout {
namespace {

// An address field holds bits 4 to 17 of an address.
constexpr std::uint32_t kAddressMask = 0x3fff0;
constexpr int kUnitBits = 128;  // the 16-byte unit in which descriptors count

std::uint64_t address_field(std::uint32_t bytes, int at) {
  return static_cast<std::uint64_t>((bytes & kAddressMask) >> 4) << at;
}
std::uint32_t address_at(std::uint64_t bits, int at) {
  return static_cast<std::uint32_t>(bits >> at << 4) & kAddressMask;
}

// The descriptor's code of a swizzle: 1 is the 128-byte mode with 32-byte atoms.
constexpr std::array<int, 8> kSpans{0, 128, 128, -1, 64, -1, 32, -1};

std::uint64_t swizzle_code(int span, int atom) {
  if (span == 128) return atom == 32 ? 1 : 2;
  return span == 64 ? 4 : span == 32 ? 6 : 0;
}

// Hopper's codes in its two bits.
constexpr std::array<int, 4> kWgmmaSpans{0, 128, 64, 32};

std::uint64_t wgmma_swizzle_code(int span) {
  return span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
}

// The canonical tile of a descriptor, as the instruction reads it: elements of a 16-byte unit, of a swizzled row, and
// the steps of k after which an MN-major tile repeats (PTX ISA, tcgen05: canonical layouts). All are powers of two.
struct Canonical {
  Canonical(const OperandDescriptor& descriptor, int element_bits)
      : unit(std::max(kUnitBits / element_bits, 1)),
        row(std::max(descriptor.swizzle_span * 8 / element_bits, 1)),
        k_group(descriptor.swizzle_atom == 32 ? 4 : 8) {}

  int unit;
  int row;
  int k_group;
};

// An index in groups of a power of two: which group, and where in it.
struct Grouped {
  Grouped(std::int64_t index, int group)
      : at(index >> std::countr_zero(static_cast<unsigned>(group))), inside(index & (group - 1)) {}

  std::int64_t at, inside;
};

// How far (row, k) lies past the start, in bits, before the swizzle.
std::int64_t bit_offset(const OperandDescriptor& d, const Canonical& tile, std::int64_t row, std::int64_t k,
                        int element_bits) {
  const bool swizzled = d.swizzle_span != 0;
  std::int64_t elements = 0, bytes = 0;
  if (d.major == Major::k) {
    const Grouped rows(row, 8), ks(k, tile.unit);
    elements = swizzled ? rows.inside * tile.row + k : rows.inside * tile.unit + ks.inside;
    bytes = rows.at * d.stride + (swizzled ? 0 : ks.at * d.leading);
  } else {
    const Grouped rows(row, swizzled ? tile.row : tile.unit), ks(k, swizzled ? tile.k_group : 8);
    elements = rows.inside + ks.inside * (swizzled ? tile.row : tile.unit);
    bytes = swizzled ? rows.at * d.leading + ks.at * d.stride : rows.at * d.stride + ks.at * d.leading;
  }
  return elements * element_bits + bytes * 8;
}

// The swizzle works on absolute addresses; the base offset says by how many 128-byte rows the pattern is off its
// natural boundary.
std::uint32_t swizzled(const OperandDescriptor& d, std::uint32_t byte) {
  const std::uint32_t phase = byte - (static_cast<std::uint32_t>(d.base_offset) << 7);
  return byte ^ phase ^ static_cast<std::uint32_t>(swizzle_of_span(d.swizzle_span, d.swizzle_atom)(phase));
}

std::string mode_text(const OperandDescriptor& d) {
  std::string text = d.major == Major::k ? "K-major, " : "MN-major, ";
  if (d.swizzle_span == 0) return text + "no swizzle";
  text += fmt::format("swizzle {}", d.swizzle_span);
  if (d.swizzle_atom != 16) text += fmt::format(" in {}-byte atoms", d.swizzle_atom);
  return text;
}

// Whether the image of a descriptor is the part.
class Image {
 public:
  Image(const Part& part, std::uint32_t base, const OperandDescriptor& descriptor)
      : part_(part), base_(base), descriptor_(descriptor), tile_(descriptor, bits()) {}

  std::optional<Misfit> misfit() const {
    std::int64_t wanted = 0, given = 0;
    const auto difference = first_difference(part_, [&](const auto& index, const auto& coordinate) {
      const std::int64_t offset = bit_offset(descriptor_, tile_, index[0], index[1], bits());
      given = swizzled_bit(offset);
      wanted = base_ * std::int64_t{8} + layout_bit(coordinate);
      return given != wanted;
    });
    if (!difference) return std::nullopt;
    return Misfit{fmt::format("{} lies at byte {} of the tile; a descriptor ({}) reads byte {}",
                              tuple_text(*difference), wanted / 8 - base_, mode_text(descriptor_), given / 8 - base_),
                  *difference};
  }

 private:
  int bits() const { return layout::bits(part_.element); }

  std::int64_t layout_bit(std::span<const std::int64_t> coordinate) const {
    const std::int64_t bit = part_.layout.map()(coordinate) * bits();
    return part_.layout.swizzle()(bit / 8) * 8 + bit % 8;
  }

  std::int64_t swizzled_bit(std::int64_t offset) const {
    const std::uint32_t byte = descriptor_.start + static_cast<std::uint32_t>(offset / 8);
    return std::int64_t{8} * swizzled(descriptor_, byte) + offset % 8;
  }

  const Part& part_;
  std::uint32_t base_;
  OperandDescriptor descriptor_;
  Canonical tile_;
};

std::optional<std::string> not_an_operand(const Part& part) {
  if (std::optional<std::string> reason = not_a_part(part)) return reason;
  if (part.extents.size() != 2)
    return fmt::format("an operand has rows and k, not {} coordinates", part.extents.size());
  const int bits = layout::bits(part.element);
  if (bits > 32 || bits % 4 != 0) return fmt::format("the tensor core reads no {}", name(part.element));
  return std::nullopt;
}

// A descriptor whose offsets are read off single elements of the part, and whether its image is the part's.
class Reading {
 public:
  Reading(const Part& part, std::uint32_t base, Major major, TensorCore core) : part_(part), base_(base), core_(core) {
    const Swizzle& swizzle = part.layout.swizzle();
    descriptor_.major = major;
    descriptor_.swizzle_span = swizzle.span();
    if (swizzle.bits != 0) descriptor_.swizzle_atom = 1 << swizzle.base;
  }

  OperandResult run() {
    if (!read_start() || !read_offsets()) return {std::nullopt, std::move(misfit_)};
    return decide();
  }

 private:
  int bits() const { return layout::bits(part_.element); }

  bool refuse(std::string reason, std::vector<std::int64_t> coordinate = {}) {
    misfit_ = {std::move(reason), std::move(coordinate)};
    return false;
  }

  bool read_start() {
    const std::int64_t elements = part_.layout.map()(part_.start);
    const std::int64_t byte = elements * bits() / 8;
    const Swizzle& swizzle = part_.layout.swizzle();
    if (base_ % swizzle.pattern() != 0)
      return refuse(
          fmt::format("its tile starts at {:#x}, no multiple of the swizzle's {} bytes", base_, swizzle.pattern()));
    if (elements * bits() % kUnitBits != 0)
      return refuse(fmt::format("it starts {} bytes into its tile: a descriptor starts at multiples of 16", byte),
                    part_.start);
    // Within the first row of the pattern the base offset is 0, also some units along the row.
    if (swizzle.bits != 0 && byte % swizzle.pattern() >= swizzle.span())
      return refuse(fmt::format("it starts {} bytes into the swizzle's pattern of {}: a part starts in the pattern's "
                                "first row",
                                byte % swizzle.pattern(), swizzle.pattern()),
                    part_.start);
    descriptor_.start = (base_ + static_cast<std::uint32_t>(byte)) & kAddressMask;
    return true;
  }

  bool read_offsets() {
    const Canonical tile(descriptor_, bits());
    const bool swizzled = descriptor_.swizzle_span != 0;
    if (descriptor_.major == Major::k) {
      if (descriptor_.swizzle_atom != 16) return refuse("a swizzle in 32-byte atoms is for MN-major tiles");
      if (!read(descriptor_.stride, 8, 0)) return false;
      if (!swizzled) return read(descriptor_.leading, 0, tile.unit);
      descriptor_.leading = 16;  // not read in this mode; by convention written as one unit
      return true;
    }
    if (swizzled) return read(descriptor_.leading, tile.row, 0) && read(descriptor_.stride, 0, tile.k_group);
    return read(descriptor_.stride, tile.unit, 0) && read(descriptor_.leading, 0, 8);
  }

  // The bytes from the part's first element to (row, k), 0 where the part does not reach so far.
  bool read(std::uint32_t& field, std::int64_t row, std::int64_t k) {
    if (row >= part_.extents[0] || k >= part_.extents[1]) return true;
    const std::array<std::int64_t, 2> there{part_.start[0] + row, part_.start[1] + k};
    const std::int64_t step_bits = (part_.layout.map()(there) - part_.layout.map()(part_.start)) * bits();
    if (step_bits < 0 || step_bits % kUnitBits != 0 || step_bits / 8 > kAddressMask)
      return refuse(fmt::format("from {} to {} are {} bytes: a descriptor has multiples of 16 up to {}",
                                tuple_text(part_.start), tuple_text(there), step_bits / 8, kAddressMask),
                    {there.begin(), there.end()});
    field = static_cast<std::uint32_t>(step_bits / 8);
    return true;
  }

  // What the bits say is compared, not what they were made from.
  OperandResult decide() {
    std::optional<Misfit> misfit = operand_misfit(part_, base_, descriptor_.encode(core_), descriptor_.major, core_);
    if (misfit) return {std::nullopt, std::move(*misfit)};
    return {descriptor_, {}};
  }

  const Part& part_;
  std::uint32_t base_;
  TensorCore core_;
  OperandDescriptor descriptor_;
  Misfit misfit_;
};

}  // namespace

std::uint64_t OperandDescriptor::encode(TensorCore core) const {
  const std::uint64_t common = address_field(start, 0) | address_field(leading, 16) | address_field(stride, 32) |
                               static_cast<std::uint64_t>(base_offset & 7) << 49;
  if (core == TensorCore::wgmma) return common | wgmma_swizzle_code(swizzle_span) << 62;
  return common | std::uint64_t{1} << 46 | swizzle_code(swizzle_span, swizzle_atom) << 61;
}

std::optional<OperandDescriptor> OperandDescriptor::decode(std::uint64_t bits, TensorCore core) {
  constexpr std::uint64_t kVersion = std::uint64_t{1} << 46;
  constexpr std::uint64_t kZero = std::uint64_t{3} << 14 | std::uint64_t{3} << 30 | std::uint64_t{1} << 47 |
                                  std::uint64_t{1} << 48 | std::uint64_t{0x1ff} << 52;
  const bool wgmma = core == TensorCore::wgmma;
  const std::uint64_t zero = wgmma ? kZero | kVersion | std::uint64_t{1} << 61 : kZero;
  const int code = static_cast<int>(bits >> (wgmma ? 62 : 61));
  const int span = wgmma ? kWgmmaSpans[code] : kSpans[code];
  if ((bits & zero) != 0 || (!wgmma && (bits & kVersion) == 0) || span < 0) return std::nullopt;
  OperandDescriptor descriptor;
  descriptor.start = address_at(bits, 0);
  descriptor.leading = address_at(bits, 16);
  descriptor.stride = address_at(bits, 32);
  descriptor.base_offset = static_cast<int>(bits >> 49 & 7);
  descriptor.swizzle_span = span;
  descriptor.swizzle_atom = !wgmma && code == 1 ? 32 : 16;
  return descriptor;
}

std::uint32_t OperandDescriptor::address(std::int64_t row, std::int64_t k, int element_bits) const {
  const std::int64_t offset = bit_offset(*this, Canonical(*this, element_bits), row, k, element_bits);
  return swizzled(*this, start + static_cast<std::uint32_t>(offset / 8));
}

std::optional<Misfit> operand_misfit(const Part& part, std::uint32_t base, std::uint64_t bits, Major major,
                                     TensorCore core) {
  if (std::optional<std::string> reason = not_an_operand(part)) return Misfit{*reason, {}};
  std::optional<OperandDescriptor> descriptor = OperandDescriptor::decode(bits, core);
  if (!descriptor) return Misfit{fmt::format("{:#018x} is no descriptor", bits), part.start};
  descriptor->major = major;
  return Image(part, base, *descriptor).misfit();
}

OperandResult operand_descriptor(const Part& part, std::uint32_t base, TensorCore core) {
  if (std::optional<std::string> reason = not_an_operand(part)) return {std::nullopt, {*reason, {}}};
  const Swizzle& swizzle = part.layout.swizzle();
  const bool wide_atom = swizzle.base == 6 || (swizzle.base == 5 && core == TensorCore::wgmma);
  if (wide_atom || swizzle != swizzle_of_span(swizzle.span(), 1 << swizzle.base))
    return {std::nullopt, {"no descriptor has this swizzle", {}}};
  OperandResult k_major = Reading(part, base, Major::k, core).run();
  if (k_major.descriptor) return k_major;
  OperandResult mn_major = Reading(part, base, Major::mn, core).run();
  if (mn_major.descriptor) return mn_major;
  // The complaint is about the major that the layout is nearer to.
  const std::array<std::int64_t, 2> next_row{part.start[0] + 1, part.start[1]};
  const bool mn = part.extents[0] > 1 && part.layout.map()(next_row) == part.layout.map()(part.start) + 1;
  return mn ? mn_major : k_major;
}

llvm::Expected<Physical> operand_tile(std::int64_t rows, std::int64_t k, Element element, Major major, Swizzle swizzle,
                                      bool k_first) {
  const int bits = layout::bits(element);
  const std::int64_t row = (swizzle.bits == 0 ? kUnitBits : swizzle.span() * 8) / bits;
  const bool wide_atom = swizzle.bits != 0 && swizzle.base == 5;
  const Coordinate along{{row, 1}}, across{{wide_atom ? 4 : 8, row}};
  const Map group(major == Major::k ? std::vector{across, along} : std::vector{along, across});
  const std::array<std::int64_t, 2> extents{rows, k};
  llvm::Expected<cute::View> tiled = cute::tile_to_shape(group, extents, k_first);
  if (!tiled) return tiled.takeError();
  return Physical::make(*tiled->strided(), swizzle);
}

std::string_view operand_encodings() {
  return "groups of 8 rows, K-major, or of 8 k, MN-major, of 16-byte units without swizzle or of rows of 32, 64 or 128 "
         "bytes with the swizzle of that span; the groups at any distance that is a multiple of 16 bytes";
}

}  // namespace warpcc::layout
