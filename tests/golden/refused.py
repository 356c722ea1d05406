#!/usr/bin/env python3
"""refused.py CODE COMMAND…: the command must end by itself with this exit code, soon, within a modest memory, and leave every file of
the working folder as it was."""
import os
import resource
import subprocess
import sys

SECONDS = 20
BYTES = 4 << 30


def files():
    found = {}
    for folder, folders, names in os.walk("."):
        if folder == "." and "Output" in folders:
            folders.remove("Output")  # where lit has the folders of tests that run beside this one
        for name in folders + names:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns if name in names else 0)
    return found


def main():
    wanted, command = int(sys.argv[1]), sys.argv[2:]
    before = files()
    try:
        code = subprocess.run(
            command, timeout=SECONDS, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        ).returncode
    except subprocess.TimeoutExpired:
        sys.exit(f"refused.py: not done after {SECONDS} s: {command}")
    if code != wanted:
        sys.exit(f"refused.py: exit code {code}, wanted {wanted}: {command}")
    after = files()
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if changed:
        sys.exit(f"refused.py: changed or left behind: {', '.join(changed)}")


main()
