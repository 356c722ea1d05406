"""Programs written in .wk: what the statements of the language become. Lanes in shared memory, copies between CTAs, the warpgroup's MMA of every type, with A in registers too."""

import random

SIZES = {"u32": 4, "f32": 4, "f16": 2, "bf16": 2}


def columns_of(swizzle, size, r):
    """Elements of a row, and the layout: a swizzled row is as long as the swizzle's span."""
    if swizzle:
        return swizzle // size, f"k_major.swizzle({swizzle})"
    return r.choice([32, 64, 128]) // size, "row_major"


def pattern(r, rows, columns, wide, threads):
    """Which `wide` neighbours a thread accesses, access after access: each of the tile once, along its rows or down its columns."""
    across = columns // wide
    t = "(warp * 32 + lane)" if threads > 32 else "lane"
    count = rows * across // threads
    if r.random() < 0.5 or threads % rows and rows % threads:
        step = threads // across
        return [(f"{t} / {across} + {i * step}", f"{t} % {across} * {wide}") for i in range(count)]
    if rows <= threads:
        step = threads // rows
        return [(f"{t} % {rows}", f"({t} / {rows} + {i * step}) * {wide}") for i in range(count)]
    down = rows // threads
    return [(f"{t} + {i % down * threads}", f"{i // down * wide}") for i in range(count)]


def shared_lanes(name, seed):
    """A tile in shared memory, in every layout, written by one pattern of lanes and read by others, in 32, 64 and 128 bits."""
    r = random.Random(seed)
    warps = r.choice([1, 2, 4])
    threads = 32 * warps
    element = r.choice(["u32", "u32", "f32", "f16", "bf16"])
    size = SIZES[element]
    columns, layout = columns_of([0, 32, 64, 128][seed % 4], size, r)
    private = warps > 1 and r.random() < 0.3
    users = 32 if private else threads
    rows = r.choice([rows for rows in (16, 32, 64, 128) if 16 * users <= rows * columns * size <= 256 * users])
    each = 4 // size  # elements of a register
    words = rows * columns // each // users
    lines = []

    def accesses(store):
        bits = r.choice([bits for bits in (32, 64, 128) if bits // 32 <= words and bits // 8 // size <= columns])
        registers = bits // 32
        suffix = "" if bits == 32 else f".{bits}"
        places = pattern(r, rows, columns, registers * each, users)
        order = list(range(len(places)))
        r.shuffle(order)
        for i in order:
            row, column = places[i]
            value = f"v[{i * registers}]" if registers == 1 else f"v[{i * registers} +: {registers}]"
            taken = f"{column}" if registers * each == 1 else f"{column} +: {registers * each}"
            tile = f"tile[{row}, {taken}]"
            lines.append(f"sts{suffix} {tile}, {value};" if store else f"lds{suffix} {value}, {tile};")

    meet = "warpsync;" if private else "sync;"
    lines.append("mov x, warp * 32 + lane;")
    for i in range(words):
        lines.append(f"imad v[{i}], x, {r.randrange(1, 1 << 20) | 1}, 0;")
    for _ in range(r.choice([1, 2, 3])):
        accesses(store=True)
        lines.append(meet)
        accesses(store=False)
        lines.append(meet)
        for i in range(words):
            if r.random() < 0.3:
                lines.append(f"iadd3 v[{i}], v[{i}], x, {r.randrange(1000)};")
    below = r.randrange(1, 33)
    if below <= columns // each:  # some lanes alone, over what is there
        word = f"lane % {columns // each}" if each == 1 else f"lane % {columns // each} * {each} +: {each}"
        lines += [f"@(lane < {below}) sts tile[warp, {word}], x;", meet, f"lds v[0], tile[warp, {word}];"]
    copies = f"warps({warps}) of " if private else ""
    body = "\n    ".join(lines)
    return f"""kernel {name}(out: global out u32[{threads}, {words}]) on sm_90a, grid (1) {{
  shared tile: {copies}{element}[{rows}, {columns}] in {layout};
  start {{ sync; }}
  role all() on warps 0 .. {warps} {{
    r x, v[{words}];
    grid.wait;
    {body}
    for i in 0 .. {words} {{ stg out[warp * 32 + lane, i], v[i]; }}
  }}
}}
"""


def copies(name, seed):
    """The copy engine between CTAs of a cluster, a pipe's stage at a time; lanes reach into the other CTA too."""
    r = random.Random(seed)
    wide = r.choice([4, 8, 16, 32])
    rows = r.choice([1, 2, 8, 16])
    depth = r.choice([1, 2, 3])
    rounds = r.choice([1, 2, 4]) * depth
    to = r.randrange(2)
    clusters = r.choice([1, 2, 3])
    axes = r.choice(["half: 2", "half: 2", "half: 2, band: 2"])
    ctas = 4 if "band" in axes else 2
    place = "cluster_id * 2 + band" if ctas == 4 else "cluster_id"
    lots = clusters * ctas // 2
    lines = []
    if r.random() < 0.5:
        # A word of each lane of the other CTA, stored there or loaded from there.
        lines = [
            "mov x, lane;",
            f"imad x, x, {r.randrange(1, 1 << 16)}, 0;",
        ]
        lines += (
            ["@(half == 0) sts.cluster words at (half = 1)[lane], x;", "@(half == 1) sts.cluster words at (half = 0)[lane], x;"]
            if r.random() < 0.5
            else ["sts words[lane], x;"]
        )
        lines += ["cluster.arrive;", "cluster.wait;"]
        lines += (
            ["lds x, words[lane];"]
            if "sts.cluster" in "".join(lines)
            else ["@(half == 0) lds.cluster x, words at (half = 1)[lane];", "@(half == 1) lds.cluster x, words at (half = 0)[lane];"]
        )
        lines.append(f"stg seen[{place}, half, lane], x;")
        lines += ["cluster.arrive;", "cluster.wait;"]
    reach = "\n    ".join(lines)
    others = "\n    ".join(["cluster.arrive;", "cluster.wait;"] * 2 if lines else [])
    guard = f"@(lane < {wide}) " if wide < 32 else ""
    column = f"lane % {wide}" if wide < 32 else "lane"
    seen = f", seen: global out u32[{lots}, 2, 32]" if lines else ""
    words = "  shared words: u32[32];\n" if lines else ""
    return f"""kernel {name}(from: global in u32[{lots * rounds * rows}, {wide}], to: global out u32[{lots * rounds * rows}, {wide}]{seen}) on sm_90a,
    grid ({clusters * ctas}), cluster ({axes}) {{
  shared box: ring({depth}) of u32[{rows}, {wide}];
  shared staging: ring({depth}) of u32[{rows}, {wide}];
{words}  pipe post: ring({depth}) carries (box) from half = {1 - to} to half = {to};

  start {{
    on (warp == 0) {{
      for i in 0 .. {depth} {{ @one init post.full[i]; @one init post.empty[i]; }}
      fence.init;
    }}
    cluster.arrive;
    cluster.wait;
  }}

  role sends(out: producer post) on warp 0 at half = {1 - to} {{
    r x;
    grid.wait;
    {others}
    loop k in 0 .. {rounds // depth} {{
      for s in 0 .. {depth} {{
        fill out {{
          wait out.empty;
          for i in 0 .. {rows} {{
            ldg x, from[({place}) * {rounds * rows} + k * {depth * rows} + s * {rows} + i, {column}];
            {guard}sts staging[s][i, {column}], x;
          }}
          fence.async;
          warpsync;
          @one expect out.full;
          copy.cluster out.box at (half = {to}), staging[s], out.full;
        }}
      }}
    }}
    for i in 0 .. {depth} {{ drain out {{ wait out.empty; }} }}
  }}

  role stores(inp: consumer post) on warp 1 at half = {to} {{
    r x;
    grid.wait;
    {others}
    loop k in 0 .. {rounds} {{
      take inp {{
        wait inp.full;
        for i in 0 .. {rows} {{
          lds x, inp.box[i, {column}];
          {guard}stg to[({place}) * {rounds * rows} + k * {rows} + i, {column}], x;
        }}
        arrive inp.empty;
      }}
    }}
  }}
  {"role reaches() on warp 2 { r x; grid.wait; " + reach + " }" if lines else ""}
}}
"""


def factors(name, seed):
    """A of a warpgroup's MMA in registers: fetched from a tile, or packed from what another MMA has computed."""
    r = random.Random(seed)
    element = ["f16", "bf16"][seed % 2]
    n = r.choice(range(8, 257, 8))
    steps = r.choice([1, 2, 3])
    chained = seed // 2 % 2 == 1
    if chained:
        # bf16 has 8 bits: few enough sums are exact in it, and what is not is rounded alike.
        middle = f"""
      mma.fence;
      for j in 0 .. 4 {{ mma first, inp.sa[.., j * 16 +: 16], inp.sb[.., j * 16 +: 16], j > 0, last: j == 3; }}
      mma.wait 0;
      wgmma.pack(left, first, {element});"""
    else:
        middle = """
      wgmma.fetch(left, inp.sa);"""
    groups = r.choice(["j == 3", "true", "j % 2 == 1"])
    if r.random() < 0.5:
        zero = ""
        adds = "k > 0 || j > 0"
    else:
        zero = f"for i in 0 .. {n // 2} {{ mov acc.r[i], {r.choice([0x3F800000, 0xC0400000, 0x40E00000])}; }}"
        adds = "true"
    return f"""use "lib/fragments.wk";
use "lib/wgmma.wk";

kernel {name}(a: global in {element}[64, {64 * steps}], b: global in {element}[64, {64 * steps}], v: global in {element}[{n}, {64 * steps}],
    c: global out f32[64, {n}]) on sm_90a, grid (1) {{
  shared sa: ring(2) of {element}[64, 64] in k_major.swizzle(128);
  shared sb: ring(2) of {element}[64, 64] in k_major.swizzle(128);
  shared sv: ring(2) of {element}[{n}, 64] in k_major.swizzle(128);
  pipe stage: ring(2) carries (sa, sb, sv);

  start {{
    on (warp == 4) {{
      for i in 0 .. 2 {{ @one init stage.full[i]; @one init stage.empty[i]; }}
      fence.init;
    }}
    sync;
  }}

  role loads(out: producer stage) on warp 4 {{
    grid.wait;
    loop k in 0 .. {steps} {{
      fill out {{
        wait out.empty;
        @one expect out.full;
        load out.sa, a[0 +: 64, k * 64 +: 64], out.full;
        load out.sb, b[0 +: 64, k * 64 +: 64], out.full;
        load out.sv, v[0 +: {n}, k * 64 +: 64], out.full;
      }}
    }}
  }}

  role multiplies(inp: consumer stage) on warpgroup 0 {{
    regs left:  {element}[64, 64] in wgmma.a(64, 64);
    {"regs first: f32[64, 64] in wgmma.d(64, 64);" if chained else ""}
    regs acc:   f32[64, {n}] in wgmma.d(64, {n});
    grid.wait;
    {zero}
    for k in 0 .. {steps} {{
      take inp {{
      wait inp.full;{middle}
      mma.fence;
      for j in 0 .. 4 {{ mma acc, left[.., j * 16 +: 16], inp.sv[.., j * 16 +: 16], {adds}, last: {groups}; }}
      mma.wait 0;
      arrive inp.empty;
      }}
    }}
    fragments.direct(c[0 +: 64, 0 +: {n}], acc, fragments.width({n}), false);
  }}
}}
"""


def types(name, seed):
    """The warpgroup's MMA of every type that the language has, A in shared memory or fetched, in chunks of any shape."""
    r = random.Random(seed)
    element, total = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("tf32", "f32"), ("f8e4m3", "f32"), ("s8", "s32")][seed % 6]
    size = {"tf32": 4, "f16": 2, "bf16": 2}.get(element, 1)
    n = r.choice([8, 16, 24, *range(32, 257, 16)] if element == "s8" else range(8, 257, 8))
    swizzle = r.choice([32, 64, 128])
    wide = swizzle // size  # k of a tile
    one, each = 32 // size, 4 // size
    rounds = r.choice([1, 2, 3, 5])
    depth = r.choice([1, 2, 3])
    rows = r.choice([64, 128])
    fetched = r.random() < 0.5 and n * (rows // 64) <= 256
    if n * (rows // 64) > 384:
        rows = 64
    if total == "f16" and n % 16:  # registers of an MMA begin at multiples of four
        rows = 64
    last = r.choice([f"j == {wide // one - 1}", "true"])
    of_a = "left[i * 64 +: 64, j * {0} +: {0}]" if fetched else "inp.sa[i * 64 +: 64, j * {0} +: {0}]"
    registers = n * (2 if total == "f16" else 4) // 8 * (rows // 64)
    fetch = f"""
        for i in 0 .. {rows * wide // each // 128} {{ lds left.r[i], inp.sa[left.at({each} * i).0, left.at({each} * i).1 +: {each}]; }}"""
    stores = (
        "stg to, acc.r[(i * {0} + j) * 2 + h];" if total == "f16" else "stg.64 to, acc.r[(i * {0} + j) * 4 + 2 * h +: 2];"
    ).format(n // 8)
    return f"""use "lib/wgmma.wk";

kernel {name}(a: global in {element}[{rows}, {wide * rounds}], b: global in {element}[{n}, {wide * rounds}], c: global out {total}[{rows}, {n}])
    on sm_90a, grid (1) {{
  shared sa: ring({depth}) of {element}[{rows}, {wide}] in k_major.swizzle({swizzle});
  shared sb: ring({depth}) of {element}[{n}, {wide}] in k_major.swizzle({swizzle});
  pipe stage: ring({depth}) carries (sa, sb);

  start {{
    on (warp == 4) {{
      for i in 0 .. {depth} {{ @one init stage.full[i]; @one init stage.empty[i]; }}
      fence.init;
    }}
    sync;
  }}

  role loads(out: producer stage) on warp 4 {{
    grid.wait;
    loop k in 0 .. {rounds} {{
      fill out {{
        wait out.empty;
        @one expect out.full;
        load out.sa, a[0 +: {rows}, k * {wide} +: {wide}], out.full;
        load out.sb, b[0 +: {n}, k * {wide} +: {wide}], out.full;
      }}
    }}
  }}

  role multiplies(inp: consumer stage) on warpgroup 0 {{
    regs acc: {total}[{rows}, {n}] in wgmma.d({rows}, {n});
    {f"regs left: {element}[{rows}, {wide}] in wgmma.a_of({element}, {rows}, {wide});" if fetched else ""}
    grid.wait;
    for i in 0 .. {registers} {{ mov acc.r[i], {r.choice([0, 0x3F800000]) if total == "f32" else 0}; }}
    loop k in 0 .. {rounds} {{
      take inp {{
        wait inp.full;{fetch if fetched else ""}
        mma.fence;
        for j in 0 .. {wide // one} {{
          for i in 0 .. {rows // 64} {{
            mma acc[i * 64 +: 64, ..], {of_a.format(one)}, inp.sb[.., j * {one} +: {one}], true, last: {last} && i == {rows // 64 - 1};
          }}
        }}
        mma.wait 0;
        arrive inp.empty;
      }}
    }}
    for i in 0 .. {rows // 64} {{
      for j in 0 .. {n // 8} {{
        for h in 0 .. 2 {{
          let to = c[i * 64 + warp * 16 + h * 8 + lane / 4, j * 8 + lane % 4 * 2 +: 2];
          {stores}
        }}
      }}
    }}
  }}
}}
"""
