#!/usr/bin/env python3
"""lsp_replay.py WARPCC KERNEL…: how long the language server takes, and how much memory, over a replayed session (docs/lsp.md).

For each kernel, and for a text ten times as long made of it:
  typed     the whole text, character by character from nothing, brackets as they come; diagnostics are waited for after each
  edited    in the whole text, statements are taken out and typed again, character by character
  hover, completion, signature help, right behind an edit, at places all over the text
and with --edits N the memory over N edits. --limits fails where the figures of the first kernel are above those that are promised.
"""
import argparse
import os
import random
import re
import sys
import time

import lsp_client

# Milliseconds, of the kernel as it is: docs/lsp.md promises them.
LIMITS = {"diagnostics median": 50, "diagnostics 99%": 150, "hover 99%": 10, "completion 99%": 10}


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


class Session:
    def __init__(self, warpcc, path, text):
        self.client = lsp_client.Client([warpcc, "lsp"])
        self.path = path
        self.text = text
        self.times = {}

    def edit(self, begin, end, words, name):
        sent = time.perf_counter()
        self.client.change(self.uri, begin, end, words)
        _, when = self.client.wait_for_diagnostics(self.uri)
        self.times.setdefault(name, []).append(when - sent)

    def ask(self, method, offset, name):
        sent = time.perf_counter()
        self.client.request(method, self.client.at(self.uri, offset))
        self.times.setdefault(name, []).append(self.client.answered - sent)

    def type(self, step):
        """Every `step`-th version of the text as it is typed; the characters between come at once."""
        self.uri = self.client.open(self.path, "")
        self.client.wait_for_diagnostics(self.uri)
        for at in range(0, len(self.text), step):
            words = self.text[at:at + step]
            for c in words[:-1]:
                self.client.change(self.uri, len(self.client.texts[self.uri]), len(self.client.texts[self.uri]), c)
            end = len(self.client.texts[self.uri])
            self.edit(end, end, words[-1], "typed")

    def edit_statements(self, count, chance):
        """Takes a statement out, and types it again."""
        places = [match.span(1) for match in re.finditer(r"\n[ ]+([a-z@][^\n{}]*;)", self.text)]
        for begin, end in chance.sample(places, min(count, len(places))):
            words = self.text[begin:end]
            self.edit(begin, end, "", "edited")
            for i, c in enumerate(words):
                self.edit(begin + i, begin + i, c, "edited")

    def ask_behind_edits(self, count, chance):
        names = [match.start() for match in re.finditer(r"[A-Za-z_]\w*", self.text)]
        dots = [match.end() for match in re.finditer(r"\b(?:out|inp|tiles|plan|w)\.", self.text)]
        calls = [match.end() for match in re.finditer(r"\w\(|, ", self.text)]
        for _ in range(count):
            at = chance.choice(names)
            self.ask("textDocument/hover", at, "hover")
            # A letter comes, and with it the request: the server has not looked at the text yet.
            at = chance.choice(dots)
            self.client.change(self.uri, at, at, "a")
            self.ask("textDocument/completion", at + 1, "completion")
            self.ask("textDocument/hover", chance.choice(names), "hover behind an edit")
            self.client.change(self.uri, at, at + 1, "")
            self.ask("textDocument/signatureHelp", chance.choice(calls), "signature help")
            self.client.wait_for_diagnostics(self.uri)

    def processor_seconds(self):
        with open(f"/proc/{self.client.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        with open(f"/proc/{self.client.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def remember(self, edits, chance):
        """The memory at ten points of so many edits."""
        sizes = []
        for i in range(edits):
            at = chance.randrange(len(self.text))
            self.client.change(self.uri, at, at, chance.choice("abc;{} .(1"))
            if i % 3 == 0:
                self.client.wait_for_diagnostics(self.uri)
            self.client.change(self.uri, at, at + 1, "")
            if i % 7 == 0:
                self.client.wait_for_diagnostics(self.uri)
            if (i + 1) % max(edits // 10, 1) == 0:
                self.client.wait_for_diagnostics(self.uri)
                sizes.append(self.resident())
        return sizes


def ten_times(text):
    """The kernel's text and nine more of procs and constants, with names of their own."""
    body = """
/// Adds up what lanes hold, and more of it ({0}).
proc more_{0}(x: out r, y: r, const n: int, v: shared ring(2) of f32[8, 32]) {{
  r sum_{0}, other;
  mov sum_{0}, 0;
  for i in 0 .. n {{
    iadd3 sum_{0}, sum_{0}, y, i;
    shfl.bfly other, sum_{0}, 16;
    iadd3 sum_{0}, sum_{0}, other;
    if i % 2 == 0 {{ lop3.xor sum_{0}, sum_{0}, {0}; }} else {{ iadd3 sum_{0}, sum_{0}, i * {0}; }}
  }}
  mov x, sum_{0};
}}
const depth_{0} = if tile.0 > {0} {{ max(depth, {0}) }} else {{ ceil_div(M, tile.1 + {0}) }};
fn rows_{0}(n: int, t: (int, int)) -> int = match n {{ 0 => t.0, 1 => t.1, _ => rows_{0}(n - 1, t) + depth_{0} }};
require rows_{0}(3, tile) > 0, "never said";
"""
    at = text.index("kernel ")
    more, number = "", 0
    while len(more) < 9 * len(text):
        number += 1
        more += body.format(number)
    return text[:at] + more + "\n" + text[at:]


def figures(session, name, limits):
    failed = False
    print(f"{name}: {len(session.text)} characters, {session.text.count(chr(10))} lines")
    diagnostics = session.times.get("typed", []) + session.times.get("edited", [])
    rows = [("diagnostics", diagnostics)] + list(session.times.items())
    for what, times in rows:
        if not times:
            continue
        found = {"median": percentile(times, 0.5), "99%": percentile(times, 0.99), "most": max(times)}
        print(f"  {what:22} {len(times):6} times" +
              "".join(f"   {key} {value * 1000:7.2f} ms" for key, value in found.items()))
        for key, value in found.items():
            limit = LIMITS.get(f"{what} {key}") if limits else None
            if limit and value * 1000 > limit:
                print(f"  above the limit: {what} {key} is to be under {limit} ms")
                failed = True
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warpcc")
    parser.add_argument("kernels", nargs="+")
    parser.add_argument("--step", type=int, default=1, help="characters that are typed between two waits, while the whole is typed")
    parser.add_argument("--statements", type=int, default=20, help="that are taken out and typed again")
    parser.add_argument("--asked", type=int, default=200, help="requests of each kind")
    parser.add_argument("--edits", type=int, default=0, help="over which the memory is watched")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limits", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for number, path in enumerate(arguments.kernels):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, whole, step in ((path, text, arguments.step), (f"{path}, ten times as long", ten_times(text), arguments.step * 40)):
            chance = random.Random(arguments.seed)
            session = Session(arguments.warpcc, path, whole)
            session.type(step)
            before = session.processor_seconds()
            said = session.client.diagnostics[session.uri][1]
            if said:
                print(f"{name}: the whole text has diagnostics: {said[0]['message']}")
                failed = True
            session.edit_statements(arguments.statements, chance)
            spent = 1000 * (session.processor_seconds() - before) / (len(session.times.get("edited", [])) or 1)
            session.ask_behind_edits(arguments.asked, chance)
            print(f"{name}: {spent:.1f} ms of processor time an edit of the whole text")
            failed |= figures(session, name, arguments.limits and number == 0 and whole is text)
            edits = arguments.edits if whole is text else arguments.edits // 20
            if edits:
                sizes = session.remember(edits, chance)
                print("  memory over", edits, "edits:", ", ".join(f"{size:.0f}" for size in sizes), "MB")
                if sizes[-1] > 1.1 * sizes[len(sizes) // 4] + 4:
                    print("  it grows")
                    failed = True
            session.client.shutdown()
    sys.exit(1 if failed else 0)


main()
