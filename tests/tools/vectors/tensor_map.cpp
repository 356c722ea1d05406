// Tensor-map boxes.
#include <algorithm>
#include <numeric>

#include "check.h"
#include "layout/atoms.h"

namespace warpcc::layout::vectors {
namespace {

// `((128,16),1,4)` as `(128,16,1,4)`: the first inner tuple without its parentheses.
std::string opened_first(llvm::StringRef tuple) {
  std::string text = tuple.str();
  int depth = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return text.erase(i, 1).erase(1, 1);
  }
  return text;
}

// The record's shared tile as (MN, K), and of its MN what one instruction has: a copy fills that much of it, as in
// global memory the next instruction's rows may be elsewhere.
struct Tile {
  Map map;
  std::int64_t mn = 0;
};

// SM100 operands are written as ((MN, K), MN tiles, K tiles): the first tuple is opened, and what steps along one
// coordinate put together.
std::optional<Tile> tile_of(const Record& record) {
  const std::string text = record.text("smem_layout");
  const std::optional<Map> map = cute_layout(text);
  if (!map) return std::nullopt;
  if (map->rank() == 2) return Tile{*map, map->extent(0)};
  const auto [shape, stride] = llvm::StringRef(text).split(':');
  const std::optional<Map> opened = cute_layout(opened_first(shape) + ":" + opened_first(stride));
  if (!opened || opened->rank() != 4) return std::nullopt;
  const auto joined = [&](int first, int second) {
    Coordinate modes = opened->coordinates()[first];
    const Coordinate& more = opened->coordinates()[second];
    modes.insert(modes.end(), more.begin(), more.end());
    return modes;
  };
  return Tile{Map({joined(0, 2), joined(1, 3)}), opened->extent(0)};
}

Swizzle swizzle_named(llvm::StringRef name) {
  int span = 0;
  const auto [number, atom] = name.split('B');
  if (number.getAsInteger(10, span)) return {};
  return swizzle_of_span(span, atom == "_base32B" ? 32 : 16);
}

// What the encoder is asked for.
std::string encoder_name(const Box& box) {
  if (box.swizzle_span == 0) return "NONE";
  return std::to_string(box.swizzle_span) + (box.swizzle_atom == 32 ? "B_ATOM_32B" : "B");
}

// How many CTAs share one copy, each issuing its slice: those along the cluster's other coordinate, by the MMA's pairs.
std::int64_t slices(const Record& record) {
  if (!record.has("cluster")) return std::max<std::int64_t>(record.number("multicast"), 1);
  const std::optional<std::vector<std::int64_t>> cluster = cute_shape(record.text("cluster"));
  if (!cluster || cluster->size() < 2) return 1;
  const bool pair = llvm::StringRef(record.text("mma")).contains("2x1SM");
  return record.text("operand") == "A" ? (*cluster)[1] : (*cluster)[0] / (pair ? 2 : 1);
}

// The tensor in global memory, innermost first: extents, and the strides in bytes of all but the first.
bool is_tensor(const Record& record, bool k_major, std::int64_t bits) {
  std::vector<std::int64_t> extents = record.numbers("problem");
  if (extents.size() < 2) return false;
  if (k_major) std::swap(extents[0], extents[1]);
  std::vector<std::int64_t> strides;
  std::int64_t bytes = bits;
  for (std::size_t i = 0; i + 1 < extents.size(); ++i) strides.push_back((bytes *= extents[i]) / 8);
  return record.numbers("global_dim") == extents && record.numbers("global_strides_bytes") == strides &&
         record.number("tma_rank") == static_cast<std::int64_t>(extents.size()) &&
         record.numbers("elem_strides") == std::vector<std::int64_t>(extents.size(), 1);
}

}  // namespace

Verdict check_tensor_map(const Record& record) {
  const std::optional<Tile> tile = tile_of(record);
  const std::optional<Element> element = element_of(record.text("elem"));
  if (!tile || tile->map.rank() != 2 || !element || bits(*element) != record.number("elem_bits"))
    return Verdict::differs("its tile or element is not known");
  if (record.text("gmem_major") != record.text("smem_major"))
    return Verdict::differs("its global and shared memory have other majors");
  // The coordinates, innermost last, as our boxes have them; CuTe's box is innermost first.
  const bool k_major = record.text("gmem_major") == "K";
  std::vector<Coordinate> coordinates = tile->map.coordinates();
  std::vector<std::int64_t> extents{tile->mn, tile->map.extent(1)};
  if (!k_major) {
    std::swap(coordinates[0], coordinates[1]);
    std::swap(extents[0], extents[1]);
  }
  llvm::Expected<Physical> layout =
      Physical::make(Map(std::move(coordinates)), swizzle_named(record.text("smem_swizzle")));
  if (!layout) return Verdict::differs(llvm::toString(layout.takeError()));
  Part part{*layout, *element, {0, 0}, extents};
  if (record.has("rejected")) {
    // CuTe asks for the whole run of the tile at once.
    const BoxResult whole = tensor_map_box(part);
    if (!whole.box) return Verdict::refused("CuTe: " + record.text("rejected"));
    return Verdict::agrees("CuTe rejects it, ours is decided at every coordinate");
  }
  BoxResult best = largest_box(part);
  if (!best.box) return Verdict::differs("no box: " + best.misfit.reason);
  Box box = *best.box;
  const std::int64_t copies = slices(record);
  if (box.extents[0] % copies != 0) return Verdict::differs("the box is not cut in slices");
  box.extents[0] /= copies;
  std::vector<std::int64_t> wanted = record.numbers("box_dim");
  if (wanted.size() < 2 || !std::all_of(wanted.begin() + 2, wanted.end(), [](std::int64_t e) { return e == 1; }))
    return Verdict::differs("its box has other coordinates");
  wanted.resize(2);
  if (box.extents != std::vector<std::int64_t>{wanted[1], wanted[0]}) return Verdict::differs("another box");
  // As many of them as fill the tile are each where the tile is.
  const std::vector<std::int64_t> shape = layout->map().shape();
  part.extents = box.extents;
  for (part.start[0] = 0; part.start[0] < shape[0]; part.start[0] += box.extents[0])
    for (part.start[1] = 0; part.start[1] < shape[1]; part.start[1] += box.extents[1])
      if (const BoxResult piece = tensor_map_box(part); !piece.box)
        return Verdict::differs("a piece: " + piece.misfit.reason);

  const std::int64_t element_bits = bits(*element), box_bytes = wanted[0] * wanted[1] * element_bits / 8;
  if (!is_tensor(record, k_major, element_bits)) return Verdict::differs("another tensor");
  if (encoder_name(box) != record.text("swizzle") || tensor_map_swizzle(box) != record.number("swizzle_enum"))
    return Verdict::differs("another swizzle");
  if (tensor_map_type(*element) != record.number("data_type")) return Verdict::differs("another data type");
  if (record.number("inner_box_bytes") != wanted[0] * element_bits / 8 ||
      record.number("bytes_per_tma") != box_bytes * copies ||
      record.number("smem_tile_bytes") != layout->map().size() * element_bits / 8)
    return Verdict::differs("other bytes");
  return Verdict::agrees(copies > 1 ? "cut in slices" : "");
}

}  // namespace warpcc::layout::vectors
