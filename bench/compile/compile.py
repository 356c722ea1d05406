#!/usr/bin/env python3
"""How long compiling takes: warpcc's kernel from .wk to cubin, by part; nvcc with a kernel of like size; Triton, where it is installed. Each is a
process of its own, run several times; the median, the least and greatest, and the processor time of the whole process, which other work on the machine
disturbs less.

    bench/compile/compile.py [--runs 9] [--warpcc build/bin/warpcc] [--nvcc nvcc] [--python python3]
"""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))


def row(what, times, processor=None):
    used = f"{statistics.median(processor):.0f}" if processor else ""
    print(f"| {what} | {statistics.median(times):.0f} | {min(times):.0f} - {max(times):.0f} | {used} |", flush=True)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def timed(command):
    """Milliseconds by the clock, of processor time, and what was printed: on standard output and on the other."""
    start, before = time.perf_counter(), processor_time()
    done = subprocess.run(command, capture_output=True, text=True)
    milliseconds = (time.perf_counter() - start) * 1000
    if done.returncode:
        sys.exit(f"compile.py: `{' '.join(command)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return milliseconds, processor_time() - before, done.stdout, done.stderr


def warpcc(arguments, folder):
    kernel = os.path.join(SOURCE, "kernels/hopper_gemm.wk")
    for what, extra in (("warpcc, checked on the CPU", []), ("warpcc, --no-check", ["--no-check"])):
        wholes, processor, parts = [], [], {}
        for _ in range(arguments.runs):
            whole, used, _, output = timed([arguments.warpcc, kernel, "-D", "M=4096", "-D", "N=4096", "-D", "K=4096", "--time", *extra,
                                      "-o", os.path.join(folder, "gemm.cubin")])
            wholes.append(whole)
            processor.append(used)
            for name, milliseconds in re.findall(r"^ *(\w+) +([\d.]+) ms$", output, re.M):
                parts.setdefault(name, []).append(float(milliseconds))
        row(what, wholes, processor)
        for name, times in parts.items():
            if name != "total":
                row(f"- {name}", times)


def nvcc(arguments, folder):
    compiler = shutil.which(arguments.nvcc)
    if not compiler:
        return print("| nvcc: not found | | | |")
    runs = [timed([compiler, "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-cubin", os.path.join(HERE, "gemm.cu"), "-o",
                   os.path.join(folder, "nvcc.cubin")]) for _ in range(arguments.runs)]
    row("nvcc -cubin, bench/compile/gemm.cu", [run[0] for run in runs], [run[1] for run in runs])


def triton(arguments):
    if subprocess.run([arguments.python, "-c", "import triton"], stderr=subprocess.DEVNULL).returncode:
        return print("| Triton: not installed | | | |")
    command = [arguments.python, os.path.join(HERE, "gemm_triton.py")]
    first, later, wholes = [], [], []
    for _ in range(min(arguments.runs, 3)):
        whole, _, output, _ = timed([*command, "4"])
        times = [float(line) for line in output.split()]
        wholes.append(whole - sum(times[1:]))
        first.append(times[0])
        later += times[1:]
    row("Triton, a process with one kernel", wholes)
    row("- its first kernel", first)
    row("- the kernels after it", later)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--warpcc", default=os.path.join(SOURCE, "build/bin/warpcc"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--python", default=sys.executable, help="the Python that has Triton")
    arguments = parser.parse_args()
    print("| what | ms, median | least - greatest | processor, ms |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        warpcc(arguments, folder)
        nvcc(arguments, folder)
        triton(arguments)


main()
