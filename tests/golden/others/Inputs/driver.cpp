// A program that talks to the CUDA driver: declared by hand, so that no CUDA is needed.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Attribute {
  int id;
  char pad[4];
  unsigned values[16];
};
struct Config {
  unsigned grid[3], block[3], shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(const void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemsetD32_v2(std::uint64_t, unsigned, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuLaunchKernel(const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
int cuLaunchKernelEx(const Config*, const void*, void**, void**);
}

// Each thread adds to its word: a number, and the size of its cluster.
static const char kPtx[] = R"(
.version 9.0
.target sm_100a
.address_size 64
.visible .entry count(.param .u32 by, .param .u64 words) {
  .reg .b32 %r<9>; .reg .b64 %d<4>;
  ld.param.u32 %r1, [by]; ld.param.u64 %d1, [words];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r4, %r2, %r3, %r4;
  mov.u32 %r5, %cluster_nctarank; mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2;
  ld.global.u32 %r6, [%d1]; add.u32 %r6, %r6, %r1; add.u32 %r6, %r6, %r5; st.global.u32 [%d1], %r6;
  ret;
}
)";

int main() {
  void *context = nullptr, *module = nullptr;
  const void* function = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuModuleLoadData(&module, kPtx);
  std::printf("no such function: %d\n", cuModuleGetFunction(&function, module, "coun"));
  void* none = nullptr;
  const char machine_code[16] = "\177ELF";
  std::printf("no PTX: %d\n", cuModuleLoadData(&none, machine_code));
  cuModuleGetFunction(&function, module, "count");

  std::uint64_t words = 0;
  cuMemAlloc_v2(&words, 256);
  cuMemsetD32_v2(words, 7, 64);
  unsigned by = 3, total = 7;
  auto tell = [&](const char* how, int error, unsigned added) {
    total += added;
    std::vector<unsigned> result(64);
    cuMemcpyDtoH_v2(result.data(), words, 256);
    int wrong = 0;
    for (unsigned each : result) wrong += each != total;
    std::printf("%s: %d, %d of 64 wrong\n", how, error, wrong);
  };
  void* params[] = {&by, &words};
  tell("params", cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr), 4);

  // The same as a buffer: the address is aligned to 8.
  struct {
    unsigned by;
    std::uint64_t words;
  } buffer{5, words};
  std::size_t bytes = sizeof buffer;
  void* extra[] = {reinterpret_cast<void*>(1), &buffer, reinterpret_cast<void*>(2), &bytes, nullptr};
  tell("extra", cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), 6);

  Attribute cluster{4, {}, {2, 1, 1}};
  Config config{{2, 1, 1}, {32, 1, 1}, 0, nullptr, &cluster, 1};
  tell("cluster", cuLaunchKernelEx(&config, function, params, nullptr), 5);
  std::printf("outside: %d\n", cuMemcpyDtoH_v2(&by, words + 1000, 4));
  return 0;
}
