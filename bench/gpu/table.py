#!/usr/bin/env python3
"""The table of docs/measuring.md: the eleven shapes compiled, then timed against cuBLASLt on this machine's GPU.

    bench/gpu/table.py                                # compiles with build/bin/warpcc, times with build/bin/gpu_bench
    bench/gpu/table.py --compile-only                 # on a machine without a GPU; then carry the folder --out to one that has it, and there
    bench/gpu/table.py --no-compile --bench PATH

What was measured earlier with the same cubins is taken from --out/results.json.
"""
import argparse
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHAPES = [(1024, 1024, 1024), (1536, 1536, 1536), (2048, 2048, 2048), (3072, 1280, 2048), (4096, 4096, 1024), (4096, 4096, 4096),
          (8192, 2048, 4096), (8192, 8192, 8192), (16384, 16384, 16384), (2048, 2048, 16384), (1024, 1024, 65536)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default=os.path.join(SOURCE, "kernels/hopper_gemm.wk"))
    parser.add_argument("--warpcc", default=os.path.join(SOURCE, "build/bin/warpcc"))
    parser.add_argument("--bench", default=os.path.join(SOURCE, "build/bin/gpu_bench"))
    parser.add_argument("--out", default=os.path.join(SOURCE, "build/bench"), help="the folder of the cubins and of results.json")
    parser.add_argument("-D", action="append", default=[], metavar="NAME=VALUE", help="parameters of the kernel beside M, N and K")
    parser.add_argument("--shape", action="append", metavar="MxNxK", help="these alone, such as 2048x2048x2048")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("rest", nargs="*", help="given to gpu_bench: --again, --no-graph … (after --)")
    arguments = parser.parse_args()

    shapes = [tuple(map(int, shape.split("x"))) for shape in arguments.shape] if arguments.shape else SHAPES
    os.makedirs(arguments.out, exist_ok=True)
    cubins = []
    for m, n, k in shapes:
        cubin = os.path.join(arguments.out, f"{m}x{n}x{k}.cubin")
        cubins.append(cubin)
        if arguments.no_compile:
            continue
        command = [arguments.warpcc, arguments.kernel, "-D", f"M={m}", "-D", f"N={n}", "-D", f"K={k}", "-o", cubin]
        for definition in arguments.D:
            command += ["-D", definition]
        print(f"compiling and checking {m} x {n} x {k}", file=sys.stderr, flush=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if not arguments.compile_only:
        os.execv(arguments.bench, [arguments.bench, "--json", os.path.join(arguments.out, "results.json"), *arguments.rest, *cubins])


try:
    main()
except subprocess.CalledProcessError as error:
    sys.exit(f"table.py: `{' '.join(error.cmd)}` ended with {error.returncode}")
