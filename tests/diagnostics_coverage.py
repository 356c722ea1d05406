#!/usr/bin/env python3
"""diagnostics_coverage.py [--list]: every complaint that the sources declare is one that a test holds warpcc to.

A complaint is a `Message` in src/. A test holds it where it stands in a golden test, a unit test, or docs/language.md, whose complaints
are tested too: its whole text, with something in its holes; or words of it that no other complaint has; or its code, where no other
complaint has that. Those without are in WITHOUT_TEST, with the reason; one that is there and has a test, or is no longer declared, is an
error as well."""
import collections
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

OTHERS_WORDS = "its whole text comes from elsewhere"
NO_WAY = "guards against what no input is known to reach"
TOO_LARGE = "a text that provokes it is too large for a test"

# The file and the name that a complaint is declared with: why no test provokes it.
WITHOUT_TEST = {
    "sema/modules.cpp failed_requirement": OTHERS_WORDS,
    "sema/modules.cpp for_at_file": OTHERS_WORDS,
    "sema/modules.cpp unreadable": OTHERS_WORDS,
    "sema/tiles.cpp bad_shape": OTHERS_WORDS,
    "sema/fragments.cpp bad_shape": OTHERS_WORDS,
    "codegen/lower.cpp kNotYet": NO_WAY,
    "frontend/format.cpp meaning_changed": NO_WAY,
    "sass/read.cpp kTooLarge": TOO_LARGE,
    "sass/read.cpp kTooManyLines": TOO_LARGE,
    "sema/session.cpp too_many_visits": TOO_LARGE,
    "ptx_text/body.cpp kTooManyInstructions": TOO_LARGE,
    "codegen/lower_tensor.cpp kNoDescriptor": NO_WAY,
}

# What a test says of a complaint's text: at least so many words in a row, or all there are between two of its holes.
WORDS = 4

DECLARATION = re.compile(r'constexpr Message<((?:[^;{])*)>\s+(\w+)\s*(?:=\s*)?\{\s*"([^"]*)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')

Complaint = collections.namedtuple("Complaint", "name code text")


def files(folder, *endings):
    for path, _, names in os.walk(os.path.join(SOURCE, folder)):
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(path, name)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def complaints():
    found = []
    for path in files("src", ".cpp", ".h"):
        declarations = re.sub(r"^\s*//.*$", "", read(path), flags=re.MULTILINE)
        for _, name, code, strings in DECLARATION.findall(declarations):
            text = unescaped("".join(STRING.findall(strings)))
            found.append(Complaint(os.path.relpath(path, os.path.join(SOURCE, "src")) + " " + name, code, text))
    return found


def literals(text):
    """What stands between the holes of a text."""
    parts = re.split(r"\{[^{}]*\}", text.replace("{{", "\1").replace("}}", "\2"))
    return [part.replace("\1", "{").replace("\2", "}") for part in parts]


def filled(complaint):
    """What finds the text with something in its holes; with the code behind it where there is little else to go by."""
    parts = literals(complaint.text)
    letters = sum(len(part.replace(" ", "")) for part in parts)
    pattern = ".{1,120}?".join(re.escape(part) for part in parts)
    if letters >= 15:
        return re.compile(pattern)
    return re.compile(pattern + re.escape(f" [{complaint.code}]")) if letters >= 3 else None


def pieces(text):
    """The runs of words that tell a text, between its holes."""
    runs = []
    for literal in literals(text):
        words = literal.split()
        if len(words) <= WORDS:
            runs.append(" ".join(words))
        else:
            runs += [" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)]
    return {run for run in runs if len(run) >= 4}


def held_texts():
    """All that the tests say, with strings that are broken over lines joined."""
    texts = [read(path) for path in files("tests/golden", ".wk", ".sass", ".test", ".md") if not path.endswith("README.md")]
    texts += [re.sub(r'"\s*\n\s*"', "", read(path)) for path in files("tests/unit", ".cpp", ".h")]
    texts.append(read(os.path.join(SOURCE, "docs/language.md")))
    return re.sub(r"[ \t]+", " ", unescaped("\n".join(texts)))


def main():
    declared = complaints()
    codes = collections.Counter(complaint.code for complaint in declared)
    times = collections.Counter(run for complaint in declared for run in pieces(complaint.text))
    held = held_texts()

    def has_test(complaint):
        if codes[complaint.code] == 1 and (f"[{complaint.code}]" in held or f'"{complaint.code}"' in held):
            return True
        if any(times[run] == 1 and run in held for run in pieces(complaint.text)):
            return True
        text = filled(complaint)
        return text is not None and text.search(held) is not None

    without = {complaint.name: complaint for complaint in declared if not has_test(complaint)}
    if "--list" in sys.argv:
        for complaint in without.values():
            print(f"{complaint.name} [{complaint.code}] {complaint.text}")
    errors = [f"no test provokes {name} [{each.code}]: {each.text}" for name, each in without.items() if name not in WITHOUT_TEST]
    errors += [f"{name} is in WITHOUT_TEST, and a test provokes it or it is not declared" for name in WITHOUT_TEST if name not in without]
    print("\n".join(errors + [f"{len(declared)} complaints, {len(without)} without a test, {len(errors)} errors"]))
    return 1 if errors or len(declared) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
