// What programs ask of the CUDA runtime beside copies and launches: memory that host and kernels share, captured
// streams, graphs node by node, a cooperative launch, properties. Declared by hand, so that no CUDA is needed.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Dimensions {
  unsigned x, y, z;
};
struct KernelParams {
  const void* function;
  Dimensions grid, block;
  unsigned shared;
  void** arguments;
  void** extra;
};
struct SetParams {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
struct HostParams {
  void (*function)(void*);
  void* argument;
};

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
int cudaMallocHost(void**, std::size_t);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaFree(void*);
int cudaFreeHost(void*);
int cudaHostRegister(void*, std::size_t, unsigned);
int cudaHostUnregister(void*);
int cudaHostGetDevicePointer(void**, void*, unsigned);
int cudaMallocAsync(void**, std::size_t, void*);
int cudaFreeAsync(void*, void*);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
int cudaGraphAddMemAllocNode(void**, void*, void* const*, std::size_t, void*);
int cudaGraphAddMemFreeNode(void**, void*, void* const*, std::size_t, void*);
int cudaMemsetAsync(void*, int, std::size_t, void*);
int cudaLaunchKernel(const void*, Dimensions, Dimensions, void**, std::size_t, void*);
int cudaLaunchCooperativeKernel(const void*, Dimensions, Dimensions, void**, std::size_t, void*);
int cudaLaunchHostFunc(void*, void (*)(void*), void*);
int cudaStreamCreate(void**);
int cudaStreamDestroy(void*);
int cudaStreamWaitEvent(void*, void*, unsigned);
int cudaEventCreate(void**);
int cudaEventRecord(void*, void*);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphCreate(void**, unsigned);
int cudaGraphAddKernelNode(void**, void*, void* const*, std::size_t, const KernelParams*);
int cudaGraphAddMemsetNode(void**, void*, void* const*, std::size_t, const SetParams*);
int cudaGraphAddHostNode(void**, void*, void* const*, std::size_t, const HostParams*);
int cudaGraphAddDependencies(void*, void* const*, void* const*, const void*, std::size_t);
int cudaGraphGetNodes(void*, void**, std::size_t*);
int cudaGraphInstantiate(void**, void*, std::uint64_t);
int cudaGraphExecKernelNodeSetParams(void*, void*, const KernelParams*);
int cudaGraphLaunch(void*, void*);
int cudaGraphExecDestroy(void*);
int cudaGraphDestroy(void*);
int cudaGetDeviceProperties(void*, int);
int cudaGetDeviceProperties_v2(void*, int);
}

// add: each thread adds `by` to its word. meet: each CTA adds 1 to a word, waits at the grid's barrier as cooperative
// groups have it (the workspace that %envreg1 and %envreg2 say), and takes the sum over into its own word. `total` is
// managed.
static const char kPtx[] = R"(
.version 9.0
.target sm_100a
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 total;
.visible .entry add(.param .u64 words, .param .u32 by) {
  .reg .b32 %r<9>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [words]; ld.param.u32 %r1, [by];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r4, %r2, %r3, %r4;
  mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2;
  ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, %r1; st.global.u32 [%d1], %r5;
  ret;
}
.visible .entry meet(.param .u64 words) {
  .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<4>;
  ld.param.u64 %d1, [words]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;
  mov.u64 %d2, total;
  red.relaxed.gpu.global.add.u32 [%d2], 1;
  mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg2; mov.b64 %d3, {%r4, %r3};
  setp.eq.u32 %p1, %r1, 0;
  sub.u32 %r5, %r2, 1; sub.u32 %r6, 0x80000000, %r5; selp.u32 %r7, %r6, 1, %p1;
  fence.acq_rel.gpu;
  atom.add.release.gpu.u32 %r8, [%d3+4], %r7;
again:
  ld.acquire.gpu.u32 %r9, [%d3+4]; xor.b32 %r10, %r8, %r9; and.b32 %r10, %r10, 0x80000000;
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra again;
  ld.relaxed.gpu.global.u32 %r11, [%d2];
  mul.wide.u32 %d4, %r1, 4; add.u64 %d1, %d1, %d4; st.global.u32 [%d1], %r11;
  ret;
}
)";

static void add() {}  // the host's side of a kernel: its address is its name
static void meet() {}

static int failures = 0;
static void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}
static bool all(const unsigned* words, unsigned count, unsigned value) {
  for (unsigned i = 0; i < count; ++i) {
    if (words[i] != value) return false;
  }
  return true;
}
static void count_up(void* counter) {
  ++*static_cast<int*>(counter);
}

int main() {
  const std::size_t length = sizeof kPtx;
  std::vector<std::uint8_t> fat(16 + 64 + length);
  auto put = [&](std::size_t at, auto value) { std::memcpy(&fat[at], &value, sizeof value); };
  put(0, std::uint32_t{0xba55ed50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + length});
  put(16, std::uint16_t{1});  // PTX
  put(20, std::uint32_t{64});
  put(24, std::uint64_t{length});
  put(32, static_cast<std::uint32_t>(length));
  put(44, std::uint32_t{100});
  put(72, std::uint64_t{length});
  std::memcpy(&fat[80], kPtx, length);
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    void* more = nullptr;
  } wrapper;
  wrapper.data = fat.data();
  void** module = __cudaRegisterFatBinary(&wrapper);
  const auto* add_kernel = reinterpret_cast<const char*>(&add);
  const auto* meet_kernel = reinterpret_cast<const char*>(&meet);
  __cudaRegisterFunction(module, add_kernel, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(module, meet_kernel, nullptr, "meet", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  static void* total = nullptr;
  static char total_symbol;
  __cudaRegisterManagedVar(module, &total, &total_symbol, "total", 0, 4, 0, 0);

  constexpr unsigned kCount = 64;
  const Dimensions one{1, 1, 1}, grid{2, 1, 1}, block{32, 1, 1};

  // Pinned memory and managed memory: one address for both.
  void *pinned = nullptr, *managed = nullptr;
  cudaMallocHost(&pinned, kCount * 4);
  cudaMallocManaged(&managed, kCount * 4, 1);
  auto *words = static_cast<unsigned*>(pinned), *others = static_cast<unsigned*>(managed);
  for (unsigned i = 0; i < kCount; ++i) words[i] = others[i] = 5;
  unsigned by = 2;
  for (void** each : {&pinned, &managed}) {
    void* arguments[] = {each, &by};
    cudaLaunchKernel(add_kernel, grid, block, arguments, 0, nullptr);
  }
  expect(all(words, kCount, 7), "pinned memory");
  expect(all(others, kCount, 7), "managed memory");

  // Memory of the host's that is registered has an address for kernels.
  std::vector<unsigned> own(kCount, 1);
  void* device = nullptr;
  cudaHostRegister(own.data(), kCount * 4, 0);
  cudaHostGetDevicePointer(&device, own.data(), 0);
  void* arguments[] = {&device, &by};
  cudaLaunchKernel(add_kernel, grid, block, arguments, 0, nullptr);
  expect(all(own.data(), kCount, 3), "registered memory");
  cudaHostUnregister(own.data());

  // Captured: nothing is done until the graph is launched, then each time, on what the arguments were; a stream that
  // waits for an event of a captured one is captured too.
  void *stream = nullptr, *side = nullptr, *event = nullptr, *graph = nullptr, *executable = nullptr;
  int calls = 0;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEventCreate(&event);
  cudaStreamBeginCapture(stream, 0);
  cudaMemsetAsync(pinned, 0, kCount * 4, stream);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(side, event, 0);
  void* of_pinned[] = {&pinned, &by};
  cudaLaunchKernel(add_kernel, grid, block, of_pinned, 0, side);
  cudaEventRecord(event, side);
  cudaStreamWaitEvent(stream, event, 0);
  by = 3;
  cudaLaunchKernel(add_kernel, grid, block, of_pinned, 0, stream);
  cudaLaunchHostFunc(stream, count_up, &calls);
  cudaStreamEndCapture(stream, &graph);
  expect(all(words, kCount, 7) && calls == 0, "what is captured is not done");
  std::size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  expect(nodes == 4, "nodes of what was captured");
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  expect(all(words, kCount, 5) && calls == 3, "a captured graph");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);

  // What is allocated and freed while a stream is captured is there at each launch.
  void* inside = nullptr;
  cudaStreamBeginCapture(stream, 0);
  cudaMallocAsync(&inside, kCount * 4, stream);
  cudaMemcpyAsync(inside, managed, kCount * 4, 4, stream);
  void* of_inside[] = {&inside, &by};
  cudaLaunchKernel(add_kernel, grid, block, of_inside, 0, stream);
  cudaMemcpyAsync(managed, inside, kCount * 4, 4, stream);
  cudaFreeAsync(inside, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(executable, stream);
  expect(all(others, kCount, 13), "memory of a captured graph");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);

  // Node by node: the kernel is added before what sets the words, and comes after it by an edge.
  void *kernel = nullptr, *set = nullptr, *host = nullptr;
  cudaGraphCreate(&graph, 0);
  KernelParams params{add_kernel, grid, block, 0, of_pinned, nullptr};
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &params);
  SetParams zero{pinned, 0, 0, 4, kCount, 1};
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero);
  cudaGraphAddDependencies(graph, &set, &kernel, nullptr, 1);
  HostParams counter{count_up, &calls};
  cudaGraphAddHostNode(&host, graph, &kernel, 1, &counter);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  expect(all(words, kCount, 3) && calls == 4, "a graph node by node");
  by = 9;
  cudaGraphExecKernelNodeSetParams(executable, kernel, &params);
  cudaGraphLaunch(executable, stream);
  expect(all(words, kCount, 9), "a kernel's new arguments");
  cudaGraphAddDependencies(graph, &host, &set, nullptr, 1);
  void *allocation = nullptr, *end = nullptr;
  struct {
    char pool[88] = {};
    const void* access = nullptr;
    std::size_t access_count = 0, bytes = 256;
    void* pointer = nullptr;
  } allocated;
  cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &allocated);
  cudaGraphAddMemFreeNode(&end, graph, &allocation, 1, allocated.pointer);
  expect(allocated.pointer != nullptr, "memory of a graph");
  void* circle = nullptr;
  expect(cudaGraphInstantiate(&circle, graph, 0) != 0, "a graph in a circle is refused");

  // All CTAs of a cooperative launch are there at the same time; the managed variable is the host's too.
  __cudaInitModule(module);
  *static_cast<unsigned*>(total) = 100;
  void* of_meet[] = {&managed};
  expect(cudaLaunchCooperativeKernel(meet_kernel, {kCount, 1, 1}, one, of_meet, 0, nullptr) == 0, "cooperative launch");
  expect(all(others, kCount, 100 + kCount) && *static_cast<unsigned*>(total) == 100 + kCount, "a grid's barrier");
  expect(cudaLaunchCooperativeKernel(meet_kernel, {1 << 20, 1, 1}, one, of_meet, 0, nullptr) != 0,
         "a cooperative launch that does not fit is refused");

  // Of CUDA 13 and 12.
  std::vector<int> properties(300);
  cudaGetDeviceProperties(properties.data(), 0);
  expect(properties[384 / 4] == 148 && properties[668 / 4] == 1, "properties of CUDA 13");
  cudaGetDeviceProperties_v2(properties.data(), 0);
  expect(properties[388 / 4] == 148 && properties[688 / 4] == 1, "properties of CUDA 12");

  cudaFreeHost(pinned);
  cudaFree(managed);
  cudaStreamDestroy(stream);
  std::printf("%d wrong\n", failures);
  return failures;
}
