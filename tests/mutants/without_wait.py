#!/usr/bin/env python3
"""without_wait.py TEXT ROLE BARRIER: SASS text without the first wait of the role on the barrier: its test, its sleep and its branch."""

import sys


def main():
    path, wanted, barrier = sys.argv[1:]
    role, drop, dropped = "", 0, False
    for line in open(path):
        if line.startswith((".role", ".start", ".finish")):
            role = line.split()[1] if line.startswith(".role") else ""
        if role == wanted and not dropped and "PHASECHK" in line and f"= {barrier}[" in line:
            drop, dropped = 3, True
        if drop:
            drop -= 1
            continue
        sys.stdout.write(line)
    if not dropped:
        sys.exit(f"no wait of {wanted} on {barrier}")


if __name__ == "__main__":
    main()
