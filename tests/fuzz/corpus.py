#!/usr/bin/env python3
"""corpus.py FOLDER: the texts that fuzzing begins with, one a file: the kernels, their library, the tests' programs, the snippets of the docs."""
import glob
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
texts = []
for pattern in ("kernels/*.wk", "kernels/lib/*.wk", "tests/golden/pairs/Inputs/*.wk", "tests/golden/complaints/*.wk"):
    texts += [open(path, encoding="utf-8").read() for path in sorted(glob.glob(os.path.join(SOURCE, pattern)))]
for document in ("docs/language.md", "tests/golden/complaints/Inputs/short.md"):
    texts += re.findall(r"```wk[^\n]*\n(.*?)```", open(os.path.join(SOURCE, document), encoding="utf-8").read(), re.S)
os.makedirs(sys.argv[1], exist_ok=True)
for number, text in enumerate(texts):
    with open(os.path.join(sys.argv[1], f"{number:04}.wk"), "w", encoding="utf-8") as file:
        file.write(text)
print(f"{len(texts)} texts")
