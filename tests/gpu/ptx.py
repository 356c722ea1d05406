"""Programs of PTX as others write it, for `warpcc check KERNEL.ptx`: instructions of every form, each on operands of all kinds, a lane each.

A form is a line of PTX with its operands by type: `add.sat.s32 {d:b32}, {b32}, {b32}`. What it leaves in `{d:…}` is stored, a word or two a lane.
PTX's own braces are written as parentheses.
"""

import itertools
import math
import random
import re
import struct

LINES = 40  # of forms a program


# ---- operands


def bits_of(form, value):
    return int.from_bytes(struct.pack(form, value), "little")


FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    -2.5,
    0.5,
    3.0,
    1e-3,
    65504.0,
    448.0,
    449.0,
    464.0,
    57344.0,
    61440.0,
    255.5,
    -128.5,
    2147483648.0,
    -2147483648.0,
    4294967296.0,
    1e10,
    1e-10,
]
F32 = [bits_of("<f", x) for x in FLOATS] + [
    0x7F800000,
    0xFF800000,
    0x7FC00001,
    0xFF812345,
    0x00000001,
    0x807FFFFF,
    0x00800000,
    0x7F7FFFFF,
    0x3F800001,
    0x33800000,
    0x387FE000,
    0x5F000000,
]
F64 = [bits_of("<d", x) for x in FLOATS] + [
    0x7FF0000000000000,
    0xFFF0000000000000,
    0x7FF8000000000001,
    1,
    0x000FFFFFFFFFFFFF,
    0x7FEFFFFFFFFFFFFF,
    0x3FF0000000000001,
    0x3FEFFFFFFFFFFFFF,
]
F16 = [
    0x0000,
    0x8000,
    0x3C00,
    0xBC00,
    0x3E00,
    0xC100,
    0x7BFF,
    0xFBFF,
    0x7C00,
    0xFC00,
    0x7E01,
    0xFD00,
    0x0001,
    0x83FF,
    0x0400,
    0x3C01,
    0x5BFF,
    0x6400,
]
BF16 = [
    0x0000,
    0x8000,
    0x3F80,
    0xBF80,
    0x3FC0,
    0xC020,
    0x7F7F,
    0xFF7F,
    0x7F80,
    0xFF80,
    0x7FC1,
    0xFF90,
    0x0001,
    0x807F,
    0x0080,
    0x3F81,
    0x437F,
    0x4F00,
]
WHOLE = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    0x100000000,
    2**63 - 1,
    2**63,
    2**64 - 1,
]


def small(chance, kind):
    """A register full of whole numbers from -3 to 3."""
    numbers = [chance.randrange(-3, 4) for _ in range(8)]
    if kind in ("s8", "u8"):
        return sum((x & 0xFF) << 8 * i for i, x in enumerate(numbers[:4]))
    if kind in ("e4m3", "e5m2"):
        codes = {
            "e4m3": (0xC4, 0xC0, 0xB8, 0x00, 0x38, 0x40, 0x44),
            "e5m2": (0xC2, 0xC0, 0xBC, 0x00, 0x3C, 0x40, 0x42),
        }[kind]
        return sum(codes[x + 3] << 8 * i for i, x in enumerate(numbers[:4]))
    if kind == "f64":
        return bits_of("<d", float(numbers[0]))
    if kind in ("f32", "tf32"):
        return bits_of("<f", float(numbers[0]))
    halves = [bits_of("<e", float(x)) if kind == "f16" else bits_of("<f", float(x)) >> 16 for x in numbers[:2]]
    return halves[0] | halves[1] << 16


def value(chance, kind):
    """The bits of an operand: what is special of its kind, near to it, or any."""
    wild = chance.getrandbits(64)
    if kind in ("f32", "f64", "f16", "bf16"):
        special, width = {"f32": (F32, 32), "f64": (F64, 64), "f16": (F16, 16), "bf16": (BF16, 16)}[kind]
        if chance.random() < 0.4:
            return chance.choice(special)
        if kind == "f64" or chance.random() < 0.3:
            return wild & (1 << width) - 1
        number = chance.choice([1, -1]) * 2.0 ** chance.uniform(-12, 12)
        if kind == "f32":
            return bits_of("<f", number)
        return bits_of("<e", number) if kind == "f16" else bits_of("<f", number) >> 16
    if kind in ("f16x2", "bf16x2"):
        return value(chance, kind[:-2]) | value(chance, kind[:-2]) << 16
    if kind.startswith("small_"):
        return small(chance, kind[6:])
    if kind == "near":
        return chance.randrange(-1000, 1000) & 0xFFFFFFFF
    if kind == "tame":
        return bits_of("<f", chance.choice([1, -1]) * 2.0 ** chance.uniform(-6, 6))
    if kind == "small":  # amounts of shifts, positions, lengths
        return chance.choice([0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 200, 255])
    if kind == "odd":  # never zero
        return wild | 1
    if chance.random() < 0.4:
        return (chance.choice(WHOLE) * chance.choice([1, 1, -1])) & 2**64 - 1
    return wild >> chance.choice([0, 0, 16, 32, 40, 56])


# By an operand's kind: the register's type.
REGISTERS = {
    "b16": "b16",
    "b32": "b32",
    "b64": "b64",
    "f32": "b32",
    "f64": "b64",
    "f16": "b16",
    "bf16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "small": "b32",
    "odd": "b32",
    "odd16": "b16",
    "odd64": "b64",
    "pred": "pred",
    "near": "b32",
    "tame": "b32",
    "small_f64": "b64",
}


# ---- forms


def each(template, **choices):
    """The template with every choice of each name."""
    for chosen in itertools.product(*choices.values()):
        text = template
        for name, word in zip(choices, chosen):
            text = text.replace("<" + name + ">", word)
        yield text


def whole_numbers():
    for bits in ("16", "32", "64"):
        for sign in "us":
            t, r = sign + bits, "b" + bits
            odd = {"16": "odd16", "32": "odd", "64": "odd64"}[bits]
            for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{r}}};"
            for op in ("div", "rem"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{odd}}};"
            for op in ("mad.lo", "mad.hi"):
                yield f"{op}.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{{r}}};"
            yield f"sad.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{{r}}};"
            yield f"shr.{t} {{d:{r}}}, {{{r}}}, {{small}};"
        for op in ("abs", "neg"):
            yield f"{op}.s{bits} {{d:b{bits}}}, {{b{bits}}};"
        for op in ("and", "or", "xor"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{b{bits}}};"
        for op in ("not", "cnot"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}};"
        for op in ("shl", "shr"):
            yield f"{op}.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{small}};"
    for sign in "us":
        for narrow, wide in (("16", "32"), ("32", "64")):
            yield f"mul.wide.{sign}{narrow} {{d:b{wide}}}, {{b{narrow}}}, {{b{narrow}}};"
            yield f"mad.wide.{sign}{narrow} {{d:b{wide}}}, {{b{narrow}}}, {{b{narrow}}}, {{b{wide}}};"
        for half in ("lo", "hi"):
            yield f"mul24.{half}.{sign}32 {{d:b32}}, {{b32}}, {{b32}};"
            yield f"mad24.{half}.{sign}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
        for bits in ("32", "64"):
            yield f"bfe.{sign}{bits} {{d:b{bits}}}, {{b{bits}}}, {{small}}, {{small}};"
            yield f"bfind.{sign}{bits} {{d:b32}}, {{b{bits}}};"
            yield f"bfind.shiftamt.{sign}{bits} {{d:b32}}, {{b{bits}}};"
        for mode in ("clamp", "wrap"):
            yield f"szext.{mode}.{sign}32 {{d:b32}}, {{b32}}, {{small}};"
        for other in "us":
            yield f"dp4a.{sign}32.{other}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
            for half in ("lo", "hi"):
                yield f"dp2a.{half}.{sign}32.{other}32 {{d:b32}}, {{b32}}, {{b32}}, {{b32}};"
        for op in ("min", "max"):
            yield f"{op}.{sign}16x2 {{d:b32}}, {{b32}}, {{b32}};"
        yield f"add.{sign}16x2 {{d:b32}}, {{b32}}, {{b32}};"
    yield from each("<op>.relu.s16x2 {d:b32}, {b32}, {b32};", op=("min", "max"))
    yield from each("<op>.relu.s32 {d:b32}, {b32}, {b32};", op=("min", "max"))
    yield from each("<op>.sat.s32 {d:b32}, {b32}, {b32};", op=("add", "sub"))
    yield "mad.hi.sat.s32 {d:b32}, {b32}, {b32}, {b32};"
    for bits in ("32", "64"):
        yield from each("<op>.b" + bits + " {d:b32}, {b" + bits + "};", op=("popc", "clz"))
        yield f"brev.b{bits} {{d:b{bits}}}, {{b{bits}}};"
        yield f"bfi.b{bits} {{d:b{bits}}}, {{b{bits}}}, {{b{bits}}}, {{small}}, {{small}};"
    yield from each("bmsk.<mode>.b32 {d:b32}, {small}, {small};", mode=("clamp", "wrap"))
    yield from each("shf.<way>.<mode>.b32 {d:b32}, {b32}, {b32}, {small};", way="lr", mode=("clamp", "wrap"))
    yield from each(
        "prmt.b32<mode> {d:b32}, {b32}, {b32}, {b32};", mode=("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")
    )
    yield from each(
        "lop3.b32 {d:b32}, {b32}, {b32}, {b32}, <table>;", table=("0x80", "0xfe", "0x96", "0xca", "0x1b", "0x6d")
    )
    # Chains of carries.
    yield "add.cc.u32 {d:b32}, {b32}, {b32}; addc.cc.u32 {d:b32}, {b32}, {b32}; addc.u32 {d:b32}, {b32}, {b32};"
    yield "sub.cc.u32 {d:b32}, {b32}, {b32}; subc.cc.u32 {d:b32}, {b32}, {b32}; subc.u32 {d:b32}, {b32}, {b32};"
    yield "add.cc.u64 {d:b64}, {b64}, {b64}; addc.u64 {d:b64}, {b64}, {b64};"
    yield "mad.lo.cc.u32 {d:b32}, {b32}, {b32}, {b32}; madc.hi.cc.u32 {d:b32}, {b32}, {b32}, {b32}; addc.u32 {d:b32}, {b32}, {b32};"


def real_numbers():
    ways = ("rn", "rz", "rm", "rp")
    yield from each(
        "<op>.<way><ftz><sat>.f32 {d:f32}, {f32}, {f32};",
        op=("add", "sub", "mul"),
        way=ways,
        ftz=("", ".ftz"),
        sat=("", ".sat"),
    )
    yield from each(
        "fma.<way><ftz><sat>.f32 {d:f32}, {f32}, {f32}, {f32};", way=ways, ftz=("", ".ftz"), sat=("", ".sat")
    )
    yield from each("div.<way><ftz>.f32 {d:f32}, {f32}, {f32};", way=ways, ftz=("", ".ftz"))
    yield from each("<op>.<way><ftz>.f32 {d:f32}, {f32};", op=("rcp", "sqrt"), way=ways, ftz=("", ".ftz"))
    yield from each(
        "<op><ftz><nan><sign>.f32 {d:f32}, {f32}, {f32};",
        op=("min", "max"),
        ftz=("", ".ftz"),
        nan=("", ".NaN"),
        sign=("", ".xorsign.abs"),
    )
    yield from each("<op><ftz>.f32 {d:f32}, {f32};", op=("abs", "neg"), ftz=("", ".ftz"))
    yield from each("<op>.<way>.f64 {d:f64}, {f64}, {f64};", op=("add", "sub", "mul", "div"), way=ways)
    yield from each("fma.<way>.f64 {d:f64}, {f64}, {f64}, {f64};", way=ways)
    yield from each("<op>.<way>.f64 {d:f64}, {f64};", op=("rcp", "sqrt"), way=ways)
    yield from each("<op>.f64 {d:f64}, {f64}, {f64};", op=("min", "max", "copysign"))
    yield from each("<op>.f64 {d:f64}, {f64};", op=("abs", "neg"))
    yield "copysign.f32 {d:f32}, {f32}, {f32};"
    yield from each(
        "testp.<test>.<type> {d:pred}, {<type>};",
        test=("finite", "infinite", "number", "notanumber", "normal", "subnormal"),
        type=("f32", "f64"),
    )
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        ftz = ("", ".ftz") if t.startswith("f16") else ("",)
        sat = ("", ".sat") if t.startswith("f16") else ("",)
        yield from each(
            "<op>.rn<ftz><sat>.T {d:T}, {T}, {T};".replace("T", t), op=("add", "sub", "mul"), ftz=ftz, sat=sat
        )
        yield from each("fma.rn<ftz><end>.T {d:T}, {T}, {T}, {T};".replace("T", t), ftz=ftz, end=sat + (".relu",))
        yield from each("fma.rn.oob<end>.T {d:T}, {T}, {T}, {T};".replace("T", t), end=("", ".relu"))
        yield from each(
            "<op><ftz><nan><sign>.T {d:T}, {T}, {T};".replace("T", t),
            op=("min", "max"),
            ftz=ftz,
            nan=("", ".NaN"),
            sign=("", ".xorsign.abs"),
        )
        yield from each("<op><ftz>.T {d:T}, {T};".replace("T", t), op=("abs", "neg"), ftz=ftz)


WHOLE_TYPES = [sign + bits for bits in ("8", "16", "32", "64") for sign in "us"]


def in_register(t):
    return {"8": "b32", "16": "b16", "32": "b32", "64": "b64"}[t[1:]]


def conversions():
    for to, source in itertools.product(WHOLE_TYPES, WHOLE_TYPES):
        if to != source:
            yield f"cvt.{to}.{source} {{d:{in_register(to)}}}, {{{in_register(source)}}};"
        # Not where every value fits.
        if (
            int(to[1:]) < int(source[1:])
            or (source[0] == "s" and to[0] == "u")
            or (to[1:] == source[1:] and to != source)
        ):
            yield f"cvt.sat.{to}.{source} {{d:{in_register(to)}}}, {{{in_register(source)}}};"
    for whole, real in itertools.product(WHOLE_TYPES, ("f16", "bf16", "f32", "f64")):
        if real == "bf16" and whole[1:] == "8":
            continue
        for way in ("rn", "rz", "rm", "rp"):
            yield f"cvt.{way}.{real}.{whole} {{d:{real}}}, {{{in_register(whole)}}};"
            yield f"cvt.{way}i.{whole}.{real} {{d:{in_register(whole)}}}, {{{real}}};"
            if real == "f32":
                yield f"cvt.{way}i.ftz.{whole}.{real} {{d:{in_register(whole)}}}, {{{real}}};"
    for way in ("rn", "rz", "rm", "rp"):
        for real in ("f16", "f32", "f64"):
            yield from each(
                "cvt." + way + "i<sat>.T.T {d:T}, {T};".replace("T", real), sat=("", ".sat") if real != "f64" else ("",)
            )
        for narrow, wide in (("f16", "f32"), ("f16", "f64"), ("f32", "f64")):
            yield f"cvt.{way}.{narrow}.{wide} {{d:{narrow}}}, {{{wide}}};"
    yield from (
        "cvt.f32.f16 {d:f32}, {f16};",
        "cvt.f64.f16 {d:f64}, {f16};",
        "cvt.f64.f32 {d:f64}, {f32};",
        "cvt.f32.bf16 {d:f32}, {bf16};",
    )
    yield from (
        "cvt.ftz.f64.f32 {d:f64}, {f32};",
        "cvt.ftz.f32.f16 {d:f32}, {f16};",
        "cvt.rn.ftz.f16.f32 {d:f16}, {f32};",
        "cvt.rn.ftz.f32.f64 {d:f32}, {f64};",
        "cvt.rn.sat.f32.f64 {d:f32}, {f64};",
    )
    yield from ("cvt.sat.f32.f32 {d:f32}, {f32};", "cvt.ftz.f32.f32 {d:f32}, {f32};", "cvt.sat.f16.f16 {d:f16}, {f16};")
    for to in ("f16", "bf16"):
        yield from each(
            "cvt.<way><relu><fits>.T.f32 {d:T}, {f32};".replace("T", to),
            way=("rn", "rz"),
            relu=("", ".relu"),
            fits=("", ".satfinite"),
        )
        yield from each(
            "cvt.<way><relu><fits>.Tx2.f32 {d:Tx2}, {f32}, {f32};".replace("T", to),
            way=("rn", "rz"),
            relu=("", ".relu"),
            fits=("", ".satfinite"),
        )
    for to in ("f16", "f32", "f64"):
        yield from each(
            "cvt.<way>.bf16.T {d:bf16}, {T};".replace("T", to),
            way=("rn", "rz", "rm", "rp") if to != "f32" else ("rm", "rp"),
        )
    yield from ("cvt.rn.f16.bf16 {d:f16}, {bf16};", "cvt.f64.bf16 {d:f64}, {bf16};")
    yield from each(
        "cvt.<way>.tf32.f32 {d:f32}, {f32};", way=("rna", "rn", "rz", "rn.relu", "rz.relu", "rna.satfinite")
    )
    for small in ("e4m3x2", "e5m2x2"):
        yield from each(
            "( .reg .b16 h; cvt.rn.satfinite<relu>.T.f32 h, {f32}, {f32}; mov.b16 {d:b16}, h; )".replace("T", small),
            relu=("", ".relu"),
        )
        yield from each(
            "( .reg .b16 h; cvt.rn.satfinite<relu>.T.f16x2 h, {f16x2}; mov.b16 {d:b16}, h; )".replace("T", small),
            relu=("", ".relu"),
        )
        yield from each("cvt.rn<relu>.f16x2.T {d:b32}, {b16};".replace("T", small), relu=("", ".relu"))
    yield from each("cvt.pack.sat.<to>.s32 {d:b32}, {b32}, {b32};", to=("u16", "s16"))
    yield from each("cvt.pack.sat.<to>.s32.b32 {d:b32}, {b32}, {b32}, {b32};", to=("u8", "s8", "u4", "s4", "u2", "s2"))


def comparisons():
    ordered = ("eq", "ne", "lt", "le", "gt", "ge")
    unordered = tuple(x + "u" for x in ordered) + ("num", "nan")
    kinds = [("u" + b, "b" + b, ordered + ("lo", "ls", "hi", "hs")) for b in ("16", "32", "64")]
    kinds += [("s" + b, "b" + b, ordered) for b in ("16", "32", "64")] + [
        ("b" + b, "b" + b, ("eq", "ne")) for b in ("16", "32", "64")
    ]
    kinds += [(real, real, ordered + unordered) for real in ("f16", "bf16", "f32", "f64")]
    for t, r, tests in kinds:
        yield from each("setp.<test>.T {d:pred}, {R}, {R};".replace("T", t).replace("R", r), test=tests)
        second = "" if r in ("f16", "bf16") else "|{d:pred}"
        yield from each(
            "setp.<test>.<join>.T {d:pred}S, {R}, {R}, {pred};".replace("S", second).replace("T", t).replace("R", r),
            test=tests[:3],
            join=("and", "or", "xor"),
        )
        if r != "f16" and r != "bf16":
            yield from each(
                "set.<test>.<to>.T {d:b32}, {R}, {R};".replace("T", t).replace("R", r),
                test=tests[::3],
                to=("u32", "s32", "f32"),
            )
            if t[0] != "b":
                yield f"slct.{t}.s32 {{d:{r}}}, {{{r}}}, {{{r}}}, {{b32}};"
                yield f"slct.ftz.{t}.f32 {{d:{r}}}, {{{r}}}, {{{r}}}, {{f32}};"
            yield f"selp.{t} {{d:{r}}}, {{{r}}}, {{{r}}}, {{pred}};"
    yield from each("setp.<test><ftz>.f32 {d:pred}, {f32}, {f32};", test=("eq", "lt", "geu"), ftz=(".ftz",))
    for t in ("f16x2", "bf16x2"):
        yield from each("setp.<test>.T {d:pred}|{d:pred}, {T}, {T};".replace("T", t), test=ordered + unordered)
        yield from each("set.<test>.T.T {d:T}, {T}, {T};".replace("T", t), test=ordered + unordered)
    yield from each(
        "set.<test>.<join>.u32.f32 {d:b32}, {f32}, {f32}, {pred};", test=("lt", "neu"), join=("and", "or", "xor")
    )


def between_lanes():
    """What passes between the lanes of a warp."""
    yield from each(
        "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 31; shfl.sync.<way>.b32 {d:b32}|q, {b32}, c, <bound>, -1; selp.b32 {d:b32}, 1, 0, q; )",
        way=("up", "down", "bfly", "idx"),
        bound=("0", "31", "0x1c1f", "0x1800", "0x181f", "0x1e00"),
    )
    yield from each("vote.sync.<way>.pred {d:pred}, {pred}, -1;", way=("all", "any", "uni"))
    yield "vote.sync.ballot.b32 {d:b32}, {pred}, -1;"
    yield from each("( .reg .b32 c; and.b32 c, {b32}, 3; match.any.sync.b32 {d:b32}, c, -1; )", x=("",))
    yield "( .reg .b64 c; and.b64 c, {b64}, 1; match.any.sync.b64 {d:b32}, c, -1; )"
    yield "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 0; match.all.sync.b32 {d:b32}|q, c, -1; selp.b32 {d:b32}, 1, 0, q; )"
    yield "( .reg .pred q; .reg .b32 c; and.b32 c, {b32}, 1; match.all.sync.b32 {d:b32}|q, c, -1; selp.b32 {d:b32}, 1, 0, q; )"
    yield from each("redux.sync.<op>.<type> {d:b32}, {b32}, -1;", op=("add", "min", "max"), type=("u32", "s32"))
    yield from each("redux.sync.<op>.b32 {d:b32}, {b32}, -1;", op=("and", "or", "xor"))
    yield "movmatrix.sync.aligned.m8n8.trans.b16 {d:b32}, {b32};"
    yield "elect.sync {d:b32}|{d:pred}, -1;"
    yield "activemask.b32 {d:b32};"


def products():
    """mma.sync: products of small whole numbers, which no order of adding changes."""
    shapes = [
        ("m16n8k8", "f16", 2, 1), ("m16n8k16", "f16", 4, 2), ("m16n8k8", "bf16", 2, 1), ("m16n8k16", "bf16", 4, 2), ("m16n8k4", "tf32", 2, 1), ("m16n8k8", "tf32", 4, 2),
        ("m16n8k32", "e4m3", 4, 2), ("m16n8k32", "e5m2", 4, 2), ("m16n8k16", "s8", 2, 1), ("m16n8k32", "s8", 4, 2), ("m16n8k16", "u8", 2, 1), ("m16n8k32", "u8", 4, 2),
    ]  # fmt: skip
    for shape, t, a, b in shapes:
        whole, count = t in ("s8", "u8"), 4
        d, s = ("s32", "near") if whole else ("f32", "small_f32")
        rows = ", ".join(f"{{d:{'b32' if whole else 'f32'}}}" for _ in range(count))
        words = lambda kind, n: "(" + ", ".join([f"{{{kind}}}"] * n) + ")"
        yield f"mma.sync.aligned.{shape}.row.col.{d}.{t}.{t}.{d} ({rows}), {words('small_' + t, a)}, {words('small_' + t, b)}, {words(s, count)};"
        if whole:
            other = {"s": "u", "u": "s"}[t[0]] + t[1:]
            yield f"mma.sync.aligned.{shape}.row.col.satfinite.{d}.{t}.{other}.{d} ({rows}), {words('b32', a)}, {words('b32', b)}, {words('b32', count)};"
        if t == "f16":
            yield f"mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16 ({{d:b32}}, {{d:b32}}), {words('small_f16', a)}, {words('small_f16', b)}, {words('small_f16', 2)};"


def shared_memory():
    """Shared memory, a warp's: each lane has 64 bytes of its own, at `mine`."""
    for t in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "b16"):
        wide = {"8": "b32", "6": "b16", "2": "b32", "4": "b64"}[t[-1]]
        yield f"st.shared.{t} [mine], {{{wide}}}; ld.shared.{t} {{d:{wide}}}, [mine];"
    for sign in "us":
        yield f"st.shared.b32 [mine], {{b32}}; ld.shared.{sign}8 {{d:b32}}, [mine+1]; ld.shared.{sign}16 {{d:b32}}, [mine+2]; ld.shared.{sign}8 {{d:b64}}, [mine+3];"
    yield "st.shared.v4.b32 [mine], ({b32}, {b32}, {b32}, {b32}); ld.shared.v2.b64 ({d:b64}, {d:b64}), [mine];"
    yield "st.shared.v2.b64 [mine], ({b64}, {b64}); ld.shared.v4.u8 ({d:b32}, {d:b32}, {d:b32}, {d:b32}), [mine+4]; ld.shared.v2.s16 ({d:b32}, {d:b32}), [mine+12];"
    start = "st.shared.b64 [mine], {b64};"
    for space in ("shared", "shared::cta"):
        for op, types in (
            ("add", ("u32", "s32", "u64")),
            ("min", ("u32", "s32", "u64", "s64")),
            ("max", ("u32", "s32", "u64", "s64")),
            ("and", ("b32", "b64")),
            ("or", ("b32", "b64")),
            ("xor", ("b32", "b64")),
            ("exch", ("b32", "b64")),
            ("inc", ("u32",)),
            ("dec", ("u32",)),
        ):
            for t in types:
                wide = "b" + t[1:]
                yield f"{start} atom.{space}.{op}.{t} {{d:{wide}}}, [mine], {{{wide}}}; ld.shared.b64 {{d:b64}}, [mine];"
    for t in ("b16", "b32", "b64"):
        yield f"( .reg .{t} c; {start} ld.shared.{t} c, [mine]; atom.shared.cas.{t} {{d:{t}}}, [mine], c, {{{t}}}; ld.shared.b64 {{d:b64}}, [mine]; atom.shared.cas.{t} {{d:{t}}}, [mine], {{{t}}}, {{{t}}}; ld.shared.b64 {{d:b64}}, [mine]; )"
    for t in ("f32", "f64"):
        yield f"st.shared.{t} [mine], {{{t}}}; atom.shared.add.{t} {{d:{t}}}, [mine], {{{t}}}; ld.shared.{t} {{d:{t}}}, [mine];"
    # Matrices: each lane's row is where `rows` has it, 16 bytes of its own.
    rows = "bar.warp.sync -1; st.shared.v2.b64 [rows], ({b64}, {b64}); bar.warp.sync -1;"
    for count in (1, 2, 4):
        got = ", ".join(["{d:b32}"] * count)
        given = ", ".join(["{b32}"] * count)
        for way in ("", ".trans"):
            yield f"{rows} ldmatrix.sync.aligned.m8n8.x{count}{way}.shared.b16 ({got}), [rows];"
            yield f"{rows} stmatrix.sync.aligned.m8n8.x{count}{way}.shared.b16 [rows], ({given}); bar.warp.sync -1; ld.shared.v2.b64 ({{d:b64}}, {{d:b64}}), [rows];"


def approximate():
    """What the ISA lets be approximate."""
    yield from each(
        "<op>.approx<ftz>.f32 {d:f32}, {<of>};",
        op=("ex2", "rcp", "sqrt", "rsqrt"),
        ftz=("", ".ftz"),
        of=("tame", "f32"),
    )
    yield from each("<op>.approx<ftz>.f32 {d:f32}, {tame};", op=("lg2", "sin", "cos"), ftz=("", ".ftz"))
    yield from each(
        "<op>.f32 {d:f32}, {<of>}, {<of>};", op=("div.approx", "div.full", "div.approx.ftz"), of=("tame", "f32")
    )
    yield from each("tanh.approx.f32 {d:f32}, {<of>};", of=("tame", "f32"))
    yield from each("<op>.approx.<type> {d:<type>}, {<type>};", op=("ex2", "tanh"), type=("f16", "f16x2"))
    yield from each("<op>.<type> {d:<type>}, {<type>};", op=("ex2.approx.ftz", "tanh.approx"), type=("bf16", "bf16x2"))
    yield from each("<op>.approx.ftz.f64 {d:f64}, {f64};", op=("rcp", "rsqrt"))


# ---- programs


class Kernel:
    """A kernel of one warp while it is written; `out` has a row of 32 words for each of `rows`."""

    def __init__(self, name, seed):
        self.name, self.chance = name, random.Random(seed)
        self.rows, self.count = 0, 0
        self.tables, self.code = {}, []

    def register(self, kind):
        self.count += 1
        name = f"v{self.count}"
        self.code.append(f".reg .{kind} {name};")
        return name

    def operand(self, kind):
        """A register with a value of the lane's own: of a table of 64 of its kind."""
        if kind == "pred":
            register, number = self.register("pred"), self.operand("b32")
            self.code.append(f"and.b32 {number}, {number}, 1; setp.eq.u32 {register}, {number}, 1;")
            return register
        of = {"odd16": "odd", "odd64": "odd", "b16": "b64", "b32": "b64"}.get(kind, kind)
        if of not in self.tables:
            self.tables[of] = [value(self.chance, of) for _ in range(64)]
        a, b = self.chance.randrange(1, 64, 2), self.chance.randrange(64)
        wide = self.register("b64")
        self.code.append(
            f"mad.lo.u32 index, lane, {a}, {b}; and.b32 index, index, 63; mul.wide.u32 place, index, 8; "
            f"mov.u64 {wide}, {self.name}_{of}; add.u64 place, place, {wide}; ld.global.b64 {wide}, [place];"
        )
        width = REGISTERS.get(kind, "b32")
        if width == "b64":
            return wide
        register = self.register(width)
        self.code.append(f"cvt.u{width[1:]}.u64 {register}, {wide};")
        return register

    def store(self, register, kind):
        width = "b32" if kind == "pred" else REGISTERS[kind]
        if kind == "pred":
            word = self.register("b32")
            self.code.append(f"selp.b32 {word}, 1, 0, {register};")
            register = word
        if width == "b16":
            word = self.register("b32")
            self.code.append(f"cvt.u32.u16 {word}, {register};")
            register, width = word, "b32"
        if width == "b64":
            low, high = self.register("b32"), self.register("b32")
            self.code.append(f"mov.b64 {{{low}, {high}}}, {register};")
            return self.store(low, "b32"), self.store(high, "b32")
        self.code.append(f"st.global.b32 [out+{128 * self.rows}], {register};")
        self.rows += 1

    def form(self, text):
        parts = text.replace("(", "\1").replace(")", "\2").split("{")
        line, stores, first = parts[0], [], self.rows
        for part in parts[1:]:
            kind, _, rest = part.partition("}")
            if kind.startswith("d:"):
                kind = kind[2:]
                register = self.register(REGISTERS[kind])
                stores.append((register, kind))
            else:
                register = self.operand(kind)
            line += register + rest
        self.code.append(line.replace("\1", "{").replace("\2", "}"))
        for register, kind in stores:
            self.store(register, kind)
        self.code.append(f"// rows {first} to {self.rows - 1}: {text}")

    def text(self):
        tables = "".join(
            f".global .align 8 .b64 {self.name}_{kind}[64] = {{{', '.join(map(hex, values))}}};\n"
            for kind, values in self.tables.items()
        )
        return (
            f"// threads 32, words {32 * self.rows}\n.version 8.6\n.target sm_90a\n.address_size 64\n\n{tables}"
            f".visible .entry {self.name}(.param .u64 result) {{\n.shared .align 16 .b8 bytes[2048];\n"
            ".reg .b32 lane, index, mine, rows;\n.reg .b64 place, out;\nmov.u32 lane, %tid.x;\n"
            "mov.u32 mine, bytes;\nmad.lo.u32 rows, lane, 16, mine;\nmad.lo.u32 mine, lane, 64, mine;\nmul.wide.u32 place, lane, 4;\nld.param.u64 out, [result];\ncvta.to.global.u64 out, out;\n"
            "add.u64 out, out, place;\n" + "\n".join(self.code) + "\nret;\n}\n"
        )


def count(forms):
    """Of the programs that hold all forms once."""
    return -(-len(list(forms())) // LINES)


def programs_of(forms):
    """Of the forms in an order of chance, LINES a program: seeds that follow each other go through all of them."""

    def make(label, seed):
        listed = list(forms())
        programs = count(forms)
        random.Random(seed // programs).shuffle(listed)
        kernel = Kernel(label, label)
        for form in listed[seed % programs * LINES :][:LINES]:
            kernel.form(form)
        return kernel.text()

    return make


FAMILIES = {
    "ptx_whole": whole_numbers,
    "ptx_real": real_numbers,
    "ptx_convert": conversions,
    "ptx_compare": comparisons,
    "ptx_lanes": between_lanes,
    "ptx_products": products,
    "ptx_memory": shared_memory,
    "ptx_near": approximate,
}


# ---- what a GPU left, and the machine


def forms_of(text):
    """(form, its first row, the row behind its last) of a program."""
    for first, last, form in re.findall(r"^// rows (\d+) to (\d+): (.*)$", text, re.M):
        yield form, int(first), int(last) + 1


def words(content, row):
    return struct.unpack_from("<32I", content, 128 * row)


def differing(text, got, wanted):
    """The forms whose rows differ, and how."""
    said = []
    for form, first, end in forms_of(text):
        for row in range(first, end):
            pairs = [(g, m) for g, m in zip(words(got, row), words(wanted, row)) if g != m]
            if pairs:
                said.append(
                    f"{form} row {row - first}: {len(pairs)} lanes, GPU {pairs[0][0]:#x}, machine {pairs[0][1]:#x}"
                )
    return "; ".join(said)


def numbers(kind, content, row):
    if kind == "f64":
        return [
            struct.unpack("<d", struct.pack("<II", *pair))[0]
            for pair in zip(words(content, row), words(content, row + 1))
        ]
    if kind == "f32":
        return list(struct.unpack_from("<32f", content, 128 * row))
    halves = [
        half
        for word in words(content, row)
        for half in ((word & 0xFFFF,) if "x2" not in kind else (word & 0xFFFF, word >> 16))
    ]
    if kind.startswith("bf16"):
        return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]
    return [struct.unpack("<e", struct.pack("<H", half))[0] for half in halves]


def off(text, got, wanted):
    """By form, how far what the two left is apart: of the number (of 1 at least for lg2, sin and cos); 1 where only one of them is a number."""
    worst = {}
    for form, first, _ in forms_of(text):
        kind = re.search(r"\{d:(\w+)\}", form).group(1)
        least = 1.0 if form[:3] in ("lg2", "sin", "cos") else 2.0**-14 if "16" in kind else 2.0**-126
        for a, b in zip(numbers(kind, got, first), numbers(kind, wanted, first)):
            same = a == b or (a != a and b != b)
            far = 0.0 if same else abs(a - b) / max(abs(b), least) if math.isfinite(a) and math.isfinite(b) else 1.0
            worst[form] = max(worst.get(form, 0.0), far)
    return worst
