#!/usr/bin/env python3
"""front_to_sass.py WARPCC [KERNEL.wk] [--rounds N]: how long each row of a kernel's `tune` takes from its text to coloured SASS.

The least of some rounds, in milliseconds: by the clock, part by part, and the processor's time of the whole process, which is what counts
on a machine that others use too. More than 50 ms of it is an error."""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

LIMIT = 50.0
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def sizes(kernel):
    table = open(kernel, encoding="utf-8").read().split("\ntune ")[1].split("\n}")[0]
    return [tuple(int(number) for number in row) for row in re.findall(r"\(\s*(\d+),\s*(\d+),\s*(\d+)\s*\)\s*=>", table)]


def measure(warpcc, kernel, size, output):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [warpcc, kernel, "--emit", "sass", "-o", output, "--time", "--format", "json"]
    for name, value in zip("MNK", size):
        command += ["-D", f"{name}={value}"]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(run.stderr[:1000])
    times = json.loads(run.stderr)["times"]
    return times, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main():
    arguments = sys.argv[1:]
    rounds = int(arguments.pop(arguments.index("--rounds") + 1)) if "--rounds" in arguments else 9
    arguments = [each for each in arguments if each != "--rounds"]
    warpcc, kernel = arguments[0], (arguments[1:] or [f"{SOURCE}/kernels/gemm.wk"])[0]
    slow = 0
    print(f"{'M':>6} {'N':>6} {'K':>6} {'parse':>8} {'analyse':>8} {'generate':>8} {'total':>8} {'processor':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes(kernel):
            measured = [measure(warpcc, kernel, size, f"{folder}/out.sass") for _ in range(rounds)]
            parts = [min(times[name] for times, _ in measured) for name in ("parse", "analyse", "generate")]
            total = min(sum(times.values()) for times, _ in measured)
            processor = min(spent for _, spent in measured)
            slow += processor > LIMIT
            print(" ".join([f"{n:6}" for n in size] + [f"{part:8.1f}" for part in parts + [total]] + [f"{processor:10.1f}"]), flush=True)
    print(f"{slow} of {len(sizes(kernel))} take more than {LIMIT:.0f} ms of the processor")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
