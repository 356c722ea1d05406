#!/usr/bin/env python3
"""docs_snippets.py WARPCC KERNELS DOCUMENT.md: compiles every fenced block of a document that is marked `wk`, and checks whole programs.

The words behind `wk` say what a block is a piece of: nothing, a whole program; `items`, of a file; `members`, of a kernel;
`statements`, of a role; `start`, `producer` and `consumer`, what stands in one of the three parts of a kernel that hands tiles to and fro; `of FILE`, of a file of
the project, in which it must stand as it is. What is around a piece is below. A block that is marked `refused` as well must be refused, one that is
marked `found` must be complained of by `warpcc check`, with the options that follow, and every line of the `text` block that follows it must stand in what warpcc says.

A table `| in place of | stands | the complaint |` is of the document's first whole program: with each row's change it must be refused, in
the words of the row."""
import os
import re
import subprocess
import sys
import tempfile

KERNEL = """
kernel empty(a: global f16[256, 64]) on sm_100a, grid (2), cluster (half: 2) {
  start { cluster.arrive; cluster.wait; }
  role idle() on warp 0 { }
}
"""

MEMBERS = """
use "lib/umma.wk";
const depth = 4;
kernel around(a: global f16[256, 64]) on sm_100a, grid (2), cluster (half: 2) {
@
  start { cluster.arrive; cluster.wait; }
  role idle() on warp 0 { }
}
"""

STATEMENTS = """
use "lib/umma.wk";
use "lib/tiles.wk";
const M = 4096;
const plan = tiles.Plan(m: M, n: M, k_steps: 64, ctas: 2, span: (256, 256), walk: stride(rows(16)), clusters: 74);
kernel around(
  a: global f16[M, 64], c: global inout f32[M, M], counts: global inout u32[64], p: global in u32[64],
) on sm_100a, grid (148), cluster (half: 2) {
  shared staging: warps(4) of ring(2) of f32[8, 32];
  start { cluster.arrive; cluster.wait; }
  role around() on warps 0 .. 4 {
    grid.wait;
@
  }
}
"""

TILES = """
kernel tiles(from: global in f32[64, 256], to: global out f32[64, 256]) on sm_100a, grid (2) {
  shared tile: ring(2) of f32[32, 32];
  pipe stage: ring(2) carries (tile);

  start {
%(start)s
  }

  role loads(out: producer stage) on warp 0 {
    grid.wait;
%(producer)s
  }

  role stores(inp: consumer stage) on warp 1 {
    grid.wait;
%(consumer)s
  }
}
"""

PARTS = {
    "start": """
    on (warp == 0) {
      for i in 0 .. 2 { @one init stage.full[i]; @one init stage.empty[i]; }
      fence.init;
    }
    sync;
""",
    "producer": """
    loop k in 0 .. 8 {
      fill out {
        wait out.empty;
        @one expect out.full;
        load out.tile, from[cluster_id * 32 +: 32, k * 32 +: 32], out.full;
      }
    }
""",
    "consumer": """
    loop k in 0 .. 8 {
      take inp {
        wait inp.full;
        @one arrive inp.empty;
      }
    }
""",
}

PIECES = {"": "@\n", "items": "@\n" + KERNEL, "members": MEMBERS, "statements": STATEMENTS}
PIECES |= {part: TILES % (PARTS | {part: "@"}) for part in PARTS}


class Snippet:
    def __init__(self, line, words, text):
        self.line = line
        self.found = "found" in words
        self.refused = self.found or "refused" in words
        self.options = [word for word in words if word.startswith("--")]
        kinds = [word for word in words if word not in ("found", "refused", *self.options)]
        self.kind = kinds[0] if kinds else ""
        self.file = kinds[1] if self.kind == "of" else ""
        self.text = text
        self.said = []


def snippets(document):
    found = []
    lines = open(document, encoding="utf-8").read().split("\n")
    at = 0
    while at < len(lines):
        fence = re.match(r"```(\w*) *(.*)$", lines[at])
        if not fence:
            at += 1
            continue
        end = lines.index("```", at + 1)
        block = lines[at + 1 : end]
        if fence[1] == "wk":
            found.append(Snippet(at + 1, fence[2].split(), "\n".join(block)))
        elif fence[1] == "text" and found and found[-1].refused and not found[-1].said:
            found[-1].said = block
        at = end + 1
    return found


def changed(document, program):
    """The first program with the changes of the table, each a snippet of its own."""
    header = "| in place of | stands | the complaint |"
    lines = open(document, encoding="utf-8").read().split("\n")
    found = []
    at = lines.index(header) + 2 if header in lines else len(lines)
    while at < len(lines) and lines[at].startswith("|"):
        old, new, said = re.match(r"\| `(.*?)` \| (nothing|`.*?`) \| (.*) \|$", lines[at]).groups()
        if old not in program:
            raise SystemExit(f"{document}:{at + 1}: `{old}` does not stand in the program")
        snippet = Snippet(at + 1, ["refused"], program.replace(old, "" if new == "nothing" else new[1:-1], 1))
        snippet.said = [said]
        found.append(snippet)
        at += 1
    return found


def wrong(snippet, warpcc, kernels, name):
    """What is wrong with a snippet, or nothing."""
    if snippet.file:
        whole = open(os.path.join(kernels, "..", snippet.file), encoding="utf-8").read()
        return "" if snippet.text in whole else f"stands not in {snippet.file}"
    path = name + ".wk"
    with open(path, "w", encoding="utf-8") as file:
        file.write(PIECES[snippet.kind].replace("@\n", snippet.text + "\n", 1))
    assembles = not snippet.refused and "WARPCC_PTXAS" in os.environ
    output = ["-o", name + ".cubin"] if assembles else ["--emit", "ptx", "-o", name + ".ptx"]
    # A whole program is right, and the checker finds nothing in it; of a piece what is around it is made up.
    check = [] if not snippet.kind and not snippet.refused else ["--no-check"]
    command = [warpcc, "check", path, "-I", kernels, *snippet.options] if snippet.found else [warpcc, path, "-I", kernels, *check, *output]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if not snippet.refused:
        return "" if run.returncode == 0 else run.stdout
    if run.returncode != 1:
        return f"exit code {run.returncode}, and it was to be refused\n{run.stdout}"
    if not snippet.said:
        return "what is said of it stands in no `text` block below"
    missing = [line for line in snippet.said if line not in run.stdout]
    return "".join(f"not said: {line}\n" for line in missing) + (run.stdout if missing else "")


def main():
    warpcc, kernels, document = map(os.path.abspath, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        return compile_all(warpcc, kernels, document)


def compile_all(warpcc, kernels, document):
    failed = 0
    all_snippets = snippets(document)
    whole = [snippet.text for snippet in all_snippets if not snippet.kind]
    if whole:
        all_snippets += changed(document, whole[0])
    for number, snippet in enumerate(all_snippets):
        complaint = wrong(snippet, warpcc, kernels, f"snippet{number}")
        if complaint:
            failed += 1
            print(f"{os.path.basename(document)}:{snippet.line}:\n{complaint}")
    print(f"{len(all_snippets)} snippets, {failed} wrong")
    return 1 if failed or not all_snippets else 0


if __name__ == "__main__":
    sys.exit(main())
