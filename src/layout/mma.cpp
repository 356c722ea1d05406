#include "layout/mma.h"

#include <fmt/format.h>

namespace warpcc::layout {
namespace {

constexpr int kWarpgroup = 128;

// A lane holds `each` neighbouring columns, four lanes a row, eight rows; a warp 16 rows, of which each lane has two.
// Then columns go on in steps of 4 × each.
Map fragment(int each, int columns) {
  const std::int64_t rows = kWgmmaRows;
  return Map({{{4, each * rows}, {8, 1}, {4, 16}}, {{each, rows}, {2, 8}, {columns / (4 * each), 4 * each * rows}}});
}

}  // namespace

Map tcgen05_share(int rows, int columns, bool pair) {
  const std::int64_t all = rows, own = pair ? rows / 2 : rows;
  return Map({{{pair ? 2 : 1, pair ? own : 0}}, {{own, 1}, {columns, all}}});
}

Map wgmma_accumulator(int n) {
  return fragment(2, n);
}

Map wgmma_register_operand(Element element) {
  const int each = 32 / bits(element);  // elements of a register
  return fragment(each, 8 * each);
}

Map wgmma_shared_operand(int rows, int k) {
  return Map({{{kWarpgroup, 0}}, {{rows, 1}, {k, rows}}});
}

// PTX ISA, wgmma: matrix shapes.
std::optional<std::string> wgmma_shape_misfit(InstructionDescriptor::Kind kind, int n) {
  const bool integer = kind == InstructionDescriptor::Kind::i8;
  const bool listed = integer ? n == 8 || n == 24 || n % 16 == 0 : n % 8 == 0;
  if (n >= 8 && n <= 256 && listed) return std::nullopt;
  return fmt::format("N = {}: wgmma has N = 8 to 256 in steps of {}", n, integer ? 16 : 8);
}

}  // namespace warpcc::layout
