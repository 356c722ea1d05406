#!/usr/bin/env python3
"""order.py WARPCC FILE.ptx…: kernels that are right, and what is said of them with one line left out or another in its place.
A file begins with what it is launched with, `// launch: {…}`, then one line a variant:
  // as it stands: silent
  // without NAME: words              lines that end in `; // … NAME …` are left out
  // strict without NAME: words       the same, with --strict
  // with NAME: words                 lines `//+ NAME: text` stand in the place of those
  // seed 4: words                    under this schedule
where the words are `silent`, `silent always` (under 30 schedules as well), or what the check says. `///` begins what is for readers."""
import os
import re
import subprocess
import sys



def marks(line):
    found = re.search(r"; // ([\w ]+)$", line)
    return found.group(1).split() if found else []


warpcc, files = sys.argv[1], sys.argv[2:]
assert files
wrong = tried = 0
for path in files:
    lines = open(path, encoding="utf-8").read().split("\n")
    heads = [line for line in lines if line.startswith("// ")]
    assert heads[0].startswith("// launch: "), path
    open(path + ".json", "w", encoding="utf-8").write(heads[0][len("// launch: "):])
    for head in heads[1:]:
        case, words = re.fullmatch(r"// ((?:strict )?(?:as it stands|without \w+|with \w+|seed \d+)): (.*)", head).groups()
        options = ["--strict"] if case.startswith("strict ") else []
        case = case.removeprefix("strict ")
        if case.startswith("seed "):
            options += ["--seed", case.split()[1]]
        name = case.split()[1] if case.startswith("with") else None
        text, touched = [], 0
        for line in lines:
            other = re.match(r"//\+ (\w+): (.*)", line)
            if name and case.startswith("with ") and other and other.group(1) == name:
                text.append(other.group(2))
                touched += 1
            elif name and name in marks(line):
                touched += 1
            else:
                text.append(line)
        assert touched > 0 or name is None, f"{path}: nothing is marked {name}"
        variant = path + ".variant.ptx"
        open(variant, "w", encoding="utf-8").write("\n".join(text))
        tried += 1
        silent = words in ("silent", "silent always")
        for more in [[], ["--schedules", "30"]] if words == "silent always" else [[]]:
            run = subprocess.run([warpcc, "check", variant, "--launch", path + ".json"] + options + more, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=120)
            good = run.returncode == 0 if silent else run.returncode == 1 and words in run.stdout
            if not good:
                wrong += 1
                print(f"{os.path.basename(path)}: {head}: {' '.join(more)}: exit {run.returncode}\n{run.stdout}")
print(f"{tried} variants of {len(files)} kernels, {wrong} not as they say")
sys.exit(1 if wrong else 0)
