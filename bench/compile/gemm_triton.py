"""Triton's time for a kernel of the same kind, from Python to a cubin for sm_90a: no GPU is needed, and nothing of an earlier run is used. Prints
the milliseconds of each of the runs asked for, one a line."""
import os
import sys
import tempfile
import time

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TRITON_ALWAYS_COMPILE"] = "1"
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def gemm(a, b, c, M, N, K, tile_m: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr):
    rows = tl.program_id(0) * tile_m + tl.arange(0, tile_m)
    columns = tl.program_id(1) * tile_n + tl.arange(0, tile_n)
    k = tl.arange(0, tile_k)
    at_a = a + rows[:, None] * K + k[None, :]
    at_b = b + columns[None, :] * K + k[:, None]
    sums = tl.zeros((tile_m, tile_n), dtype=tl.float32)
    for _ in range(0, K, tile_k):
        sums = tl.dot(tl.load(at_a), tl.load(at_b), sums)
        at_a += tile_k
        at_b += tile_k
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


for run in range(int(sys.argv[1])):
    # Another constant each time, so that nothing is taken from the run before.
    source = ASTSource(gemm, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32", "tile_m": "constexpr",
                              "tile_n": "constexpr", "tile_k": "constexpr"},
                       {"tile_m": 128, "tile_n": 128, "tile_k": 64},
                       {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]], (2,): [["tt.divisibility", 16]],
                        (5,): [["tt.divisibility", 16]]})
    start = time.perf_counter()
    triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8, "num_stages": 4})
    print((time.perf_counter() - start) * 1000, flush=True)
