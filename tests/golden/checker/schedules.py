#!/usr/bin/env python3
"""schedules.py WARPCC KERNEL.wk LIST [SCHEDULES]: checks the kernel with the parameters of each line of LIST, under 20 schedules each, and wants no finding."""
import subprocess
import sys

warpcc, kernel, path = sys.argv[1:4]
schedules = sys.argv[4] if len(sys.argv) > 4 else "20"
lines = [line.split() for line in open(path, encoding="utf-8") if line.strip() and not line.startswith("#")]
assert lines
found = 0
for parameters in lines:
    command = [warpcc, "check", kernel, "--schedules", schedules]
    for each in parameters:
        command += ["-D", each]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if run.returncode != 0:
        found += 1
        print(" ".join(parameters), "\n", run.stdout[:2000])
print(f"{len(lines)} shapes under {schedules} schedules each, {found} with findings")
sys.exit(1 if found else 0)
