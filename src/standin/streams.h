// Streams, events and graphs of the CUDA runtime. What a stream is asked for is done at once, so that there is nothing
// to wait for; while a stream is captured it is kept instead, as a graph, to be done when that is launched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "standin/state.h"

namespace warpcc::standin {

using Work = std::function<int()>;

// A launch with arguments of its own.
struct KeptLaunch {
  const void* function = nullptr;
  Launch launch;
  std::vector<std::vector<std::uint8_t>> arguments;
  std::vector<void*> pointers;  // to these

  int run();
};
// Null, where the function is no kernel. The state's lock must be held.
std::shared_ptr<KeptLaunch> keep(const void* function, const Launch& launch);

struct Graph;

struct GraphNode {
  enum class Kind : std::uint8_t { kernel, copy, set, host, graph, empty };  // CUDA runtime API, cudaGraphNodeType
  Kind kind = Kind::empty;
  std::uint64_t number = 0;  // the same in a graph, its copies, and what is made to be launched
  Work work;
  std::shared_ptr<KeptLaunch> kernel;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;            // as they were made
  std::set<std::pair<std::uint64_t, std::uint64_t>> edges;  // by number: the first is done before the second

  GraphNode& add(GraphNode node);
  std::unique_ptr<Graph> copy() const;
  // Each after those that it depends on; nothing, where they depend on each other in a circle.
  std::optional<std::vector<GraphNode>> in_order() const;
};

struct ExecutableGraph {
  std::vector<GraphNode> nodes;
  int run();
};

// A stream or an event, by its handle.
struct Stream {
  Graph* capturing = nullptr;  // of an event: of the stream that it was recorded in
};
void* make_stream();
void end_stream(void* stream);
Graph* capturing(void* stream);
void begin_capture(void* stream);
std::unique_ptr<Graph> end_capture(void* stream);  // null: there was none
// What a stream has been asked for before an event, and another waits for by it: where the first is captured both are.
void record_event(void* event, void* stream);
void wait_for_event(void* stream, void* event);

// Does the work, or keeps it where the stream is captured. The state's lock must not be held.
int in_stream(void* stream, GraphNode::Kind kind, Work work);
int launch_in_stream(void* stream, const void* function, const Launch& launch);

}  // namespace warpcc::standin
