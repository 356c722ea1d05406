#!/usr/bin/env python3
"""warpcc's cubins beside torch's matmul and a Triton kernel: all arms of one process, in turn (docs/measuring.md).

    WARPCC_LIBRARY=build/lib/libwarpcc.so bench/gpu/peers.py build/bench/*.cubin

Needs torch and triton. C (f32) = A · Bᵀ of f16, integers in [-3, 3]; each arm is held to the exact product first.
"""
import argparse
import json
import os
import statistics
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "examples/torch"))
import warpcc  # noqa: E402

# tile_m, tile_n, tile_k, stages, warps, in how many parts K is split
CONFIGURATIONS = [(64, 128, 64, 6, 4, 1), (128, 128, 64, 4, 4, 1), (128, 128, 64, 5, 4, 1), (128, 128, 64, 4, 8, 1), (128, 256, 64, 3, 8, 1),
                  (128, 256, 64, 4, 8, 1), (256, 128, 64, 3, 8, 1), (128, 256, 64, 4, 8, 4), (128, 128, 64, 5, 4, 2)]


@triton.jit
def triton_gemm(a, b, c, M, N, K, tile_m: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr, parts: tl.constexpr, group: tl.constexpr):
    down, over = tl.cdiv(M, tile_m), tl.cdiv(N, tile_n)
    for work in tl.range(tl.program_id(0), down * over * parts, tl.num_programs(0), flatten=parts == 1):
        tile, part = work // parts, work % parts
        first = tile // (group * over) * group
        height = min(down - first, group)
        row = (first + tile % (group * over) % height) * tile_m
        column = tile % (group * over) // height * tile_n
        rounds = tl.cdiv(K, tile_k * parts)
        sums = tl.zeros((tile_m, tile_n), dtype=tl.float32)
        for k in range(part * rounds, part * rounds + rounds):
            sums = tl.dot(a.load([row, k * tile_k]), b.load([column, k * tile_k]).T, sums)
        # In halves: a whole tile of f32 and the stages do not fit into shared memory together.
        left, right = tl.split(tl.permute(tl.reshape(sums, (tile_m, 2, tile_n // 2)), (0, 2, 1)))
        if parts == 1:
            c.store([row, column], left)
            c.store([row, column + tile_n // 2], right)
        else:
            c.atomic_add([row, column], left)
            c.atomic_add([row, column + tile_n // 2], right)


class Triton:
    def __init__(self, a, b, c, configuration):
        self.tile_m, self.tile_n, self.tile_k, self.stages, self.warps, self.parts = self.configuration = configuration
        self.c = c
        self.m, self.n, self.k = a.shape[0], b.shape[0], a.shape[1]
        self.maps = [TensorDescriptor.from_tensor(a, [self.tile_m, self.tile_k]), TensorDescriptor.from_tensor(b, [self.tile_n, self.tile_k]),
                     TensorDescriptor.from_tensor(c, [self.tile_m, self.tile_n // 2])]

    def __call__(self):
        work = -(-self.m // self.tile_m) * -(-self.n // self.tile_n) * self.parts
        if self.parts > 1:
            self.c.zero_()
        triton_gemm[(min(work, torch.cuda.get_device_properties(0).multi_processor_count), )](
            *self.maps, self.m, self.n, self.k, self.tile_m, self.tile_n, self.tile_k, self.parts, 8, num_stages=self.stages, num_warps=self.warps)


def counts_for(m, n, k):
    """Calls, warm-ups, calls in a graph, replays: those of gpu_bench."""
    expected = 2 * m * n * k / 700e6
    return next(counts for limit, counts in [(40, (400, 20, 200, 12)), (100, (300, 20, 200, 12)), (500, (200, 20, 50, 12)), (5000, (40, 8, 8, 12)),
                                             (float("inf"), (12, 4, 2, 6))] if expected < limit)


def isolated(arm, calls, warm_ups):
    """Microseconds of GPU time of a call: the sum of its kernels', median of the calls."""
    for _ in range(warm_ups):
        arm()
        torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            arm()
            torch.cuda.synchronize()
    ran = sorted((event.start_ns(), event.duration_ns()) for event in profile.profiler.kineto_results.events()
                 if event.device_type() == torch.autograd.DeviceType.CUDA and "ynchronize" not in event.name())
    of_a_call, left = divmod(len(ran), calls)
    if of_a_call == 0 or left:
        raise RuntimeError(f"{len(ran)} records of {calls} calls")
    return statistics.median(sum(duration for _, duration in ran[at:at + of_a_call]) / 1000 for at in range(0, len(ran), of_a_call))


def back_to_back(arm, calls, replays):
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        arm()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(calls):
                arm()
        times = []
        for replay in range(2 + replays):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            if replay >= 2:
                times.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(times)


def in_turn(arms, time):
    """{name: medians of four slots}, forwards and backwards by turns, after a slot of each that is not counted."""
    slots = {name: [] for name in arms}
    for name in arms:
        time(arms[name])
    for order in [list(arms), list(arms)[::-1]] * 2:
        for name in order:
            slots[name].append(min(time(arms[name]), time(arms[name])))
    return slots


def measure(cubin):
    with open(cubin[:-len("cubin")] + "json") as file:
        tensors = {each["name"]: each for each in json.load(file)["tensors"]}
    (m, k), (n, _) = tensors["a"]["shape"], tensors["b"]["shape"]
    torch.manual_seed(0)
    a, b = (torch.randint(-3, 4, shape, device="cuda", dtype=torch.int8).half() for shape in ((m, k), (n, k)))
    c = torch.empty((m, n), device="cuda")
    right = torch.mm(a, b.T, out_dtype=torch.float32)
    probe = torch.randint(0, m, (64, ), device="cuda")
    if not torch.equal(right[probe], (a[probe].double() @ b.double().T).float()):
        print("torch.mm is not exact")
    calls, warm_ups, in_graph, replays = counts_for(m, n, k)

    def is_exact(arm):
        c.fill_(float("nan"))
        arm()
        return torch.equal(c, right)

    candidates = []
    for configuration in CONFIGURATIONS:
        if max(m, n) >= 8192 and configuration[-1] > 1 or k % (configuration[2] * configuration[5]) != 0:
            continue
        arm = Triton(a, b, c, configuration)
        try:
            if is_exact(arm):
                candidates.append((isolated(arm, max(calls // 8, 3), 3), configuration))
        except Exception as error:  # what does not fit is left out
            print(f"Triton {configuration}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    best = min(candidates)[1]
    call = warpcc.Kernel(cubin).bind(a=a, b=b, c=c)
    arms = {"warpcc": call, "torch": lambda: torch.mm(a, b.T, out_dtype=torch.float32, out=c), "triton": Triton(a, b, c, best)}
    for name, arm in arms.items():
        if not is_exact(arm):
            print(f"{name} is WRONG at {m} x {n} x {k}")
    return {"m": m, "n": n, "k": k, "triton_configuration": best, "back_to_back": in_turn(arms, lambda arm: back_to_back(arm, in_graph, replays)),
            "isolated": in_turn(arms, lambda arm: isolated(arm, calls, warm_ups))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cubins", nargs="+")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}; microseconds a call, least - greatest of four slots")
    rows = []
    for cubin in arguments.cubins:
        row = measure(cubin)
        rows.append(row)
        cells = [f"{row['m']} x {row['n']} x {row['k']}"]
        for way in ("isolated", "back_to_back"):
            cells += [f"{min(slots):.2f} - {max(slots):.2f}" for slots in row[way].values()]
        print("| " + " | ".join(cells) + f" | {row['triton_configuration']} |", flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


main()
