// Graphs of the CUDA runtime (CUDA runtime API reference, graph management): captured from streams, or node by node.
#include <cstring>

#include "standin/device.h"
#include "standin/state.h"
#include "standin/streams.h"
#include "standin/symbols.h"

using namespace warpcc::standin;

namespace {

using Kind = GraphNode::Kind;

// cudaErrorStreamCaptureInvalidated … of the numbers from 900 on; cudaErrorGraphExecUpdateFailure.
constexpr int kNotCapturing = 901, kUpdateFailed = 910;

struct KernelParams {
  const void* function;
  unsigned grid[3], block[3], shared;
  void** arguments;
  void** extra;
};
struct SetParams {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
// Of a pool, who reaches it, how many bytes; then where they are.
struct AllocationParams {
  char pool[88];
  const void* access;
  std::size_t access_count, bytes;
  void* pointer;
};
struct HostParams {
  void (*function)(void*);
  void* argument;
};

State& state() {
  return State::get();
}
Graph& graph_of(void* handle) {
  return *static_cast<Graph*>(handle);
}

GraphNode* add(void** handle, void* graph, void* const* dependencies, std::size_t count, GraphNode node) {
  GraphNode& made = graph_of(graph).add(std::move(node));
  for (std::size_t i = 0; i < count; ++i)
    graph_of(graph).edges.insert({static_cast<GraphNode*>(dependencies[i])->number, made.number});
  *handle = &made;
  return &made;
}

std::shared_ptr<KeptLaunch> kernel_of(const KernelParams& params) {
  Launch launch;
  launch.grid = {params.grid[0], params.grid[1], params.grid[2]};
  launch.block = {params.block[0], params.block[1], params.block[2]};
  launch.shared = params.shared;
  launch.arguments = params.arguments;
  std::lock_guard<std::mutex> lock(state().mutex);
  return keep(params.function, launch);
}
Work set_of(const SetParams& params) {
  return [params] {
    std::lock_guard<std::mutex> lock(state().mutex);
    for (std::size_t i = 0; i < params.height; ++i) {
      int error = set(state(), static_cast<char*>(params.to) + i * params.pitch, params.value,
                      static_cast<int>(params.element_bytes), params.width);
      if (error != kSuccess) return error;
    }
    return static_cast<int>(kSuccess);
  };
}
Work copy_of(const CopyBox& params) {
  return [params] {
    std::lock_guard<std::mutex> lock(state().mutex);
    return copy(state(), params);
  };
}
Work copy_of(void* to, const void* from, std::size_t bytes) {
  return [=] {
    std::lock_guard<std::mutex> lock(state().mutex);
    return copy(state(), to, from, bytes);
  };
}
Work host_of(const HostParams& params) {
  return [params] {
    params.function(params.argument);
    return static_cast<int>(kSuccess);
  };
}

std::vector<GraphNode>* nodes_of(void* executable) {
  return &static_cast<ExecutableGraph*>(executable)->nodes;
}
GraphNode* node_in(void* executable, void* node) {
  for (GraphNode& each : *nodes_of(executable)) {
    if (each.number == static_cast<GraphNode*>(node)->number) return &each;
  }
  return nullptr;
}
int change(void* executable, void* node, Work work) {
  GraphNode* found = node_in(executable, node);
  if (found == nullptr) return state().fail(kInvalidValue);
  found->work = std::move(work);
  return kSuccess;
}

}  // namespace

extern "C" {

// ---- capture

WARPCC_EXPORT int cudaStreamBeginCapture(void* stream, int) {
  begin_capture(stream);
  return state().fail(capturing(stream) == nullptr ? kInvalidValue : kSuccess);
}
WARPCC_EXPORT int cudaStreamEndCapture(void* stream, void** graph) {
  std::unique_ptr<Graph> captured = end_capture(stream);
  *graph = captured.release();
  return state().fail(*graph == nullptr ? kNotCapturing : kSuccess);
}
WARPCC_EXPORT int cudaStreamIsCapturing(void* stream, int* status) {
  *status = capturing(stream) != nullptr;
  return kSuccess;
}
// What follows the first two differs between CUDA 11, 12 and 13, and is asked for by few.
WARPCC_EXPORT int cudaStreamGetCaptureInfo(void* stream, int* status, std::uint64_t* id, ...) {
  *status = capturing(stream) != nullptr;
  if (id != nullptr) *id = reinterpret_cast<std::uint64_t>(capturing(stream));
  return kSuccess;
}
WARPCC_EXPORT int cudaThreadExchangeStreamCaptureMode(int*) {
  return kSuccess;
}

// ---- nodes

WARPCC_EXPORT int cudaGraphCreate(void** graph, unsigned) {
  *graph = new Graph;
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphClone(void** copy, void* graph) {
  *copy = graph_of(graph).copy().release();
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphNodeFindInClone(void** node, void* original, void* clone) {
  *node = nullptr;
  for (const auto& each : graph_of(clone).nodes) {
    if (each->number == static_cast<GraphNode*>(original)->number) *node = each.get();
  }
  return state().fail(*node == nullptr ? kInvalidValue : kSuccess);
}
WARPCC_EXPORT int cudaGraphAddKernelNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                         const KernelParams* params) {
  std::shared_ptr<KeptLaunch> kernel = kernel_of(*params);
  if (kernel == nullptr) return state().fail(kInvalidDeviceFunction);
  add(node, graph, dependencies, count, {Kind::kernel, 0, {}, std::move(kernel)});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddMemcpyNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                         const CopyBox* params) {
  add(node, graph, dependencies, count, {Kind::copy, 0, copy_of(*params), nullptr});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddMemcpyNode1D(void** node, void* graph, void* const* dependencies, std::size_t count,
                                           void* to, const void* from, std::size_t bytes, int) {
  add(node, graph, dependencies, count, {Kind::copy, 0, copy_of(to, from, bytes), nullptr});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddMemsetNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                         const SetParams* params) {
  add(node, graph, dependencies, count, {Kind::set, 0, set_of(*params), nullptr});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddHostNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                       const HostParams* params) {
  add(node, graph, dependencies, count, {Kind::host, 0, host_of(*params), nullptr});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddEmptyNode(void** node, void* graph, void* const* dependencies, std::size_t count) {
  add(node, graph, dependencies, count, {});
  return kSuccess;
}
// Memory of a graph is there from now on, and stays: each launch uses it again.
WARPCC_EXPORT int cudaGraphAddMemAllocNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                           AllocationParams* params) {
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    std::uint64_t at = state().device().memory().allocate(static_cast<std::int64_t>(params->bytes));
    params->pointer = reinterpret_cast<void*>(at);
    if (at == 0) return state().fail(kOutOfMemory);
  }
  return cudaGraphAddEmptyNode(node, graph, dependencies, count);
}
WARPCC_EXPORT int cudaGraphAddMemFreeNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                          void*) {
  return cudaGraphAddEmptyNode(node, graph, dependencies, count);
}
WARPCC_EXPORT int cudaDeviceGraphMemTrim(int) {
  return kSuccess;
}
WARPCC_EXPORT int cudaDeviceGetGraphMemAttribute(int, int, void* value) {
  std::memset(value, 0, sizeof(std::uint64_t));
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphAddChildGraphNode(void** node, void* graph, void* const* dependencies, std::size_t count,
                                             void* child) {
  std::optional<std::vector<GraphNode>> nodes = graph_of(child).in_order();
  if (!nodes) return state().fail(kInvalidValue);
  auto inside = std::make_shared<ExecutableGraph>(ExecutableGraph{std::move(*nodes)});
  add(node, graph, dependencies, count, {Kind::graph, 0, [inside] { return inside->run(); }, nullptr});
  return kSuccess;
}
// Since CUDA 13 with what the edges say, before without: the count is the fourth then.
WARPCC_EXPORT int cudaGraphAddDependencies(void* graph, void* const* from, void* const* to, std::size_t data_or_count,
                                           std::size_t count) {
  constexpr std::size_t kLowestAddress = 65536;
  if (data_or_count != 0 && data_or_count < kLowestAddress) count = data_or_count;
  for (std::size_t i = 0; i < count; ++i)
    graph_of(graph).edges.insert({static_cast<GraphNode*>(from[i])->number, static_cast<GraphNode*>(to[i])->number});
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphGetNodes(void* graph, void** nodes, std::size_t* count) {
  const auto& all = graph_of(graph).nodes;
  for (std::size_t i = 0; nodes != nullptr && i < *count && i < all.size(); ++i) nodes[i] = all[i].get();
  *count = all.size();
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphGetRootNodes(void* graph, void** nodes, std::size_t* count) {
  std::size_t found = 0;
  for (const auto& node : graph_of(graph).nodes) {
    bool root = true;
    for (const auto& [from, to] : graph_of(graph).edges) root = root && to != node->number;
    if (root && nodes != nullptr && found < *count) nodes[found] = node.get();
    found += root;
  }
  *count = found;
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphNodeGetType(void* node, int* type) {
  *type = static_cast<int>(static_cast<GraphNode*>(node)->kind);
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphKernelNodeGetParams(void* node, KernelParams* params) {
  KeptLaunch* kernel = static_cast<GraphNode*>(node)->kernel.get();
  if (kernel == nullptr) return state().fail(kInvalidValue);
  const auto& [gx, gy, gz] = kernel->launch.grid;
  const auto& [bx, by, bz] = kernel->launch.block;
  *params = {kernel->function,        {gx, gy, gz}, {bx, by, bz}, static_cast<unsigned>(kernel->launch.shared),
             kernel->pointers.data(), nullptr};
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphKernelNodeSetParams(void* node, const KernelParams* params) {
  std::shared_ptr<KeptLaunch> kernel = kernel_of(*params);
  if (kernel == nullptr) return state().fail(kInvalidDeviceFunction);
  static_cast<GraphNode*>(node)->kernel = std::move(kernel);
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphKernelNodeSetAttribute(void*, int, const void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphDebugDotPrint(void*, const char*, unsigned) {
  return kSuccess;
}

// ---- what can be launched

WARPCC_EXPORT int cudaGraphInstantiate(void** executable, void* graph, std::uint64_t) {
  std::optional<std::vector<GraphNode>> nodes = graph_of(graph).in_order();
  *executable = nodes ? new ExecutableGraph{std::move(*nodes)} : nullptr;
  return state().fail(nodes ? kSuccess : kInvalidValue);
}
WARPCC_EXPORT int cudaGraphInstantiateWithFlags(void** executable, void* graph, std::uint64_t flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
WARPCC_EXPORT int cudaGraphExecDestroy(void* executable) {
  delete static_cast<ExecutableGraph*>(executable);
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphUpload(void*, void*) {
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphLaunch(void* executable, void* stream) {
  ExecutableGraph graph{*nodes_of(executable)};
  return in_stream(stream, Kind::graph, [graph]() mutable { return graph.run(); });
}
// Nodes of one kind each, in the order of both graphs; what they do is the new one's.
WARPCC_EXPORT int cudaGraphExecUpdate(void* executable, void* graph, void* result) {
  struct {
    int result, pad;
    void *node, *from;
  } told{0, 0, nullptr, nullptr};
  std::optional<std::vector<GraphNode>> nodes = graph_of(graph).in_order();
  std::vector<GraphNode>& old = *nodes_of(executable);
  bool same = nodes && nodes->size() == old.size();
  for (std::size_t i = 0; same && i < old.size(); ++i) same = (*nodes)[i].kind == old[i].kind;
  if (!same) told.result = 2;  // cudaGraphExecUpdateErrorTopologyChanged
  if (result != nullptr) std::memcpy(result, &told, sizeof told);
  if (!same) return state().fail(kUpdateFailed);
  for (std::size_t i = 0; i < old.size(); ++i) {
    old[i].work = (*nodes)[i].work;
    old[i].kernel = (*nodes)[i].kernel;
  }
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphExecKernelNodeSetParams(void* executable, void* node, const KernelParams* params) {
  GraphNode* found = node_in(executable, node);
  std::shared_ptr<KeptLaunch> kernel = kernel_of(*params);
  if (found == nullptr || kernel == nullptr) return state().fail(kInvalidValue);
  found->kernel = std::move(kernel);
  return kSuccess;
}
WARPCC_EXPORT int cudaGraphExecMemcpyNodeSetParams(void* executable, void* node, const CopyBox* params) {
  return change(executable, node, copy_of(*params));
}
WARPCC_EXPORT int cudaGraphExecMemcpyNodeSetParams1D(void* executable, void* node, void* to, const void* from,
                                                     std::size_t bytes, int) {
  return change(executable, node, copy_of(to, from, bytes));
}
WARPCC_EXPORT int cudaGraphExecMemsetNodeSetParams(void* executable, void* node, const SetParams* params) {
  return change(executable, node, set_of(*params));
}
WARPCC_EXPORT int cudaGraphExecHostNodeSetParams(void* executable, void* node, const HostParams* params) {
  return change(executable, node, host_of(*params));
}

}  // extern "C"
