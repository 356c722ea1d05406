#!/usr/bin/env python3
"""Every derived line (`+`) of a kernel, its constant changed by one unit: the checker must report each.

    plus_lines.py WARPCC KERNEL [-D NAME=VALUE ...]

Expands the kernel, and for each `+` line changes the first constant of its code by one (a zero register counts as the constant 0), checks
the changed text, and wants a complaint about that very line. A line without a constant (a special register, a move) gets what it gives
changed by one, by an addition behind it. Changes that cannot have an effect are listed with the reason (WITHOUT_EFFECT). Ends with 1, and the
lines, where another one was not reported."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# Not operands: a predicate that is written or true, and the table of PLOP3's second result, which nobody reads.
IMMEDIATE = re.compile(r"(?<![\w.@])-?0x[0-9a-f]+(?![\w.])")
ZERO = re.compile(r"\b(URZ|RZ)\b")

# Changes without effect: the role (or None), the code, and why.
WITHOUT_EFFECT = [
    ("at half = 0", r"USHF\.L\.U32 window\S*, cta_rank\S*, 0x18", "the rank is 0 where this role runs, and stays 0 however far it is shifted"),
]


def without_effect(role, code):
    for where, pattern, why in WITHOUT_EFFECT:
        if (where is None or where in role) and re.search(pattern, code):
            return why
    return None


def split(line):
    """The code of a line and the rest, from ` = ` or ` ; ` on."""
    ends = [at for at in (line.find(" = "), line.find(" ; ")) if at >= 0]
    return (line[: min(ends)], line[min(ends):]) if ends else (line, "")


def destination(code):
    return code.split(",")[0].split()[-1]


def mutate(line):
    """The changed lines, and what was changed; None where nothing can be."""
    code, rest = split(line)
    comma = code.find(",")
    operands = code[comma:] if comma >= 0 else ""
    for pattern in (IMMEDIATE, ZERO):
        found = pattern.search(operands)
        if not found or "ELECT" in code:
            continue
        old = found.group(0)
        value = 0 if pattern is ZERO else int(old, 16)
        # USHF.R and SHF.R have their low word first, which they do not use: the shift is the constant.
        if pattern is ZERO and not re.search(r"UISETP|ISETP|UMOV|MOV", code):
            continue
        changed = value ^ 0x80 if "PLOP3" in code else value + 1  # a table's row that occurs: all three true
        new = f"-{-changed:#x}" if changed < 0 else f"{changed:#x}"
        return [code[:comma] + operands[: found.start()] + new + operands[found.end():] + rest], f"{old} to {new}"
    return None


def added(line):
    """A line without a constant: its value and one, held to what the line is held to."""
    code, rest = split(line)
    opcode = code.split()[1]
    to = destination(code)
    if opcode.startswith(("S2UR", "R2UR", "UMOV", "UIADD3", "UIMAD")):
        return [code, f"+ UIADD3 {to}, UPT, UPT, {to}, 0x1, URZ{rest}"], "1 added"
    if opcode.startswith(("S2R", "MOV", "LDS", "IMAD", "IADD3")):
        return [code, f"+ IADD3 {to}, PT, PT, {to}, 0x1, RZ{rest}"], "1 added"
    if opcode.startswith("ELECT"):
        return [code, f"+ PLOP3.LUT {to}, PT, {to}, PT, PT, 0x7f, 0x8{rest}"], "turned round"
    return None


def check(warpcc, folder, lines, at, replacement):
    path = os.path.join(folder, f"line_{at + 1}.sass")
    with open(path, "w") as out:
        out.write("\n".join(lines[:at] + replacement + lines[at + 1:]) + "\n")
    run = subprocess.run([warpcc, "check", path], capture_output=True, text=True, timeout=120)
    os.unlink(path)
    return run


def main():
    warpcc, kernel, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    expanded = subprocess.run([warpcc, "expand", kernel, "--form", "both", *options], capture_output=True, text=True)
    if expanded.returncode != 0:
        sys.exit(expanded.stdout + expanded.stderr)
    lines = expanded.stdout.splitlines()
    role, roles = "", []
    for line in lines:
        if line.startswith((".start", ".role", ".finish")):
            role = line
        roles.append(role)
    plus = [at for at, line in enumerate(lines) if line.startswith("+")]
    missed, effectless, reported = [], [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        whole = check(warpcc, folder, lines, 0, lines[:1])
        if whole.returncode != 0:
            sys.exit("the program itself is refused:\n" + whole.stdout + whole.stderr)
        tried = []
        for at in plus:
            change = mutate(lines[at]) or added(lines[at])
            if change is None:
                missed.append(f"{at + 1}: {lines[at]}\n    has nothing to change")
                continue
            replacement, what = change
            tried.append((at, what, pool.submit(check, warpcc, folder, lines, at, replacement), len(replacement)))
        for at, what, future, length in tried:
            run = future.result()
            # The complaint is about this line (or the one behind it that changes its value), as a wrong operand.
            named = [f".sass:{at + 1 + i}: operand:" for i in range(length)]
            why = without_effect(roles[at], lines[at])
            if run.returncode == 1 and any(name in run.stdout for name in named):
                reported += 1
            elif run.returncode == 0 and run.stdout == whole.stdout and why:
                effectless.append(f"{at + 1}: {lines[at]}\n    {what}: {why}")
            else:
                said = run.stdout.splitlines()[0] if run.stdout else run.stderr.splitlines()[0] if run.stderr else "nothing"
                missed.append(f"{at + 1}: {lines[at]}\n    {what}: {said}")
    print(f"{len(plus)} derived lines changed, {reported} reported, {len(effectless)} without effect, {len(missed)} missed")
    for line in effectless:
        print("without effect: " + line)
    for miss in missed:
        print("missed: " + miss)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
