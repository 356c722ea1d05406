// A PTX kernel written in a test: read, launched on a device of its own, and what it left there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/device.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace warpcc::checker::test {

enum class Words { kZeros, kIndices };  // all zeros; the first 1024 hold their index, nothing has written the others

struct PtxText {
  std::string body;
  std::string target = "sm_100a";
  std::string before = {};                  // what the module declares before the kernel
  std::optional<TensorMapFields> map = {};  // the kernel's second parameter, `map`; its address counts from the words
};

// The kernel `k`: %rd1 is the address of `kCount` words, %r1 the thread's index, `smem` 64 KiB of shared memory. It has
// registers %p, %b, %h, %r, %rd and %f. Where the text is none that is said, and `run` does nothing.
class PtxTrial {
 public:
  static constexpr std::int64_t kCount = 4096;
  explicit PtxTrial(const PtxText& text, std::uint32_t threads = 32, Words words = Words::kIndices);
  PtxTrial(const PtxTrial&) = delete;  // the launch points into the module

  PtxTrial& run(const Options& options = {});
  bool clean() const { return ran && outcome.findings.empty(); }
  std::string said() const;  // diagnostics and findings
  bool says(const char* what) const { return said().find(what) != std::string::npos; }
  std::uint32_t word(std::int64_t i);

  Sources sources;
  Diagnostics diagnostics;
  std::optional<ptx_text::Module> module;
  Device device;
  PtxLaunch launch;
  Outcome outcome;
  std::uint64_t out = 0;
  bool ran = false;
};

}  // namespace warpcc::checker::test
