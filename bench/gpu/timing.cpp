#include "timing.h"

#include <algorithm>

namespace warpcc::bench {
namespace {

using runtime::check;
using runtime::Error;
using runtime::failure;
using runtime::success;

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Counts counts_for(double operations) {
  double expected = operations / 700e6;  // microseconds, at 700 teraflops
  if (expected < 40) return {400, 20, 200, 12};
  if (expected < 100) return {300, 20, 200, 12};
  if (expected < 500) return {200, 20, 50, 12};
  if (expected < 5000) return {40, 8, 8, 12};
  return {12, 4, 2, 6};
}

Error Timer::open(const runtime::Driver& driver) {
  driver_ = driver;
  if (Error error = library_.open(std::vector<std::string>{"libcuda.so.1"})) return error;
  library_.find("cuStreamCreate", stream_create_);
  library_.find("cuStreamDestroy_v2", stream_destroy_);
  library_.find("cuEventCreate", event_create_);
  library_.find("cuEventDestroy_v2", event_destroy_);
  library_.find("cuEventRecord", event_record_);
  library_.find("cuEventSynchronize", event_synchronize_);
  library_.find("cuEventElapsedTime", event_elapsed_);
  library_.find("cuStreamBeginCapture_v2", capture_begin_);
  library_.find("cuStreamEndCapture", capture_end_);
  library_.find("cuGraphInstantiateWithFlags", graph_instantiate_);
  library_.find("cuGraphLaunch", graph_launch_);
  library_.find("cuGraphDestroy", graph_destroy_);
  library_.find("cuGraphExecDestroy", executable_destroy_);
  if (Error error = library_.found()) return error;
  constexpr unsigned kNonBlocking = 1;
  if (Error error = check(driver_, stream_create_(&stream_, kNonBlocking), "cuStreamCreate")) return error;
  if (Error error = check(driver_, event_create_(&begin_, 0), "cuEventCreate")) return error;
  return check(driver_, event_create_(&end_, 0), "cuEventCreate");
}

Timer::~Timer() {
  if (begin_ != nullptr) event_destroy_(begin_);
  if (end_ != nullptr) event_destroy_(end_);
  if (stream_ != nullptr) stream_destroy_(stream_);
}

Error Timer::isolated(const Launch& launch, int warm_ups, int calls, Trace& trace, Isolated& result) const {
  auto call = [&]() -> Error {
    if (Error error = launch(stream_)) return error;
    return check(driver_, driver_.stream_synchronize(stream_), "a call");
  };
  for (int i = 0; i < warm_ups; ++i) {
    if (Error error = call()) return error;
  }
  if (Error error = trace.begin()) return error;
  for (int i = 0; i < calls; ++i) {
    if (Error error = call()) return error;
  }
  std::vector<Activity> all;
  if (Error error = trace.end(all)) return error;
  std::size_t of_a_call = all.size() / static_cast<std::size_t>(calls);
  if (of_a_call == 0 || all.size() % static_cast<std::size_t>(calls) != 0) {
    return failure(WARPCC_DRIVER_FAILED, "CUPTI has " + std::to_string(all.size()) + " records of " +
                                             std::to_string(calls) + " calls: some are lost");
  }
  std::vector<double> sums, spans;
  for (std::size_t at = 0; at < all.size(); at += of_a_call) {
    std::uint64_t sum = 0, last = 0;
    for (std::size_t i = at; i < at + of_a_call; ++i) {
      sum += all[i].end - all[i].start;
      last = std::max(last, all[i].end);
    }
    sums.push_back(static_cast<double>(sum) / 1000);
    spans.push_back(static_cast<double>(last - all[at].start) / 1000);
  }
  result.sum = median(std::move(sums));
  result.span = median(std::move(spans));
  result.activities.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of_a_call));
  return success();
}

Error Timer::capture(const Launch& launch, int calls, Executable& executable) const {
  constexpr int kRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
  if (Error error = check(driver_, capture_begin_(stream_, kRelaxed), "cuStreamBeginCapture")) return error;
  Error launched;
  for (int i = 0; i < calls && !launched; ++i) launched = launch(stream_);
  Graph graph = nullptr;
  Error captured = check(driver_, capture_end_(stream_, &graph), "cuStreamEndCapture");
  if (launched) return launched;
  if (captured) return captured;
  Error made = check(driver_, graph_instantiate_(&executable, graph, 0), "cuGraphInstantiate");
  graph_destroy_(graph);
  return made;
}

Error Timer::replay(Executable executable, float& milliseconds) const {
  event_record_(begin_, stream_);
  if (Error error = check(driver_, graph_launch_(executable, stream_), "cuGraphLaunch")) return error;
  event_record_(end_, stream_);
  if (Error error = check(driver_, event_synchronize_(end_), "a graph")) return error;
  return check(driver_, event_elapsed_(&milliseconds, begin_, end_), "cuEventElapsedTime");
}

Error Timer::back_to_back(const Launch& launch, int calls, int replays, double& time) const {
  Executable executable = nullptr;
  if (Error error = capture(launch, calls, executable)) return error;
  constexpr int kWarmUps = 2;
  std::vector<double> times;
  Error error;
  for (int i = 0; i < kWarmUps + replays && !error; ++i) {
    float milliseconds = 0;
    error = replay(executable, milliseconds);
    if (i >= kWarmUps) times.push_back(static_cast<double>(milliseconds) * 1000 / calls);
  }
  executable_destroy_(executable);
  time = median(std::move(times));
  return error;
}

}  // namespace warpcc::bench
