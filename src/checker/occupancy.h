// How many CTAs of a kernel come to an SM at once, and whether tensor memory has room for all of them.
#pragma once

#include <string>
#include <vector>

#include "checker/interp/code.h"
#include "sass/program.h"

namespace warpcc::checker {

// By shared memory, registers and threads (CUDA C++ Programming Guide, technical specifications). A program that does
// not say its registers is taken to have few.
int ctas_of_sm(const sass::Program& program);

struct Crowd {
  std::uint32_t line = 0;  // the allocation
  std::string text;        // in words for the user
  std::vector<std::string> details;
};

// Whether CTAs of one launch that come to one SM wait for each other's columns: the allocation of one that finds too
// few left, or the right to allocate not given back, goes on when another CTA has freed its own, or has ended (PTX ISA,
// tcgen05.alloc). Empty text: they do not. `sms`: of the GPU; a grid that gives each of them a CTA has no more than one
// on any.
Crowd crowded(const sass::Program& program, const Code& code, std::int64_t sms);

}  // namespace warpcc::checker
