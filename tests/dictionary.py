#!/usr/bin/env python3
"""dictionary.py DICTIONARY.md STATEMENTS.def: every statement that a dictionary's last column names begins with an instruction that there
is, or with a word of the language that is none."""
import re
import sys

WORDS = set(
    "barrier cluster cluster_id const drain false fill fn for grid half if k_major lane let loop match mn_major on p param pipe proc r registers regs require "
    "role shared sm_90a start take tensor true tune turn up ur use warp when".split()
)


def statements(cell):
    """The first word of each statement of a cell, behind its guard."""
    for span in re.findall(r"`([^`]*)`", cell):
        for statement in span.split(";"):
            word = re.sub(r"^@(\([^)]*\)|!?\w+)\s+", "", statement.strip()).split(" ")[0]
            if re.fullmatch(r"[a-z][a-z0-9_.]*", word):
                yield word


def main():
    dictionary, table = sys.argv[1:3]
    with open(table, encoding="utf-8") as file:
        instructions = set(re.findall(r'^STATEMENT\("([^"]*)"', file.read(), re.M))
    count = 0
    unknown = []
    with open(dictionary, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.startswith("| "):
                continue
            for word in statements(line.strip().strip("|").split(" | ")[-1]):
                count += 1
                family = any(each == word or each.startswith(word + ".") for each in instructions)
                if not family and word not in WORDS:
                    unknown.append(f"{dictionary}:{number}: there is no `{word}`")
    print("\n".join(unknown + [f"{count} words, {len(unknown)} unknown"]))
    return 1 if unknown or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
