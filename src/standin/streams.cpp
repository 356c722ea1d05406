#include "standin/streams.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace warpcc::standin {

namespace {

std::mutex& guard() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}
// All that there are. A handle that is none of them, such as 0 for the stream that is there without asking, is captured
// by nobody. Never destroyed: programs use streams until they end.
std::set<Stream*>& streams() {
  static auto* all = new std::set<Stream*>;
  return *all;
}
// The graphs of captures that are under way.
std::map<Graph*, std::unique_ptr<Graph>>& captures() {
  static auto* all = new std::map<Graph*, std::unique_ptr<Graph>>;
  return *all;
}
Stream* find(void* handle) {
  auto found = streams().find(static_cast<Stream*>(handle));
  return found == streams().end() ? nullptr : *found;
}

}  // namespace

int KeptLaunch::run() {
  State& state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  launch.arguments = pointers.data();
  return state.fail(state.launch(function, launch));
}

std::shared_ptr<KeptLaunch> keep(const void* function, const Launch& launch) {
  State& state = State::get();
  Kernel* kernel = state.kernel(function);
  const ptx_text::Function* code = kernel == nullptr ? nullptr : state.function(*kernel);
  if (code == nullptr) return nullptr;
  auto kept = std::make_shared<KeptLaunch>();
  kept->function = function;
  kept->launch = launch;
  for (std::size_t i = 0; i < code->params.size(); ++i) {
    std::vector<std::uint8_t>& bytes = kept->arguments.emplace_back(static_cast<std::size_t>(code->params[i].bytes));
    if (launch.arguments != nullptr && launch.arguments[i] != nullptr)
      std::memcpy(bytes.data(), launch.arguments[i], bytes.size());
  }
  for (std::vector<std::uint8_t>& each : kept->arguments) kept->pointers.push_back(each.data());
  return kept;
}

GraphNode& Graph::add(GraphNode node) {
  static std::uint64_t last = 0;
  if (node.number == 0) node.number = ++last;
  nodes.push_back(std::make_unique<GraphNode>(std::move(node)));
  return *nodes.back();
}

std::unique_ptr<Graph> Graph::copy() const {
  auto result = std::make_unique<Graph>();
  for (const auto& node : nodes) result->add(*node);
  result->edges = edges;
  return result;
}

std::optional<std::vector<GraphNode>> Graph::in_order() const {
  std::map<std::uint64_t, std::size_t> before;  // how many each waits for
  for (const auto& [from, to] : edges) ++before[to];
  std::map<std::uint64_t, const GraphNode*> free, all;
  for (const auto& node : nodes) {
    all[node->number] = node.get();
    if (before[node->number] == 0) free[node->number] = node.get();
  }
  std::vector<GraphNode> result;
  while (!free.empty()) {
    const GraphNode& node = *free.begin()->second;
    free.erase(free.begin());
    result.push_back(node);
    for (auto edge = edges.lower_bound({node.number, 0}); edge != edges.end() && edge->first == node.number; ++edge) {
      if (--before[edge->second] == 0 && all.count(edge->second) != 0) free[edge->second] = all[edge->second];
    }
  }
  if (result.size() != nodes.size()) return {};
  return result;
}

int ExecutableGraph::run() {
  for (GraphNode& node : nodes) {
    int error = node.kernel != nullptr ? node.kernel->run() : node.work ? node.work() : kSuccess;
    if (error != kSuccess) return error;
  }
  return kSuccess;
}

void* make_stream() {
  std::lock_guard<std::mutex> lock(guard());
  return *streams().insert(new Stream).first;
}

void end_stream(void* handle) {
  std::lock_guard<std::mutex> lock(guard());
  Stream* stream = find(handle);
  streams().erase(stream);
  delete stream;
}

Graph* capturing(void* handle) {
  std::lock_guard<std::mutex> lock(guard());
  Stream* stream = find(handle);
  return stream == nullptr ? nullptr : stream->capturing;
}

void begin_capture(void* handle) {
  std::lock_guard<std::mutex> lock(guard());
  Stream* stream = find(handle);
  if (stream == nullptr || stream->capturing != nullptr) return;
  auto graph = std::make_unique<Graph>();
  stream->capturing = graph.get();
  captures()[graph.get()] = std::move(graph);
}

std::unique_ptr<Graph> end_capture(void* handle) {
  std::lock_guard<std::mutex> lock(guard());
  Stream* stream = find(handle);
  if (stream == nullptr || stream->capturing == nullptr) return nullptr;
  Graph* graph = stream->capturing;
  for (Stream* each : streams()) {
    if (each->capturing == graph) each->capturing = nullptr;
  }
  auto found = captures().find(graph);
  std::unique_ptr<Graph> result = std::move(found->second);
  captures().erase(found);
  return result;
}

void record_event(void* event, void* stream) {
  std::lock_guard<std::mutex> lock(guard());
  Stream *of = find(event), *in = find(stream);
  if (of != nullptr) of->capturing = in == nullptr ? nullptr : in->capturing;
}

void wait_for_event(void* stream, void* event) {
  std::lock_guard<std::mutex> lock(guard());
  Stream *of = find(stream), *for_event = find(event);
  if (of != nullptr && for_event != nullptr && for_event->capturing != nullptr) of->capturing = for_event->capturing;
}

// What is captured is done in the order in which it was asked for, which is one that the streams' events allow.
int in_stream(void* stream, GraphNode::Kind kind, Work work) {
  Graph* graph = capturing(stream);
  if (graph == nullptr) return work();
  const std::uint64_t before = graph->nodes.empty() ? 0 : graph->nodes.back()->number;
  GraphNode& node = graph->add({kind, 0, std::move(work), nullptr});
  if (before != 0) graph->edges.insert({before, node.number});
  return kSuccess;
}

int launch_in_stream(void* stream, const void* function, const Launch& launch) {
  State& state = State::get();
  Graph* graph = capturing(stream);
  std::lock_guard<std::mutex> lock(state.mutex);
  if (graph == nullptr) return state.fail(state.launch(function, launch));
  std::shared_ptr<KeptLaunch> kept = keep(function, launch);
  if (kept == nullptr) return state.fail(kInvalidDeviceFunction);
  const std::uint64_t before = graph->nodes.empty() ? 0 : graph->nodes.back()->number;
  GraphNode& node = graph->add({GraphNode::Kind::kernel, 0, {}, std::move(kept)});
  if (before != 0) graph->edges.insert({before, node.number});
  return kSuccess;
}

}  // namespace warpcc::standin
