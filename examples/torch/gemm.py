#!/usr/bin/env python3
"""C = A · Bᵀ of PyTorch's tensors by a cubin of warpcc's: once, as part of a larger matrix, in a CUDA graph, launch after launch without
waiting for the end of the one before (dependent launch); and what is said of tensors that do not fit.

    warpcc kernels/hopper_gemm.wk -D M=1024 -D N=1024 -D K=1024 -o gemm.cubin
    WARPCC_LIBRARY=PREFIX/lib/libwarpcc.so examples/torch/gemm.py gemm.cubin 1024 1024 1024
"""
import sys

import torch
import warpcc


def main():
    cubin, m, n, k = sys.argv[1], *map(int, sys.argv[2:5])
    torch.manual_seed(0)
    a = torch.randint(-3, 4, (m, k), device="cuda").half()
    b = torch.randint(-3, 4, (n, k), device="cuda").half()
    c = torch.full((m, n), float("nan"), device="cuda")
    right = a.float() @ b.float().T  # integers below 2^24: exact in any order
    gemm = warpcc.Kernel(cubin)

    gemm(a=a, b=b, c=c)
    print("a call:", "exact" if torch.equal(c, right) else "WRONG")

    wide = torch.zeros((m, k + 64), device="cuda", dtype=torch.float16)
    wide[:, :k] = a
    c.fill_(float("nan"))
    gemm(a=wide[:, :k], b=b, c=c)
    print("a part of a wider matrix:", "exact" if torch.equal(c, right) else "WRONG")

    call, graph = gemm.bind(a=a, b=b, c=c), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            call()
    c.fill_(float("nan"))
    graph.replay()
    torch.cuda.synchronize()
    print("a graph of three launches:", "exact" if torch.equal(c, right) else "WRONG")

    # Dependent launches: each begins while the one before still ends, and waits for it where it touches memory (`grid.wait`). Two products take
    # turns at one C, so that whoever is late spoils it; in a graph, so that the GPU waits for nobody.
    other = gemm.bind(a=-a, b=b, c=c)
    for dependent in (False, True):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(50):
                other(dependent=dependent)
                call(dependent=dependent)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        graph.replay()
        c.fill_(float("nan"))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        each = begin.elapsed_time(end) * 1000 / 100
        print(f"{'dependent' if dependent else 'plain'} launches: {'exact' if torch.equal(c, right) else 'WRONG'}, {each:.2f} us each")

    for what, tensors in {"transposed": dict(a=a.T.contiguous().T, b=b, c=c), "of another type": dict(a=a.bfloat16(), b=b, c=c),
                          "too small": dict(a=a[1:], b=b, c=c)}.items():
        try:
            gemm(**tensors)
            print(what, "was taken: WRONG")
        except warpcc.Error as error:
            print(f"{what}: {error}")


main()
