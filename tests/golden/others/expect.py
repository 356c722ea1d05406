#!/usr/bin/env python3
"""expect.py WARPCC FILE.ptx…: each says in its first line, `// says: words`, what the check says of it, and `// silent` where nothing.
It is launched with launch.json beside it, or with the launch that its second line gives, `// launch: {…}`."""
import os
import subprocess
import sys

warpcc, files = sys.argv[1], sys.argv[2:]
assert files
wrong = 0
for path in files:
    lines = open(path, encoding="utf-8").read().split("\n")
    launch = os.path.join(os.path.dirname(path), "launch.json")
    if lines[1].startswith("// launch: "):
        launch = path + ".json"
        open(launch, "w", encoding="utf-8").write(lines[1][len("// launch: "):])
    run = subprocess.run([warpcc, "check", path, "--launch", launch], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    silent = lines[0] == "// silent"
    words = "" if silent else lines[0][len("// says: "):]
    good = run.returncode == 0 if silent else run.returncode in (1, 2) and words in run.stdout
    if not good:
        wrong += 1
        print(f"{path}: exit {run.returncode}, wanted {lines[0]}\n{run.stdout}")
print(f"{len(files)} kernels, {wrong} not as they say")
sys.exit(1 if wrong else 0)
