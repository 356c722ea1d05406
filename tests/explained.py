#!/usr/bin/env python3
"""explained.py [WARPCC]: every complaint and every kind of finding has its entry in docs/complaints/, which `warpcc explain` prints, and every
entry is of one that there is. With a compiler: what an entry's table `| refused | right |` says is true. What is right stands in a program
of tests/golden/pairs/Inputs, or is put where a program there leaves room, and compiles; with what is refused in its place the program is
refused, by the entry's complaint. Rows about SASS text and PTX are lines of tests/golden/explain/Inputs."""
import json
import os
import re
import subprocess
import sys
import tempfile

import diagnostics_coverage

PAGES = os.path.join(diagnostics_coverage.SOURCE, "docs/complaints")


def entries():
    """The code, page and text of every entry."""
    for page in sorted(os.listdir(PAGES)):
        text = re.sub(r"^```.*?^```$", "", diagnostics_coverage.read(os.path.join(PAGES, page)), flags=re.S | re.M)
        for entry in re.split(r"^(?=#+ )", text, flags=re.M):
            heading = re.match(r"### (.*)\n", entry)
            if heading:
                yield heading[1], page, entry[heading.end() :].strip()


def kinds_of_findings():
    header = diagnostics_coverage.read(os.path.join(diagnostics_coverage.SOURCE, "src/checker/check.h"))
    kinds = re.search(r"struct Finding \{.*?enum class Kind[^{]*\{(.*?)\}", header, re.S)[1]
    return {kind.strip().replace("_", "-") for kind in kinds.split(",") if kind.strip()}


PROGRAMS = os.path.join(diagnostics_coverage.SOURCE, "tests/golden/pairs/Inputs")
LINES = os.path.join(diagnostics_coverage.SOURCE, "tests/golden/explain/Inputs")
ENDINGS = {"sass.md": "sass", "ptx.md": "ptx"}
ORDER = ("copy", "pair", "hopper", "chain", "teams", "meeting", "late", "mates", "procs", "plain")
ROOM = (("plain", "// here"), ("plain", "// items"), ("plain", "// members"), ("procs", "// here"), ("procs", "// items"))


def rows(text):
    """What is refused and what is right, of each row of an entry's table."""
    table = re.search(r"^\| refused \| right \|\n\| --- \| --- \|\n((?:\|.*\n?)+)", text, re.M)
    for row in table[1].strip().split("\n") if table else []:
        refused, right = re.fullmatch(r"\| (nothing|`.*`) \| `(.*)` \|", row).groups()
        yield "" if refused == "nothing" else refused[1:-1].replace("\\|", "|"), right.replace("\\|", "|")


def programs(page, refused, right):
    """Programs in which what is right stands, each with the other one."""
    if page in ENDINGS:
        text = diagnostics_coverage.read(os.path.join(LINES, "lines." + ENDINGS[page]))
        whole = text.replace("\n@\n", "\n")
        if f"\n{right}\n" in whole:  # a line of the header
            yield whole, whole.replace(f"\n{right}\n", f"\n{refused}\n")
        else:
            yield text.replace("\n@\n", f"\n  {right}\n"), text.replace("\n@\n", f"\n  {refused}\n")
        return
    words = re.compile(r"\s+".join(re.escape(word) for word in right.split()))
    texts = {name: diagnostics_coverage.read(os.path.join(PROGRAMS, name + ".wk")) for name in ORDER}
    for text in texts.values():
        found = words.search(text)
        if found:
            yield text, text[: found.start()] + refused + text[found.end() :]
    for name, room in ROOM:
        yield texts[name].replace(room, right, 1), texts[name].replace(room, refused, 1)


def complaints_of(warpcc, page, text, folder):
    path = os.path.join(folder, "it." + ENDINGS.get(page, "wk"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    command = [warpcc, path, "--emit", "sass", "-o", os.path.join(folder, "out.sass")]
    if page in ENDINGS:
        command = [warpcc, "check", path]
    if page == "ptx.md":
        command += ["--launch", os.path.join(LINES, "launch.json")]
    done = subprocess.run([*command, "--format", "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
    said = done.stderr
    return [each["code"] for each in json.loads(said.split("\n")[0])["diagnostics"] if each["severity"] == "error"]


def false_rows(warpcc):
    count = 0
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for code, page, text in entries():
            for refused, right in rows(text):
                count += 1
                if not any(
                    complaints_of(warpcc, page, other, folder)[:1] == [code] and not complaints_of(warpcc, page, program, folder)
                    for program, other in programs(page, refused, right)
                ):
                    errors.append(f"{page}: `{refused}` in place of `{right}` is not refused by `{code}`")
    return count, errors


def main():
    pages = {}
    errors = []
    for code, page, text in entries():
        if code in pages:
            errors.append(f"{page}: `{code}` has an entry in {pages[code]} already")
        if len(text) < 20:
            errors.append(f"{page}: the entry of `{code}` says nothing")
        pages[code] = page
    said = {complaint.code for complaint in diagnostics_coverage.complaints()} | kinds_of_findings()
    errors += [f"`{code}` has no entry in docs/complaints/" for code in sorted(said - set(pages))]
    errors += [f"{pages[code]}: nothing says `{code}`" for code in sorted(set(pages) - said)]
    count = 0
    if len(sys.argv) > 1:
        count, false = false_rows(sys.argv[1])
        errors += false
    print("\n".join(errors + [f"{len(pages)} entries, {count} rows, {len(errors)} errors"]))
    return 1 if errors or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
