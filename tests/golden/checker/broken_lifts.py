#!/usr/bin/env python3
"""broken_lifts.py WARPCC KERNEL.wk [-D …]: lifts the kernel, breaks the PTX in eleven ways, one at a time, as a lifter might, and holds each to the program: all
must be told."""
import os
import re
import subprocess
import sys

warpcc, arguments = sys.argv[1], sys.argv[2:]
ptx = subprocess.run([warpcc, *arguments, "--no-check", "--emit", "ptx"], stdout=subprocess.PIPE, text=True, check=True).stdout


def once(pattern, to, which=0):
    """The match of that number in place."""
    found = list(re.finditer(pattern, ptx, flags=re.MULTILINE))
    match = found[which]
    return ptx[:match.start()] + match.expand(to) + ptx[match.end():]


breaks = {
    "an MMA that adds where it should begin": once(r"(tcgen05\.mma[^;]*, )%\w+;", r"\1 1;"),
    "operands of an MMA exchanged": once(r"(tcgen05\.mma\S+ \[[^]]*\], )(%\S+), (%\S+),", r"\1\3, \2,"),
    "a commit to one CTA": once(r"^.*tcgen05\.commit[^;]*;\n", ""),
    "bytes that are expected": once(r"(%r_stage_bytes), 0x\w+;", r"\1, 0x4000;"),
    "a coordinate of a load": once(r"(cp\.async\.bulk\.tensor\.2d\.shared[^{]*\{)(%[^,]+), (%[^}]+)\}", r"\1\3, \2}"),
    "a parity that never turns": once(r"xor\.b32 (%r_stage_parity\S*), (%r_stage_parity\S*), %t\d+;", r"mov.b32 \1, \2;"),
    "a barrier's count": once(r"(mbarrier\.init[^;]*), 1;", r"\1, 2;"),
    "a register of tensor memory": once(r"(tcgen05\.ld\S+ \{)(%\S+), (%\S+),", r"\1\3, \2,"),
    "a store left out": once(r"^.*cp\.async\.bulk\.tensor\.2d\.global[^;]*;\n", ""),
    "a store written twice": once(r"^(.*cp\.async\.bulk\.tensor\.2d\.global[^;]*;\n)", r"\1\1"),
    "an address in shared memory": once(r"(st\.shared\S* \[%[^]]*?)\]", r"\1+16]"),
}
missed = 0
for name, text in breaks.items():
    assert text != ptx, name
    with open("broken.ptx", "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([warpcc, "check", *arguments, "--lifted-to", "broken.ptx"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    told = [line for line in run.stdout.splitlines() if "in the PTX" in line or "the PTX leaves" in line or "the PTX does" in line or "error:" in line]
    print(f"{name}: {'told: ' + told[0][:150] if run.returncode == 1 and told else 'MISSED'}")
    missed += not (run.returncode == 1 and told)
print(f"{len(breaks)} broken lifts, {missed} missed")
sys.exit(1 if missed else 0)
