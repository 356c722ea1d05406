#!/usr/bin/env python3
"""why.py WARPCC KERNELS DOCUMENT: every wait, commit, fence, arrival and barrier of kernels/gemm.wk is needed, or argued in the document's table.

A row is `| role | statement | orders … |` or `| role | statement | argued: … |`. With no DOCUMENT prints what `hb --why` says."""
import os
import re
import subprocess
import sys

warpcc, kernels = sys.argv[1:3]
kernel = [os.path.join(kernels, "gemm.wk")]
for each in ("sms=2", "M=256", "N=512", "K=1024"):
    kernel += ["-D", each]
ORDERS = re.compile(r"^(@\S+ )?(wait|commit|fence|sync|warpsync|arrive|cluster|grid\.wait|ld\.wait|store\.wait)\b")


def output(*command):
    return subprocess.run([warpcc, *command], check=True, stdout=subprocess.PIPE, text=True).stdout


def statements():
    """By role and text: the places."""
    found, role = {}, ""
    for line in output("expand", *kernel).splitlines():
        if line.startswith((".start", ".role", ".finish")):
            role = line.split()[1] if line.startswith(".role") else line.split()[0][1:]
        said = re.search(r"; (.*?)  (\w+\.wk:\d+)$", line)
        if said and ORDERS.match(said[1]) and not line.startswith("~"):
            found.setdefault((role, said[1]), set()).add(said[2])
    return found


def rows(path):
    result = {}
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and ORDERS.match(cells[1].strip("`")):
            result[cells[0], cells[1].strip("`")] = cells[2]
    return result


found = statements()
assert found
table = rows(sys.argv[3]) if len(sys.argv) > 3 else None
failed = []
for key, places in sorted(found.items()):
    for place in sorted(places):
        said = output("hb", *kernel, "--why", place)
        needed = " is needed. " in said
        if table is None:
            print(*key, place, said)
        elif key not in table:
            failed.append(f"{key} of {place} has no row")
        elif needed == table[key].startswith("argued:"):
            failed.append(f"{key} of {place} is {'needed' if needed else 'not needed alone'}, and the table says: {table[key]}\n{said}")
if table is not None:
    failed += [f"{key} is not in the kernel" for key in table if key not in found]
    print(f"{sum(map(len, found.values()))} statements, {len(failed)} otherwise than the table says", *failed, sep="\n")
sys.exit(1 if failed else 0)
