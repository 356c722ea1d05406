#!/usr/bin/env python3
"""mutate.py WARPCC [--seconds N | --programs N] [--seed S] [--keep FOLDER]: programs that are nearly right, and what warpcc does with them.

Takes the kernels that ship, the bases of tests/golden/pairs and the snippets of docs/language.md, and changes them a token, a statement or
a block at a time: left out, said twice, moved, put in place of another, numbers and names changed. warpcc must accept or refuse each
(exit code 0 or 1) with a place in the file, by itself, within some seconds and a modest memory. What it does otherwise goes into FOLDER."""
import argparse
import glob
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/|[A-Za-z_]\w*|0x[0-9a-fA-F_]+|[0-9][0-9_]*|\.\.|\+:|=>|->|&&|\|\||[=!<>]=|<<|>>|\s+|.', re.S)
NUMBERS = ["0", "1", "2", "3", "7", "8", "16", "31", "32", "33", "63", "64", "128", "255", "256", "1023", "4096", "65535", "65536", "0x7fffffff", "0x80000000", "0xffffffff", "4294967296", "9223372036854775807", "99999999999999999999"]
SECONDS = 20
BYTES = 3 << 30


def seeds():
    found = []
    for path in sorted(glob.glob(f"{SOURCE}/kernels/*.wk") + glob.glob(f"{SOURCE}/tests/golden/pairs/Inputs/*.wk")):
        found.append(open(path, encoding="utf-8").read())
    for block in re.findall(r"```wk\n(.*?)```", open(f"{SOURCE}/docs/language.md", encoding="utf-8").read(), re.S):
        found.append(block)
    return found


def words(text):
    return TOKEN.findall(text)


def statements(tokens):
    """Ranges of tokens that end at a `;` or are a block with its head, inside of brackets that close."""
    found, begin, depth = [], 0, 0
    for at, token in enumerate(tokens):
        if token == ";" or token in "{}" and token:
            if token == ";":
                found.append((begin, at + 1))
            begin = at + 1
    opened = []
    for at, token in enumerate(tokens):
        if token == "{":
            opened.append(at)
        elif token == "}" and opened:
            found.append((opened.pop(), at + 1))
    return found


def mutate(tokens, others, chance):
    tokens = list(tokens)
    places = [at for at, token in enumerate(tokens) if not token.isspace() and not token.startswith("//")]
    if not places:
        return tokens
    kind = chance.randrange(12)
    at = chance.choice(places)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[at])
    elif kind == 2:
        other = chance.choice(places)
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = chance.choice([token for token in chance.choice(others) if not token.isspace()])
    elif kind in (4, 5):
        numbers = [at for at in places if tokens[at][0].isdigit()]
        if numbers:
            tokens[chance.choice(numbers)] = chance.choice(NUMBERS)
    elif kind in (6, 7):
        names = [at for at in places if re.match(r"[A-Za-z_]", tokens[at])]
        if len(names) > 1:
            tokens[chance.choice(names)] = tokens[chance.choice(names)]
    elif kind == 8:
        parts = statements(tokens)
        if parts:
            begin, end = chance.choice(parts)
            del tokens[begin:end]
    elif kind == 9:
        parts = statements(tokens)
        if len(parts) > 1:
            begin, end = chance.choice(parts)
            to = chance.choice(parts)[0]
            tokens[to:to] = tokens[begin:end]
    elif kind == 10:
        other = chance.choice(others)
        parts = statements(other)
        mine = statements(tokens)
        if parts and mine:
            begin, end = chance.choice(parts)
            to, until = chance.choice(mine)
            tokens[to : until if chance.random() < 0.5 else to] = other[begin:end]
    else:
        tokens[at] = chance.choice(["(", ")", "{", "}", "[", "]", ";", ",", "..", "+:", "@", "-", "!", "==", "&&", "at", "by", "in", "is", "if"])
    return tokens


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(warpcc, path):
    """What is wrong with what warpcc does, or nothing."""
    try:
        done = subprocess.run([warpcc, path, "-I", f"{SOURCE}/kernels", "--emit", "sass", "-o", path + ".sass"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s"
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}\n{done.stdout[-2000:]}"
    if "internal error" in done.stdout:
        return done.stdout[-2000:]
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}\n{done.stdout[-2000:]}"
    if done.returncode == 1 and ": error: " not in done.stdout:
        return f"refused without a word\n{done.stdout[-2000:]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpcc")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--programs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="findings")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    all_tokens = [words(text) for text in seeds()]
    warpcc = os.path.abspath(arguments.warpcc)
    begin = time.time()
    tried = accepted = found = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mutant.wk")
        while tried < arguments.programs if arguments.programs else time.time() - begin < arguments.seconds:
            tokens = chance.choice(all_tokens)
            for _ in range(1 + int(chance.expovariate(1.0))):
                tokens = mutate(tokens, all_tokens, chance)
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(tokens))
            tried += 1
            what = run(warpcc, path)
            accepted += os.path.exists(path + ".sass")
            if os.path.exists(path + ".sass"):
                os.remove(path + ".sass")
            if what:
                found += 1
                os.makedirs(arguments.keep, exist_ok=True)
                kept = os.path.join(arguments.keep, f"seed{arguments.seed}-{tried}")
                os.replace(path, kept + ".wk")
                with open(kept + ".txt", "w", encoding="utf-8") as file:
                    file.write(what)
                print(f"{kept}.wk: {what.splitlines()[0]}", flush=True)
    print(f"{tried} programs, {accepted} accepted, {found} findings, seed {arguments.seed}")
    return 1 if found or not tried else 0


sys.exit(main())
