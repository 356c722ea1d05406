// A runtime that is linked into a program, and finds no driver.
#include <cstdio>

#define REFUSES(name)                                             \
  extern "C" int name(void* a, void* b, unsigned long c, int d) { \
    std::printf(#name ": no driver %p %p %lu %d\n", a, b, c, d);  \
    return 36;                                                    \
  }

REFUSES(__cudaRegisterFatBinary)
REFUSES(__cudaRegisterFatBinaryEnd)
REFUSES(__cudaRegisterFunction)
REFUSES(cudaMalloc)
REFUSES(cudaFree)
REFUSES(cudaMemcpy)
REFUSES(cudaLaunchKernel)
REFUSES(cudaDeviceSynchronize)

#ifdef UNHEARD_OF
REFUSES(cudaUnheardOf)

static const int before_main = cudaUnheardOf(nullptr, nullptr, 0, 0);
#endif

extern "C" const char* cudaGetErrorString(int error) {
  std::printf("no driver, %d\n", error);
  return "no driver";
}
