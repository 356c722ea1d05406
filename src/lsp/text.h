// A text as an editor sees it: lines, and places counted in UTF-16 code units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpcc::lsp {

// Both from 0; `character` counts UTF-16 code units (Language Server Protocol 3.17, Position).
struct Place {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// UTF-16 code units of UTF-8 text.
std::uint32_t utf16_length(std::string_view text);
// How many bytes of a line so many code units are; within a character, those before it.
std::uint32_t bytes_of(std::string_view line, std::uint32_t units);

class Text {
 public:
  explicit Text(std::string text = "") : text_(std::move(text)) { find_lines(); }

  const std::string& str() const { return text_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::uint32_t lines() const { return static_cast<std::uint32_t>(starts_.size()); }
  // Without its end. Past the last line: empty.
  std::string_view line(std::uint32_t number) const;
  // Places outside of the text are at the nearest inside.
  std::uint32_t offset(Place place) const;
  Place place(std::uint32_t offset) const;

  void replace(std::uint32_t begin, std::uint32_t end, std::string_view words);

 private:
  void find_lines();

  std::string text_;
  std::vector<std::uint32_t> starts_;
};

// Two versions of a text that differ in one stretch, or seem to: what is before and behind it is in both.
class Moves {
 public:
  Moves() = default;
  Moves(std::string_view before, std::string_view now);

  // Where a place of one version is in the other; nothing where it was in what has changed.
  std::optional<std::uint32_t> to_now(std::uint32_t before) const;
  std::optional<std::uint32_t> to_before(std::uint32_t now) const;
  // The place before, or where the change begins.
  std::uint32_t near(std::uint32_t now) const { return to_before(now).value_or(prefix_); }
  bool same() const { return same_; }

 private:
  bool same_ = true;
  std::uint32_t prefix_ = 0, suffix_ = 0, before_ = 0, now_ = 0;
};

}  // namespace warpcc::lsp
