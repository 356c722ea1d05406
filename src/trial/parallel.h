// A loop over rows on all cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace warpcc::trial {

// work(begin, end) over parts of 0 .. count, at once.
template <typename Work>
void in_parallel(std::int64_t count, Work&& work) {
  std::int64_t threads =
      std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, std::max<std::int64_t>(count, 1));
  std::vector<std::thread> all;
  for (std::int64_t i = 1; i < threads; ++i) {
    all.emplace_back([&work, i, count, threads] { work(count * i / threads, count * (i + 1) / threads); });
  }
  work(0, count / threads);
  for (std::thread& each : all) each.join();
}

}  // namespace warpcc::trial
