// Reading the header: one fact a line, in any order.
#pragma once

#include <string_view>
#include <vector>

#include "sass/read_held.h"

namespace warpcc::sass {

// A line that begins with a dot, cut behind its word: `.buffer`, and a cursor on what follows.
struct Directive {
  std::string_view word;
  SourceRange where{};
  Cursor rest;
  std::string_view comment;
};

// All but the sections. Fills the program and what it declares.
void read_header(std::vector<Directive>& lines, Program& program, Declared& declared, ReadValues& values,
                 Diagnostics& diagnostics);

// `.start`, `.role …`, `.finish`
bool is_section(std::string_view word);
bool read_section(Directive& line, const Program& program, const Declared& declared, Section& section,
                  Diagnostics& diagnostics);

}  // namespace warpcc::sass
