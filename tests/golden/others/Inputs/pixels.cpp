// A program that makes a tensor map of pixels, and a kernel that loads some: the row sums of a 3 × 3 convolution's
// window, one image after the other. Declared by hand, so that no CUDA is needed.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

struct alignas(64) Map {
  unsigned char bytes[128];
};

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(const void**, void*, const char*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuMemsetD32_v2(std::uint64_t, unsigned, std::size_t);
int cuLaunchKernel(const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
int cuTensorMapEncodeIm2col(Map*, int, unsigned, std::uint64_t, const std::uint64_t*, const std::uint64_t*, const int*,
                            const int*, unsigned, unsigned, const std::uint32_t*, int, int, int, int);
}

// Each place of the filter's window in turn; lane p adds up what channel 0 of pixel p has there.
static const char kPtx[] = R"(
.version 8.6
.target sm_90a
.address_size 64
.visible .entry window(.param .align 64 .b8 map[128], .param .u64 sums) {
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<6>;
  .shared .align 128 .b8 pixels[512]; .shared .align 8 .b64 landed;
  mov.b64 %d1, map; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [sums];
  mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, pixels; mov.u32 %r3, landed;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster; bar.sync 0;
  mov.u32 %r4, 0; mov.u32 %r5, 0;
NEXT:
  rem.u32 %r6, %r4, 3; div.u32 %r7, %r4, 3; cvt.u16.u32 %h1, %r6; cvt.u16.u32 %h2, %r7;
  @!%p1 bra LOADED;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 512;
  cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
      [%r2], [%d1, {0, -1, -1, 0}], [%r3], {%h1, %h2};
LOADED:
  bar.warp.sync -1; and.b32 %r8, %r4, 1;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r8; @!%p2 bra WAIT;
  shl.b32 %r9, %r1, 4; add.u32 %r9, %r9, %r2; ld.shared.u32 %r10, [%r9]; add.u32 %r5, %r5, %r10;
  bar.warp.sync -1; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 9; @%p3 bra NEXT;
  mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d2, %d3; st.global.u32 [%d3], %r5;
  ret;
}
)";

int main() {
  constexpr int kWidth = 4, kHeight = 4, kImages = 2, kChannels = 4;
  void *context = nullptr, *module = nullptr;
  const void* function = nullptr;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuModuleLoadData(&module, kPtx);
  cuModuleGetFunction(&function, module, "window");
  std::vector<unsigned> image(kWidth * kHeight * kImages * kChannels);
  for (unsigned i = 0; i < image.size(); ++i) image[i] = i;
  std::uint64_t from = 0, sums = 0;
  cuMemAlloc_v2(&from, image.size() * 4);
  cuMemcpyHtoD_v2(from, image.data(), image.size() * 4);
  cuMemAlloc_v2(&sums, 128);
  cuMemsetD32_v2(sums, 0, 32);

  Map map;
  const std::uint64_t extents[] = {kChannels, kWidth, kHeight, kImages}, strides[] = {16, 64, 256};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};  // the window's first place, for every pixel of the result
  const std::uint32_t steps[] = {1, 1, 1, 1};
  auto encode = [&](unsigned rank, unsigned pixels) {
    return cuTensorMapEncodeIm2col(&map, 2, rank, from, extents, strides, lower, upper, kChannels, pixels, steps, 0, 0,
                                   0, 0);
  };
  std::printf("two dimensions: %d, too many pixels: %d, ", encode(2, 32), encode(4, 1025));
  std::printf("as they are: %d\n", encode(4, 32));
  void* params[] = {&map, &sums};
  cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr);

  std::vector<unsigned> result(32);
  cuMemcpyDtoH_v2(result.data(), sums, 128);
  int wrong = 0;
  for (int p = 0; p < 32; ++p) {
    unsigned sum = 0;
    for (int place = 0; place < 9; ++place) {
      const int x = p % kWidth + place % 3 - 1, y = p / kWidth % kHeight + place / 3 - 1, n = p / (kWidth * kHeight);
      if (x >= 0 && x < kWidth && y >= 0 && y < kHeight)
        sum += image[static_cast<unsigned>(((n * kHeight + y) * kWidth + x) * kChannels)];
    }
    wrong += result[static_cast<unsigned>(p)] != sum;
  }
  std::printf("%d of 32 wrong\n", wrong);
  return wrong != 0;
}
