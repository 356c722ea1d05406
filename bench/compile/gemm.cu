// A matrix product for sm_90a of the size that people write by hand, to be compiled by nvcc beside warpcc's kernels: C (f32) = A · Bᵀ, tiles of
// 128 × 128, a ring of six stages filled by the copy engine, two consuming warpgroups of one m64n128k16 each.
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace {

constexpr int kTile = 128, kDepth = 6, kStep = 64, kBytes = kTile * kStep * 2;

__device__ uint32_t shared_address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ void init(uint32_t barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count)); }
__device__ void arrive(uint32_t barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
__device__ void expect(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(barrier), "r"(parity)
      : "memory");
}
__device__ void load(uint32_t to, const CUtensorMap& map, int column, int row, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map),
               "r"(column), "r"(row), "r"(barrier)
               : "memory");
}

// Rows of 128 bytes, swizzled, eight of them a group.
__device__ uint64_t descriptor(uint32_t at) { return 0x4000004000010000ull | (at & 0x3ffff) >> 4; }

#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)
__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{\n.reg .pred adds;\nsetp.ne.b32 adds, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,"
      "%61,%62,%63}, %64, %65, adds, 1, 1, 0, 0;\n}"
      : SIXTEEN(d, 0), SIXTEEN(d, 16), SIXTEEN(d, 32), SIXTEEN(d, 48)
      : "l"(a), "l"(b), "r"(adds));
}

}  // namespace

extern "C" __global__ void __launch_bounds__(288, 1)
    gemm(float* c, int columns, int steps, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ __align__(8) uint64_t barriers[2 * kDepth];
  const uint32_t operands = shared_address(memory), full = shared_address(barriers), empty = full + 8 * kDepth;
  const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kDepth; ++i) {
      init(full + 8 * i, 1);
      init(empty + 8 * i, 8);
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (warp == 8) {
    if (threadIdx.x % 32 != 0) return;
    for (int k = 0; k < steps; ++k) {
      const uint32_t stage = k % kDepth, to = operands + stage * 2 * kBytes, barrier = full + 8 * stage;
      wait(empty + 8 * stage, k / kDepth % 2 ^ 1);
      expect(barrier, 2 * kBytes);
      load(to, a, k * kStep, row, barrier);
      load(to + kBytes, b, k * kStep, column, barrier);
    }
    return;
  }
  float d[64];
  for (int k = 0; k < steps; ++k) {
    const uint32_t stage = k % kDepth, from = operands + stage * 2 * kBytes;
    wait(full + 8 * stage, k / kDepth % 2);
    const uint64_t rows = descriptor(from + warp / 4 * (kBytes / 2)), rows_of_b = descriptor(from + kBytes);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < kStep / 16; ++j) multiply(d, rows + 2 * j, rows_of_b + 2 * j, k > 0 || j > 0);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (k > 0 && threadIdx.x % 32 == 0) arrive(empty + 8 * ((k - 1) % kDepth));
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int lane = threadIdx.x % 32, at_row = row + warp * 16 + lane / 4, at_column = column + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 4) {
    float* at = c + static_cast<size_t>(at_row) * columns + at_column + i * 2;
    *reinterpret_cast<float2*>(at) = make_float2(d[i], d[i + 1]);
    *reinterpret_cast<float2*>(at + 8 * columns) = make_float2(d[i + 2], d[i + 3]);
  }
}
