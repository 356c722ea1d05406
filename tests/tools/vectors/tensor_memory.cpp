// Accumulators in tensor memory, and the loads that bring them to registers.
#include <algorithm>
#include <array>

#include "check.h"
#include "layout/atoms.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace warpcc::layout::vectors {
namespace {

// `F16BF16_2x1SM_SS 128x64`: an MMA's M and N, and whether a pair runs it.
struct Shape {
  int m = 0, n = 0;
  bool pair = false;
};
std::optional<Shape> shape_of(llvm::StringRef mma) {
  Shape shape;
  const auto [name, extents] = mma.split(' ');
  const auto [m, n] = extents.split('x');
  shape.pair = name.contains("2x1SM");
  if (m.getAsInteger(10, shape.m) || n.getAsInteger(10, shape.n)) return std::nullopt;
  return shape;
}

struct Load {
  TensorLoad shape = TensorLoad::x32x32b;
  int repeat = 0;
};
// `32x32b` and `x8`.
std::optional<Load> load_of(llvm::StringRef name, llvm::StringRef repeat) {
  const auto shape = llvm::StringSwitch<std::optional<TensorLoad>>(name)
                         .Case("32x32b", TensorLoad::x32x32b)
                         .Case("16x64b", TensorLoad::x16x64b)
                         .Case("16x128b", TensorLoad::x16x128b)
                         .Case("16x256b", TensorLoad::x16x256b)
                         .Cases("16x32bx2", "16x32b", TensorLoad::x16x32bx2)
                         .Default(std::nullopt);
  Load load;
  if (!shape || !repeat.consume_front("x") || repeat.getAsInteger(10, load.repeat) || load.repeat < 1)
    return std::nullopt;
  load.shape = *shape;
  return load;
}

// `SM100_TMEM_LOAD_32dp32b8x`.
std::optional<Load> load_named(llvm::StringRef name) {
  if (!name.consume_front("SM100_TMEM_LOAD_")) return std::nullopt;
  const auto [lanes, rest] = name.split("dp");
  const auto [width, repeat] = rest.split('b');
  return load_of((lanes + "x" + width + "b").str(), ("x" + repeat.drop_back()).str());
}

bool check_samples(const std::vector<std::vector<std::int64_t>>& samples, std::size_t width,
                   llvm::function_ref<bool(const std::vector<std::int64_t>&)> agrees) {
  for (const std::vector<std::int64_t>& sample : samples)
    if (sample.size() != width || !agrees(sample)) return false;
  return true;
}

// A record's tile is one accumulator, or several beside each other by the strides of its outer coordinates.
Verdict check_place(const Record& record, const Shape& shape) {
  const Map ours = accumulator(shape.m, shape.n, shape.pair);
  const std::optional<Map> theirs = cute_layout(record.text("cta_layout"));
  if (ours.rank() != 2) return Verdict::differs("no accumulator of this shape");
  if (!theirs || theirs->rank() != 3 || theirs->extent(0) != ours.size()) return Verdict::differs("another tile");
  const std::int64_t lane = record.number("dp_stride");
  const std::int64_t unit = lane / kTensorLane;  // 16-bit accumulators count half columns
  if (unit < 1) return Verdict::differs("its lanes are none");
  std::vector<std::int64_t> table;
  for (std::int64_t i = 0; i < theirs->size(); ++i) {
    const std::int64_t outer = i / ours.size();
    const std::array<std::int64_t, 3> tile{0, outer % theirs->extent(1), outer / theirs->extent(1)};
    const std::int64_t step = (*theirs)(tile);
    const std::int64_t address = ours.at(i % ours.size()) + step / lane * kTensorLane + step % lane / unit;
    table.push_back(address / kTensorLane);
    table.push_back(address % kTensorLane);
  }
  const bool samples = check_samples(record.rows("samples_idx_dp_col"), 3, [&](const auto& sample) {
    return entry(table, 2 * sample[0]) == sample[1] && entry(table, 2 * sample[0] + 1) == sample[2];
  });
  if (static_cast<std::int64_t>(table.size()) != 2 * record.number("size") || !samples ||
      crc_of(table) != record.hex("crc32_dp_col"))
    return Verdict::differs("it lies elsewhere");
  return Verdict::agrees("accumulator");
}

Verdict check_copy(const Record& record, const Shape& shape) {
  const std::optional<Load> load = load_named(record.text("load"));
  if (!load) return Verdict::differs("no such load");
  const RegisterTile ours = accumulator_in_registers(shape.m, shape.n, shape.pair, load->shape, load->repeat);
  if (record.has("rejected")) {
    if (!ours.layout) return Verdict::refused("tmem_load: CuTe: " + record.text("rejected"));
    return Verdict::agrees("tmem_load that CuTe rejects: a bijection");
  }
  if (!ours.layout) return Verdict::differs("refused: " + ours.misfit);
  const Map place = accumulator(shape.m, shape.n, shape.pair);
  const std::int64_t rows = place.extent(0), threads = ours.layout->extent(0);
  if (record.numbers("acc_mn") != place.shape() || record.number("threads") != threads ||
      record.number("values") != ours.layout->extent(1))
    return Verdict::differs("another shape");
  std::vector<std::int64_t> table;
  const std::int64_t values = ours.layout->extent(1);
  for (std::int64_t thread = 0; thread < threads; ++thread)
    for (std::int64_t value = 0; value < values; ++value) {
      const std::int64_t element = ours.layout->at(thread + value * threads);
      table.insert(table.end(), {element % rows, element / rows});
    }
  const bool samples = check_samples(record.rows("samples_thr_val_m_n"), 4, [&](const auto& sample) {
    const std::int64_t at = 2 * (sample[0] * values + sample[1]);
    return entry(table, at) == sample[2] && entry(table, at + 1) == sample[3];
  });
  if (!samples || crc_of(table) != record.hex("crc32_thr_val_m_n")) return Verdict::differs("other elements");
  return Verdict::agrees("tmem_load");
}

// The cells that the record lists: for each of `lanes`, the first so many entries of ours.
bool lists(const std::vector<std::vector<std::int64_t>>& rows, const std::vector<std::int64_t>& lanes,
           const std::vector<std::vector<std::int64_t>>& ours) {
  if (rows.size() != lanes.size()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (lanes[i] < 0 || lanes[i] >= static_cast<std::int64_t>(ours.size())) return false;
    const std::vector<std::int64_t>& own = ours[lanes[i]];
    if (rows[i].size() > own.size() || !std::equal(rows[i].begin(), rows[i].end(), own.begin())) return false;
  }
  return true;
}

}  // namespace

Verdict check_accumulator(const Record& record) {
  const std::optional<Shape> shape = shape_of(record.text("mma"));
  if (!shape) return Verdict::differs("its MMA is not known");
  if (record.text("record") == "accumulator") return check_place(record, *shape);
  return check_copy(record, *shape);
}

Verdict check_tensor_load(const Record& record) {
  const std::optional<Load> load = load_of(record.text("ptx_shape"), record.text("rep"));
  if (!load) return Verdict::differs("no such load");
  const bool packed = record.number("pack16") != 0;
  const int registers = tensor_load_registers(load->shape, load->repeat);
  const int columns = tensor_load_columns(load->shape, load->repeat);
  // Packed, the last cell is the lower half of the last of twice the columns, which the record does not count.
  if (registers != record.number("regs") || tensor_load_lanes(load->shape) != record.number("datapaths") ||
      (packed ? 2 * columns - 1 : columns) != record.number("columns"))
    return Verdict::differs("another number of registers, lanes or columns");
  // CuTe puts the second half of 16x32bx2 right behind the first.
  const int second_half = columns / 2;
  std::vector<std::vector<std::int64_t>> cells(32), halves(32);
  std::vector<std::int64_t> bits, all_lanes;
  for (int lane = 0; lane < 32; ++lane) {
    all_lanes.push_back(lane);
    for (int value = 0; value < registers; ++value) {
      const auto [row, column] = tensor_load_cell(load->shape, lane, value, second_half);
      cells[lane].insert(cells[lane].end(), {row, column});
      for (const int half : {0, 1}) {
        const auto [half_row, half_column] = tensor_load_packed_cell(load->shape, lane, value, half, second_half);
        const std::int64_t place_row = packed ? half_row : row;
        const std::int64_t place_bit = packed ? 32 * half_column : 32 * column + 16 * half;
        halves[lane].insert(halves[lane].end(), {place_row, place_bit});
        bits.insert(bits.end(), {place_row, place_bit});
      }
    }
  }
  if (crc_of(bits) != record.hex("crc32_bits")) return Verdict::differs("other cells");
  const bool listed = packed ? lists(record.rows("lane_reg_dp_lo16bit_hi16bit"), record.numbers("lanes_listed"), halves)
                             : lists(record.rows("lane_reg_dp_col"),
                                     record.has("lanes_listed") ? record.numbers("lanes_listed") : all_lanes, cells);
  if (!listed) return Verdict::differs("other cells than those listed");
  return Verdict::agrees(packed ? "packed 16-bit cells" : "");
}

}  // namespace warpcc::layout::vectors
