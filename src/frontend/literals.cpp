#include "frontend/literals.h"

#include <charconv>
#include <system_error>

namespace warpcc::frontend {

Number read_number(std::string_view word) {
  int base = 10;
  if (word.starts_with("0x")) {
    base = 16;
    word.remove_prefix(2);
  }
  if (word.empty() || word.front() == '_' || word.back() == '_') return {};
  std::string digits;
  for (char c : word) {
    if (c != '_') digits += c;
  }
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (end != digits.data() + digits.size()) return {};
  if (error == std::errc::result_out_of_range) return {std::nullopt, true};
  if (error != std::errc{}) return {};
  return {value, false};
}

std::optional<std::string> read_string(std::string_view quoted) {
  std::string_view written = quoted.substr(1, quoted.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      value += written[i];
      continue;
    }
    switch (written[++i]) {
      case '"':
      case '\\':
        value += written[i];
        break;
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      default:
        return std::nullopt;
    }
  }
  return value;
}

}  // namespace warpcc::frontend
