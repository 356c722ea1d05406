// What the words of numbers and strings mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpcc::frontend {

struct Number {
  std::optional<std::int64_t> value;
  bool overflow = false;  // else, without a value, it is no number
};

// Decimal, or hexadecimal behind `0x`; `_` between digits.
Number read_number(std::string_view word);

// The text between the quotes; nothing where it holds an escape other than \" \\ \n \t.
std::optional<std::string> read_string(std::string_view quoted);

}  // namespace warpcc::frontend
