#include "isa/rows.h"

#include <algorithm>
#include <charconv>

#include "llvm/Support/ErrorHandling.h"

namespace warpcc::isa {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

namespace {

Column read_column(std::string_view text, std::span<const KindWord> kinds) {
  Column column;
  auto number = [&] {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{})
      llvm::report_fatal_error("warpcc: a number is missing in an operand column of the instruction tables");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  while (!text.empty()) {
    std::size_t length = std::min(text.find_first_of("|!~?:="), text.size());
    if (length > 0) {
      auto kind =
          std::find_if(kinds.begin(), kinds.end(), [&](const KindWord& k) { return k.word == text.substr(0, length); });
      if (kind == kinds.end())
        llvm::report_fatal_error("warpcc: an unknown kind in an operand column of the instruction tables");
      column.takes |= kind->takes;
      text.remove_prefix(length);
      continue;
    }
    char mark = text.front();
    text.remove_prefix(1);
    if (mark == '!') column.written = true;
    if (mark == '~') column.negates = true;
    if (mark == '?') column.optional = true;
    if (mark == '=') column.optional = true, column.neutral = number();
    if (mark == ':' && text.starts_with('*')) {
      column.width = 0;
      text.remove_prefix(1);
    } else if (mark == ':') {
      column.width = static_cast<std::uint8_t>(number());
    }
  }
  return column;
}

}  // namespace

std::vector<Column> read_columns(std::string_view text, std::span<const KindWord> kinds) {
  std::vector<Column> columns;
  for (std::string_view part : split(text, ' ')) columns.push_back(read_column(part, kinds));
  return columns;
}

}  // namespace warpcc::isa
