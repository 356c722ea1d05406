"""Programs of the copy engine and the tensor core: tensor-map loads and stores, multicast, a warpgroup's MMAs."""

from text import WORD, Program, barrier_counts, begin, finish, meet, store, wait, window

START = 0x400
SIZES = {"u8": 1, "s8": 1, "f8e4m3": 1, "f16": 2, "bf16": 2, "f32": 4, "u32": 4}


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def random_box(p, rank, size, swizzle, most_bytes):
    """Extents of a tensor and of a box in it, the last innermost."""
    r = p.random
    unit = 16 // size
    widest = (swizzle or 256) // size
    inner = unit * r.randrange(1, widest // unit + 1)
    inner = min(inner, 256 // unit * unit)
    if swizzle and r.random() < 0.7:
        inner = widest
    box, left = [inner], most_bytes // max(inner * size, swizzle)
    for _ in range(rank - 1):
        extent = r.randrange(1, min(left, 64 if rank == 2 else 6) + 1)
        left //= extent
        box.insert(0, extent)
    shape = [max(1, extent + r.randrange(-3, 20)) for extent in box[:-1]]
    shape.append(unit * max(1, (inner // unit) + r.randrange(-2, 6)))
    return shape, box


def area(box, size, swizzle):
    """The bytes from the first to past the last of a box in shared memory: rows are no closer than the swizzle's span."""
    return product(box[:-1]) * max(box[-1] * size, swizzle)


def coordinates(p, shape, box, size, low):
    """Where a box begins, the last coordinate innermost: inside, across an edge, or outside."""
    r, unit = p.random, 16 // size
    starts = []
    for i, (extent, of_box) in enumerate(zip(shape, box)):
        first = -of_box - 2 if low else 0
        start = r.randrange(first, extent + of_box + 2) if r.random() < 0.7 else r.randrange(max(1, extent))
        if i == len(shape) - 1:
            start = start // unit * unit
        starts.append(start)
    return starts


def clear(p, data_bytes, at=START):
    """Zeroes in shared memory, for what no load fills."""
    p.line(f"IMAD word, tid, 0x4, {hex(at)}", "MOV nothing, 0x0")
    step = 4 * p.threads
    for offset in range(0, data_bytes, step):
        rest = (data_bytes - offset) // 4
        guard = ""
        if rest < p.threads:
            p.line(f"ISETP.LT.U32.AND inside, PT, tid, {hex(rest)}, PT")
            guard = "@inside "
        p.line(f"{guard}STS [word{'+' + hex(offset) if offset else ''}], nothing")
    p.line("FENCE.VIEW.ASYNC.S")


def copy_out(p, data_bytes, at=START, base=""):
    """Shared memory as it lies, a word a thread at a time."""
    p.line(f"IMAD read, tid, 0x4, {hex(at)}")
    if base:
        p.line(f"MOV base_lanes, {base}", "IADD3 read, read, base_lanes, RZ")
    step = 4 * p.threads
    for offset in range(0, data_bytes, step):
        rest = (data_bytes - offset) // 4
        guard = ""
        if rest < p.threads:
            p.line(f"ISETP.LT.U32.AND inside, PT, tid, {hex(rest)}, PT")
            guard = "@inside "
        p.line(f"{guard}LDS got, [read{'+' + hex(offset) if offset else ''}]")
        store(p, "got", guard)


def vector(p, name, destination, barrier, starts):
    p.line(f"UMOV {name}.0, {destination}")
    at = 1
    if barrier is not None:
        p.line(f"UMOV {name}.1, {barrier}")
        at = 2
    for i, start in enumerate(reversed(starts)):
        p.line(f"UMOV {name}.{at + i}, {hex(start & WORD)}")


def loads(name, seed):
    """A box of one to five dimensions, every swizzle, across every edge."""
    p = Program(name, seed, threads=128, shared=0x4000)
    r = p.random
    element = r.choice(["u8", "f16", "bf16", "f32", "u32"])
    swizzle = [0, 32, 64, 128][seed % 4]
    rank = r.choice([1, 2, 2, 2, 2, 3, 4, 5])
    shape, box = random_box(p, rank, SIZES[element], swizzle, 8192)
    data, held = product(box) * SIZES[element], area(box, SIZES[element], swizzle)
    begin(p, 16)
    p.buffer("t", element, shape, mapped=True)
    p.map("t", shape, SIZES[element], box, swizzle)
    at = START + 128 * r.randrange(8) * r.choice([0, 1])
    bar = START + 0x3800
    p.line("ELECT one, URZ, PT", f"UMOV bar, {hex(bar)}")
    clear(p, held, at)
    after, rest = p.label(), p.label()
    p.line("UISETP.NE.U32.AND other, UPT, warp, URZ, UPT", f"BRA.U other, {after}")
    barrier_counts(p, "count", 1)
    p.line("@one SYNCS.EXCH.64 URZ, [bar], count", "NOP")
    p.here(after)
    meet(p)
    p.line("MOV low, 0x0", f"BRA.U other, {rest}", f"MOV bytes, {hex(data)}", "@one SYNCS.ARRIVE.TRANS64 RZ, [bar], bytes")
    vector(p, "load", hex(at), "bar", coordinates(p, shape, box, SIZES[element], True))
    p.line(f"UTMALDG.{rank}D [load], [map_t]")
    p.here(rest)
    wait(p, "bar", "low")
    copy_out(p, held, at)
    return finish(p)


def stores(name, seed):
    """A box stored, or added, across every upper edge."""
    p = Program(name, seed, threads=128, shared=0x2800)
    r = p.random
    swizzle = [0, 32, 64, 128][seed % 4]
    adds = seed % 3 == 0
    element = r.choice(["f32", "u32"] if adds else ["u8", "f16", "bf16", "f32", "u32"])
    rank = 2 if adds else r.choice([2, 2, 3])
    shape, box = random_box(p, rank, SIZES[element], swizzle, 8192)
    held = area(box, SIZES[element], swizzle)
    begin(p, 1)
    p.buffer("t", element, shape, mapped=True)
    p.map("t", shape, SIZES[element], box, swizzle)
    at = START + 128 * r.randrange(8) * r.choice([0, 1])
    p.line("ELECT one, URZ, PT", "UISETP.NE.U32.AND other, UPT, warp, URZ, UPT", f"IMAD word, tid, 0x4, {hex(at)}")
    for i, offset in enumerate(range(0, held, 512)):
        rest = (held - offset) // 4
        guard = ""
        if rest < 128:
            p.line(f"ISETP.LT.U32.AND inside, PT, tid, {hex(rest)}, PT")
            guard = "@inside "
        if element == "f32":
            p.line(f"IADD3 value, tid, {hex(r.randrange(1000))}, RZ", "I2FP.F32.U32 value, value")
        else:
            p.line(f"IMAD value, tid, {hex(p.immediate())}, {hex(p.immediate())}")
        p.line(f"{guard}STS [word{'+' + hex(offset) if offset else ''}], value")
    p.line("FENCE.VIEW.ASYNC.S")
    meet(p)
    done = p.label()
    p.line(f"BRA.U other, {done}")
    vector(p, "put", hex(at), None, coordinates(p, shape, box, SIZES[element], False))
    p.line(f"UTMAREDG.2D.ADD [put], [map_t]" if adds else f"UTMASTG.{rank}D [put], [map_t]")
    p.line("UTMACMDFLUSH", r.choice(["DEPBAR.LE SB0, 0x0", "DEPBAR.LE SB0, 0x0\n  CCTL.IVALL"]))
    p.here(done)
    return finish(p)


def multicast(name, seed):
    """Each CTA of a cluster loads a slice into the CTAs of a mask."""
    size = [2, 4, 2, 8][seed % 4]
    p = Program(name, seed, threads=64, ctas=size * (1 + seed % 2), cluster=size, shared=0x3000)
    r = p.random
    swizzle = r.choice([0, 32, 64, 128])
    element = r.choice(["f16", "f32"])
    box = [r.choice([4, 8]), (swizzle or 64) // SIZES[element]]
    data = product(box) * SIZES[element]
    slots = (data + 1023) // 1024 * 1024
    shape = [box[0] * size + r.randrange(4), box[1] + 16 // SIZES[element] * r.randrange(3)]
    masks = [r.randrange(1, 1 << size) for _ in range(size)]
    begin(p, slots * size // 256)
    p.buffer("t", element, shape, mapped=True)
    p.map("t", shape, SIZES[element], box, swizzle)
    window(p)
    bar = START + 0x2C00
    p.line(f"UIADD3 bar, window, {hex(bar)}, URZ")
    p.line(f"MOV window_lanes, window", f"IMAD word, tid, 0x4, {hex(START)}", "IADD3 word, word, window_lanes, RZ", "MOV nothing, 0x0")
    for offset in range(0, slots * size, 256):
        p.line(f"STS [word{'+' + hex(offset) if offset else ''}], nothing")
    p.line("FENCE.VIEW.ASYNC.S", "UISETP.NE.U32.AND other, UPT, warp, URZ, UPT")
    after, rest = p.label(), p.label()
    p.line(f"BRA.U other, {after}")
    barrier_counts(p, "count", 1)
    p.line("@one SYNCS.EXCH.64 URZ, [bar], count", "NOP")
    p.here(after)
    meet(p)
    p.line("MOV low, 0x0", f"BRA.U other, {rest}", "UMOV mask, " + hex(masks[0]))
    comes = [sum(data for m in masks if m >> rank & 1) for rank in range(size)]
    p.line("UMOV expected, " + hex(comes[0]))
    for rank in range(1, size):
        p.line(
            f"UISETP.EQ.U32.XOR is{rank}, UPT, rank, {hex(rank)}, !UPT",
            f"@is{rank} UMOV mask, {hex(masks[rank])}",
            f"@is{rank} UMOV expected, {hex(comes[rank])}",
        )
    p.line(
        "MOV bytes, expected",
        "@one SYNCS.ARRIVE.TRANS64 RZ, [bar], bytes",
        f"UIMAD load.0, rank, {hex(slots)}, window",
        f"UIADD3 load.0, load.0, {hex(START)}, URZ",
        "UMOV load.1, bar",
        "UMOV load.2, 0x0",
        f"UIMAD load.3, rank, {hex(box[0])}, URZ",
        "UTMALDG.2D.MULTICAST [load], [map_t], mask",
    )
    p.here(rest)
    wait(p, "bar", "low")
    copy_out(p, slots * size, START, "window")
    meet(p)
    return finish(p)


# ---- the tensor core

KINDS = {  # modifiers, element of A and B, bytes of it, element of D
    "f16": ("16.F32", "f16", 2, "f32"),
    "bf16": ("16.F32.BF16", "bf16", 2, "f32"),
    "f16acc": ("16.F16", "f16", 2, "f16"),
    "tf32": ("8.F32.TF32", "f32", 4, "f32"),
    "e4m3": ("32.F32.E4M3.E4M3", "f8e4m3", 1, "f32"),
    "s8": ("32.S8.S8", "s8", 1, "s32"),
}


class Operand:
    """A tile of rows by k in shared memory: how it is loaded, and its descriptors."""

    def __init__(self, p, name, rows, element, size, swizzle, rows_inside, steps, at):
        self.p, self.name, self.at = p, name, at
        self.boxes = []  # of the loads: shape of the tensor's box, its place, its coordinates
        code = {128: 1, 64: 2, 32: 3, 0: 0}[swizzle]
        depth = 32 // size * steps  # k elements
        if not rows_inside:
            inner = swizzle or 16
            across = depth * size // inner
            shape, box = [rows, depth], [rows, inner // size]
            block = rows * inner
            for i in range(across):
                self.boxes.append((at + i * block, [0, i * inner // size]))
            leading, stride = (16, 8 * swizzle) if swizzle else (block, 128)
            # A step is 32 bytes of a row of the swizzle, then the next block; without a swizzle two blocks.
            per_block = inner // 32 if swizzle else 0
            self.steps = [
                at + j // per_block * block + j % per_block * 32 if swizzle else at + 2 * j * block for j in range(steps)
            ]
        else:
            inner = swizzle or 16
            wide = inner // size
            across = (rows + wide - 1) // wide
            shape, box = [depth, rows], [depth, wide]
            block = depth * inner
            for i in range(across):
                self.boxes.append((at + i * block, [0, i * wide]))
            leading, stride = (block, 8 * inner) if swizzle else (128, block)
            k_step = 16 * inner
            self.steps = [at + j * k_step for j in range(steps)]
        self.box_bytes = product(box) * size
        self.bytes = len(self.boxes) * self.box_bytes
        self.high = stride >> 4 | code << 30
        self.leading = leading >> 4
        p.buffer(name, element, shape, mapped=True)
        p.map(name, shape, size, box, swizzle)

    def end(self):
        return (self.at + self.bytes + 1023) // 1024 * 1024

    def load(self):
        for i, (at, starts) in enumerate(self.boxes):
            vector(self.p, f"{self.name}{i}", hex(at), "bar", starts)
            self.p.line(f"UTMALDG.2D [{self.name}{i}], [map_{self.name}]")

    def low(self, step):
        return hex(self.steps[step] >> 4 | self.leading << 16)


def register_mma(name, seed):
    """A in registers: of every element and shape, read from shared memory by lanes, or what the MMA before has computed."""
    return warpgroup_mma(name, seed, in_registers=True)


def read_a(p, steps):
    """A's registers, four a step, of a tile in shared memory without a swizzle: blocks of 16 bytes a row."""
    p.line("IMAD a_row, warp_lanes, 0x100, RZ", "LOP3.LUT four, lane, 0x3, RZ, 0xc0, !PT", "SHF.R.U32.HI eight, RZ, 0x2, lane")
    p.line("IMAD a_row, eight, 0x10, a_row", "IMAD a_row, four, 0x4, a_row", f"IADD3 a_row, a_row, {hex(START)}, RZ")
    for j in range(steps):
        for i in range(4):
            p.line(f"LDS factor.{4 * j + i}, [a_row+{hex((2 * j + i // 2) * 1024 + i % 2 * 128)}]")


def warpgroup_mma(name, seed, in_registers=False):
    """Every shape, every swizzle, both majors, zeroed or added to, in one group or in several."""
    p = Program(name, seed, threads=128, shared=0x1C000)
    r = p.random
    kind = list(KINDS)[seed % len(KINDS)]
    modifiers, element, size, d = KINDS[kind]
    shapes = [8, 16, 24, *range(32, 257, 16)] if kind == "s8" else list(range(8, 257, 8))
    n = shapes[seed // len(KINDS) % len(shapes)]
    swizzles = [r.choice([0, 32, 64, 128]) for _ in range(2)]
    inside = [size == 2 and r.random() < 0.4 for _ in range(2)]
    steps = r.choice([4, 8]) if 128 in swizzles else 4
    if in_registers:
        swizzles[0], inside[0], steps = 0, False, 4
    chained = in_registers and d == "f32" and size == 2 and r.random() < 0.4
    if chained:
        n = 64
    registers = n // (4 if d == "f16" else 2)
    begin(p, registers)
    a = Operand(p, "a", 64, element, size, swizzles[0], inside[0], steps, START)
    b = Operand(p, "b", n, element, size, swizzles[1], inside[1], steps, a.end())
    bar = START + 0x1B000
    assert b.end() <= bar
    p.line("ELECT one, URZ, PT", f"UMOV bar, {hex(bar)}", "UISETP.NE.U32.AND other, UPT, warp, URZ, UPT")
    after, rest = p.label(), p.label()
    p.line(f"BRA.U other, {after}")
    barrier_counts(p, "count", 1)
    p.line("@one SYNCS.EXCH.64 URZ, [bar], count", "NOP")
    p.here(after)
    meet(p)
    p.line("MOV parity, 0x0", f"BRA.U other, {rest}", f"MOV bytes, {hex(a.bytes + b.bytes)}")
    p.line("@one SYNCS.ARRIVE.TRANS64 RZ, [bar], bytes")
    a.load()
    b.load()
    p.here(rest)
    wait(p, "bar", "parity")
    zeroes = r.random() < 0.5
    if not zeroes:
        ones = {"f32": [0x3F800000, 0xC0400000, 0x40E00000], "f16": [0x3C00C200, 0x47003C00], "s32": [1, WORD - 6, 100]}[d]
        for i in range(registers):
            p.line(f"MOV acc.{i}, {hex(r.choice(ones))}")
    if in_registers:
        read_a(p, steps)
    p.line("WARPGROUP.ARRIVE", f"UMOV da.1, {hex(a.high)}", f"UMOV db.1, {hex(b.high)}")
    name_of = {"16.F32": "HGMMA", "16.F32.BF16": "HGMMA", "16.F16": "HGMMA", "8.F32.TF32": "HGMMA"}.get(
        modifiers, "IGMMA" if kind == "s8" else "QGMMA"
    )
    def multiply(to, zeroes):
        for j in range(steps):
            p.line(f"UMOV da.0, {a.low(j)}", f"UMOV db.0, {b.low(j)}")
            added = "RZ, !UPT" if zeroes and j == 0 else f"{to}, UPT"
            last = j == steps - 1 or r.random() < 0.2
            of = f"factor.{4 * j}" if in_registers else f"gdesc[da.0]{'.tnspA' if inside[0] else ''}"
            p.line(
                f"{name_of}.64x{n}x{modifiers} {to}, {of}, gdesc[db.0]{'.tnspB' if inside[1] else ''}, {added}{', gsb0' if last else ''}"
            )
        p.line("WARPGROUP.DEPBAR.LE gsb0, 0x0")

    multiply("acc", zeroes)
    if chained:  # the same B again, with what has been computed as A
        for i in range(4 * steps):
            p.line(f"F2FP.{element.upper()}.F32.PACK_AB factor.{i}, acc.{2 * i + 1}, acc.{2 * i}")
        p.line("WARPGROUP.ARRIVE")
        multiply("acc", True)
    for i in range(registers):
        store(p, f"acc.{i}")
    return finish(p)
