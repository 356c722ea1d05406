#!/usr/bin/env python3
"""Variants of kernels/hopper_gemm.wk beside each other and beside cuBLASLt, by shorter runs than the table's.

    bench/gpu/scan.py variants.txt                    # compiles, and times on this machine's GPU
    bench/gpu/scan.py variants.txt --compile-only     # then carry the folder --out, and there
    bench/gpu/scan.py variants.txt --no-compile --bench PATH

A line of the file is a shape and what differs from `tune`: `2048x2048x2048 mates=2 walk=stride(serpentine(4))`; no blanks inside a value,
`#` begins a comment. Each shape is timed in a process of its own.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read_variants(path):
    """[(shape, definitions)]"""
    variants = []
    with open(path) as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                variants.append((words[0], words[1:]))
    return variants


def name_of(definitions):
    return "_".join(definitions).replace("=", "-") or "tune"


def compile_one(arguments, shape, definitions, cubin):
    m, n, k = shape.split("x")
    command = [arguments.warpcc, arguments.kernel, "--no-check", "-o", cubin]
    for definition in [f"M={m}", f"N={n}", f"K={k}", *definitions]:
        command += ["-D", definition]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{shape} {' '.join(definitions)}: {(done.stderr or done.stdout).strip().splitlines()[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants")
    parser.add_argument("--kernel", default=os.path.join(SOURCE, "kernels/hopper_gemm.wk"))
    parser.add_argument("--warpcc", default=os.path.join(SOURCE, "build/bin/warpcc"))
    parser.add_argument("--bench", default=os.path.join(SOURCE, "build/bin/gpu_bench"))
    parser.add_argument("--out", default=os.path.join(SOURCE, "build/scan"), help="the folder of the cubins")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120, help="seconds that a shape may take")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("rest", nargs="*", help="given to gpu_bench: --no-isolated … (after --)")
    arguments = parser.parse_args()

    variants = read_variants(arguments.variants)
    shapes = dict.fromkeys(shape for shape, _ in variants)
    cubins = {(shape, name_of(each)): os.path.join(arguments.out, shape, name_of(each) + ".cubin") for shape, each in variants}
    if not arguments.no_compile:
        for shape in shapes:
            os.makedirs(os.path.join(arguments.out, shape), exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            made = pool.map(lambda one: compile_one(arguments, *one, cubins[one[0], name_of(one[1])]), variants)
            for failure in filter(None, made):
                print(failure, file=sys.stderr)
    if arguments.compile_only:
        return
    for shape in shapes:
        of_shape = [path for (whose, _), path in cubins.items() if whose == shape and os.path.exists(path)]
        sys.stdout.flush()
        try:
            subprocess.run([arguments.bench, "--scan", *arguments.rest, *of_shape], timeout=arguments.limit)
        except subprocess.TimeoutExpired:
            print(f"{shape}: still running after {arguments.limit} s", file=sys.stderr)


main()
