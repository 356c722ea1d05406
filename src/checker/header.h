// What a program's header must say before anything can run.
#pragma once

#include <string>

#include "sass/program.h"

namespace warpcc::checker {

// The first thing that is wrong, in words for the user; empty where the program can run.
std::string unrunnable(const sass::Program& program);

}  // namespace warpcc::checker
