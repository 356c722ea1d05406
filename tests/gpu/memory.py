"""Programs over memory: shared and global, atomic adds, named barriers, mbarriers, clusters."""

from text import Program, barrier_counts, begin, finish, meet, store, wait, window

START = 0x400  # the first byte of shared memory that is the program's


def permutation(r, size):
    """An odd multiplier and a summand: tid -> (tid * m + c) % size, size a power of two."""
    return r.randrange(1, size, 2), r.randrange(size)


def place_of(p, to, by, size, words):
    """Shared address of the slot of thread `by` under a permutation."""
    m, c = permutation(p.random, size)
    p.line(
        f"IMAD {to}, {by}, {hex(m)}, {hex(c)}",
        f"LOP3.LUT {to}, {to}, {hex(size - 1)}, RZ, 0xc0, !PT",
        f"IMAD {to}, {to}, {hex(4 * words)}, {hex(START)}",
    )


def shared(name, seed):
    """Rounds of a store by one permutation and a load by another, of 1, 2 or 4 words or 16 bits."""
    p = Program(name, seed, threads=128, shared=128 * 16)
    begin(p, 12)
    r = p.random
    for i in range(4):
        p.line(f"IMAD v.{i}, tid, {hex(p.immediate())}, {hex(p.immediate())}")
    for i in range(3):
        words = r.choice([1, 2, 4])
        suffix = {1: "", 2: ".64", 4: ".128"}[words]
        place_of(p, f"to{i}", "tid", 128, words)
        place_of(p, f"from{i}", "tid", 128, words)
        if r.random() < 0.5 and words == 1:
            p.line(f"UMOV more{i}, 0x4", f"VIADD low{i}, to{i}, -0x4", f"STS [low{i}+more{i}], v.0")
        else:
            p.line(f"STS{suffix} [to{i}], v.0" if words == 1 else f"STS{suffix} [to{i}], v")
        p.line("BAR.SYNC.DEFER_BLOCKING 0x0")
        if words == 1 and r.random() < 0.3:
            p.line(f"LDS.U16 got{i}, [from{i}+{r.choice(['0x0', '0x2'])}]")
            store(p, f"got{i}")
        elif words == 1:
            p.line(f"LDS got{i}, [from{i}]")
            store(p, f"got{i}")
        else:
            p.line(f"LDS{suffix} got{i}, [from{i}]")
            for n in range(words):
                store(p, f"got{i}.{n}")
            for n in range(words):
                p.line(f"IADD3 v.{n}, v.{n}, got{i}.{n}, RZ")
        p.line("BAR.SYNC.DEFER_BLOCKING 0x0")
    return finish(p)


def global_memory(name, seed):
    """Loads and stores of 1, 2 and 4 words by permutations, then atomic adds of many threads to few places."""
    p = Program(name, seed, threads=64, ctas=2)
    begin(p, 8)
    r = p.random
    p.buffer("given", "u32", (128, 4))
    p.buffer("counts", "u32", (64,))
    p.buffer("sums", "f32", (64,))
    p.line(f"LDC.64 given_base, {p.address_of('given')}")
    for i in range(2):
        words = r.choice([1, 2, 4])
        suffix = {1: "", 2: ".64", 4: ".128"}[words]
        m, c = permutation(r, 128)
        p.line(
            f"IMAD row{i}, place, {hex(m)}, {hex(c)}",
            f"LOP3.LUT row{i}, row{i}, 0x7f, RZ, 0xc0, !PT",
            f"IMAD.WIDE.U32 from{i}, row{i}, 0x10, given_base",
            f"LDG.E{suffix} got{i}, [from{i}.64]",
        )
        for n in range(words):
            store(p, f"got{i}.{n}" if words > 1 else f"got{i}")
    p.line(f"LDC.64 counts_base, {p.address_of('counts')}", f"LDC.64 sums_base, {p.address_of('sums')}")
    for i in range(3):
        few = r.choice([1, 3, 7, 15])
        p.line(f"LOP3.LUT at{i}, tid, {hex(few)}, RZ, 0xc0, !PT")
        kind = r.choice(["count", "f32", "v2", "v4"])
        if kind == "count":
            p.line(
                f"IMAD.WIDE.U32 to{i}, at{i}, 0x4, counts_base",
                f"IMAD more{i}, tid, {hex(p.immediate())}, {hex(p.immediate())}",
                f"REDG.E.ADD.STRONG.GPU [to{i}.64], more{i}",
            )
            continue
        words = {"f32": 1, "v2": 2, "v4": 4}[kind]
        form = {"f32": "F32", "v2": "F32x2", "v4": "F32x4"}[kind]
        p.line(f"IMAD.WIDE.U32 to{i}, at{i}, {hex(4 * words)}, sums_base")
        for n in range(words):
            part = f".{n}" if words > 1 else ""
            p.line(f"IADD3 w{i}_{n}, tid, {hex(r.randrange(64))}, RZ", f"I2FP.F32.U32 more{i}{part}, w{i}_{n}")
        p.line(f"REDG.E.ADD.{form}.FTZ.RN.STRONG.GPU [to{i}.64], more{i}")
    return finish(p)


def flags(name, seed):
    """CTAs that wait for what another one has stored: a flag behind a fence, raised once by each."""
    p = Program(name, seed, threads=32, ctas=4)
    begin(p, 4)
    r = p.random
    p.buffer("flag", "u32", (8,))
    p.buffer("note", "u32", (4, 32))
    p.line(
        f"LDC.64 flag_base, {p.address_of('flag')}",
        f"LDC.64 note_base, {p.address_of('note')}",
        f"IMAD.WIDE.U32 mine, place, 0x4, note_base",
        f"IMAD value, place, {hex(p.immediate())}, {hex(p.immediate())}",
        "STG.E [mine.64], value",
        "MEMBAR.ALL.GPU",
        "WARPSYNC.ALL",
        "ELECT one, URZ, PT",
        "MOV more, 0x1",
        "@one REDG.E.ADD.STRONG.GPU [flag_base.64], more",
        f"LDG.E begun, [flag_base.64+0x4]",
    )
    # The flag began as what is beside it is not; so it is compared with what it was, which nobody stores to.
    p.line("MOV zero, 0x0")
    again = p.label()
    p.here(again)
    first = _input("flag", p)
    p.line(
        "LDG.E.STRONG.GPU seen, [flag_base.64]",
        f"IADD3 past, seen, {hex(-(first + 4) & 0xFFFFFFFF)}, RZ",
        "ISETP.GE.AND reached, PT, past, RZ, PT",
        "VOTEU.ALL all, reached",
        f"BRA.U !all, {again}",
        "MEMBAR.ALL.GPU",
    )
    m = r.randrange(1, 4)
    p.line(
        f"IADD3 other, cta_lanes, {hex(m)}, RZ",
        "LOP3.LUT other, other, 0x3, RZ, 0xc0, !PT",
        "IMAD other, other, 0x20, tid",
        "IMAD.WIDE.U32 there, other, 0x4, note_base",
        "LDG.E got, [there.64]",
    )
    store(p, "got")
    return finish(p)


def _input(name, p):
    """What the first element of a buffer holds at first."""
    from inputs import integers

    number = next(i for i, text in enumerate(p.buffers) if text.split()[1] == name)
    return int(integers(number, 1)[0])


def named_barriers(name, seed):
    """Two groups of warps hand words to each other through two barriers, one arriving, the other waiting."""
    p = Program(name, seed, threads=128, shared=64 * 16)
    begin(p, 8)
    r = p.random
    first, second = r.sample(range(1, 16), 2)
    p.line(
        "UISETP.GE.U32.AND takes, UPT, warp, 0x2, UPT",
        "LOP3.LUT slot, tid, 0x3f, RZ, 0xc0, !PT",
        f"IMAD at, slot, 0x10, {hex(START)}",
    )
    rounds = r.randrange(1, 5)
    gives = p.label()
    done = p.label()
    p.line(f"BRA.U !takes, {gives}")
    for i in range(rounds):
        p.line(f"BAR.SYNC.DEFER_BLOCKING {hex(first)}, 0x80", f"LDS got{i}, [at+{hex(4 * (i % 2))}]")
        store(p, f"got{i}")
        p.line(f"BAR.ARV {hex(second)}, 0x80")
    p.line(f"BRA {done}")
    p.here(gives)
    for i in range(rounds):
        if i:
            p.line(f"BAR.SYNC.DEFER_BLOCKING {hex(second)}, 0x80")
        p.line(
            f"IMAD value{i}, tid, {hex(p.immediate())}, {hex(p.immediate())}",
            f"STS [at+{hex(4 * (i % 2))}], value{i}",
            f"BAR.ARV {hex(first)}, 0x80",
        )
    p.line(f"BAR.SYNC.DEFER_BLOCKING {hex(second)}, 0x80")
    p.here(done)
    return finish(p)


def mbarriers(name, seed):
    """A ring between warps: words stored, a barrier arrived at, waited for and probed; counts of every kind."""
    p = Program(name, seed, threads=64, shared=1024)
    begin(p, 14)
    r = p.random
    depth, rounds = r.randrange(1, 4), r.randrange(2, 9)
    each = r.choice(["lanes", "one", "counted"])
    arrivals = {"lanes": 32, "one": 1, "counted": r.randrange(2, 30)}[each]
    bars = START + 0x200
    full = [bars + 16 * i for i in range(depth)]
    empty = [bars + 16 * i + 8 for i in range(depth)]
    p.line("ELECT one, URZ, PT", f"UMOV bars, {hex(bars)}", "UISETP.NE.U32.AND second, UPT, warp, URZ, UPT")
    after = p.label()
    p.line(f"BRA.U second, {after}")
    barrier_counts(p, "full_count", arrivals)
    barrier_counts(p, "empty_count", 32)
    for i in range(depth):
        p.line(f"@one SYNCS.EXCH.64 URZ, [bars+{hex(full[i] - bars)}], full_count")
        p.line(f"@one SYNCS.EXCH.64 URZ, [bars+{hex(empty[i] - bars)}], empty_count")
    p.line("NOP")
    p.here(after)
    meet(p)
    p.line(f"IMAD slot, lane, 0x4, {hex(START)}", "MOV low, 0x0", "MOV high, 0x80000000")
    takes, done = p.label(), p.label()
    p.line(f"BRA.U second, {takes}")
    if each == "counted":
        p.line(f"MOV times, {hex(arrivals)}")
    for i in range(rounds):
        stage = i % depth
        wait(p, f"bars+{hex(empty[stage] - bars)}", "high" if i // depth % 2 == 0 else "low")
        p.line(f"IMAD value, tid, {hex(p.immediate())}, {hex(p.immediate())}", f"STS [slot+{hex(128 * stage)}], value")
        at = f"[bars+{hex(full[stage] - bars)}]"
        if each == "lanes":
            p.line(f"SYNCS.ARRIVE.TRANS64.A1T0 RZ, {at}, RZ")
        else:
            p.line("WARPSYNC.ALL")
            form = f".A1T0 RZ, {at}, RZ" if each == "one" else f".ART0 RZ, {at}, times"
            p.line(f"@one SYNCS.ARRIVE.TRANS64{form}")
    p.line(f"BRA {done}")
    p.here(takes)
    for i in range(rounds):
        stage = i % depth
        wait(p, f"bars+{hex(full[stage] - bars)}", "low" if i // depth % 2 == 0 else "high")
        p.line(
            f"SYNCS.PHASECHK.TRANS64 probed, [bars+{hex(full[stage] - bars)}], {'low' if i // depth % 2 == 0 else 'high'}",
            f"LDS got, [slot+{hex(128 * stage)}]",
            "SEL got, got, RZ, probed",
        )
        store(p, "got")
        p.line(f"SYNCS.ARRIVE.TRANS64.A1T0 RZ, [bars+{hex(empty[stage] - bars)}], RZ")
    p.here(done)
    return finish(p)


def clusters(name, seed):
    """CTAs that arrive at each other's mbarriers; ranks; the cluster's barrier between rounds."""
    size = [2, 2, 4, 8][seed % 4]
    p = Program(name, seed, threads=32, ctas=2 * size, cluster=size, shared=1024)
    begin(p, 4)
    r = p.random
    window(p)
    p.line("MOV rank_lanes, rank")
    store(p, "rank_lanes")
    barrier_counts(p, "count", size * r.choice([1]))
    p.line(f"@one SYNCS.EXCH.64 URZ, [window+{hex(START)}], count", "NOP")
    meet(p)
    rounds = r.randrange(1, 4)
    p.line("MOV low, 0x0", "MOV high, 0x80000000")
    for i in range(rounds):
        for other in range(size):
            p.line(
                f"UIADD3 there{i}_{other}, rank, {hex(other)}, URZ",
                f"ULOP3.LUT there{i}_{other}, there{i}_{other}, {hex(size - 1)}, URZ, 0xc0, !UPT",
                f"USHF.L.U32 there{i}_{other}, there{i}_{other}, 0x18, URZ",
                f"@one SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [there{i}_{other}+{hex(START)}], RZ",
            )
        wait(p, f"window+{hex(START)}", "low" if i % 2 == 0 else "high")
        p.line(f"SYNCS.PHASECHK.TRANS64 probed, [window+{hex(START)}], {'low' if i % 2 == 0 else 'high'}", f"SEL got{i}, RZ, 0x1, !probed")
        store(p, f"got{i}")
        p.line("UCGABAR_ARV", "UCGABAR_WAIT")
    return finish(p)
