#!/usr/bin/env python3
"""long_program.py WARPCC [LINES…]: how long programs of so many lines take from text to SASS; a table of milliseconds of processor time.

The program is a kernel whose two roles hand stages to and fro: loops, branches, procs that are called, registers that live in blocks, in
the mixture of a kernel written by hand, only longer. `--print LINES` prints it."""
import json
import resource
import subprocess
import sys
import tempfile

HEAD = """const rounds = 8;

proc mix(x: out r, y: r, const more: int) {
  iadd3 x, y, more;
  lop3.xor x, x, y;
}

kernel long(from: global in f32[4096, 256], to: global out f32[4096, 256], sums: global inout u32[4096, 32]) on sm_100a, grid (128) {
  shared tile: ring(2) of f32[32, 32] in row_major;
  shared slots: warps(1) of u32[32];
  pipe stage: ring(2) carries (tile);

  start {
    on (warp == 0) {
      for i in 0 .. 2 {
        @one init stage.full[i];
        @one init stage.empty[i];
      }
      fence.init;
    }
    sync;
  }

  role loads(out: producer stage) on warp 0 {
    grid.wait;
"""
LOAD = """    loop k{0} in 0 .. rounds {{
      fill out {{
        wait out.empty;
        @one expect out.full;
        load out.tile, from[cluster_id * 32 +: 32, k{0} * 32 +: 32], out.full;
      }}
    }}
"""
MIDDLE = """  }

  role works(inp: consumer stage) on warp 1 {
    r sum;
    ur turns;
    up odd;
    mov sum, 0;
    umov turns, 0;
    grid.wait;
"""
WORK = """    loop k{0} in 0 .. rounds {{
      take inp {{
        r a{0}, b{0};
        wait inp.full;
        lds a{0}, inp.tile[{1}, lane];
        mix(b{0}, a{0}, {0});
        uiadd3 turns, turns, 1;
        ulop3.and turns, turns, 0xff;
        uisetp.ne.u32 odd, turns, 0;
        when odd {{
          iadd3 sum, sum, b{0};
        }} else {{
          iadd3 sum, sum, a{0}, {0};
        }}
        sts slots[lane], sum;
        @one arrive inp.empty;
      }}
    }}
    @(lane < 8) redg.add sums[cluster_id * 32 + 7, lane], sum;
"""
TAIL = """  }
}
"""


def program(lines):
    units = max(1, (lines - len((HEAD + MIDDLE + TAIL).splitlines())) // len((LOAD + WORK).splitlines()))
    parts = [HEAD] + [LOAD.format(i) for i in range(units)] + [MIDDLE]
    parts += [WORK.format(i, i % 2) for i in range(units)] + [TAIL]
    return "".join(parts)


def measure(warpcc, lines, folder):
    path = f"{folder}/long{lines}.wk"
    with open(path, "w", encoding="utf-8") as file:
        file.write(program(lines))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([warpcc, path, "--emit", "sass", "-o", f"{folder}/long.sass", "--time", "--format", "json"], stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr[:2000])
    return (after.ru_utime - before.ru_utime) * 1000, json.loads(done.stderr)["times"]


def main():
    if sys.argv[1] == "--print":
        print(program(int(sys.argv[2])), end="")
        return
    sizes = [int(word) for word in sys.argv[2:]] or [5000, 10000, 20000, 40000]
    print(f"{'lines':>8} {'ms':>8} {'us a line':>10}   of them, by the clock")
    with tempfile.TemporaryDirectory() as folder:
        for lines in sizes:
            spent, times = measure(sys.argv[1], lines, folder)
            parts = ", ".join(f"{name} {time:.0f}" for name, time in times.items())
            print(f"{lines:8} {spent:8.0f} {spent * 1000 / lines:10.1f}   {parts}", flush=True)


main()
