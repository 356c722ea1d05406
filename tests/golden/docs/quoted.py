#!/usr/bin/env python3
"""quoted.py DOCUMENT.md TESTS: every complaint that a document quotes (`*in italics*`, with a name in backquotes) is one that a golden test
holds warpcc to, word for word."""
import os
import re
import sys

document, tests = sys.argv[1:3]
text = re.sub(r"```.*?```", "", open(document, encoding="utf-8").read(), flags=re.S)
held = []
for folder, _, names in os.walk(tests):
    for name in names:
        if name.endswith((".test", ".wk", ".md")):
            held.append(open(os.path.join(folder, name), encoding="utf-8").read())
held = re.sub(r"\s+", " ", "\n".join(held))
quoted = [re.sub(r"\s+", " ", each) for each in re.findall(r"(?<![*|.])\*(?!\s)([^*|]+)(?<!\s)\*(?!\*)", text) if "`" in each]
missing = [each for each in quoted if each not in held]
for each in missing:
    print(f"no golden test says: {each}")
print(f"{len(quoted)} quoted, {len(missing)} without a test")
sys.exit(bool(missing) or not quoted)
