// Two ways to time a launch: each call alone, by CUPTI; and calls back to back in one graph, by events.
#pragma once

#include <functional>
#include <vector>

#include "library.h"
#include "runtime/driver.h"
#include "trace.h"

namespace warpcc::bench {

// What is timed: queues one call in the stream.
using Launch = std::function<runtime::Error(runtime::cuda::Stream)>;

struct Counts {
  int calls = 0;     // isolated, measured
  int warm_ups = 0;  // isolated, before them
  int calls_in_graph = 0;
  int replays = 0;
};
// By the size of the product: the article's for its eleven shapes.
Counts counts_for(double operations);

struct Isolated {
  double sum = 0;                    // microseconds: of the durations of a call's kernels, median of the calls
  double span = 0;                   // from the first's start to the last's end, likewise
  std::vector<Activity> activities;  // of one call
};

// The functions of the driver that only measuring needs.
class Timer {
 public:
  ~Timer();
  runtime::Error open(const runtime::Driver& driver);
  runtime::cuda::Stream stream() const { return stream_; }

  // Each call is launched when the one before has ended.
  runtime::Error isolated(const Launch& launch, int warm_ups, int calls, Trace& trace, Isolated& result) const;
  // Microseconds of a call, median of the replays.
  runtime::Error back_to_back(const Launch& launch, int calls, int replays, double& time) const;

 private:
  using Event = void*;
  using Graph = void*;
  using Executable = void*;

  runtime::Error capture(const Launch& launch, int calls, Executable& executable) const;
  runtime::Error replay(Executable executable, float& milliseconds) const;

  runtime::Driver driver_{};
  Library library_;
  runtime::cuda::Stream stream_ = nullptr;
  Event begin_ = nullptr, end_ = nullptr;
  int (*stream_create_)(runtime::cuda::Stream*, unsigned flags);
  int (*stream_destroy_)(runtime::cuda::Stream);
  int (*event_create_)(Event*, unsigned flags);
  int (*event_destroy_)(Event);
  int (*event_record_)(Event, runtime::cuda::Stream);
  int (*event_synchronize_)(Event);
  int (*event_elapsed_)(float* milliseconds, Event, Event);
  int (*capture_begin_)(runtime::cuda::Stream, int mode);
  int (*capture_end_)(runtime::cuda::Stream, Graph*);
  int (*graph_instantiate_)(Executable*, Graph, unsigned long long flags);
  int (*graph_launch_)(Executable, runtime::cuda::Stream);
  int (*graph_destroy_)(Graph);
  int (*executable_destroy_)(Executable);
};

double median(std::vector<double> values);

}  // namespace warpcc::bench
