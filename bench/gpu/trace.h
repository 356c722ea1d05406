// What the GPU ran and when, by CUPTI's activity records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library.h"

namespace warpcc::bench {

struct Activity {
  std::uint64_t start = 0, end = 0;  // nanoseconds
  std::string name;                  // of the kernel; `memset`
  int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  int shared_bytes = 0, registers = 0;
};

class Trace {
 public:
  runtime::Error open();
  runtime::Error begin();
  // All that has run since, in order of time. The GPU must be idle.
  runtime::Error end(std::vector<Activity>& activities);

 private:
  using Result = int;
  using Requested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
  using Completed = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                             std::size_t valid);

  runtime::Error read(std::vector<Activity>& activities);

  Library library_;
  Result (*enable_)(int kind);
  Result (*disable_)(int kind);
  Result (*register_)(Requested, Completed);
  Result (*next_)(std::uint8_t* buffer, std::size_t valid, void** record);
  Result (*flush_)(std::uint32_t flags);
};

}  // namespace warpcc::bench
