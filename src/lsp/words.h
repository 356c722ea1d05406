// Words of a text, found without parsing it: what stands under the cursor while the text is half typed.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpcc::lsp {

struct Word {
  std::uint32_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The name or number that the place is in, or at an end of.
inline Word word_at(std::string_view text, std::uint32_t offset) {
  Word word{offset, offset};
  while (word.begin > 0 && is_word(text[word.begin - 1])) --word.begin;
  while (word.end < text.size() && is_word(text[word.end])) ++word.end;
  return word;
}

}  // namespace warpcc::lsp
