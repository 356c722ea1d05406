#include "lsp/text.h"

#include <algorithm>

namespace warpcc::lsp {
namespace {

// Of the character that begins with this byte; what is no beginning is taken for a character of its own.
std::uint32_t bytes_of_character(unsigned char first) {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

std::uint32_t units_of_character(unsigned char first) {
  return first >= 0xf0 ? 2 : 1;
}

}  // namespace

std::uint32_t utf16_length(std::string_view text) {
  std::uint32_t units = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    units += units_of_character(first);
    i += bytes_of_character(first);
  }
  return units;
}

std::uint32_t bytes_of(std::string_view line, std::uint32_t units) {
  std::uint32_t at = 0;
  for (std::uint32_t seen = 0; at < line.size();) {
    const auto first = static_cast<unsigned char>(line[at]);
    seen += units_of_character(first);
    if (seen > units) break;
    at += bytes_of_character(first);
  }
  return std::min(at, static_cast<std::uint32_t>(line.size()));
}

void Text::find_lines() {
  starts_.assign(1, 0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::string_view Text::line(std::uint32_t number) const {
  if (number >= starts_.size()) return {};
  std::string_view rest = std::string_view(text_).substr(starts_[number]);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::uint32_t Text::offset(Place place) const {
  if (place.line >= starts_.size()) return size();
  return starts_[place.line] + bytes_of(line(place.line), place.character);
}

Place Text::place(std::uint32_t offset) const {
  offset = std::min(offset, size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - starts_.begin()) - 1;
  return {line, utf16_length(std::string_view(text_).substr(starts_[line], offset - starts_[line]))};
}

void Text::replace(std::uint32_t begin, std::uint32_t end, std::string_view words) {
  begin = std::min(begin, size());
  end = std::clamp(end, begin, size());
  text_.replace(begin, end - begin, words);
  find_lines();
}

Moves::Moves(std::string_view before, std::string_view now)
    : before_(static_cast<std::uint32_t>(before.size())), now_(static_cast<std::uint32_t>(now.size())) {
  const auto [b, n] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  prefix_ = static_cast<std::uint32_t>(b - before.begin());
  same_ = b == before.end() && n == now.end();
  const std::uint32_t most = std::min(before_, now_) - prefix_;
  while (suffix_ < most && before[before_ - 1 - suffix_] == now[now_ - 1 - suffix_]) ++suffix_;
}

std::optional<std::uint32_t> Moves::to_now(std::uint32_t before) const {
  if (same_ || before <= prefix_) return before;
  if (before + suffix_ >= before_) return before - before_ + now_;
  return std::nullopt;
}

std::optional<std::uint32_t> Moves::to_before(std::uint32_t now) const {
  if (same_ || now <= prefix_) return now;
  if (now + suffix_ >= now_) return now - now_ + before_;
  return std::nullopt;
}

}  // namespace warpcc::lsp
