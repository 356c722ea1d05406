// What a line is held to, evaluated by the layouts of the header at the present coordinates: in 64 bits, never through
// the registers that the line reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/interp/code.h"
#include "checker/interp/state.h"
#include "llvm/ADT/SmallVector.h"

namespace warpcc::checker {

// Who evaluates: the named values of a warp, and where it runs.
struct Scope {
  const sass::Program& program;
  const Warp& warp;
  const Cta& cta;
  const sass::Section* section;  // null: the text has none
  std::int64_t cluster = 0;
};

// Where a view begins.
struct Place {
  bool inside = true;  // the CTA and the copies exist, and the coordinates lie in the buffer
  bool no_cta = false;
  int rank = 0;  // shared: the CTA in the cluster
  // Shared: bytes; tensor: lane × 0x10000 + column in the buffer's allocation; global: the element.
  std::int64_t offset = 0;
  std::int64_t copy_offset = 0;                      // of it, what comes of place and copies
  llvm::SmallVector<std::int64_t, 4> copies, start;  // start: an index for each coordinate of the buffer
};

std::int64_t evaluate(const Formula& formula, const Scope& scope, int lane);
Place place_of(const ViewCode& view, const Scope& scope, int lane);

// Extents of the dimensions that a view leaves, slowest first as written; and the buffer's coordinate that each is.
struct Extents {
  llvm::SmallVector<std::int64_t, 4> extents;
  llvm::SmallVector<int, 4> dimension;
};
Extents extents_of(const ViewCode& view, const sass::Program& program);

// The byte offset (shared), address (tensor) or element (global) of the view's element at `index`, one a dimension that
// it leaves.
std::int64_t element_at(const ViewCode& view, const Place& place, const Extents& extents,
                        llvm::ArrayRef<std::int64_t> index, const sass::Program& program);

// The CTAs of a cluster whose full (or empty) barrier of `pipe` is signalled from CTA `from` (language reference,
// sections 6 and 7).
std::uint32_t signalled(const sass::Program& program, const sass::Pipe& pipe, bool full, int from);
// The CTAs that differ from `from` along an axis alone, itself among them; 0 where there is no such axis.
std::uint32_t across(const sass::Program& program, std::string_view axis, int from);
// The bytes that a phase of the pipe's full barrier in CTA `at` counts: what the carried tiles hold in all CTAs that
// fill its stage.
std::int64_t phase_bytes(const sass::Program& program, const sass::Pipe& pipe, int at);

// Hashes of what an image check depends on.
std::uint64_t mix(std::uint64_t seed, std::uint64_t value);
// `what` stands for the line that is held.
std::uint64_t key_of(const void* what, const Place& place, std::uint64_t bits);

// An element of a tile of rows and columns, and where it lies: by what an instruction's bits say, and by the layout.
struct Difference {
  std::int64_t row, column, lies, layout_says;
};
// The first whose two places differ: `lies` and `says` of (row, column).
template <typename Lies, typename Says>
std::optional<Difference> first_difference(std::int64_t rows, std::int64_t columns, Lies lies, Says says) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      std::int64_t one = lies(row, column), other = says(row, column);
      if (one != other) return Difference{row, column, one, other};
    }
  }
  return {};
}

std::vector<std::int64_t> axes_of(const sass::Program& program, int rank);
int rank_of(const sass::Program& program, const std::vector<std::int64_t>& axes);

// `sa[1][0, 0]`, with the present numbers; and ` = ` of the names that it speaks of: `stage_pos = 1`.
std::string view_text(const ViewCode& view, const Place& place, const sass::Program& program);
std::string names_text(const HeldCode& held, const Scope& scope, int lane);

}  // namespace warpcc::checker
