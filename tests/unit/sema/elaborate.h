// A text, elaborated; what was said about it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sema/sema.h"

struct Elaborated {
  std::optional<warpcc::kernel::Kernel> kernel;
  std::vector<warpcc::Diagnostic> said;

  bool says(std::string_view code) const {
    for (const warpcc::Diagnostic& each : said) {
      if (each.code == code) return true;
    }
    return false;
  }
};

inline Elaborated elaborate_text(std::string text, std::vector<warpcc::Definition> definitions = {}) {
  warpcc::Sources sources;
  warpcc::Diagnostics diagnostics;
  const warpcc::FileId file = sources.add("test.wk", std::move(text));
  Elaborated result;
  result.kernel = warpcc::elaborate(file, {std::move(definitions), {}}, sources, diagnostics);
  result.said = diagnostics.all();
  return result;
}

// A kernel that does nothing, behind these items.
inline Elaborated elaborate_items(const std::string& items, std::vector<warpcc::Definition> definitions = {}) {
  return elaborate_text(items + R"(
kernel k(c: global out f32[64, 64]) on sm_100a, grid (2), cluster (half: 2) {
  start { cluster.arrive; cluster.wait; }
  role idle() on warps 0 .. 4 { }
})",
                        std::move(definitions));
}

// The same kernel with these statements in its role.
inline Elaborated elaborate_statements(const std::string& statements) {
  return elaborate_text(R"(
kernel k(c: global inout f32[64, 64]) on sm_100a, grid (8), cluster (half: 2) {
  shared staging: warps(4) of ring(2) of f32[8, 32];
  start { cluster.arrive; cluster.wait; }
  role all() on warps 0 .. 4 {
    grid.wait;
)" + statements + "\n  }\n}\n");
}
