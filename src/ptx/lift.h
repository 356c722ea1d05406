// From the SASS program to PTX, and from PTX to a cubin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "sass/program.h"
#include "support/diagnostics.h"

namespace warpcc::ptx {

// Each instruction as the PTX that asks for the same work, shaped so that ptxas makes of it what was meant. Nothing
// where the program cannot be lifted: tensor-core instructions of both cta_groups, opcodes without a lift.
std::optional<std::string> lift(const sass::Program& program, Diagnostics& diagnostics);
// The same; and in which line of the text, counted from 0, that begins which each line of the program has become. One
// more at the end, so that it ends where the next begins.
std::optional<std::string> lift(const sass::Program& program, Diagnostics& diagnostics,
                                std::vector<std::uint32_t>& begins);

// What a host needs to launch: JSON, keys in a fixed order (docs/manifest.md).
std::string manifest(const sass::Program& program);

// Where ptxas was looked for, in order, and where it is.
struct Ptxas {
  std::string path;  // empty: not found
  std::vector<std::string> looked_in;
};
// `given` is --ptxas. Then WARPCC_PTXAS, CUDA_HOME, CUDA_PATH, the wheel nvidia-cuda-nvcc in the project's environment
// beside the compiler, PATH, /usr/local/cuda.
Ptxas find_ptxas(const std::string& given, const std::string& program_path);

struct Assembled {
  std::string cubin;
  int registers = 0;
  int spill_stores = 0, spill_loads = 0;
  std::string log;  // what `ptxas -v` printed
};
// Runs ptxas on the text. Its failure is an error that carries its own words.
llvm::Expected<Assembled> assemble(const std::string& ptxas, const std::string& text, isa::Target target);

}  // namespace warpcc::ptx
