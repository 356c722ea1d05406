#!/usr/bin/env python3
"""explained.py: every complaint and every kind of finding has its entry in docs/complaints/, which `warpcc explain` prints, and every
entry is of one that there is."""
import os
import re
import sys

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
    print("\n".join(errors + [f"{len(pages)} entries, {len(errors)} errors"]))
    return 1 if errors or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
