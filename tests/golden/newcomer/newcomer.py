#!/usr/bin/env python3
"""newcomer.py WARPCC KERNELS EDITS.md [N]: breaks kernels/gemm.wk as the table says and compares what is said (README.md)."""
import os
import re
import subprocess
import sys
import tempfile

SMALL = ["-D", "M=256", "-D", "N=256", "-D", "K=256", "-D", "sms=4"]


def rows(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("| ") and not line.startswith("| comes from") and not line.startswith("| ---"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 5:
                sys.exit(f"{path}:{number}: five columns are wanted, not {len(cells)}")
            yield number, cells


def unquoted(cell):
    return "" if cell == "nothing" else cell.strip("`").strip().replace("\\n", "\n").replace("¦", "|")


def edited(text, old, new):
    pattern = r"\s+".join(re.escape(word) for word in unquoted(old).split())
    found = re.search(pattern, text)
    if not found:
        raise ValueError(f"{old} does not stand in the kernel")
    return text[: found.start()] + unquoted(new) + text[found.end() :]


def said(output):
    return re.findall(r"^\S.*?: error: (.*?)(?: \[[a-z0-9-]+\])?$", output, re.M)


def wrong(warpcc, kernels, cells, show):
    _, old, new, options, wanted = cells
    options = unquoted(options).split()
    checks = "checks" in options
    path = "gemm.wk"
    text = open(os.path.join(kernels, "gemm.wk"), encoding="utf-8").read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(edited(text, old, new))
    command = [warpcc] + (["check"] if checks else []) + [path, "-I", kernels] + [each for each in options if each != "checks"]
    command += SMALL + ["--values", "--clusters", "all"] if checks else ["--emit", "sass", "-o", "gemm.sass"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if show:
        print(run.stdout)
    if run.returncode != 1:
        return f"exit code {run.returncode}, and it was to be refused\n{run.stdout[:1000]}"
    parts = [part.strip() for part in wanted.split(" // ")]
    if checks:
        return "".join(f"not said: {part}\n" for part in parts if part not in run.stdout)
    errors = said(run.stdout)
    missing = [part for part in parts if not any(part in error for error in errors)]
    more = [error for error in errors if not any(part in error for part in parts)]
    return "".join(f"not said: {part}\n" for part in missing) + "".join(f"said: {error}\n" for error in more)


def main():
    warpcc, kernels, path = (os.path.abspath(word) for word in sys.argv[1:4])
    all_rows = list(rows(path))
    if len(sys.argv) > 4:
        all_rows = [all_rows[int(sys.argv[4]) - 1]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, cells in all_rows:
            try:
                complaint = wrong(warpcc, kernels, cells, len(sys.argv) > 4)
            except ValueError as error:
                complaint = str(error)
            if complaint:
                failed += 1
                print(f"edits.md:{number}: {cells[1]} => {cells[2]}\n{complaint}")
    print(f"{len(all_rows)} edits, {failed} wrong")
    return 1 if failed or not all_rows else 0


sys.exit(main())
