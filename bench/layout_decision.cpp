// How long the decision takes, over the number of modes, and a whole composition of two layouts of rank 4. One thread;
// of several runs the fastest, as others only make it slower.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "layout/compose.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace warpcc::layout {
namespace {

// Nanoseconds of one call.
template <typename Call>
double measure(Call&& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e18;
  for (int run = 0; run < 7; ++run) {
    const int rounds = 4000;
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < rounds; ++i) call(i);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / rounds);
  }
  return best;
}

struct Pair {
  Map outer, inner;
};

// Each coordinate one mode. The inner layout has the outer one's extents, powers of two, in another order, so that
// boundaries fall into digits; up to rank 20 the outer one is padded, so that few of its modes merge. At most 2^60
// elements: from rank 21 on the extents are 2, from rank 61 on some are 1.
Pair pair_of(int rank, std::mt19937& engine) {
  std::vector<std::int64_t> extents(rank, 2);
  for (int i = 60; i < rank; ++i) extents[i] = 1;
  if (rank <= 20)
    for (std::int64_t& extent : extents) extent = std::int64_t{2} << engine() % 3;
  std::shuffle(extents.begin(), extents.end(), engine);
  std::vector<Coordinate> outer, inner(rank);
  const std::int64_t padding = rank <= 20 ? 16 : 0;
  std::int64_t stride = 1;
  for (const std::int64_t extent : extents) {
    outer.push_back({{extent, stride + padding}});
    stride *= extent;
  }
  // An order of its own.
  std::vector<int> order(rank);
  for (int i = 0; i < rank; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), engine);
  std::shuffle(outer.begin(), outer.end(), engine);
  std::shuffle(extents.begin(), extents.end(), engine);
  stride = 1;
  for (const int at : order) {
    inner[at] = {{extents[at], stride}};
    stride *= extents[at];
  }
  return {Map(std::move(outer)), Map(std::move(inner))};
}

void decisions_by_rank() {
  std::mt19937 engine(1);
  llvm::outs() << "the decision alone, by the rank of both layouts, mean of 64 pairs:\n";
  for (const int rank : {2, 4, 8, 16, 32, 48, 64}) {
    std::vector<Pair> pairs;
    for (int i = 0; i < 64; ++i) pairs.push_back(pair_of(rank, engine));
    int strided = 0;
    for (const Pair& pair : pairs) strided += decide(pair.outer, pair.inner).strided.has_value();
    std::int64_t sink = 0;
    const double time = measure([&](int i) {
      const Pair& pair = pairs[i % 64];
      sink += decide(pair.outer, pair.inner).strided.has_value();
    });
    llvm::outs() << llvm::format("  rank %2d: %7.0f ns, %5.1f ns a mode, %2d of 64 strided\n", rank, time,
                                 time / (2 * rank), strided);
    if (sink < 0) llvm::outs() << sink;
  }
}

void composition_of_rank_4() {
  std::mt19937 engine(2);
  using Memory = Layout<Space::logical, Space::physical>;
  struct Typed {
    Memory outer;
    Logical inner;
  };
  std::vector<Typed> pairs;
  while (pairs.size() < 64) {
    Pair pair = pair_of(4, engine);
    llvm::Expected<Memory> outer = Memory::make(std::move(pair.outer));
    llvm::Expected<Logical> inner = Logical::make(std::move(pair.inner));
    if (outer && inner) pairs.push_back({*outer, *inner});
    if (!outer) llvm::consumeError(outer.takeError());
    if (!inner) llvm::consumeError(inner.takeError());
  }
  std::int64_t sink = 0;
  const double time = measure([&](int i) {
    const Typed& pair = pairs[i % 64];
    sink += compose(pair.outer, pair.inner)->decision().strided.has_value();
  });
  llvm::outs() << llvm::format("compose() of two layouts of rank 4, checks and decision: %.0f ns\n", time);
  if (sink < 0) llvm::outs() << sink;
}

}  // namespace
}  // namespace warpcc::layout

int main() {
  warpcc::layout::decisions_by_rank();
  warpcc::layout::composition_of_rank_4();
}
