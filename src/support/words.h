// Words of which there are some.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpcc {

// `1 argument`, `2 arguments`; a noun whose plural is no `s` gives it.
inline std::string counted(std::uint64_t count, std::string_view noun, std::string_view nouns = "") {
  std::string words = std::to_string(count) + ' ';
  if (count == 1) return words.append(noun);
  return nouns.empty() ? words.append(noun) + 's' : words.append(nouns);
}

// `1 is`, `2 are`.
inline std::string there_are(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " is" : " are");
}

}  // namespace warpcc
