// What print.cpp puts together.
#pragma once

#include <string>

#include "sass/program.h"

namespace warpcc::sass {

void print_header(std::string& text, const Program& program, Form form);
void print_section(std::string& text, const Program& program, const Section& section);

}  // namespace warpcc::sass
