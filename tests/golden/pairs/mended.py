#!/usr/bin/env python3
"""mended.py WARPCC FILE…: where warpcc says how the refused program of a pair is mended, the mended program is accepted."""
import os
import subprocess
import sys
import tempfile

sys.argv, arguments = sys.argv[:1] + ["", ""], sys.argv[1:]
import pairs  # noqa: E402


def applied(text, edits):
    data = text.encode()
    edits = {(edit["begin"]["offset"], edit["words"]): edit for edit in edits}.values()  # two complaints may ask for the same
    for edit in sorted(edits, key=lambda each: each["begin"]["offset"], reverse=True):
        data = data[: edit["begin"]["offset"]] + edit["words"].encode() + data[edit["end"]["offset"] :]
    return data.decode()


def main():
    warpcc = os.path.abspath(arguments[0])
    mended = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments[1:]:
            for pair in pairs.read(path):
                base = open(os.path.join(pairs.HERE, "Inputs", pair["base"]), encoding="utf-8").read()
                text = pairs.changed(base, pair["refused"])
                _, errors = pairs.compiled(warpcc, text, pair["define"], folder)
                edits = [edit for error in errors for edit in error.get("edits", [])]
                if not edits or not all(error.get("edits") for error in errors):
                    continue
                mended += 1
                text = applied(text, edits)
                code, errors = pairs.compiled(warpcc, text, pair["define"], folder)
                if code:
                    wrong += 1
                    print(f"{path}:{pair['line']}: {pair['pair']}: mended, and refused: {errors[0]['text']}")
    print(f"{mended} mended, {wrong} of them refused")
    return 1 if wrong or not mended else 0


sys.exit(main())
