#!/usr/bin/env python3
"""Every line of a kernel that orders something, taken out: the checker must report each.

    order_lines.py WARPCC KERNEL [-D NAME=VALUE ...]

Expands the kernel, and for each wait, fence, arrival, commit, group of stores, barrier of warps or of the cluster checks the text without it. A
wait is its test, sleep and branch. Those without which the program is as right as with them are listed with the reason (WITHOUT_EFFECT). Ends
with 1, and the lines, where another one was not reported."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ORDERS = re.compile(r"\b(FENCE|WARPSYNC|MEMBAR|NOP|UTCBAR|DEPBAR|ACQBULK|BAR|SYNCS\.ARRIVE|UTMACMDFLUSH|REDG)\b")

# The role, the statement, and why.
WITHOUT_EFFECT = [
    ("stores", "grid.wait", "the loading warps have waited, and the storing ones hear of it through the MMAs"),
    ("stores", "store.wait.read 0", "the hardware keeps shared memory until it has been read: --strict asks for it"),
]


def mutants(lines):
    role = ""
    for at, line in enumerate(lines):
        if line.startswith((".start", ".role", ".finish")):
            role = line.split()[1] if line.startswith(".role") else line[1:]
        if line.startswith((".", "#")):
            continue
        if "PHASECHK" in line and "TRYWAIT" in line:
            yield at, 3, role
        elif "UCGABAR_ARV" in line:
            yield at, 2, role
        elif ORDERS.search(line.split(" ; ")[0]):
            yield at, 1, role


def check(warpcc, folder, lines, at, count):
    path = os.path.join(folder, f"line_{at + 1}.sass")
    with open(path, "w") as out:
        out.write("\n".join(lines[:at] + lines[at + count:]) + "\n")
    run = subprocess.run([warpcc, "check", path], capture_output=True, text=True, timeout=120)
    os.unlink(path)
    return run


def main():
    warpcc, kernel, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    expanded = subprocess.run([warpcc, "expand", kernel, *options], capture_output=True, text=True)
    if expanded.returncode != 0:
        sys.exit(expanded.stdout + expanded.stderr)
    lines = expanded.stdout.splitlines()
    missed, effectless, reported = [], [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if check(warpcc, folder, lines, 0, 0).returncode != 0:
            sys.exit("the program itself is refused")
        tried = [(at, role, pool.submit(check, warpcc, folder, lines, at, count)) for at, count, role in mutants(lines)]
        for at, role, future in tried:
            run = future.result()
            statement = lines[at].split(" ; ")[1].rsplit("  ", 1)[0].strip() if " ; " in lines[at] else ""
            why = next((why for where, what, why in WITHOUT_EFFECT if where == role and what == statement), None)
            if run.returncode == 1:
                reported += 1
            elif why:
                effectless.append(f"{at + 1}: {lines[at]}\n    {why}")
            else:
                missed.append(f"{at + 1}: {lines[at]}")
    print(f"{len(tried)} lines that order taken out, {reported} reported, {len(effectless)} without effect, {len(missed)} missed")
    for line in effectless:
        print("without effect: " + line)
    for miss in missed:
        print("missed: " + miss)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
