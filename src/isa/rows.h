// The small language of the operand columns of opcodes.def and statements.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace warpcc::isa {

struct KindWord {
  std::string_view word;
  Takes takes;
};

// One operand of a column: kinds and marks as the .def files describe them.
struct Column {
  Takes takes = 0;
  bool written = false, negates = false, optional = false;
  std::uint8_t width = 1;  // 0: `:*`
  std::optional<std::int64_t> neutral;
};

std::vector<Column> read_columns(std::string_view text, std::span<const KindWord> kinds);
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace warpcc::isa
