// A timeline of a run, for trace viewers (Trace Event Format): CTAs as processes, their warps and engines as threads,
// waits and asynchronous work as spans, an arrow from what completes a phase to the wait that it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace warpcc::checker {

struct Trace {
  // Of a CTA: warps by their number, then what works by itself.
  enum Track : std::int32_t { kLoads = 1000, kTensorCore, kStores };
  struct Span {
    std::int64_t cta = 0;
    std::int32_t track = 0;
    std::string name;
    std::uint64_t begin = 0, end = 0;  // instructions executed by then
  };
  struct Arrow {
    std::int64_t from_cta = 0, to_cta = 0;
    std::int32_t from = 0, to = 0;
    std::uint64_t begin = 0, end = 0;
    std::string name;
  };
  struct Name {
    std::int64_t cta = 0;
    std::int32_t warp = 0;
    std::string role;
  };
  std::vector<Span> spans;
  std::int64_t ctas = 0;  // of a launch: those of the next are counted on
  std::vector<Arrow> arrows;
  std::vector<Name> names;
  bool full() const { return spans.size() >= kMost; }

  static constexpr std::size_t kMost = 1 << 20;
};

void print_trace(const Trace& trace, llvm::raw_ostream& out);

}  // namespace warpcc::checker
