// What is said to the user about a text: collected by the rooms, printed by the driver.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/source.h"

namespace llvm {
class raw_ostream;
}

namespace warpcc {

// A complaint as a designed thing: a stable code and a text with typed holes, declared once, beside its use.
//
//     constexpr Message<std::string, std::string> wait_takes_barrier{"wait-takes-barrier", "a wait takes a barrier;
//     `{}` is {}"};
template <typename... Args>
struct Message {
  std::string_view code;
  fmt::format_string<const Args&...> text;
};

enum class Severity : std::uint8_t { error, warning };

struct Note {
  SourceRange where;
  std::string text;
};

// Words that stand in place of a range of the text; an empty range is before its first byte.
struct Edit {
  SourceRange where;
  std::string words;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string_view code;
  SourceRange where;
  std::string text;
  std::vector<Note> notes;
  std::vector<Edit> edits;  // all together they mend it; only where that is certain

  Diagnostic& note(SourceRange place, std::string words) {
    notes.push_back({place, std::move(words)});
    return *this;
  }
  Diagnostic& mend(SourceRange place, std::string words) {
    edits.push_back({place, std::move(words)});
    return *this;
  }
  // Words before a place.
  Diagnostic& insert(FileId file, std::uint32_t at, std::string words) {
    return mend({file, at, at}, std::move(words));
  }
};

class Diagnostics {
 public:
  // The reference is good until the next report.
  template <typename... Args>
  Diagnostic& error(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    return add(Severity::error, message.code, where, fmt::format(message.text, args...));
  }
  template <typename... Args>
  Diagnostic& warning(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    return add(Severity::warning, message.code, where, fmt::format(message.text, args...));
  }

  bool failed() const { return errors_ > 0; }
  const std::vector<Diagnostic>& all() const { return all_; }

  // In the order of files and places; equal ones once. `path:line:column: error: text [code]`, the line and a caret
  // range; the line as it is mended; notes likewise. Long lines are cut around the place.
  void print(llvm::raw_ostream& out, const Sources& sources) const;

 private:
  Diagnostic& add(Severity severity, std::string_view code, SourceRange where, std::string text);

  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

// In the order of files and places, equal ones once.
std::vector<const Diagnostic*> in_order(const std::vector<Diagnostic>& all);

}  // namespace warpcc
