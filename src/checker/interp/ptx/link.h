// Where what a kernel and the functions that it reaches declare lies.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx_text/program.h"

namespace warpcc::checker::ptx {

struct Storage {
  std::int64_t shared = 0;                  // the end of what is declared in shared memory
  std::int64_t frame = 0;                   // bytes of a lane: local variables, call frames, functions' parameters
  std::vector<std::int64_t> module_shared;  // by the module's variables: addresses of those in shared memory

  // Shared variables of the module that some function may reach come first, then the functions' own.
  explicit Storage(const ptx_text::Module& module);
  static std::int64_t take(std::int64_t& end, std::int64_t bytes, std::int64_t align);
  // No function declares more: the launch's shared memory comes behind.
  void close(const ptx_text::Module& module);
};

}  // namespace warpcc::checker::ptx
