#!/usr/bin/env python3
"""examples.py WARPCC COMMAND…: runs the examples that `warpcc help COMMAND` gives, in this folder, as they stand."""
import os
import subprocess
import sys

warpcc, commands = sys.argv[1], sys.argv[2:]
environment = {**os.environ, "PATH": os.path.dirname(warpcc) + os.pathsep + os.environ["PATH"]}
for command in commands:
    text = subprocess.run([warpcc, "help", command], stdout=subprocess.PIPE, text=True, check=True).stdout
    examples = text.split("examples:\n")[1].splitlines()
    assert examples
    for example in examples:
        print(example, flush=True)
        subprocess.run(example, shell=True, env=environment, stdout=subprocess.DEVNULL, check=True)
