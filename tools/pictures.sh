#!/bin/sh
# tools/pictures.sh WARPCC FOLDER: makes the pictures of the README and of editors/vscode that come of a program: a kernel in colours, its
# expansion, a timeline, a tile. tools/editor_deps.sh has been run.
set -eu
warpcc=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
scripts=$here/editors/vscode/scripts
syntaxes=$here/editors/vscode/syntaxes
node=$here/.venv/bin/node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tutorial's matrix product, as its first listing has it.
awk '/^```wk gemm.wk$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/docs/tutorial.md" > "$work/gemm.wk"
cd "$work"

"$node" "$scripts/highlight.mjs" "$syntaxes/wk.tmLanguage.json" gemm.wk "role multiplies" 20 > "$out/kernel.svg"
"$warpcc" expand gemm.wk -I "$here/kernels" | sed 's/ *;.*//; s/  *= / = /' > gemm.sass
"$node" "$scripts/highlight.mjs" "$syntaxes/sass.tmLanguage.json" gemm.sass "LOOP_2:" 31 > "$out/expansion.svg"
"$warpcc" check gemm.wk -I "$here/kernels" -D M=128 -D N=128 --trace trace.json > report || [ $? -eq 1 ]
"$node" "$scripts/timeline.mjs" trace.json > "$out/timeline.svg"

cat > tile.wk <<'END'
kernel tile(a: global f32[8, 32]) on sm_100a, grid (1) {
  shared sa: f32[8, 32] in k_major.swizzle(128);
  start { sync; }
  role none() on warp 0 { }
}
END
"$warpcc" layout tile.wk sa --svg -o "$out/tile.svg"
