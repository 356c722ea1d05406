"""Programs over registers: integers of lanes and of warps, predicates, floating point, what passes between lanes, control."""

from text import Program, begin, finish, store


class Lanes:
    """Random instructions over a pool of general registers and predicates."""

    def __init__(self, program, values=6):
        self.program, self.random = program, program.random
        self.values = [f"v{i}" for i in range(values)]
        self.predicates = [f"p{i}" for i in range(4)]

    def fill(self):
        p = self.program
        for i, value in enumerate(self.values):
            start = self.random.randrange(3)
            if start == 0:
                p.line(f"MOV {value}, {hex(p.immediate())}")
            else:
                p.line(f"IMAD {value}, {'tid' if start == 1 else 'place'}, {hex(p.immediate())}, {hex(p.immediate())}")
        p.line(f"IMAD wide.0, tid, {hex(p.immediate())}, RZ", f"IMAD wide.1, lane, {hex(p.immediate())}, RZ")
        for predicate in self.predicates:
            p.line(f"ISETP.LT.U32.AND {predicate}, PT, lane, {hex(self.random.randrange(33))}, PT")

    def value(self):
        return self.random.choice(self.values)

    def predicate(self):
        return self.random.choice(["", "!"]) + self.random.choice(self.predicates)

    def signed(self, source):
        return self.random.choice(["", "", "-"]) + source

    def source(self):
        """A register or an immediate."""
        return self.value() if self.random.random() < 0.6 else hex(self.program.immediate())

    def shift(self):
        return self.value() if self.random.random() < 0.5 else hex(self.random.randrange(40))

    def guard(self):
        return f"@{self.predicate()} " if self.random.random() < 0.2 else ""

    def integer(self):
        r, v, s = self.random, self.value, self.source
        forms = [
            lambda: f"IADD3 {v()}, {self.signed(v())}, {s()}, {self.signed(v())}",
            lambda: f"VIADD {v()}, {v()}, {s()}",
            lambda: f"IMAD {v()}, {v()}, {s()}, {self.signed(v())}",
            lambda: f"IMAD.HI.U32 {v()}, {v()}, {s()}, {v()}",
            lambda: f"IMAD.HI {v()}, {v()}, {s()}, {v()}",
            lambda: f"IMAD.WIDE.U32 wide, {v()}, {s()}, {r.choice(['wide', 'RZ'])}",
            lambda: f"IMAD.WIDE wide, {v()}, {s()}, {r.choice(['wide', 'RZ'])}",
            lambda: f"MOV {v()}, wide.{r.randrange(2)}",
            lambda: f"SHF.L.U32 {v()}, {v()}, {self.shift()}, RZ",
            lambda: f"SHF.R.U32.HI {v()}, RZ, {self.shift()}, {v()}",
            lambda: f"SHF.R.S32.HI {v()}, RZ, {self.shift()}, {v()}",
            lambda: f"SHF.L.W.U32.HI {v()}, {v()}, {self.shift()}, {v()}",
            lambda: f"SHF.R.W.U32 {v()}, {v()}, {self.shift()}, {v()}",
            lambda: f"SHF.R.U32 {v()}, {v()}, {self.shift()}, {v()}",
            lambda: f"LOP3.LUT {v()}, {v()}, {s()}, {v()}, {hex(r.randrange(256))}, !PT",
            lambda: f"LOP3.LUT {v()}, {v()}, {s()}, RZ, {r.choice(['0xc0', '0xfc', '0x3c'])}, !PT",
            lambda: f"PRMT {v()}, {v()}, {hex(r.randrange(1 << 16))}, {v()}",
            lambda: f"PRMT {v()}, {v()}, {v()}, {v()}",
            lambda: f"LEA {v()}, {v()}, {s()}, {hex(r.randrange(32))}",
            lambda: f"SEL {v()}, {v()}, {s()}, {self.predicate()}",
            lambda: f"POPC {v()}, {v()}",
            lambda: f"BREV {v()}, {v()}",
            lambda: f"FLO.U32 {v()}, {v()}",
            lambda: f"IABS {v()}, {v()}",
            lambda: f"SGXT{r.choice(['', '.U32'])} {v()}, {v()}, {hex(r.randrange(1, 32))}",
            lambda: f"VIMNMX{r.choice(['', '.U32'])} {v()}, {v()}, {s()}, {r.choice(['PT', '!PT'])}",
            lambda: f"IADD3.X {v()}, {v()}, {s()}, RZ, {self.predicate()}, !PT",
        ]
        return self.guard() + r.choice(forms)()

    def compare(self):
        r = self.random
        p = r.choice(self.predicates)
        form = r.choice(
            ".EQ.U32.AND .GE.AND .GE.U32.AND .GT.AND .GT.U32.AND .GT.U32.OR .LE.U32.AND .LE.U32.OR .LT.OR .LT.U32.AND .LT.U32.OR "
            ".LT.U32.XOR .NE.AND .NE.U32.AND .NE.U32.OR .EQ.OR".split()
        )
        other = r.choice([q for q in self.predicates if q != p])
        second = r.choice(["PT", "PT", other])
        return self.guard() + f"ISETP{form} {p}, {second}, {self.value()}, {self.source()}, {self.predicate()}"

    def logic(self):
        r = self.random
        p, q = r.sample(self.predicates, 2)
        inputs = ", ".join(r.choice([self.predicate(), self.predicate(), "PT", "!PT"]) for _ in range(3))
        return f"PLOP3.LUT {p}, {r.choice(['PT', q])}, {inputs}, {hex(r.randrange(256))}, {hex(r.randrange(256))}"

    def between(self):
        r, v = self.random, self.value
        p = r.choice(self.predicates)
        return r.choice(
            [
                lambda: f"VOTE.ALL {p}, {self.predicate()}",
                lambda: f"VOTE.ANY {p}, {self.predicate()}",
                lambda: f"SHFL.IDX {r.choice(['PT', p])}, {v()}, {v()}, {self.shift()}, 0x1f",
                lambda: f"SHFL.BFLY {r.choice(['PT', p])}, {v()}, {v()}, {hex(r.randrange(32))}, 0x1f",
                lambda: f"SHFL.UP {r.choice(['PT', p])}, {v()}, {v()}, {hex(r.randrange(32))}, RZ",
            ]
        )()

    def shuffle(self):
        """Within segments of 1 to 32 lanes, and with other bounds than a segment's last lane."""
        r, v = self.random, self.value
        bounds = r.choice([0, 0x10, 0x18, 0x1C, 0x1E, 0x1F, r.randrange(32)]) << 8 | r.choice([0x1F, 0x1F, 0, r.randrange(32)])
        form = r.choice(["IDX", "BFLY", "UP"])
        by = r.choice([self.shift(), hex(r.randrange(32))])
        return f"SHFL.{form} {r.choice(['PT', *self.predicates])}, {v()}, {v()}, {by}, {hex(bounds)}"

    def store_all(self):
        p = self.program
        for value in [*self.values, "wide.0", "wide.1"]:
            store(p, value)
        for i, predicate in enumerate(self.predicates):
            p.line(f"SEL s{i}, RZ, 0x1, !{predicate}")
            store(p, f"s{i}")


def integers(name, seed):
    p = Program(name, seed)
    begin(p, 12)
    lanes = Lanes(p)
    lanes.fill()
    for _ in range(40):
        p.line(lanes.integer() if p.random.random() < 0.9 else lanes.compare())
    lanes.store_all()
    return finish(p)


def predicates(name, seed):
    p = Program(name, seed)
    begin(p, 12)
    lanes = Lanes(p)
    lanes.fill()
    for _ in range(30):
        p.line(p.random.choice([lanes.compare, lanes.compare, lanes.logic, lanes.integer])())
    lanes.store_all()
    return finish(p)


def between_lanes(name, seed):
    p = Program(name, seed)
    begin(p, 13)
    lanes = Lanes(p)
    lanes.fill()
    for _ in range(24):
        p.line(p.random.choice([lanes.between, lanes.between, lanes.compare, lanes.integer])())
    p.line(f"REDUX.SUM summed, {lanes.value()}", "MOV sum, summed")
    store(p, "sum")
    lanes.store_all()
    return finish(p)


def shuffles(name, seed):
    p = Program(name, seed)
    begin(p, 13)
    lanes = Lanes(p)
    lanes.fill()
    for _ in range(20):
        p.line(p.random.choice([lanes.shuffle, lanes.shuffle, lanes.shuffle, lanes.integer])())
    lanes.store_all()
    return finish(p)


def uniforms(name, seed):
    """Integers and predicates of a warp."""
    p = Program(name, seed, ctas=2)
    begin(p, 10)
    r = p.random
    values, flags = [f"u{i}" for i in range(6)], [f"q{i}" for i in range(3)]
    for i, value in enumerate(values):
        start = ["warp", "cta"][i] if i < 2 else None
        if start:
            p.line(f"UIMAD {value}, {start}, {hex(p.immediate())}, {hex(p.immediate())}")
        else:
            p.line(f"UMOV {value}, {hex(p.immediate())}")
    for i, flag in enumerate(flags):
        p.line(f"UISETP.NE.U32.AND {flag}, UPT, {['warp', 'cta', 'u2'][i]}, URZ, UPT")
    p.line("UMOV both.0, 0x1", f"UMOV both.1, {hex(p.immediate())}")
    v = lambda: r.choice(values)
    s = lambda: v() if r.random() < 0.6 else hex(p.immediate())
    shift = lambda: v() if r.random() < 0.5 else hex(r.randrange(40))
    flag = lambda: r.choice(["", "!"]) + r.choice(flags)
    sign = lambda x: r.choice(["", "", "-"]) + x
    forms = [
        lambda: f"UIADD3 {v()}, {sign(v())}, {s()}, {sign(v())}",
        lambda: f"UIMAD {v()}, {v()}, {s()}, {sign(v())}",
        lambda: f"UIMAD.WIDE.U32 both, {v()}, {s()}, {r.choice(['both', 'URZ'])}",
        lambda: f"UMOV {v()}, both.{r.randrange(2)}",
        lambda: f"USHF.L.U32 {v()}, {v()}, {shift()}, URZ",
        lambda: f"USHF.R.U32.HI {v()}, URZ, {shift()}, {v()}",
        lambda: f"USHF.R.S32.HI {v()}, URZ, {shift()}, {v()}",
        lambda: f"USHF.L.W.U32.HI {v()}, {v()}, {shift()}, {v()}",
        lambda: f"USHF.R.U32 {v()}, {v()}, {shift()}, {v()}",
        lambda: f"ULOP3.LUT {v()}, {v()}, {s()}, {v()}, {hex(r.randrange(256))}, !UPT",
        lambda: f"UPRMT {v()}, {v()}, {hex(r.randrange(1 << 16))}, {v()}",
        lambda: f"ULEA {v()}, {v()}, {s()}, {hex(r.randrange(32))}",
        lambda: f"USEL {v()}, {v()}, {s()}, {flag()}",
        lambda: f"UPOPC {v()}, {v()}",
        lambda: f"UBREV {v()}, {v()}",
        lambda: f"UFLO.U32 {v()}, {v()}",
        lambda: f"USGXT.U32 {v()}, {v()}, {hex(r.randrange(1, 32))}",
        lambda: f"UIADD3.64 both, both, both, URZ",
        lambda: f"UISETP{r.choice('.GE.AND .GE.U32.AND .LT.AND .LT.U32.AND .NE.AND .NE.U32.AND .LT.U32.OR .LT.U32.XOR .EQ.U32.XOR'.split())} "
        f"{r.choice(flags)}, UPT, {v()}, {s()}, {flag()}",
        lambda: "ISETP.LT.U32.AND some, PT, lane, " + hex(r.randrange(34)) + ", PT\n  VOTEU."
        + r.choice(["ALL", "ANY"]) + f" {r.choice(flags)}, some",
    ]
    for _ in range(40):
        text = r.choice(forms)()
        guarded = r.random() < 0.2 and "VOTEU" not in text
        p.line((f"@{flag()} " if guarded else "") + text)
    for i, value in enumerate([*values, "both.0", "both.1"]):
        p.line(f"MOV m{i}, {value}")
        store(p, f"m{i}")
    for i, one in enumerate(flags[:2]):
        p.line(f"USEL n{i}, URZ, 0x1, !{one}", f"MOV k{i}, n{i}")
        store(p, f"k{i}")
    return finish(p)


def control(name, seed):
    """Branches that all lanes take together, loops of a counted length, code that is skipped."""
    p = Program(name, seed, ctas=2)
    begin(p, 12)
    lanes, r = Lanes(p), p.random
    lanes.fill()
    for block in range(4):
        after, again = p.label(), p.label()
        kind = r.randrange(3)
        if kind == 0:
            p.line(f"UISETP.NE.U32.AND skip, UPT, {r.choice(['warp', 'cta'])}, {hex(r.randrange(2))}, UPT")
            p.line(f"BRA.U {r.choice(['', '!'])}skip, {after}")
        elif kind == 1:
            p.line(f"UMOV count{block}, 0x0")
            p.here(again)
        else:
            p.line(f"ISETP.LT.U32.AND all{block}, PT, warp_lanes, 0x1, PT", f"@all{block} BRA {after}")
        for _ in range(5):
            p.line(r.choice([lanes.integer, lanes.compare])())
        if kind == 1:
            p.line(
                f"UIADD3 count{block}, count{block}, 0x1, URZ",
                f"UISETP.LT.U32.AND more{block}, UPT, count{block}, {hex(r.randrange(1, 5))}, UPT",
                f"BRA.U more{block}, {again}",
            )
        else:
            p.here(after)
    lanes.store_all()
    return finish(p)


def floats(name, seed):
    """Sums and products to nearest, of numbers that neither overflow nor are NaN."""
    p = Program(name, seed)
    begin(p, 8)
    r = p.random
    values = [f"f{i}" for i in range(6)]
    for value in values:
        scale = r.randrange(110, 140) << 23
        p.line(f"IMAD i_{value}, tid, {hex(r.randrange(1 << 12))}, {hex(r.randrange(1 << 12))}")
        p.line(f"I2FP.F32.{r.choice(['S32', 'U32'])} {value}, i_{value}")
        p.line(f"FMUL {value}, {value}, {hex(scale | r.getrandbits(23))}")
    v = lambda: r.choice(values)
    sign = lambda x: r.choice(["", "-"]) + x
    fresh = 0
    for _ in range(8):
        fresh += 1
        to = r.choice([v(), f"g{fresh}"])
        small = hex(r.randrange(110, 130) << 23 | r.getrandbits(23))
        p.line(
            r.choice(
                [
                    lambda: f"FADD {to}, {sign(v())}, {sign(v())}",
                    lambda: f"FMUL {to}, {v()}, {small}",
                    lambda: f"FFMA {to}, {v()}, {small}, {sign(v())}",
                ]
            )()
        )
        values = sorted(set(values + [to]))
    p.line(f"F2FP.F16.F32.PACK_AB half, {v()}, {v()}", f"F2FP.BF16.F32.PACK_AB brain, {v()}, {v()}")
    for value in [*r.sample(values, 6), "half", "brain"]:
        store(p, value)
    return finish(p)


EDGES = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFF812345, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF]
EDGES += [0x477FE000, 0x477FF000, 0x7F7F8000, 0x3F800001]


def any_bits(name, seed):
    """A program, its random numbers, and six values, of which three are in registers: any bits in each lane."""
    p = Program(name, seed)
    begin(p, 10)
    r = p.random
    values = [f"f{i}" for i in range(6)]
    for value in values[:3]:
        p.line(f"IMAD {value}, tid, {hex(r.getrandbits(32))}, {hex(r.getrandbits(32))}")
    return p, r, values


def float_edges(name, seed):
    """The same, of any bits: infinities, NaNs, numbers that are too large, or below the least normal one."""
    p, r, values = any_bits(name, seed)
    for value in values[3:]:
        p.line(f"MOV {value}, {hex(r.choice(EDGES))}")
    v = lambda: r.choice(values)
    sign = lambda x: r.choice(["", "-"]) + x
    for i in range(8):
        to, number = f"g{i}", hex(r.choice(EDGES + [r.getrandbits(32)]))
        p.line(
            r.choice(
                [
                    lambda: f"FADD {to}, {sign(v())}, {sign(v())}",
                    lambda: f"FMUL {to}, {v()}, {number}",
                    lambda: f"FFMA {to}, {v()}, {number}, {sign(v())}",
                ]
            )()
        )
        values.append(to)
    p.line(f"F2FP.F16.F32.PACK_AB half, {v()}, {v()}", f"F2FP.BF16.F32.PACK_AB brain, {v()}, {v()}")
    for value in [*values[6:], "half", "brain"]:
        store(p, value)
    return finish(p)


def float_extremes(name, seed):
    """Minima, maxima and whole numbers of floats of any bits; each lane chooses, or all do. Of different values: ptxas
    makes of the minimum of one value and itself that value, a NaN's bits and all."""
    p, r, values = any_bits(name, seed)
    edges = EDGES + [0x4F000000, 0xCF000000, 0x4F800000, 0x4EFFFFFF, 0x3F7FFFFF]
    for value, bits in zip(values[3:], r.sample(edges, 3)):
        p.line(f"MOV {value}, {hex(bits)}")
    p.line(f"ISETP.LT.U32.AND less, PT, tid, {hex(r.randrange(1, 128))}, PT")
    for i in range(10):
        if r.random() < 0.6:
            a, b = [r.choice(["", "-"]) + value for value in r.sample(values, 2)]
            p.line(f"FMNMX g{i}, {a}, {b}, {r.choice(['PT', '!PT', 'less', '!less'])}")
        else:
            p.line(f"F2I.{r.choice(['', 'U32.'])}TRUNC.NTZ g{i}, {r.choice(values)}")
        store(p, f"g{i}")
    return finish(p)
