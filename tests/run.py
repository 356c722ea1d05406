#!/usr/bin/env python3
"""Runs the unit tests (ctest) and the golden tests (lit) of a build folder; the last line counts them."""
import json
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.abspath(__file__))


def run_unit_tests(build):
    """Counts the test cases of doctest's summaries. A program without one, another kind of test or a crash, counts as one."""
    command = ["ctest", "--test-dir", build, "-V", "-j", str(os.cpu_count()), "--timeout", "300"]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace").stdout
    lines = {}
    for line in output.splitlines():
        numbered = re.match(r"(\d+): (.*)", line)
        if numbered:
            lines.setdefault(int(numbered[1]), []).append(numbered[2])
    passed = failed = 0
    for end in re.finditer(r"Test +#(\d+): (\S+) \.*(.*?) +([\d.]+) sec", output):
        text = "\n".join(lines.get(int(end[1]), []))
        counts = re.search(r"test cases: +\d+ \| +(\d+) passed \| +(\d+) failed", text)
        ended_well = "Passed" in end[3]
        good, bad = (int(counts[1]), int(counts[2])) if counts else (int(ended_well), 0)
        if not ended_well:
            bad = max(bad, 1)
        passed += good
        failed += bad
        print(f"{end[2]}: {good} passed, {bad} failed, {end[4]} s", flush=True)
        if bad:
            print(text)
    if not passed and not failed:
        print(output)
        failed = 1
    return passed, failed


def run_golden_tests(build):
    results = os.path.join(build, "golden.json")
    if os.path.exists(results):
        os.remove(results)
    command = [os.path.join(TESTS, "lit"), "-sv", "--max-time", "600", "--output", results, os.path.join(TESTS, "golden")]
    subprocess.run(command, env={**os.environ, "WARPCC_BUILD": os.path.abspath(build)})
    try:
        with open(results) as file:
            codes = [test["code"] for test in json.load(file)["tests"]]
    except FileNotFoundError:
        return 0, 1
    passed = sum(code in ("PASS", "FLAKYPASS", "XFAIL") for code in codes)
    left_out = sum(code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED") for code in codes)
    failed = len(codes) - passed - left_out
    print(f"golden: {passed} passed, {failed} failed, {left_out} left out for want of a tool", flush=True)
    return passed, failed


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    unit = run_unit_tests(build)
    golden = run_golden_tests(build)
    passed, failed = unit[0] + golden[0], unit[1] + golden[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
