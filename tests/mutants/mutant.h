// A program broken on purpose: one thing changed, in a kernel's text or in its SASS text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpcc::mutants {

struct Mutant {
  std::string change;     // `drop`, `arrivals + 1` …
  std::string statement;  // what was changed, as it stands in the text
  std::string place;      // `gemm.wk:123`
  std::string file;       // the file that is changed; empty: the listing
  std::string text;       // all of it, changed
  std::string equal_to;   // decided by the program: why it is the same program; empty: it is not known to be
};

// Lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);
std::string joined(const std::vector<std::string>& lines);

// Of a file of kernel text: each statement dropped, doubled, swapped with its neighbour; its numbers, guards, ends and
// words changed.
std::vector<Mutant> of_kernel_text(const std::string& file, const std::string& text);

// Of SASS text, coloured: the same of instructions, and of the header's boxes and swizzles. Of unrolled copies of a
// statement the first two and the last.
std::vector<Mutant> of_listing(const std::string& text);

}  // namespace warpcc::mutants
