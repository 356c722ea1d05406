#!/usr/bin/env python3
"""odd_shapes.py WARPCC KERNELS [--sample]: kernels/gemm.wk at fifty shapes that fit no tile, every cluster simulated, every value compared.

Each line: M, N, K, then what else is set. `sms` keeps grids small, so that clusters of a fixed grid walk several tiles. --sample: every
sixth, which is what the suite runs; all of them take about a minute. The last line counts."""
import os
import subprocess
import sys
import time

SHAPES = """
1 4 8             tile=(128,128)
1 1 8             tile=(128,128) output=direct
3 5 16            tile=(64,128) output=direct
17 36 24          tile=(32,128)
31 33 40          tile=(64,64) output=direct
127 132 72        tile=(128,128) depth=1
129 124 64        tile=(128,128) depth=2
128 256 64        tile=(128,128) accumulators=1
255 260 136       tile=(128,128) walk=once(rows(1)) accumulators=1
257 252 128       tile=(128,128) walk=once(rows(3)) accumulators=1 next_grid=late
200 300 88        tile=(96,128) walk=stride(rows(2)) sms=4
97 516 48         tile=(96,128) walk=stride(rows(1)) sms=2 accumulators=1
161 264 56        tile=(160,128) walk=stride(rows(2)) sms=4
193 260 104       tile=(192,128) depth=7 walk=stride(rows(8)) sms=4 ask_ahead=true
225 128 96        tile=(224,128) depth=6 walk=stride(rows(8)) sms=4
256 512 64        tile=(256,256) depth=4 accumulators=1
260 516 72        tile=(256,256) depth=4 accumulators=1 ask_ahead=true sms=4
511 508 40        tile=(256,128) depth=5 sms=4
300 420 24        tile=(128,64) depth=13 accumulators=1 output=direct
130 70 8          tile=(128,64) output=direct ask_ahead=true
65 66 120         tile=(64,64) output=direct sms=4
64 65 8           tile=(64,64) output=direct walk=stride(rows(1)) sms=2
333 77 16         tile=(64,64) output=direct walk=steal(rows(1))
384 260 64        tile=(128,128) walk=steal(rows(1))
385 516 72        tile=(128,128) walk=steal(rows(2)) next_grid=late
300 700 32        tile=(128,128) walk=steal(serpentine(2))
640 644 24        tile=(128,128) walk=steal(serpentine(3)) ask_ahead=true
513 520 40        tile=(256,256) depth=4 accumulators=1 walk=steal(serpentine(8))
250 516 48        tile=(192,128) walk=steal(rows(8)) depth=7
400 400 16        tile=(192,64) walk=steal(rows(4)) output=direct
300 260 64        tile=(128,128) bands=2 sms=8
511 520 72        tile=(128,128) bands=2 walk=steal(rows(1))
260 516 40        tile=(64,128) bands=2 walk=once(rows(1)) accumulators=1
700 140 32        tile=(128,64) bands=2 output=direct
520 300 64        tile=(128,128) bands=4 walk=steal(rows(1)) next_grid=late
1030 260 24       tile=(128,128) bands=4 sms=16
513 268 16        tile=(64,128) bands=4 walk=once(rows(2)) accumulators=1
700 516 40        tile=(96,256) bands=2 accumulators=1 depth=4
130 260 520       tile=(128,128) walk=stream(rows(1)) sms=8
300 300 712       tile=(128,128) walk=stream(rows(2)) sms=8 ask_ahead=true
257 516 328       tile=(256,128) depth=6 walk=stream(rows(1)) sms=6
64 256 1000       tile=(64,128) walk=stream(rows(1)) sms=12
127 124 256       tile=(128,128) walk=split(2,rows(1)) sms=16
129 260 392       tile=(128,128) walk=split(3,rows(1)) sms=24
250 512 520       tile=(256,256) depth=4 accumulators=1 walk=split(4,rows(1)) sms=16 ask_ahead=true
33 36 584         tile=(64,128) walk=split(9,rows(1)) sms=18
200 132 64        elem=bf16 tile=(128,128)
77 90 48          elem=bf16 tile=(64,64) output=direct
385 260 200       elem=bf16 tile=(192,128) depth=7 walk=steal(rows(8))
140 516 456       elem=bf16 tile=(128,128) walk=stream(rows(1)) sms=10
"""


def shapes():
    for line in SHAPES.strip().splitlines():
        m, n, k, *rest = line.split()
        yield [f"M={m}", f"N={n}", f"K={k}"] + [each.replace(",", ", ") for each in rest]


def main():
    warpcc, kernels = sys.argv[1:3]
    chosen = list(shapes())
    if "--sample" in sys.argv:
        chosen = chosen[3::6]
    failed = 0
    for definitions in chosen:
        command = [warpcc, "check", os.path.join(kernels, "gemm.wk"), "--clusters", "all", "--values", "--format", "json"]
        for each in definitions:
            command += ["-D", each]
        begin = time.time()
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
        exact = run.returncode == 0 and '"values_wrong":0' in run.stdout and '"values_compared":0' not in run.stdout
        failed += not exact
        if not exact or "--sample" not in sys.argv:
            print(f"{time.time() - begin:6.1f} s  {' '.join(definitions)}: {'exact' if exact else 'NOT EXACT'}", flush=True)
        if not exact:
            print(run.stdout[:1500] + run.stderr[:1500])
    print(f"{len(chosen)} shapes, {failed} not exact")
    return 1 if failed or not chosen else 0


sys.exit(main())
