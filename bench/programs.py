#!/usr/bin/env python3
"""programs.py WARPCC [KERNEL.wk] [--only MxNxK] [--no-ptxas]: what the program of each row of a kernel's `tune` is, at the row's full size,
as the Markdown table of docs/kernels.md.

Operands and races: `warpcc check`, the default clusters (the first and the last; where work is handed out those take all of it). Anything
found is an error. Lines of the k loop: of the warp that multiplies, from the loop's label to its branch, labels aside. Barriers, shared
bytes and columns of tensor memory: of the program's header. Registers and spilled bytes: ptxas."""
import json
import re
import subprocess
import sys
import tempfile

from front_to_sass import SOURCE, sizes

FAULTS = ("operands_wrong", "colouring_changed", "named_barriers_wrong", "protocol_problems", "memory_problems", "races", "ranges_left", "hangs")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def k_loop(sass):
    """The innermost loop with the most MMAs, without its label."""
    lines = sass.split("\n")
    best = []
    for end, line in enumerate(lines):
        branch = re.search(r"\bBRA(?:\.U [^,]*,)? (\w+)", line)
        if not branch or f"{branch[1]}:" not in lines[:end]:
            continue
        body = lines[lines.index(f"{branch[1]}:") + 1 : end + 1]
        inner = [each for each in body[:-1] if re.search(r"\bBRA(?:\.U [^,]*,)? LOOP_", each)]
        if inner or not any("MMA" in each.split(";")[0] for each in body):
            continue
        best = max(best, body, key=len)
    return sum(not re.fullmatch(r"\w+:", line) for line in best)


def row(warpcc, kernel, size, folder, assemble):
    defines = [word for name, value in zip("MNK", size) for word in ("-D", f"{name}={value}")]
    checked = json.loads(run(warpcc, "check", kernel, *defines, "--format", "json").stdout.split("\n")[0])
    counts = checked["counts"]
    if checked["failed"] or any(counts[fault] for fault in FAULTS):
        sys.exit(f"{size}: {counts}")
    sass = run(warpcc, "expand", kernel, *defines).stdout
    header = dict(re.findall(r"^\.(mbarriers|dynsmem|threads) (\d+)", sass, re.M))
    columns = 32 * int((re.findall(r"FIND_AND_SET\.ALIGN \[[^]]*\], (0x[0-9a-f]+)", sass) or ["0x0"])[0], 16)
    cells = [" × ".join(map(str, size)), f"{counts['operands_checked']:,}", f"{counts['instructions']:,}", k_loop(sass)]
    cells += [header["mbarriers"], f"{int(header['dynsmem']):,}", columns]
    if assemble:
        said = run(warpcc, kernel, *defines, "--no-check", "-o", f"{folder}/out.cubin")
        cells += re.search(r"ptxas: (\d+) registers, (\d+) bytes", said.stdout + said.stderr).groups()
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    arguments = sys.argv[1:]
    only = arguments.pop(arguments.index("--only") + 1) if "--only" in arguments else ""
    assemble = "--no-ptxas" not in arguments
    files = [each for each in arguments if not each.startswith("--")]
    warpcc, kernel = files[0], (files[1:] or [f"{SOURCE}/kernels/gemm.wk"])[0]
    names = ["M × N × K", "operands checked", "instructions", "lines of the k loop", "barriers", "shared bytes", "columns"]
    names += ["registers", "spilled"] if assemble else []
    print("| " + " | ".join(names) + " |\n" + "| --- " * len(names) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes(kernel):
            if not only or "x".join(map(str, size)) == only:
                row(warpcc, kernel, size, folder, assemble)


if __name__ == "__main__":
    main()
