// Operands of MMAs that came from behind the valid extents of a buffer (docs/sass-text.md, `valid`). What lies there
// may be NaN, and 0 × NaN is NaN: it spoils every element that it is multiplied into, whatever it is multiplied with.
// Rows all of which is such spoil only the elements that are their own.
#include <fmt/format.h>

#include "checker/interp/interpreter.h"

namespace warpcc::checker {
namespace {

enum class Validity : std::uint8_t { all, rows, none, mixed };

// `first`: the first element that is not valid.
Validity validity_of(const machine::OperandImage& image, const machine::SharedMemory& shared, std::uint32_t& first) {
  bool any = false;
  for (const machine::OperandImage::Units& units : image.units)
    any = any || (shared.block(units.offset).invalid & units.mask) != 0;
  if (!any) return Validity::all;
  int bad_rows = 0;
  for (int row = 0; row < image.rows; ++row) {
    int bad = 0;
    for (int k = 0; k < image.k; ++k) {
      std::uint32_t at = image.addresses[static_cast<std::size_t>(row * image.k + k)];
      if (!(shared.block(at).invalid & machine::SharedMemory::unit_bit(at))) continue;
      if (bad++ == 0 && bad_rows == 0) first = at;
    }
    if (bad != 0 && bad != image.k) return Validity::mixed;
    bad_rows += bad != 0;
  }
  return bad_rows == image.rows ? Validity::none : Validity::rows;
}

}  // namespace

// `accumulator`: which one of CTA `rank` the products go to.
void Interpreter::check_valid(llvm::ArrayRef<const machine::OperandImage*> operands, int rank,
                              std::uint64_t accumulator, bool accumulates) {
  bool nothing = false;
  std::uint32_t first = 0;
  for (const machine::OperandImage* operand : operands) {
    if (!operand) continue;
    Validity validity = validity_of(*operand, cta_of(rank).shared, first);
    nothing = nothing || validity == Validity::none;
    if (validity != Validity::mixed) continue;
    report(Finding::Kind::memory,
           fmt::format(
               "reads {} at {} of CTA {}, which lies behind the valid extents of its buffer: what lies there may be "
               "NaN, and 0 × NaN is NaN",
               operand == operands[0] ? "A" : "B", place_text(first), cta_of(rank).number),
           {"to mend: k steps that end with what is valid, or zeros written over the rest before the MMA"});
    return;
  }
  auto [known, fresh] = cta_of(rank).from_nothing.try_emplace(accumulator, nothing);
  if (fresh || !accumulates) {
    known->second = nothing;
    return;
  }
  if (known->second == nothing) return;
  known->second = nothing;
  report(Finding::Kind::memory,
         fmt::format("adds products of {} of CTA {}, which lies behind the valid extents of its buffer, and of what is "
                     "valid in one accumulator: what lies there may be NaN",
                     place_text(first), cta_of(rank).number),
         {"to mend: k steps that end with what is valid, or zeros written over the rest before the MMA"});
}

}  // namespace warpcc::checker
