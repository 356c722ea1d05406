#!/usr/bin/env python3
"""docs_followed.py WARPCC DOCUMENT.md: follows a document in an empty folder as its reader would.

A block marked `wk FILE` is written to that file. One marked `diff FILE` changes it: its lines without `+`, or without `-`, stand in the file
exactly once, before and after. A block marked `console` is run: each line behind `$ ` is a command, whose output must be the lines that follow
it; a line `…` stands for any number of lines, and `…` in a line for any words."""
import os
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+) *(.*)\n((?:.*\n)*?)```$", re.M)


def change(path, lines):
    old = "".join(line[1:] for line in lines if line[:1] in (" ", "-"))
    new = "".join(line[1:] for line in lines if line[:1] in (" ", "+"))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        return f"what it changes stands {text.count(old)} times in {path}:\n{old}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    return ""


def pattern(wanted):
    """What matches the lines, with `…` for what is left out."""
    parts = []
    for line in wanted:
        parts.append("(?:.*\n)*?" if line == "…" else ".*?".join(re.escape(part) for part in line.split("…")) + "\n")
    return re.compile("".join(parts))


def run(warpcc, command, wanted):
    words = shlex.split(command)
    words = [warpcc if word == "warpcc" else word for word in words]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if pattern(wanted).fullmatch(done.stdout):
        return ""
    return f"$ {command}\nsaid\n{done.stdout}where this is said to come:\n" + "".join(line + "\n" for line in wanted)


def sessions(text):
    """The commands of a console block with the lines that each prints."""
    for entry in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, *wanted = entry.rstrip("\n").split("\n")
        yield command, wanted


def main():
    warpcc, document = sys.argv[1:3]
    with open(document, encoding="utf-8") as file:
        text = file.read()
    steps = failed = 0
    for block in BLOCK.finditer(text):
        kind, name, words = block.groups()
        complaints = []
        if kind == "wk" and name:
            with open(name, "w", encoding="utf-8") as file:
                file.write(words)
        elif kind == "diff":
            complaints = [change(name, words.splitlines(keepends=True))]
        elif kind == "console":
            complaints = [run(warpcc, command, wanted) for command, wanted in sessions(words)]
        steps += max(len(complaints), kind == "wk")
        for complaint in filter(None, complaints):
            failed += 1
            print(f"{os.path.basename(document)}:{text.count(chr(10), 0, block.start()) + 1}:\n{complaint}")
    print(f"{steps} steps, {failed} wrong")
    return 1 if failed or steps < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
