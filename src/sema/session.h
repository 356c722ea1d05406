// What all parts of one elaboration share: where the text is, where complaints go, the kernel that is being built,
// where in it we are, and how much work is left before we say that it is too much.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sema/kernel.h"
#include "support/diagnostics.h"

namespace warpcc::sema {

// Where in a kernel a statement stands: what `warp` and the axes may be there.
struct Place {
  enum class Kind : std::uint8_t { outside, start, role, finish } kind = Kind::outside;
  std::string role;
  int first_warp = 0;
  int warps = 1;
  std::vector<kernel::Pin> at;
};

class Meanings;
struct Value;

class Session {
 public:
  // Bounds on what a program may ask of the compiler: far above what kernels need, low enough that nobody waits for the
  // answer.
  static constexpr int kDeepest = 1200;     // nested expressions, blocks and calls, all together
  static constexpr int kDeepestCalls = 64;  // procs in procs
  static constexpr std::int64_t kMostSteps = 5'000'000;
  static constexpr std::int64_t kMostVisits = 30'000'000;  // of instructions, by the walks over paths
  static constexpr std::size_t kMostComplaints = 100;      // after these nothing more is looked for
  static constexpr std::size_t kDeepestLoops = 8;          // a walk over paths takes a loop a few times
  static constexpr std::int64_t kMostRounds = 65'536;      // of a `for`
  static constexpr std::int64_t kMostNodes = 1'000'000;

  Session(Sources& sources, Diagnostics& diagnostics) : sources(sources), diagnostics(diagnostics) {}

  Sources& sources;
  Diagnostics& diagnostics;
  kernel::Kernel kernel;
  Place place;
  Meanings* meanings = nullptr;  // told what names mean, where somebody asks

  // Reports; an error in the body of a proc or `fn` carries the calls that led there.
  template <typename... Args>
  Diagnostic& error(SourceRange where, const Message<Args...>& message, const std::type_identity_t<Args>&... args) {
    return with_calls(diagnostics.error(where, message, args...));
  }
  // The notes of error(), for a diagnostic about code that was elaborated before: the calls that led to it.
  Diagnostic& with_calls(Diagnostic& diagnostic, kernel::CallId call) const;

  std::string_view text(SourceRange where) const { return sources.text(where); }
  // The text on one line: white space collapsed, comments left out.
  std::string one_line(SourceRange where) const;
  // `12`, or `tiles.wk:12` where it is another file than `from`'s.
  std::string line_of(SourceRange where) const;

  // A name in the text stands for this.
  void means(SourceRange name, const Value& value) {
    if (meanings) tell_meanings(name, value);
  }

  // One more step of work; false, after one complaint, where there have been too many.
  bool step(SourceRange where);
  bool visit();

  // Entered calls, innermost last.
  struct Entered {
    std::string name;
    SourceRange where;
  };
  std::vector<Entered> chain;
  kernel::CallId call = kernel::CallId::none;
  std::int64_t cluster_id = 0;  // of the cluster whose facts are looked at
  int depth = 0;
  std::int64_t steps = 0;
  std::int64_t nodes = 0;
  std::int64_t visits = 0;

 private:
  Diagnostic& with_calls(Diagnostic& diagnostic) const;
  void tell_meanings(SourceRange name, const Value& value);  // meanings.cpp
  bool exhausted_ = false;
};

// One level deeper in the text; `ok()` is false, after a complaint, where that is too deep.
class Deeper {
 public:
  Deeper(Session& session, SourceRange where);
  ~Deeper() { --session_.depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  bool ok() const { return ok_; }

 private:
  Session& session_;
  bool ok_;
};

}  // namespace warpcc::sema
